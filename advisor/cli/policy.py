"""`policy`: a team's policies listed, imported from other lists, and written as a fragment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.cli.command import command
from advisor.cli.options import KNOWLEDGE, MACHINE, OUTPUT, POLICY, POLICY_LINES, Request
from advisor.cli.printing import complain, put
from advisor.errors import InputError, UsageError, near, shortened

if TYPE_CHECKING:
    from advisor.cli.settings import Settings
    from advisor.knowledge.store import Knowledge
    from advisor.model.policy import Policy

_IMPORT = "policy import FORMAT FILE|FOLDER..."


@command(
    POLICY_LINES.words,
    POLICY.settings.but(rare=False),
    KNOWLEDGE.rules,
    MACHINE.arch,
    OUTPUT.output,
)
def policy(request: Request) -> int:
    """List the policies of kernel-advisor.toml, import a list, or export a fragment."""
    action, *words = request.lines.words or ("list",)
    if action == "import":
        text = _imported(words, request)
    elif action == "export":
        text = _exported(words, request)
    elif action == "list" and not words:
        from advisor.output.policytext import table

        text = table(settings_given(request)[0].policies)
    else:
        wrong = words[0] if action == "list" else action
        hint = f"kernel-advisor policy, {_IMPORT}, or policy export [CONFIG]"
        raise UsageError(f"{shortened(wrong)!r} is no action", where="policy", hint=hint)
    put(text, request.output.output)
    return 0


def settings_given(request: Request) -> tuple[Settings, Knowledge]:
    """The settings, whose policies are checked, and what is known. Raises KnowledgeError, and
    InputError where there are none."""
    from advisor.cli.auditor import settings_of
    from advisor.cli.settings import check_values
    from advisor.knowledge import index

    settings = settings_of(request)
    if settings is None:
        hint = "write kernel-advisor.toml, or name it with --settings"
        raise InputError("there is no file of settings here", where="policy", hint=hint)
    knowledge = index.load(request.knowledge.rules)
    check_values(settings, knowledge)
    return settings, knowledge


def _imported(words: list[str], request: Request) -> str:
    """What lists ask for, as tables of kernel-advisor.toml. Raises UsageError and InputError."""
    from advisor.cli.policies import wrong
    from advisor.inputs.policylists import FORMATS, read
    from advisor.knowledge import index
    from advisor.knowledge.policylists import policies
    from advisor.output.policytext import toml

    lines = [f"{name:12}  {title}" for name, title in FORMATS.items()]
    if len(words) < 2 or words[0] not in FORMATS:
        hint = words and words[0] not in FORMATS and near(words[0], FORMATS)
        told = f"there is no format {shortened(words[0])!r}" if words else "needs a FORMAT"
        if words and words[0] in FORMATS:
            told, lines = "needs a FILE or FOLDER", []
        raise UsageError(told, where="policy import", hint=hint or _IMPORT, choices=lines)
    form, *paths = words
    made, unsaid = policies(read(form, paths), index.load(request.knowledge.rules), wrong)
    if not made:
        hint = f"check that the format is {form}: {unsaid[0].why}" if unsaid else _IMPORT
        raise InputError("contains no policy", where=paths[0], hint=hint)
    told = f"{len(made)} policies; {len(unsaid)} settings could not become policies"
    complain(told + " (see the comments at the end)" * bool(unsaid))
    return toml(made, unsaid, f"policy import {form} {' '.join(paths)}")


def _exported(words: list[str], request: Request) -> str:
    """The policies as a fragment, of a configuration those that hold for it. Raises UsageError and
    InputError."""
    from advisor.output.policytext import fragment

    if len(words) > 1:
        raise UsageError(
            "is not accepted: only one CONFIG is allowed",
            where=words[1],
            hint="policy export [CONFIG]",
        )
    settings, _ = settings_given(request)
    found: list[Policy] = list(settings.policies)
    if words:
        found = _holding(words[0], request)
    return fragment(found, str(settings.top.location.path))


def _holding(path: str, request: Request) -> list[Policy]:
    """The policies that hold for a configuration, of several of one name the last."""
    from advisor.cli.auditor import Auditor
    from advisor.engine.effective.world import World
    from advisor.model.condition_parser import parse

    auditor = Auditor(request)
    world = World(auditor.subject(auditor.read(path)), auditor.knowledge)
    found = {
        one.name: one._replace(when="")
        for one in auditor.policies(path)
        if not one.when or world.evaluate(parse(one.when)) is True
    }
    return list(found.values())
