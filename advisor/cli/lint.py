"""`rules lint`: checks rules and profiles, and learns names from kernel trees."""

from __future__ import annotations

import re

from advisor.cli.options import LINT, OUTPUT, LintOptions, Request, command
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
    """Check rules and profiles, built-in or in DIR, also against kernel trees."""
    options, path = request.lint, request.output.output
    if options.practice:
        return _practice(options, path)
    if options.learn:
        from advisor.knowledge.catalogue import Catalogue
        from advisor.lint.learn import learn

        # Minutes, so that each tree is told.
        put(learn(options.directories, path or Catalogue.location(), complain) + "\n")
        return 0
    from advisor.lint.lint import lint as lint_all

    put(lint_all(options.directories, symbols=not options.trees) + "\n")
    if not options.trees:
        return 0
    from advisor.lint.trees import lint_trees

    text, code = lint_trees(options.directories, options.trees, options.arches)
    put(text)
    return code


def _practice(options: LintOptions, path: str | None) -> int:
    """Counts what configurations of distributions compile in, for `explain` and reports."""
    from advisor.inputs.config import read_config
    from advisor.inputs.subject import Given, subject_of
    from advisor.knowledge import index
    from advisor.knowledge.practice import location
    from advisor.lint.practice import count

    read = options.practice
    if not re.fullmatch(r"\d{4}-\d{2}", read):
        raise UsageError(f"{read!r} is no month", where="--practice", hint="say 2026-11")
    given = Given()
    subjects = (subject_of(read_config(name), given) for name in sorted(options.directories))
    put(count(subjects, index.load(), read), path or location())
    return 0
