"""What a host shows of what a plan asks for: its settings, boot line, modules, and next boot."""

from __future__ import annotations

from advisor.inputs.host.read import read_host
from advisor.inputs.host.root import Root
from advisor.inputs.plans import read_log
from advisor.model.sysctl import key_of, release_of
from advisor.model.verify import AskedPlan, Seen

_BOOT = "/proc/sys/kernel/random/boot_id"
_MODULES = ("/usr/lib/modules", "/lib/modules")
_MOST = 4 << 20  # of modules.dep: 700 KiB in a kernel of 5,000 modules


def read_seen(path: str, plan: AskedPlan) -> Seen:
    """The host in that folder or archive, as far as the plan is about it. Raises InputError."""
    keys = {setting.key for item in plan.items for setting in item.settings}
    sysctls = sorted(key for key in keys if not key.startswith("/"))
    host = read_host(path, sysctls, sorted(key for key in keys if key.startswith("/")))
    root, shown = host.root, host.runtime
    release = release_of(shown.sysctl)
    told = {**shown.sysctl, **shown.sysfs}
    loaded = frozenset(root.names("/sys/module"))
    return Seen(
        name=host.name,
        kernel=host.version,
        arch=host.machine.arch or "",
        release=release,
        config=host.config,
        line=host.cmdline,
        files={key: text for key, (text, _) in told.items()},
        lacking=shown.lacking,
        unread={key_of(path): why for path, why in root.unread.items()},
        next=host.next,
        loaded=loaded or None,
        installed=installed(root, release),
        boot=(root.text(_BOOT) or "").strip(),
        log=read_log(root, plan.digest),
    )


def installed(root: Root, release: str) -> frozenset[str] | None:
    """The modules in the folder of a release; None where nothing shows them."""
    for folder in _MODULES:
        text = root.text(f"{folder}/{release}/modules.dep", _MOST) if release else None
        if text:
            paths = (line.partition(":")[0] for line in text.split("\n"))
            names = (path.rpartition("/")[2].partition(".")[0] for path in paths)
            return frozenset(name.replace("-", "_") for name in names)
    return None
