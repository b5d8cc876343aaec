"""Plans that a tree proves, on a small tree and small knowledge of our own."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from advisor.engine.audit import Policy, audit
from advisor.inputs.config import parse_config
from advisor.inputs.subject import Given, subject_of
from advisor.model.finding import Verdict
from advisor.model.kernel import assignment
from advisor.model.profile import Strength
from advisor.model.remedy import Role
from advisor.model.tree import Effect
from advisor.output.phrases import instruction
from advisor.tree.kept import TreeAnswers, TreeQuestion
from advisor.tree.kerneltree import open_tree

KCONFIG = """
config MODULES
	bool "modules"
	modules

config X86
	def_bool y

config BASE
	bool "base"

config BLOCKER
	bool "blocker"

config TOP
	bool "top"
	depends on BASE && !BLOCKER

config PULLED
	bool "pulled"

config SELECTOR
	bool "selector"
	select PULLED

config RIDER
	bool "rider"
	depends on SELECTOR

config PINNED
	bool "pinned"

config ARCH_PINS
	def_bool y
	select PINNED

config FINE
	bool "fine"

config LEANS
	bool "leans"
	depends on FINE

config NEEDS_LATER
	bool "needs a later tool"
	depends on TOOL_VERSION >= 3

config TOOL_VERSION
	int
	default 0

config DRIVER
	tristate "driver"

config SECOND_DRIVER
	tristate "second driver"

config BUILT_IN
	bool "built in"
	select DRIVER
	select SECOND_DRIVER

config LABEL
	string "label"
	depends on BASE
	default "some"

config NEW_NAME
	bool "renamed"

config OLDER_NAME
	bool "not yet renamed"

config HIDDEN_OLDER_NAME
	bool "not yet renamed either"
	depends on BASE

config SIZE
	int "size"
	range 1 9
	default 5

choice
	prompt "one of"

config ONE
	bool "one"

config TWO
	bool "two"

config THREE
	bool "three"
	depends on BASE

config FOUR
	bool "four"
	depends on BLOCKER

endchoice

config RIDES_ON_DRIVER
	tristate "rides on the driver"
	depends on DRIVER
"""
RULE = 'id = "{0}"\ntitle = "{0}"\nkind = "{1}"\nsummary = "x"\nverified = "6.12"\n'
VALUE = '[[value]]\nname = "{0}"\nset = {{ {1} }}\n'
MEMBER = '[[member]]\nsymbol = "{0}"\nnote = "x"\n'
LIFECYCLE = """
[[rename]]
old = "OLD_NAME"
new = "NEW_NAME"
since = "6.0"
[[rename]]
old = "OLDER_NAME"
new = "LATER_NAME"
since = "6.20"
[[rename]]
old = "HIDDEN_OLDER_NAME"
new = "HIDDEN_LATER_NAME"
since = "6.20"
"""


def switch(symbol):
    values = VALUE.format("on", f'{symbol} = "y"') + VALUE.format("off", f'{symbol} = "n"')
    return RULE.format(symbol.lower(), "switch") + values


def group(name, *symbols):
    return RULE.format(name, "group") + "".join(map(MEMBER.format, symbols))


CHOICE = RULE.format("a-choice", "choice") + 'choice = ["ONE", "TWO", "THREE", "FOUR"]\n'
CHOICE += "".join(VALUE.format(s.lower(), f'{s} = "y"') for s in ("ONE", "TWO", "THREE", "FOUR"))
DEFAULT = 'default = "off"\n'
MODULE = RULE.format("driver", "switch") + DEFAULT + VALUE.format("module", 'DRIVER = "m"')
STACK = RULE.format("stack", "switch") + DEFAULT
STACK += VALUE.format("on", 'BUILT_IN = "y", DRIVER = "m", SECOND_DRIVER = "m"')
EITHER = RULE.format("either", "switch") + (
    DEFAULT + '[[value]]\nname = "on"\nset = [{ NO_SUCH = "y" }, { FINE = "y" }]\n'
)
LABEL = RULE.format("label", "switch") + DEFAULT + VALUE.format("other", 'LABEL = "other"')
NUMBER = RULE.format("size", "int") + 'symbol = "SIZE"\n'
LONELY = RULE.format("base", "switch") + (
    DEFAULT + VALUE.format("lonely", 'BASE = "y"') + 'when = "BASE && !TOP"\n'
)
SYMBOLS = (
    "TOP",
    "PULLED",
    "PINNED",
    "FINE",
    "NO_SUCH",
    "NEW_NAME",
    "LATER_NAME",
    "HIDDEN_LATER_NAME",
    "BLOCKER",
)
RULES = {
    **{f"rules/t/{symbol.lower()}.toml": switch(symbol) for symbol in SYMBOLS},
    "rules/t/a-choice.toml": CHOICE,
    "rules/t/driver.toml": MODULE,
    "rules/t/stack.toml": STACK,
    "rules/t/label.toml": LABEL,
    "rules/t/either.toml": EITHER,
    "rules/t/size.toml": NUMBER,
    "rules/t/base.toml": LONELY,
    "rules/t/helpers.toml": group("helpers", "FINE", "NEEDS_LATER", "PINNED", "SELECTOR"),
    "rules/t/opening.toml": group("opening", "FINE", "LEANS", "RIDER"),
    "rules/t/drivers.toml": group("drivers", "DRIVER", "RIDES_ON_DRIVER"),
    "rules/t/slow.toml": group("slow", "PULLED", "PINNED", "FINE"),
    "rules/lifecycle/l.toml": LIFECYCLE,
}
CONFIG = """\
CONFIG_MODULES=y
CONFIG_X86=y
# CONFIG_BASE is not set
# CONFIG_BLOCKER is not set
# CONFIG_PULLED is not set
# CONFIG_SELECTOR is not set
# CONFIG_FINE is not set
# CONFIG_DRIVER is not set
# CONFIG_SECOND_DRIVER is not set
# CONFIG_BUILT_IN is not set
# CONFIG_NEW_NAME is not set
# CONFIG_OLDER_NAME is not set
CONFIG_SIZE=5
CONFIG_ONE=y
# CONFIG_TWO is not set
"""


def with_lines(*lines):
    """The configuration with other values of these symbols."""
    text = CONFIG
    for line in lines:
        symbol, _, value = line.partition("=")
        old = next(row for row in text.split("\n") if f"CONFIG_{symbol}" in row.replace("=", " "))
        text = text.replace(old, assignment(symbol, value))
    return text


@pytest.fixture
def tree(make_tree, tmp_path):
    return str(make_tree(tmp_path / "tree", {"Kconfig": KCONFIG}))


@pytest.fixture
def report(tree, make_knowledge):
    """The report, with a fragment, on wishes like `top=on` or `keep top=on`, the stronger first."""

    def make(*wishes, config=CONFIG, keep=()):
        advice = []
        for wish in wishes:
            stance, _, pair = wish.rpartition(" ")
            name, _, value = pair.partition("=")
            advice.append(
                f'[[advice]]\nid = "{name}"\ntunable = "{name}"\nwant = ["{value}"]\n'
                f'stance = "{stance or "want"}"\nstrength = "should"\nwhy = "x"\ncost = "x"'
            )
        profile = "\n".join(['id = "p"\ntitle = "p"\nsummary = "x"', *advice])
        knowledge = make_knowledge({**RULES, "profiles/p.toml": profile})
        file = parse_config(config, ".config", complete=True)
        answers = TreeAnswers(TreeQuestion(tree, "x86", False, False, nullcontext), file)
        subject = subject_of(file, Given())._replace(
            config=answers.config(), kernel=answers.version, tree=answers, keep=frozenset(keep)
        )
        policy = Policy(plan="fragment", weakest=Strength.COULD)
        return audit(subject, knowledge, [knowledge.profile("p")], policy)

    return make


def changes(report):
    """The lines of a fragment: symbol, old and new value, role."""
    steps = [change for step in report.plan.steps for change in step.remedy.changes]
    return [(c.symbol, c.old, c.new, c.role) for c in steps]


def left_out(report):
    return {omission.tunable.title: omission.reason for omission in report.plan.omissions}


@pytest.fixture
def after(tree):
    """The configuration that comes out once the fragment is merged."""

    def make(report, config=CONFIG):
        evaluated = open_tree(tree, "x86", parse_config(config, ".config", complete=True))
        for symbol, _, new, _ in changes(report):
            evaluated.set(symbol, new)
        return evaluated.write()

    return make


def test_what_a_line_needs_is_found_in_the_tree(report):
    found = report("top=on", config=with_lines("BLOCKER=y"))
    assert changes(found) == [
        ("BASE", "n", "y", Role.DEPENDENCY),
        ("BLOCKER", "y", "n", Role.DEPENDENCY),
        ("TOP", None, "y", Role.ASKED),
    ]
    (finding,) = found.findings
    assert instruction(finding.remedies[0], finding.tunable) == "TOP=y (with BASE=y, BLOCKER=n)"


def test_what_selects_it_is_switched_off_first(report):
    found = report("pulled=off", config=with_lines("SELECTOR=y", "PULLED=y"))
    assert changes(found) == [
        ("SELECTOR", "y", "n", Role.DEPENDENCY),
        ("PULLED", "y", "n", Role.ASKED),
    ]


def test_what_is_lost_with_it_is_told(report):
    config = with_lines("SELECTOR=y", "PULLED=y") + "CONFIG_RIDER=y\n"
    (effect,) = report("pulled=off", config=config).plan.effects
    assert (effect.kind, effect.symbol, effect.why) == (Effect.LOST, "RIDER", "SELECTOR")


def test_what_is_right_already_needs_no_line(report):
    found = report("fine=on", config=with_lines("FINE=y"))
    assert (changes(found), found.plan.effects) == ([], ())


def test_the_members_of_a_choice_that_show_are_off_by_name(report):
    assert changes(report("a-choice=two")) == [
        ("TWO", "n", "y", Role.ASKED),
        ("ONE", "y", "n", Role.SIBLING),
    ]
    shown = changes(report("a-choice=two", config=with_lines("BASE=y")))
    assert ("THREE", "n", "n", Role.SIBLING) in shown
    assert "FOUR" not in [symbol for symbol, *_ in shown]


def test_a_member_that_the_plan_makes_show_is_off_by_name_too(report):
    found = changes(report("top=on", "a-choice=two"))
    assert found[-1] == ("THREE", "n", "n", Role.SIBLING)


def test_a_member_of_a_choice_with_what_it_needs(report):
    assert changes(report("a-choice=three")) == [
        ("BASE", "n", "y", Role.DEPENDENCY),
        ("THREE", None, "y", Role.ASKED),
        ("ONE", "y", "n", Role.SIBLING),
        ("TWO", "n", "n", Role.SIBLING),
    ]


def test_a_member_of_a_group_that_cannot_be_had_is_left_out(report):
    config = with_lines("PULLED=y", "FINE=y")
    found = report("slow=off", config=config)
    assert [change[:3] for change in changes(found)] == [("PULLED", "y", "n"), ("FINE", "y", "n")]
    assert "PINNED cannot be n: ARCH_PINS selects it (Kconfig:" in left_out(found)["slow"]


def test_a_member_of_a_group_that_takes_more_is_had(report):
    found = report("slow=off", config=with_lines("SELECTOR=y", "PULLED=y"))
    assert [change[:3] for change in changes(found)] == [
        ("SELECTOR", "y", "n"),
        ("PULLED", "y", "n"),
    ]
    assert left_out(found)["slow"].startswith("PINNED cannot be n")


def test_a_member_that_the_others_open_comes_with_them(report):
    found = report("opening=on")
    assert changes(found) == [("FINE", "n", "y", Role.ASKED), ("LEANS", None, "y", Role.ASKED)]


def test_a_member_below_a_module_is_one(report):
    config = with_lines("DRIVER=m") + "# CONFIG_RIDES_ON_DRIVER is not set\n"
    found = report("drivers=on", config=config, keep=("DRIVER",))
    assert changes(found) == [("RIDES_ON_DRIVER", "n", "m", Role.ASKED)]


def test_a_member_of_a_group_that_would_undo_what_is_kept_is_left_out(report):
    config = with_lines("PULLED=y", "FINE=y") + "CONFIG_LEANS=y\n"
    found = report("slow=off", config=config, keep=["LEANS"])
    assert [change[:3] for change in changes(found)] == [("PULLED", "y", "n")]
    assert left_out(found)["slow"].count("LEANS would lose the value") == 1


@pytest.mark.parametrize("held", ["blocker=off", "keep blocker=off"])
def test_advice_that_holds_is_not_given_up_for_another(report, held):
    found = report(held, "a-choice=four")
    assert changes(found) == []
    assert left_out(found) == {
        "a-choice": "FOUR needs BLOCKER (Kconfig:98); BLOCKER must stay as it is"
    }


def test_a_step_may_cost_what_is_wanted_but_not_what_is_kept(report):
    config = with_lines("BASE=y") + "CONFIG_TOP=y\n"
    lost = report("top=on", "blocker=on", config=config)
    assert [change[:3] for change in changes(lost)] == [("BLOCKER", "n", "y")]
    kept = report("keep top=on", "blocker=on", config=config)
    assert changes(kept) == []
    assert "TOP would lose the value" in left_out(kept)["blocker"]


def test_a_group_of_which_nothing_can_be_had_is_blocked(report):
    found = report("slow=off", keep=["PULLED"], config=with_lines("PULLED=y"))
    (finding,) = found.findings
    assert finding.verdict is Verdict.BLOCKED
    assert changes(found) == []
    assert "PINNED cannot be n" in left_out(found)["slow"]


def test_a_member_that_the_tree_hides_is_no_part_of_the_group(report):
    found = report("helpers=on")
    assert [change[:3] for change in changes(found)] == [
        ("FINE", "n", "y"),
        ("SELECTOR", "n", "y"),
    ]
    assert left_out(found) == {}


def test_a_module_stays_a_module_where_it_can(report):
    assert changes(report("driver=module")) == [("DRIVER", "n", "m", Role.ASKED)]


def test_a_module_is_built_in_where_something_built_in_selects_it(report):
    assert changes(report("stack=on")) == [
        ("BUILT_IN", "n", "y", Role.ASKED),
        ("DRIVER", "n", "y", Role.ASKED),
        ("SECOND_DRIVER", "n", "y", Role.ASKED),
    ]


def test_a_module_is_built_in_where_modules_are_off(report):
    found = report("driver=module", config=with_lines("MODULES=n"))
    assert changes(found) == [("DRIVER", "n", "y", Role.ASKED)]


def test_a_number_within_and_out_of_its_range(report):
    assert changes(report("size=7")) == [("SIZE", "5", "7", Role.ASKED)]
    found = report("size=70")
    assert changes(found) == []
    assert "70 is outside the range of SIZE, 1 9" in left_out(found)["size"]


@pytest.mark.parametrize(
    ("lines", "more", "expected"),
    [
        ((), "", [("BASE", "n", "y"), ("LABEL", None, '"other"')]),
        (("BASE=y",), 'CONFIG_LABEL="mine"\n', [("LABEL", '"mine"', '"other"')]),
        (("BASE=y",), 'CONFIG_LABEL="other"\n', []),
    ],
    ids=["hidden", "another", "already so"],
)
def test_a_text_is_in_quotes(report, lines, more, expected):
    found = report("label=other", config=with_lines(*lines) + more)
    assert [change[:3] for change in changes(found)] == expected


def test_a_symbol_has_the_name_that_the_tree_gives_it(report):
    assert changes(report("later_name=on")) == [("OLDER_NAME", "n", "y", Role.ASKED)]
    assert changes(report("new_name=on")) == [("NEW_NAME", "n", "y", Role.ASKED)]


def test_a_hidden_symbol_has_that_name_too(report):
    assert changes(report("hidden_later_name=on")) == [
        ("BASE", "n", "y", Role.DEPENDENCY),
        ("HIDDEN_OLDER_NAME", None, "y", Role.ASKED),
    ]


def test_what_the_tree_lacks_is_blocked_with_its_reason(report):
    found = report("no_such=on")
    (finding,) = found.findings
    assert (finding.verdict, finding.reason) == (Verdict.BLOCKED, "NO_SUCH is not in this tree")
    assert left_out(found) == {"no_such": "NO_SUCH is not in this tree"}


def test_of_two_ways_the_one_that_the_tree_has_is_taken(report):
    assert changes(report("either=on")) == [("FINE", "n", "y", Role.ASKED)]


@pytest.mark.parametrize("kept", ["TOP", "BASE"])
def test_what_shall_stay_blocks_what_would_change_it(report, kept):
    found = report("top=on", keep=[kept])
    (finding,) = found.findings
    assert (finding.verdict, changes(found)) == (Verdict.BLOCKED, [])
    assert kept in left_out(found)["top"]


def test_the_reason_names_what_shall_stay(report):
    assert "FINE" in left_out(report("fine=on", keep=["FINE"]))["fine"]


def test_what_shall_stay_is_not_lost_on_the_way(report):
    config = with_lines("SELECTOR=y", "PULLED=y") + "CONFIG_RIDER=y\n"
    found = report("pulled=off", keep=["RIDER"], config=config)
    assert changes(found) == []
    assert "PULLED cannot be n: SELECTOR selects it" in left_out(found)["pulled"]


def test_what_shall_stay_hinders_nothing_else(report):
    found = report("top=on", "fine=on", keep=["BASE", "SIZE"])
    assert changes(found) == [("FINE", "n", "y", Role.ASKED)]


def test_without_a_tree_what_shall_stay_blocks_too(make_knowledge, make_world):
    profile = (
        'id = "p"\ntitle = "p"\nsummary = "x"\n[[advice]]\nid = "a"\ntunable = "fine"\n'
        'want = ["on"]\nstance = "want"\nstrength = "must"\nwhy = "x"\n'
    )
    knowledge = make_knowledge({**RULES, "profiles/p.toml": profile})
    subject = make_world("FINE=n", knowledge=knowledge).subject._replace(keep=frozenset(["FINE"]))
    found = audit(subject, knowledge, [knowledge.profile("p")], Policy(plan="fragment"))
    assert left_out(found) == {"fine": "FINE must stay as it is (--keep)"}
    assert found.plan.effects is None


def test_advice_that_would_undo_earlier_advice_is_left_out(report):
    found = report("top=on", "blocker=on")
    assert [symbol for symbol, *_ in changes(found)] == ["BASE", "TOP"]
    assert "TOP would lose the value" in left_out(found)["blocker"]


def test_what_rested_on_a_step_that_fell_is_left_out_too(report):
    """BASE alone was wanted, TOP ends that, and without BASE there is no TOP."""
    found = report("base=lonely", "top=on")
    assert changes(found) == []
    assert left_out(found) == {
        "base": "other changes of this plan would undo this change",
        "top": "other changes of this plan undo this change",
    }


WISHES = [
    ("top=on", "a-choice=three", "size=7"),
    ("pulled=off", "slow=off", "driver=module"),
    ("helpers=on", "driver=module", "later_name=on", "either=on"),
    ("a-choice=four", "pulled=on"),
]


@pytest.mark.parametrize("wishes", WISHES)
@pytest.mark.parametrize("lines", [(), ("SELECTOR=y", "PULLED=y", "FINE=y"), ("BLOCKER=y",)])
def test_on_what_came_out_there_is_nothing_left_to_change(report, after, wishes, lines):
    config = with_lines(*lines)
    first = report(*wishes, config=config)
    assert changes(first)
    text = after(first, config)
    for symbol, _, new, _ in changes(first):
        assert assignment(symbol, new) in text.split("\n")
    second = report(*wishes, config=text)
    assert (changes(second), second.plan.effects) == ([], ())
    assert left_out(second) == left_out(first)
