"""The records that are kept: nothing wrong with them, and one of them measured again."""

from __future__ import annotations

import lzma
import os
import shutil
from pathlib import Path

import pytest

from lab import again, barred
from lab.__main__ import main
from lab.effects import effects, noise
from lab.machine import Kernel, Lab, kernel_of
from lab.record import all_of, kernels
from lab.settings import CONTROL, Rules

from ..cases import each

# Those that tests/boot/prepare.sh gets: nothing is built to measure again.
KERNELS = ("cloud-6.1", "cloud-6.12")
DEBIAN = Path(__file__).parents[2] / "examples/x86_64-6.12.config.xz"


@pytest.mark.slow
def test_the_command_finds_nothing_wrong_with_the_records(capsys):
    assert main(["check"]) == 0
    assert capsys.readouterr().out == ""


@each("kernel", kernels())
def test_a_word_that_no_kernel_knows_has_no_effect(kernel):
    base, *others = all_of(kernel)
    control = next(record for record in others if record.setting == CONTROL)
    assert not any(effect.found for effect in effects(base, control))


@each("kernel", kernels())
def test_seeds_differ_by_little(kernel):
    spread = noise(all_of(kernel)[0])
    assert spread["getppid"] < 0.01
    assert max(spread.values()) < 0.1


def test_a_record_is_explained(capsys):
    assert main(["explain", "audit=on"]) == 0
    said = capsys.readouterr().out
    assert "kernel instructions an operation, of 32" in said
    assert "__audit_syscall_entry" in said


def test_one_that_is_not_there_is_an_error(capsys):
    assert main(["explain", "audit=loud"]) == 2
    assert "no record audit=loud" in capsys.readouterr().err


@pytest.mark.slow
def test_of_all_that_the_line_can_give_each_has_a_record_or_a_reason_for_none(tmp_path):
    # Debian's whole kernel, of which the lab's is a part: no kernel has to be there for it.
    (tmp_path / "config").write_bytes(lzma.decompress(DEBIAN.read_bytes()))
    settings = Rules(Kernel(KERNELS[-1], tmp_path)).all_boot()
    recorded = {record.setting.tunable for record in all_of(KERNELS[-1])}
    told = recorded | set(barred.reasons()) | set(barred.unreached_reasons())
    assert {setting.tunable for setting in settings} - told == set()


@pytest.mark.boot
@pytest.mark.slow
def test_one_record_again(request, tmp_path):
    """One start; the commit chooses of which record and seed."""
    given = os.environ.get("KERNEL_ADVISOR_BOOT")
    if not given:
        pytest.skip("KERNEL_ADVISOR_BOOT is not set (the folder that tests/boot/prepare.sh fills)")
    records = [record for name in KERNELS for record in all_of(name)]
    record, seed = again.chosen(records, request.config.getoption("--seed"))
    kernel = kernel_of(record.made.kernel, Path(given).resolve())
    needed = (kernel.platform.machine[0], kernel.platform.compiler, "gcc")
    if lacking := [program for program in needed if not shutil.which(program)]:
        pytest.skip(f"no {', '.join(lacking)}")
    outcome = again.again(Lab(tmp_path / "guest", tmp_path / "runs"), kernel, record, seed)
    how = "exact" if outcome.exact else "by spreads"
    print(f"{record.made.kernel}/{record.name}, seed {seed}: {how}")
    assert outcome.differences == ()
