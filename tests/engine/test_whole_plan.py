"""A whole plan: every open finding once, by effort, and what holds once all of it is followed."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.engine.audit import Policy, audit
from advisor.engine.judgement.together import is_open
from advisor.engine.plan.whole_plan import at_odds
from advisor.inputs.config import read_config
from advisor.inputs.subject import Given, subject_of
from advisor.model.finding import Verdict
from advisor.model.kernel import Machine
from advisor.model.plan import EFFORTS, File, Scope
from advisor.model.profile import Strength
from advisor.output import phrases

from .. import corpus
from ..laws.inputs import followed

EXAMPLES = Path(__file__).parents[2] / "examples"
KNOWLEDGE = corpus.knowledge()


def report_on(subject, *profiles, prefer="", weakest=Strength.COULD, knowledge=KNOWLEDGE, **scope):
    if "effort" in scope:
        scope["effort"] = EFFORTS[scope["effort"]]
    policy = Policy(plan=Scope(**scope), weakest=weakest, prefer=prefer)
    return audit(subject, knowledge, [knowledge.profile(name) for name in profiles], policy)


def example(config):
    read = read_config(str(EXAMPLES / f"{config}.config.xz"))
    return subject_of(read, Given(Machine(cpus=4, vendor="intel", virtual="bare-metal")))


def still_open(report):
    return {f.id for f in report.findings if f.verdict is Verdict.CHANGE}


@pytest.mark.slow
@pytest.mark.parametrize("profile", KNOWLEDGE.ids("profiles"))
@pytest.mark.parametrize("config", ["x86_64-6.12-bad-ideas", "arm64-6.1"])
def test_followed_as_a_whole_a_plan_closes_what_it_names(config, profile):
    subject = example(config)
    planned = report_on(subject, profile)
    items = planned.plan.items
    after = followed((item.remedy for item in items), subject)
    left = still_open(audit(after, KNOWLEDGE, planned.profiles, Policy()))
    told = {one.advice.key for one in planned.plan.omissions}
    assert {item.finding.id for item in items} & left <= told
    # Nor does it wake what it does not name.
    assert left - told <= still_open(planned)


@pytest.mark.slow
@pytest.mark.parametrize("profile", KNOWLEDGE.ids("profiles"))
def test_every_open_finding_is_planned_or_left_out_with_a_reason(profile):
    report = report_on(example("x86_64-6.12-bad-ideas"), profile)
    plan = report.plan
    named = {item.finding.tunable.id for item in plan.items}
    named |= {one.tunable.id for one in plan.omissions}
    assert {f.tunable.id for f in report.findings if is_open(f)} <= named
    assert all(phrases.omission(one) for one in plan.omissions)
    assert sorted(plan.items, key=lambda item: item.remedy.kind.rank) == list(plan.items)
    assert not list(at_odds(plan.items))


RULES = {
    "rules/t/pace.toml": """
id = "pace"
title = "Pace"
kind = "number"
summary = "The pace."
sysctl = "vm.pace"
default = "the kernel's own choice"
""",
    "rules/t/mode.toml": """
id = "mode"
title = "Mode"
kind = "choice"
summary = "The mode."
[[value]]
name = "slow"
set = { SLOW = "y" }
boot = ["mode=slow"]
[[value]]
name = "fast"
set = { FAST = "y" }
boot = ["mode=fast"]
""",
    "rules/t/sort.toml": """
id = "sort"
title = "Sort"
kind = "choice"
summary = "The sort."
only_if = "SORTER"
[[value]]
name = "up"
set = { SORT_UP = "y" }
sysfs = { "/sys/kernel/sort" = "up" }
runtime_only_if = "mode = fast"
[[value]]
name = "down"
set = { SORT_DOWN = "y" }
sysfs = { "/sys/kernel/sort" = "down" }
""",
    "rules/t/built.toml": """
id = "built"
title = "Built"
kind = "bool"
summary = "Built."
[[value]]
name = "on"
set = { BUILT = "y" }
[[value]]
name = "off"
set = { BUILT = "n" }
""",
    "rules/parameters/t.toml": """
[[parameter]]
name = "mode"
summary = "The mode."
type = "string"
""",
}


def advice(id, tunable, want, strength="should", more=""):
    return f"""
[[advice]]
id = "{id}"
tunable = "{tunable}"
stance = "want"
strength = "{strength}"
want = ["{want}"]
why = "It is wanted."
{more}"""


def profile(name, *texts):
    return f'id = "{name}"\ntitle = "{name}"\nsummary = "One."\n' + "".join(texts)


ALL = (
    advice("pace", "pace", "7"), advice("mode", "mode", "fast", "must"),
    advice("built", "built", "on"),
)  # fmt: skip
LINES = "SLOW=y FAST=n SORTER=y SORT_DOWN=y BUILT=n"


@pytest.fixture
def planned(make_world, make_knowledge):
    """The plan by these profiles, each a text, of a kernel with these lines."""

    def of(*texts, lines=LINES, runtime="", prefer="", complete=True, **scope):
        files = {f"profiles/p{n}.toml": profile(f"p{n}", *own) for n, own in enumerate(texts)}
        knowledge = make_knowledge({**RULES, **files})
        subject = make_world(
            lines, cmdline="quiet", knowledge=knowledge, runtime=runtime, complete=complete
        ).subject
        names = (f"p{n}" for n in range(len(texts)))
        return report_on(subject, *names, prefer=prefer, knowledge=knowledge, **scope).plan

    return of


def shown(plan):
    return [
        (item.remedy.kind.effort, item.finding.tunable.id, item.remedy.value) for item in plan.items
    ]


def left(plan):
    return {one.tunable.id: phrases.omission(one) for one in plan.omissions}


NOW, BOOT, REBUILD = ("now", "pace", "7"), ("boot", "mode", "fast"), ("rebuild", "built", "on")


def test_one_plan_has_all_efforts_and_the_files_of_each(planned):
    plan = planned(ALL)
    assert shown(plan) == [NOW, BOOT, REBUILD]
    assert [item.files for item in plan.items] == [
        (File.SYSCTL,), (File.CMDLINE,), (File.FRAGMENT,),
    ]  # fmt: skip
    assert (plan.words, plan.cmdline) == (("mode=fast",), "quiet mode=fast")
    assert [step.finding.tunable.id for step in plan.steps] == ["built"]


@pytest.mark.parametrize(
    ("scope", "items", "told"),
    [
        ({"effort": "now"}, [NOW], {"mode", "built"}),
        ({"effort": "boot"}, [NOW, BOOT], {"built"}),
        ({"only": frozenset(("mode",))}, [BOOT], set()),
        ({"only": frozenset(("p0/mode",)), "effort": "now"}, [], {"mode"}),
        ({"without": frozenset(("mode", "p0/built"))}, [NOW], set()),
        ({"weakest": Strength.MUST}, [BOOT], set()),
    ],
)
def test_a_plan_has_what_its_scope_has(planned, scope, items, told):
    plan = planned(ALL, **scope)
    assert shown(plan) == items
    assert set(left(plan)) == told
    assert plan.cmdline == ("quiet mode=fast" if BOOT in items else "quiet")


def test_more_effort_is_named_with_what_it_would_do(planned):
    plan = planned(ALL, effort="now")
    assert (
        left(plan)["mode"] == "needs --effort boot, which is more than this plan allows: mode=fast"
    )


def test_weaker_advice_is_counted(planned):
    assert planned(ALL, weakest=Strength.MUST).optional == 2


def test_of_a_fragment_no_rebuild_is_planned(planned):
    plan = planned(ALL, complete=False)
    assert not plan.steps
    assert "needs a rebuild: give --tree TREE" in left(plan)["built"]


def test_what_several_profiles_ask_for_is_one_change(planned):
    plan = planned(ALL, (advice("mine", "pace", "7", "could"),))
    (item, *_) = plan.items
    assert (item.finding.id, item.profiles) == ("p0/pace", ("p0", "p1"))
    assert len(plan.items) == 3


SORT = advice("sort", "sort", "up", more='only_if = "mode = fast"')


def test_what_the_plan_wakes_comes_along(planned):
    plan = planned((*ALL, SORT))
    assert ("now", "sort", "up") in shown(plan)


def test_what_is_not_planned_wakes_nothing(planned):
    assert "sort" not in [name for _, name, _ in shown(planned((*ALL, SORT), effort="now"))]


def test_a_value_that_the_other_changes_rule_out_is_not_written(planned):
    """mode=slow leaves no way to the sort that is wanted, and the stronger advice asks for it."""
    texts = (advice("mode", "mode", "slow", "must"), advice("sort", "sort", "up"))
    plan = planned(texts, lines="SLOW=n FAST=y SORTER=y SORT_DOWN=y")
    assert shown(plan) == [("boot", "mode", "slow")]
    assert "would undo this change" in left(plan)["sort"]


def test_two_settings_of_one_key_are_at_odds(planned):
    plan = planned(ALL)
    first = plan.items[0]
    setting = first.remedy.settings[0]._replace(value="8")
    other = first._replace(remedy=first.remedy._replace(settings=(setting,)))
    assert list(at_odds([first, first])) == []
    assert list(at_odds([first, other])) == [(first, other, setting)]


def test_what_is_woken_against_other_advice_is_left_out(planned):
    """p1 has the sort that it wants, as soon as the mode is fast."""
    has = advice("sort", "sort", "down", "could", 'only_if = "mode = fast"')
    plan = planned((*ALL, SORT), (has,))
    assert "sort" not in [name for _, name, _ in shown(plan)]
    assert left(plan)["sort"].startswith("another selected profile conflicts with this change")


def test_a_word_of_a_built_in_line_goes_with_the_line_that_is_planned(make_world):
    """On arm64 the built-in line counts only if the boot loader passes none."""
    line = 'CMDLINE="console=ttyAMA0" PRINTK=y TTY=y SERIAL_AMBA_PL011_CONSOLE=y'
    subject = make_world(line, arch="arm64").subject
    plan = report_on(
        subject, "embedded-fastboot", only=frozenset(("serial-console", "console-messages"))
    ).plan
    assert plan.cmdline == "quiet"
    assert [item.remedy.kind.effort for item in plan.items] == ["boot", "boot"]
    assert not plan.steps
    assert [item.remedy.words for item in plan.items] == [("quiet",), ()]


def test_a_word_that_would_win_over_the_rebuilt_kernel_goes_from_the_line(make_world):
    """It stands on both lines, and only a rebuild takes it off one of them."""
    word = "mitigations=auto,no_guest_host"
    subject = make_world(
        f'KVM=y CPU_MITIGATIONS=y CMDLINE_BOOL=y CMDLINE="{word}"', kernel="6.18.0",
        cmdline=f"quiet {word}",
    ).subject  # fmt: skip
    plan = report_on(subject, "hardening", only=frozenset(("cpu-mitigations",))).plan
    (item,) = plan.items
    assert [(change.symbol, change.new) for change in item.remedy.changes] == [("CMDLINE", '""')]
    assert (plan.cmdline, plan.dropped, item.remedy.drop) == ("quiet", (word,), (word,))
    assert item.files == (File.CMDLINE, File.FRAGMENT)
    assert not plan.omissions


def test_what_another_change_makes_needless_is_left_out(make_world):
    """Without huge pages for all programs khugepaged has nothing to spare."""
    folder = "/sys/kernel/mm/transparent_hugepage"
    subject = make_world(
        "TRANSPARENT_HUGEPAGE=y TRANSPARENT_HUGEPAGE_ALWAYS=y",
        runtime=f"{folder}/enabled = [always] madvise never\n"
        f"{folder}/khugepaged/max_ptes_none = 511\n",
    ).subject
    names = "transparent-hugepages-always", "khugepaged-max-ptes-none"
    alone = report_on(subject, "database", only=frozenset(names[1:])).plan
    assert [item.finding.tunable.id for item in alone.items] == [names[1]]
    plan = report_on(subject, "database", only=frozenset(names)).plan
    assert [item.finding.tunable.id for item in plan.items] == ["transparent-hugepages"]
    assert left(plan)[names[1]].startswith(
        "other changes of this plan make this change unnecessary"
    )


def test_what_no_file_keeps_goes_onto_the_boot_line(make_world):
    """debugfs may be mounted late, and preempt= sets the same."""
    lines = "PREEMPT=y PREEMPT_DYNAMIC=y PREEMPT_LAZY=n ARCH_HAS_PREEMPT_LAZY=y DEBUG_FS=y SMP=y"
    subject = make_world(lines, kernel="7.1.0", cmdline="quiet").subject
    only = frozenset(("preemption-model",))
    plan = report_on(subject, "server-throughput", only=only).plan
    (item,) = plan.items
    assert (plan.cmdline, item.files) == ("quiet preempt=lazy", (File.CMDLINE,))
    plan = report_on(subject, "server-throughput", only=only, effort="now").plan
    (item,) = plan.items
    assert [one.key for one in item.remedy.settings] == ["/sys/kernel/debug/sched/preempt"]
    assert not item.files
