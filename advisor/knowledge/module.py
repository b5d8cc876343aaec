"""The key `module` of a tunable: what keeps a module from being loaded keeps its value off.

`module = "virtio_mem"` stands for an interpretation, and for the source of that fact:

    [[interpret]]
    names = ["on"]
    target = "off"
    only_if = "VIRTIO_MEM = m && (boot(nomodule=1) || boot(module_blacklist=virtio_mem))"
    why = "the boot line prevents the module virtio_mem from being loaded"

The symbol is the one that `on` sets to m. Of several modules, or symbols, one is enough.
"""

from __future__ import annotations

from typing import Any

Document = dict[str, Any]

_PLACE = "kernel/module/main.c#blacklisted"
_NOTE = "module_blacklist= by exact name; modules_disabled for nomodule"
SOURCE = f"code {_PLACE}@6.12 — {_NOTE}"
SOURCE_OF_FOLDER = f"code {_PLACE} — {_NOTE}"
"""The same, of the kernel that holds for the folder."""


def expand(toml: Document) -> None:
    """Replaces `module` by what it stands for: the first interpretation, and the last source where
    none is of that place. Raises ValueError where `on` sets no symbol to m."""
    if "module" not in toml:
        return
    modules = toml.pop("module")
    first = interpretation(toml, [modules] if isinstance(modules, str) else modules)
    toml["interpret"] = [first, *toml.get("interpret", ())]
    written = [line.partition(" ")[2] for line in toml.get("sources", ())]
    if not any(place.startswith(_PLACE) for place in written):
        toml["sources"] = [*toml.get("sources", ()), SOURCE]


def interpretation(toml: Document, modules: list[str]) -> Document:
    """The interpretation of these modules. Raises ValueError where `on` sets no symbol to m."""
    # The symbols that the preferred way of `on` sets to m.
    on: Document = next((one for one in toml.get("value", ()) if one["name"] == "on"), {})
    ways = on.get("set", {})
    way = ways if isinstance(ways, dict) else ways[0]
    symbols = [symbol for symbol, text in way.items() if text == "m"]
    if not symbols:
        raise ValueError("the value `on` sets no symbol to m: write a table [[interpret]]")
    built = " || ".join(f"{symbol} = m" for symbol in symbols)
    built = f"({built})" if len(symbols) > 1 else built
    words = ["nomodule=1", *(f"module_blacklist={module}" for module in modules)]
    only_if = f"{built} && ({' || '.join(f'boot({word})' for word in words)})"
    return {"names": ["on"], "target": "off", "only_if": only_if, "why": reason(modules)}


def reason(modules: list[str]) -> str:
    """Why the value is off: the boot line keeps one of these modules from being loaded."""
    return f"the boot line prevents the module {' or '.join(modules)} from being loaded"
