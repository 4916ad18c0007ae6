"""A publication, or a web page, as a catalogue describes it, its people, and what asking for it can come to.

Failing and finding nothing are different answers (SPEC R11).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator

from sources.field_values import clean_arxiv, clean_doi, clean_isbn, clean_pmcid, clean_pmid

_PARTICLES = {
    *("van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "du", "la", "le", "ten", "ter", "zu"),
    *("el", "al", "bin", "ibn", "af", "zur", "vom"),
}
_SUFFIX = re.compile(r"(?:jr|sr|ii|iii|iv|2nd|3rd|4th)\.?", re.IGNORECASE)
_GROUP = re.compile(
    r"\b(?:group|consortium|collaborat(?:ion|ive|ors)|committee|society|association|network|investigators|team|university"
    r"|organi[sz]ation|institute|ministry|department|foundation|initiative|council|agency|college|academy|cent(?:er|re)"
    r"|programme|project|study|trial|federation|commission|bureau|authority|hospital)\b",
    re.IGNORECASE,
)


class Person(BaseModel, frozen=True):
    """A person by family and given name, or a group (or a name that can't be parted) as `literal`."""

    family: str | None = None
    given: str | None = None
    suffix: str | None = None
    literal: str | None = None

    def csl(self) -> dict[str, str]:
        return self.model_dump(exclude_none=True)


def people(found: Iterable[Person | None]) -> tuple[Person, ...]:
    """Return those of `found` that are somebody."""
    return tuple(person for person in found if person and (person.family or person.literal))


def named_apart(family: str | None, given: str | None, name: str | None) -> Person | None:
    """Return a person by the parts of the name where the catalogue tells them apart, else by the whole `name`."""
    return Person(family=family, given=given) if family else full_name(name)


def full_name(name: str | None) -> Person | None:
    """Return a person from a name in reading order ("Vincent van der Berg") or turned round ("Berg, Vincent")."""
    if not name:
        return None
    if _GROUP.search(name):
        return Person(literal=name)
    family, comma, given = (part.strip() for part in name.partition(","))
    if comma and family and given and not _SUFFIX.fullmatch(given):
        return Person(family=family, given=given)
    words = name.replace(",", " ").split()
    suffix = words.pop() if len(words) > 1 and _SUFFIX.fullmatch(words[-1]) else None
    if len(words) < 2:
        return Person(literal=name)
    start = len(words) - 1
    while start > 1 and words[start - 1].casefold() in _PARTICLES:
        start -= 1
    return Person(family=" ".join(words[start:]), given=" ".join(words[:start]), suffix=suffix)


def index_name(name: str | None) -> Person | None:
    """Return a person as PubMed's index writes it: family name, then initials without stops ("van Lunteren J", "King ML Jr")."""
    if not name:
        return None
    words = name.split()
    suffix = words.pop() if len(words) > 2 and _SUFFIX.fullmatch(words[-1]) else None
    *family, initials = words or [""]
    if not family or not re.fullmatch(r"[^\W\d_]{1,4}", initials) or not initials.isupper():
        return Person(literal=name)
    return Person(family=" ".join(family), given=" ".join(f"{letter}." for letter in initials), suffix=suffix)


RETRACTED_TITLE = re.compile(
    r"^\s*[\[(]?(?:retracted(?: article| paper)?|withdrawn)\b(?:[\])]|\s*[:.—-])", re.IGNORECASE
)


# Identifiers come in one spelling each; None for what is none.
Doi = Annotated[str | None, BeforeValidator(clean_doi)]


class Update(BaseModel, frozen=True):
    """A notice about a work (SPEC C11): retraction, expression_of_concern, correction, erratum ...

    `source` is who says so: "publisher", "retraction-watch", "pubmed".
    """

    type: str
    doi: str | None = None
    pmid: str | None = None
    source: str | None = None
    year: int | None = None
    note: str | None = None

    @property
    def retracts(self) -> bool:
        return self.type in {"retraction", "removal", "withdrawal", "partial_retraction", "retracted"}


class Work(BaseModel, frozen=True):
    """One record. `provider_id` is the provider's own id for it: a DOI, a PMID, a page's address.

    `type` is a CSL type. `updates` are notices about this work, `notice_of` the works that this work is a notice
    about. `text` is the whole page, where a search engine sends it along. `score` is the provider's own
    relevance, to be compared within one answer only.
    """

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
    pmid: Annotated[str | None, BeforeValidator(clean_pmid)] = None
    pmcid: Annotated[str | None, BeforeValidator(clean_pmcid)] = None
    arxiv: Annotated[str | None, BeforeValidator(clean_arxiv)] = None
    isbn: Annotated[str | None, BeforeValidator(clean_isbn)] = None
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
        links = (
            (self.doi, f"https://doi.org/{self.doi}"),
            (self.url, self.url),
            (self.pmid, f"https://pubmed.ncbi.nlm.nih.gov/{self.pmid}/"),
            (self.arxiv, f"https://arxiv.org/abs/{self.arxiv}"),
        )
        return next((address for known, address in links if known), None)

    def csl(self) -> dict[str, Any]:
        """Return the work as a CSL item, without id. A retraction is marked in `custom`, as in the citations of a thesis."""
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
    """Return whether a notice, or the title's own prefix ("RETRACTED: ..."), says that the work was retracted."""
    return any(update.retracts for update in updates) or bool(RETRACTED_TITLE.match(title))


class Kind(StrEnum):
    """Why a catalogue did not answer."""

    RATE_LIMITED = "rate_limited"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    BROKEN = "broken"  # it answered with an error of its own
    RESTING = "resting"  # it failed several times and is left alone for a while
    REFUSED = "refused"  # it did not accept what was asked, or the key
    MISSING = "missing"  # there is nothing at this address
    UNREADABLE = "unreadable"  # an answer came and is not what was promised: a web page, another shape, half of it
    GIVEN_UP = "given_up"  # it was not asked any more in this run, since it had not answered again and again
    TOO_LARGE = "too_large"


@dataclass(frozen=True)
class Found:
    """`works`, never empty, in the provider's order; `total` as far as the provider says. `remarks` are for people."""

    works: tuple[Work, ...]
    total: int
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class NothingFound:
    """The provider was asked, answered, and has nothing."""

    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Failed:
    """No answer. `why` is a sentence for people; `retry_after` in seconds where the provider named it."""

    why: str
    retry_after: float | None = None
    kind: Kind = Kind.UNREACHABLE


@dataclass(frozen=True)
class Skipped:
    """The provider was not asked; `why` is a sentence for people."""

    why: str


Outcome = Found | NothingFound | Failed | Skipped


@dataclass(frozen=True)
class Batch:
    """Many look-ups at once, each by the id it was asked with: found, known to be missing, or failed."""

    found: dict[str, Work] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()
    failed: dict[str, Failed] = field(default_factory=dict)


def not_an_id(given: str, what: str) -> Failed:
    """For what somebody gave as an id; `what` ends the sentence: "not a DOI"."""
    return Failed(f"“{given[:80]}” is {what}.", None, Kind.REFUSED)


class Trouble(Exception):
    """A try that failed. `again` when another one may help, `after` seconds when the host named them."""

    def __init__(self, failed: Failed, *, again: bool = False, after: float | None = None) -> None:
        super().__init__(failed.why)
        self.failed, self.again, self.after = failed, again, after


class Unreadable(Exception):
    """An answer that came and is not what was promised. `again` when asking again may help."""

    def __init__(self, why: str, *, kind: Kind = Kind.UNREADABLE, again: bool = False) -> None:
        super().__init__(why)
        self.why, self.kind, self.again = why, kind, again


def of(
    works: Iterable[Work | None], sent: int, total: int | None = None, remarks: tuple[str, ...] = ()
) -> Found | NothingFound:
    """Found or NothingFound for an answer that listed `sent` entries.

    Raises Unreadable when entries came and none of them could be read, and when there are said to be works in an empty
    list: that is not "nothing found".
    """
    kept = tuple(work for work in works if work is not None)
    if sent and not kept:
        raise Unreadable("sent a list in which no work could be read")
    if not kept and total:
        raise Unreadable("told of works and sent none of them")
    return Found(kept, max(total or 0, len(kept)), remarks) if kept else NothingFound(remarks)
