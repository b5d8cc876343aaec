"""What the product is given of the lab's records: all of it follows from the counts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from advisor.engine.effective.world import World
from advisor.errors import KnowledgeError
from advisor.inputs.subject import Given, read_subject
from advisor.knowledge import folders, index, measured
from advisor.model.cmdline import parse_cmdline
from advisor.model.condition_parser import parse
from lab import carries, fold
from lab.effects import effects
from lab.fragment import OPTION
from lab.platform import platform_of
from lab.record import all_of, kernels
from lab.settings import CONTROL, TOGETHER
from lab.together import checked

from .. import corpus
from ..cases import each

KNOWLEDGE = corpus.knowledge()


def test_the_data_are_what_the_records_give():
    """A figure that somebody typed is another one than the counts give: `python -m lab fold`."""
    assert Path(folders.data(measured.FILE)).read_text() == fold.text()


def test_every_record_is_named_by_its_tunable():
    assert list(fold.uncited()) == []
    named = {r.name for name in KNOWLEDGE.ids("tunables") for r in KNOWLEDGE.notes(name).records}
    assert named == set(KNOWLEDGE.measured.by_name)


@each("kernel", kernels())
def test_what_is_told_of_a_record_is_its_effects(kernel):
    base, *others = all_of(kernel)
    for record in others:
        of = record.setting.tunable
        if of in (CONTROL.tunable, TOGETHER) or of.startswith(OPTION):
            assert f"{kernel}/{record.name}" not in KNOWLEDGE.measured.by_name
            continue
        told = KNOWLEDGE.measured.by_name[f"{kernel}/{record.name}"]
        found = {one.window: one for one in effects(base, record)}
        assert {w.name for w in told.windows} == {n for n, one in found.items() if one.found}
        assert set(told.none) == {n for n, one in found.items() if not one.found}
        for window in told.windows:
            assert window.difference == pytest.approx(found[window.name].difference, abs=0.06)
        assert told.kernel.release == base.made.release


def test_what_several_come_to_at_once_is_told_with_the_sum_of_their_records():
    for told in KNOWLEDGE.measured.together:
        by_name = {record.name: record for record in all_of(told.kernel.name)}
        base, record = by_name["as-it-is"], by_name[told.name.partition("/")[2]]
        found = {one.window: one for one in checked(base, record, by_name)}
        assert {window.window for window in told.windows} == set(found)
        for window in told.windows:
            assert window.summed == pytest.approx(found[window.window].summed, abs=0.06)
            assert window.measured == pytest.approx(found[window.window].measured, abs=0.06)


def test_where_sums_hold_and_where_they_do_not():
    """Work off paths of their own adds up; events of statistics come only where both are on."""
    seven, costly = (
        next(one for one in KNOWLEDGE.measured.together if one.name.endswith(f"={name}"))
        for name in ("seven", "costly")
    )
    assert seven.apart < 0.03
    assert costly.apart > 0.1
    assert max(costly.windows, key=lambda window: window.apart).window == "yield"


@pytest.mark.boot
@pytest.mark.parametrize("kernel", ["amd64-6.12", "cloud-6.1", "cloud-6.12"])
def test_what_a_record_rests_on_holds_where_it_was_measured(kernel):
    """A condition of carries.toml is true of the very kernel that was measured."""
    folder = os.environ.get("KERNEL_ADVISOR_BOOT")
    if not folder:
        pytest.skip("KERNEL_ADVISOR_BOOT is not set (the folder that tests/boot/prepare.sh fills)")
    config = Path(folder) / kernel / "config"
    if not config.exists():
        pytest.skip(f"{config} is not there: tests/boot/prepare.sh DIR lab gets it")
    given = Given(cmdline=parse_cmdline(platform_of(kernel).line))
    world = World(read_subject(str(config), given), KNOWLEDGE)
    for name, one in KNOWLEDGE.measured.by_name.items():
        only = one.terms.only if one.kernel.name == kernel else ""
        assert not only or world.evaluate(parse(only)) is True, name


def test_what_does_not_carry_over_has_its_reason():
    every = KNOWLEDGE.measured.by_name.values()
    assert all(bool(one.terms.only) == bool(one.terms.why) for one in every)


def test_how_far_a_record_carries_over_is_by_kernel_and_by_how_it_was_set():
    by_name = {record.name: record for record in all_of("cloud-6.12")}
    switched = by_name["preemption-model=full"]
    assert switched.setting.way == "boot"
    assert carries.terms(switched)["only"] == "PREEMPT_DYNAMIC"
    built = switched._replace(setting=switched.setting._replace(lines=(("PREEMPT", "y"),)))
    assert built.setting.way == "build"
    assert carries.terms(built).get("only") != "PREEMPT_DYNAMIC"
    written = by_name["heap-randomization=on"]
    assert written.setting.way == "run-time"
    assert "addresses" in carries.terms(written)["note"]
    pair = next(one for one in all_of("amd64-6.12") if one.name == "preempt-rt=on")
    assert "new-MiB" in carries.terms(pair)["note"]
    elsewhere = pair._replace(made=pair.made._replace(kernel="lean-6.12"))
    assert "note" not in carries.terms(elsewhere)


def test_a_row_that_is_of_no_record_or_of_one_that_another_has_is_a_problem(monkeypatch):
    records = [record for kernel in kernels() for record in all_of(kernel)]
    assert list(carries.problems(records)) == []
    monkeypatch.setattr(carries, "_rows", lambda: [
        {"tunables": ["psi"], "by": ["build"], "kernels": ["cloud-6.12"], "note": "one"},
        {"tunables": ["audit"], "note": "one"},
        {"tunables": ["audit=off"], "note": "another"},
    ])  # fmt: skip
    assert list(carries.problems(records)) == [
        "carries.toml: no record is of psi as the row has it",
        "carries.toml: two rows have note of cloud-6.12/audit=off",
    ]


def test_the_architecture_is_that_of_the_machine():
    record = all_of(kernels()[0])[0]
    assert fold.arch_of(record) == "x86"
    made = record.made._replace(machine="qemu-system-aarch64 -machine virt")
    assert fold.arch_of(record._replace(made=made)) == "arm64"


def rules(tmp_path, name, extra):
    folder = tmp_path / "rules" / "local"
    folder.mkdir(parents=True)
    (folder / f"{name}.toml").write_text(
        f'id = "{name}"\ntitle = "X"\nkind = "choice"\nsummary = "X."\ncost = "None."\n'
        'sources = ["kconfig init/Kconfig#AUDIT"]\nexamples = ["AUDIT=y -> on", "AUDIT=n -> off"]\n'
        f'{extra}[[value]]\nname = "on"\nset = {{ AUDIT = "y" }}\n'
        '[[value]]\nname = "off"\nset = { AUDIT = "n" }\n'
    )
    return str(tmp_path / "rules")


@pytest.mark.parametrize(
    ("name", "effect", "message"),
    [
        ("audit", "record cloud-6.12/audit=loud", "there is no record"),
        ("mine", "record cloud-6.12/audit=on", "is about audit"),
        ("turbo", "record cloud-6.12/audit=on", "turbo cannot be measured"),
        ("audit", "record cloud-6.12/audit=on | x86 | +5 %", "effects"),
        ("audit", "vendor https://example.org | +5 %", "effects"),
    ],
)
def test_a_record_that_a_tunable_cannot_have_is_refused(name, effect, message, tmp_path):
    folder = rules(tmp_path, name, f'effects = ["{effect}"]\n')
    with pytest.raises(KnowledgeError) as raised:
        index.load([folder])
    assert any(message in text for _, text in raised.value.problems)


def test_rules_of_users_need_no_records(tmp_path):
    knowledge = index.load([rules(tmp_path, "mine", "")])
    assert knowledge.notes("mine").records == ()
    assert knowledge.notes("audit").records


def test_a_name_is_written_where_its_table_can_stand():
    table = '# On.\n[[value]]\nname = "on"\n'
    once = fold.cited(f'id = "x"\n\n{table}', ["a/x=on"])
    assert once == f'id = "x"\neffects = [\n    "record a/x=on",\n]\n\n{table}'
    both = 'effects = [\n    "record a/x=on",\n    "record a/x=off",\n]\n'
    assert fold.cited(once, ["a/x=off"]) == f'id = "x"\n{both}\n{table}'
    assert fold.cited('effects = ["record a/x=on"]\n', ["a/x=off"]) == both
    assert fold.cited('id = "x"\n', ["a/x=on"]).endswith('    "record a/x=on",\n]\n')


def test_damaged_data_are_said(tmp_path, monkeypatch):
    (tmp_path / measured.FILE).write_text('{"kernels": {}}')
    monkeypatch.setattr(measured.folders, "data", lambda name: str(tmp_path / name))
    with pytest.raises(KnowledgeError, match="lab fold"):
        measured.built_in()
