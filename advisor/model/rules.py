"""What rules say beside tunables and parameters: their sources, names, protections, facts."""

from __future__ import annotations

from advisor.model.condition import Expr
from advisor.record import NamedTuple


class Source(NamedTuple):
    """Where a fact can be checked: `kind` kconfig, code, doc, commit, mail, vendor, measurement.

    `ref` is a path of the tree of release `kernel` for the first three; `anchor` is what stands
    there, at that `line` of `release`, where the line is known.
    """

    kind: str
    ref: str
    kernel: str = ""
    note: str = ""
    anchor: str = ""
    release: str = ""
    line: int = 0

    @property
    def url(self) -> str:
        """The address, one click away, derived from kind, ref and kernel version."""
        if self.kind == "commit":
            return f"https://git.kernel.org/linus/{self.ref}"
        if self.kind in ("kconfig", "code", "doc"):
            tree = "https://git.kernel.org/pub/scm/linux/kernel/git/stable/linux.git/tree"
            if self.line:
                return f"{tree}/{self.ref}?h=v{self.release}#n{self.line}"
            path, _, line = self.ref.partition(":")
            return f"{tree}/{path}?h=v{self.kernel}" + (f"#n{line}" if line else "")
        return self.ref


def address(sources: tuple[Source, ...], arch: str | None = None) -> str:
    """Where the first of the sources is to be found, if there is one the first that is not in the
    folder of another architecture; nothing where there is none."""
    foreign = [each.ref[:5] == "arch/" and f"arch/{arch}/" not in each.ref for each in sources]
    first = foreign.index(False) if arch and False in foreign else 0
    return sources[first].url if sources else ""


class Name(NamedTuple):
    """A name people look for that is no setting of today's kernel (rules/names.toml).

    Kernels for which `only_if` is false have it: older ones, or those with a patch. In the others
    what is `idle` is still there and does nothing. Of a patch that changes what other settings
    mean, which reports tell, `decides` are tunables, each with the symbol that takes it over where
    it is on; none where what it leaves out is known of each tunable.
    """

    name: str
    kind: str
    history: str
    today: str
    only_if: Expr = None
    idle: bool = False
    see: tuple[str, ...] = ()
    decides: tuple[tuple[str, str], ...] = ()
    sources: tuple[Source, ...] = ()


class Rename(NamedTuple):
    """A symbol that was renamed or removed (rules/lifecycle.toml); `new` is empty if removed."""

    old: str
    new: str
    since: str
    note: str = ""
    sources: tuple[Source, ...] = ()


class Protection(NamedTuple):
    """A matter of hardening (rules/protections.toml), why it helps, and who recommends it where the
    kernel's own fragments do not (empty: the Kernel Self Protection Project)."""

    id: str
    why: str
    by: str = ""
    sources: tuple[Source, ...] = ()


class Listed(NamedTuple):
    """What is recommended of one symbol, boot parameter or sysctl, by which protection: patterns of
    its value.

    The kernel's own fragments set it so (`fragment`); advice to keep it asks for it also where it
    was never built (`always`).
    """

    protection: str
    values: tuple[str, ...]
    fragment: bool = False
    always: bool = False


class Fact(NamedTuple):
    """A fact about kernels that is no setting (rules/kernel.toml): `about` is its kind, `of` the
    symbol or what else it is about, where there is one, `names` are the symbols, menus or sizes
    that it names, and `says` is what a report says of it. It holds where `only_if` surely does."""

    about: str
    of: str = ""
    names: tuple[str, ...] = ()
    says: str = ""
    only_if: Expr = None
    sources: tuple[Source, ...] = ()
