"""Parameters of the boot line that came later than a kernel, or may have come later."""

from __future__ import annotations

import re

import pytest

from advisor.engine.diagnose.bootline import diagnose_line
from advisor.engine.effective.world import World
from advisor.inputs.bootline import parse_cmdline
from advisor.inputs.config import parse_config
from advisor.inputs.machine import machine_of
from advisor.inputs.subject import Given, subject_of
from advisor.knowledge.files import rule_files
from advisor.knowledge.folders import roots
from advisor.knowledge.load import compile_files
from advisor.lint.known import other_first

from ..cases import each


@pytest.mark.parametrize(
    ("word", "kernel"),
    [("cryptomgr.notests=1", "4.4.94"), ("iommu.passthrough=1", "4.9.30")],
)
def test_an_older_kernel_is_offered_none_of_it(make_world, word, kernel):
    world = make_world("CRYPTO_MANAGER=y CRYPTO_MANAGER2=y IOMMU_API=y", kernel=kernel)
    assert world.line.honours(word).truth is not True


@each(
    ("kernel", "truth"),
    [
        ("3.10", False),
        ("3.16", frozenset(("release",))),
        ("4.4", True),
        ("5.10", True),
    ],
)
def test_between_two_kernels_read_it_is_open_whether_a_word_is_there(make_world, kernel, truth):
    # First in 4.0 or before: not in 3.14, and in 4.0 and 4.4.
    world = make_world("KALLSYMS=y", kernel=kernel)
    assert world.line.honours("initcall_blacklist=foo").truth == truth


def test_a_word_of_which_it_is_open_is_a_note(make_world):
    world = make_world("KALLSYMS=y", kernel="3.16", cmdline="initcall_blacklist=foo")
    (one,) = diagnose_line(world)
    assert (one.id, one.severity.value) == ("parameter-too-new", "note")
    assert "was added in one of the releases 3.15 to" in one.message
    assert "the source of Linux 3.16 was not read, so the parameter may be missing" in one.message


@each(
    ("kernel", "severity"),
    [
        ("5.4", "error"),  # a release as mainline made it
        ("5.4.90", "note"),  # stable is given such words: 6.1.192 has it
        ("6.1.60", "note"),
    ],
)
def test_a_word_for_a_fault_of_processors_may_be_in_a_patched_kernel(make_world, kernel, severity):
    world = make_world("CPU_MITIGATIONS=y", kernel=kernel, cmdline="spec_rstack_overflow=off")
    told = [one for one in diagnose_line(world) if one.id == "parameter-too-new"]
    assert [one.severity.value for one in told] == [severity]


def test_what_the_nearest_kernel_of_its_series_has_is_there(make_world):
    world = make_world("X86=y", kernel="4.14.200", arch="x86", cmdline="mds=off")
    assert world.line.honours("mds=off").truth is True


@each(
    ("name", "since", "there", "says"),
    [
        ("initcall_blacklist", "", "", "the parameter is not in 2.6.38, but first in 4.4.155"),
        ("initcall_blacklist", "3.15", "4.0", ""),
        (
            "initcall_blacklist",
            "3.6",
            "",
            "the parameter is not in 3.10.99, but must exist since 3.6",
        ),
        ("psi", "5.2", "", "the parameter is already in 4.20.0, before 5.2"),
        ("mds", "5.2", "", ""),  # 4.14.177 has it, which stable was given
        ("quiet", "", "", ""),
    ],
)
def test_a_rule_says_since_when_as_the_kernels_read_show(built_in, name, since, there, says):
    catalogue = built_in.parameter_catalogue
    parameter = built_in.parameter(name)._replace(since=since, there=there)
    told = other_first(parameter, catalogue.seen(name).kernels(), catalogue)
    assert told.startswith(says)
    assert bool(told) == bool(says)


AS_BEFORE = {
    "kernel-unmapping": "the symbol shows it, as where it was backported",
    "module-signatures": "no signature is checked",
    "nohz-full-cpus": "no CPU is without a tick",
    "ntsync": "the symbol shows it",
    "nvme": "the driver is not there",
    "overlay-file-system": "it is not there",
    "preempt-rt": "the patches are older, under another name",
    "rcu-fanout-leaf": "16 was a constant",
    "rcu-offload": "no CPU is offloaded",
    "rcu-offload-support": "it is not there",
    "rcu-thread-priority": "RCU_BOOST decided before",
    "resource-control": "the symbol shows it",
    "sev-guest": "the symbol shows it",
    "vfio": "it is not there",
    "vfio-virtual-functions": "none are made",
}
"""Tunables that say something of a kernel before their `since`, and why that is true."""


FACTS = ("arch", "cpus", "nodes", "memory", "vendor", "virtual", "efi")


def _dated():
    """The tunables that came with a release, with their examples."""
    documents = compile_files(list(rule_files(roots()[0])), check=False)
    for name, rule in documents.tunables.items():
        if "since" in rule:
            yield {**rule, "example": documents.examples[f"tunable/{name}"]}


def _told_before(rule, knowledge):
    """What is said of the last kernel read before its time, in configurations as of the rule's
    examples, of which only the symbols are left that the kernel has."""
    catalogue = knowledge.catalogue
    since = tuple(map(int, rule["since"].split(".")))[:2]
    before = [one.version for one in catalogue.kernels if one.version.numbers[:2] < since]
    examples = rule["example"] if before else ()
    for example in examples:
        if example.get("effective") == "not-applicable":
            continue
        facts = {key: example[key] for key in FACTS if key in example}
        arch = facts.setdefault("arch", "x86")
        lines = [
            line
            for line in example.get("config", "").splitlines()
            if (match := re.search(r"CONFIG_(\w+)", line))
            and (seen := catalogue.seen(match[1]))
            and seen.kernels(arch) >> (len(before) - 1) & 1
        ]
        config = parse_config("\n".join([*lines, "# CONFIG_NOTHING is not set\n"]), ".config")
        given = Given(machine_of(facts), before[-1], parse_cmdline(""))
        if state := World(subject_of(config, given), knowledge).state(rule["id"]):
            yield state.effective


def test_nothing_is_said_of_kernels_before_a_setting_came(built_in):
    """`since` alone holds nothing back: `exists` does, by a symbol or by the version."""
    said = {rule["id"] for rule in _dated() if [*_told_before(rule, built_in)]}
    assert said == set(AS_BEFORE)
