"""What the rules say of boot parameters, held against the C source of one kernel tree.

Whether a name is parsed is certain. Of accepted words only a hint can be had: a word that is no
text of any file that parses the parameter is reported as not found.
"""

from __future__ import annotations

import re
from collections.abc import Set

from advisor.engine.effective.word_values import truth_of
from advisor.inputs.machine import source_arch
from advisor.lint.csource.source import KernelSource, Parsed
from advisor.lint.view import Checked, Contradiction, TreeView, in_time
from advisor.model.kernel import Location
from advisor.model.numbers import count_of
from advisor.model.parameter import Parameter
from advisor.model.rules import Fact

# What C's type of a module parameter takes, in the words of rules.
_TYPES = {
    "bool": ("flag", "bool", "enum"),
    "invbool": ("flag", "bool", "enum"),
    "int": ("int", "truth", "bool", "enum"),
    "uint": ("int", "truth", "bool", "enum"),
    "byte": ("int", "enum"),
    "short": ("int", "enum"),
    "ushort": ("int", "enum"),
    "long": ("int", "size", "enum"),
    "ulong": ("int", "size", "enum"),
    "ullong": ("int", "size", "enum"),
    "charp": ("string", "enum", "cpulist"),
}
_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
# Words that C's own readers of numbers and truths take, without a text of them in the file.
_READERS = re.compile(
    r"kstrto\w+|simple_strto\w+|get_option|strtobool|param_\w*bool|memparse|early_param_on_off"
    r"|module_param\w*\([^;]*,\s*\w*(?:bool|int|long|short|byte)\b|core_param"
)
_JOINED = re.compile(r'"\s*"')
_FILLED = re.compile(r"[%'<]|\b(?:N|NAME|VALUE)\b")
# arm64 has it among what user space may include (uapi), x86 does not.
_SIZE = re.compile(r"define[ \t]+COMMAND_LINE_SIZE[ \t]+(\d+)")


def parameter_facts(parameter: Parameter, view: TreeView, source: KernelSource) -> Checked:
    """Checks that a parameter is parsed where the rule says so and only there, as what, and how."""
    places = source.parsed(parameter.name, view.arch)
    claimed, name = _claimed(parameter, places, view), parameter.name
    if claimed is None:
        return
    if claimed and not places:
        yield _against(
            "parsed", parameter, f"{name} is parsed", f"the kernel parses no parameter {name}"
        )
    elif places and not claimed:
        where = places[0].where
        yield _against(
            "parsed", parameter, f"{name} is not parsed", f"the kernel parses {name}", where
        )
    else:
        yield None
    if claimed and places:
        # The C type, where the macro tells it.
        for place in places:
            # Of a driver's own type or reader the macro says nothing.
            known = _TYPES.get(place.type)
            if known and parameter.type in known:
                yield None
            elif known:
                says = f"{parameter.name} is of the type {parameter.type}"
                has = f"the kernel reads {parameter.name} as {place.type}"
                yield _against("parsed-type", parameter, says, has, place.where)
        yield from _words(parameter, places, view, source)
        yield from _refusal(parameter, places, view, source)


def _claimed(parameter: Parameter, places: list[Parsed], view: TreeView) -> bool | None:
    """Whether the rule says that this kernel parses it; None where it leaves that open."""
    if parameter.name.endswith(".*"):
        return None  # no macro registers them
    version = view.tree.version.numbers
    if parameter.there and in_time(parameter.since, parameter.there, version):
        return None
    if not in_time(parameter.since, parameter.until, version):
        return False
    if parameter.arch and view.arch not in parameter.arch:
        # Drivers of one architecture are in every tree; its own folder is no other's.
        own = any(place.where.path.startswith(f"arch/{view.arch}/") for place in places)
        return False if own or not places else None
    return True if view.possible(parameter.only_if) else None


def _words(
    parameter: Parameter, places: list[Parsed], view: TreeView, source: KernelSource
) -> Checked:
    """Checks that every accepted word stands as a text in a file that parses the parameter."""
    paths = _paths(parameter, places, source)
    texts = [source.text(path) for path in paths]
    # Without what may stand beside a word in its text: strncmp() of "ratelimit:", "nosmt,".
    spelled = {string.strip(",;:=") for text in texts for string in _STRING.findall(text)}
    exact = {string for text in texts for string in _STRING.findall(text)}
    numeric = any(map(_READERS.search, texts))
    for word in (word for word, when in parameter.words if view.possible(when)):
        if _named(word, exact, spelled) or (numeric and _is_plain(word)):
            yield None
        else:
            says = f"{parameter.name}={word} is accepted"
            has = f"the word {word!r} is not in {', '.join(paths)}"
            against = _against("word", parameter, says, has, places[0].where)
            yield against._replace(subject=word)


def _paths(parameter: Parameter, places: list[Parsed], source: KernelSource) -> list[str]:
    """Lists the files that parse the parameter, and those that the rule names."""
    paths = [place.where.path for place in places]
    named = [ref.ref.partition(":")[0] for ref in parameter.sources if ref.kind == "code"]
    return list(dict.fromkeys([*paths, *filter(source.has, named)]))


def _refusal(
    parameter: Parameter, places: list[Parsed], view: TreeView, source: KernelSource
) -> Checked:
    """Checks that one of these files has the message which the kernel logs, up to what it fills
    in."""
    version = view.tree.version.numbers
    if not (parameter.refusal and in_time(parameter.refusal_since, "", version)):
        return
    paths = _paths(parameter, places, source)
    message = _FILLED.split(parameter.refusal)[0]
    # What stands before a colon may come from pr_fmt(), which the file defines elsewhere.
    forms = [message, *filter(None, [message.partition(": ")[2]])]
    texts = [_JOINED.sub("", source.text(path)) for path in paths]
    if any(form in text for form in forms for text in texts):
        yield None
    else:
        says = f"{parameter.name} is refused with {message!r}"
        has = f"this message is not in {', '.join(paths)}"
        yield _against("refusal", parameter, says, has, places[0].where)


def limit_facts(limit: Fact | None, view: TreeView, source: KernelSource) -> Checked:
    """Checks how long a boot line may be on the view's architecture."""
    known = next(filter(None, map(count_of, limit.names)), 0) if limit else 0
    paths = [f"arch/{source_arch(view.arch)}/include/{part}asm/setup.h" for part in ("uapi/", "")]
    for path in filter(source.has, paths):
        sizes = {count_of(size) or 0 for size in _SIZE.findall(source.text(path))}
        if known in sizes:
            yield None
        elif sizes and limit and known:
            says = f"a boot line has {known} bytes on {view.arch}"
            has = f"COMMAND_LINE_SIZE is {' or '.join(map(str, sorted(sizes)))}"
            rule = f"fact/{limit.about} {limit.of}"
            yield Contradiction("limit", rule, "COMMAND_LINE_SIZE", says, has, Location(path, 1))


def _against(
    check: str, parameter: Parameter, says: str, has: str, where: Location | None = None
) -> Contradiction:
    name = parameter.name
    return Contradiction(check, f"parameter/{name}", name, says, has, where)


def _is_plain(word: str) -> bool:
    """Whether C's own readers take the word, or what begins so, for a number or a truth."""
    start = word.rstrip("*")
    return start.isdigit() or truth_of(start) is not None


def _named(word: str, exact: Set[str], spelled: Set[str]) -> bool:
    """Whether the word, or each part of it, is one of these texts or begins like one."""
    if word.endswith("*"):
        start = word[:-1]
        forms = (start, start.rstrip("=:,;_"), start.rstrip("=:") + "=")
        head, comma, begun = start.rpartition(",")
        # auto,no_*: a table may have the words that the last part only begins.
        listed = begun and comma and any(text.startswith(begun) for text in spelled)
        if listed and (not head or _named(head, exact, spelled)):
            return True
        return any(_named(form, exact, spelled) for form in forms)
    return word in exact or all(part in spelled for part in re.split("[,;:]", word) if part)
