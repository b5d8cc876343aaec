"""What can stand next on a command line: the answers that the shells' completion scripts ask for.

An answer is a line `KIND<tab>TEXT`, and for the kind `words` a line `VALUE<tab>HELP` for each. The
kinds: `words` (TEXT is the word as far as it stands), `files` and `folders` (TEXT stands before the
path, such as `@` or `json=`), `nothing`.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from advisor.cli.command import command
from advisor.cli.options import COMPLETION, HYPERVISORS, VENDORS, Request
from advisor.cli.printing import put
from advisor.engine.audit import FAIL_ON
from advisor.errors import AdvisorError, UsageError
from advisor.files import read_own
from advisor.inputs.machine import ARCHITECTURES
from advisor.knowledge import index
from advisor.knowledge.lookup import names_of, own_names
from advisor.knowledge.store import Knowledge
from advisor.model.plan import EFFORTS
from advisor.model.profile import Strength
from advisor.output import (
    BOOT_FORMATS,
    DIFF_FORMATS,
    FORMATS,
    LIKE_FORMATS,
    PLAN_FORMATS,
    SCREEN_FORMATS,
    VERIFY_FORMATS,
)

SCRIPTS = {"bash": "kernel-advisor.bash", "zsh": "_kernel-advisor", "fish": "kernel-advisor.fish"}
# Marks the end of the line, so that a blank before the cursor begins an empty word; no word that
# a process is given can hold it.
_CURSOR = "\0"


class Answer(NamedTuple):
    """The kind, and values with their help; `text` stands before a path."""

    kind: str
    values: Mapping[str, str] = {}
    text: str = ""


class Line(NamedTuple):
    """The words before the cursor's, the cursor's as far as it stands, and the command."""

    words: list[str]
    current: str
    command: str = ""

    def given(self, *options: str) -> list[str]:
        """The values that these options have on the line."""
        apart = [value for word, value in pairwise(self.words) if word in options]
        joined = [word.partition("=") for word in self.words]
        return apart + [value for name, equals, value in joined if equals and name in options]


Source = Callable[[Line], Answer]
FILES, FOLDERS, NOTHING = Answer("files"), Answer("folders"), Answer("nothing")


@command(*COMPLETION)
def completion(request: Request) -> int:
    """Print the script that completes kernel-advisor in a shell."""
    from advisor.cli.app import described

    # A shell asks with the line up to the cursor.
    line = request.completion.line
    put(script(request.completion.shell) if line is None else answer(line, described))
    return 0


def script(shell: str) -> str:
    """The script that teaches a shell to ask. Raises UsageError for another shell."""
    if shell not in SCRIPTS:
        hint = f"one of {', '.join(SCRIPTS)}"
        raise UsageError(f"there is no completion for {shell!r}", where="completion", hint=hint)
    return read_own("shells", SCRIPTS[shell])


def answer(line: str, describe: Callable[[list[str]], Any]) -> str:
    """What can stand at the end of the line; `describe` gives Typer's commands for some words."""
    from advisor.cli.app import with_command

    words, current = split(line)
    if not current.isprintable():  # no word of ours, and it would look like a line of the answer
        return _text(NOTHING, current)
    while words and words[0].startswith("-"):
        del words[0]
    name, *others = with_command(words) if words else [""]
    root = describe([name])
    if not name:
        commands = {name: one.help for name, one in root.commands.items() if not one.hidden}
        reply = _options(root.params, []) if current.startswith("-") else _words(commands)
    elif (command := root.commands.get(name)) is None:
        reply = NOTHING
    else:
        reply = _next(Line(others, current, name), command.params)
    return _text(reply, current)


def split(line: str) -> tuple[list[str], str]:
    """The words behind the program's name, and the last one as far as it stands.

    A quote may still be open.
    """
    for close in ("", "'", '"'):
        try:
            *words, current = shlex.split(f"{line}{_CURSOR}{close}")
        except ValueError:
            continue
        return words[1:], current.removesuffix(_CURSOR)
    return [], ""


def _text(reply: Answer, current: str) -> str:
    if reply.kind != "words":
        return f"{reply.kind}\t{reply.text}\n"
    fitting = ((value, note) for value, note in reply.values.items() if value.startswith(current))
    lines = (f"{value}\t{' '.join(note.split())}\n" for value, note in fitting)
    return f"words\t{current}\n{''.join(lines)}"


def _next(line: Line, parameters: list[Any]) -> Answer:
    options = {
        name: parameter
        for parameter in parameters
        if parameter.param_type_name == "option" and not parameter.is_flag
        for name in parameter.opts
    }
    last = line.words[-1] if line.words else ""
    if last in options and "--" not in line.words[:-1]:
        return _values(options[last], line)
    if "--" not in line.words and line.current.startswith("-"):
        name, equals, value = line.current.partition("=")
        if equals and name in options:
            stem = f"{name}="
            return _behind(stem, _values(options[name], line._replace(current=value)))
        return _options(parameters, line.words)
    source = _ARGUMENTS.get(line.command, FILES)
    if isinstance(source, Answer):
        return source
    # The words that are neither options nor values of options.
    pairs = zip(["", *line.words], line.words, strict=False)
    bare = [word for before, word in pairs if before not in options and not _is_option(word)]
    return source(line._replace(words=bare))


def _is_option(word: str) -> bool:
    """Whether it is not a name; a dash alone is standard input."""
    return word.startswith("-") and len(word) > 1


def _behind(stem: str, reply: Answer) -> Answer:
    """The same answer where `stem` stands before it in one word."""
    values = {f"{stem}{value}": note for value, note in reply.values.items()}
    return reply._replace(values=values, text=f"{stem}{reply.text}")


def _words(values: Mapping[str, str] | Iterable[str]) -> Answer:
    return Answer("words", values if isinstance(values, Mapping) else dict.fromkeys(values, ""))


def _options(parameters: list[Any], given: list[str]) -> Answer:
    """All options, without those that stand there already and count once."""
    options = {}
    for parameter in parameters:
        if parameter.param_type_name != "option" or parameter.hidden:
            continue
        flags = [*parameter.opts, *parameter.secondary_opts]
        if parameter.multiple or not set(flags) & set(given):
            options.update(dict.fromkeys(flags, parameter.help or ""))
    return _words({**options, "--help": "Its options."})


def _values(option: Any, line: Line) -> Answer:
    """What an option may have for a value."""
    source = VALUES.get(option.opts[0], FILES)
    return source if isinstance(source, Answer) else source(line)


def _line(line: Line) -> Answer:
    """A boot line is text, one in a file begins with @."""
    if line.current.startswith("@"):
        return _behind("@", FILES)
    return _words({"@": "Read the boot line from a file."})


def _formats(line: Line) -> Answer:
    if line.command == "check":
        return _words(["text", "json", "fragment"])
    own = {
        "cmdline": BOOT_FORMATS,
        "plan": PLAN_FORMATS,
        "verify": VERIFY_FORMATS,
        "like": LIKE_FORMATS,
        "machine": SCREEN_FORMATS,
        **dict.fromkeys(("diff", "upgrade", "review", "costs"), DIFF_FORMATS),
    }
    return _words(own.get(line.command, FORMATS))


def _targets(line: Line) -> Answer:
    name, equals, _ = line.current.partition("=")
    if equals:
        return _behind(f"{name}=", FILES)
    return _words(f"{format_name}=" for format_name in _formats(line).values)


def _failures(line: Line) -> Answer:
    """The words behind those that stand there, joined by commas."""
    before = line.current.rpartition(",")[0]
    stem = f"{before}," if before else ""
    return _behind(stem, _words(word for word in FAIL_ON if word not in before.split(",")))


def _profiles(line: Line) -> Answer:
    return _titles(_knowledge(line), "fits")


def _preferred(line: Line) -> Answer:
    """One of the profiles that stand on the line."""
    given = line.given("--profile", "-p")
    titles = _profiles(line).values
    return _words({name: titles[name] for name in given if name in titles} or titles)


def _names(line: Line) -> Answer:
    """The tunables and symptoms; once something is typed, every name that explain finds."""
    knowledge = _knowledge(line)
    names = {**_titles(knowledge, "tunables").values, **_titles(knowledge, "symptoms").values}
    if line.current:
        tunables = list(knowledge.tunables())
        for tunable in tunables:
            names.update(dict.fromkeys(own_names(tunable) - names.keys() - {""}, tunable.title))
        further = {name for tunable in tunables for name in names_of(tunable, knowledge)}
        further.update(*(knowledge.ids(section) for section in ("parameters", "names", "renames")))
        names.update(dict.fromkeys(further - names.keys(), ""))
    reply = _words(dict(sorted(names.items())))
    return _behind("CONFIG_", reply) if line.current.startswith("CONFIG_") else reply


def _ids(section: str, line: Line) -> Answer:
    """`show`, and behind it an id; or what else the command does."""
    if not line.words:
        own = {"lint": "Check rules.", "convert": "Rewrite older forms."}
        actions = {"show": "Show one in full.", "new": "Write a first draft."}
        return _words({**actions, **(own if section == "tunables" else {})})
    if line.words == ["convert"]:
        return FOLDERS
    return _titles(_knowledge(line), section) if line.words == ["show"] else NOTHING


def _policy(line: Line) -> Answer:
    """What `policy` does; behind `import` a format and files, behind `export` a configuration."""
    if not line.words:
        what = {"list": "List them.", "import": "Read a list.", "export": "Write a fragment."}
        return _words(what)
    if line.words == ["import"]:
        from advisor.inputs.policylists import FORMATS as LISTS

        return _words(LISTS)
    return FILES if line.words[0] in ("import", "export") else NOTHING


def _titles(knowledge: Knowledge, section: str) -> Answer:
    documents = ((name, knowledge.document(section, name)) for name in knowledge.ids(section))
    return _words({name: (document or {}).get("title", "") for name, document in documents})


def _knowledge(line: Line) -> Knowledge:
    """With the user's own directories, as far as they can be read."""
    try:
        return index.load(line.given("--rules"), line.given("--profiles"))
    except AdvisorError:
        return index.load()


VALUES: dict[str, Answer | Source] = {
    **dict.fromkeys(("--sysctl", "--runtime", "--on", "--output", "--carry-over"), FILES),
    **dict.fromkeys(("--base", "--base-config", "--baseline", "--settings"), FILES),
    **dict.fromkeys(
        ("--boot-lines", "--include", "--exclude", "--marker", "--must-judge", "--accept-policy"),
        NOTHING,
    ),
    **dict.fromkeys(("--rules", "--profiles", "--tree", "--old-tree"), FOLDERS),
    **dict.fromkeys(("--allow-root", "--into"), FOLDERS),
    "--host": FILES,  # of which a folder is one
    **dict.fromkeys(("--kernel", "--cpus", "--isolate", "--nodes", "--memory"), NOTHING),
    "--shared-memory": NOTHING,
    **dict.fromkeys(("--keep", "--allow", "--practice", "--line", "--area"), NOTHING),
    "--profile": _profiles,
    "--prefer": _preferred,
    "--require": lambda line: _titles(_knowledge(line), "programs"),
    **dict.fromkeys(("--cmdline", "--old-cmdline", "--new-cmdline"), _line),
    "--arch": _words(ARCHITECTURES),
    "--vendor": _words(VENDORS),
    "--hypervisor": _words(HYPERVISORS),
    "--strength": _words(strength.value for strength in Strength),
    "--effort": _words(EFFORTS),
    **dict.fromkeys(("--only", "--except"), lambda line: _titles(_knowledge(line), "tunables")),
    "--fail-on": _failures,
    "--format": _formats,
    "--write": _targets,
    "--prove": _words(["kbuild"]),
}
# Other commands take files.
_ARGUMENTS: dict[str, Answer | Source] = {
    "explain": _names,
    "review": NOTHING,
    "profiles": partial(_ids, "fits"),
    "rules": partial(_ids, "tunables"),
    "completion": _words(list(SCRIPTS)),
    "policy": _policy,
    "machine": NOTHING,
}
