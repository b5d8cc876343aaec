"""The laws over real configurations (`make laws` for all of them), and what holds them.

A failure that exceptions.toml does not list fails, and so does one that is listed and does not any
more.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.engine.effective.world import World
from advisor.inputs.config import parse_config
from advisor.inputs.subject import Given, subject_of
from advisor.model.cmdline import parse_cmdline
from advisor.model.finding import Finding, Verdict
from advisor.model.kernel import Layer, Location, Machine, Severity
from advisor.model.profile import Strength
from advisor.model.remedy import Remedy, RemedyKind, Setting
from advisor.model.state import Origin, State
from advisor.model.subject import Subject

from .. import corpus
from . import hold, inputs, laws

KNOWN = hold.exceptions()
TOLD = 40
needs_corpus = pytest.mark.skipif(
    not corpus.configurations(), reason="KERNEL_ADVISOR_CORPUS is not set; see make corpus"
)


@needs_corpus
@pytest.mark.laws
@pytest.mark.sampled
@pytest.mark.parametrize("config", corpus.configurations())
def test_nothing_fails_that_is_not_known(config: str) -> None:
    new = [
        f"{' | '.join(failure.key)}: {case}: {failure.detail}"
        for case, failure in hold.held(config)
        if failure.key not in KNOWN
    ]
    assert not new, "\n".join(new[:TOLD])


@needs_corpus
@pytest.mark.laws
@pytest.mark.sampled
@pytest.mark.parametrize("case", sorted({one.case for one in KNOWN.values()}), ids=str)
def test_what_is_known_to_fail_does_in_its_case(case: hold.Case) -> None:
    if case.config not in corpus.configurations():
        pytest.skip(f"there is no {case.config}")
    expected = {one.key for one in KNOWN.values() if one.case == case}
    gone = expected - {failure.key for failure in hold.failures(case)}
    assert not gone, "take it out of exceptions.toml (make laws KEEP=--keep): " + ", ".join(
        " | ".join(key) for key in sorted(gone)
    )


# --- what holds them ----------------------------------------------------------------------------

CONFIG = (
    "CONFIG_LRU_GEN=y\n# CONFIG_LRU_GEN_ENABLED is not set\nCONFIG_64BIT=y\nCONFIG_HZ=250\n"
    'CONFIG_CMDLINE="quiet nohz=off"\nCONFIG_CMDLINE_BOOL=y\nCONFIG_HZ_250=y\n'
)


def made(config: str = CONFIG, line: str = "", kernel: str = "6.12.0") -> Subject:
    header = f"# Linux/x86 {kernel} Kernel Configuration\n"
    read = parse_config(header + config, ".config", complete=True)
    given = Given(Machine(cpus=4), None, parse_cmdline(line) if line else None)
    return subject_of(read, given)


def origin(text: str, layer: Layer = Layer.COMPILED, column: int = 0) -> Origin:
    return Origin(layer, text, Location(".config", 1, column))


def values_after(subject: Subject, cause: Origin, symbol: str) -> set[str | None]:
    knowledge = corpus.knowledge()
    edits = inputs.taken_back((cause,), subject, knowledge)
    return {inputs.edited(subject, edit).config.get(symbol) for edit in edits}


@pytest.mark.parametrize(
    ("text", "symbol", "values"),
    [
        ("CONFIG_LRU_GEN=y", "LRU_GEN", {"n"}),
        ("# CONFIG_LRU_GEN_ENABLED is not set", "LRU_GEN_ENABLED", {"y"}),
        ("lack of CONFIG_ABSENT", "ABSENT", {"y"}),
        ("CONFIG_EXT4_FS=m", "EXT4_FS", {"n", "y"}),
        ("CONFIG_HZ=250", "HZ", {"0", None}),
        ("CONFIG_HZ_250=y", "HZ_250", {"n"}),
        ("CONFIG_HZ_250=y", "HZ_1000", {None, "y"}),
        ("# CONFIG_HZ_1000 is not set", "HZ_250", {"n"}),
    ],
)
def test_a_line_is_taken_back_by_its_kind(text: str, symbol: str, values: set[str | None]) -> None:
    assert values_after(made(), origin(text), symbol) == values


def test_a_word_is_left_out_where_it_stands() -> None:
    subject = made(line="nohz=off quiet nohz=off -- init")
    second = origin("nohz=off", Layer.BOOT, 16)
    (edit,) = inputs.taken_back((second,), subject, corpus.knowledge())
    line = inputs.edited(subject, edit).cmdline
    assert line is not None
    assert [word.text for word in line.words] == ["nohz=off", "quiet"]
    assert [word.text for word in line.init] == ["init"]


def test_a_built_in_word_is_taken_out_of_its_line() -> None:
    cause = origin("nohz=off", Layer.BUILT_IN, 7)
    assert values_after(made(), cause, "CMDLINE") == {'"quiet"'}


def test_a_setting_of_run_time_is_taken_back() -> None:
    subject = made()._replace(sysctl={"vm.swappiness": ("1", Location("s", 1))})
    (edit,) = inputs.taken_back(
        (origin("vm.swappiness=1", Layer.RUNTIME),), subject, corpus.knowledge()
    )
    assert inputs.edited(subject, edit).sysctl == {}


def test_one_line_stands_for_all_policies_that_say_the_same() -> None:
    told = {f"/sys/x/policy{n}/a": ("on" if n < 3 else "off", Location("r", n)) for n in range(4)}
    subject = made()._replace(sysfs=told)
    cause = origin("/sys/x/policy0/a=on", Layer.RUNTIME)
    (edit,) = inputs.taken_back((cause,), subject, corpus.knowledge())
    assert list(inputs.edited(subject, edit).sysfs) == ["/sys/x/policy3/a"]
    assert inputs.instances("/sys/x/policy*/a", subject) == list(told)


def test_a_remedy_is_followed_as_it_is_said() -> None:
    written = [
        Remedy(RemedyKind.RUNTIME, "on", settings=(Setting("/sys/x/policy*/a", "1"),)),
        Remedy(RemedyKind.RUNTIME, "on", settings=(Setting("/sys/block/DEVICE/b", "2"),)),
    ]
    subject = made(line="quiet audit=0")
    after = inputs.followed(written, subject)
    assert {key: text for key, (text, _) in after.sysfs.items()} == {
        "/sys/x/policy0/a": "1",
        "/sys/block/0/b": "2",
    }
    word = Remedy(RemedyKind.BOOT, "on", words=("psi=1",), drop=("quiet",))
    booted = inputs.followed([word], after)
    assert booted.cmdline is not None
    assert (booted.cmdline.text, booted.sysfs) == ("audit=0 psi=1", {})


def fails(tunable: str, subject: Subject) -> list[str]:
    knowledge = corpus.knowledge()
    state = World(subject, knowledge).state(tunable)
    assert state is not None
    found = laws.causes_of(knowledge.tunable(tunable), state, subject, knowledge)
    return [failure.kind for failure in found]


def test_a_cause_that_decides_passes() -> None:
    assert fails("transparent-hugepages", made("CONFIG_HZ_250=y\n")) == []
    assert fails("timer-frequency", made()) == []
    assert fails("swappiness", made(f"{CONFIG}CONFIG_SWAP=y\n")) == []


def stated(tunable: str, subject: Subject, *causes: Origin) -> list[str]:
    """How it fails if the state were by these causes."""
    knowledge = corpus.knowledge()
    state = World(subject, knowledge).state(tunable)
    assert state is not None
    told = state._replace(origins=causes)
    found = laws.causes_of(knowledge.tunable(tunable), told, subject, knowledge)
    return [failure.kind for failure in found]


def test_a_cause_that_does_not_decide_is_found() -> None:
    wrong = origin("CONFIG_64BIT=y")
    assert stated("multigen-lru", made(), wrong) == ["does not decide: set"]


def test_a_cause_too_many_is_found() -> None:
    right, more = origin("# CONFIG_LRU_GEN_ENABLED is not set"), origin("CONFIG_64BIT=y")
    assert stated("multigen-lru", made(), right) == []
    assert stated("multigen-lru", made(), right, more) == ["a part is enough: not set+set"]


def test_a_default_that_a_line_decides_is_found() -> None:
    line = "audit=0"
    subject = made("CONFIG_AUDIT=y\n", line)
    assert stated("audit", subject, origin(line, Layer.BOOT, 1)) == []
    assert stated("audit", subject) == ["rests on a line"]


def test_what_is_new_counts_by_its_strength() -> None:
    empty = laws.Standing({}, frozenset(), {})
    after = laws.Standing(
        {"p/a": Strength.MUST, "p/b": Strength.COULD}, frozenset(), {("d", "x"): Severity.NOTE}
    )
    assert laws._appeared(Strength.MUST, empty, after) == ["a"]
    assert laws._appeared(Strength.COULD, empty, after) == ["a", "b", "d"]
    assert laws._appeared(Strength.COULD, after, after) == []


def standing(*findings: Finding, diagnostics: tuple[str, ...] = ()) -> laws.Standing:
    return laws.Standing(
        {f.id: f.advice.strength for f in findings if f.verdict in laws.OPEN},
        frozenset(f.id for f in findings if f.verdict is Verdict.UNKNOWN),
        {(name, "word"): Severity.ERROR for name in diagnostics},
        {f.id: f for f in findings},
    )


def finding(name: str, verdict: Verdict, state: State | None = None) -> Finding:
    """An advice of a profile as it is judged, about the group of spare governors."""
    knowledge = corpus.knowledge()
    tunable = knowledge.tunable("spare-governors")
    advice = next(
        a for a in knowledge.profile("realtime").advice if a.options[0].tunable == tunable.id
    )
    return Finding(f"p/{name}", verdict, advice, tunable, state or State(tunable.id, ("off",)))


def group(on: tuple[str, ...], missing: tuple[str, ...] = ()) -> State:
    members = tuple((symbol, origin(f"CONFIG_{symbol}=y")) for symbol in on)
    return State("spare-governors", ("partly",), on=members, missing=frozenset(missing))


def test_what_the_rest_of_the_plan_closes_or_names_does_not_count() -> None:
    idle, opened = finding("a", Verdict.NOT_APPLICABLE), finding("a", Verdict.CHANGE)
    before, after = standing(idle), standing(opened, diagnostics=("d",))
    nothing = laws.Outcome(after)
    assert laws._appeared(Strength.COULD, before, after, nothing) == ["a", "d"]
    assert laws._appeared(Strength.COULD, before, after, laws.Outcome(standing(idle))) == []
    named = nothing._replace(named=frozenset(("p/a",)))
    assert laws._appeared(Strength.COULD, before, after, named) == ["d"]


def test_what_was_right_before_counts_whatever_the_plan_says() -> None:
    before, after = standing(finding("a", Verdict.OK)), standing(finding("a", Verdict.CHANGE))
    named = laws.Outcome(standing(finding("a", Verdict.OK)), frozenset(("p/a",)))
    assert laws._appeared(Strength.COULD, before, after, named) == ["a"]


@pytest.mark.parametrize(
    ("left", "on", "missing", "reached"),
    [
        (("X: needs Z",), ("X",), (), True),
        (("X: needs Z",), ("X", "Y"), (), False),
        ((), ("X",), (), False),
        ((), (), ("OLD",), True),
        ((), (), ("NEW",), False),
        (
            ("whether a rebuild is enough depends on NEW, which these inputs do not show",),
            (),
            ("NEW",),
            True,
        ),
    ],
)
def test_only_what_a_remedy_names_may_be_left(
    left: tuple[str, ...], on: tuple[str, ...], missing: tuple[str, ...], reached: bool
) -> None:
    was = finding("a", Verdict.CHANGE, group(("X", "Y"), ("OLD",)))
    verdict = Verdict.CHANGE if on else Verdict.UNKNOWN
    after = standing(finding("a", verdict, group(on, missing)))
    remedy = Remedy(RemedyKind.REBUILD, "off", left=left)
    assert laws._reached(was, remedy, after) is reached


def test_what_fails_otherwise_is_told() -> None:
    case = hold.Case("c", "told")
    known = {("l", "a", "k"): hold.Listed(("l", "a", "k"), 2, case)}
    failure = laws.Failure("l", "b", "k", "")
    found = hold.counted([hold.Found(case, failure)])
    assert list(hold.differences(known, found)) == [
        "gone: l | a | k: 2 -> 0 (such as c told)",
        "new: l | b | k: 0 -> 1 (such as c told)",
    ]
    assert list(hold.differences(found, found)) == []


def test_what_is_kept_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = hold.Case("c", "told", "quiet")
    plain = hold.Listed(("causes", "a", "k: CONFIG_X"), 3, hold.Case("c", "untold"))
    reason = hold.Listed(("remedies", "b plan", "k"), 1, case, "it is so")
    monkeypatch.setattr(hold, "EXCEPTIONS", tmp_path / "exceptions.toml")
    hold.EXCEPTIONS.write_text(hold.rendered({reason.key: reason, plain.key: plain}))
    assert list(hold.exceptions().values()) == [plain, reason]


def test_the_boot_lines_are_read_and_have_their_source() -> None:
    assert len(hold.lines()) > 20
    for line in hold.lines().values():
        parsed = parse_cmdline(line.text)
        assert parsed.words
        assert parsed.text == line.text.strip()
