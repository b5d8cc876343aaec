"""What the commands are asked: their options, and what a settings file adds to them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from advisor import repository as places
from advisor.errors import UsageError
from advisor.inputs.bootline import read_cmdline
from advisor.inputs.machine import kernel_of, machine_of, this_machine
from advisor.inputs.subject import Given
from advisor.model.kernel import Location, Machine
from advisor.model.rules import Strength
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.cli.settings import Settings

VENDORS = ("intel", "amd", "arm", "other")


class Request(NamedTuple):
    """The options of audit, fragment and cmdline, as given; empty or None where they are not."""

    configs: list[str]
    profile: list[str]
    cmdline: str | None = None
    sysctl: str | None = None
    kernel: str | None = None
    arch: str | None = None
    cpus: int | None = None
    isolate: str | None = None
    nodes: int | None = None
    memory: str | None = None
    vendor: str | None = None
    guest: bool | None = None
    efi: bool | None = None
    this_machine: bool = False
    rules: Sequence[str] = ()
    profiles: Sequence[str] = ()
    prefer: str = ""
    format: str = "text"
    write: Sequence[str] = ()
    output: str | None = None
    fail_on: str = ""
    strength: str = ""
    verbose: bool = False
    tree: str | None = None
    keep: Sequence[str] = ()
    run_toolchain: bool = False
    no_cache: bool = False
    prove: str = ""
    all: bool = False
    baseline: str | None = None
    settings: str | None = None
    no_settings: bool = False


class TreeRequest(NamedTuple):
    """A kernel tree, and the configuration it is evaluated for; `make_arch` is ARCH, if settled."""

    tree: str
    config: str | None = None
    arch: str | None = None
    run_toolchain: bool = False
    use_cache: bool = True
    prove: bool = False
    make_arch: str | None = None


class CompareRequest(NamedTuple):
    """Two configurations and what is told of both; the boot lines where they differ.

    With `base`, what is a fragment is merged onto it.
    """

    options: Request
    old: str
    new: str
    base: str | None = None
    old_cmdline: str | None = None
    new_cmdline: str | None = None


def settings_of(request: Request) -> Settings | None:
    """The settings file that is named, else the nearest one up to the repository's root, if any.

    Raises KnowledgeError for a wrong file, InputError for one that cannot be read, and UsageError.
    """
    path = request.settings
    if request.no_settings:
        if path is not None:
            hint = "leave one of them out"
            raise UsageError("is of no use with --no-settings", where="--settings", hint=hint)
        return None
    if path is None:
        path = places.upwards(places.here(), SETTINGS)
        if not path:
            return None
    from advisor.cli.settings import read

    return read(path)


SETTINGS = "kernel-advisor.toml"
"""The name of a settings file."""


def filled(request: Request, options: Mapping[str, Any]) -> Request:
    """The request with these options where it has none of its own, nor one that rules them out.

    Folders of rules and profiles add to its own.
    """
    told = request._asdict()
    more = {key: value for key, value in options.items() if told[key] in _NOT_GIVEN}
    for key in ("rules", "profiles"):
        if key in options:
            folders = {os.path.realpath(one): one for one in (*options[key], *told[key])}
            more[key] = list(folders.values())
    ruled_out = _MACHINE if request.this_machine else ()
    if request.tree:
        ruled_out = (*ruled_out, "kernel")
    if more.get("prefer") not in (request.profile or more.get("profile", ())):
        ruled_out = (*ruled_out, "prefer")
    return request._replace(**{key: more[key] for key in more if key not in ruled_out})


_NOT_GIVEN: tuple[Any, ...] = (None, "", [], ())
# What --this-machine tells.
_MACHINE: tuple[str, ...] = ("arch", "cpus", "nodes", "memory", "vendor", "guest", "efi")


def given_by(request: Request) -> Given:
    """What the options tell beside the configuration. Raises UsageError and InputError."""
    if request.tree and request.kernel:
        hint = "leave it out: the tree tells its version"
        raise UsageError("is of no use with --tree", where="--kernel", hint=hint)
    for option, value in (("--run-toolchain", request.run_toolchain), ("--prove", request.prove)):
        if value and not request.tree:
            raise UsageError("needs --tree", where=option, hint="name the kernel tree")
    return Given(
        machine=machine_by(request),
        kernel=kernel_of(request.kernel),
        cmdline=read_cmdline(request.cmdline) if request.cmdline is not None else None,
        sysctl=_sysctl(request.sysctl),
    )


def machine_by(request: Request) -> Machine:
    """The machine that the options tell of. Raises UsageError."""
    if request.vendor not in (None, *VENDORS):
        raise UsageError(
            f"{request.vendor!r} is no vendor", where="--vendor", hint=", ".join(VENDORS)
        )
    base = this_machine() if request.this_machine else Machine()
    switches = {"virtual": (request.guest, "guest", "no"), "efi": (request.efi, "y", "n")}
    told = {
        key: (yes if given else no)
        for key, (given, yes, no) in switches.items()
        if given is not None
    }
    names = ("arch", "cpus", "nodes", "memory", "vendor", "isolate")
    return machine_of({**{name: getattr(request, name) for name in names}, **told}, base)


def _sysctl(path: str | None) -> dict[str, tuple[str, Location]]:
    if path is None:
        return {}
    from advisor.inputs.sysctl import read_sysctl

    return read_sysctl(path)


def tree_request(request: Request) -> TreeRequest:
    """The tree that the options name."""
    return TreeRequest(
        request.tree or "",
        None,
        request.arch,
        request.run_toolchain,
        not request.no_cache,
        bool(request.prove),
    )


def weakest(request: Request) -> Strength:
    """The weakest advice to follow. Raises UsageError."""
    try:
        return Strength(request.strength or "should")
    except ValueError as error:
        hint = "must, should or could"
        raise UsageError(
            f"{request.strength!r} is no strength", where="--strength", hint=hint
        ) from error
