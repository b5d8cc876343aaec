"""`python -m lab`: measures what settings cost, and shows it (docs/evidence/lab.md)."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from advisor.errors import AdvisorError, UsageError
from advisor.files import silence

from . import again, check, explain, fold, lean, tables
from .bench import Bench
from .images import Image
from .machine import Kernel, Lab
from .measure import Measurement
from .record import RECORDS, all_of, kernels, read, write
from .settings import CONTROL, Rules

_BUILD = Path("build/lab")
_KERNEL = "cloud-6.12"


def main(arguments: list[str]) -> int:
    """The exit code: 0, 1 for records that are wrong or settings that could not be measured, or
    that of the error."""
    asked = _parser().parse_args(arguments)
    try:
        code = int(asked.does(asked))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        silence(sys.stdout)  # whoever reads has seen enough
        return 0
    except AdvisorError as error:
        print(f"lab: {error}", file=sys.stderr)
        return error.exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lab", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="measure settings, and keep their records")
    run.add_argument("settings", nargs="*", metavar="TUNABLE=VALUE", help=f"or {CONTROL.name}")
    run.add_argument("--all-boot", action="store_true", help="all that the boot line can give")
    run.add_argument("--all-build", action="store_true", help="all of lab/builds.toml, built")
    run.add_argument("--together", metavar="NAME", help="all of them at once, after one by one")
    run.set_defaults(does=_run)
    repeat = commands.add_parser("again", help="measure a record again, and compare")
    repeat.add_argument("record", nargs="?", help="TUNABLE=VALUE or as-it-is; else one by --by")
    repeat.add_argument("--by", default="", help="a text that chooses record and seed")
    repeat.add_argument("--package", type=Path, help="its kernel's or source's package file")
    repeat.set_defaults(does=_again)
    a_kernel = f"as make kernels calls it, or {lean.NAME}, on which settings are built"
    run.add_argument("--kernel", default=_KERNEL, help=a_kernel)
    repeat.add_argument("--kernel", help=f"{a_kernel}; else any that is at hand")
    for command in (run, repeat):
        command.add_argument("--kernels", type=Path, help="where make kernels unpacked it")
        command.add_argument("--build", type=Path, default=_BUILD, help="the lab's own files")
    commands.add_parser("check", help="what is wrong with the records").set_defaults(does=_check)
    told = commands.add_parser("fold", help="tell the product what the records say")
    told.set_defaults(does=_fold)
    one = commands.add_parser("explain", help="what a record says")
    one.add_argument("record", help="TUNABLE=VALUE, or a file")
    one.add_argument("--kernel", default=_KERNEL)
    one.set_defaults(does=_explain)
    pages = commands.add_parser("tables", help="write the tables of docs/evidence/lab.md")
    pages.set_defaults(does=_tables)
    return parser


def _lab(asked: argparse.Namespace) -> tuple[Lab, Bench]:
    folder = asked.build.resolve()
    unpacked = asked.kernels or Path(os.environ.get("KERNEL_ADVISOR_BOOT", "build/kernels/boot"))
    return Lab(folder / "guest", folder / "runs"), Bench(unpacked.resolve(), folder, _say)


def _run(asked: argparse.Namespace) -> int:
    lab, bench = _lab(asked)
    kernel = bench.kernel(lean.NAME if asked.all_build else asked.kernel)
    rules = Rules(kernel)
    names = list(asked.settings) + (lean.settings() if asked.all_build else [])
    names += [setting.name for setting in rules.all_boot()] if asked.all_boot else []
    measurement = Measurement(lab, kernel, _say)
    base = measurement.base()
    write(base)
    failed = 0
    if asked.together:
        singly = [rules.setting(name) for name in names]
        print(write(measurement.together(asked.together, singly, base)))
        return 0
    for name, coming in _images(bench, kernel, names):
        try:
            image = coming.result()
            setting = image.setting if image else rules.setting(name)
            print(write(measurement.record(setting, base, image)), flush=True)
        except AdvisorError as error:
            # Of all there are, many have no record, and say why.
            failed += not (asked.all_boot or asked.all_build)
            print(f"lab: {error}", file=sys.stderr, flush=True)
    return 1 if failed else 0


def _images(
    bench: Bench, kernel: Kernel, names: Sequence[str]
) -> Iterator[tuple[str, Future[Image | None]]]:
    """Each setting, and the image that has it: one is built while another is measured."""
    builder = ThreadPoolExecutor(1)
    try:
        yield from [(name, builder.submit(bench.image, kernel, name)) for name in names]
    finally:
        builder.shutdown(cancel_futures=True)


def _again(asked: argparse.Namespace) -> int:
    if asked.package and not asked.record:
        raise UsageError("--package is for one record, which is not named")
    lab, bench = _lab(asked)
    of = [asked.kernel] if asked.kernel else [_KERNEL] if asked.record else kernels()
    records = [record for kernel in of for record in all_of(kernel)]
    if asked.record:
        records = [record for record in records if record.name == asked.record]
    elif not asked.kernel:
        records = [record for record in records if bench.has(record)]
    if not records:
        raise UsageError(f"no record {asked.record or 'of ' + ', '.join(of)}")
    record, seed = again.chosen(records, asked.by)
    kernel = bench.packaged(record, asked.package) if asked.package else bench.started(record)
    outcome = again.again(lab, kernel, record, seed)
    print(*outcome.differences, sep="\n", end="\n" if outcome.differences else "")
    like = "differs" if outcome.differences else "exactly" if outcome.exact else "within the spread"
    print(f"{record.made.kernel}/{record.name}, seed {seed}: {like}")
    return 1 if outcome.differences else 0


def _say(what: str) -> None:
    print(f"lab: {what}", file=sys.stderr, flush=True)


def _check(asked: argparse.Namespace) -> int:
    del asked
    wrong = list(check.problems())
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


def _fold(asked: argparse.Namespace) -> int:
    del asked
    fold.write()
    return 0


def _explain(asked: argparse.Namespace) -> int:
    path = Path(asked.record)
    if not path.is_file():
        path = RECORDS / asked.kernel / f"{asked.record}.json"
    if not path.is_file():
        raise UsageError(f"no record {asked.record}", hint=f"they are in {RECORDS}")
    record = read(path)
    base = read(RECORDS / record.made.kernel / "as-it-is.json")
    print(*explain.explain(base, record), sep="\n")
    return 0


def _tables(asked: argparse.Namespace) -> int:
    del asked
    tables.write()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
