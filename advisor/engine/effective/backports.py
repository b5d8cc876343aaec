"""Whether a kernel that is older than a boot parameter, or than one of its values, may have it.

The configuration decides: a feature that is compiled in, under a symbol that mainline had only
later, was backported. Else the kernels read show what stable took, and the release names the
vendor. The configurations of vendors' kernels show which of them take features into old kernels
(4.18 and 5.14 of `.el`, 5.10 of Android, each with options of later releases); WSL gives every
kernel of Microsoft a word of 6.8, from 5.15 on.
"""

from __future__ import annotations

import re
from enum import Enum

from advisor.knowledge.store import Knowledge
from advisor.model import condition
from advisor.model.condition import Expr
from advisor.model.numbers import version_numbers
from advisor.model.parameter import Parameter
from advisor.model.subject import Subject

_VENDORS = re.compile(
    r"\.el\d|\buek|android|\.amzn|\.ph\d|-1\d{5}\.\d|\blp1\d\d|tegra|-cos\b|microsoft",
    re.IGNORECASE,
)
_SYMBOLS = (
    "ANDROID_VENDOR_HOOKS", "ANDROID_KABI_RESERVE", "RHEL_DIFFERENCES", "SUSE_KERNEL_SUPPORTED",
)  # fmt: skip


class Backport(Enum):
    """What is known of a backport to one kernel; other kernels of its version may have it TAKEN."""

    TAKEN = "taken"
    UNKNOWN = "unknown"
    NONE = "none"


def of_parameter(parameter: Parameter, subject: Subject, knowledge: Knowledge) -> Backport:
    """Return what is known of a backport of a parameter that is newer than the kernel, and that the
    configuration does not show."""
    kernel, arch = subject.kernel, subject.machine.arch
    if not may_have_any(subject):
        return Backport.NONE
    catalogue = knowledge.parameter_catalogue
    if vendor(subject):
        return Backport.UNKNOWN
    seen = catalogue.seen(parameter.name)
    bits = seen.kernels() if seen else 0
    since = version_numbers(parameter.since)
    for number, known in enumerate(catalogue.kernels):
        # A kernel that was read has it although its version is before the parameter's.
        if bits >> number & 1 and known.version.numbers[: len(since)] < since:
            return Backport.TAKEN
    from advisor.knowledge.existence import Standing, parameter_standing

    answer = parameter_standing(parameter.name, catalogue, kernel, arch)
    # A tree of the same series, of as many patches or more, does not have it.
    certain = answer.standing is Standing.TOO_NEW and not answer.doubt
    return Backport.NONE if certain else Backport.UNKNOWN


def shown(parameter: Parameter, subject: Subject, knowledge: Knowledge) -> bool:
    """Return whether the configuration, or the kernels read around it, show the parameter."""
    if shows(parameter.only_if, subject, knowledge):
        return True
    catalogue, arch = knowledge.parameter_catalogue, subject.machine.arch
    return bool(catalogue.kernels and catalogue.surely_has(parameter.name, subject.kernel, arch))


def stable_takes(parameter: Parameter, knowledge: Knowledge) -> bool:
    """Return whether stable kernels are given such parameters as well."""
    return parameter.name.startswith(knowledge.fact("stable-takes").names)


def of_value(
    parameter: Parameter, when: Expr, subject: Subject, world: condition.Facts, known: Knowledge
) -> bool:
    """Return whether the kernel refuses a value only by its age, and may have got it later."""
    of_any_kernel = condition.given(when, ("kernel",))
    if not may_have_any(subject) or condition.evaluate(of_any_kernel, world) is False:
        return False
    return bool(vendor(subject) or stable_takes(parameter, known))


def may_have_any(subject: Subject) -> bool:
    """Return whether the kernel is more than a release: with patches, or a vendor's name."""
    kernel = subject.kernel
    # A release candidate and a mere number are what mainline had at the time.
    return bool(kernel and (kernel.patch or re.search(r"-(?!rc\d+$)", kernel.text)))


def vendor(subject: Subject) -> str:
    """Return the part of the release, or the symbol, that shows a vendor who takes features into
    old releases; else an empty text."""
    get = subject.config.get
    text = subject.kernel.text if subject.kernel else ""
    for name in (text, get("LOCALVERSION") or "", get("BUILD_SALT") or ""):
        if match := _VENDORS.search(name):
            return match[0].strip(".-")
    return next((symbol for symbol in _SYMBOLS if get(symbol) == "y"), "")


def shows(needs: Expr, subject: Subject, knowledge: Knowledge) -> bool:
    """Return whether the configuration sets one of these symbols although mainline's kernels of
    this version lack it: it was carried over, with the code that needs it."""
    get, kernel = subject.config.get, subject.kernel
    named = [name for name in condition.symbols(needs) if get(name) in ("y", "m")]
    if not named or kernel is None:
        return False
    catalogue = knowledge.catalogue
    around = catalogue.around(kernel, subject.machine.arch)
    kernels = [seen.kernels() for name in named if (seen := catalogue.seen(name))]
    return any(not any(bits >> number & 1 for number in around) for bits in kernels)
