"""Which file makes a setting of run time last: sysctl.d, tmpfiles.d, a rule of udev, modprobe.d.

systemd-tmpfiles writes once at boot, into what is there by then (tmpfiles.d(5)). What udev has as
devices gets its setting whenever such a device appears. An option of a module is read when the
module is loaded; what is built in reads none. Policies of cpufreq are no devices of udev: they have
no subsystem (drivers/cpufreq/cpufreq.c#cpufreq_policy_alloc, read in 6.12).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from advisor.engine.effective.components import by_modules
from advisor.engine.effective.world import World
from advisor.model import condition
from advisor.model.finding import Finding
from advisor.model.plan import File, Kept
from advisor.model.remedy import Instances, Setting
from advisor.model.sysctl import path_of

_UDEV = re.compile(
    r"/sys/(?:block|class/(?:net|scsi_host)|bus/(?:pci|usb)/devices)/[^/]+/[^*]+", re.ASCII
)
_PARAMETER = re.compile(r"/sys/module/([^/]+)/parameters/[^/]+", re.ASCII)
# What no quotes or escapes are needed for, in a path or the name of a sysctl, in any of the files.
_NAME = re.compile(r"[\w./*?:+@,=-]+", re.ASCII)
_CONTROL = re.compile(r"[\0-\x1f\x7f\ud800-\udfff]")
_DEBUGFS = "debugfs is mounted late or manually"
_TOO_ODD = "no file can contain this name or value unchanged"
_LATE = "this file sets the value too early if modules-load.d does not load the module"
_POLICIES = "/sys/devices/system/cpu/cpufreq/policy"
_DRIVER = f"{_POLICIES}*/scaling_driver"
_BUILT_IN = ("intel_pstate", "intel_cpufreq", "amd-pstate", "amd-pstate-epp")
_OF_POWER = "POWERNV_CPUFREQ"
_MOST = 2


def kept(finding: Finding, settings: Iterable[Setting], world: World) -> Iterator[Kept]:
    """Yield the files that make settings of a finding last, or why none does."""
    late = _is_module(finding, world)
    for setting in settings:
        remark = _LATE if late else _of_policies(setting.key, world)
        found = tuple(found_of(setting.key, world))
        for one in _kept(setting, finding.advice.disks, late, remark):
            yield one._replace(found=found)


def found_of(key: str, world: World) -> Iterator[tuple[str, str]]:
    """Yield the files of a sysctl or a path, with what each shows."""
    if not key.startswith("/"):
        if key in world.subject.sysctl:
            yield path_of(key), world.subject.sysctl[key][0]
        return
    for path in sorted(world.files.instances(key).values()):
        yield path, world.files.text(path)


def _kept(
    setting: Setting, disks: tuple[str, ...], late: bool | None, remark: str
) -> Iterator[Kept]:
    key = setting.key
    if not _NAME.fullmatch(key) or _CONTROL.search(setting.value):
        yield Kept(setting, None, _TOO_ODD)
    elif setting.layer == "sysctl":
        yield Kept(setting, File.SYSCTL, remark)
    elif setting.layer == "debugfs":
        yield Kept(setting, None, _DEBUGFS)
    elif setting.instances is Instances.CHOSEN and (not disks or "other" in disks):
        # The part of the path that stands for names of the operator's choice.
        chosen = next(part for part in key.split("/") if part.isalpha() and part.isupper())
        yield Kept(setting, None, f"you choose the {chosen.lower()}")
    elif _UDEV.fullmatch(key) and "\\" in setting.value:
        yield Kept(setting, None, _TOO_ODD)
    elif _UDEV.fullmatch(key):
        yield Kept(setting, File.UDEV, disks=disks)
    elif _PARAMETER.fullmatch(key):
        # Where nobody tells which it is, one of the two does nothing.
        if late is not False:
            yield Kept(setting, File.MODPROBE)
        if not late:
            yield Kept(setting, File.TMPFILES)
    else:
        yield Kept(setting, File.TMPFILES, remark)


def _of_policies(key: str, world: World) -> str:
    """Return what to know of files of cpufreq where the driver is a module."""
    if not key.startswith(_POLICIES) or any(world.shown(_DRIVER, one) for one in _BUILT_IN):
        return ""
    if world.symbol(_OF_POWER) == "y":  # whose machines cpufreq-dt does not know
        return ""
    known = world.knowledge.fact("cpufreq-module").names
    modules = [symbol for symbol in known if world.symbol(symbol) == "m"]
    names = " or ".join(modules[:_MOST])
    if len(modules) > _MOST:
        names = f"{', '.join(modules[:_MOST])} or one of {len(modules) - _MOST} more"
    late = f"this file sets the value too early if the driver {names} is loaded later"
    return late if names else ""


def _is_module(finding: Finding, world: World) -> bool | None:
    """Return whether what has the setting is a module; None where no line tells. What a value
    names, such as a queueing discipline, the kernel loads itself when the value is written."""
    asked = (finding.tunable.only_if, finding.tunable.requires)
    if any(by_modules(expr, world) for expr in asked):
        return True
    names = {name for expr in asked for name in condition.symbols(expr)}
    untold = any(world.symbol(world.spelled(name)) is None for name in names)
    return None if untold and not world.config.complete else False
