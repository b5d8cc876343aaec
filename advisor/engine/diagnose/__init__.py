"""Problems of the inputs themselves, which need no profile."""

from __future__ import annotations

from advisor.model.kernel import Location, Severity
from advisor.model.report import Diagnostic


def diagnostic(  # noqa: PLR0913, PLR0917  # as many as a diagnostic has fields
    name: str,
    location: Location,
    message: str,
    remedy: str = "",
    source: str = "",
    subject: str = "",
    severity: Severity | None = None,
) -> Diagnostic:
    """The diagnostic of that id, with the table's severity and remedy where none is given.

    Raises KeyError for an id that is not in the table, and ValueError where the table leaves the
    severity to the case and none is given.
    """
    # Few runs have something to tell, and those alone pay for the table.
    from advisor.model.diagnostics import DIAGNOSTICS, severity_of

    remedy = remedy or DIAGNOSTICS[name].remedy
    severity = severity or severity_of(name)
    return Diagnostic(name, severity, location, message, remedy, source, subject)
