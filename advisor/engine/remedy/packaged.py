"""The package of a distribution whose kernel has what a finding asks to be built."""

from __future__ import annotations

import re

from advisor.engine.effective.world import World
from advisor.model.finding import Finding, Package, Verdict

# What each calls its kernels (uname -r, BUILD_SALT, the file in /boot), and the compiler that its
# packages are built with; a kernel that somebody built there was built with plain `gcc`.
_SIGNS = {
    "debian": ("Debian", r"[+.~-]deb\d+|-\d+-(?:(?:cloud|rt)-)?(?:amd64|arm64)$|-gcc-\d+ \(Debian"),
    "ubuntu": ("Ubuntu", r"-\d+-(?:generic|lowlatency)(?:-\w+)?$|-gcc-\d+ \(Ubuntu"),
    "arch": ("Arch Linux", r"-arch\d"),
    "opensuse": ("openSUSE", r"\d-\d[\w.]*-default$"),
    "rhel": ("RHEL", r"\.el\d+(?:_\d+)?(?:\.|$)"),
}


def with_packages(findings: list[Finding], world: World) -> list[Finding]:
    """Return the findings, with the package that the kernel's distribution has of what each asks to
    be built."""
    own = _distribution(world)
    return [_with_package(one, own, world) for one in findings] if own else findings


def _with_package(finding: Finding, own: str, world: World) -> Finding:
    if finding.verdict not in (Verdict.CHANGE, Verdict.BLOCKED):
        return finding
    wanted = (finding.tunable.value(name) for each in finding.advice.options for name in each.want)
    for value in filter(None, wanted):
        for symbol in (name for way in value.sets for name, to in way if to == "y"):
            fact = world.knowledge.fact("package", f"{own} {world.fact('arch')} {symbol}")
            if fact.says:
                return finding._replace(package=Package(_SIGNS[own][0], fact.says))
    return finding


def _distribution(world: World) -> str:
    """Whose kernel it is; empty if no name tells."""
    config, kernel, subject = world.config, world.subject.kernel, world.subject
    release, _ = subject.sysctl.get("kernel.osrelease", ("", None))
    told = (config.get(symbol) for symbol in ("BUILD_SALT", "CC_VERSION_TEXT"))
    texts = [release, kernel.text if kernel else "", subject.name]
    texts += [(text or "").strip('"') for text in told]
    for name, (_, pattern) in _SIGNS.items():
        if any(re.search(pattern, text) for text in texts):
            return name
    return ""
