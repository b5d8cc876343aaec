"""Settings that another image has: fragments, what tells images apart, and what a record says."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from advisor.errors import UsageError
from advisor.inputs.config import parse_config
from advisor.knowledge import index
from lab import again, barred, check, effects, explain, fold, images, lean, record, tables, witness
from lab.bench import Bench
from lab.fragment import OPTION, asked, fragment, lines_of
from lab.record import Built, only_one_ran
from lab.run import Run, Window
from lab.settings import Setting
from lab.witness import IN_IMAGE, Seen

from ..cases import each
from ..conftest import PROJECT
from .test_lab import MADE, STEADY, of, run

STATS = Setting("lock-stat", "on", "off", lines=(("LOCK_STAT", "y"),))
SEEN = Seen(IN_IMAGE, "LOCK_STAT=n", "LOCK_STAT=y")
SMALL = ({"MemTotal": 1000, "Slab": 100},) * 3
LARGE = ({"MemTotal": 900, "Slab": 300},) * 3
BUILT = Built("other", (("LOCKDEP", "", "y"), ("LOCK_STAT", "n", "y")), {"text": (1000, 1500)})


def counted(getppid=(900, 900, 900), **changes):
    """The record of a built setting, three seeds."""
    made = of([run(getppid)] * 3, STATS, SEEN)._replace(built=BUILT)
    return made._replace(**changes)


def wrong(made):
    return "; ".join(check.problems_of(made, of([run()] * 3)))


def test_a_record_of_another_image_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "one.json"
    path.write_text(record.text_of(counted()))
    assert record.read(path) == counted()
    assert wrong(counted()) == ""


@each(
    ("changes", "says"),
    [
        ({"built": None}, "but not both"),
        ({"setting": STATS._replace(lines=())}, "but not both"),
        ({"built": BUILT._replace(image=MADE.image)}, "the same image"),
        ({"built": BUILT._replace(moved=(("AUDIT", "n", "y"),))}, "not those that were asked for"),
        ({"built": BUILT._replace(moved=(("LOCK_STAT", "y", "n"),))}, "not those"),
        ({"witness": SEEN._replace(without="LOCK_STAT=y")}, "no witness"),
        ({"witness": SEEN._replace(with_it="LOCKDEP=y")}, "no witness"),
        ({"witness": None}, "no witness"),
        ({"made": MADE._replace(image="third")}, "made otherwise"),
    ],
)
def test_a_wrong_one_is_told(changes, says):
    assert says in wrong(counted(**changes))


def test_an_option_that_no_tunable_is_about_has_a_record_of_the_lab_alone(monkeypatch):
    setting = Setting("CONFIG_MEMCG", "y", "n", lines=(("MEMCG", "y"),))
    seen = Seen(IN_IMAGE, "MEMCG=n", "MEMCG=y")
    made = counted(
        setting=setting,
        witness=seen,
        built=BUILT._replace(moved=(("MEMCG", "n", "y"),)),
        memory=LARGE,
    )
    assert wrong(made) == ""
    assert "no witness" in wrong(made._replace(witness=SEEN))
    monkeypatch.setattr(fold, "kernels", lambda: ["k"])
    base, stats = of([run()] * 3)._replace(memory=SMALL), counted(memory=LARGE)
    monkeypatch.setattr(fold, "all_of", lambda _: [base, made, stats])
    assert list(fold.document()["records"]) == ["k/lock-stat=on"]


def test_no_effect_counts_where_code_of_one_image_alone_ran():
    nothing = counted((600, 600, 600), built=BUILT._replace(sizes={}))
    assert "no code that only one of the images has" in wrong(nothing)
    ran = {"getppid": [("lock_acquire", 0, 9)]}
    assert wrong(nothing._replace(ran=ran)) == ""
    sometimes = {"getppid": [("lock_acquire", 0, 8)]}
    assert "no code" in wrong(nothing._replace(ran=sometimes))


def test_what_only_one_image_ran_is_told_by_window():
    def one(**times):
        return Run(run().boot, {"getppid": Window(1, (), Counter(), times)}, {})

    three = (run().boot,) * 3
    runs = [one(f=3, g=3, h=2), one(f=3, lock_acquire=3, lock_stat=2)]
    before, after = ([r._replace(windows={"getppid": r.windows["getppid"]._replace(counts=three)})]
                     for r in runs)  # fmt: skip
    found = only_one_ran(before, after)
    assert found == {"getppid": [("g", 3, 0), ("lock_acquire", 0, 3)]}
    assert only_one_ran(before, after, 1) == {"getppid": [("g", 3, 0)]}


def test_a_record_says_what_differs_beside_the_counts():
    said = "\n".join(
        explain.explain(of([run()] * 3), counted()._replace(functions={"getppid": []}))
    )
    assert "lock-stat=on: LOCK_STAT=y" in said
    assert "2 differ: LOCKDEP none -> y" in said
    assert "1,000 -> 1,500 bytes" in said
    assert "--kernel k" in said


def test_the_table_of_images_has_only_those():
    base = of([run()] * 3)._replace(memory=SMALL)
    assert list(tables.sizes([base, base])) == []
    rows = list(tables.sizes([base, counted(memory=LARGE)]))
    assert rows[-1] == "| `lock-stat=on` | 2 | +500 |  |  |  | +300 kB |"


def test_the_same_programs_are_told_by_the_image_that_was_started():
    made = counted()
    assert again._alike(made.made._replace(image=made.image)) != again._alike(made.made)
    assert made.image == "other"


def test_what_differs_is_told_with_both_values():
    before, after = (
        parse_config(text, "one", complete=True)
        for text in ("CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_D=1\n", "CONFIG_B=y\nCONFIG_D=1\n")
    )
    assert images.moved(before, after) == [("A", "y", ""), ("B", "n", "y")]


@each(
    ("text", "found"),
    [
        ("audit=built", ("audit", "built", "", "")),
        ("hardening.VMAP_STACK=off", ("hardening.VMAP_STACK", "off", "VMAP_STACK", "n")),
        ("CONFIG_MEMCG=y", ("CONFIG_MEMCG", "y", "MEMCG", "y")),
    ],
)
def test_what_is_asked_for_is_spelled_as_elsewhere(text, found):
    wanted = asked(text)
    assert (wanted.tunable, wanted.value, wanted.symbol, wanted.state) == found
    assert wanted.name == text


@each("text", ["", "audit", "=on", "audit=", "CONFIG_HZ=99", "hardening.X=loud"])
def test_what_cannot_be_built_is_an_error(text):
    with pytest.raises(UsageError):
        asked(text)


def test_lines_of_a_fragment_are_its_options():
    text = "# Side effects: AUDITSYSCALL\nCONFIG_AUDIT=y\n# CONFIG_HZ_250 is not set\nCONFIG_HZ=9\n"
    assert lines_of(text) == (("AUDIT", "y"), ("HZ_250", "n"), ("HZ", "9"))
    assert lines_of("# nothing to change\n") == ()


def test_all_that_is_to_be_built_exists_and_may_be():
    knowledge = index.load((), ())
    names = lean.settings()
    assert len(names) == len(set(names)) > 60
    for name in names:
        wanted = asked(name)
        if wanted.tunable.startswith(OPTION):
            assert knowledge.catalogue.facts(wanted.symbol), name
            continue
        group = wanted.tunable.partition(".")[0]
        assert not barred.reason(group), name
        assert not barred.unreached(group, "build"), name
        tunable = knowledge.tunable(group)
        if wanted.symbol:
            assert wanted.symbol in {member.symbol for member in tunable.members}, name
        else:
            value = tunable.value(wanted.value)
            assert value, name
            assert value.sets, f"no configuration decides {name}"


def test_what_is_not_built_is_not_at_hand(tmp_path):
    bench = Bench(tmp_path, tmp_path, print)
    on_lean = counted(made=MADE._replace(kernel=lean.NAME))
    assert not bench.has(on_lean)
    kernel = lean.kernel_in(tmp_path, on_lean.name)
    kernel.folder.mkdir(parents=True)
    kernel.image.write_bytes(b"")
    assert bench.has(on_lean)
    assert not bench.has(on_lean._replace(built=None))
    assert not bench.has(counted(made=MADE._replace(kernel="cloud-6.12")))


def test_the_pair_of_real_time_is_known(tmp_path):
    base = lean.Kernel("amd64-6.12", tmp_path)
    with pytest.raises(UsageError, match=r"no kernel rt-6\.12"):
        images.of_pair(base, "preempt-rt=on", tmp_path)
    assert images.of_pair(base, "audit=on", tmp_path) is None
    known = witness.witness_of("preempt-rt")
    shown = "Linux version 6.12.1{} (x) #1 SMP {} Debian 6.12.1-1 (2026-11-14)"
    seen = Seen(
        "/proc/version", shown.format("-amd64", "PREEMPT_DYNAMIC"),
        shown.format("-rt-amd64", "PREEMPT_RT"),
    )  # fmt: skip
    assert known
    assert witness.proves(known, "on", seen)
    assert not witness.proves(known, "on", seen._replace(without=seen.with_it))


@pytest.mark.kernel
@pytest.mark.slow
def test_the_advisor_makes_the_fragment_for_the_lean_kernel(tmp_path):
    """All lines of base.fragment hold in the tree; and a setting of each spelling is proven."""
    given = os.environ.get("KERNEL_ADVISOR_TREES")
    if not given:
        pytest.skip("KERNEL_ADVISOR_TREES is not set (the folder tests/kernel/prepare.sh fills)")
    tree = Path(given).resolve() / "linux-source-6.12"
    base = PROJECT / "lab" / "base.fragment"
    subprocess.run(
        ["make", "-s", "-C", str(tree), f"O={tmp_path}", "ARCH=x86_64", "alldefconfig"],
        env={**os.environ, "KCONFIG_ALLCONFIG": str(base)}, check=True, capture_output=True,
    )  # fmt: skip
    config = parse_config((tmp_path / ".config").read_text(), "lean", complete=True)
    wanted = lines_of(base.read_text())
    assert [(s, value) for s, value in wanted if (config.get(s) or "n") != value] == []
    for name, line in (
        ("audit=on", ("AUDIT", "y")),
        ("CONFIG_MEMCG=y", ("MEMCG", "y")),
    ):
        assert line in lines_of(fragment(asked(name), tmp_path / ".config", tree))


def packed(head):
    """As much of an image for x86 as names its payload: behind two sectors and 16 bytes."""
    header = bytearray(0x250)
    header[0x1F1] = 1
    header[0x248:0x24C] = (16).to_bytes(4, "little")
    return bytes(header).ljust(2 * 512 + 16, b"\0") + head.ljust(16, b"\0")


def test_how_an_image_is_packed_is_its_own_witness(tmp_path):
    sides = {"base": b"\x1f\x8b\x08\0", "other": b"\x02\x21\x4c\x18"}
    for name, head in sides.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "vmlinuz").write_bytes(packed(head))
    base, other = (lean.Kernel(lean.NAME, tmp_path / name) for name in sides)
    setting = Setting("kernel-compression", "lz4", "gzip", lines=(("KERNEL_LZ4", "y"),))
    seen = images.carried(setting, base, other)
    assert seen == Seen(witness.PACKED, "gzip", "lz4")
    known = witness.witness_of("kernel-compression")
    assert witness.proves(known, "lz4", seen)
    assert not witness.proves(known, "zstd", seen)


def test_another_size_alone_is_an_effect():
    """Bytes are exact, and told from a hundredth on."""
    base = of([run()] * 3)
    for text, found in ((995, None), (950, (1230, 1180))):
        sizes = {"text": (1000, text), "data": (200, 200), "bss": (30, 30), "image": (99, 9)}
        made = counted(STEADY, built=BUILT._replace(sizes=sizes), ran={})
        assert effects.size(made) == found
        said = "; ".join(check.problems_of(made, base))
        assert ("no effect" in said) == (found is None)
    assert effects.size(base) is None
