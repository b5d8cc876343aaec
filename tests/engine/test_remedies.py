"""The ladder of remedies: which rungs it has, in which order, and why it has none."""

from __future__ import annotations

import pytest

from advisor.engine.remedy.blocked import Blocked
from advisor.engine.remedy.remedies import beside_line, ladder, said_of, untold_needs
from advisor.engine.remedy.what_if import Goal
from advisor.model.profile import Option
from advisor.model.remedy import Change, Remedy, RemedyKind, Role

RULES = {
    "rules/t/path.toml": """
id = "path"
title = "Path"
kind = "choice"
summary = "The path."
choice = ["SLOW", "FAST", "WIDE"]
[[value]]
name = "slow"
set = { SLOW = "y" }
[[value]]
name = "fast"
set = { FAST = "y" }
requires = "BASE"
boot = ["path=fast"]
sysctl = { "vm.path" = "1" }
runtime_only_if = "PACER"
[[value]]
name = "wide"
set = { WIDE = "y" }
requires = "!NARROW"
[[value]]
name = "newest"
set = { NEWEST = "y" }
[[value]]
name = "given"
set = { GIVEN = "y" }
requires = "HAVE_IT && BASE && !NARROW"
[[value]]
name = "later"
boot = ["newer=1"]
[[value]]
name = "read"
boot = ["reader=1"]
sysctl = { "vm.path" = "9" }
runtime_only_if = "NEVER"
""",
    "rules/t/sold.toml": """
id = "sold"
title = "Sold"
kind = "switch"
summary = "By vendor."
[[value]]
name = "on"
set = { SOLD = "y" }
sysctl = { "vm.intel" = "1" }
runtime_only_if = "vendor = intel"
[[value]]
name = "amd"
set = { SOLD_AMD = "y" }
sysctl = { "vm.amd" = "1" }
runtime_only_if = "vendor = amd"
[[value]]
name = "off"
set = { SOLD = "n" }
""",
    "rules/t/shared.toml": """
id = "shared"
title = "Shared"
kind = "switch"
summary = "By a word on every machine, at run time on some."
[[value]]
name = "on"
set = { SHARED = "y" }
boot = ["shared=1"]
sysctl = { "vm.shared" = "1" }
runtime_only_if = "vendor = amd"
[[value]]
name = "off"
set = { SHARED = "n" }
""",
    "rules/parameters/p.toml": """
[[parameter]]
name = "path"
summary = "The path."
type = "string"
only_if = "PATH"
[[parameter]]
name = "newer"
summary = "New."
type = "bool"
since = "6.14"
[[parameter]]
name = "reader"
summary = "Read by one of two."
type = "bool"
only_if = "READER || OTHER_READER"
[[parameter]]
name = "guard"
summary = "Guards."
type = "bool"
guards = true
""",
}
NOW, BOOT, REBUILD = RemedyKind


@pytest.fixture
def climbed(make_world, make_knowledge):
    """The ladder to values that are wanted, and to those that are accepted."""
    knowledge = make_knowledge(RULES)

    def of(lines, cmdline="", *, want=(), accept=(), tunable="path", **told):
        world = make_world(lines, cmdline=cmdline, knowledge=knowledge, **told)
        names = (*want, *accept)
        goal = Goal(knowledge.tunable(tunable), names.__contains__, world)
        return ladder(Option(tunable, tuple(want), tuple(accept)), names, goal)

    return of


def rungs(found):
    return [(one.kind, one.value) for one in found.remedies]


SHOWN = "SLOW=y FAST=n BASE=y PATH=y PACER=y"


@pytest.mark.parametrize(
    ("lines", "cmdline", "want", "expected"),
    [
        (SHOWN, "", ["fast"], [(NOW, "fast"), (BOOT, "fast"), (REBUILD, "fast")]),
        ("SLOW=y FAST=n BASE=y PATH=y", "", ["fast"], [(BOOT, "fast"), (REBUILD, "fast")]),
        ("SLOW=y FAST=n BASE=y", "", ["fast"], [(REBUILD, "fast")]),
        # Each rung is for the first value that it can give.
        (
            f"{SHOWN} WIDE=n", "", ["wide", "fast"],
            [(NOW, "fast"), (BOOT, "fast"), (REBUILD, "wide")],
        ),
        # Where a word less is enough, nobody wants to hear of a rebuild.
        ("SLOW=y FAST=n BASE=y PATH=y", "path=fast", ["slow"], [(BOOT, "slow")]),
    ],
)  # fmt: skip
def test_the_least_invasive_remedy_comes_first(climbed, lines, cmdline, want, expected):
    assert rungs(climbed(lines, cmdline, want=want)) == expected


def test_what_a_boot_gives_back_by_itself_is_not_changed(climbed):
    found = climbed("FAST=y SLOW=n BASE=y", runtime="vm.path=0\n", want=["fast"])
    assert found.remedies == ()
    assert found.reasons[-1].startswith("configuration and boot line already give the wanted value")
    found = climbed("FAST=y SLOW=n BASE=y PACER=y", runtime="vm.path=0\n", want=["fast"])
    assert rungs(found) == [(NOW, "fast")]


@pytest.mark.parametrize(
    ("want", "accept", "lines", "reason", "absent"),
    [
        (["fast"], [], "SLOW=y FAST=n", "needs BASE", False),
        (["wide"], [], "SLOW=y WIDE=n NARROW=y", "NARROW=y", False),
        (["wide"], ["newest"], "SLOW=y WIDE=n NARROW=y", "NARROW=y", False),
        (["newest"], ["wide"], "SLOW=y WIDE=n NARROW=y", "NEWEST", False),
    ],
)  # fmt: skip
def test_why_there_is_no_way_to_what_is_wanted_comes_first(
    climbed, want, accept, lines, reason, absent
):
    found = climbed(lines, want=want, accept=accept)
    assert found.remedies == ()
    assert (found.absent, found.missing) == (absent, frozenset())
    assert reason in found.reasons[0]


@pytest.mark.parametrize(
    ("want", "kernel", "absent", "kinds"),
    [
        (["later"], "6.12.0", True, []),
        (["later"], "6.14.0", False, [BOOT]),
        # Of several values one that this release has counts.
        (["later", "wide"], "6.12.0", False, []),
        (["read"], "6.12.0", False, []),
    ],
)
def test_what_only_later_releases_have_is_absent(climbed, want, kernel, absent, kinds):
    found = climbed("SLOW=y PATH=y WIDE=n NARROW=y", want=want, kernel=kernel)
    assert (found.absent, [kind for kind, _ in rungs(found)]) == (absent, kinds)
    told = {"later": "newer=1 ", "wide": "NARROW=y", "read": "reader=1 "}
    reasons = () if kinds else (told[want[-1]],)
    assert len(found.reasons) == len(reasons)
    assert all(part in reason for part, reason in zip(reasons, found.reasons, strict=True))


@pytest.mark.parametrize(
    ("lines", "changes", "words"),
    [
        # After the rebuild the kernel reads the word: of two alternatives the one that it shows.
        ("SLOW=y READER=n", {"READER": "y"}, ("reader=1",)),
        ("SLOW=y OTHER_READER=n", {"OTHER_READER": "y"}, ("reader=1",)),
        ("SLOW=y READER=n OTHER_READER=n", {"READER": "y"}, ("reader=1",)),
    ],
)
def test_a_rebuild_is_followed_by_the_word_that_only_it_reads(climbed, lines, changes, words):
    (both,) = climbed(lines, want=["read"]).remedies
    assert {change.symbol: change.new for change in both.changes} == changes
    assert (both.kind, both.words, both.second_step) == (REBUILD, words, True)


def test_a_word_that_is_on_the_line_needs_only_its_reader(climbed):
    (built,) = climbed("SLOW=y READER=n", "reader=1", want=["read"]).remedies
    assert (built.kind, built.words, built.second_step) == (REBUILD, (), False)


@pytest.mark.parametrize(
    ("lines", "want", "accept", "first"),
    [
        # What is wanted in two steps goes before a rebuild to what is accepted.
        ("SLOW=n WIDE=n READER=n FAST=y BASE=y", ["read"], ["wide"], "read"),
        ("SLOW=n WIDE=n FAST=y BASE=y", ["read"], ["wide"], "wide"),
        ("SLOW=n WIDE=n READER=n FAST=y BASE=y", ["wide"], ["read"], "wide"),
        # But not before another boot line.
        ("SLOW=y FAST=n BASE=y PATH=y READER=n", ["read"], ["fast"], "fast"),
    ],
)
def test_two_steps_to_what_is_wanted_go_before_one_to_what_is_accepted(
    climbed, lines, want, accept, first
):
    assert climbed(lines, want=want, accept=accept).remedies[0].value == first


@pytest.mark.parametrize(
    ("vendor", "expected"),
    [
        (None, [("intel", "on"), ("amd", "amd")]),
        ("intel", [("", "on")]),
        ("amd", [("", "amd")]),
    ],
)
def test_a_vendor_that_was_not_told_has_a_ladder_of_its_own(climbed, vendor, expected):
    told = {"vendor": vendor} if vendor else {}
    found = climbed("OTHER=y", want=["on", "amd"], tunable="sold", **told)
    labelled = [(one.vendor, one.value) for one in found.remedies if one.kind is NOW]
    assert labelled == expected


def test_what_serves_every_vendor_is_told_once_and_first(climbed):
    found = climbed("SHARED=n", want=["on"], tunable="shared")
    assert [(one.vendor, one.kind.value) for one in found.remedies] == [
        ("", "boot"), ("", "rebuild"), ("amd", "runtime"),
    ]  # fmt: skip


def test_what_a_fragment_does_not_tell_would_tell_whether_there_is_a_way(climbed):
    found = climbed("SLOW=y", want=["counted"], complete=False)
    assert (found.remedies, found.absent) == ((), False)
    assert climbed("SLOW=y", want=["read"], complete=False).missing == {
        "NEVER", "READER", "OTHER_READER"
    }  # fmt: skip


@pytest.fixture
def beside(make_world, make_knowledge):
    """A rebuild of FAST beside a boot line; `reads` are words that mean slow."""

    def of(cmdline, lines="SLOW=y FAST=n BASE=y PATH=y", **told):
        rules = dict(RULES)
        slow = 'set = { SLOW = "y" }\nreads = [["path=slow"], ["guard=1"]]\n'
        rules["rules/t/path.toml"] = RULES["rules/t/path.toml"].replace(
            'set = { SLOW = "y" }\n', slow
        )
        knowledge = make_knowledge(rules)
        world = make_world(lines, cmdline=cmdline, knowledge=knowledge, **told)
        built = Remedy(
            REBUILD,
            "fast",
            changes=(
                Change("FAST", "n", "y", Role.ASKED),
                Change("SLOW", "y", "n", Role.SIBLING),
            ),
        )
        return beside_line(built, Goal(knowledge.tunable("path"), "fast".__eq__, world))

    return of


def test_a_rebuild_goes_with_the_words_that_would_undo_it(beside):
    assert beside("quiet path=slow").drop == ("path=slow",)
    assert beside("quiet").drop == ()


def test_a_word_that_guards_wins_over_a_rebuild(beside):
    assert beside("guard=1") == Blocked("guard=1 on the boot line would override a rebuild")


@pytest.mark.parametrize(
    ("lines", "value", "remedies", "text"),
    [
        ("FAST=n", "fast", "REBUILD", "the rebuild also needs BASE, which no given input shows"),
        # What architectures have is on without a line.
        ("FAST=n", "given", "REBUILD", "the rebuild also needs BASE, which no given input shows"),
        ("FAST=n", "wide", "REBUILD", ""),
        ("FAST=n BASE=y", "fast", "REBUILD", ""),
        ("FAST=n", "fast", "BOOT", ""),
        ("FAST=n", "fast", "", ""),
    ],
)
def test_a_rebuild_of_a_fragment_tells_what_it_needs_too(
    make_world, make_knowledge, lines, value, remedies, text
):
    knowledge = make_knowledge(RULES)
    changes = (Change("FAST", "n", "y", Role.ASKED),)
    found = [Remedy(RemedyKind[remedies], value, changes=changes)] if remedies else []
    for complete in (True, False):
        world = make_world(lines, complete=complete, knowledge=knowledge)
        goal = Goal(knowledge.tunable("path"), "fast".__eq__, world)
        assert untold_needs(found, goal) == (text if not complete else "")


@pytest.mark.parametrize(
    ("name", "text"), [("arch", "the architecture"), ("NO_HZ_FULL", "NO_HZ_FULL")]
)
def test_a_fact_is_said_in_words_and_a_symbol_by_its_name(name, text):
    assert said_of(name) == text
