"""A publication or web page as described by a catalogue, its people, and the possible outcomes of a request.

Failing and finding nothing are different outcomes (SPEC R11).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator

from sources.identifiers import clean_arxiv, clean_doi, clean_isbn, clean_pmcid, clean_pmid
from sources.retractions import Update

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
    """A person by family and given name; a group, or a name that cannot be split, as `literal`."""

    family: str | None = None
    given: str | None = None
    suffix: str | None = None
    literal: str | None = None

    def csl(self) -> dict[str, str]:
        """Return the person as a CSL name."""
        return self.model_dump(exclude_none=True)


def people(found: Iterable[Person | None]) -> tuple[Person, ...]:
    """Return the persons in `found` that have a name."""
    return tuple(person for person in found if person and (person.family or person.literal))


def named_apart(family: str | None, given: str | None, name: str | None) -> Person | None:
    """Return a person from family and given name if the catalogue separates them, else from the whole `name`."""
    return Person(family=family, given=given) if family else full_name(name)


def full_name(name: str | None) -> Person | None:
    """Return a person from a full name: "Vincent van der Berg" or "Berg, Vincent"."""
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
    """Return a person from a name in PubMed's form, family name and initials: "van Lunteren J", "King ML Jr"."""
    if not name:
        return None
    words = name.split()
    suffix = words.pop() if len(words) > 2 and _SUFFIX.fullmatch(words[-1]) else None
    *family, initials = words or [""]
    if not family or not re.fullmatch(r"[^\W\d_]{1,4}", initials) or not initials.isupper():
        return Person(literal=name)
    return Person(family=" ".join(family), given=" ".join(f"{letter}." for letter in initials), suffix=suffix)


# Identifiers are normalised; invalid ones become None.
Doi = Annotated[str | None, BeforeValidator(clean_doi)]


class Work(BaseModel, frozen=True):
    """A record of a publication or web page.

    `provider_id` is the provider's id: a DOI, a PMID, a page's address. `type` is a CSL type. `updates` are notices
    about this work, `notice_of` the works that this work is a notice about. `text` is the full text of a page, if a
    search engine sends it. `score` is the provider's relevance score, comparable only within one response.
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
        """The address of the work: its DOI, else the address from the catalogue, else PubMed or arXiv."""
        links = (
            (self.doi, f"https://doi.org/{self.doi}"),
            (self.url, self.url),
            (self.pmid, f"https://pubmed.ncbi.nlm.nih.gov/{self.pmid}/"),
            (self.arxiv, f"https://arxiv.org/abs/{self.arxiv}"),
        )
        return next((address for known, address in links if known), None)

    def csl(self) -> dict[str, Any]:
        """Return the work as a CSL item without id. A retraction is marked in `custom`, as in citations of a thesis."""
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


class FailureKind(StrEnum):
    """Why a request to a catalogue failed."""

    RATE_LIMITED = "rate_limited"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    BROKEN = "broken"  # server error
    RESTING = "resting"  # the circuit breaker is open after several failures
    REFUSED = "refused"  # the request or the API key was not accepted
    MISSING = "missing"  # there is nothing at this address
    UNREADABLE = "unreadable"  # an unexpected response: a web page, another format, incomplete data
    GIVEN_UP = "given_up"  # not queried any more in this run, after repeated failures
    TOO_LARGE = "too_large"


@dataclass(frozen=True)
class Found:
    """The works found, never empty, in the provider's order.

    `total` is the number of matches as reported by the provider, `remarks` are sentences for the user.
    """

    works: tuple[Work, ...]
    total: int
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class NothingFound:
    """The provider answered and has nothing."""

    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Failed:
    """The request failed. `why` is a sentence for the user, `retry_after` the seconds to wait if the provider says."""

    why: str
    retry_after: float | None = None
    kind: FailureKind = FailureKind.UNREACHABLE


@dataclass(frozen=True)
class Skipped:
    """The request was not sent; `why` is a sentence for the user."""

    why: str


Outcome = Found | NothingFound | Failed | Skipped


@dataclass(frozen=True)
class Batch:
    """The results of a batch look-up, by given id: found, known to be missing, or failed."""

    found: dict[str, Work] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()
    failed: dict[str, Failed] = field(default_factory=dict)


def not_an_id(given: str, what: str) -> Failed:
    """Return the failure for an invalid id; `what` completes the message: "not a DOI"."""
    return Failed(f"“{given[:80]}” is {what}.", None, FailureKind.REFUSED)


class RequestFailed(Exception):
    """A failed attempt. `again`: whether a retry may help; `after`: the seconds to wait, if the host says."""

    def __init__(self, failed: Failed, *, again: bool = False, after: float | None = None) -> None:
        super().__init__(failed.why)
        self.failed, self.again, self.after = failed, again, after


class Unreadable(Exception):
    """An unexpected response. `why` completes a sentence about the host; `again`: whether a retry may help."""

    def __init__(self, why: str, *, kind: FailureKind = FailureKind.UNREADABLE, again: bool = False) -> None:
        super().__init__(why)
        self.why, self.kind, self.again = why, kind, again


def search_outcome(
    works: Iterable[Work | None], sent: int, total: int | None = None, remarks: tuple[str, ...] = ()
) -> Found | NothingFound:
    """Return Found or NothingFound for a response that listed `sent` entries.

    Raises Unreadable if none of the entries could be read, or if an empty list comes with a positive total: neither
    means "nothing found".
    """
    kept = tuple(work for work in works if work is not None)
    if sent and not kept:
        raise Unreadable("sent a list in which no work could be read")
    if not kept and total:
        raise Unreadable("reported works but sent none of them")
    return Found(kept, max(total or 0, len(kept)), remarks) if kept else NothingFound(remarks)
