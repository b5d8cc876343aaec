"""What a plan rests on and does not change: symbols of the configuration, and files that show
values.

They decide that an item applies and that the kernel has what it sets. Of a condition `a || b` the
part that holds counts. A rebuild is made from a configuration that is at hand, so it has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.engine.effective.world import World
from advisor.engine.plan.carriers import found_of
from advisor.model import condition
from advisor.model.condition import Term
from advisor.model.nextboot import RIVALS
from advisor.model.plan import Item
from advisor.model.remedy import RemedyKind
from advisor.model.sysctl import FOLDER, key_of, path_of

_FILES = ("/sys/", "/proc/sys/")


def with_grounds(items: Iterable[Item], world: World) -> list[Item]:
    """Return the items with what each rests on, but for what the plan itself sets."""
    items = list(items)
    settings = [setting.key for item in items for setting in item.remedy.settings]
    own = {change.symbol for item in items for change in item.remedy.changes}
    for key in (*settings, *(RIVALS[key] for key in settings if key in RIVALS)):
        own.update((key, key if key.startswith("/") else path_of(key)))
    rebuild = RemedyKind.REBUILD
    found = ((i, () if i.remedy.kind is rebuild else _of_item(i, own, world)) for i in items)
    return [item._replace(grounds=tuple(sorted(set(grounds)))) for item, grounds in found]


def _of_item(item: Item, own: set[str], world: World) -> Iterator[tuple[str, str]]:
    finding = item.finding
    tunable, advice = finding.tunable, finding.advice
    value = tunable.value(item.remedy.value)
    there = (tunable.only_if, advice.only_if, value.runtime_only_if if value else None)
    for expr, truth in (*((expr, True) for expr in there), (advice.unless, False)):
        if world.evaluate(expr) is not truth:
            continue
        deciding = condition.deciding(expr, world)
        for symbol in map(world.spelled, condition.symbols(deciding)):
            is_so = world.config.get(symbol) or ("n" if world.config.complete else "")
            if is_so and symbol not in own:
                yield symbol, is_so
        for term in condition.atoms(deciding):
            for path, shown in _files(term, world):
                if path.startswith(_FILES) and path not in own:
                    yield path, shown


def _files(term: Term, world: World) -> Iterator[tuple[str, str]]:
    """Yield the files that a term asks about, with what each shows."""
    if term[0] == "shown":
        path = term[1]
        yield from found_of(key_of(path) if path.startswith(FOLDER) else path, world)
    elif term[0] == "is":
        tunable = world.knowledge.tunable(term[1])
        for key in (*tunable.sysctls, *tunable.files):
            yield from found_of(key, world)
