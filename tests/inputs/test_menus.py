"""The menus of a .config, from its comments."""

from __future__ import annotations

from advisor.inputs.menus import menus, menus_beside

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


def test_an_old_configuration_takes_the_menus_of_its_neighbours():
    old = """\
#
# Media drivers
#
CONFIG_TV=m
CONFIG_GONE_TV=m
# CONFIG_RADIO is not set
CONFIG_GONE=y
CONFIG_LAST=y
CONFIG_END=y
"""
    found = menus_beside(old, {**menus(NESTED), "NEXT": "X"})
    assert found["GONE_TV"] == "Device Drivers"
    assert (found["GONE"], found["END"]) == ("", "")
    assert menus_beside(NESTED, {}) == menus(NESTED)
