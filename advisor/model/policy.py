"""A policy: one line of a team's own that a kernel has to meet, whatever the workload."""

from __future__ import annotations

from advisor.model.kernel import Location
from advisor.model.profile import POLICY
from advisor.record import NamedTuple

KINDS = ("symbol", "parameter", "sysctl", "sysfs", "condition")
"""What a policy is about, by the key that names it in kernel-advisor.toml."""
SWITCH = ("y", "m", "n")
"""The values of a bool or tristate symbol."""


class Policy(NamedTuple):
    """What one thing of a kernel has to be (`[policies]` and `[[policy]]` of kernel-advisor.toml).

    `about` is the symbol, boot parameter, sysctl, file or condition that `kind` says; each of
    `values` will do (`100..1000` is a range; none: a parameter without a value, and a condition).
    It holds for configurations whose path fits the pattern `path` (empty: all). `out_of_tree` is a
    symbol that no kernel of the mainline has. Where the condition `when` is false it asks for
    nothing.
    """

    name: str
    kind: str
    about: str
    values: tuple[str, ...]
    reason: str
    location: Location
    path: str = ""
    owner: str = ""
    source: str = ""
    out_of_tree: bool = False
    when: str = ""

    @property
    def id(self) -> str:
        """The id of its findings, as waivers name it."""
        return f"{POLICY}/{self.name}"

    @property
    def title(self) -> str:
        """What the policy is about, as a report names it."""
        if self.kind == "condition":
            return self.name
        return f"boot parameter {self.about}" if self.kind == "parameter" else self.about

    @property
    def demand(self) -> tuple[object, ...]:
        """What it asks for: two policies of the same demand differ in words alone."""
        return self.kind, self.about, self.values, self.path, self.when
