"""The key `module` of a tunable, and what it stands for."""

from __future__ import annotations

import pytest

from advisor.errors import KnowledgeError
from advisor.knowledge import module
from advisor.knowledge.files import KnowledgeFile
from advisor.knowledge.load import compile_files
from advisor.model.condition_parser import parse

from ..cases import each
from ..conftest import TUNABLE

RULE = TUNABLE.replace('WIDGET = "y"', 'WIDGET = "m"')


def document(text):
    file = KnowledgeFile("tunable", "widget.toml", "area", text.encode())
    return compile_files([file], check=True).tunables["widget"]


def with_key(value, text=RULE):
    return text.replace("\n[[value]]", f"module = {value}\n\n[[value]]", 1)


@each(
    ("value", "symbols", "when"),
    [
        ('"widget"', "", "WIDGET = m && (boot(nomodule=1) || boot(module_blacklist=widget))"),
        (
            '["a", "b"]',
            "",
            "WIDGET = m"
            " && (boot(nomodule=1) || boot(module_blacklist=a) || boot(module_blacklist=b))",
        ),
        (
            '"a"',
            ', GIZMO = "m", GADGET = "y"',
            "(WIDGET = m || GIZMO = m) && (boot(nomodule=1) || boot(module_blacklist=a))",
        ),
    ],
)
def test_what_it_stands_for(value, symbols, when):
    named = value.strip('[]"').replace('", "', " or ")
    text = with_key(value).replace('WIDGET = "m"', f'WIDGET = "m"{symbols}')
    (found,) = document(text)["interpret"]
    assert found == {
        "names": ["on"],
        "target": "off",
        "only_if": parse(when),
        "why": f"the boot line prevents the module {named} from being loaded",
    }


def test_it_comes_before_other_interpretations():
    more = '\n[[interpret]]\ntarget = "off"\nonly_if = "boot(nopv)"\nwhy = "so"\n'
    found = document(with_key('"widget"') + more)["interpret"]
    assert [one["why"] for one in found] == [module.reason(["widget"]), "so"]


def test_its_source_is_the_last_unless_the_rule_has_it():
    first, second = document(with_key('"widget"'))["source"]
    assert (first["ref"], second["ref"]) == ("init/Kconfig", "kernel/module/main.c")
    assert (second["anchor"], second["kernel"]) == ("blacklisted", "6.12")
    lines = f'sources = ["{module.SOURCE_OF_FOLDER}", "doc a", '
    found = document(with_key('"widget"').replace("sources = [", lines, 1))["source"]
    assert [one["ref"] for one in found] == ["kernel/module/main.c", "a", "init/Kconfig"]


def test_a_rule_whose_value_is_no_module_is_told():
    with pytest.raises(KnowledgeError) as caught:
        document(with_key('"widget"', TUNABLE))
    ((where, told),) = caught.value.problems
    assert where == "widget.toml:12"
    assert told == "module: the value `on` sets no symbol to m: write a table [[interpret]]"
