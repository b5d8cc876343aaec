"""Targets of the readers of hosts: what runs, the next boot, archives, snapshots, plans."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from typing import Any

from advisor.errors import AdvisorError
from advisor.inputs import plans
from advisor.inputs.git import parted
from advisor.inputs.host import archive, reported, snapshot, supportconfig
from advisor.inputs.host.collect import snapshot_of
from advisor.inputs.host.facts import is_container, read_facts
from advisor.inputs.host.held import Held
from advisor.inputs.host.inuse import read_in_use
from advisor.inputs.host.kernel import boot_line, configuration, running_release, told_version
from advisor.inputs.host.masks import masked
from advisor.inputs.host.root import Root
from advisor.inputs.host.settings import read_settings
from advisor.inputs.host.signs import read_signs
from advisor.inputs.host.taken import taken
from advisor.inputs.nextboot.loaders import read_loader
from advisor.inputs.nextboot.modules import read_modules
from advisor.inputs.nextboot.power import read_cpupower, read_others, read_profiles_daemon
from advisor.inputs.nextboot.sysctls import read_sysctls
from advisor.inputs.nextboot.tlp import read_tlp
from advisor.inputs.nextboot.tmpfiles import read_tmpfiles
from advisor.inputs.nextboot.tuned import read_tuned
from advisor.inputs.nextboot.udev import read_udev
from advisor.inputs.nextboot.writes import Writes
from fuzz.parsers import packed
from fuzz.seeds import all_of, archives, example, folders, recorded, texts, unified_image
from fuzz.target import (
    Target,
    bundled,
    command,
    file_of,
    files_in,
    held,
    knowledge,
    text,
    written,
)

TARGETS: dict[str, Target] = {}
_RELEASE = "6.12.0"


@cache
def _names(layer: str) -> list[str]:
    return knowledge().run_time_names(layer)


def _writes(reader: Callable[[Root, Writes], object], data: bytes) -> None:
    root = held(data)
    into = Writes(root, _names("sysfs"))
    reader(root, into)
    into.settle()


_LINKED = bundled({
    "/proc/sys/kernel/osrelease": "6.12.0", "/proc/cmdline": "quiet", "/lib": "-> usr/lib",
    "/sys/block/sda": "-> ../devices/pci0/block/sda", "/boot/loop": "-> loop",
    "/sys/devices/pci0/block/sda/queue/scheduler": "[none] bfq", "/etc/mtab": "-> /proc/mounts",
    "/usr/lib/sysctl.d/50-a.conf": "vm.swappiness = 10", "/etc/sysctl.d/50-a.conf": "-> /dev/null",
    "/etc/sysctl.d/99-sysctl.conf": "-> ../sysctl.conf", "/etc/sysctl.conf": "vm.a = 1",
    "/etc/sysctl.d/98.conf": "-> ../../../../out", "/etc/tmpfiles.d/a.conf": "-> nowhere/at/all",
    "/usr/lib/systemd/systemd": "", "/boot/config-6.12.0": "CONFIG_SMP=y",
    "/etc/udev/rules.d/60.rules": 'KERNEL=="sd*", ATTR{queue/scheduler}="bfq"',
})  # fmt: skip


@cache
def hosts() -> list[bytes]:
    """Hosts that tests write, and those that were recorded."""
    tests = ("tests/inputs/nextboot/*.py", "tests/cli/test_next_boot.py", "tests/cli/test_host.py",
             "tests/inputs/host/*.py", "tests/engine/test_next_boot*.py")  # fmt: skip
    image = bundled({"/boot/EFI/Linux/x.efi": unified_image(), "/boot/loader/loader.conf": ""})
    report = bundled(
        {"/basic-environment.txt": "#==[ Command ]===#\n# /bin/uname -a\nLinux a 6.12.0\n"}
    )
    written_by_tests = (one for one in folders(*tests) if b"=== /" in one)
    return all_of([_LINKED, image, report], written_by_tests, recorded())


for _name, _reader, _modules in (
    ("tmpfiles", read_tmpfiles, ("tmpfiles", "writes")),
    ("udev", read_udev, ("udev",)),
    ("tlp", read_tlp, ("tlp",)),
    ("power", lambda root, into: [
        read(root, into) for read in (read_cpupower, read_profiles_daemon, read_others)
    ], ("power", "powerfiles", "files")),
    ("tuned", lambda root, into: read_tuned(root, into, "x86"), ("tuned",)),
    ("modprobe", lambda root, into: read_modules(root, _RELEASE, boot_line(root), into),
     ("modules",)),
    ("sysctl-files", lambda root, into: [
        read_sysctls(root, _names("sysctl"), way) for way in (True, False)
    ], ("sysctls",)),
):  # fmt: skip
    TARGETS[f"next-boot-{_name}"] = Target(
        partial(_writes, _reader), tuple(f"inputs.nextboot.{one}" for one in _modules), hosts
    )
TARGETS["boot-loaders"] = Target(
    lambda data: read_loader(root := held(data), boot_line(root)),
    tuple(f"inputs.nextboot.{one}" for one in
          ("loaders", "grub", "grubmenu", "grubwords", "bls", "stub", "line")),
    hosts,
)  # fmt: skip


def _facts(data: bytes) -> None:
    root = held(data)
    release = running_release(root)
    told_version(root, release)
    with suppress(AdvisorError):
        configuration(root, release, None)
    with suppress(AdvisorError):
        boot_line(root)
    is_container(root)
    read_facts(root)
    found = read_settings(root, _names("sysctl"), _names("sysfs"), _names("there"))
    reported.settings(root, _names("sysctl"), found.sysctl)
    read_in_use(root, found.sysfs)
    read_signs(root)


TARGETS["host-files"] = Target(
    _facts,
    tuple(f"inputs.host.{one}" for one in (
        "facts", "hardware", "held", "inuse", "kernel", "reported", "services", "settings", "signs",
        "units",
    )),
    hosts,
)  # fmt: skip


def _archive(data: bytes) -> None:
    """As it is, and with the sums of its headers made right, packed as the first byte says."""
    for one in (data[1:], packed(data[:1] + _summed(data[1:]))):
        with suppress(AdvisorError):
            running_release(archive.read_archive(file_of(one)))


def _summed(data: bytes) -> bytes:
    done, at = bytearray(data + bytes(-len(data) % 512)), 0
    while at < len(done) and any(done[at : at + 512]):
        done[at + 148 : at + 156] = b" " * 8
        done[at + 148 : at + 156] = b"%06o\0 " % sum(done[at : at + 512])
        size = bytes(done[at + 124 : at + 135]).strip(b"\0 ")
        at += 512 + (-(-int(size, 8) // 512) * 512 if set(size) <= set(b"01234567") and size else 0)
    return bytes(done)


TARGETS["archive"] = Target(_archive, ("inputs.host.archive",), archives)
TARGETS["supportconfig"] = Target(
    lambda data: running_release(Held("host", supportconfig.files_of([text(data)]))),
    ("inputs.host.supportconfig",),
    lambda: texts("tests/inputs/host/test_supportconfig.py"),
)


def _snapshot(data: bytes) -> None:
    root = snapshot.Snapshot("host", snapshot.files_of(data, "host"))
    running_release(root)
    snapshot_of(root, taken(_names("sysctl"), _names("sysfs")), ())


def snapshots() -> list[bytes]:
    """Snapshots of the hosts that the tests have."""
    takes = list(taken(_names("sysctl"), _names("sysfs")))
    return [snapshot_of(held(one), takes, ())[:16_384] for one in recorded()]


TARGETS["snapshot"] = Target(
    _snapshot,
    ("inputs.host.snapshot", "inputs.host.collect", "inputs.host.taken"),
    lambda: all_of(snapshots(), texts("tests/inputs/host/test_snapshot.py")),
)
TARGETS["masks"] = Target(
    lambda data: masked(text(data)),
    ("inputs.host.masks",),
    lambda: texts("tests/inputs/host/test_snapshot.py"),
)
TARGETS["revisions"] = Target(
    lambda data: parted(text(data)), (), lambda: texts("tests/inputs/test_git.py")
)


def plans_written() -> list[bytes]:
    """Plans for a host that has something of each kind to change, as it is, with all of that
    changed, and with what a script logged there."""
    (host, *_) = folders("tests/cli/plans.py")
    files = files_in(host)
    release = text(files["proc/sys/kernel/osrelease"]).strip()
    config = {f"host/boot/config-{release}": example("x86_64-6.12")}
    found = []
    for profile in ("power-saving", "server-throughput", "desktop-latency"):
        folder = written({**config, **{f"host/{name}": body for name, body in files.items()}})
        words = ("--host=host", "-p", profile, "--strength=could", "--into=plan")
        command("plan", *words, folder=folder)
        document = json.loads((folder / "plan/plan.json").read_text())
        (one,) = document["plans"]
        one["items"] = one["items"][:12]
        settings = [each for item in one["items"] for each in item["settings"]]
        done = {_path(each["key"]): f"{each['value']}\n" for each in settings}
        log = "".join(
            f"1\tset\t-\t{path}\t-\t-\t=x\t{error}\n"
            for path, error in zip(done, ("-", "EPERM", "ENOENT"), strict=False)
        )
        logged = {f"var/lib/kernel-advisor/{one['digest']}/log": f"# log\n{log}cut\n"}
        for more in ({}, done, logged, {**done, **logged}):
            told: dict[str, Any] = {"plan.json": json.dumps(document), **files, **more}
            found.append(bundled({**told, f"boot/config-{release}": example("x86_64-6.12", 64)}))
    return found


def _path(key: str) -> str:
    return key.lstrip("/") if key[:1] == "/" else f"proc/sys/{key.replace('.', '/')}"


def _plan(data: bytes) -> None:
    plan = plans.read_plan(str(written(files_in(data)) / "plan.json"))
    plans.read_log(Held("host", files_in(data)), plan.digest)


TARGETS["plan"] = Target(_plan, ("inputs.plans",), plans_written)
