"""The keys of findings, which stay the same when lines have moved or texts have changed.

A key has 32 hex digits. Baselines, and platforms that keep results, store them: they never change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

try:
    # hashlib loads OpenSSL for the same function: 5 ms.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

from advisor.model.finding import CONFLICT, Conflict, Diagnostic, Finding


def of_findings(findings: Iterable[Finding], path: str) -> list[Finding]:
    """Return the findings on the configuration of that path in its repository, each with its key.

    Advice and path make the key: a setting that is wrong in another way has the same one.
    """
    return [finding._replace(fingerprint=_key(finding.id, path)) for finding in findings]


def of_diagnostics(diagnostics: Iterable[Diagnostic], path: str) -> list[Diagnostic]:
    """Return diagnostics with keys, by what they are about; equal ones are counted."""
    seen: Counter[str] = Counter()
    keyed = []
    for item in diagnostics:
        identity = f"{item.id}\0{item.subject}"
        seen[identity] += 1
        # The first has no number, so that a second of its kind leaves its key as it was.
        number = f"\0{seen[identity]}" if seen[identity] > 1 else ""
        keyed.append(item._replace(fingerprint=_key(identity + number, path)))
    return keyed


def of_conflicts(conflicts: Iterable[Conflict], path: str) -> list[Conflict]:
    """Return conflicts with keys, by what is disputed."""
    return [
        conflict._replace(fingerprint=_key(f"{CONFLICT}\0{conflict.subject}", path))
        for conflict in conflicts
    ]


def _key(identity: str, path: str) -> str:
    return blake2b(f"{identity}\0{path}".encode("utf-8", "replace"), digest_size=16).hexdigest()
