"""A plan as a module of NixOS: the options that write its files, and the boot line.

In a string of Nix \\, " and ${ need a backslash (the Nix manual, string literals).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.model.plan import File, Plan
from advisor.model.report import Report
from advisor.output import Style
from advisor.output.plan import filelines, files
from advisor.output.plan.comments import boot_words, by_hand, comment_lines, for_a_rebuild, heading

_OPTIONS = {File.UDEV: "services.udev.extraRules", File.MODPROBE: "boot.extraModprobeConfig"}
_RULES = "systemd.tmpfiles.rules"


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the module of each report."""
    return files(reports, _module)


def _module(report: Report) -> Iterator[str]:
    yield from heading("NixOS module", report)
    for text in _remarks(report.plan):
        yield from comment_lines(text)
    yield from boot_words(report)
    yield "{ ... }:"
    yield "{"
    yield from _sysctls(report.plan)
    yield from _list(_RULES, _lines(report.plan, File.TMPFILES))
    for file, option in _OPTIONS.items():
        if texts := _lines(report.plan, file):
            yield f'  {option} = builtins.concatStringsSep "\\n" ['
            yield from (f"    {_string(text)}" for text in [*texts, ""])
            yield "  ];"
    yield from _list("boot.kernelParams", list(report.plan.words))
    yield "}"


def _remarks(plan: Plan) -> Iterator[str]:
    yield "Add this file to 'imports' in configuration.nix, and run nixos-rebuild switch."
    if plan.dropped:
        yield f"A module cannot remove parameters from the boot line: {' '.join(plan.dropped)}"
    yield from for_a_rebuild(plan)
    yield from by_hand(plan, "option")


def _sysctls(plan: Plan) -> Iterator[str]:
    settings = [one.setting for one in plan.kept_by(File.SYSCTL)]
    if settings:
        yield "  boot.kernel.sysctl = {"
        for setting in settings:
            yield f"    {_string(setting.key)} = {_string(setting.value)};"
        yield "  };"


def _lines(plan: Plan, file: File) -> list[str]:
    return [text for one in plan.kept_by(file) for text in filelines.of(one)]


def _list(option: str, texts: Sequence[str]) -> Iterator[str]:
    if texts:
        yield f"  {option} = ["
        yield from (f"    {_string(text)}" for text in texts)
        yield "  ];"


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("${", "\\${")
    return f'"{escaped}"'
