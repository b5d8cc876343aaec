"""What ip= asks for: an address from a server, the one that it names, or no network.

Read in 6.12: ip_auto_config_setup() and ic_proto_name() of net/ipv4/ipconfig.c.
"""

from __future__ import annotations

import re

_PROTOCOLS = frozenset(("on", "any", "both", "bootp", "rarp"))
_ADDRESS = re.compile(r"[0-9.]*[1-9]")
_METHOD = 6
"""The field of the protocol in CLIENT:SERVER:GATEWAY:NETMASK:HOST:DEVICE:PROTOCOL."""


def method_of(value: str) -> str:
    """Return `none`, `dynamic` or `given`, as the kernel takes the value of ip=.

    Of protocols that are not built the kernel knows no name; which one is asked does not matter
    here, as it then asks by those that are.
    """
    if value in ("", "off", "none"):
        return "none"
    if _is_protocol(value):
        return "dynamic"
    fields = value.split(":")
    if _ADDRESS.match(fields[0]):
        return "given"
    protocol = fields[_METHOD] if len(fields) > _METHOD else ""
    return "none" if protocol and not _is_protocol(protocol) else "dynamic"


def _is_protocol(name: str) -> bool:
    return name in _PROTOCOLS or name.startswith("dhcp")
