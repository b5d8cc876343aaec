"""What becomes of each line that somebody wrote onto a base configuration."""

from __future__ import annotations

import pytest

from advisor.engine.names.lines import OWN_SYMBOLS, accounted
from advisor.inputs.config import KernelConfig
from advisor.model.kernel import EntryState, Location, Severity
from advisor.model.lines import ChangedLine, LineKind
from advisor.model.tree import LineAnswer, SearchResult

NAMES = """
[[rename]]
old = "OLD_NAME"
new = "NEW_NAME"
since = "6.0"
note = "Renamed."
[[rename]]
old = "REMOVED"
new = ""
since = "6.0"
note = "Nobody used it."
"""
HZ = """
id = "hz"
title = "Timer frequency"
kind = "choice"
summary = "x"
choice = ["HZ_250", "HZ_1000"]
[[value]]
name = "250"
set = { HZ_250 = "y", HZ = "250" }
[[value]]
name = "1000"
set = { HZ_1000 = "y", HZ = "1000" }
"""
ERROR, WARNING, NOTE = Severity


def line(symbol, asked, old=None, fragment=True):
    return ChangedLine(symbol, Location("fragment", 1), old, asked, fragment=fragment)


@pytest.fixture
def told(make_world, make_knowledge):
    """The account of the first of these lines on a base, and the subject that comes of them."""
    knowledge = make_knowledge({"rules/lifecycle/n.toml": NAMES, "rules/t/hz.toml": HZ})

    def of(*lines, base="OTHER=y OFF=n", tree=None, **told):
        subject = make_world(base, knowledge=knowledge, **told).subject
        after = accounted(subject._replace(lines=lines, tree=tree), knowledge)
        return after.lines[0], after

    return of


def account(one):
    return one.kind, one.rule, one.severity, one.instead


EXISTS, ALREADY, UNTOLD = LineKind.EXISTS, LineKind.ALREADY, LineKind.UNTOLD
DROPPED, VOID, ABSENT = LineKind.DROPPED, LineKind.VOID, LineKind.ABSENT
FINE = ("", None, None)


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (line("NO_HZ_FULL", "y", "n"), (EXISTS, *FINE)),
        (line("NO_HZ_FULL", "y", "y"), (ALREADY, *FINE)),
        (line("NO_HZ_FULL", "n"), (ALREADY, *FINE)),
        (line("NO_HZ_FULL", "16", "n"), (DROPPED, "symbol-dropped", ERROR, None)),
        (line("NO_HZ_FULL", "m", "n"), (DROPPED, "symbol-dropped", ERROR, None)),
        (line("VETH", "m", "n"), (EXISTS, *FINE)),
        (line("OLD_NAME", "y"),
         (LineKind.RENAMED, "symbol-stale", ERROR, (("NEW_NAME", "y"),))),
        # Off under either name the line harms nothing.
        (line("OLD_NAME", "n"),
         (LineKind.RENAMED, "symbol-stale", WARNING, (("NEW_NAME", "n"),))),
        (line("REMOVED", "y"), (ABSENT, "symbol-stale", ERROR, ())),
        (line("REMOVED", "n"), (ALREADY, *FINE)),
        # The base shows that its kernel has the symbol, whatever the rules say of it.
        (line("REMOVED", "y", "n"), (EXISTS, *FINE)),
        (line("PPC_BOOK3S", "y"), (ABSENT, "symbol-other-arch", ERROR, ())),
        (line("PPC_BOOK3S", "n"), (ALREADY, *FINE)),
        (line("HUGETLB_PAGE", "y"), (VOID, "symbol-void", ERROR, ())),
        (line("NO_SUCH_THING_AT_ALL", "y"),
         (LineKind.UNKNOWN, "symbol-unknown", ERROR, None)),
        (line("NO_SUCH_THING_AT_ALL", "n"),
         (LineKind.UNKNOWN, "symbol-unknown", NOTE, None)),
        (line("NO_HZ_FUL", "y"),
         (LineKind.UNKNOWN, "symbol-unknown", ERROR, (("NO_HZ_FULL", "y"),))),
    ],
)  # fmt: skip
def test_a_line_has_a_kind_and_what_to_write_instead(told, one, expected):
    assert account(told(one)[0]) == expected


def test_a_name_that_is_on_under_its_new_name_is_not_off(told):
    found, _ = told(line("OLD_NAME", "n"), base="NEW_NAME=y OFF=n")
    assert found.severity is ERROR


@pytest.mark.parametrize(("kernel", "stale"), [("5.10.0", False), ("6.0.0", True), ("", False)])
def test_a_rename_counts_from_its_release_on(told, kernel, stale):
    found, _ = told(line("OLD_NAME", "y"), kernel=kernel)
    assert (found.rule == "symbol-stale" and "since 6.0" in found.why) is stale


MOVING = line("MOVED", "y", "n")


@pytest.mark.parametrize(
    ("lines", "base", "kind", "value"),
    [
        # A whole base has a line of each symbol that a user can set.
        ([line("NO_HZ_FULL", "y")], "OFF=n", DROPPED, None),
        ([line("NO_HZ_FULL", "y"), line("OTHER", "y", "y")], "OTHER=y OFF=n", DROPPED, None),
        ([line("NO_HZ_FULL", "y")], "OTHER=y", EXISTS, "y"),
        ([line("NO_HZ_FULL", "y")], "NO_HZ_FULL=n", EXISTS, "y"),
        ([line("NO_HZ_FULL", "y"), MOVING], "OFF=n", EXISTS, "y"),
        ([line("HUGETLB_PAGE", "y"), MOVING], "OFF=n", VOID, "y"),
        ([line("HUGETLB_PAGE", "n", "y"), MOVING], "OFF=n", VOID, "n"),
        ([line("HZ", "1000", "250"), line("HZ_1000", "y", "n")], "OFF=n", EXISTS, "1000"),
        ([line("HZ", "1000", "250"), line("HZ_250", "y", "n")], "OFF=n", VOID, "1000"),
    ],
)
def test_other_lines_may_bring_what_the_base_hides(told, lines, base, kind, value):
    found, _ = told(*lines, base=base)
    assert (found.kind, found.value) == (kind, value)


@pytest.mark.parametrize(
    ("symbol", "asked", "old"), [("HUGETLB_PAGE", "n", "y"), ("HZ", "1000", "250")]
)
def test_a_void_line_by_itself_comes_to_the_value_of_the_base(told, symbol, asked, old):
    found, after = told(line(symbol, asked, old), base=f"{symbol}={asked} OFF=n")
    assert (found.rule, found.value) == ("symbol-void", old)
    assert after.config.get(symbol) == old


def test_a_void_line_beside_others_that_move_may_follow_from_them(told):
    found, _ = told(line("HUGETLB_PAGE", "n", "y"), MOVING)
    assert (found.rule, found.why) == (
        "", "other lines must first disable the symbols that select this symbol"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("one", "kind", "severity"),
    [
        (line("REMOVED", "y", fragment=False), ABSENT, WARNING),
        (line("NO_SUCH_THING_AT_ALL", "n", fragment=False), LineKind.UNKNOWN, NOTE),
        (line("NO_HZ_FULL", "16", "n", fragment=False), EXISTS, None),
    ],
)
def test_a_line_of_a_whole_configuration_may_have_been_written_with_a_patch(
    told, one, kind, severity
):
    found, after = told(one)
    assert (found.kind, found.severity, found.value) == (kind, severity, one.asked)
    assert after.config.get(one.symbol) is None


@pytest.mark.parametrize(
    ("own", "form", "severity"),
    [
        (OWN_SYMBOLS, "QQZ{}QQ", WARNING),
        (OWN_SYMBOLS - 1, "QQZ{}QQ", ERROR),
        (OWN_SYMBOLS, "QQZ{}_VERSION", ERROR),
    ],
)
def test_a_kernel_with_code_of_its_own_may_have_unknown_symbols(told, own, form, severity):
    base = " ".join(["OFF=n", *(f"{form.format(number)}=y" for number in range(own - 1))])
    found, _ = told(line("NO_SUCH_THING_AT_ALL", "y"), base=base)
    assert found.severity is severity


@pytest.mark.parametrize("kernel", ["", "99.1.0"])
def test_a_release_that_nobody_read_may_have_an_unknown_symbol(told, kernel):
    found, _ = told(line("NO_SUCH_THING_AT_ALL", "y"), kernel=kernel)
    assert found.severity is WARNING


def test_lines_that_come_to_nothing_do_not_count(told):
    base = "REMOVED=y NO_HZ_FULL=y OFF=n"
    _, after = told(line("REMOVED", "y"), line("NO_HZ_FULL", "y", "n"), base=base)
    config = after.config
    assert list(config.symbols()) == ["NO_HZ_FULL", "OFF"]
    assert (config.get("REMOVED"), config.shows("REMOVED"), config.complete) == (None, False, True)
    entry = config.entry("REMOVED")
    assert (entry.state, entry.location) == (EntryState.ABSENT, Location(".config", 1))
    assert (config.get("NO_HZ_FULL"), config.entry("NO_HZ_FULL").location.line) == ("y", 2)
    assert config.place("REMOVED").location() == Location(".config", 1)


def test_a_configuration_without_failing_lines_stays_as_it_is(make_world, told):
    world = make_world()
    assert accounted(world.subject, world.knowledge) is world.subject
    for one, kept in ((line("OFF", "n", "n"), True), (line("REMOVED", "y"), False)):
        _, after = told(one)
        assert isinstance(after.config, KernelConfig) is kept


class Tree:
    """A tree that answers in one way, and finds some further lines."""

    def __init__(self, answer, search=None, aliases=(), prompted=True):
        self.answer, self.search = answer, search or SearchResult()
        self.aliases, self.prompted = aliases, prompted

    def line(self, symbol, value):
        return LineAnswer(symbol, self.prompted) if symbol in self.aliases else self.answer

    def achieve(self, lines, wanted, keep, fixed=frozenset()):
        return self.search

    def defines(self, symbol):
        return symbol in self.aliases


HERE, RENAMED = LineAnswer("X", True), LineAnswer("NEW_X", True)
LACKS, HIDDEN = LineAnswer("X", True, "needs BASE"), LineAnswer("X", False, "no prompt")
ADD, TAKE = SearchResult(needed=(("BASE", "y"),)), SearchResult(needed=(("OTHER", "n"),))


@pytest.mark.parametrize(
    ("one", "tree", "expected"),
    [
        (line("X", "y", "n"), Tree(HERE), (LineKind.EFFECTIVE, *FINE)),
        (line("X", "y", "y"), Tree(HERE), (ALREADY, *FINE)),
        (line("X", "n"), Tree(HERE), (ALREADY, *FINE)),
        (line("X", "y"), Tree(RENAMED),
         (LineKind.RENAMED, "symbol-stale", WARNING, (("NEW_X", "y"),))),
        (line("X", "y"), Tree(RENAMED._replace(why="needs BASE")),
         (LineKind.RENAMED, "symbol-stale", ERROR, (("NEW_X", "y"),))),
        (line("X", "y"), Tree(HIDDEN), (VOID, "symbol-void", ERROR, ())),
        (line("X", "y", fragment=False), Tree(HIDDEN), (EXISTS, *FINE)),
        (line("X", "y"), Tree(LACKS), (DROPPED, "symbol-dropped", ERROR, None)),
        (line("X", "y"), Tree(LACKS, SearchResult(reason="no", needed=(("A", "y"),))),
         (DROPPED, "symbol-dropped", ERROR, None)),
        (line("X", "y"), Tree(LACKS, ADD),
         (DROPPED, "symbol-dropped", ERROR, (("BASE", "y"), ("X", "y")))),
        # Nobody who asks for a driver asks for another architecture.
        (line("X", "y"), Tree(LACKS, TAKE), (DROPPED, "symbol-dropped", ERROR, None)),
        (line("OLD_NAME", "y"), Tree(LineAnswer(), aliases=["NEW_NAME"]),
         (LineKind.RENAMED, "symbol-stale", ERROR, (("NEW_NAME", "y"),))),
        (line("OLD_NAME", "n"), Tree(LineAnswer(), aliases=["NEW_NAME"]),
         (LineKind.RENAMED, "symbol-stale", WARNING, (("NEW_NAME", "n"),))),
        (line("OLD_NAME", "y"), Tree(LineAnswer(), aliases=["NEW_NAME"], prompted=False),
         (ABSENT, "symbol-stale", ERROR, ())),
        (line("REMOVED", "y"), Tree(LineAnswer()), (ABSENT, "symbol-stale", ERROR, ())),
        (line("REMOVED", "n"), Tree(LineAnswer()), (ALREADY, *FINE)),
        (line("PPC_BOOK3S", "y"), Tree(LineAnswer()), (ABSENT, "symbol-other-arch", ERROR, ())),
        (line("TYPO", "y"), Tree(LineAnswer(near="did you mean TYPED?")),
         (LineKind.UNKNOWN, "symbol-unknown", ERROR, (("TYPED", "y"),))),
        (line("TYPO", "n"), Tree(LineAnswer(near="did you mean TYPED?")),
         (LineKind.UNKNOWN, "symbol-unknown", ERROR, (("TYPED", "n"),))),
        (line("TYPO", "y"), Tree(LineAnswer()),
         (LineKind.UNKNOWN, "symbol-unknown", ERROR, ())),
    ],
)  # fmt: skip
def test_a_tree_tells_what_becomes_of_a_line(told, one, tree, expected):
    assert account(told(one, tree=tree)[0]) == expected


@pytest.mark.parametrize(
    ("search", "remedy"),
    [
        (ADD, "add CONFIG_BASE=y"),
        (TAKE, "the line needs # CONFIG_OTHER is not set, which would switch off OTHER"),
        # Another member of a choice goes with the one that is taken.
        (SearchResult(needed=(("HZ_250", "y"),)),
         "the line needs CONFIG_HZ_250=y, which would switch off HZ_1000"),
        (SearchResult(needed=(("HZ_250", "n"),)), "add # CONFIG_HZ_250 is not set"),
    ],
)  # fmt: skip
def test_what_a_tree_would_take_is_the_remedy(told, search, remedy):
    found, _ = told(line("X", "y"), base="OTHER=y HZ_1000=y OFF=n", tree=Tree(LACKS, search))
    assert found.remedy == remedy


@pytest.mark.parametrize(
    ("near", "remedy"),
    [("did you mean TYPED?", "did you mean TYPED?"), ("", "remove the line")],
)
def test_a_symbol_that_a_tree_lacks_is_taken_out_unless_another_is_meant(told, near, remedy):
    assert told(line("TYPO", "y"), tree=Tree(LineAnswer(near=near)))[0].remedy == remedy
