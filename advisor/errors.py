"""The errors a user can meet: each class has its exit code and says what to do next."""

from collections.abc import Iterable, Sequence


class AdvisorError(Exception):
    """An expected failure. `where` is a path, `path:line` or an option; `hint` is the next step.

    `choices` are lines below it to choose from.
    """

    exit_code = 70

    def __init__(
        self, message: str, *, where: str = "", hint: str = "", choices: Iterable[str] = ()
    ) -> None:
        super().__init__(message)
        self.choices = tuple(choices)
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text} ({self.hint})" if self.hint else text


class ConflictError(AdvisorError):
    """Profiles that cannot both be satisfied, and no `--prefer` that settles it."""

    exit_code = 1


class UsageError(AdvisorError):
    """An option, profile, rule, format or name that does not exist."""

    exit_code = 2


class InputError(AdvisorError):
    """A configuration, boot line or sysctl file that is unreadable or not what it should be."""

    exit_code = 3


class ContradictionError(InputError):
    """An input that says the contrary of an option, or is given to another one than is meant."""

    exit_code = UsageError.exit_code


MOST_PROBLEMS = 100
"""So many problems of one run are looked up and told. Who reads stops looking at more."""


class KnowledgeError(AdvisorError):
    """Rule, profile, waiver or settings files that are wrong; `problems` lists each as
    (`path:line`, message)."""

    exit_code = 4

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        """Of very many problems the first are told; the last then says that there are more."""
        if len(problems) > MOST_PROBLEMS:
            more = f"and at least {len(problems) - MOST_PROBLEMS} more problems"
            problems = [*problems[:MOST_PROBLEMS], ("", more)]
        where, message = problems[0]
        super().__init__(message, where=where)
        self.problems = problems


class TreeError(AdvisorError):
    """A kernel tree that cannot be evaluated, or a tool it needs that is missing."""

    exit_code = 5


class OutputError(AdvisorError):
    """A result that cannot be written."""

    exit_code = 6


def shortened(text: str) -> str:
    """A name or word as a message shows it, however long it was given."""
    return text if len(text) <= 60 else f"{text[:60]}..."


def few(names: Sequence[str], most: int = 3) -> str:
    """The first of many names as a message shows them."""
    return ", ".join(names[:most]) + ", ..." * (len(names) > most)


def and_more(names: Sequence[str], most: int, between: str = ", ") -> str:
    """`a, b and 3 more`: the first of many names, with the number of the others."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return between.join(names[:most]) + more


def near(name: str, known: Iterable[str]) -> str:
    """`did you mean a or b?` for a name that is nearly one of these, else an empty text."""
    import difflib

    if len(name) > 200:  # no name is as long, and each known one would be held against it
        return ""
    known = list(known)
    folded = {k.lower(): k for k in known}
    close = difflib.get_close_matches(name.lower(), folded, n=3, cutoff=0.6)
    return meant(folded[k] for k in close)


def meant(names: Iterable[str]) -> str:
    """`did you mean a or b?`, or an empty text if there are no names."""
    text = " or ".join(names)
    return f"did you mean {text}?" if text else ""
