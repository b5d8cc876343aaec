"""Conditions in words, for those who read reports; condition.show has them as rules write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.model.condition import Expr, Term, atoms, operands, operator_of, term

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_FACTS = {"cpus": "the number of CPUs", "nodes": "the number of NUMA nodes", "memory": "the memory",
          "vendor": "the processor's vendor", "arch": "the architecture",
          "hypervisor": "the hypervisor"}  # fmt: skip
HYPERVISORS = {"kvm": "KVM", "xen": "Xen", "hyperv": "Hyper-V", "vmware": "VMware"}
"""How sentences call what a machine may be a guest of."""
_SIGNS = {"=": "is", "!=": "is not", "<": "is below", "<=": "is at most",
          ">": "is above", ">=": "is at least"}  # fmt: skip
_KERNELS = {"=": "the kernel is {}", "!=": "the kernel is not {}",
            "<": "the kernel is older than {}", "<=": "the kernel is {} or older",
            ">": "the kernel is newer than {}", ">=": "the kernel is {} or newer"}  # fmt: skip
_OPPOSITES = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def _on_the_boot_line(word: str) -> str:
    return "boot line"


def said(
    expr: Expr,
    negated: bool = False,
    nested: bool = False,
    line: Callable[[str], str] = _on_the_boot_line,
) -> str:
    """The condition in words, for the reader of a report; `line` tells where a word stands."""
    tag = operator_of(expr)
    if tag == "!":
        return said(operands(expr)[0], not negated, nested, line)
    if tag not in ("&", "|"):
        return _said_term(term(expr), negated, line)
    if tag == "|" and not negated and (names := _architectures(expr)):
        return f"the architecture is {', '.join(names[:-1])} or {names[-1]}"
    if many := _many(expr, negated):
        return many
    joiner = " and " if (tag == "&") is not negated else " or "
    parts = operands(expr) if negated or tag == "|" else _telling(operands(expr))
    text = joiner.join(said(part, negated, True, line) for part in parts)
    if len(parts) == 1:
        return text
    return f"({text})" if nested else text


def _telling(parts: Sequence[Expr]) -> list[Expr]:
    """Return the parts of an `&` without those that go without saying: what is VMware is not
    Hyper-V."""
    known = {term(part)[1] for part in parts if _is_fact(part, "=")}
    return [part for part in parts if not (_is_fact(part, "!=") and term(part)[1] in known)]


def _is_fact(expr: Expr, sign: str) -> bool:
    return operator_of(expr) == "fact" and term(expr)[2] == sign


_LONG = 240


def shortly(expr: Expr, line: Callable[[str], str] = _on_the_boot_line) -> str:
    """The same, but of what would take several lines only what it is about."""
    text = said(expr, line=line)
    names = list(dict.fromkeys(name for _, name, *_ in atoms(expr)))
    if len(text) <= _LONG or len(names) <= _FIRST + 1:
        return text
    few = ", ".join(names[:_FIRST])
    return f"a combined condition ({few} and {len(names) - _FIRST} more) holds"


# More options than so many are not listed, but the first of them, and the number of the others.
_MANY, _FIRST = 5, 3


def _many(expr: Expr, negated: bool) -> str:
    """`one of A, B, C and 30 others is on`: of many options that are asked alike."""
    parts = operands(expr)
    kinds = {operator_of(part) for part in parts}
    if len(parts) <= _MANY or kinds not in ({"on"}, {"!"}):
        return ""
    inner = parts if kinds == {"on"} else [operands(part)[0] for part in parts]
    if any(operator_of(part) != "on" for part in inner):
        return ""
    names = [term(part)[1] for part in inner]
    off = (kinds == {"!"}) is not negated
    every = (operator_of(expr) == "&") is not negated
    quantity, state = {
        (False, False): ("one", "is on"), (True, True): ("none", "is on"),
        (True, False): ("one", "is off"), (False, True): ("each", "is on"),
    }[off, every]  # fmt: skip
    return f"{quantity} of {', '.join(names[:_FIRST])} and {len(names) - _FIRST} others {state}"


def _architectures(expr: Expr) -> list[str]:
    """Of several architectures of which one is enough, all; none where anything else is asked."""
    parts = [part for part in operands(expr) if operator_of(part) == "fact"]
    names = [value for _, name, sign, value in map(term, parts) if (name, sign) == ("arch", "=")]
    return names if len(names) == len(operands(expr)) else []


def _said_term(expr: Term, negated: bool, line: Callable[[str], str]) -> str:
    kind, name, *compared = expr
    if kind == "on":
        return f"{name} is {'off' if negated else 'on'}"
    if kind == "present":
        return f"the configuration has {'no' if negated else 'a'} line about {name}"
    if kind == "boot":
        word = name.removesuffix("*") if name.endswith("=*") else name
        return f"{word} is {'not ' if negated else ''}on the {line(name)}"
    if kind == "shown":
        return f"{name} {'does not show' if negated else 'shows'} {compared[0]}"
    sign, value = compared
    sign = _OPPOSITES[sign] if negated else sign
    if name == "kernel":
        return _KERNELS[sign].format(value)
    if name == "virtual":
        guest = (value == "guest") is (sign == "=")
        return "the kernel runs in a guest" if guest else "the kernel runs on bare hardware"
    if name == "hypervisor":
        value = HYPERVISORS.get(value, value)
    if name == "efi":
        firmware = (value in ("y", "yes")) is (sign == "=")
        return f"the machine boots {'by' if firmware else 'without'} EFI"
    if (kind, sign, value) == ("fact", ">", "0"):
        return f"{_FACTS.get(name, name)} is given"
    return f"{_FACTS.get(name, name) if kind == 'fact' else name} {_SIGNS[sign]} {value or 'empty'}"
