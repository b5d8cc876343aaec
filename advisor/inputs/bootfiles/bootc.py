"""kargs.d/*.toml of bootable container images.

The keys are kargs and match-architectures, by Rust's names, and no other is allowed; without the
second the words are for all machines (parse_kargs_toml() of bootc's kargs.rs).
"""

from __future__ import annotations

import re
from typing import Any

from advisor.inputs.bootfiles.gathered import Gathered
from advisor.inputs.bootfiles.lines import Lines
from advisor.model.numbers import whole_number

_MACHINES = {
    "x86": ("x86_64", "x86"), "arm64": ("aarch64",), "arm": ("arm",), "s390": ("s390x",),
    "powerpc": ("powerpc64", "powerpc"), "riscv": ("riscv64", "riscv32"),
    "loongarch": ("loongarch64",), "mips": ("mips", "mips64"), "sparc": ("sparc64", "sparc"),
}  # fmt: skip
_TOKEN = re.compile(
    r"#[^\n]*"
    r'|"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}'
    r'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\''
    r"|[A-Za-z0-9_-]+|[=\[\]]",
    re.S,
)
_MOST_BRACKETS = 200


def read(text: str, into: Gathered) -> None:
    """Gathers the words, unless the file is for other machines.

    Raises InputError where bootc would refuse the file.
    """
    document = _document(text, into)
    kargs: Any = document.get("kargs")
    machines: Any = document.get("match-architectures")
    if unknown := document.keys() - {"kargs", "match-architectures"}:
        raise into.error(1, f"bootc refuses the whole file because of the unknown key "
                         f"{min(unknown)[:60]!a}", "remove the key")  # fmt: skip
    if not _strings(kargs) or not (machines is None or _strings(machines)):
        raise into.error(1, "the keys kargs and match-architectures must be lists of strings")
    if machines is not None and into.arch and not {*machines} & {*_MACHINES.get(into.arch, ())}:
        into.remark(f"only for other machines: {', '.join(machines)[:60]}")
        return
    if machines is not None and not into.arch:
        into.remark(f"only for {', '.join(machines)[:60]}")
    lines = Lines(text)
    for word, at in zip(kargs, _places(text, len(kargs)), strict=True):
        into.words(word, lines.of(at), lines.column(at))


def _document(text: str, into: Gathered) -> dict[str, Any]:
    import tomli

    # Those in strings count as well: no list of arguments has so many.
    if text.count("[") + text.count("{") > _MOST_BRACKETS:
        raise into.error(1, f"more than {_MOST_BRACKETS} brackets")
    try:
        return tomli.loads(text)
    except (ValueError, RecursionError) as error:
        found = re.search(r"at line (\d+)", str(error))
        line = (whole_number(found[1]) or 1) if found else text.count("\n") + 1
        raise into.error(line, f"is no TOML: {error}") from error


def _strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _places(text: str, count: int) -> list[int]:
    """Finds where the strings of kargs begin, behind their quotes; line 1 for those not found."""
    inside, places = 0, list[int]()
    for token in _TOKEN.finditer(text):
        sign = token[0][0]
        if token[0] in ("kargs", '"kargs"', "'kargs'") and not inside:
            inside = 1
        elif inside and sign == "[":
            inside = 2
        elif inside and sign == "]":
            break
        elif inside == 2 and sign in "\"'":
            places.append(token.start() + (3 if token[0][:3] == sign * 3 else 1))
    return (places + [0] * count)[:count]
