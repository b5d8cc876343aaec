"""`rules new` and `profiles new`: what is known is filled in, and what is left lint asks for."""

from __future__ import annotations

import re

import pytest

from advisor.errors import KnowledgeError, OutputError, UsageError
from advisor.lint.lint import lint
from advisor.lint.skeleton import Place, new_profile, new_rule

# What is written for a placeholder, by the key.
WRITTEN = {"sources": "kconfig lib/Kconfig", "type": "int"}


def filled_in(path):
    """The file with something in place of each placeholder, as its author would write."""
    text = re.sub(r"touches = .*", "touches = []", path.read_text())
    for key, what in WRITTEN.items():
        text = re.sub(rf'({key} = [^=]*?)"TODO: [^"]*"', rf'\1"{what}"', text)
    path.write_text(re.sub(r'"TODO: [^"]*"', '"Something."', text))


@pytest.fixture
def rule(tmp_path, built_in):
    """Writes a rule, and gives its path and text."""

    def write(name, find=None, area=""):
        path = tmp_path / new_rule(name, Place(str(tmp_path / "mine/rules"), area, find), built_in)
        return path, path.read_text()

    return write


@pytest.mark.parametrize(
    ("name", "id_", "kind"),
    [
        ("PRINTK_CALLER", "printk-caller", "switch"),
        ("CONFIG_PRINTK_CALLER", "printk-caller", "switch"),
        ("BLK_DEV_LOOP", "blk-dev-loop", "switch"),  # a tristate
        ("JFFS2_CMODE_NONE", "jffs2-cmode-none", "choice"),
        ("LOG_CPU_MAX_BUF_SHIFT", "log-cpu-max-buf-shift", "number"),
        ("PHYSICAL_START", "physical-start", "number"),
        ("DEFAULT_HOSTNAME", "default-hostname", "text"),
        ("kernel.core_sort_vma", "kernel-core-sort-vma", "switch"),
        ("net.ipv4.conf.all.rp_filter", "net-ipv4-conf-all-rp-filter", "number"),
    ],
)
def test_a_rule_lints_once_it_is_filled_in(tmp_path, rule, name, id_, kind):
    path, text = rule(name)
    assert path == tmp_path / f"mine/rules/{id_}.toml"
    assert f'kind = "{kind}"' in text
    with pytest.raises(KnowledgeError) as caught:
        lint([str(tmp_path / "mine")])
    assert [place for place, _ in caught.value.problems] == [
        f"{path}:{number}" for number, row in enumerate(text.split("\n"), 1) if "TODO: " in row
    ]
    assert (
        caught.value.problems[0][1]
        == "title: write a short name of the setting, in a reader's words"
    )
    filled_in(path)
    assert "1 tunables, 0 parameters, 0 profiles" in lint([str(tmp_path / "mine")])


def test_a_boot_parameter_goes_to_the_parameters(tmp_path, rule):
    path, text = rule("usb-storage.quirks")
    assert path == tmp_path / "mine/rules/parameters/usb-storage-quirks.toml"
    assert 'name = "usb_storage.quirks"' in text
    filled_in(path)
    assert "1 parameters" in lint([str(tmp_path / "mine")])


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("X86_VSYSCALL_EMULATION", ['"x86 7.2.13 | X86_VSYSCALL_EMULATION=y -> on"']),
        ("X86_VSYSCALL_EMULATION", ["arch = x86 && (present(X86_VSYSCALL_EMULATION) || kernel"]),
        ("PRINTK_CALLER", ['only_if = "present(PRINTK_CALLER) || kernel >= 5.3"']),
        (
            "PRINTK_CALLER",
            ['since = "5.3"  # 5.0.1 does not have it; no kernel between the two was read'],
        ),
        ("kernel.core_sort_vma", ['since = "6.12"  # 6.1.192 does not have it']),
        ("net.dccp.default.request_retries", ['kernel < 6.19"', '"6.12.117 | SYSCTL=y']),
        ("BLK_DEV_LOOP", ['when = "BLK_DEV_LOOP"']),
        ("JFFS2_CMODE_NONE", ['name = "favourlzo"\nset = { JFFS2_CMODE_FAVOURLZO = "y" }']),
    ],
)
def test_what_the_catalogues_know_is_filled_in(rule, name, rows):
    _, text = rule(name)
    for row in rows:
        assert row in text
    assert 'requires = "' not in text
    assert "TODO: kconfig PATH" in text or "TODO: code PATH" in text


def test_a_choice_names_all_its_members(rule):
    _, text = rule("JFFS2_CMODE_NONE")
    choice = re.search(r"choice = \[(.*)\]", text)[1].replace('"', "").split(", ")
    assert len(choice) == text.count("[[value]]") == text.count(" -> ") > 2


def test_a_profile_lints_once_it_is_filled_in(tmp_path, built_in):
    path = tmp_path / new_profile("render-farm", str(tmp_path / "mine/profiles"), built_in)
    with pytest.raises(KnowledgeError) as caught:
        lint([str(tmp_path / "mine")])
    assert len(caught.value.problems) == path.read_text().count("TODO: ") == 8
    text = path.read_text()
    for key, what in (("id", "psi"), ("tunable", "psi"), ("sources", "doc a"), ("want", "on")):
        text = re.sub(rf'^({key} = \[?)"TODO: [^"]*"', rf'\1"{what}"', text, flags=re.M)
    text = text.replace("TODO: a configuration that is right, as in PSI=y -> ok", "PSI=y -> ok")
    text = re.sub(r'"TODO: a configuration[^"]*"', '"PSI=n -> change"', text)
    path.write_text(re.sub(r'"TODO: [^"]*"', '"Something."', text))
    told = lint([str(tmp_path / "mine")])
    assert told == "0 tunables, 0 parameters, 1 profiles, 2 examples: all right"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("PRINTK_CALER", "no kernel read has the symbol PRINTK_CALER"),
        ("vm.min_free_kbyte", "no kernel read has the sysctl or boot parameter vm.min_free_kbyte"),
        ("PAGE_TABLE_CHECK_ENFORCED", "has a rule already: hardening-checks"),
        ("HZ_250", "has a rule already: timer-frequency"),
        ("vm.min_free_kbytes", "has a rule already: free-memory-reserve"),
        ("nohz", "nohz has a rule already: nohz"),
        ("PSI", "has a rule already: psi"),
        ("../x", "no kernel read has the sysctl or boot parameter"),
    ],
)
def test_no_rule_is_written_for_what_has_none(tmp_path, rule, name, message):
    with pytest.raises(UsageError, match=message):
        rule(name)
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [("Render Farm", "is no id"), ("../x", "is no id"), ("database", "already")],
)
def test_no_profile_is_written_of_a_wrong_or_taken_name(tmp_path, built_in, name, message):
    with pytest.raises(UsageError, match=message):
        new_profile(name, str(tmp_path / "mine"), built_in)
    assert not (tmp_path / "mine").exists()


def test_nothing_is_written_over(tmp_path, built_in):
    path = tmp_path / "render-farm.toml"
    path.write_text("mine")
    with pytest.raises(UsageError, match="is there already"):
        new_profile("render-farm", str(tmp_path), built_in)
    assert path.read_text() == "mine"


def test_a_folder_that_cannot_be_made(tmp_path, built_in):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be made"):
        new_profile("render-farm", str(tmp_path / "file/profiles"), built_in)
