"""Targets of the readers of configurations, boot lines, settings, packed files and rules."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from advisor.cli import accepted, settings
from advisor.errors import AdvisorError
from advisor.inputs import bootfiles, bootline, menus, merged, policylists, runtime, sysctl
from advisor.inputs.bootfiles import together
from advisor.inputs.config import all_lines, ignored_lines, named_lines, read_stream
from advisor.inputs.cpulist import read_list, show_list
from advisor.inputs.host.root import Root
from advisor.inputs.image import extract_ikconfig
from advisor.inputs.machine import kernel_of, machine_of
from advisor.inputs.tunings.read import read_tuning
from advisor.knowledge.documents import Documents
from advisor.knowledge.files import KnowledgeFile
from advisor.knowledge.index import with_built_in
from advisor.knowledge.load import compile_files
from advisor.knowledge.references import check_references
from advisor.model import condition
from advisor.model.condition_parser import parse
from advisor.model.kernel import Machine, parse_version
from fuzz.seeds import all_of, contents, example, folders, images, texts
from fuzz.target import FindingError, Target, bundled, file_of, files_in, knowledge, text, written

TARGETS: dict[str, Target] = {}
_CONFIGS = ("x86_64-6.12", "arm64-6.1", "x86_64-6.12-bad-ideas")


def _config(data: bytes) -> None:
    config = read_stream(io.BytesIO(data), ".config")
    for lines in (named_lines, all_lines, ignored_lines):
        lines(config)
    for symbol in config.symbols():
        config.entry(symbol)
    menus.menus_beside(config.text, menus.menus(config.text))


def _merged(data: bytes) -> None:
    below, _, above = data.partition(b"\n===\n")
    configs = [read_stream(io.BytesIO(part), ".config", fragment=True) for part in (below, above)]
    config = merged.joined(configs, knowledge().siblings)
    config.lines()
    for symbol in config.symbols():
        config.entry(symbol)
        config.place(symbol)
    config.header()


TARGETS["config"] = Target(
    _config,
    ("inputs.config", "inputs.configlines", "inputs.menus"),
    lambda: all_of(
        map(example, _CONFIGS), contents("examples/bad-ideas.config"),
        texts("tests/inputs/test_config.py", "tests/inputs/test_menus.py"),
    ),
)  # fmt: skip
TARGETS["merged"] = Target(
    _merged,
    ("inputs.merged",),
    lambda: [
        example("x86_64-6.12", 64) + b"\n===\n" + one
        for one in (
            *texts("tests/inputs/test_merged.py"),
            b"CONFIG_HZ_1000=y\nCONFIG_PREEMPT=y\n# CONFIG_SMP is not set\nCONFIG_NR_CPUS=8\n",
        )
    ],
)


def _boot_line(data: bytes) -> None:
    name, _, line = text(data).partition("\n")
    for argument in (line, f"@{file_of(line.encode(), 'cmdline')}"):
        with suppress(AdvisorError):
            bootline.read_cmdline(argument)
    bootline.line_of(line, name)


TARGETS["boot-line"] = Target(
    _boot_line,
    ("inputs.bootline", "model.cmdline"),
    lambda: [
        b"cmdline\n" + one
        for one in all_of(
            contents("examples/*.cmdline"),
            texts("tests/inputs/test_bootline.py", "tests/model/test_cmdline.py"),
        )
    ],
)
TARGETS["sysctl"] = Target(
    lambda data: sysctl.parse_sysctl(text(data), "sysctl"),
    ("inputs.sysctl",),
    lambda: texts("tests/inputs/test_sysctl.py"),
)
TARGETS["run-time"] = Target(
    lambda data: runtime.parse_runtime(text(data), "running"),
    ("inputs.runtime",),
    lambda: all_of(
        contents("examples/server.running"), texts("tests/inputs/test_runtime.py"),
        contents("tests/inputs/host/booted/*", most=2),
    ),
)  # fmt: skip


def _cpu_list(data: bytes) -> None:
    count, _, words = text(data).partition("\n")
    cpus, _, _ = read_list(words, len(count) * 37 or None)
    show_list(cpus or ())


TARGETS["cpu-list"] = Target(
    _cpu_list,
    ("inputs.cpulist",),
    lambda: [
        b"4\n" + one for one in all_of(texts("tests/inputs/test_cpulist.py"), [b"0-3", b"all"])
    ],
)


def _machine(data: bytes) -> None:
    keys = ("arch", "memory", "isolate", "vendor", "kernel")
    found = dict(zip(keys, text(data).split("\n"), strict=False))
    kernel_of(found.pop("kernel", None))
    machine_of({**found, "cpus": 64})


TARGETS["machine"] = Target(
    _machine,
    ("inputs.machine", "model.kernel"),
    lambda: [
        b"x86\n32G\n2-7\nintel\n6.12.3-rc1\n",
        b"arm64\n512M\n2,4,8-15\n\n5.14.0-427.el9.x86_64",
    ],
)

# Files in which people keep boot lines: one target a format


_FORMS: dict[str, list[bootfiles.Format]] = {}
for _form in (*bootfiles.FORMATS, bootfiles.PLAIN):
    _FORMS.setdefault(_form.reader.partition(".")[0], []).append(_form)
_BESIDE = {
    "grub": ("inputs.bootfiles.shell", "inputs.bootfiles.lines"),
    "ansible": ("inputs.bootfiles.apart",),
}
_TESTS = ("tests/inputs/test_bootfiles.py", "tests/cli/test_bootfiles.py")
_MORE = {
    "nix": ("tests/cli/test_nixos.py",),
    "ansible": ("tests/cli/test_ansible.py",),
    "tuned": ("tests/inputs/nextboot/test_writers.py",),
    "modprobe": ("tests/inputs/nextboot/test_writers.py",),
    "sysctls": ("tests/inputs/nextboot/test_sysctls.py",),
}


def _boot_file(reader: str, data: bytes) -> None:
    for form in _FORMS[reader]:
        with suppress(AdvisorError):
            bootfiles.read(text(data), form.names[0] if form.names else f"x.{form.id}", form, "x86")


for _reader in _FORMS:
    TARGETS[f"boot-file-{_reader}"] = Target(
        partial(_boot_file, _reader),
        (f"inputs.bootfiles.{_reader}", *_BESIDE.get(_reader, ())),
        partial(texts, *_TESTS, *_MORE.get(_reader, ())),
    )


def _together(data: bytes) -> None:
    files = {path: text(body) for path, body in files_in(data).items()}
    for path, body in files.items():
        bootfiles.candidate(path, body)
        together.root_of(path)
        together.folders_of(path)
    forms = (bootfiles.format_of(path, body) for path, body in files.items())
    if form := next(filter(None, forms), None):
        bootfiles.read_together([(path, files[path]) for path in together.in_order(files)], form)


TARGETS["boot-files"] = Target(
    _together,
    ("inputs.bootfiles", "inputs.bootfiles.together", "inputs.bootfiles.gathered"),
    lambda: folders(*_TESTS, "tests/cli/test_review.py"),
)

# Lists of settings that teams and vendors keep


def _lists(data: bytes) -> None:
    top = written(files_in(data))
    for form in policylists.FORMATS:
        for path in (str(top), *(str(one) for one in top.rglob("*") if one.is_file())):
            with suppress(AdvisorError):
                policylists.read(form, [path])


def _list_seeds() -> list[bytes]:
    """Folders that tests write, and each text under every name that a reader looks for."""
    own = [one for one in texts("tests/**/test_polic*.py") if b"\n" in one]
    names = ("annotations", "common/CONFIG_A", "android-base-x86.config", "base.xml", "a.scc",
             "a.cfg", "cmdline.txt", "sysctl.conf", "kernel.config")  # fmt: skip
    return all_of(
        folders("tests/**/test_polic*.py"), (bundled(dict.fromkeys(names, one)) for one in own)
    )


TARGETS["policy-lists"] = Target(
    _lists,
    tuple(f"inputs.policylists{one}" for one in (
        "", ".android", ".annotations", ".ark", ".asked", ".fragment", ".kmeta", ".kspp",
    )),
    _list_seeds,
)  # fmt: skip

# Tunings of TuneD, saptune and others


def _tunings(data: bytes) -> None:
    top = written(files_in(data))
    names = [str(one) for one in top.rglob("*") if one.is_file()]
    for name in (*names, "a", text(data[:80])):
        with suppress(AdvisorError):
            read_tuning(name, Root(str(top)), Machine(arch="x86"))


def _tuning_seeds() -> list[bytes]:
    """Each text of the tests under every name that a reader looks for."""
    own = [one for one in texts("tests/inputs/tunings/*.py") if b"\n" in one]
    names = ("a/tuned.conf", "etc/tuned/a/tuned.conf", "usr/share/saptune/notes/a", "sysctl.conf",
             "tmpfiles.conf", "line.txt")  # fmt: skip
    return all_of(
        folders("tests/inputs/tunings/*.py"), (bundled(dict.fromkeys(names, one)) for one in own)
    )


TARGETS["tunings"] = Target(
    _tunings,
    tuple(f"inputs.tunings{one}" for one in (".read", ".saptune", ".tuned")),
    _tuning_seeds,
)

# What is packed

_PACKERS: tuple[Callable[[bytes], bytes], ...] = (
    bytes, gzip.compress, bz2.compress, lzma.compress,
    partial(lzma.compress, format=lzma.FORMAT_ALONE),
    lambda data: b"\x7fELF" + bytes(60) + b"IKCFG_ST" + gzip.compress(data) + b"IKCFG_ED",
    lambda data: b"MZ" + bytes(62) + gzip.compress(b"\x7fELF\0IKCFG_ST" + gzip.compress(data)),
)  # fmt: skip


def packed(data: bytes) -> bytes:
    """The input without its first byte, packed as that says: a mutation breaks the sums of what is
    packed already."""
    return _PACKERS[data[0] % len(_PACKERS)](data[1:]) if data else b""


def _image(data: bytes) -> None:
    for image in (data, packed(data)):
        with suppress(AdvisorError):
            extract_ikconfig(io.BytesIO(image), "vmlinuz")
        with suppress(AdvisorError):
            read_stream(io.BytesIO(image), "vmlinuz")


TARGETS["image"] = Target(
    _image,
    ("inputs.image", "inputs.unpack", "inputs.budget"),
    images,
    ("IKCFG_ST", "IKCFG_ED", "HdrS"),
)

# What is kept in TOML and JSON


def _settings(data: bytes) -> None:
    found = settings.read(str(written(files_in(data)) / "kernel-advisor.toml"))
    settings.check_values(found, knowledge())
    accepted.check_waivers(found.waivers, accepted.rules_of(knowledge()))


TARGETS["settings"] = Target(
    _settings,
    ("cli.settings",),
    lambda: [
        bundled({"kernel-advisor.toml": one})
        for one in all_of(
            contents("examples/kernel-advisor.toml"),
            texts(
                "tests/cli/test_settings.py", "tests/cli/test_waivers.py", "tests/cli/test_kinds.py"
            ),
        )
    ],
)
TARGETS["baseline"] = Target(
    lambda data: accepted.read_baseline(file_of(data)),
    (),  # a part of cli.accepted, whose other functions read nothing
    lambda: all_of(
        contents("examples/kernel-advisor-baseline.json"), texts("tests/cli/test_accepted.py"),
    ),
)  # fmt: skip


class _Answers:
    """What a condition asks: each answer hangs on the name."""

    _TRUTHS = (True, False, frozenset({"sysctl"}))

    def _of(self, name: str, answers: Sequence[Any]) -> Any:
        return answers[sum(name.encode("utf-8", "replace")) % len(answers)]

    def symbol(self, name: str) -> Any:
        return self._of(name, ("y", "m", "n", "250", None))

    def present(self, name: str) -> Any:
        return self._of(name, (True, False, None))

    def fact(self, name: str) -> Any:
        known = {"arch": "x86", "kernel": parse_version("6.12"), "cpus": 8, "memory": 1 << 33}
        return known.get(name)

    def boot(self, word: str) -> Any:
        return self._of(word, self._TRUTHS)

    def shown(self, path: str, form: str) -> Any:
        return self._of(path + form, (True, False))

    def effective(self, tunable: str) -> Any:
        return self._of(tunable, ((("on",), frozenset()), (("on", "off"), frozenset({"config"}))))


def _condition(data: bytes) -> None:
    with suppress(ValueError):  # which is what it raises
        expr, facts = parse(text(data)), _Answers()
        shown = condition.show(expr)
        try:
            assert parse(shown) == expr, (shown, expr)
        except ValueError as error:
            raise FindingError(f"{shown} cannot be read again") from error
        condition.needed(expr)
        condition.given(expr, [str(term) for term in condition.atoms(expr)][:1])
        condition.spelled(expr, lambda name: f"{name}_NOW")
        condition.unknowns(condition.evaluate(expr, facts))
        for part in (
            condition.lacking,
            condition.elsewhere,
            condition.deciding,
            condition.left_open,
        ):
            condition.symbols(part(expr, facts))


TARGETS["condition"] = Target(
    _condition,
    ("model.condition", "model.condition_parser"),
    lambda: all_of(
        texts("tests/model/test_condition.py", "tests/model/test_condition_parser.py"),
        (one for toml in contents("rules/mm/*.toml") for one in toml.split(b'"')),
    ),
)  # fmt: skip

_KINDS = ("tunable", "profile", "software", "parameters", "repository", "modules", "names",
          "components", "successors", "protections", "symptoms", "lifecycle")  # fmt: skip


def _rules(data: bytes) -> Documents:
    """A file of rules, whose kind its first byte says."""
    kind = _KINDS[data[0] % len(_KINDS)] if data else "names"
    return compile_files([KnowledgeFile(kind, "mine.toml", "mm", data[1:])], check=True)


def _rules_over_built_in(data: bytes) -> None:
    """Such a file over the built-in ones: what is derived from all of them takes its time."""
    own = _rules(data)
    known = with_built_in(own)
    check_references(known, own)
    for name in own.tunables:
        known.tunable(name)
        known.notes(name)
    for name in own.profiles:
        known.profile(name)
    for name in own.programs:
        known.program(name)
    for name in own.parameters:
        known.parameter(name)


def _rule_files() -> Iterator[bytes]:
    for number, kind in enumerate(_KINDS):
        folder = {"tunable": "rules/*/*.toml", "profile": "profiles/*.toml",
                  "software": "software/*.toml"}.get(kind, f"rules/{kind}*")  # fmt: skip
        for one in contents(
            folder, f"{folder}/*.toml", f"software/{kind}.toml", most=12, longest=6000
        ):
            yield bytes((number,)) + re.sub(rb"(?m)^id = .*", b'id = "mine"', one, count=1)


def _rule_seeds() -> list[bytes]:
    written = (one for one in texts("tests/knowledge/*.py") if b" = " in one and b"\n" in one)
    return all_of(_rule_files(), (b"\0" + one for one in written))


TARGETS["rules"] = Target(
    _rules,
    tuple(f"knowledge.{one}" for one in ("load", "schema", "tomltext")),
    _rule_seeds,
)
TARGETS["way-rules"] = Target(
    _rules_over_built_in, ("knowledge.decode", "knowledge.references"), _rule_seeds, whole=True
)
