"""One target under Atheris: `python -m fuzz.one TARGET MODULES [OPTIONS OF LIBFUZZER] [CORPUS]`.

Mutations are guided by the lines that they reach of the modules: `advisor` for all, or some, with
commas between.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

ALIVE = 1000
"""After so many executions a line says so, for who counts them."""


def main(name: str, modules: str = "advisor") -> None:
    """Fuzzes that target until libFuzzer ends the process; the options are those of sys.argv."""
    import atheris

    with atheris.instrument_imports(["advisor"], [*_others(modules.split(","))]):
        from fuzz.shapes import reshaped
        from fuzz.targets import TARGETS

        runs = 0
        target = TARGETS[name]

        def once(data: bytes) -> None:
            nonlocal runs
            runs += 1
            if runs % ALIVE == 0:
                print(f"#{runs}\tALIVE", file=sys.stderr, flush=True)
            target(data)

        def mutated(data: bytes, most: int, seed: int) -> bytes:
            made = reshaped(data, seed) if seed % 2 else None
            if made is None or len(made) > most:
                return bytes(atheris.Mutate(data, most))
            return made

        atheris.Setup(sys.argv, once, custom_mutator=mutated)
        atheris.Fuzz()


def _others(modules: list[str]) -> Iterator[str]:
    """The modules of `advisor` that are in none of these: each that is instrumented costs time."""
    top = Path(__file__).parents[1]
    for path in (top / "advisor").rglob("*.py"):
        name = ".".join(path.relative_to(top).with_suffix("").parts).removesuffix(".__init__")
        if not any(f"{name}.".startswith(f"{one}.") for one in modules):
            yield name


if __name__ == "__main__":
    main(sys.argv.pop(1), sys.argv.pop(1))
