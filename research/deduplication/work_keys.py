"""The identity of a record: keys that match records of one work, and the id made of the best key (SPEC R8)."""

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from research.deduplication.urls import WEB, Identifier, canonical_url, identifier_in
from sources.field_values import text as plain
from sources.identifiers import clean_arxiv
from sources.retractions import RETRACTED_TITLE
from sources.work import Person, Work

Kind = Literal["doi", "pmid", "pmcid", "arxiv", "url", "title", "record", "text"]

LONGEST_ID = 200  # characters
SHORT_TITLE = 20  # characters: titles up to this length are shared by too many works
REMEMBERED = 4096  # cached records: each is needed several times within a search

# Spelled as by `words_of`. A title that begins like this proves nothing: it is about another work, or not unique.
_GENERIC = re.compile(
    r"(?:(?:author|publisher)(?: ?s)? )?(?:correction|corrigend(?:um|a)|errat(?:um|a)|addend(?:um|a)|retraction)s?\b"
    r"|(?:editorial )?(?:note|expression|statement) of (?:editorial )?concern\b|(?:withdrawal )?notice\b"
    r"|comments?(?: and \w+)? (?:on|to)\b|commentary\b|(?:in )?reply\b|authors?(?: s)? (?:reply|response)\b"
    r"|response to (?:the )?(?:comment|letter)s?\b|letters? to\b|discussion (?:of|on)\b|(?:book )?reviews? of\b"
    r"|book reviews?\b|books received\b|(?:guest )?editorials?\b|in this issue\b|from the (?:guest )?editors?\b"
    r"|(?:a )?(?:welcome )?(?:message|note|word|welcome) from\b|preface\b|foreword\b|afterword\b"
    r"|(?:general )?introduction(?: to (?:the|this) (?:special|theme|themed)\b.*)?$|(?:front|back) ?matter\b"
    r"|(?:table of )?contents\b|(?:(?:author|subject|keyword|name) )?index\b|issue information\b|acknowledge?ments?\b"
    r"|list of (?:reviewers|referees|contributors|abbreviations|figures|tables)\b"
    r"|(?:notes on|about the) (?:contributor|author)s\b"
    r"|(?:instructions|information|guidelines) (?:for|to) authors\b|call for papers\b|announcements?\b"
    r"|obituar(?:y|ies)\b"
    r"|in memoriam\b|(?:poster|oral) (?:session|presentation|abstract)s?\b|abstracts? (?:of|from)\b|additional file\b"
    r"|supplementary (?:material|information|data|file)s?\b"
)
_APART = {"book", "chapter", "dataset", "entry-encyclopedia", "patent", "periodical", "report", "review", "software"}
_APART |= {"review-book", "standard", "thesis"}
_PARTS = {"chapter", "entry-encyclopedia", "periodical"}  # often listed with the address of the whole


class Key(NamedTuple):
    """A key that records of one work have in common."""

    kind: Kind
    value: str


class Identity(NamedTuple):
    """Everything a record says about which work it describes. `title` is letters and digits only."""

    own: tuple[Key, ...]  # own keys, the strongest first
    links: tuple[Key, ...]  # keys of other versions that the record names
    title: str
    year: int | None
    surname: str  # of the first author, spelled as in keys
    form: str  # "paper", or a type that is never a paper of the same title
    is_aside: bool  # about another work, or with a title that many works have

    def may_share_text(self, other: "Identity") -> bool:
        """Return whether records with nearly the same text may describe one work, apart from identifiers.

        A correction repeats the abstract of its article, and chapters have the blurb of their book.
        """
        return (
            not (self.is_aside or other.is_aside)
            and self.form == other.form
            and (self.form not in _PARTS or self.title == other.title)
            and (not (self.surname and other.surname) or self.surname == other.surname)
            and (not (self.year and other.year) or abs(self.year - other.year) <= 1)  # online, in print the year after
        )


def keys_of(work: Work) -> tuple[Key, ...]:
    """Return the keys of a record, strongest first.

    These are DOI, PMID, PMCID, arXiv id, address, title, the catalogue's own number, and last the identifiers of other
    versions that it names. An identifier in the record's address counts as its own; such an address is not a key, nor
    is a home page. A title is a key together with its year, if it is over 20 characters long and not a generic one.
    """
    identity = identity_of(work)
    return identity.own + identity.links


def document_id(work: Work) -> str:
    """Return a stable, readable id from the record's best key: "doi:10.1001/jama.2020.17023", "web:example.org/page".

    At most 200 characters without white space; a long one ends in a hash of the whole. Records with one id are one
    work; records of one work can have several.
    """
    kind, value = next(key for key in identity_of(work).own if key.kind != "title")
    prefix = {"pmcid": "pmc:", "url": "web:", "record": ""}.get(kind, f"{kind}:")
    full = re.sub(r"\s", "%20", prefix + value.removeprefix(WEB))
    if len(full) <= LONGEST_ID:
        return full
    return f"{full[: LONGEST_ID - 17]}-{hashlib.sha256(full.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def identity_of(work: Work) -> Identity:
    """Return the identity of the record `work`."""
    # Long fields that add nothing are dropped, since the record is the key of the cache.
    return _identity(work.model_copy(update={"authors": work.authors[:1], "abstract": None, "text": None}))


@lru_cache(maxsize=REMEMBERED)
def _identity(said: Work) -> Identity:
    address = canonical_url(said.url or "")
    inside = identifier_in(address)
    own = _identifiers(said, inside)
    is_home = "/" not in address.removeprefix(WEB) and "?" not in address
    if inside is None and address.startswith(WEB) and (said.type == "webpage" or not (is_home or said.type in _PARTS)):
        own.append(Key("url", address))
    words = words_of(plain(RETRACTED_TITLE.sub("", said.title)) or "")
    title, spaced = "".join(words), " ".join(words)
    first = next(iter(said.authors), Person())
    surname, form = _surname(first.family or first.literal or ""), said.type if said.type in _APART else "paper"
    is_aside = bool(said.notice_of or _GENERIC.match(spaced))
    if said.year and not is_aside and len(spaced) > SHORT_TITLE:
        own.append(Key("title", f"{form} {said.year} {surname} {title}"))
    own.append(Key("record", f"{said.provider}:{said.provider_id}"))
    links = tuple(key for key in dict.fromkeys(_other_versions(said)) if key not in own)
    return Identity(tuple(own), links, title, said.year, surname, form, is_aside)


def _identifiers(said: Work, inside: tuple[Identifier, str] | None) -> list[Key]:
    found: dict[Kind, str | None] = {"doi": said.doi, "pmid": said.pmid, "pmcid": said.pmcid, "arxiv": said.arxiv}
    if inside is not None:
        kind, value = inside
        found[kind] = found[kind] or value
    if arxiv := clean_arxiv(found["doi"]):
        found |= {"doi": None, "arxiv": found["arxiv"] or arxiv}
    return [Key(kind, value) for kind, value in found.items() if value]


def _other_versions(said: Work) -> Iterator[Key]:
    for doi in (said.published_version_doi, said.preprint_doi):
        if arxiv := clean_arxiv(doi):
            yield Key("arxiv", arxiv)
        elif doi:
            yield Key("doi", doi)
    if said.type == "article":  # PubMed's "Update in" is the article of a preprint, but a new edition of a review
        yield from (Key("pmid", update.pmid) for update in said.updates if update.type == "update" and update.pmid)


class _Letters(dict[int, str]):
    """A table for str.translate that keeps letters, digits and marks and replaces all other characters by spaces.

    Marks do not match \\w in a pattern, but they are the vowels of Indic scripts.
    """

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        self[code] = sign if unicodedata.category(sign)[0] in "LNM" else " "
        return self[code]


_LETTERS = _Letters()


def words_of(text: str) -> list[str]:
    """Return the words of `text` in lower case, without punctuation; compatibility forms are folded."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", folded).translate(_LETTERS).split()


def _surname(name: str) -> str:
    """Return the last part of an author's name, in lower case without accents.

    Catalogues split double names differently.
    """
    letters = unicodedata.normalize("NFKD", name.rpartition(" ")[2]).casefold()
    return "".join(sign for sign in letters if sign.isalnum())
