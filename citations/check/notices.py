"""What is told about a cited work after it came out: retractions, concerns, corrections, for people (SPEC C11)."""

from dataclasses import dataclass

from citations.models import Citation
from sources.work import Update

_TOLD_BY = {
    "publisher": "the publisher, at Crossref",
    "retraction-watch": "Retraction Watch, at Crossref",
    "crossref": "Crossref",
    "pubmed": "PubMed",
    "openalex": "OpenAlex",
}


@dataclass(frozen=True)
class Shown:
    """One notice. `tier` gives its colour, `told_by` is empty where nobody is named."""

    label: str
    year: int | None
    told_by: str
    note: str
    doi: str
    pmid: str
    retracts: bool

    @property
    def tier(self) -> str:
        return "retracted" if self.retracts else "d" if "concern" in self.label else "c"


def notices_of(citation: Citation) -> list[Shown]:
    """The notices of an entry, what weighs most first. One query."""
    rows = [
        Shown(
            label=notice.type.replace("_", " ").replace("-", " ").capitalize(),
            year=notice.year,
            told_by=_TOLD_BY.get(notice.source, notice.source),
            note=_sentence(notice.note) if notice.note.casefold() != notice.type.casefold() else "",
            doi=notice.doi,
            pmid=notice.pmid,
            retracts=Update(type=notice.type).retracts,
        )
        for notice in citation.notices.all()
    ]
    return sorted(rows, key=lambda one: (not one.retracts, "concern" not in one.label))


def _sentence(note: str) -> str:
    return note if not note or note.endswith((".", "!", "?")) else f"{note}."
