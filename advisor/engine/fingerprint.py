"""The keys by which findings are known again when lines have moved or texts have changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

try:
    # hashlib loads OpenSSL for the same function: 5 ms.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

from advisor.model.report import Diagnostic, Finding


def of_findings(findings: Iterable[Finding], path: str) -> list[str]:
    """A key for each finding on the configuration of that path (see Places): 32 hex digits.

    Advice and path make it, not the setting: what is still wrong in another way is still it.
    """
    return [_key(finding.id, path) for finding in findings]


def of_diagnostics(diagnostics: Iterable[Diagnostic], path: str) -> list[str]:
    """Likewise for diagnostics, by what they are about; equal ones are counted."""
    seen: Counter[str] = Counter()
    found = []
    for item in diagnostics:
        identity = f"{item.id}\0{item.subject}"
        seen[identity] += 1
        number = f"\0{seen[identity]}" if seen[identity] > 1 else ""
        found.append(_key(identity + number, path))
    return found


def _key(identity: str, path: str) -> str:
    return blake2b(f"{identity}\0{path}".encode("utf-8", "replace"), digest_size=16).hexdigest()
