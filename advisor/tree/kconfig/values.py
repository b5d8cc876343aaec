"""What a parsed tree's symbols come to, as scripts/kconfig/symbol.c of that tree works it out.

kconfiglib evaluates as the kernel did around 5.2. What differs since (ranges, imply, choices), and
what always did, is overridden here; its expressions and its caches are used as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import kconfiglib
from kconfiglib import BOOL, HEX, INT, STRING, TRISTATE, expr_value

from advisor.model.numbers import whole_number
from advisor.tree.kconfig.text import DOLLAR

NO_SLOTS: tuple[str, ...] = ()
"""Of classes that take the place of kconfiglib's: of equal layout, so that objects can change."""
_BASES = {INT: 10, HEX: 16}
_LETTERS = "nmy"
_DIGITS = {
    10: re.compile(r"\s*([-+]?)([0-9]+)"),
    16: re.compile(r"\s*([-+]?)(?:0[xX](?=[0-9a-fA-F]))?([0-9a-fA-F]+)"),
}
_LARGEST, _LONGEST = (1 << 63) - 1, 19
"""What a long long holds, and how many digits are surely more."""


class Dialect(NamedTuple):
    """How this tree's own tool works values out; each a change of scripts/kconfig at some time."""

    modern_choices: bool
    """6.11: members by priority of their lines, no tristate choices."""
    clamps: bool
    """6.8: a value out of range becomes the range's end; before, the default."""
    zero: bool
    """6.8: a number without a value is 0; before, nothing."""
    imply_limited: bool
    """5.7: imply obeys the dependencies, and does not turn m into y."""
    writes_defaults: bool
    """Up to 4.17: a default of n is written too, and so is DEFCONFIG_LIST."""
    loose_selects: bool
    """Up to 5.0, no more in 5.4: a bool that depends on `FOO != n` selects no further than FOO."""


SOURCES = ("symbol.c", "confdata.c", "menu.c")
"""The files of scripts/kconfig that show the dialect."""


def dialect(sources: Iterable[str], version: tuple[int, int, int]) -> Dialect:
    """What the texts of SOURCES show; where one is not at hand, what the version tells."""
    symbol_c, confdata_c, menu_c = sources
    # Headers packages come without them; distributions backport, so the version is second best.
    if not (symbol_c and confdata_c and menu_c):
        return Dialect(
            modern_choices=version >= (6, 11, 0),
            clamps=version >= (6, 8, 0),
            zero=version >= (6, 8, 0),
            imply_limited=version >= (5, 7, 0),
            writes_defaults=version < (4, 18, 0),
            loose_selects=version < (5, 4, 0),
        )
    return Dialect(
        modern_choices="choice_members" in symbol_c,
        clamps="~(SYMBOL_VALID|SYMBOL_DEF_USER)" not in confdata_c,
        zero='newval.val = "0"' in symbol_c,
        imply_limited=bool(re.search(r"EXPR_AND\(newval\.tri,\s+sym->dir_dep\.tri\)", symbol_c)),
        writes_defaults=bool(
            re.search(r"if \(prop\) \{\s+sym->flags \|= SYMBOL_WRITE;\s+newval\.tri", symbol_c)
        ),
        loose_selects="expr_trans_bool(" in menu_c,
    )


def invalidate(*items: Any) -> set[Any]:
    """Forgets the values of these and of all that depend on them, and returns them but for those
    that had none; kconfiglib's recurses."""
    stack = list(items)
    forgotten = set()
    while stack:
        item = stack.pop()
        forgotten.add(item)
        if item is item.kconfig.modules:
            # m counts as y without it, so every tristate depends on it.
            item.kconfig._invalidate_all()
            forgotten.update(item.kconfig.unique_defined_syms)
            break
        item._invalidate()
        stack.extend(other for other in item._dependents if other._cached_vis is not None)
    return forgotten


class ValueSymbol(kconfiglib.Symbol):  # type: ignore[misc]  # kconfiglib has no types
    """A defined symbol: sym_calc_value() in place of kconfiglib's."""

    __slots__ = NO_SLOTS

    _cached_vis: int | None
    _cached_tri_val: int | None
    _cached_str_val: str | None
    _write_to_conf: bool

    @property
    def visibility(self) -> int:
        """Whether a user may set it, and how far: 0, 1 (m) or 2; sym_calc_visibility()."""
        known = self._cached_vis
        if known is not None:
            return known
        visible = 0
        for node in self.nodes:
            if node.prompt:
                visible = max(visible, expr_value(node.prompt[1]))
        if self.choice and visible and not self.kconfig.dialect.modern_choices:
            visible = self._member_visibility(visible)
        if visible == 1 and (self.orig_type is not TRISTATE or not self.kconfig.modules.tri_value):
            visible = 2
        self._cached_vis = visible
        return visible

    def _member_visibility(self, visible: int) -> int:
        """Of a member of a choice, which up to 6.10 could be tristate."""
        if self.choice.orig_type is TRISTATE:
            mode = self.choice.tri_value
            if self.orig_type is not TRISTATE and mode != 2:
                return 0
            if self.orig_type is TRISTATE and visible == 1 and mode == 2:
                return 0
        return visible

    @property
    def tri_value(self) -> int:
        """0, 1 (m) or 2 (y)."""
        known = self._cached_tri_val
        if known is not None:
            return known
        self.kconfig.evaluations += 1
        value = 0
        if self.orig_type is BOOL or self.orig_type is TRISTATE:
            visible = self.visibility
            self._write_to_conf = visible != 0
            # Up to 6.10 the members of a choice that is m are modules of their own right.
            if self.choice and (visible == 2 or self.kconfig.dialect.modern_choices):
                value = 2 if visible and self.choice.selection is self else 0
            else:
                value = self._calculated(visible)
        self._cached_tri_val = value
        return value

    def _calculated(self, visible: int) -> int:
        """Of a bool or tristate that no choice decides."""
        limited = self.kconfig.dialect.imply_limited
        by_user = visible and self.user_value is not None
        implied = 0 if by_user and limited else self._implied_value()
        if by_user:
            value = min(self.user_value, visible)
        else:
            value = self._default_value()
            if implied:
                value = max(value, implied)
                if limited:
                    value = min(value, self._limit(self.direct_dep))
            if value or implied:
                self._write_to_conf = True
        # sym_calc_visibility() up to 6.10 returns before it looks at what selects a member.
        selected = 0 if self.choice else expr_value(self.rev_dep)
        if selected:
            self._write_to_conf = True
            value = max(value, selected)
        if value == 1 and (self._is_bool() or (implied == 2 and not limited)):
            value = 2
        return int(value)

    def _default_value(self) -> int:
        """That of the first default whose condition is not n."""
        for default, condition in self.defaults:
            limit: int = expr_value(condition)
            if limit:
                if self.kconfig.dialect.writes_defaults:
                    self._write_to_conf = True
                given: int = expr_value(default)
                return min(given, limit)
        return 0

    def _implied_value(self) -> int:
        """What imply asks for; up to 5.6 only where the dependencies are met."""
        if self.weak_rev_dep is self.kconfig.n:
            return 0
        if not self.kconfig.dialect.imply_limited and not expr_value(self.direct_dep):
            return 0
        return self._limit(self.weak_rev_dep)

    def _limit(self, expr: Any) -> int:
        """The expression for this symbol's type: m is y for a bool."""
        value: int = expr_value(expr)
        return 2 if value == 1 and self._is_bool() else value

    def _is_bool(self) -> bool:
        return self.orig_type is BOOL or not self.kconfig.modules.tri_value

    @property
    def str_value(self) -> str:
        """The value as text, a string without quotes."""
        known = self._cached_str_val
        if known is not None:
            return known
        if self.orig_type is BOOL or self.orig_type is TRISTATE:
            value = _LETTERS[self.tri_value]
        elif not self.orig_type:
            value = self.name
        else:
            self.kconfig.evaluations += 1
            value = self._text()
        self._cached_str_val = value
        return value

    def _text(self) -> str:
        """Of an int, hex or string."""
        visible = self.visibility
        self._write_to_conf = visible != 0
        # A string has no base, and no range.
        base = _BASES.get(self.orig_type)
        ends = (
            (low.str_value, high.str_value)
            for low, high, condition in self.ranges
            if base and expr_value(condition)
        )
        bounds = next(ends, None)
        if visible and self.user_value is not None:
            value = _clamped(self.user_value, bounds, base)
            if value == self.user_value or self.kconfig.dialect.clamps:
                return value
        value = ""
        if base and self.kconfig.dialect.zero:
            value = "0" if base == 10 else "0x0"
        for default, condition in self.defaults:
            if expr_value(condition):
                # A default that is no single symbol is one that the kernel's parser warns of.
                if not isinstance(default, tuple):
                    self._write_to_conf = True
                    value = default.str_value
                break
        return _clamped(value, bounds, base)

    _rec_invalidate = invalidate


class Choice(kconfiglib.Choice):  # type: ignore[misc]  # kconfiglib has no types
    """A choice since 6.11: sym_calc_choice(); `serials` tell which member's line came last."""

    __slots__ = NO_SLOTS

    def _selection(self) -> Any:
        # Marks it as worked out, which invalidation goes by.
        self.visibility  # noqa: B018
        serials = self.kconfig.serials
        named = [symbol for symbol in self.syms if symbol in serials]
        named.sort(key=serials.__getitem__, reverse=True)
        for symbol in named:
            if symbol.user_value == 2 and symbol.visibility:
                return symbol
        default = self._selection_from_defaults()
        if default is not None and not (default in serials and default.user_value == 0):
            return default
        for symbol in self.syms:
            if symbol not in serials and symbol.visibility:
                return symbol
        return next((symbol for symbol in reversed(named) if symbol.visibility), None)

    def adopt(self) -> None:
        """Nothing: the members' lines are looked at when it is worked out."""

    _rec_invalidate = invalidate


class OldChoice(kconfiglib.Choice):  # type: ignore[misc]  # kconfiglib has no types
    """A choice up to 6.10, which kconfiglib evaluates well."""

    __slots__ = NO_SLOTS

    user_value: int | None
    user_selection: Any

    _rec_invalidate = invalidate

    def adopt(self) -> None:
        """Takes over what the members' lines say: the mode, and the last that is y."""
        serials = self.kconfig.serials
        named = sorted((s for s in self.syms if s in serials), key=serials.__getitem__)
        values = [symbol.user_value for symbol in named]
        self.user_value = max(values, default=None)
        if 2 in values and 1 in values[values.index(2) :]:
            # "creates inconsistent choice state": the choice then has no mode of its own.
            self.user_value = None
        self.user_selection = next((s for s in reversed(named) if s.user_value == 2), None)


def written(symbol: Any) -> str | None:
    """The value as a .config would show it, `n` for "is not set"; None if it would not.

    Up to 6.7 a number without a value is written as `CONFIG_X=`, a line that conf itself reads as
    none, as the advisor does.
    """
    if not symbol.orig_type:
        return None
    # Working the value out is what decides whether it is written.
    value = spelled(symbol)
    return value if value and symbol._write_to_conf else None


def spelled(symbol: Any) -> str:
    """The value in the spelling of a .config, a string in quotes."""
    value: str = symbol.str_value
    if symbol.orig_type is STRING:
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace(DOLLAR, "$")
        return f'"{escaped}"'
    return value


def number(text: str, base: int) -> int:
    """What strtoll() makes of it: the number that it begins with, else 0; the largest, or smallest,
    of 64 bits for one beyond."""
    begin = _DIGITS[base].match(text)
    if begin is None:
        return 0
    digits = begin[2].lstrip("0") or "0"
    size = whole_number(digits, base, _LONGEST)
    if size is None:
        size = _LARGEST + 1
    return max(-size, -_LARGEST - 1) if begin[1] == "-" else min(size, _LARGEST)


def _clamped(value: str, bounds: tuple[str, str] | None, base: int | None) -> str:
    """The value, or the end of the range that it exceeds, as the range writes it."""
    if bounds is None or base is None:
        return value
    low, high = bounds
    if number(value, base) < number(low, base):
        return low
    return high if number(value, base) > number(high, base) else value
