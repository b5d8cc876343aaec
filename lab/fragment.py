"""The advisor's own fragment for one setting, proven by the tree's tools.

It comes from the command that anybody gives, so that each kernel that the lab builds is a test of
it: a profile that wants nothing but the setting, and where no tunable has it, a rule of one option.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from advisor.errors import UsageError
from advisor.inputs.config import named_lines, parse_config

OPTION = "CONFIG_"
_ID = "lab-setting"
_STATES = {"on": "y", "off": "n"}
_PROFILE = """\
id = "{profile}"
title = "One setting"
summary = "What the lab builds."

[[advice]]
id = "{profile}"
tunable = "{tunable}"
stance = "want"
strength = "must"
want = ["{value}"]
why = "It is measured."
sources = ["kconfig Kconfig"]
examples = ["-> change"]
"""
_RULE = """\
id = "{tunable}"
title = "{symbol}"
kind = "switch"
summary = "Whether {symbol} is compiled in."
cost = "Not measured."
sources = ["kconfig Kconfig"]
examples = ["{symbol}=y -> on", "{symbol}=n -> off"]

[[value]]
name = "on"
set = {{ {symbol} = "y" }}

[[value]]
name = "off"
set = {{ {symbol} = "n" }}
"""


class Asked(NamedTuple):
    """A setting to build, as it is spelled: TUNABLE=VALUE, GROUP.SYMBOL=on|off, CONFIG_SYMBOL=y|n.

    `symbol` is empty for a tunable's value.
    """

    tunable: str
    value: str
    symbol: str

    @property
    def name(self) -> str:
        """As it is asked for."""
        return f"{self.tunable}={self.value}"

    @property
    def state(self) -> str:
        """What the option shall be, y or n, where it is one option."""
        return _STATES.get(self.value, self.value) if self.symbol else ""


def asked(text: str) -> Asked:
    """What a text asks for. Raises UsageError where it asks for nothing."""
    name, _, value = text.partition("=")
    if name.startswith(OPTION):
        found = Asked(name, value, name.removeprefix(OPTION))
    else:
        found = Asked(name, value, name.partition(".")[2])
    if not (name and value) or (found.symbol and found.state not in _STATES.values()):
        hint = "TUNABLE=VALUE, GROUP.SYMBOL=on or off, CONFIG_SYMBOL=y or n"
        raise UsageError(f"{text} is no setting that can be built", hint=hint)
    return found


def fragment(wanted: Asked, config: Path, tree: Path) -> str:
    """What makes the configuration have the setting, in that tree.

    Raises UsageError, with what the advisor said, where it has none, or its proof failed.
    """
    with TemporaryDirectory() as folder:
        profiles, rules = (Path(folder, name) for name in ("profiles", "rules"))
        profiles.mkdir()
        rules.mkdir()
        tunable, value = wanted.tunable, wanted.value
        if wanted.symbol:
            tunable, value = f"{_ID}-option", "on" if wanted.state == "y" else "off"
            rule = _RULE.format(tunable=tunable, symbol=wanted.symbol)
            (rules / f"{tunable}.toml").write_text(rule)
        profile = _PROFILE.format(profile=_ID, tunable=tunable, value=value)
        (profiles / f"{_ID}.toml").write_text(profile)
        command = [
            sys.executable, "-m", "advisor", "fragment", str(config), "-p", _ID,
            "--profiles", str(profiles), "--rules", str(rules), "--tree", str(tree),
            "--run-toolchain", "--prove", "kbuild", "--no-settings", "--strength", "must",
        ]  # fmt: skip
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
    said = done.stderr.strip() or done.stdout.strip()
    if done.returncode:
        raise UsageError(f"{wanted.name}: the advisor has no fragment for it: {said}")
    if not lines_of(done.stdout):
        raise UsageError(f"{wanted.name}: the advisor's fragment is empty: {_last(done.stdout)}")
    return done.stdout


def lines_of(text: str) -> tuple[tuple[str, str], ...]:
    """The options that a fragment names, each with its value, `n` for "is not set"."""
    if "CONFIG_" not in text:
        return ()
    return tuple((s, value) for s, value, _ in named_lines(parse_config(text, "fragment")))


def _last(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "it said nothing"
