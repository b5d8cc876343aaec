"""What runs: sysctls and files below /sys, a line each."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.inputs.runtime import parse_runtime, read_runtime
from advisor.model.kernel import Location

from ..cases import each

GOVERNOR = "/sys/devices/system/cpu/cpufreq/policy{}/scaling_governor"


def values(text: str) -> dict[str, str]:
    found = parse_runtime(text, "running")
    assert all(key.startswith("/sys/") for key in found.sysfs)
    assert not any(key.startswith("/") for key in found.sysctl)
    return {key: value for key, (value, _) in {**found.sysctl, **found.sysfs}.items()}


def test_sysctls_and_files_are_told_apart() -> None:
    found = parse_runtime("# what runs\n\nvm.swappiness = 60\n/sys/power/state = freeze mem\n", "r")

    assert found.sysctl == {"vm.swappiness": ("60", Location("r", 3))}
    assert found.sysfs == {"/sys/power/state": ("freeze mem", Location("r", 4))}


@each(
    ("path", "key"),
    [
        ("vm.swappiness", "vm.swappiness"),
        ("vm/swappiness", "vm.swappiness"),
        ("/proc/sys/vm/swappiness", "vm.swappiness"),
        ("/proc/sys/net/ipv4/conf/eth0.1/forwarding", "net.ipv4.conf.eth0/1.forwarding"),
        (GOVERNOR.format(31), GOVERNOR.format(31)),
        ("/sys/bus/a device/x", "/sys/bus/a device/x"),
    ],
)
def test_a_path_is_read_as_what_it_is(path: str, key: str) -> None:
    assert values(f"{path} = 1") == values(f"{path}=1\r") == {key: "1"}


def test_a_value_is_kept_as_the_file_shows_it() -> None:
    text = "/sys/a = always [madvise] never \n/sys/b =\nkernel.core_pattern=|/x %p = 1\n"

    assert values(text) == {
        "/sys/a": "always [madvise] never",
        "/sys/b": "",
        "kernel.core_pattern": "|/x %p = 1",
    }


def test_the_last_line_of_a_path_decides() -> None:
    assert parse_runtime("/sys/a=1\n/sys/a=2\n", "r").sysfs == {"/sys/a": ("2", Location("r", 2))}


@each(
    "line",
    [
        "CONFIG_HZ=y",
        "vm.swappiness",
        "/sys/kernel/mm/ksm/run",
        "/sys/kernel/mm/ksm/run:1",
        "/proc/cmdline = quiet",
        "/etc/passwd = x",
        "/sys/../etc/passwd = x",
        "/sys/kernel//mm = x",
        "/sys/kernel/ = x",
        "/sys = x",
        "/proc/sys = x",
        "/sys/a\x1b[31m = x",
        "= 1",
    ],
)
def test_what_is_no_setting_is_refused(line: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_runtime(f"vm.swappiness = 1\n{line}\n", "running")

    assert caught.value.where == "running:2"
    assert "\x1b" not in str(caught.value)


def test_all_wrong_lines_are_one_error() -> None:
    with pytest.raises(InputError) as caught:
        parse_runtime("/sys/a=1\n/dev/null=1\nx\n", "running")

    assert "2 lines are not `path = value`" in caught.value.message
    assert "lines 2, 3; the first is '/dev/null=1'" in caught.value.message


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(InputError):
        assert all(map(str.isprintable, parse_runtime(text, "running").sysfs))


PLAIN = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8)


@given(
    st.dictionaries(
        st.lists(PLAIN, min_size=1, max_size=4).map(lambda parts: "/sys/" + "/".join(parts)), PLAIN
    )
)
def test_what_is_written_is_read(settings: dict[str, str]) -> None:
    text = "".join(f"{path} = {value}\n" for path, value in settings.items())

    assert {key: value for key, (value, _) in parse_runtime(text, "r").sysfs.items()} == settings


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "running"
    path.write_text("/sys/a = 1\n")

    assert read_runtime(str(path)).sysfs == {"/sys/a": ("1", Location(str(path), 1))}
