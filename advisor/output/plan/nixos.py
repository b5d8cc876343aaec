"""A plan as a module of NixOS: the options that write its files, and the boot line.

In a string of Nix \\, " and ${ need a backslash (the Nix manual, string literals).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.model.report import File, Plan, Report
from advisor.output import Style
from advisor.output.plan import filelines, files
from advisor.output.plan.comments import comment_lines, heading

_OPTIONS = {File.UDEV: "services.udev.extraRules", File.MODPROBE: "boot.extraModprobeConfig"}
_RULES = "systemd.tmpfiles.rules"


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the module of each report."""
    return files(reports, _module)


def _module(report: Report) -> Iterator[str]:
    yield from heading("NixOS module", report)
    for text in _remarks(report.plan):
        yield from comment_lines(text)
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
    yield "Name it in imports of configuration.nix, and run nixos-rebuild switch."
    if plan.dropped:
        yield f"A module cannot take words from the boot line: {' '.join(plan.dropped)}"
    if plan.steps:
        yield "It builds no kernel: --format fragment has the lines."
    for item in plan.items:
        for one in item.kept:
            if one.file is None:
                yield f"No option keeps {one.setting.key} = {one.setting.value}: {one.why}."


def _sysctls(plan: Plan) -> Iterator[str]:
    settings = [k.setting for item in plan.items for k in item.kept if k.file is File.SYSCTL]
    if settings:
        yield "  boot.kernel.sysctl = {"
        for setting in settings:
            yield f"    {_string(setting.key)} = {_string(setting.value)};"
        yield "  };"


def _lines(plan: Plan, file: File) -> list[str]:
    kept = [one for item in plan.items for one in item.kept if one.file is file]
    return [text for one in kept for text in filelines.of(one)]


def _list(option: str, texts: Sequence[str]) -> Iterator[str]:
    if texts:
        yield f"  {option} = ["
        yield from (f"    {_string(text)}" for text in texts)
        yield "  ];"


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("${", "\\${")
    return f'"{escaped}"'
