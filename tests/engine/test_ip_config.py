"""What ip= asks for, in its short and its long form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.engine.effective.ip_config import method_of


@pytest.mark.parametrize(
    ("value", "method"),
    [
        ("dhcp", "dynamic"), ("on", "dynamic"), ("any", "dynamic"), ("bootp", "dynamic"),
        ("dhcp,1,board", "dynamic"),
        ("off", "none"), ("none", "none"), ("", "none"),
        # Client, server, gateway, netmask, host, device, protocol.
        ("::::board:eth0:on", "dynamic"), (":::::eth0:both", "dynamic"),
        ("::::board::bootp", "dynamic"), ("::::board:eth0", "dynamic"),
        (":::::eth0:off", "none"), (":::::eth0:nonsense", "none"),
        ("10.0.0.2::10.0.0.1:255.255.255.0::eth0:off", "given"),
        ("10.0.0.2::::board:eth0:dhcp", "given"),
        ("0.0.0.0:::::eth0:dhcp", "dynamic"),
        # An initramfs takes it for the device; the kernel, for an address, and asks a server.
        ("eth0:dhcp", "dynamic"),
    ],
)  # fmt: skip
def test_the_protocol_counts_where_no_address_stands(value, method):
    assert method_of(value) == method


@given(st.text(alphabet=":.0123456789adhcpbonefyrt,", max_size=60))
def test_each_text_is_one_of_the_three(value):
    assert method_of(value) in ("none", "dynamic", "given")
