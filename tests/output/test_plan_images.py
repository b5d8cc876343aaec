"""A plan as a profile of TuneD and as a Containerfile, read back by what reads a host."""

from __future__ import annotations

import re

import pytest

from advisor.inputs.host.root import Root
from advisor.inputs.nextboot.tuned import read_tuned
from advisor.inputs.nextboot.writes import Writes
from advisor.model.plan import File
from advisor.output import PLAN_FORMATS, Style, renderer
from advisor.output.plan.tunedprofile import NAME, PARENTS, PLACES

from ..cases import each
from ..inputs.host.hosts import write_host
from .test_plan_files import KNOWLEDGE, OF_KIND, of, report_on

GOVERNOR = "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor"
PAGES = "/sys/kernel/mm/transparent_hugepage/enabled"
DEFRAG = "/sys/kernel/mm/transparent_hugepage/defrag"
PARENT = (
    "[sysctl]\nvm.dirty_background_ratio=10\nvm.swappiness=10\n[vm]\ndirty_background_ratio=10\n"
)
SCHEDULER = "/sys/block/*/queue/scheduler"


def render(name, report):
    return renderer(name, PLAN_FORMATS)([report], Style())


@pytest.fixture
def written(tmp_path):
    """What TuneD writes on a host whose active profile is that text, as the next boot's reader has
    it."""

    def read(text, shown=(), patterns=()):
        files = {
            "/etc/tuned/active_profile": f"{NAME}\n",
            "/etc/tuned/profile_mode": "manual\n",
            "/usr/lib/tuned/throughput-performance/tuned.conf": PARENT,
            PLACES[1]: text,
            **dict.fromkeys(shown, "1\n"),
        }
        into = Writes(Root(str(write_host(tmp_path, files))), patterns)
        read_tuned(into.root, into, "x86")
        assert not into.unsure
        return {key: one.value for key, one in into.written.items()}

    return read


@each("key, file, section, option", [
    ("vm.x", File.SYSCTL, "sysctl", "vm.x"),
    (GOVERNOR.replace("*", "0"), File.TMPFILES, "sysfs", GOVERNOR.replace("*", "0")),
    (PAGES, File.TMPFILES, "vm", "transparent_hugepages"),
    (DEFRAG, File.TMPFILES, "vm", "transparent_hugepage.defrag"),
    ("/sys/kernel/mm/ksm/run", File.TMPFILES, "sysfs", "/sys/kernel/mm/ksm/run"),
    (SCHEDULER, File.UDEV, "disk", "elevator"),
])  # fmt: skip
def test_a_setting_is_read_back_from_the_section_that_owns_it(written, key, file, section, option):
    text = render("tuned", report_on(of(file, key, "7")))
    assert f"[{section}]" in text
    assert f"{option}=7" in text.splitlines()
    path = key.replace("*", "sda")
    shown = {path: "7"} if path.startswith("/") else {}
    found = written(text, shown, (key,))
    assert found == {path: "7", "vm.swappiness": "10", "vm.dirty_background_ratio": "10"}


def test_what_a_setting_makes_0_is_not_asked_of_tuned(written):
    """TuneD's verify would find the ratio of the included profile to be 0."""
    text = render("tuned", report_on(of(File.SYSCTL, "vm.dirty_background_bytes", "9")))
    assert "\ndrop=vm.dirty_background_ratio\n" in text
    assert "[vm]\n" in text  # where TuneD 2.25 has it
    assert "\ndrop=dirty_background_bytes,dirty_background_ratio\n" in text
    assert written(text) == {"vm.dirty_background_bytes": "9", "vm.swappiness": "10"}


def test_a_pattern_is_for_all_policies(written):
    text = render("tuned", report_on(of(File.TMPFILES, GOVERNOR, "performance")))
    assert "[cpu]\n" in text
    shown = dict.fromkeys(GOVERNOR.replace("*", number) for number in "03")
    found = written(text, shown, (GOVERNOR,))
    assert {key: found[key] for key in shown} == dict.fromkeys(shown, "performance")


@each("value", ["a#b", "a b", "1 2\t3", "50%", "$x", "(a)", "a;b", "a'b"])
def test_a_value_arrives_or_is_named(written, value):
    text = render("tuned", report_on(of(File.SYSCTL, "vm.x", value)))
    if "This profile does not set vm.x" in re.sub("\n# ", " ", text):
        assert "vm.x" not in written(text)
    else:
        assert written(text)["vm.x"] == value


@each("value", ["a #b", "${x}", ">1", "<1", '"a"', "'a'", "a\\b", " ", "", "a\nb", "\u00e9"])
def test_what_tuned_would_read_otherwise_is_named_and_not_set(written, value):
    text = render("tuned", report_on(of(File.SYSCTL, "vm.x", value)))
    assert "This profile does not set vm.x" in re.sub("\n# ", " ", text)
    assert "vm.x" not in written(text)


@each("kind", OF_KIND)
def test_disks_of_a_kind_are_set_by_their_names_or_named(kind):
    key = "/sys/block/DEVICE/queue/scheduler"
    text = render("tuned", report_on(of(File.UDEV, key, "none", (kind,))))
    if kind in ("rotating", "solid-state"):
        assert "--format udev does" in re.sub("\n# ", " ", text)
        assert "/queue/scheduler=none" not in text
    else:
        assert "[sysfs]" in text
        assert re.findall("^/sys/block/(.*)/queue/scheduler=none$", text, re.M)


def test_an_option_of_a_module_is_named():
    key = "/sys/module/snd_hda_intel/parameters/power_save"
    text = render("tuned", report_on(of(File.MODPROBE, key, "10")))
    assert "--format modprobe.d writes it" in re.sub("\n# ", " ", text)


def test_each_parent_is_of_a_profile_that_is_there():
    assert not PARENTS.keys() - {*KNOWLEDGE.ids("fits")}
    text = render("tuned", report_on(of(File.SYSCTL, "vm.x", "1")))
    assert "\ninclude=throughput-performance\n" in text


# --- the Containerfile ----------------------------------------------------------------------------


def test_a_containerfile_copies_what_the_folder_has_to_where_an_image_keeps_it():
    kept = [
        of(File.SYSCTL, "vm.x", "1"),
        of(File.TMPFILES, PAGES, "madvise"),
        of(File.UDEV, SCHEDULER, "none"),
        of(File.MODPROBE, "/sys/module/loop/parameters/max_loop", "8"),
    ]
    text = render("containerfile", report_on(*kept))
    copies = dict(re.findall(r"^COPY (\S+) (\S+)$", text, re.M))
    paths = [one.file.paths[0] for one in kept]
    assert copies == {path: f"/usr/lib/{path.removeprefix('etc/')}" for path in paths}
    assert "dracut" in text
    assert "bootc container lint" not in text
