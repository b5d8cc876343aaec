"""What a word of the boot line says: its value, as the type of its parameter reads it."""

from __future__ import annotations

from collections.abc import Callable

from advisor.model.kernel import Word
from advisor.model.numbers import kernel_number
from advisor.model.parameter import Parameter


def is_like(value: str, known: str) -> bool:
    """Return whether a value is one of the rules' words, which may end in `*`."""
    return value == known or (known.endswith("*") and value.startswith(known[:-1]))


def plain(word: Word) -> str:
    """Return the word without quotes, its name as the kernel compares it."""
    return word.name if word.value is None else f"{word.name}={word.value}"


def means(word: Word, pattern: str, parameter: Parameter | None) -> bool:
    """Tell whether a word of that parameter means `pattern`, as in `nohz_full=*`."""
    joined = parameter is not None and parameter.joined
    kind = parameter.type if parameter and not joined else "string"
    _, equals, wanted = pattern.partition("=")
    if not equals:
        return word.value is None or kind == "flag"  # whose handler reads no value
    if wanted == "*":
        return word.value is not None
    value = word.value if word.value is not None else ("1" if kind == "bool" else "")
    if kind in _READERS:
        read = _READERS[kind](value)
        return read is not None and read == _READERS[kind](wanted)
    if kind == "ip":
        from advisor.engine.effective.ip_config import method_of

        value = method_of(value)
    elif parameter and parameter.anycase and kind in ("enum", "string") and not joined:
        value, wanted = value.lower(), wanted.lower()
    # Each of the words joined by commas (cgroup_disable=rdma,memory) counts as alone.
    parts = [value, *(value.split(",") if joined else ())]
    return any(is_like(part, wanted) for part in parts)


def truth_of(text: str) -> bool | None:
    """Read a boolean as kstrtobool() does, by its first letters; None for anything else."""
    low = text[:2].lower()
    if low[:1] in ("1", "y", "t") or low == "on":
        return True
    return False if low[:1] in ("0", "n", "f") or low == "of" else None


def _number(text: str) -> int | str:
    number = kernel_number(text)
    return text if number is None else number


def _is_on(text: str) -> bool | None:
    number = kernel_number(text)
    return None if number is None else number != 0  # any but 0 is on


# How the values of these types are read before they are compared; None is no value.
_READERS: dict[str, Callable[[str], int | str | None]] = {
    "bool": truth_of, "int": _number, "truth": _is_on,
}  # fmt: skip
