"""What lint refuses without a tree: names that no kernel read has, and facts that stand twice."""

from __future__ import annotations

import pytest

from advisor.errors import KnowledgeError
from advisor.lint.known import exists
from advisor.lint.lint import lint

from ..cases import each

RULE = """\
id = "gadget"
title = "Gadget"
kind = "choice"
summary = "Whether there are gadgets."
choice = ["TICK_CPU_ACCOUNTING", "IRQ_TIME_ACCOUNTING"]
sources = ["kconfig init/Kconfig#TICK_CPU_ACCOUNTING"]
examples = ["TICK_CPU_ACCOUNTING=y -> on", "IRQ_TIME_ACCOUNTING=y -> off"]

[[value]]
name = "on"
set = { TICK_CPU_ACCOUNTING = "y" }
sysctl = { "kernel.io_uring_disabled" = ["1", "0..2"] }
sysfs = { "/sys/kernel/mm/lru_gen/enabled" = "y" }

[[value]]
name = "off"
set = { IRQ_TIME_ACCOUNTING = "y" }
"""
GROUP = """\
id = "bag"
title = "Bag"
kind = "group"
summary = "What is in the bag."
sources = ["kconfig init/Kconfig"]
examples = ["LRU_GEN_STATS=y -> on", "LRU_GEN_STATS=n -> off"]

[[member]]
symbol = "LRU_GEN_STATS"
note = "the first"
"""


@pytest.fixture
def refused(tmp_path):
    """What lint says of these files, without the folder; nothing where all is right."""

    def run(**files):
        for name, text in files.items():
            path = tmp_path / "rules" / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.with_suffix(".toml").write_text(text)
        try:
            lint([str(tmp_path / "rules")])
        except KnowledgeError as error:
            return [(p.removeprefix(f"{tmp_path}/rules/"), says) for p, says in error.problems]
        return []

    return run


def row(place, text=RULE):
    return text.split("\n")[int(place.rpartition(":")[2]) - 1]


def test_what_is_known_is_right(refused):
    assert refused(area__gadget=RULE, area__bag=GROUP) == []


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (
            "IRQ_TIME_ACCOUNTING",
            "IRQ_TIME_ACOUNTING",
            'choice = ["TICK_CPU_ACCOUNTING", "IRQ_TIME_ACOUNTING"]',
            "no kernel read has the symbol IRQ_TIME_ACOUNTING; did you mean IRQ_TIME_ACCOUNTING?",
        ),
        (
            "kernel.io_uring_disabled",
            "kernel.io_uring_disabld",
            'sysctl = { "kernel.io_uring_disabld" = ["1", "0..2"] }',
            "no kernel read has the sysctl kernel.io_uring_disabld; did you mean kernel.io_uring_",
        ),
        (
            '"kernel.io_uring_disabled" = ["1", "0..2"]',
            '"kernel.io_uring_disabled" = ["3", "0..2"]',
            'sysctl = { "kernel.io_uring_disabled" = ["3", "0..2"] }',
            "kernel.io_uring_disabled = '3': kernel.io_uring_disabled takes 0 to 2",
        ),
        (
            '"kernel.io_uring_disabled" = ["1", "0..2"]',
            '"kernel.io_uring_disabled" = ["never", "0..2"]',
            'sysctl = { "kernel.io_uring_disabled" = ["never", "0..2"] }',
            "takes a number",
        ),
        (
            "lru_gen/enabled",
            "lru_gen/enabld",
            'sysfs = { "/sys/kernel/mm/lru_gen/enabld" = "y" }',
            "lru_gen/enabld is not in the documents that were read; did you mean /sys",
        ),
        (
            'sources = ["kconfig init/Kconfig#TICK_CPU_ACCOUNTING"]',
            'sources = ["kconfig init/Kconfig"]\nsince = "99.9"',
            'since = "99.9"',
            "there is no kernel 99.9: the newest known is",
        ),
        (
            "#TICK_CPU_ACCOUNTING",
            "#TICK_CPU_ACCOUNTING@5.20",
            'sources = ["kconfig init/Kconfig#TICK_CPU_ACCOUNTING@5.20"]',
            "there is no kernel 5.20",
        ),
        (
            'choice = ["TICK_CPU_ACCOUNTING", ',
            'default = "on"\nchoice = ["TICK_CPU_ACCOUNTING", "VIRT_CPU_ACCOUNTING_GEN", ',
            'choice = ["TICK_CPU_ACCOUNTING", "VIRT_CPU_ACCOUNTING_GEN", "IRQ_TIME_ACCOUNTING"]',
            "VIRT_CPU_ACCOUNTING_GEN of the choice has no value of its own, and would be taken for",
        ),
    ],
)
def test_what_is_refused_is_told_at_its_own_line(refused, old, new, line, message):
    text = RULE.replace(old, new)
    assert text != RULE
    ((place, says),) = refused(area__gadget=text)
    assert message in says
    assert row(place, text) == line


def test_a_parameter_of_a_module_is_a_file(refused):
    text = RULE.replace("/sys/kernel/mm/lru_gen/enabled", "/sys/module/printk/parameters/time")
    assert refused(area__gadget=text) == []
    wrong = text.replace("parameters/time", "parameters/tme")
    assert "is not in the documents that were read" in refused(area__gadget=wrong)[0][1]


def test_a_symbol_of_two_groups(refused):
    other = GROUP.replace('"bag"', '"box"')
    ((place, says),) = refused(area__bag=GROUP, area__box=other)
    assert says == "LRU_GEN_STATS also belongs to the tunable 'bag': keep it in one of the two"
    assert place == "area/box.toml:9"


def test_a_symbol_that_a_group_of_the_built_in_rules_has(refused):
    text = GROUP.replace("LRU_GEN_STATS", "PAGE_TABLE_CHECK_ENFORCED")
    ((place, says),) = refused(area__bag=text)
    assert "PAGE_TABLE_CHECK_ENFORCED also belongs to the tunable 'hardening-checks'" in says
    assert row(place, text) == 'symbol = "PAGE_TABLE_CHECK_ENFORCED"'


EXCEPTION = '[[exception]]\nrule = "tunable/bag"\ncheck = "{}"\nreason = "it is right so"\n'


def test_an_exception_explains_it(refused):
    text = GROUP.replace("LRU_GEN_STATS", "PAGE_TABLE_CHECK_ENFORCED")
    assert refused(area__bag=text, exceptions=EXCEPTION.format("twice")) == []


@pytest.mark.parametrize("check", ["twice", "symbol", "kernel"])
def test_an_exception_that_explains_nothing(refused, check):
    ((place, says),) = refused(area__bag=GROUP, exceptions=EXCEPTION.format(check))
    assert place == "exceptions.toml:1"
    assert says == f"the exception is not needed: tunable/bag passes the check {check!r}"


def test_a_number_that_the_kernel_takes_belongs_to_a_value(refused):
    text = RULE.replace(' = ["1", "0..2"]', ' = "1"')
    told = [says for _, says in refused(area__gadget=text)]
    assert told == [
        "the kernel takes kernel.io_uring_disabled = 0, but the tunable has no such value"
    ]


def test_a_sysctl_newer_than_all_kernels_read_is_left_alone(refused):
    text = RULE.replace("kernel.io_uring_disabled", "kernel.brand_new")
    assert len(refused(area__gadget=text)) == 1
    assert (
        refused(area__gadget=text.replace('kind = "choice"', 'kind = "choice"\nsince = "7.3"'))
        == []
    )


@each(
    ("release", "there"),
    [
        ("2.6.39", True), ("2.6.40", False), ("2.7", False), ("3.19", True), ("3.20", False),
        ("4.20", True), ("5.20", False), ("6.12.117", True), ("7.1", True), ("7.13", True),
        ("7.14", False), ("8.0", False), ("99.9", False), ("1.2", True),
    ],
)  # fmt: skip
def test_which_releases_there_are(release, there):
    assert exists(release, (7, 1, 5)) is there
