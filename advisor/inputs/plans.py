"""What `plan` wrote and its scripts logged, read again: plan.json, and the log of apply.sh."""

from __future__ import annotations

import json
import os
from typing import Any

from advisor.errors import InputError
from advisor.files import read, unreadable
from advisor.inputs.host.root import Root
from advisor.model.disks import KINDS
from advisor.model.kernel import Location
from advisor.model.profile import Strength
from advisor.model.remedy import RemedyKind
from advisor.model.verify import AskedItem, AskedPlan, AskedSetting, Log, Logged

NAME = "plan.json"
SCHEMA = "kernel-advisor/plan/v1"
_LARGEST = 16 << 20
_MOST_OF_A_LOG = 16 << 20
_FIELDS = 8
_KINDS = {kind.effort: kind for kind in RemedyKind}
_HINT = f"name the folder that plan --into wrote, or its {NAME}"


def read_plan(path: str) -> AskedPlan:
    """The plan of a folder, or of such a file. Raises InputError."""
    name = os.path.join(path, NAME) if os.path.isdir(path) else path
    try:
        data = json.loads(read(name, limit=_LARGEST))
    except OSError as error:
        raise unreadable(name, error) from error
    except (ValueError, RecursionError) as error:
        raise InputError("is no plan: it is not JSON", where=name, hint=_HINT) from error
    try:
        if data["schema"] != SCHEMA:
            raise InputError(f"is {data['schema']}, not a plan", where=name, hint=_HINT)
        (one,) = data["plans"]
        return _plan(one, name)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        text = "is no plan of this version of kernel-advisor"
        raise InputError(text, where=name, hint="make the plan again") from error


def _plan(data: dict[str, Any], name: str) -> AskedPlan:
    items = [_item(one, data["files"]) for one in data["items"]]
    words = {word for one in items for word in (*one.words, *one.drop)}
    line = data["boot_line"]
    # What no item has alone: words that two of them changed.
    left = _rest("boot line", line["add"], line["remove"], words)
    return AskedPlan(
        path=name,
        digest=_text(data["digest"]),
        arch=_text(data["subject"]["machine"]["arch"] or ""),
        release=_text(data["release"] or ""),
        profiles=_texts(data["profiles"]),
        items=(*items, *left),
    )


def _rest(title: str, add: list[str], drop: list[str], known: set[str]) -> list[AskedItem]:
    words = tuple(word for word in _texts(add) if word not in known)
    gone = tuple(word for word in _texts(drop) if word not in known)
    if not words and not gone:
        return []
    item = AskedItem(title, "Boot line", title, "should", RemedyKind.BOOT, words=words, drop=gone)
    return [item]


def _item(data: dict[str, Any], files: dict[str, str]) -> AskedItem:
    return AskedItem(
        id=_text(data["id"]),
        title=_text(data["tunable"]["title"]),
        tunable=_text(data["tunable"]["id"]),
        strength=Strength(data["strength"]).value,
        kind=_KINDS[data["effort"]],
        settings=tuple(_setting(one, files) for one in data["settings"]),
        words=_texts(data["words"]),
        drop=_texts(data["drop"]),
        changes=tuple((_text(one["symbol"]), _text(one["to"])) for one in data["changes"]),
        symbols=_texts(data["symbols"]),
        shows={_text(key): _texts(texts) for key, texts in data["shows"].items()},
    )


def _setting(data: dict[str, Any], files: dict[str, str]) -> AskedSetting:
    place = f"/{_text(files[data['file']])}" if data["file"] else ""
    disks = _texts(data["disks"])
    if not set(disks) <= {*KINDS}:
        raise ValueError(disks)
    return AskedSetting(_text(data["key"]), _text(data["value"]), place, disks)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _texts(values: object) -> tuple[str, ...]:
    if not isinstance(values, list):  # a text would be read as its letters
        raise TypeError(values)
    return tuple(map(_text, values))


def read_log(root: Root, digest: str) -> Log:
    """What the scripts of that plan logged on a host; empty where there is no log."""
    path = f"/var/lib/kernel-advisor/{digest}/log"
    name = root.called(path)
    text = root.text(path, _MOST_OF_A_LOG) or ""
    lines = (
        _logged(line.split("\t"), Location(name, number))
        for number, line in enumerate(text.split("\n"), 1)
        if line and not line.startswith("#")
    )
    return Log(Location(name), tuple(line for line in lines if line))


def _logged(fields: list[str], place: Location) -> Logged | None:
    """A line of the log; None for one that was cut, as on a full disk."""
    if len(fields) != _FIELDS:
        return None
    boot, action, _, key, _, _, shown, error = ("" if field == "-" else field for field in fields)
    return Logged(boot, action, key, shown.removeprefix("="), error, place)
