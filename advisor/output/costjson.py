"""What was measured, as parts of JSON documents: of a ledger, a report, a comparison."""

from __future__ import annotations

from typing import Any

from advisor.model.measured import Account, Charge, Ledger, Measured, Together
from advisor.output.ledger import verdict


def ledger_json(ledger: Ledger) -> dict[str, Any]:
    """One ledger."""
    return {
        "name": ledger.name,
        "kernel": ledger.kernel.text if ledger.kernel else None,
        "arch": ledger.arch,
        "accounts": list(map(_account, ledger.accounts)),
        "line": verdict(ledger),
    }


def _account(account: Account) -> dict[str, Any]:
    return {
        "kernel": _fields(account.kernel, "name", "release", "package", "arch"),
        **{
            field: list(map(_charge, getattr(account, field)))
            for field in ("paid", "spared", "none", "open", "apart")
        },
        "sums": [_fields(one, "window", "difference", "tunables", "takes") for one in account.sums],
        "sums_checked": list(map(_check, account.checks)),
    }


def _check(check: Together) -> dict[str, Any]:
    windows = [_fields(w, "window", "without", "summed", "measured") for w in check.windows]
    return {
        "name": check.name, "members": list(check.members), "windows": windows,
        "repeat": check.repeat,
    }  # fmt: skip


def _charge(charge: Charge) -> dict[str, Any]:
    return {
        **record_json(charge.record),
        **_fields(charge, "title", "here", "other", "protects", "note"),
    }


def record_json(record: Measured) -> dict[str, Any]:
    """What was measured: of what, each window, boot, memory, size, and how it is repeated."""
    windows = [_fields(w, "name", "without", "difference", "spread") for w in record.windows]
    boot, size = (
        _fields(one, "without", "difference") if one else None for one in (record.boot, record.size)
    )
    return {
        **_fields(record, "name", "tunable", "member"),
        "windows": windows, "none": list(record.none), "boot": boot, "memory": record.memory,
        "size": size, "repeat": record.repeat,
    }  # fmt: skip


def _fields(record: object, *names: str) -> dict[str, Any]:
    return {name: getattr(record, name) for name in names}
