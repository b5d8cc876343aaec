"""Whether a kernel older than a boot parameter, or than a value of it, may have it all the same.

What the configuration shows decides: a feature that is compiled in, under a symbol that mainline
had only later, was backported. Else the kernels read tell what stable took, and the release which
vendor it is of. Which vendors take features into old kernels was read in the configurations of
their kernels (4.18 and 5.14 of `.el`, 5.10 of Android, each with options of later releases);
WSL gives every kernel of Microsoft a word of 6.8, from 5.15 on.
"""

from __future__ import annotations

import re
from enum import Enum

from advisor.knowledge.store import Knowledge
from advisor.model import condition
from advisor.model.condition import Expr
from advisor.model.rules import Parameter
from advisor.model.subject import Subject

_VENDORS = re.compile(
    r"\.el\d|\buek|android|\.amzn|\.ph\d|-1\d{5}\.\d|\blp1\d\d|tegra|-cos\b|microsoft",
    re.IGNORECASE,
)
_SYMBOLS = (
    "ANDROID_VENDOR_HOOKS", "ANDROID_KABI_RESERVE", "RHEL_DIFFERENCES", "SUSE_KERNEL_SUPPORTED",
)  # fmt: skip


class Backport(Enum):
    """What is known of a backport to one kernel."""

    SHOWN = "shown"
    TAKEN = "taken"
    PLAUSIBLE = "plausible"
    NOTHING = "nothing"
    NONE = "none"


def of_parameter(parameter: Parameter, subject: Subject, knowledge: Knowledge) -> Backport:
    """What is known of a parameter that mainline got after this kernel's version."""
    kernel, arch = subject.kernel, subject.machine.arch
    if kernel is None or not may_have_any(subject):
        return Backport.NONE
    if shown(parameter, subject, knowledge):
        return Backport.SHOWN
    catalogue = knowledge.parameter_catalogue
    if vendor(subject):
        return Backport.PLAUSIBLE
    if _taken(parameter, knowledge):
        return Backport.TAKEN
    from advisor.knowledge.existence import Standing, parameter_standing

    answer = parameter_standing(parameter.name, catalogue, kernel, arch)
    # A tree of the same series, of as many patches or more, does not have it.
    certain = answer.standing is Standing.TOO_NEW and not answer.doubt
    return Backport.NONE if certain else Backport.NOTHING


def shown(parameter: Parameter, subject: Subject, knowledge: Knowledge) -> bool:
    """Whether the configuration shows that the kernel has it, or the kernels read around it do."""
    if shows(parameter.needs, subject, knowledge):
        return True
    catalogue, arch = knowledge.parameter_catalogue, subject.machine.arch
    return bool(catalogue.kernels and catalogue.surely_has(parameter.name, subject.kernel, arch))


def stable_takes(parameter: Parameter, knowledge: Knowledge) -> bool:
    """Whether it is of those that stable kernels are given as well."""
    return parameter.name.startswith(knowledge.fact("stable-takes").names)


def of_value(
    parameter: Parameter, when: Expr, subject: Subject, world: condition.Facts, known: Knowledge
) -> bool:
    """Whether only the kernel's age refuses a value, and it may have been given that later."""
    of_any_kernel = condition.given(when, ("kernel",))
    if not may_have_any(subject) or condition.evaluate(of_any_kernel, world) is False:
        return False
    return bool(vendor(subject) or stable_takes(parameter, known))


def may_have_any(subject: Subject) -> bool:
    """Whether the kernel is more than a release: with patches, or a vendor's name."""
    kernel = subject.kernel
    # A release candidate and a mere number are what mainline had at the time.
    return bool(kernel and (kernel.patch or re.search(r"-(?!rc\d+$)", kernel.text)))


def vendor(subject: Subject) -> str:
    """What shows that the kernel is of a vendor who takes features into old releases, or nothing:
    a part of its release, or a symbol.
    """
    get = subject.config.get
    text = subject.kernel.text if subject.kernel else ""
    for name in (text, get("LOCALVERSION") or "", get("BUILD_SALT") or ""):
        if match := _VENDORS.search(name):
            return match[0].strip(".-")
    return next((symbol for symbol in _SYMBOLS if get(symbol) == "y"), "")


def shows(needs: Expr, subject: Subject, knowledge: Knowledge) -> bool:
    """Whether the configuration sets a symbol of these that mainline's kernels of this version
    lack: it was carried over from another one, with what needs it.
    """
    get, kernel = subject.config.get, subject.kernel
    named = [name for name in condition.symbols(needs) if get(name) in ("y", "m")]
    if not named or kernel is None:
        return False
    catalogue = knowledge.catalogue
    around = catalogue.around(kernel, subject.machine.arch)
    kernels = [seen.kernels() for name in named if (seen := catalogue.seen(name))]
    return any(not any(bits >> number & 1 for number in around) for bits in kernels)


def _taken(parameter: Parameter, knowledge: Knowledge) -> bool:
    """Whether a kernel that was read has it although its version is before the parameter's."""
    catalogue = knowledge.parameter_catalogue
    seen = catalogue.seen(parameter.name)
    bits = seen.kernels() if seen else 0
    numbers = tuple(int(part) for part in parameter.since.split("."))
    before = (
        number
        for number, kernel in enumerate(catalogue.kernels)
        if kernel.version.numbers[: len(numbers)] < numbers
    )
    return any(bits >> number & 1 for number in before)
