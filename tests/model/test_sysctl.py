"""Names of sysctls and their files below /proc/sys."""

from __future__ import annotations

import pytest

from advisor.model.sysctl import key_of, path_of


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("vm.swappiness", "/proc/sys/vm/swappiness"),
        # A VLAN's device has a dot in its name (sysctl.d(5)).
        ("net.ipv4.conf.eth0/100.forwarding", "/proc/sys/net/ipv4/conf/eth0.100/forwarding"),
    ],
)
def test_a_name_and_its_file_lead_to_each_other(name: str, path: str) -> None:
    assert (path_of(name), key_of(path)) == (path, name)


def test_another_file_is_known_by_its_path() -> None:
    assert key_of("/sys/devices/system/cpu/smt/control") == "/sys/devices/system/cpu/smt/control"
