"""Retractions and other notices about a work: how one is recognised (SPEC C11)."""

import re

from pydantic import BaseModel

RETRACTED_TITLE = re.compile(
    r"^\s*[\[(]?(?:retracted(?: article| paper)?|withdrawn)\b(?:[\])]|\s*[:.—-])", re.IGNORECASE
)


class Update(BaseModel, frozen=True):
    """A notice about a work (SPEC C11): retraction, expression_of_concern, correction, erratum ...

    `source` is where the notice comes from: "publisher", "retraction-watch", "pubmed".
    """

    type: str
    doi: str | None = None
    pmid: str | None = None
    source: str | None = None
    year: int | None = None
    note: str | None = None

    @property
    def retracts(self) -> bool:
        """Whether this notice retracts or withdraws the work."""
        return self.type in {"retraction", "removal", "withdrawal", "partial_retraction", "retracted"}


def is_marked_retracted(title: str, updates: tuple[Update, ...] = ()) -> bool:
    """Return whether a notice or the title ("RETRACTED: ...") says that the work was retracted."""
    return any(update.retracts for update in updates) or bool(RETRACTED_TITLE.match(title))
