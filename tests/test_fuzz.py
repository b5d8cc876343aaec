"""What fuzzing found, run again without Atheris; and that targets, inputs and modules exist."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from fuzz.target import FindingError, Target, bundled, files_in, held, written
from fuzz.targets import LEFT_OUT, ROOMS, TARGETS

from .cases import each

KEPT = Path(__file__).with_name("fuzz")
PACKAGE = Path(__file__).parents[1] / "advisor"
FOUND = sorted(str(path.relative_to(KEPT)) for path in KEPT.glob("*/*"))


def test_what_was_found_is_none_any_more():
    for name in FOUND:
        TARGETS[name.partition("/")[0]]((KEPT / name).read_bytes())


@each("name", list(TARGETS))
def test_a_target_names_modules_that_exist(name):
    assert all(find_spec(f"advisor.{module}") for module in TARGETS[name].modules)


@each("room", ROOMS)
def test_each_reader_has_a_target_or_a_reason(room):
    folder = PACKAGE / room.replace(".", "/")
    names = {
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
        for path in folder.rglob("*.py")
        if len(path.read_text().splitlines()) > 1
    }
    covered = {module for target in TARGETS.values() for module in target.modules}
    assert names - covered == {name for name in LEFT_OUT if name.startswith(f"{room}.")}


# A whole way needs seconds for all its seeds; CI fuzzes them.
@each("name", [name for name, target in TARGETS.items() if not target.whole])
def test_the_first_inputs_of_a_target_are_no_findings(name):
    seeds = list(TARGETS[name].seeds())
    assert seeds
    for seed in seeds[:: 1 + len(seeds) // 4]:
        TARGETS[name](seed)


def test_files_in_one_input_are_those_that_went_in():
    files = {"/etc/a.conf": "x = 1\n", "b": b"\xff\n"}
    assert files_in(bundled(files)) == {"etc/a.conf": b"x = 1\n", "b": b"\xff\n"}
    assert held(bundled(files)).text("/etc/a.conf") == "x = 1\n"


def test_no_file_of_an_input_is_written_out_of_its_folder():
    top = written(
        {"../out": b"x", "a/../../b": b"x", "": b"x", "c/d": b"y", "c": b"z", "e\0": b"x"}
    )
    assert [str(path.relative_to(top)) for path in sorted(top.rglob("*"))] == ["c", "c/d"]
    assert not (top.parent / "out").exists()


def test_an_error_of_the_product_is_no_finding_and_all_else_is():
    from advisor.errors import AdvisorError, InputError

    def fails_with(error):
        def fails(_data):
            raise error

        return Target(fails, (), list)

    fails_with(InputError("wrong"))(b"")
    for error in (ValueError("x"), FindingError("x"), AdvisorError("of no kind")):
        with pytest.raises(type(error)):
            fails_with(error)(b"")
