"""The menu that a grub.cfg builds, as far as it can be told without running it.

Conditions are decided where they hang on variables whose values are known (those that the script
sets, those of grubenv, the features that GRUB 2.02 and later have); both ways of any other are
gone, and what is set or offered there is not certain. Only variables and the menu count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import pairwise

from advisor.inputs.bootfiles.grub import for_kernel
from advisor.inputs.budget import Budget
from advisor.inputs.nextboot.grubwords import LONGEST, Command, Word, commands
from advisor.model.kernel import Location
from advisor.record import NamedTuple

MOST_ENTRIES = 2000
_MOST_WORK = 200_000
"""The most commands that are looked at, of nested ones at each level: 500 kernels have 20,000."""
_A_FILE = 2000
"""As many commands is another file charged."""
_MOST_TEXT = 4 << 20
"""The most characters that variables come to, with _WORD for each word: 500 kernels have 1.2 MB."""
_WORD = 64
_DEEPEST = 30
# grub-core/normal/main.c#features of 2.06, each set to y.
_FEATURES = (
    "feature_chainloader_bpb", "feature_ntldr", "feature_platform_search_hint",
    "feature_default_font_path", "feature_all_video_module", "feature_menuentry_id",
    "feature_menuentry_options", "feature_200_final", "feature_nativedisk_cmd",
    "feature_timeout_style",
)  # fmt: skip
# What GRUB sets by itself, to what only the machine tells.
_MACHINES = ("root", "prefix", "grub_platform", "grub_cpu", "cmdpath", "config_directory", "?")
_DECIDED = frozenset(("[", "test", "true", "false"))
_LINUX = frozenset(("linux", "linux16", "linuxefi"))
# Variables that are empty where nobody sets them: those that TuneD and others add.
_OPTIONAL = frozenset(("tuned_params", "kernelopts", "extra_cmdline", "expand"))
Piece = tuple[str, Location]


class MenuEntry(NamedTuple):
    """An entry: a `submenu` has entries. `words` are the kernel's path and its line, where it loads
    a kernel; `unknown` are words of which a variable is not known; it is `certain` to be there."""

    title: str
    id: str
    place: Location
    certain: bool = True
    words: tuple[Piece, ...] = ()
    unknown: tuple[Piece, ...] = ()
    submenu: tuple[MenuEntry, ...] | None = None
    version: str = ""


class Menu:
    """Builds a menu: `environment` are the variables of grubenv; `exists` tells of a file beside
    grub.cfg, `bls` brings the entries of the Boot Loader Specification, `source` another text."""

    def __init__(
        self,
        name: str,
        environment: dict[str, str],
        exists: Callable[[str], bool],
        bls: Callable[[Menu], list[MenuEntry]],
        source: Callable[[str], tuple[str, str] | None],
    ) -> None:
        self.name = name
        self.values: dict[str, str | None] = dict.fromkeys(_FEATURES, "y")
        self.values.update(dict.fromkeys(_MACHINES))
        self.entries: list[MenuEntry] = []
        self._environment = environment
        self._exists = exists
        self._bls = bls
        self._source = source
        self._unsure = 0
        self._count = 0
        self._work = Budget(_MOST_WORK)
        self._text = Budget(_MOST_TEXT)
        # Of a file that is read again and again.
        self._sourced: dict[str, tuple[list[Command], str] | None] = {}

    def read(self, text: str, depth: int = 0) -> None:
        """Runs the text as far as variables and the menu go."""
        self._run(list(commands(text)), self.entries, depth)

    def _run(self, block: list[Command], into: list[MenuEntry], depth: int) -> None:
        at = 0
        while at < len(block) and self._count < MOST_ENTRIES:
            words = block[at]
            name = words[0].text if words[0].is_bare else ""
            end = at + 1
            if depth > _DEEPEST or self._work.spent or self._text.spent:
                self._unsure += 1  # for good: nothing behind it is certain
                self.values["default"] = None
                return
            if name == "if":
                end = _closing(block, at, "if", "fi")
                self._work.spend(end - at)
                self._branches(block[at:end], into, depth)
            elif name in ("for", "while", "until"):
                end = _closing(block, at, name, "done")
                self._work.spend(end - at)
                self._unsurely(block[at + 1 : end - 1], into, depth)
            elif words[-1].is_bare and words[-1].text == "{":
                end = _brace(block, at)
                self._work.spend(end - at)
                body = block[at + 1 : end - 1]
                if name in ("menuentry", "submenu"):
                    self._entry(name, words, body, into, depth)
            else:
                self._command(name, words, into, depth)
            self._work.spend()
            at = end

    def _branches(self, block: list[Command], into: list[MenuEntry], depth: int) -> None:
        """Goes the way of an if that its conditions tell, or all that are possible."""
        arms = _arms(block)
        unsure = False
        for condition, body in arms:
            truth = self._truth(condition) if condition else True
            if truth is False:
                continue
            if truth is True and not unsure:
                self._run(body, into, depth + 1)
                return
            unsure = True
            self._unsurely(body, into, depth + 1)
            if truth is True:
                return

    def _unsurely(self, block: list[Command], into: list[MenuEntry], depth: int) -> None:
        self._unsure += 1
        self._run(block, into, depth + 1)
        self._unsure -= 1

    def _truth(self, conditions: list[Command]) -> bool | None:
        """Evaluates the last command of a condition; None where its truth is not known."""
        words = conditions[-1]
        if any(
            len(one) and one[0].text not in ("[", "test", "true", "false") for one in conditions
        ):
            return None
        if words[0].text in ("true", "false"):
            return words[0].text == "true"
        inner = words[1:-1] if words[0].text == "[" else words[1:]
        raw = [word.text for word in inner]
        if len(raw) == 2 and raw[0] in ("-s", "-f", "-e"):
            folder, slash, file = raw[1].rpartition("/")
            known = slash and folder in ("$prefix", "$config_directory")
            return self._exists(file) if known and "$" not in file else None
        texts: list[str] = []
        for word in inner:
            expanded = self.expanded(word)
            if expanded is None:
                return None
            texts += expanded
        return _test(texts)

    def expanded(self, word: Word) -> list[str] | None:
        """The words that a word comes to; None where a variable is not known, or when all is spent
        that one menu may come to."""
        found = None if self._text.spent else word.expanded(self.values)
        self._text.spend(sum(len(one) + _WORD for one in found or ("",)))
        return found

    def _set(self, name: str, value: str | None) -> None:
        if self._unsure and self.values.get(name, "") != value:
            value = None
        self.values[name] = value

    def _command(self, name: str, words: Command, into: list[MenuEntry], depth: int) -> None:
        arguments = words[1:]
        if name == "set" and arguments:
            self._assign(arguments[0])
        elif "=" in words[0].text:
            self._assign(words[0])
        elif name == "unset":
            for word in arguments:
                self._set(word.text, "")
        elif name == "load_env":
            self._load([word.text for word in arguments])
        elif name == "blscfg":
            for entry in self._bls(self):
                self._add(entry._replace(certain=not self._unsure), into)
        elif name in ("source", ".", "configfile") and arguments:
            self._read(arguments[0].text.rpartition("/")[2], into, depth)

    def _read(self, file: str, into: list[MenuEntry], depth: int) -> None:
        """Runs another file beside this one, if there is one that can be read."""
        if file not in self._sourced:
            found = self._source(file)
            self._sourced[file] = (list(commands(found[0])), found[1]) if found else None
        if sourced := self._sourced[file]:
            kept, self.name = self.name, sourced[1]
            self._work.spend(_A_FILE)
            self._run(sourced[0], into, depth + 10)
            self.name = kept

    def _assign(self, word: Word) -> None:
        key, equals, _ = word.text.partition("=")
        if equals and re.fullmatch(r"\w+", key):
            values = self.expanded(word)
            self._set(key, None if values is None else " ".join(values).partition("=")[2])

    def _load(self, words: list[str]) -> None:
        """Takes over the variables of grubenv, all or those that are named; not of another file."""
        if "-f" in words or "--file" in words:
            return
        names = [word for word in words if not word.startswith("-")]
        for key, value in self._environment.items():
            if not names or key in names:
                self._set(key, value)

    def _entry(
        self, kind: str, words: Command, body: list[Command], into: list[MenuEntry], depth: int
    ) -> None:
        title = self.expanded(words[1]) if len(words) > 1 else None
        place = Location(self.name, words[0].line, words[0].column)
        entry = MenuEntry(" ".join(title or ()), self._id(words), place, not self._unsure)
        if kind == "submenu":
            inner: list[MenuEntry] = []
            values = dict(self.values)
            self._run(body, inner, depth + 1)
            self.values = values
            entry = entry._replace(submenu=tuple(inner))
        elif loads := next((one for one in body if one[0].text in _LINUX), None):
            entry = self._loading(entry, loads)
        self._add(entry, into)

    def _id(self, words: Command) -> str:
        """Finds the value of --id, also where a variable stands for that option."""
        for word, value in pairwise(words[2:]):
            if word.text in ("--id", "$menuentry_id_option"):
                found = self.expanded(value)
                return " ".join(found) if found else ""
        return ""

    def _loading(self, entry: MenuEntry, command: Command) -> MenuEntry:
        words = ((one, Location(self.name, one.line, one.column)) for one in command[1:])
        known, unknown = self.line(words)
        quoted = ((for_kernel(text), place) for text, place in known)
        return entry._replace(words=tuple(quoted), unknown=unknown)

    def line(
        self, words: Iterable[tuple[Word, Location]], alone: bool = False
    ) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
        """What the words of a kernel's line come to, and those of which a variable is not known; of
        a line without end its begin. `alone` says that nothing but the menu sets variables."""
        known: list[Piece] = []
        unknown: list[Piece] = []
        length = 0
        for word, place in words:
            expanded = self.expanded(word)
            # A variable that nothing here sets may be set by a module or another script.
            unset = {p.text for p in word.parts if p.variable and p.text not in self.values}
            if expanded is None or (unset and not alone and not unset <= _OPTIONAL):
                unknown.append((word.text, place))
            known += ((text, place) for text in expanded or ())
            length += sum(len(text) + 1 for text in expanded or (word.text,))
            if length > LONGEST or self._text.spent:
                break
        return tuple(known), tuple(unknown)

    def _add(self, entry: MenuEntry, into: list[MenuEntry]) -> None:
        self._count += 1
        into.append(entry)


def _test(texts: list[str]) -> bool | None:
    """Evaluates `[ … ]` of GRUB; None for files and for anything else that is not known here."""
    if texts[:1] == ["!"]:
        inner = _test(texts[1:])
        return None if inner is None else not inner
    if len(texts) < 2:
        return bool(texts and texts[0])
    if len(texts) == 2 and texts[0] in ("-n", "-z"):
        return bool(texts[1]) is (texts[0] == "-n")
    if texts in (["-n"], ["-z"]):
        return texts == ["-z"]
    if len(texts) == 3 and texts[1] in ("=", "==", "!="):
        return (texts[0] == texts[2]) is (texts[1] != "!=")
    return None


def _closing(block: list[Command], start: int, opening: str, closing: str) -> int:
    """Finds the end of a compound command, behind the one that closes it; the end of all if none
    does."""
    depth = 0
    for at in range(start, len(block)):
        first = block[at][0].text if block[at][0].is_bare else ""
        depth += (first == opening) - (first == closing)
        if not depth:
            return at + 1
    return len(block)


def _brace(block: list[Command], start: int) -> int:
    depth = 0
    for at in range(start, len(block)):
        last = block[at][-1]
        if last.is_bare:
            depth += (last.text == "{") - (last.text == "}")
        if not depth:
            return at + 1
    return len(block)


def _arms(block: list[Command]) -> list[tuple[list[Command], list[Command]]]:
    """Parts an if into its conditions, each with what it guards; the condition of an else is
    empty."""
    arms: list[tuple[list[Command], list[Command]]] = []
    condition: list[Command] = [block[0][1:]] if block[0][1:] else []
    body: list[Command] = []
    depth, in_condition = 0, True
    for words in block[1:]:
        first = words[0].text if words[0].is_bare else ""
        if not depth and first == "then" and in_condition:
            in_condition, rest = False, words[1:]
            body = [rest] if rest else []
        elif not depth and first in ("elif", "else", "fi"):
            arms.append((condition, body))
            in_condition, condition, body = first == "elif", [], []
            if words[1:] and first != "fi":
                (condition if in_condition else body).append(words[1:])
            if first == "fi":
                return arms
        else:
            (condition if in_condition else body).append(words)
        depth += (first == "if") - (first == "fi")
    arms.append((condition, body))
    return arms
