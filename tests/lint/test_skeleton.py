"""`rules new` and `profiles new`: what they write lints as it is."""

from __future__ import annotations

import pytest

from advisor.errors import OutputError, UsageError
from advisor.lint.lint import lint
from advisor.lint.skeleton import new_profile, new_rule


@pytest.mark.parametrize(
    ("name", "id_", "kind"),
    [
        ("PRINTK_CALLER", "printk-caller", "switch"),
        ("CONFIG_PRINTK_CALLER", "printk-caller", "switch"),
        ("BLK_DEV_LOOP", "blk-dev-loop", "switch"),  # a tristate
        ("LOG_CPU_MAX_BUF_SHIFT", "log-cpu-max-buf-shift", "number"),
        ("PHYSICAL_START", "physical-start", "number"),
        ("DEFAULT_HOSTNAME", "default-hostname", "text"),
        ("vm.min_free_kbytes", "vm-min-free-kbytes", "number"),
        ("net.ipv4.conf.all.rp_filter", "net-ipv4-conf-all-rp-filter", "number"),
    ],
)
def test_a_rule_lints_as_it_is_written(tmp_path, built_in, name, id_, kind):
    folder = tmp_path / "mine/rules"
    path = new_rule(name, str(folder), built_in)
    assert path == str(folder / f"{id_}.toml")
    assert f'kind = "{kind}"' in (folder / f"{id_}.toml").read_text()
    told = lint([str(tmp_path / "mine")])
    assert told == "1 tunables, 0 parameters, 0 profiles, 2 examples: all right"


def test_a_profile_lints_as_it_is_written(tmp_path, built_in):
    path = new_profile("render-farm", str(tmp_path / "mine/profiles"), built_in)
    assert path.endswith("render-farm.toml")
    told = lint([str(tmp_path / "mine")])
    assert told == "0 tunables, 0 parameters, 1 profiles, 2 examples: all right"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("PRINTK_CALER", "no kernel read has the symbol PRINTK_CALER"),
        ("vm.min_free_kbyte", "no kernel read has the sysctl vm.min_free_kbyte"),
        ("PAGE_TABLE_CHECK_ENFORCED", "is of the rule 'hardening-checks'"),
        ("PSI", "there is a rule 'psi' already"),
        ("../x", "no kernel read has the symbol"),
    ],
)
def test_no_rule_is_written_for_what_has_none(tmp_path, built_in, name, message):
    with pytest.raises(UsageError, match=message):
        new_rule(name, str(tmp_path / "mine"), built_in)
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
