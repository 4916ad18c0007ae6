"""What a record of a catalogue says of which work it describes: its keys, and the id made of the best of them (SPEC R8)."""

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from research.deduplication.urls import WEB, Identifier, canonical_url, identifier_in
from sources.field_values import clean_arxiv
from sources.field_values import text as plain
from sources.work import RETRACTED_TITLE, Person, Work

Kind = Literal["doi", "pmid", "pmcid", "arxiv", "url", "title", "record", "text"]

LONGEST_ID = 200  # characters
SHORT_TITLE = 20  # characters: titles up to this length are shared by too many works
REMEMBERED = 4096  # records: one is looked at several times within a search

# As `_words` spells them. A title that begins so proves nothing: it is about another work, or many works have it.
_GENERIC = re.compile(
    r"(?:(?:author|publisher)(?: ?s)? )?(?:correction|corrigend(?:um|a)|errat(?:um|a)|addend(?:um|a)|retraction)s?\b"
    r"|(?:editorial )?(?:note|expression|statement) of (?:editorial )?concern\b|(?:withdrawal )?notice\b"
    r"|comments?(?: and \w+)? (?:on|to)\b|commentary\b|(?:in )?reply\b|authors?(?: s)? (?:reply|response)\b"
    r"|response to (?:the )?(?:comment|letter)s?\b|letters? to\b|discussion (?:of|on)\b|(?:book )?reviews? of\b"
    r"|book reviews?\b|books received\b|(?:guest )?editorials?\b|in this issue\b|from the (?:guest )?editors?\b"
    r"|(?:a )?(?:welcome )?(?:message|note|word|welcome) from\b|preface\b|foreword\b|afterword\b"
    r"|(?:general )?introduction(?: to (?:the|this) (?:special|theme|themed)\b.*)?$|(?:front|back) ?matter\b"
    r"|(?:table of )?contents\b|(?:(?:author|subject|keyword|name) )?index\b|issue information\b|acknowledge?ments?\b"
    r"|list of (?:reviewers|referees|contributors|abbreviations|figures|tables)\b|(?:notes on|about the) (?:contributor|author)s\b"
    r"|(?:instructions|information|guidelines) (?:for|to) authors\b|call for papers\b|announcements?\b|obituar(?:y|ies)\b"
    r"|in memoriam\b|(?:poster|oral) (?:session|presentation|abstract)s?\b|abstracts? (?:of|from)\b|additional file\b"
    r"|supplementary (?:material|information|data|file)s?\b"
)
_APART = {"book", "chapter", "dataset", "entry-encyclopedia", "patent", "periodical", "report", "review", "software"}
_APART |= {"review-book", "standard", "thesis"}
_PARTS = {"chapter", "entry-encyclopedia", "periodical"}  # often filed under the address of the whole


class Key(NamedTuple):
    """What records of one work have in common."""

    kind: Kind
    value: str


class Identity(NamedTuple):
    """What a record says of which work it describes. `title` is letters and digits only."""

    own: tuple[Key, ...]  # what proves most first
    links: tuple[Key, ...]  # of another version that it names
    title: str
    year: int | None
    surname: str  # of the first author, as keys spell it
    form: str  # "paper", or the type of what is never a paper of the same title
    is_aside: bool  # about another work, or one of many that are called so

    def may_share_text(self, other: "Identity") -> bool:
        """Return whether records that say nearly the same may be of one work, by all that is no identifier.

        A correction repeats the abstract of its article, chapters have the blurb of their book.
        """
        return (
            not (self.is_aside or other.is_aside)
            and self.form == other.form
            and (self.form not in _PARTS or self.title == other.title)
            and (not (self.surname and other.surname) or self.surname == other.surname)
            and (not (self.year and other.year) or abs(self.year - other.year) <= 1)  # online, in print the year after
        )


def keys_of(work: Work) -> tuple[Key, ...]:
    """Return the keys of a record: DOI, PMID, PMCID, arXiv id, address, title, the catalogue's own number for it, and last the
    identifiers of another version that it names.

    An identifier in the record's address counts as its own, and such an address is no key, nor is a home page. A title
    is one with its year, if it is over 20 characters long and not one that many works have.
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
    """Return what `work` says of which work it describes."""
    # Nothing that is long and says no more of it: it is the key under which the identity is remembered.
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
    if said.type == "article":  # PubMed's "Update in" of a preprint is its article; of a review it is a new edition
        yield from (Key("pmid", update.pmid) for update in said.updates if update.type == "update" and update.pmid)


class _Letters(dict[int, str]):
    """For str.translate: letters, digits and marks stay, all others part words.

    Marks are no letters to a pattern's \\w, but they are the vowels of Indic scripts.
    """

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        self[code] = sign if unicodedata.category(sign)[0] in "LNM" else " "
        return self[code]


_LETTERS = _Letters()


def words_of(text: str) -> list[str]:
    """Return the words of `text` in small letters, without punctuation; compatibility forms are folded."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", folded).translate(_LETTERS).split()


def _surname(name: str) -> str:
    """Return the last of an author's names, in small letters without accents: catalogues part double names differently."""
    letters = unicodedata.normalize("NFKD", name.rpartition(" ")[2]).casefold()
    return "".join(sign for sign in letters if sign.isalnum())
