"""Run-time settings: the output of `sysctl -a`, and files as sysctl.d(5) describes them."""

import gzip
from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.inputs.sysctl import parse_sysctl, read_sysctl
from advisor.model.kernel import Location

from ..cases import each


def values(text: str) -> dict[str, str]:
    return {key: value for key, (value, _) in parse_sysctl(text, "x.conf").items()}


def test_the_output_of_sysctl_is_read() -> None:
    text = "kernel.numa_balancing = 0\nkernel.printk = 4\t4\t1\t7\nkernel.core_pattern =\n"

    assert values(text) == {
        "kernel.numa_balancing": "0",
        "kernel.printk": "4\t4\t1\t7",
        "kernel.core_pattern": "",
    }


def test_what_sysctl_complains_of_is_no_setting() -> None:
    text = "sysctl: permission denied on key 'fs.protected_fifos'\nvm.swappiness = 60\n"

    assert values(text) == {"vm.swappiness": "60"}


def test_comments_and_blank_lines_are_skipped() -> None:
    assert values("# vm.a = 1\n; vm.b = 1\n\n  vm.swappiness=10\r\n") == {"vm.swappiness": "10"}


@each(
    ("key", "dotted"),
    [
        ("vm.swappiness", "vm.swappiness"),
        ("vm/swappiness", "vm.swappiness"),
        ("net/ipv4/conf/eth0.1/forwarding", "net.ipv4.conf.eth0/1.forwarding"),
        ("net.ipv4.conf.eth0/1.forwarding", "net.ipv4.conf.eth0/1.forwarding"),
        ("-net.ipv4.conf.*.rp_filter", "net.ipv4.conf.*.rp_filter"),
    ],
)
def test_both_spellings_of_a_key_are_one(key: str, dotted: str) -> None:
    assert values(f"{key} = 1") == {dotted: "1"}


def test_a_dash_without_a_value_sets_nothing() -> None:
    assert values("-net.ipv4.conf.all.rp_filter\n") == {}


def test_the_last_line_of_a_key_decides_and_is_named() -> None:
    found = parse_sysctl("vm.swappiness=10\nvm/swappiness=20\na.b=c=d\n", "x.conf")

    assert found["vm.swappiness"] == ("20", Location("x.conf", 2))
    assert found["a.b"][0] == "c=d"


def test_all_wrong_lines_are_one_error() -> None:
    with pytest.raises(InputError) as caught:
        parse_sysctl("vm.swappiness=1\nCONFIG_HZ=y\nvm.a\nvm b.c=1\n=1\n", "x.conf")

    assert caught.value.where == "x.conf:2"
    assert "4 lines are" in caught.value.message
    assert "lines 2, 3, 4, 5; the first is 'CONFIG_HZ=y'" in caught.value.message
    assert "sysctl -a" in caught.value.hint


def test_many_wrong_lines_are_not_all_listed() -> None:
    with pytest.raises(InputError, match=r"99 lines are .* 9, 10, \.\.\.; the first"):
        parse_sysctl("x\n" * 99, "x.conf")


def test_one_wrong_line_is_told_in_the_singular() -> None:
    with pytest.raises(InputError, match="a line is not"):
        parse_sysctl("x\n", "x.conf")


def test_a_file_may_be_packed(tmp_path: Path) -> None:
    path = tmp_path / "sysctl.gz"
    path.write_bytes(gzip.compress(b"vm.swappiness = 60\n"))

    assert read_sysctl(str(path)) == {"vm.swappiness": ("60", Location(str(path), 1))}


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_sysctl(str(tmp_path / "none"))
