"""The parse of a tree, kept from one run for the next: whatever the configuration.

A parse is used again only by the same tool, for the same tree (by the content of every file that
was read), architecture and variables of make, and where every command of the tree is answered as it
was. Where a tree's own commands run nothing is kept.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress

import advisor
from advisor.cache import cache_path, code_state, keep, prune, read_own
from advisor.tree.files import TreeFiles
from advisor.tree.kconfig.macros import Asked, Context, reply
from advisor.tree.kconfig.parser import Parser
from advisor.tree.kconfig.restore import parser_of
from advisor.tree.kconfig.table import packed, table_of, unpacked
from advisor.tree.kconfig.values import Dialect

MOST_KEPT = 8
"""How many parses stay; one has 2.3 MB (6.12, x86)."""
_MARK = f"kernel-advisor-parse 1 {advisor.__version__}"


class KeptParse:
    """The file of one tree's parse for one architecture and one set of tools."""

    def __init__(self, context: Context, dialect: Dialect) -> None:
        self._context, self._dialect = context, dialect
        about = (
            context.files.root,
            *(f"{name}={value}" for name, value in sorted(context.environment.items())),
            repr(dialect),
            code_state("tree", "tree/kconfig"),
        )
        self._path = cache_path("parse", "\0".join(about))

    def parser(self) -> Parser | None:
        """The parser of an earlier run; None where there is none, or it would differ by now."""
        content = read_own(self._path, _MARK)
        if content is None:
            return None
        head, _, rest = content.partition(b"\n")
        try:
            digests, listed, replies = json.loads(head)
            # Of a tree that changed, other commands may be asked.
            if not (self._context.files.unchanged(digests, listed) and self._as_before(replies)):
                return None
            parser = parser_of(unpacked(rest), self._context, self._dialect)
        except Exception:
            return None  # whoever wrote that, whatever it is: the tree itself tells
        with suppress(OSError):
            os.utime(self._path)  # what is in use is not old
        return parser

    def keep(self, parser: Parser) -> None:
        """Keeps what has just been parsed."""
        files: TreeFiles = self._context.files
        head = json.dumps([files.digests, files.listed, parser.replies], separators=(",", ":"))
        keep(self._path, _MARK, head.encode() + b"\n" + packed(table_of(parser)))
        prune("parse", self._path, MOST_KEPT)

    def _as_before(self, replies: list[tuple[list[object], str | None]]) -> bool:
        """Whether the tools of this configuration answer all commands as those of then did."""
        toolchain = self._context.toolchain
        for asked, before in replies:
            now = reply(Asked(*asked), toolchain)  # type: ignore[arg-type]  # from JSON, as it was
            if (now if isinstance(now, str) else None) != before:
                return False
        return True
