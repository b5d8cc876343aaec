"""Every phrase that the rules can lead to, read by a machine for what no person would write."""

from __future__ import annotations

import re
from itertools import pairwise

from advisor.model.diagnostics import DIAGNOSTICS as KINDS
from advisor.model.finding import Conflict, Diagnostic
from advisor.model.kernel import Location, Machine, Severity
from advisor.model.profile import Advice, Option, Stance, Strength
from advisor.model.remedy import Remedy, RemedyKind, Setting
from advisor.model.tunable import Tunable
from advisor.output import factwords, phrases

from .. import corpus
from ..cases import each

KNOWLEDGE = corpus.knowledge()
TUNABLES = list(KNOWLEDGE.tunables())
PROFILES = [KNOWLEDGE.profile(name) for name in KNOWLEDGE.ids("profiles")]
PARAMETERS = [p for name in KNOWLEDGE.ids("parameters") if (p := KNOWLEDGE.parameter(name))]
FAULTS = {
    "a word twice": r"\b([A-Za-z]{2,}) \1\b(?![=.])",
    "a double negation": r"\bnot (?:not|no|never|without)\b|\bnever not\b|\bno no\b",
    "a template": r"\{\w+\}|\{\}",
    "a range as it stands in the rules": r"(?<![\w.])-?\d*\.\.(?!\.)-?\d*(?![\w.])|\w\.\.(?!\.)",
    "one of several": r"(?<![\d.,:=-])1 (?:second|microsecond|nanosecond|millisecond|page|byte|CPU"
    r"|file|error|warning|symbol|hundredth|node)s\b",
    "two blanks": r"\S  +\S",
    "two stops": r"\.\.$|[.:;,]\.$|;;|,,|: ?:|; ?,(?!\w)",
    "an empty part": r"(?<!\w)\(\s*\)|(?:^|[(;,]|\s)\s*[;,](?!\w)|: *$|\bor *$|^or\b|, *$"
    r"|(?<=[a-z,] )None\b",
}


def faults(text: str) -> list[str]:
    """What is wrong with a phrase."""
    return [name for name, pattern in FAULTS.items() if re.search(pattern, text)]


@each(
    ("text", "fault"),
    [
        ("wait for the the CPU", "a word twice"),
        ("off or or on", "a word twice"),
        ("not not built", "a double negation"),
        ("the machine's CPUs..", "a range as it stands in the rules"),
        ("0..100 pages", "a range as it stands in the rules"),
        ("isolcpus={cpus}", "a template"),
        ("after 1 seconds", "one of several"),
        ("do  x86", "two blanks"),
        ("it ends here..", "two stops"),
        ("now , by default", "an empty part"),
        ("on or ", "an empty part"),
    ],
)
def test_each_fault_is_seen(text, fault):
    """The counter-test."""
    assert fault in faults(text)


def read(found):
    """The faults of phrases, each with where it is from."""
    return [(where, text, faults(text)) for where, text in found if text and faults(text)]


# --- what the rules say ---------------------------------------------------------------------------


@each("tunable", TUNABLES, ids=lambda tunable: tunable.id)
def test_a_tunable_with_all_of_its_values(tunable: Tunable):
    names = [value.name for value in tunable.values] or ([tunable.default] * bool(tunable.default))
    if tunable.members:
        names = ["off", "partly", "on"]
    found = [("title", tunable.title), ("cost", tunable.cost)]
    found += [(f"value {name}", tunable.describe((name,))) for name in names]
    found += [(f"values {two}", tunable.describe(two)) for two in pairwise(names)]
    found += [(f"cost of {value.name}", value.cost) for value in tunable.values]
    found += [(f"member {member.symbol}", member.note) for member in tunable.members]
    found += [("note", one.why) for one in tunable.interpret]
    numbers = ("1", "2", "1..10", "10..", "..10") if tunable.kind == "number" else ()
    found += [(number, tunable.describe((number,))) for number in numbers]
    assert read(found) == []
    assert all(tunable.describe((name,)).strip() for name in names)


@each("profile", PROFILES, ids=lambda profile: profile.id)
def test_a_profile_with_all_that_it_wants(profile):
    found = []
    for advice in profile.advice:
        # What a report fills in from what the operator told.
        why = re.sub(r"\{\w+\}", "8", advice.why) if advice.ask else advice.why
        found += [(advice.key, why), (advice.key, advice.cost)]
        for option in advice.options:
            tunable = KNOWLEDGE.tunable(option.tunable)
            found.append((advice.key, option.wanted(tunable)))
            found += [
                (f"{advice.key} {name}", tunable.describe((name,)))
                for name in (*option.want, *option.accept, *option.avoid)
            ]
    assert read(found) == []


def run_time(tunable):
    """A remedy for each run-time spelling of each value."""
    for value in tunable.values:
        for pairs in (value.sysctl, value.sysfs):
            if pairs:
                settings = tuple(Setting(*pair) for pair in pairs)
                yield Remedy(RemedyKind.RUNTIME, value.name, settings=settings)
    for key in filter(None, (tunable.sysctl, tunable.sysfs)):
        yield Remedy(RemedyKind.RUNTIME, "1", settings=(Setting(key, "1"),))


@each("tunable", TUNABLES, ids=lambda tunable: tunable.id)
def test_a_remedy_is_an_instruction(tunable: Tunable):
    """At run time a command, on the boot line words."""
    remedies = list(run_time(tunable))
    told = [phrases.remedy(remedy, tunable) for remedy in remedies]
    assert read([("run time", text) for text in told]) == []
    assert all(re.fullmatch(r"until reboot: (sysctl -w|echo) \S.*", text) for text in told)
    boot = [
        Remedy(RemedyKind.BOOT, value.name, words=value.boot)
        for value in tunable.values
        if value.boot
    ]
    told = [phrases.remedy(remedy, tunable) for remedy in boot]
    assert [text for text in told if faults(re.sub(r"\{\w+\}", "1", text))] == []
    assert all(re.fullmatch(r"on the boot line: \S.*", text) for text in told)


# --- diagnostics ----------------------------------------------------------------------------------


def of(id, message, remedy):
    return Diagnostic(id, Severity.WARNING, Location("x", 1), message, remedy)


def told_of_parameters():
    for parameter in PARAMETERS:
        yield parameter.name, of("parameter-not-built", parameter.summary, parameter.advice)
        for remark in parameter.remarks:
            message = f"{parameter.name}=x: {remark.says}"
            yield (
                parameter.name,
                of("parameter-void", message, remark.remedy or "remove the parameter"),
            )


def told_of_names():
    for name in KNOWLEDGE.ids("names"):
        if known := KNOWLEDGE.name(name):
            kind = "symbol-unknown" if known.kind == "symbol" else "parameter-unknown"
            yield name, of(kind, f"{name}: {known.history}", known.today)
    for old in KNOWLEDGE.ids("renames"):
        if rename := KNOWLEDGE.rename(old):
            now = f"called {rename.new}" if rename.new else "gone"
            message = f"{old} is {now} since {rename.since}: {rename.note}"
            yield old, of("symbol-stale", message, "remove the line")


DIAGNOSTICS = [*told_of_parameters(), *told_of_names()]


def test_diagnostics_say_what_is_wrong_and_what_to_do():
    assert len(DIAGNOSTICS) > 1000
    found = [(name, item.message) for name, item in DIAGNOSTICS]
    found += [(name, phrases.do(item)) for name, item in DIAGNOSTICS]
    found += [(name, kind.meaning) for name, kind in KINDS.items()]
    found += [(name, phrases.do(of(name, "", kind.remedy))) for name, kind in KINDS.items()]
    assert read(found) == []


def test_what_to_do_begins_with_a_verb():
    """A remedy that only says how things are stands behind an instruction."""
    words = {
        phrases.do(item).split()[0].strip(":;,.").lower() for _, item in DIAGNOSTICS if item.remedy
    }
    words |= {kind.remedy.split()[0].strip(":;,.") for kind in KINDS.values() if kind.remedy}
    assert words <= phrases.VERBS
    assert (
        phrases.do(of("symbol-stale", "", "x86. Read in 6.8"))
        == "remove the line; x86. Read in 6.8"
    )
    assert phrases.do(of("parameter-void", "", "Gone.")) == "remove the parameter. Gone."
    assert phrases.do(of("parameter-void", "", "leave it out")) == "leave it out"
    assert phrases.do(of("parameter-void", "", "")) == ""


# --- sums -----------------------------------------------------------------------------------------


@each("number", [0, 1, 2])
def test_numbers_and_their_words_agree(number):
    text = phrases.counted(number, "error")
    assert text == f"{number} error{'' if number == 1 else 's'}"
    assert faults(text) == []


def test_the_machine_is_told_in_words():
    assert factwords.machine(Machine(cpus=1, nodes=1)) == "1 CPU, 1 NUMA node"
    assert factwords.machine(Machine(cpus=8, nodes=2)) == "8 CPUs, 2 NUMA nodes"
    assert factwords.machine(Machine()) == ""


def test_profiles_that_say_the_same_in_a_conflict_say_it_once():
    """A paragraph for each thing that is said, however many profiles say it."""

    def side(profile, wanted, why):
        option = Option("x", want=(wanted,))
        return Advice("a", profile, Stance.WANT, Strength.COULD, (option,), why), wanted

    conflict = Conflict(
        "x", "X", (side("a", "on", "w"), side("b", "on", "w"), side("c", "off", "v"))
    )
    assert phrases.conflict_sides(conflict) == ["a and b want on. w", "c wants off. v"]


def test_sources_are_not_of_other_architectures_where_there_are_more():
    refs = ["arch/s390/mm/gmap.c", "Documentation/admin-guide/mm/transhuge.rst"]
    profile = next(one for one in PROFILES if one.id == "virtualization-host")
    advice = next(one for one in profile.advice if one.id == "transparent-hugepages")
    advice = advice._replace(sources=tuple(advice.sources[0]._replace(ref=ref) for ref in refs))
    assert [one.ref for one in phrases.sources(advice, "x86")] == refs[1:]
    assert [one.ref for one in phrases.sources(advice, "s390")] == refs
    alone = advice._replace(sources=advice.sources[:1])
    assert phrases.sources(alone, "x86") == alone.sources


def test_a_cost_has_the_title_of_a_value_that_a_reader_knows_by_it():
    tunable = corpus.knowledge().tunable("sata-link-power")
    text = phrases.cost("3: some old drives answer late", tunable)
    assert text == f"3 ({tunable.value('3').title}): some old drives answer late"
    assert phrases.cost("On: nothing: is lost", tunable) == "On: nothing: is lost"
    governor = corpus.knowledge().tunable("cpufreq-governor")
    assert phrases.cost("performance: more power", governor) == "performance: more power"


def test_what_is_not_wanted_is_told_where_other_values_are_left():
    knowledge = corpus.knowledge()
    option = Option("slub-debug", want=("off",), avoid=("on",))
    assert option.wanted(knowledge.tunable("slub-debug")) == "off"
    option = Option("clocksource", want=("automatic",), avoid=("hpet",))
    tunable = next(one for one in knowledge.tunables() if one.title == "Clock source")
    assert option.wanted(tunable).endswith("; avoid hpet")
