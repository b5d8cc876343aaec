"""`rules lint`: checks rules and profiles, and learns names from kernel trees."""

from __future__ import annotations

import os
import re

from advisor.cli.command import command
from advisor.cli.options import LINT, OUTPUT, LintOptions, Request
from advisor.cli.printing import complain, put
from advisor.errors import UsageError


@command(
    LINT.directories,
    LINT.learn,
    LINT.practice,
    OUTPUT.output.but(help="File to write with --learn or --practice."),
    *LINT,
)
def lint(request: Request) -> int:
    """Check rules, profiles and settings, built-in or in DIR, also against kernel trees."""
    options, path = request.lint, request.output.output
    if options.practice:
        return _practice(options, path)
    if options.learn:
        from advisor.knowledge.catalogue import Catalogue
        from advisor.lint.learn import learn

        # Minutes, so that each tree is told.
        put(learn(options.directories, path or Catalogue.location(), complain) + "\n")
        return 0
    from advisor.cli.auditor import SETTINGS

    settings = [path for path in options.directories if os.path.basename(path) == SETTINGS]
    directories = [path for path in options.directories if path not in settings]
    for path in settings:
        put(f"{path}: {_checked(path)}: all right\n")
    if settings and not directories:
        return 0
    from advisor.lint.lint import lint as lint_all

    put(lint_all(directories, symbols=not options.trees) + "\n")
    if not options.trees:
        return 0
    from advisor.lint.trees import lint_trees

    text, code = lint_trees(directories, options.trees, options.arches)
    put(text)
    return code


def _checked(path: str) -> str:
    """What settings have, all of it checked. Raises KnowledgeError with every problem."""
    from advisor.cli.accepted import accepted
    from advisor.cli.settings import check_values, read
    from advisor.knowledge import index

    settings = read(path)
    options = settings.top.options
    knowledge = index.load(options.get("rules", ()), options.get("profiles", ()))
    check_values(settings, knowledge)
    accepted(settings.waivers, None, knowledge, settings.policies)
    return f"{len(settings.policies)} policies, {len(settings.waivers)} waivers"


def _practice(options: LintOptions, path: str | None) -> int:
    """Counts what configurations of distributions compile in, for `explain` and reports."""
    from advisor.inputs.config import read_config
    from advisor.inputs.subject import Given, subject_of
    from advisor.knowledge import folders, index
    from advisor.knowledge.practice import FILE
    from advisor.lint.practice import count

    read = options.practice
    if not re.fullmatch(r"\d{4}-\d{2}", read):
        raise UsageError(f"{read!r} is no month", where="--practice", hint="write it as 2026-11")
    given = Given()
    subjects = (subject_of(read_config(name), given) for name in sorted(options.directories))
    put(count(subjects, index.load(), read), path or folders.data(FILE))
    return 0
