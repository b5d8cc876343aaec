"""Conditions of rules and profiles as they are once parsed, evaluated in three truth values.

Conditions read as Kconfig expressions do (docs/writing-rules.md). A parsed condition is made of
plain lists, so that the index can hold it as JSON:

    ["&", a, ...]  ["|", a, ...]  ["!", a]
    ["sym", "HZ", ">=", "250"]    ["on", "HZ_250"]     ["present", "HZ_250"]
    ["fact", "kernel", ">=", "6.12"]  ["boot", "nohz=off"]  ["is", "tick-mode", "=", "idle"]
    ["shown", "/sys/devices/system/cpu/vulnerabilities/mds", "Not affected"]

A truth is True, False, or the set of inputs that would tell.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias

from advisor.model.numbers import kernel_number, size, whole_number

Term: TypeAlias = Sequence[str]
"""A condition that holds no other: ["sym", "HZ", ">=", "250"]."""
Expr: TypeAlias = "Sequence[str | Expr] | None"
"""A parsed condition: a Term, or an operator and what it joins. None is no condition."""
Truth: TypeAlias = bool | frozenset[str]
"""True, False, or the names of the inputs that would tell."""
Numbers: TypeAlias = tuple[int, ...]
Fact: TypeAlias = "str | int | Numbers | tuple[Numbers, Numbers] | None"
"""A word, a count, a version, or the two versions between which it is."""
_HEX = ("0x", "0X")
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt,
    "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
OPERATORS = ("&", "|", "!")


class Facts(Protocol):
    """What a condition can ask."""

    def symbol(self, name: str) -> str | None:
        """Value of a symbol, strings without quotes; None where a fragment does not tell."""

    def present(self, name: str) -> bool | None:
        """Whether the configuration names the symbol; None where a fragment does not tell."""

    def fact(self, name: str) -> Fact:
        """A fact of kernel or machine; None where it was not told."""

    def boot(self, word: str) -> Truth:
        """Whether the word counts on the command line, or what would tell."""

    def shown(self, path: str, form: str) -> Truth:
        """Whether a file of the running kernel shows that; not where it was not told, or what would
        tell."""

    def effective(self, tunable: str) -> tuple[tuple[str, ...], frozenset[str]]:
        """Possible values of another tunable, and the inputs that would narrow them."""


def operator_of(expr: Expr) -> str:
    """`&`, `|` or `!`; of a term the name of its kind; empty for no condition."""
    return expr[0] if expr else ""  # type: ignore[return-value]  # a cast at run time is a call


def operands(expr: Expr) -> Sequence[Expr]:
    """The conditions that an operator joins or negates."""
    return expr[1:] if expr else ()


def term(expr: Expr) -> Term:
    """A condition that is known to be a term."""
    return expr  # type: ignore[return-value]  # as above


def atoms(expr: Expr) -> Iterator[Term]:
    """Every term of a parsed condition, in order; nothing for None."""
    if operator_of(expr) in OPERATORS:
        for part in operands(expr):
            yield from atoms(part)
    elif expr:
        yield term(expr)


def symbols(expr: Expr) -> list[str]:
    """The Kconfig symbols a condition names, in order, each once."""
    return list(dict.fromkeys(a[1] for a in atoms(expr) if a[0] in ("on", "sym", "present")))


def needed(expr: Expr) -> list[str]:
    """The Kconfig symbols that have to be on for a condition to hold, whatever else is so."""
    tag = operator_of(expr)
    if tag == "&":
        return [symbol for part in operands(expr) for symbol in needed(part)]
    return [term(expr)[1]] if tag == "on" else []


def given(expr: Expr, facts: Sequence[str]) -> Expr:
    """The condition with what it asks of these facts taken as given."""
    tag = operator_of(expr)
    if tag == "fact":
        return ["&"] if term(expr)[1] in facts else expr
    return [tag, *(given(part, facts) for part in operands(expr))] if tag in OPERATORS else expr


def evaluate(expr: Expr, facts: Facts) -> Truth:
    """The truth of a condition; None (no condition) is True."""
    if expr is None:
        return True
    tag = expr[0]
    if tag == "on":
        name: str = expr[1]  # type: ignore[assignment]  # as above
        value = facts.symbol(name)
        return frozenset((name,)) if value is None else value in ("y", "m")
    if tag in ("&", "|"):
        return _joined(operands(expr), facts, tag == "|")
    if tag == "!":
        truth = evaluate(operands(expr)[0], facts)
        return truth if isinstance(truth, frozenset) else not truth
    return _EVALUATE[operator_of(expr)](term(expr), facts)


def surely(expr: Expr, facts: Facts) -> bool:
    """Whether there is a condition, and it holds whatever was not told."""
    return expr is not None and evaluate(expr, facts) is True


def unknowns(truth: Truth) -> frozenset[str]:
    """The names of the inputs that would tell; none where the truth is known."""
    return truth if isinstance(truth, frozenset) else frozenset()


_NOT_TO_BE_SET = ("fact", "present", "shown")


def lacking(expr: Expr, facts: Facts) -> Expr:
    """Of a condition that is false, what would have to be set: not what holds already, and not
    which machine it would have to be, where anything else is left; nor which kernel, where another
    way is left that this kernel has."""
    tag = operator_of(expr)
    if tag not in ("&", "|"):
        return expr
    wrong = [part for part in operands(expr) if evaluate(part, facts) is False]
    parts = [part for part in wrong if operator_of(part) not in _NOT_TO_BE_SET]
    if tag == "|":
        parts = [part for part in parts if not _is_other_kernel(part, facts)] or parts
    elif parts:
        parts = [part for part in wrong if part in parts or _is_other_kernel(part, facts)]
    # What only a running kernel shows is asked for last.
    parts = parts or [part for part in wrong if operator_of(part) != "shown"] or wrong
    return _rejoined(tag, [lacking(part, facts) for part in parts])


def _is_other_kernel(expr: Expr, facts: Facts) -> bool:
    """Whether a condition is false as long as the kernel is of this version."""
    tag = operator_of(expr)
    if tag == "&":
        return any(_is_other_kernel(part, facts) for part in operands(expr))
    if tag == "|":
        return all(_is_other_kernel(part, facts) for part in operands(expr))
    return tag == "fact" and term(expr)[1] == "kernel" and evaluate(expr, facts) is False


def elsewhere(expr: Expr, facts: Facts) -> Expr:
    """A condition that is false, without what is about other architectures than the one told; where
    nothing else would be left, which architectures it is about."""
    tag = operator_of(expr)
    if tag not in ("&", "|"):
        return expr
    parts = [elsewhere(part, facts) for part in operands(expr)]
    others = [part for part in parts if _is_other(part, facts)]
    if tag == "&" and others:
        return others[0]
    return _rejoined(tag, [part for part in parts if part not in others] or others)


def is_elsewhere(expr: Expr, facts: Facts) -> bool:
    """Whether a condition is false, and about other architectures than the one told."""
    return evaluate(expr, facts) is False and _is_other(elsewhere(expr, facts), facts)


def _is_other(expr: Expr, facts: Facts) -> bool:
    """Whether it is about the architecture alone, and about another one."""
    of_arch = all(kind == "fact" and name == "arch" for kind, name, *_ in atoms(expr))
    return of_arch and evaluate(expr, facts) is False


def deciding(expr: Expr, facts: Facts) -> Expr:
    """Of a condition whose truth is known, what makes it so: of a true `a || b` the parts that
    hold, of a false `a && b` those that do not."""
    tag = operator_of(expr)
    if tag not in ("&", "|"):
        return expr
    truth = evaluate(expr, facts)
    parts = [part for part in operands(expr) if evaluate(part, facts) is truth]
    return _rejoined(tag, [deciding(part, facts) for part in parts])


def left_open(expr: Expr, facts: Facts) -> Expr:
    """Of a condition whose truth is not known, the part that leaves it open."""
    tag = operator_of(expr)
    if tag not in OPERATORS:
        return expr
    open_parts = [part for part in operands(expr) if unknowns(evaluate(part, facts))]
    return _rejoined(tag, [left_open(part, facts) for part in open_parts])


def follows(expr: Expr, given: Expr, facts: Facts) -> bool:
    """Whether a condition whose truth is not known holds wherever another one, `given`, does: each
    part that leaves it open is a part of that."""

    def parts(joined: Expr) -> Sequence[Expr]:
        return operands(joined) if operator_of(joined) == "&" else [joined]

    known = parts(given)
    return all(part in known for part in parts(left_open(expr, facts)))


def spelled(expr: Expr, name_of: Callable[[str], str]) -> Expr:
    """The condition with the symbols under the names that `name_of` gives them, each once."""
    tag = operator_of(expr)
    if tag in ("on", "sym"):
        _, name, *compared = term(expr)
        return [tag, name_of(name), *compared]
    if tag not in OPERATORS:
        return expr
    parts: list[Expr] = []
    parts += (one for one in (spelled(p, name_of) for p in operands(expr)) if one not in parts)
    return parts[0] if len(parts) == 1 and tag != "!" else [tag, *parts]


def _rejoined(tag: str, parts: Sequence[Expr]) -> Expr:
    """What is left of a condition's parts: of several one needs no operator, and those of a part
    that is joined alike stand beside the others."""
    if tag == "!":
        return [tag, *parts]
    flat: list[Expr] = []
    for part in parts:
        flat += operands(part) if operator_of(part) == tag else [part]
    return flat[0] if len(flat) == 1 else [tag, *flat]


def _joined(parts: Sequence[Expr], facts: Facts, decisive: bool) -> Truth:
    missing: frozenset[str] = frozenset()
    for part in parts:
        truth = evaluate(part, facts)
        if truth is decisive:
            return decisive  # whatever the others are: no input has to be asked for
        missing |= unknowns(truth)
    return missing or not decisive


def _symbol(expr: Term, facts: Facts) -> Truth:
    value = facts.symbol(expr[1])
    if value is None:
        return frozenset((expr[1],))
    wanted = expr[3]
    is_hex = wanted[:2] in _HEX
    if expr[2] in ("=", "!=") and not is_hex:
        # Of a list that must have a word in it `*word*` is asked, of one before another `*a*b*`.
        equal = _has(value, wanted.strip("*")) if wanted.startswith("*") else value == wanted
        return equal is (expr[2] == "=")
    if is_hex and value[:2] not in _HEX:
        value = f"0x{value}"  # as Kconfig reads the value of a hex symbol
    number, limit = kernel_number(value), kernel_number(wanted)
    if expr[2] in ("=", "!="):
        return (number == limit) is (expr[2] == "=")
    # A symbol that is off has no number.
    return None not in (number, limit) and _COMPARE[expr[2]](number, limit)


def _has(value: str, words: str) -> bool:
    """Whether a text has these words, which `*` parts, in this order."""
    word, _, rest = words.partition("*")
    _, found, behind = value.partition(word)
    return bool(found) and (not rest or _has(behind, rest))


def _present(expr: Term, facts: Facts) -> Truth:
    known = facts.present(expr[1])
    return frozenset((expr[1],)) if known is None else known


def _is(expr: Term, facts: Facts) -> Truth:
    values, missing = facts.effective(expr[1])
    hits = [value for value in values if value == expr[3]]
    equal = bool(expr[2] == "=")
    if len(hits) == len(values) and values:
        return equal
    # A tunable that does not exist here has no value, so that it is not that one.
    if not hits and not (missing and not values):
        return not equal
    return missing or frozenset((expr[1],))


def _fact(expr: Term, facts: Facts) -> Truth:
    name, sign, wanted = expr[1:]
    value = facts.fact(name)
    if value is None:
        return frozenset((name,))
    if isinstance(value, tuple):
        return _version(value, sign, tuple(whole_number(n) or 0 for n in wanted.split(".")))
    if isinstance(value, int):
        return _COMPARE[sign](value, size(wanted))
    return (value == wanted) is (sign == "=")


def _version(value: Numbers | tuple[Numbers, Numbers], sign: str, wanted: Numbers) -> Truth:
    """`kernel = 6.12` is so of 6.12.117: as many numbers count as the condition names.

    Of a kernel between two versions that is true or false which is so of all of them.
    """
    ends: Any = value if isinstance(value[0], tuple) else (value, value)
    low, high = (end[: len(wanted)] for end in ends)
    truths = {_COMPARE[sign](low, wanted), _COMPARE[sign](high, wanted)}
    if len(truths) > 1 or (sign in ("=", "!=") and low < wanted < high):
        return frozenset(("kernel",))
    return truths.pop()


_EVALUATE: dict[str, Callable[[Term, Facts], Truth]] = {
    "sym": _symbol,
    "present": _present,
    "boot": lambda expr, facts: facts.boot(expr[1]),
    "shown": lambda expr, facts: facts.shown(expr[1], expr[2]),
    "is": _is,
    "fact": _fact,
}


def show(expr: Expr, nested: bool = False) -> str:
    """The condition as text, for messages."""
    tag = operator_of(expr)
    if tag in ("&", "|"):
        text = (" && " if tag == "&" else " || ").join(show(part, True) for part in operands(expr))
        return f"({text})" if nested else text
    if tag == "!":
        return "!" + show(operands(expr)[0], True)
    _, name, *compared = term(expr)
    if tag == "on":
        return name
    if tag == "shown":
        return f"shown({name} = {compared[0]})"
    if tag in ("present", "boot"):
        return f"{tag}({name})"
    sign, value = compared
    quote = "" if _is_word(value) else '"'
    return f"{name}{sign}{quote}{value}{quote}"


def _is_word(value: str) -> bool:
    """Whether a value is read as one word without quotation marks (condition_parser.py)."""
    return value.replace("_", "").replace(".", "").replace("+", "").replace("-", "").isalnum()
