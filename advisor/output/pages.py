"""Whatever people are to read, as a document of pages: reports, a comparison, or a review."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from advisor.output.page import Document

if TYPE_CHECKING:
    from advisor.model.comparison import Comparison
    from advisor.model.like import Likeness
    from advisor.model.measured import Ledger
    from advisor.model.report import Report
    from advisor.model.review import Review
    from advisor.model.screen import Screen
    from advisor.model.software import Abilities
    from advisor.model.verify import Verified

    Subject = (
        Sequence[Report]
        | Comparison
        | Review
        | Sequence[Screen]
        | Sequence[Ledger]
        | Sequence[Abilities]
        | Sequence[Verified]
        | Sequence[Likeness]
    )


def of(subject: Subject, format: str) -> Document:
    """Return the document that a format, one of page.COLUMNS, has to print.

    What is needed for comparisons is imported for them alone.
    """
    if not hasattr(subject, "_fields"):
        if subject and hasattr(subject[0], "accounts"):
            from advisor.output import ledger

            return ledger.document(cast("Sequence[Ledger]", subject), format)
        if subject and hasattr(subject[0], "programs"):
            from advisor.output import abilitypage

            return abilitypage.document(cast("Sequence[Abilities]", subject), format)
        if subject and hasattr(subject[0], "seen"):
            from advisor.output import verifypage

            return verifypage.document(cast("Sequence[Verified]", subject), format)
        if subject and hasattr(subject[0], "tuning"):
            from advisor.output import likepage

            return likepage.document(cast("Sequence[Likeness]", subject), format)
        from advisor.output import auditpage

        if subject and hasattr(subject[0], "signs"):
            from advisor.output import screenpage

            return screenpage.document(cast("Sequence[Screen]", subject))
        if subject and cast("Sequence[Report]", subject)[0].plan.whole:
            from advisor.output import planpage

            return planpage.document(cast("Sequence[Report]", subject), format)
        return auditpage.document(cast("Sequence[Report]", subject), format)
    from advisor.model.comparison import Comparison
    from advisor.output import diffpage, review

    if isinstance(subject, Comparison):
        return diffpage.document(subject, format)
    return review.document(cast("Review", subject), format)
