"""`explain`, `profiles` and `rules`: what is known of a name, and what there is."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from advisor.cli.command import command
from advisor.cli.options import KNOWLEDGE, MACHINE, NAMES, OUTPUT, POLICY, SUBJECT, TREE, Request
from advisor.cli.printing import put, style
from advisor.cli.values import is_path
from advisor.errors import UsageError
from advisor.knowledge import index, lookup
from advisor.model.profile import POLICY as POLICY_ID
from advisor.model.profile import REQUIRES
from advisor.output import Style
from advisor.output import explain as output

if TYPE_CHECKING:
    from advisor.knowledge.store import Knowledge
    from advisor.lint.definition import Definition
    from advisor.model.symptom import Symptom

_BOTH = 2  # a name and a configuration
_ONE_NAME = "is not accepted: only one name is allowed"
_ACTIONS = (
    "'show NAME' prints a tunable. 'new NAME' writes a first draft of a rule. 'lint' checks rules "
    "(see rules lint --help). 'convert DIR' rewrites older forms."
)


@command(
    NAMES.words,
    TREE.tree,
    TREE.on,
    TREE.run_toolchain,
    TREE.allow_root,
    *SUBJECT.without("configs", "merge"),
    *MACHINE,
    KNOWLEDGE.rules,
    KNOWLEDGE.profiles,
    POLICY.settings,
    OUTPUT.output,
)
def explain(request: Request) -> int:
    """Explain a symbol, boot parameter, old name or symptom, also for a tree or a kernel."""
    path, knowledge = request.output.output, _knowledge(request)
    name, configs = _asked(request, knowledge)
    if name == lookup.SYMPTOMS:
        put(output.symptoms(lookup.symptoms(knowledge), style(path)), path)
        return 0
    if symptom := knowledge.symptom(name) or knowledge.symptom_within(name):
        put(_complaint(symptom, request, configs, knowledge), path)
        return 0
    if text := _of_id(name, request, knowledge):
        put(text, path)
        return 0
    if configs or request.subject.hosts:
        where = configs[0] if configs else "--host"
        hint = "run 'kernel-advisor explain stutter CONFIG', or 'kernel-advisor audit CONFIG'"
        raise UsageError(
            "a configuration or host can be given only with a symptom", where=where, hint=hint
        )
    in_tree, known = _in_tree(name, request) if request.tree.tree else ("", False)
    try:
        text = output.explain(lookup.explain(name, knowledge), style(path))
    except UsageError:
        # Near matches help where the tree does not know the name either.
        if not known:
            raise
        text = ""
    put("\n".join(filter(None, (in_tree, text))), path)
    return 0


def _of_id(name: str, request: Request, knowledge: Knowledge) -> str:
    """What is known of `requires/PROGRAM/FUNCTION`, `policy/NAME` or a program; empty for another
    name. Raises UsageError for one that is not there."""
    how = style(request.output.output)
    if name.startswith(f"{POLICY_ID}/"):
        return _policy(name, request, how)
    plain = name.removeprefix(REQUIRES)
    if plain == name and (name not in knowledge.program_names() or _is_known(name, knowledge)):
        return ""  # nftables is a tunable as well
    from advisor.cli.required import wanted
    from advisor.output import explainprogram

    found = wanted(plain.replace("/", ":", 1), knowledge, "explain")
    if function := found.program.function(found.function):
        return explainprogram.function(found.program, function, how)
    return explainprogram.program(found.program, how)


def _policy(name: str, request: Request, how: Style) -> str:
    """The policies of that id, of which several may have one name. Raises UsageError."""
    from advisor.cli.policy import settings_given
    from advisor.errors import near
    from advisor.output import explainprogram

    policies = settings_given(request)[0].policies
    found = [one for one in policies if one.id == name]
    if not found:
        hint = near(name, [one.id for one in policies]) or "kernel-advisor policy lists them"
        raise UsageError(f"there is no {name}", where="explain", hint=hint)
    return "\n".join(explainprogram.policy(one, how) for one in found)


def _asked(request: Request, knowledge: Knowledge) -> tuple[str, tuple[str, ...]]:
    """The name that is asked for, of several words if it is a symptom's, and the configuration."""
    words = request.names.words
    for end in range(len(words), 0, -1):
        name = " ".join(words[:end])
        if knowledge.symptom(name) and end >= len(words) - 1:
            return name, words[end:]
    # The last word is a file, or one of a line of the log.
    end = len(words) - bool(words and re.search(r"[./]", words[-1]))
    if knowledge.symptom_within(message := " ".join(words[:end])):
        return message, words[end:]
    if len(words) > 1 and not any(map(is_path, words[1:])):
        if all(_is_known(word, knowledge) for word in words):
            hint = f"kernel-advisor explain {words[-1]}"
            raise UsageError(_ONE_NAME, where=words[1], hint=hint)
        return " ".join(words), ()
    if len(words) > _BOTH:
        raise UsageError(_ONE_NAME, where=words[2], hint="explain NAME [CONFIG]")
    return words[0], words[1:]


def _is_known(name: str, knowledge: Knowledge) -> bool:
    try:
        return bool(lookup.explain(name, knowledge))
    except UsageError:
        return False


def _complaint(
    symptom: Symptom, request: Request, configs: tuple[str, ...], knowledge: Knowledge
) -> str:
    """A symptom, with the state of its causes in each kernel that is given."""
    known, how = lookup.complaint(symptom, knowledge), style(request.output.output)
    if not configs and not request.subject.hosts:
        return output.explain(known, how)
    from advisor.cli.auditor import Auditor
    from advisor.engine.effective.world import World
    from advisor.engine.symptoms import suspects

    policy = request.policy._replace(no_settings=True)
    asked = request._replace(subject=request.subject._replace(configs=configs), policy=policy)
    auditor = Auditor(asked)
    kernels = [auditor.subject(auditor.read(path)) for path in configs]
    kernels += [auditor.host_subject(folder)[1] for folder in request.subject.hosts]
    texts = []
    for kernel in kernels:
        found = suspects(symptom, World(kernel, knowledge))
        texts.append(output.explain(known._replace(suspects=found, subject=kernel.name), how))
    return "\n".join(texts)


@command(NAMES.action, NAMES.id, NAMES.sources, KNOWLEDGE.profiles, KNOWLEDGE.rules, OUTPUT.output)
def profiles(request: Request) -> int:
    """List the profiles, show one, or begin a new one."""
    if request.names.action == "new":
        return _new(request, "profiles")
    name, knowledge, how = _one(request, "profiles")
    if request.names.sources:
        from advisor.knowledge.authorities import held

        if not name:
            hint = "kernel-advisor profiles show ID --sources"
            raise UsageError("--sources needs a profile", where="profiles", hint=hint)
        text = output.authorities(knowledge.profile(name), held(name, knowledge), how)
    elif name:
        text = output.profile(lookup.wishes(name, knowledge), how)
    else:
        text = output.profiles(map(knowledge.profile, knowledge.profile_ids()), how)
    put(text, request.output.output)
    return 0


@command(
    NAMES.action.but(metavar="[show|new|lint|convert]", help=_ACTIONS),
    NAMES.id.but(metavar="[NAME|DIR|FILE]"),
    NAMES.area,
    KNOWLEDGE.rules,
    TREE.tree.but(help="A kernel tree, from which `new` takes source and dependencies."),
    TREE.allow_root,
    MACHINE.arch.but(help="The tree's architecture, if not x86."),
    OUTPUT.output,
)
def rules(request: Request) -> int:
    """List the tunables, show one, or work on rules of your own."""
    if request.names.action == "new":
        return _new(request, "rules")
    if request.names.action == "convert":
        return _convert(request)
    if request.names.area or request.tree.tree:
        hint = "kernel-advisor rules new NAME"
        raise UsageError("--area and --tree are possible only with 'new'", where="rules", hint=hint)
    name, knowledge, how = _one(request, "rules")
    if name:
        text = output.rule(lookup.rule(name, knowledge), how)
    else:
        text = output.rules(knowledge.tunables(), how)
    put(text, request.output.output)
    return 0


def _new(request: Request, command: str) -> int:
    """Writes a skeleton into the first folder, or one of the command's name. Raises UsageError."""
    from advisor.inputs.open import name_of
    from advisor.lint.skeleton import Place, new_profile, new_rule

    name, given = request.names.id, request.knowledge
    if not name:
        hint = f"kernel-advisor {command} new NAME"
        raise UsageError("'new' needs a NAME", where=command, hint=hint)
    if request.output.output is not None:
        hint = f"--{command} FOLDER selects the folder; the file gets the rule's name"
        raise UsageError("cannot be combined with 'new'", where="--output", hint=hint)
    folders = given.rules if command == "rules" else given.profiles
    folder = name_of(folders[0]) if folders else command
    if command == "profiles":
        path = new_profile(name, folder, index.load())
    else:
        find = partial(_found, request) if request.tree.tree else None
        path = new_rule(name, Place(folder, request.names.area, find), index.load())
    put(f"{path}\n")
    return 0


def _found(request: Request, kind: str, name: str) -> Definition | None:
    """Where the tree defines a name of that kind. Raises TreeError or UsageError."""
    from advisor.cli.trees import open_for
    from advisor.inputs.machine import arch_of, source_arch
    from advisor.lint import definition
    from advisor.tree.files import find_tree

    arch = source_arch(arch_of(request.machine.arch or "x86"))
    if kind == "symbol":
        return definition.of_symbol(name, open_for(request, None, arch))
    files = find_tree(request.tree.tree or "", request.tree.allow_root)
    if kind == "sysctl":
        return definition.of_sysctl(name, files)
    return definition.of_parameter(name, arch, files)


def _convert(request: Request) -> int:
    """Rewrites a folder of rules, profiles or both in the form of today. Raises UsageError."""
    from advisor.lint.convert import convert

    if not request.names.id or request.output.output is not None or request.knowledge.rules:
        hint = "kernel-advisor rules convert DIR"
        raise UsageError(
            "'convert' needs a DIR or FILE, and writes into it", where="rules", hint=hint
        )
    for path, before, after in convert(request.names.id):
        put(f"{path}: rewritten, {before} lines became {after}\n")
    return 0


def _knowledge(request: Request) -> Knowledge:
    return index.load(request.knowledge.rules, request.knowledge.profiles)


def _one(request: Request, command: str) -> tuple[str, Knowledge, Style]:
    """The id behind `show` (empty without), where to look it up, how to print. UsageError."""
    action, name = request.names.action, request.names.id
    knowledge = _knowledge(request)
    if action != "show" and not name and _id(action, command, knowledge):
        action, name = "show", action
    if action and (action != "show" or not name):
        wrong = "show needs an ID" if action == "show" else f"{action!r} is no action"
        raise UsageError(wrong, where=command, hint=f"kernel-advisor {command} show ID")
    name = _id(name, command, knowledge) or name
    return name, knowledge, style(request.output.output)


def _id(name: str, command: str, knowledge: Knowledge) -> str:
    """The id of the profile or tunable that a name means; empty if it means none."""
    if command == "profiles" and name:
        from advisor.cli.profilenames import profile_of

        name = profile_of(name, knowledge)
    return name if name in knowledge.ids("fits" if command == "profiles" else "tunables") else ""


def _in_tree(name: str, request: Request) -> tuple[str, bool]:
    """What the tree says of a symbol, and whether it has it. Raises TreeError and UsageError."""
    from advisor.cli.mistakes import config_of
    from advisor.cli.trees import open_for
    from advisor.output import tree as tree_output

    options = request.tree
    tree = open_for(request, config_of(options.on) if options.on else None)
    plain = tree.spelled(name.removeprefix("CONFIG_").rstrip("="))
    facts = tree.about(plain) or tree.about(tree.renames.get(plain, plain))
    where = f"{options.tree} (Linux {tree.version.text}, {tree.arch})"
    if facts is None:
        return f"{where} has no symbol {plain}\n", False
    return tree_output.symbol(facts, where, style(request.output.output)), True
