"""A publication, or a web page, as a catalogue describes it."""

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict

from sources.identifiers import clean_arxiv, clean_doi, clean_isbn, clean_pmcid, clean_pmid
from sources.names import Person

RETRACTED_TITLE = re.compile(
    r"^\s*[\[(]?(?:retracted(?: article| paper)?|withdrawn)\b(?:[\])]|\s*[:.—-])", re.IGNORECASE
)
_RETRACTIONS = {"retraction", "removal", "withdrawal", "partial_retraction", "retracted"}

# Identifiers in one spelling each; None for what is none.
Doi = Annotated[str | None, BeforeValidator(clean_doi)]
Pmid = Annotated[str | None, BeforeValidator(clean_pmid)]
Pmcid = Annotated[str | None, BeforeValidator(clean_pmcid)]
Arxiv = Annotated[str | None, BeforeValidator(clean_arxiv)]
Isbn = Annotated[str | None, BeforeValidator(clean_isbn)]


class Update(BaseModel):
    """A notice about a work (SPEC C11): retraction, expression_of_concern, correction, erratum ...

    `source` is who says so: "publisher", "retraction-watch", "pubmed".
    """

    model_config = ConfigDict(frozen=True)

    type: str
    doi: str | None = None
    pmid: str | None = None
    source: str | None = None
    year: int | None = None
    note: str | None = None

    @property
    def retracts(self) -> bool:
        return self.type in _RETRACTIONS


class Work(BaseModel):
    """One record. `provider_id` is the provider's own id for it: a DOI, a PMID, a page's address.

    `type` is a CSL type. `updates` are notices about this work, `notice_of` the works that this work is a notice
    about. `text` is the whole page, where a search engine sends it along. `score` is the provider's own
    relevance, to be compared within one answer only.
    """

    model_config = ConfigDict(frozen=True)

    provider: str
    provider_id: str
    title: str = ""
    authors: tuple[Person, ...] = ()
    editors: tuple[Person, ...] = ()
    year: int | None = None
    venue: str | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None
    publisher: str | None = None
    doi: Doi = None
    pmid: Pmid = None
    pmcid: Pmcid = None
    arxiv: Arxiv = None
    isbn: Isbn = None
    url: str | None = None
    abstract: str | None = None
    text: str | None = None
    type: str = "document"
    citation_count: int | None = None
    influential_citation_count: int | None = None
    is_retracted: bool = False
    updates: tuple[Update, ...] = ()
    notice_of: tuple[Update, ...] = ()
    open_access_url: str | None = None
    published_version_doi: Doi = None
    preprint_doi: Doi = None
    score: float | None = None

    @property
    def link(self) -> str | None:
        """Where a reader finds the work: its DOI, else the address the catalogue gave, else PubMed or arXiv."""
        if self.doi:
            return f"https://doi.org/{self.doi}"
        if self.url:
            return self.url
        if self.pmid:
            return f"https://pubmed.ncbi.nlm.nih.gov/{self.pmid}/"
        return f"https://arxiv.org/abs/{self.arxiv}" if self.arxiv else None

    def csl(self) -> dict[str, Any]:
        """The work as a CSL item, without id. A retraction is marked in `custom`, as in the citations of a thesis."""
        item = {
            "type": self.type,
            "title": self.title,
            "author": [person.csl() for person in self.authors],
            "editor": [person.csl() for person in self.editors],
            "issued": {"date-parts": [[self.year]]} if self.year else None,
            "container-title": self.venue,
            "volume": self.volume,
            "issue": self.issue,
            "page": self.pages,
            "publisher": self.publisher,
            "DOI": self.doi,
            "PMID": self.pmid,
            "PMCID": self.pmcid,
            "ISBN": self.isbn,
            "URL": self.link,
            "custom": {"retracted": True} if self.is_retracted else None,
        }
        return {name: value for name, value in item.items() if value}


def is_marked_retracted(title: str, updates: tuple[Update, ...] = ()) -> bool:
    """Whether a notice, or the title's own prefix ("RETRACTED: ..."), says that the work was retracted."""
    return any(update.retracts for update in updates) or bool(RETRACTED_TITLE.match(title))
