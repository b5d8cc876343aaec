"""The lab without starting anything: figures from counts, witnesses, spellings, what is barred."""

from __future__ import annotations

from collections import Counter

import pytest

from advisor.errors import InputError, UsageError
from lab import again, barred, check, effects, explain, record, symbols, together, witness
from lab.guest import archive
from lab.machine import kernel_of, quoted
from lab.record import Made, Record, record_of
from lab.run import Count, Run, Window, read_run
from lab.settings import NOTHING, Setting
from lab.symbols import Symbols
from lab.witness import Seen

from ..cases import each

MADE = Made("k", "6.12.1", "linux-image 6.12.1", "i", "g", "p", "7.2", "qemu")
AUDIT = Setting("audit", "on", "on", words=("audit=1",))
SEEN = Seen("audit", "enabled 0", "enabled 1")
STEADY = (600, 600, 600)


def run(getppid=(600, 600, 600), shown=None, spin=10, **windows):
    """A run of three repetitions in which an operation of getppid is a tenth of the counts."""
    counts = {"spin": (spin,) * 3, "getppid": getppid, "read-byte": STEADY, **windows}
    return Run(
        Count(1000, 0, 5),
        {
            name: Window(10, tuple(Count(k, 0, 1000) for k in kernel), Counter({"f": sum(kernel)}))
            for name, kernel in counts.items()
        },
        shown or {},
    )


def of(runs, setting=NOTHING, seen=None):
    """The record of these runs, by seeds from 1."""
    return record_of(setting, MADE, dict(enumerate(runs, start=1)), seen)


def one(before, after):
    """The effect in getppid, from the kernel instructions of each seed's repetitions."""
    found = effects.effects(of(map(run, before)), of(map(run, after), AUDIT, SEEN))
    return next(effect for effect in found if effect.window == "getppid")


def test_an_effect_is_the_difference_of_the_least_repetitions():
    effect = one([(600, 700, 650), (600, 600, 600), (602, 609, 604)], [(900, 910, 950)] * 3)
    assert (effect.without, effect.with_it) == (pytest.approx(60.0667, abs=1e-3), 90)
    assert effect.spread == pytest.approx(0.2)
    assert effect.found
    assert effect.share == pytest.approx(0.498, abs=1e-3)


@each(
    ("before", "after"),
    [
        ([STEADY] * 2, [(900,) * 3] * 2),  # two seeds
        ([(600,) * 3, (600,) * 3, (700,) * 3], [(900,) * 3] * 3),  # less than three spreads
        ([STEADY] * 3, [(609,) * 3] * 3),  # less than an instruction an operation
        ([(60000,) * 3] * 3, [(60170,) * 3] * 3),  # less than 0.3 %
    ],
)
def test_what_may_be_chance_is_no_effect(before, after):
    assert not one(before, after).found


def test_of_what_took_nothing_there_is_no_percentage():
    assert one([(0,) * 3] * 3, [(4000,) * 3] * 3).share is None


def test_a_record_says_difference_base_and_share():
    base = of([run()] * 3)
    said = "\n".join(explain.explain(base, of([run((900,) * 3)] * 3, AUDIT, SEEN)._replace(
        functions={"getppid": [("f", 5400, 8100)]})))  # fmt: skip
    assert "+30 kernel instructions an operation, of 60, +50.0 %" in said
    assert "'enabled 0' without, 'enabled 1' with it" in said
    assert "no effect in these windows: read-byte" in said
    assert "python -m lab run audit=on" in said
    assert "slower" not in said


def test_a_record_is_read_as_it_was_written(tmp_path):
    made = of([run()] * 3, AUDIT, SEEN)._replace(functions={"getppid": [("f", 1, 2)]})
    path = tmp_path / "one.json"
    path.write_text(record.text_of(made))
    assert record.read(path) == made
    assert record.text_of(record.read(path)) == path.read_text()
    plain = of([run()] * 3)
    path.write_text(record.text_of(plain))
    assert record.read(path) == plain


@pytest.mark.parametrize("text", ["", "{}", '{"schema": 2}', "[]", '{"schema": 1}'])
def test_what_is_no_record_is_an_error(tmp_path, text):
    path = tmp_path / "one.json"
    path.write_text(text)
    with pytest.raises(InputError):
        record.read(path)


def wrong(made: Record, base=None):
    return "; ".join(check.problems_of(made, base or of([run()] * 3)))


def test_a_record_as_it_should_be_has_no_problems():
    assert wrong(of([run((900,) * 3)] * 3, AUDIT, SEEN)) == ""


@each(
    ("made", "says"),
    [
        (of([run()] * 2, AUDIT, SEEN), "2 seeds"),
        (of([run()] * 4, AUDIT, SEEN), "not counted with"),
        (of([run()] * 3, AUDIT), "no witness"),
        (of([run()] * 3, AUDIT, Seen("audit", "enabled 1", "enabled 1")), "no witness"),
        (of([run()] * 3, AUDIT._replace(value="loud"), SEEN), "no such value"),
        (of([run()] * 3, AUDIT._replace(tunable="adit"), SEEN), "no such tunable"),
        (of([run()] * 3, Setting("cpu-mitigations", "auto", "off"), SEEN), "barred: its cost"),
        (of([run()] * 3, AUDIT, SEEN)._replace(made=MADE._replace(qemu="8")), "made otherwise"),
        (of([run(spin=100)] * 3, AUDIT, SEEN), "10.0% of a loop in user mode"),
        (of([run((600, 630, 640))] * 3, AUDIT, SEEN), "repetitions of getppid differ"),
    ],
)
def test_a_wrong_record_is_told(made, says):
    assert says in wrong(made)


def test_the_control_is_the_same_to_the_last_instruction():
    other = run()
    spin = other.windows["spin"]
    changed = (*spin.counts[:2], spin.counts[2]._replace(user=1001))
    other.windows["spin"] = spin._replace(counts=changed)
    assert "the control differs" in wrong(of([run(), run(), other], AUDIT, SEEN))


REPORT = """\
window:spin 10
window:getppid 10
window:spin 10
audit:enabled 1
message:<6>[    0.01] audit: type=2000
/sys/x:a [b] c
end:
"""
COUNTED = "boot 9 8 7\nwindow 1 2 3\nwindow 4 5 6\nwindow 1 0 3\nend\n"


def test_a_run_is_what_guest_and_plugin_wrote():
    found = read_run(REPORT, COUNTED, [Counter(a=1), Counter(b=1), Counter(a=2)])
    assert found.boot == (9, 8, 7)
    assert found.windows["spin"] == Window(
        10, (Count(1, 2, 3), Count(1, 0, 3)), Counter(a=3), Counter(a=2)
    )
    assert found.shown["audit"] == ["enabled 1"]
    assert found.shown["message"] == ["audit: type=2000"]


@each("counted", ["", COUNTED.replace("end\n", ""), COUNTED + "misplaced end\n",
                                     COUNTED.replace("window 4 5 6\n", "")])  # fmt: skip
def test_guest_and_plugin_must_agree(counted):
    with pytest.raises(InputError):
        read_run(REPORT, counted, [])


def seen(setting, before, after):
    return witness.seen(setting, run(shown=before), run(shown=after))


def test_a_witness_is_what_the_kernel_shows_of_itself():
    assert seen(AUDIT, {"audit": ["enabled 0"]}, {"audit": ["enabled 1"]}) == SEEN


@each(
    ("before", "after"),
    [
        ({"audit": ["enabled 1"]}, {"audit": ["enabled 1"]}),
        ({"audit": ["enabled 1"]}, {"audit": ["enabled 0"]}),
        ({"/proc/cmdline": [""]}, {"/proc/cmdline": ["audit=1"]}),
    ],
)
def test_what_shows_the_same_or_something_else_is_none(before, after):
    assert seen(AUDIT, before, after) is None


def test_the_file_that_a_rule_names_is_a_witness():
    path = "/sys/kernel/debug/sched/preempt"
    found = seen(
        Setting("preemption-model", "full", "voluntary", words=("preempt=full",)),
        {path: ["none (voluntary) full "]},
        {path: ["none voluntary (full) "]},
    )
    assert found == Seen(path, "voluntary", "full")


def test_a_function_can_be_a_witness():
    setting = Setting("hardening.HARDENED_USERCOPY", "off", "on")
    before, after = (run(hackbench=STEADY) for _ in range(2))
    before.windows["hackbench"].functions["__check_heap_object"] = 600
    where = "__check_heap_object in hackbench"
    assert witness.seen(setting, before, after) == Seen(where, "20", "0")


def test_each_tunable_that_is_barred_or_has_a_witness_exists():
    from advisor.knowledge import index

    knowledge = index.load((), ())
    ids = set(knowledge.ids("tunables"))
    assert set(barred.reasons()) <= ids
    assert set(barred.unreached_reasons()) <= ids - set(barred.reasons())
    for name, listed in witness._listed().items():
        tunable, _, symbol = name.partition(".")
        assert tunable in ids
        values = {value.name for value in knowledge.tunable(tunable).values}
        members = {member.symbol for member in knowledge.tunable(tunable).members}
        numbers = knowledge.tunable(tunable).kind == "number"
        assert (symbol in members) if symbol else numbers or set(listed.values) <= values
        assert not barred.reason(name)


def test_what_no_window_shows_may_be_so_where_it_is_set_one_way():
    assert "patched" in barred.unreached("smp", "boot")
    assert barred.unreached("smp", "build") == ""
    assert barred.unreached("autogroup", "build")


def test_another_machine_may_be_a_little_off():
    made = of([run((600,) * 3), run((610,) * 3), run((604,) * 3)])
    near, far = run((635,) * 3), run((645,) * 3)
    assert list(again._far(made, near)) == []
    assert [text.split(":")[0] for text in again._far(made, far)] == ["getppid"]


def test_the_same_programs_must_not_be():
    made = of([run()] * 3)
    assert list(again._unequal(made, run(), 2)) == []
    other = list(again._unequal(made, run((600, 600, 601)), 2))
    assert [text.split(":")[0] for text in other] == ["getppid"]


def test_every_record_is_chosen_by_some_text():
    records = [of([run()] * 3)] * 3
    assert {again.chosen(records, str(i))[1] for i in range(99)} == {1, 2, 3}


def test_the_archive_is_one_that_cpio_reads():
    made = archive("init", b"12345")
    assert len(made) % 4 == 0
    assert made.startswith(b"070701")
    assert made.count(b"070701") == 3
    assert b"init\0" in made
    assert b"12345\0\0\0" in made


def test_a_value_of_several_numbers_is_one_word_and_shows_with_spaces():
    assert quoted("write=/proc/sys/vm/swappiness=1") == "write=/proc/sys/vm/swappiness=1"
    word = "write=/proc/sys/net/ipv4/tcp_wmem=4096 65536 16777216"
    assert quoted(word) == f'"{word}"'
    path = "/proc/sys/net/ipv4/tcp_wmem"
    setting = Setting("tcp-send-buffer", "4096 65536 16777216", "", writes=((path, "..."),))
    assert setting.name == "tcp-send-buffer=4096_65536_16777216"
    sides = [run(shown={path: [text]}) for text in ("4096\t16384\t1", "4096\t65536\t16777216")]
    assert witness.seen(setting, *sides) == Seen(path, "4096 16384 1", "4096 65536 16777216")


def booted(kernel, below):
    """The record of three starts that took these instructions up to the first window."""
    setting = AUDIT if (kernel, below) != (1000, 500) else NOTHING
    counts = tuple(Count(kernel * 1_000_000, 0, below * 1_000_000) for _ in range(3))
    return of([run()] * 3, setting)._replace(boot=counts)


@each(
    ("kernel", "below", "sides", "found"),
    [
        (1000, 505, (1000, 1000), False),  # unpacked as before, but for a few bytes
        (1100, 505, (1000, 1100), True),
        (1000, 100, (1500, 1100), True),  # unpacked with much less
        (1010, 520, (1500, 1530), True),
        (1005, 515, (1500, 1520), False),
    ],
)
def test_the_boot_has_the_unpacking_where_that_differs(kernel, below, sides, found):
    base, record = booted(1000, 500), booted(kernel, below)
    assert effects.starting(base, record) == pytest.approx(sides)
    assert effects.boot_found(base, record) == found
    said = "\n".join(explain.explain(base, record))
    assert ("unpacking" in said) == (sides[0] != 1000)


def test_an_address_lies_in_the_function_before_it():
    found = Symbols({16: "one", 32: "two.constprop.0", 48: "three.cold"})
    assert [found.at(at) for at in (15, 16, 31, 40, 99)] == ["0xf", "one", "one", "two", "three"]
    assert found.at(0x40000000) == symbols.MADE


def test_a_kernel_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(UsageError, match="no kernel cloud"):
        kernel_of("cloud-6.12", tmp_path)


DELAYS = Setting("task-delay-accounting", "on", "off", words=("delayacct",))
SEEN_DELAYS = Seen("/proc/sys/kernel/task_delayacct", "0", "1")


def nothing_found(*rows):
    return of([run()] * 3, DELAYS, SEEN_DELAYS)._replace(ran={"getppid": rows} if rows else {})


@each(
    ("rows", "says"),
    [
        ((), "no window runs"),
        ((("__delayacct_tsk_init", 0, 8),), "no window runs"),  # not in each repetition
        ((("__delayacct_tsk_init", 0, 9), ("fork", 9, 9)), "other functions"),
        ((("__delayacct_tsk_init", 0, 9),), ""),
    ],
)
def test_no_effect_counts_where_what_the_setting_changes_was_run(rows, says):
    found = wrong(nothing_found(*rows))
    assert (says in found) if says else found == ""


def test_of_a_setting_whose_functions_nobody_knows_no_effect_counts_nothing():
    seen = Seen("/sys/module/printk/parameters/time", "Y", "N")
    made = of([run()] * 3, Setting("printk-timestamps", "off", "on"), seen)
    assert "no function is known that it changes" in wrong(made)


def test_how_often_a_function_ran_is_counted_by_repetition():
    functions = [Counter(f=1), Counter(g=1), Counter(f=5)]
    one = read_run(REPORT, COUNTED, functions)
    assert one.windows["spin"].times == {"f": 2}
    assert record.ran([one], [one, one], ["f", "h"]) == {"spin": [("f", 2, 4)]}


def test_what_ran_is_kept(tmp_path):
    made = nothing_found(("__delayacct_tsk_init", 0, 9))._replace(
        ran={"getppid": [("__delayacct_tsk_init", 0, 9)]}
    )
    path = tmp_path / "one.json"
    path.write_text(record.text_of(made))
    assert record.read(path) == made


@each(
    ("setting", "shown"),
    [
        (AUDIT, Seen("/proc/cmdline", "enabled 0", "enabled 1")),
        (Setting("psi", "machine", "on"), Seen("/proc/pressure/cpu", "some avg=1", "some avg=2")),
        (Setting("kernel-stack-offset", "off", "on"), Seen("do_syscall_64 in getppid", "55", "61")),
    ],
)  # fmt: skip
def test_a_witness_that_shows_no_other_value_is_refused(setting, shown):
    assert "no witness" in wrong(of([run((900,) * 3)] * 3, setting, shown))


PSI = Setting("psi", "built", "on", words=("psi=0",))
RAN = Seen("/proc/pressure/cpu", "some avg10=0.00", "")


def several(at_once):
    """A kernel on which audit adds 30 and PSI takes 20 of 60, and both at once come to that."""
    base = of([run()] * 3)
    singles = {
        "audit=on": of([run((900,) * 3)] * 3, AUDIT, SEEN),
        "psi=built": of([run((400,) * 3)] * 3, PSI, RAN),
    }
    whole = together.setting_of("both", [one.setting for one in singles.values()])
    both = of([run((at_once,) * 3)] * 3, whole)
    return base, both._replace(members={"audit=on": SEEN, "psi=built": RAN}), singles


def test_several_at_once_are_held_against_the_sum_of_their_records():
    (one,) = together.checked(*several(730))
    assert (one.window, one.without, one.summed, one.measured) == ("getppid", 60, 10, 13)
    assert one.settings == 2
    assert one.apart == pytest.approx(0.05)


def test_each_of_several_shows_that_it_was_in_effect():
    _, both, singles = several(700)
    assert list(together.problems(both, singles)) == []
    blind = both._replace(members={**both.members, "psi=built": RAN._replace(with_it="some avg")})
    assert list(together.problems(blind, singles)) == ["no witness that psi=built was in effect"]
    assert "no record of psi=built" in list(together.problems(both, {"audit=on": both}))
    other = both._replace(setting=both.setting._replace(words=("audit=1",)))
    assert list(together.problems(other, singles)) == ["other words than those of its settings"]


@pytest.mark.parametrize("settings", [[AUDIT], [AUDIT, AUDIT._replace(value="off")]])
def test_several_at_once_are_of_different_tunables(settings):
    with pytest.raises(UsageError, match="two or more"):
        together.setting_of("x", settings)


def test_a_number_shows_as_it_is_spelled():
    known = witness.witness_of("busy-read")
    assert known is not None
    assert witness.proves(known, "50", Seen(known.where, "0", "50"))
    assert not witness.proves(known, "50", Seen(known.where, "0", "500"))
    assert not witness.proves(known, "50", Seen(known.where, "50", "50"))


def test_a_number_of_a_file_is_more_or_less():
    known = witness.witness_of("slab-merging")
    assert known is not None
    small, large = (run(shown={"/proc/meminfo": [f"Slab:  {n} kB"]}) for n in (7900, 8300))
    assert (witness.read(known, small), witness.read(known, run())) == ("7900", "0")
    seen = Seen(known.where, witness.read(known, small), witness.read(known, large))
    assert witness.proves(known, "off", seen)
    assert not witness.proves(known, "on", seen)


def test_memory_that_differs_by_more_than_seeds_do_is_an_effect():
    def with_slab(*numbers):
        lines = [["MemTotal: 1000 kB", f"Slab: {n} kB"] for n in numbers]
        return of([run(shown={"/proc/meminfo": both}) for both in lines])

    base = with_slab(100, 110, 120)
    assert effects.memory(base, with_slab(300, 310, 320)) == 200
    assert effects.memory(base, with_slab(120, 130, 140)) is None
