"""What the values of options mean: a machine, a boot line, a strength. Errors name the option."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from advisor.cli.options import (
    HYPERVISORS,
    VENDORS,
    KnowledgeOptions,
    MachineOptions,
    PolicyOptions,
    Request,
    TreeOptions,
)
from advisor.engine.audit import FAIL_ON, parse_fail_on
from advisor.errors import UsageError
from advisor.inputs.bootline import read_cmdline
from advisor.inputs.machine import kernel_of, machine_of
from advisor.inputs.subject import Given
from advisor.knowledge.store import Knowledge
from advisor.model.kernel import Location, Machine
from advisor.model.profile import Profile, Strength

if TYPE_CHECKING:
    from advisor.inputs.host.read import Host

Settings = dict[str, tuple[str, Location]]


def is_path(word: str) -> bool:
    """Whether a word behind names is a configuration: a file, or written as one."""
    return word == "-" or os.path.exists(word) or "/" in word or "." in word


def given_by(request: Request) -> Given:
    """What the options tell beside the configuration. Raises UsageError and InputError."""
    subject = request.subject
    sysctl: Settings = {}
    sysfs: Settings = {}
    for name in ("sysctl", "runtime"):
        _refuse_setting(name, getattr(subject, name))
    if subject.sysctl is not None:
        from advisor.inputs.sysctl import read_sysctl

        sysctl = read_sysctl(subject.sysctl)
    if subject.runtime is not None:
        from advisor.inputs.runtime import read_runtime

        running = read_runtime(subject.runtime)
        sysctl, sysfs = {**sysctl, **running.sysctl}, running.sysfs
    return Given(
        machine=machine_by(request.machine),
        kernel=kernel_of(subject.kernel),
        cmdline=read_cmdline(subject.cmdline) if subject.cmdline is not None else None,
        sysctl=sysctl,
        sysfs=sysfs,
    )


def _refuse_setting(option: str, value: object) -> None:
    """Raises UsageError for a setting itself where a file of settings is expected."""
    if isinstance(value, str) and "=" in value and not os.path.lexists(value):
        import shlex

        hint = f"echo {shlex.quote(value)} | kernel-advisor ... --{option} -"
        raise UsageError(
            f"takes a file, and {value!r} is not a file", where=f"--{option}", hint=hint
        )


def host_by(
    request: Request, knowledge: Knowledge, folder: str, keys: Iterable[str] = ()
) -> tuple[Host, Given]:
    """The host in that folder, and what it and the options tell beside its configuration; `keys`
    are sysctls and files that are read beside those of the rules.

    Raises UsageError, and InputError where there is no host.
    """
    from advisor.inputs.host.read import read_host

    sysctls, files, there = map(knowledge.run_time_names, ("sysctl", "sysfs", "there"))
    files = [*files, *(key for key in keys if key.startswith("/"))]
    sysctls = [*sysctls, *(key for key in keys if not key.startswith("/"))]
    host = read_host(folder, sysctls, files, request.subject.whole, there)
    given = Given(
        machine=machine_by(request.machine, host.machine),
        kernel=kernel_of(request.subject.kernel) or host.version,
        cmdline=host.cmdline,
        sysctl=host.runtime.sysctl,
        sysfs=host.runtime.sysfs,
        lacking=host.runtime.lacking,
        closed=host.runtime.closed,
    )
    return host, given


def machine_by(options: MachineOptions, host: Machine | None = None) -> Machine:
    """The machine that the options tell of, over what a host tells. Raises UsageError."""
    for name, known in (("vendor", VENDORS), ("hypervisor", HYPERVISORS)):
        told = getattr(options, name)
        if told is not None and told.lower() not in known:
            raise UsageError(f"{told!r} is no {name}", where=f"--{name}", hint=", ".join(known))
    if options.guest is False and options.hypervisor not in (None, "xen"):
        hint = "leave out one of the two options"
        text = "on bare metal, the only possible hypervisor is xen (in its control domain)"
        raise UsageError(text, where="--hypervisor", hint=hint)
    base = host or Machine()
    if options.this_machine:
        from advisor.inputs.host.facts import read_facts
        from advisor.inputs.host.root import Root

        base = read_facts(Root())
    names = ("arch", "cpus", "nodes", "memory", "vendor", "hypervisor", "isolate", "shared_memory")
    facts = {name: getattr(options, name) for name in names}
    facts.update((name, facts[name].lower()) for name in ("vendor", "hypervisor") if facts[name])
    if options.guest is not None or options.hypervisor:
        facts["virtual"] = "no" if options.guest is False else "guest"
    if options.guest is False:
        base = base._replace(hypervisor=None)
    if options.efi is not None:
        facts["efi"] = "y" if options.efi else "n"
    return machine_of(facts, base)


def profiles_by(options: KnowledgeOptions, knowledge: Knowledge) -> list[Profile]:
    """The requirements and profiles that are named, each once. Raises UsageError."""
    profiles = [knowledge.profile(name) for name in dict.fromkeys(options.profile)]
    if options.require:
        from advisor.cli.required import required

        profiles = [*required(options.require, knowledge), *profiles]
    if options.prefer and options.prefer not in options.profile:
        hint = "name one of the profiles given with --profile"
        raise UsageError(
            f"{options.prefer!r} is not among the profiles", where="--prefer", hint=hint
        )
    return profiles


def weakest(options: PolicyOptions) -> Strength:
    """The weakest advice to follow. Raises UsageError."""
    try:
        return Strength(options.strength or "should")
    except ValueError as error:
        hint = "must, should or could"
        raise UsageError(
            f"{options.strength!r} is no strength", where="--strength", hint=hint
        ) from error


def fail_on_of(options: PolicyOptions) -> frozenset[str]:
    """What --fail-on names. Raises UsageError."""
    try:
        return parse_fail_on(options.fail_on or "must,error")
    except ValueError as error:
        hint = f"any of {', '.join(FAIL_ON)}, joined by commas"
        raise UsageError(f"{error} is not in the list", where="--fail-on", hint=hint) from error


def by_kbuild(options: TreeOptions) -> bool:
    """Whether the tree's own tools shall prove it. Raises UsageError for another word."""
    if options.prove not in ("", "kbuild"):
        hint = "the only value is kbuild: it runs the tree's own merge_config.sh and conf"
        raise UsageError(f"unknown value {options.prove!r}", where="--prove", hint=hint)
    return bool(options.prove)
