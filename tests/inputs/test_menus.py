"""The menus of a .config, from its comments."""

from __future__ import annotations

from advisor.inputs.menus import menus

NESTED = """\
#
# Automatically generated file; DO NOT EDIT.
# Linux/x86 6.12.0 Kernel Configuration
#
CONFIG_TOP=y

#
# Device Drivers
#
CONFIG_PCI=y

#
# Media drivers
#

#
# Media drivers
#
CONFIG_TV=m
# end of Media drivers

# CONFIG_RADIO is not set
# end of Device Drivers

#
# A comment
#
CONFIG_LAST=y
"""


def test_menus_nest_and_end():
    assert menus(NESTED) == {
        "TOP": "",
        "PCI": "Device Drivers",
        "TV": "Device Drivers > Media drivers",
        "RADIO": "Device Drivers",
        "LAST": "",
    }


def test_before_5_2_the_last_title_stands_for_all_that_follows():
    text = "#\n# General setup\n#\nCONFIG_A=y\n#\n# Drivers\n#\n# CONFIG_B is not set\n"
    assert menus(text) == {"A": "General setup", "B": "Drivers"}


def test_an_end_without_a_beginning_is_nothing():
    assert menus("# end of Nothing\nCONFIG_A=y\n") == {"A": ""}
