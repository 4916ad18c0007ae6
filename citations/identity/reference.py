"""The common form of an entry and of a registry record, in which the two are compared (SPEC C2)."""

import html
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from citations.formats.csl import is_marked, year_of
from citations.formats.reading import Csl, custom_of, dict_in, dicts_of, text_in, text_of
from citations.identity.normalise import LONGEST, plain, without_spaces, words_in
from citations.pasted_text import doi_in
from latex.bibtex_unicode import verbatim
from sources.field_values import text as tagless
from sources.identifiers import clean_arxiv, clean_doi, clean_isbn, clean_pmid, doi_of_url
from sources.retractions import RETRACTED_TITLE
from sources.work import Person, Work

_REMEMBERED = 16_384  # names
_LONGEST_NAME = 300  # characters
_OTHERS = {"others", "et al", "al", "et alii", "and others"}
_QUOTES = ("<", "“", '"', "'")
_EMPTY = {"", "n a", "na", "none", "null", "unknown", "tbd", "tba", "missing", "not available"}
_SUFFIXES = {"jr", "sr", "ii", "iii", "iv", "2nd", "3rd", "phd", "md"}
# Nouns for many people. None of them is a surname by itself.
_GROUPS = words_in(
    "group groups consortium collaboration collaborative collaborators committee investigators team organization"
    " organisation network association initiative commission agency institute institutes university ministry"
    " department council federation foundation force panel society authority alliance collaborating consortia"
    " programme program project task"
)
# These are surnames too: they mean a group only after two other words.
_ALSO_NAMES = words_in("bureau college center centre hospital study trial bank union office academy service services")
_INITIALS = re.compile(r"(?:[^\W\d_a-z]\.?){1,3}")
_RUN = re.compile(r"(?<!\w)[A-Z]{2,4}(?!\w)")  # initials without full stops
_QUERY = re.compile(r"[?&#][a-z_][\w.-]*=.*", re.IGNORECASE | re.DOTALL)  # query of a URL, also after a bare DOI
_ARXIV = re.compile(r"arxiv[:\s./]*(?:abs/|pdf/)?(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Name:
    """An author's name, normalised by `plain`. A group has only `group`; a person has none. `shown` is for display.

    `ascii` is the surname without its non-ASCII letters, where it has any: what a wrong encoding leaves of it.
    """

    shown: str
    surname: str = ""
    given: str = ""
    group: str = ""
    ascii: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """A work as an entry claims it or as a registry records it. Empty text and None stand for missing values.

    `people` are the authors, or the editors where there are no authors; `editors` are set only beside authors.
    `others`: the list goes on ("and others"). `unread_doi` is a value in the DOI field that is not a DOI. `versions`
    are DOIs of the work's other versions. `type` is a CSL type.
    """

    title: str = ""
    people: tuple[Name, ...] = ()
    others: bool = False
    year: int | None = None
    venue: str = ""
    volume: str = ""
    issue: str = ""
    editors: tuple[Name, ...] = ()
    pages: str = ""
    type: str = "document"
    doi: str | None = None
    unread_doi: str = ""
    pmid: str | None = None
    arxiv: str | None = None
    isbn: str | None = None
    url: str = ""
    versions: frozenset[str] = frozenset()

    @property
    def groups(self) -> tuple[Name, ...]:
        """The authors that are groups."""
        return tuple(name for name in self.people if name.group)


def reference_from_csl(csl: Csl) -> Reference:
    """Return the claim of a CSL item; values that cannot be read count as missing (SPEC C2)."""
    people, others = _people(csl.get("author") or csl.get("editor"))
    return Reference(
        title=without_retraction_mark(text_in(csl, "title")),
        people=people,
        others=others or is_marked(csl, "others"),
        year=year_of(csl),
        venue=text_in(csl, "container-title"),
        volume=text_in(csl, "volume"),
        issue=text_in(csl, "issue"),
        editors=_people(csl.get("editor"))[0] if csl.get("author") else (),
        pages=text_in(csl, "page") or text_in(csl, "number"),
        type=text_in(csl, "type") or "document",
        isbn=clean_isbn(text_in(csl, "ISBN")),
        url=text_in(csl, "URL").strip(),
        **identifiers_from_csl(csl),
    )


def identifiers_from_csl(csl: Csl) -> dict[str, Any]:
    """Return the identifiers that a CSL item claims, as keyword arguments of a Reference."""
    address = text_in(csl, "URL").strip()
    written = html.unescape(verbatim(text_in(csl, "DOI")[:LONGEST]))
    doi = _doi(written) or doi_of_url(address)
    return {
        "doi": doi,
        "unread_doi": ("" if doi or plain(written) in _EMPTY else written),
        "pmid": _pmid(csl, address),
        "arxiv": _arxiv(csl, address, doi),
    }


def reference_from_work(work: Work) -> Reference:
    """Return a registry's record in the form in which it is compared."""
    people, others = _without_others(_of_person(one) for one in work.authors or work.editors)
    return Reference(
        title=without_retraction_mark(work.title),
        people=people,
        others=others,
        year=work.year,
        venue=work.venue or "",
        volume=work.volume or "",
        issue=work.issue or "",
        editors=_without_others(_of_person(one) for one in work.editors)[0] if work.authors else (),
        pages=work.pages or "",
        type=work.type,
        doi=work.doi,
        pmid=work.pmid,
        arxiv=work.arxiv or clean_arxiv(work.doi),
        isbn=work.isbn,
        url=work.url or "",
        versions=frozenset(filter(None, (work.published_version_doi, work.preprint_doi))),
    )


def without_retraction_mark(title: str) -> str:
    """Return a title without "RETRACTED:" in front of it, also where that is in tags or quotes."""
    cut = title[:LONGEST].strip()
    bare = (tagless(cut) or "").lstrip("“\"'") if cut[:1] in _QUOTES else cut
    return RETRACTED_TITLE.sub("", bare, count=1).strip() if RETRACTED_TITLE.match(bare) else cut


def _people(value: Any) -> tuple[tuple[Name, ...], bool]:
    """Return the names of a CSL variable, and whether it contains "et al." or the like."""
    return _without_others(map(_of_mapping, dicts_of(value)))


def _without_others(read: Iterable[Name | None]) -> tuple[tuple[Name, ...], bool]:
    """Return the names without "et al." and the like, and whether there were such."""
    named = [name for name in read if name]
    kept = tuple(name for name in named if (name.surname or name.group) not in _OTHERS)
    return kept, len(kept) < len(named)


def _of_mapping(one: Mapping[str, Any]) -> Name | None:
    particles = (text_in(one, part) for part in ("dropping-particle", "non-dropping-particle"))
    return _named(
        " ".join(filter(None, [*particles, text_in(one, "family")])),
        text_in(one, "given"),
        text_in(one, "literal"),
    )


def _of_person(person: Person) -> Name | None:
    return _named(person.family or "", person.given or "", person.literal or "")


def _named(family: str, given: str, literal: str) -> Name | None:
    # Cut before the cache: a name of megabytes would stay in memory as a key.
    return _name(family[:_LONGEST_NAME], given[:_LONGEST_NAME], literal[:_LONGEST_NAME])


@lru_cache(_REMEMBERED)
def _name(family: str, given: str, literal: str) -> Name | None:
    shown = f"{family}, {given}" if family and given else family or given or literal
    if _is_turned(family, given):  # "Kumar SV", read as a given name and a surname
        family, given = given, family
    surname, before = plain(family or given), plain(_initials_apart(family, given)) if family else ""
    if not surname or _is_group(surname.split(), before.split()):
        group = plain(f"{given} {family}" if surname else literal)
        return Name(shown, group=group) if group else None
    words = surname.split()
    while len(words) > 1 and words[-1] in _SUFFIXES:
        words.pop()
    return Name(
        shown,
        surname=" ".join(words),
        given=" ".join(word for word in before.split() if word not in _SUFFIXES),
        ascii=_ascii(family or given),
    )


def _ascii(family: str) -> str:
    return "" if family.isascii() else without_spaces(plain("".join(letter for letter in family if letter.isascii())))


def _is_turned(family: str, given: str) -> bool:
    """Return whether initials are in the surname's field, as in "Kumar SV" read as given name and surname."""
    return bool(_INITIALS.fullmatch(family)) and any(one.islower() for one in given)


def _initials_apart(family: str, given: str) -> str:
    """Split initials that are written together: "JA" becomes "J A"; not where the whole name is in capitals."""
    return _RUN.sub(lambda run: " ".join(run[0]), given) if not family.isupper() else given


def _is_group(surname: Iterable[str], given: list[str]) -> bool:
    """Return whether a name that was split like a person's is a group's: "World Health Organization" without braces."""
    *_, last = surname
    words = [word for word in given if len(word) > 1]
    return (last in _GROUPS and bool(words)) or (last in _ALSO_NAMES and len(words) > 1)


def _doi(written: str) -> str | None:
    """Return the DOI of a DOI field, also from other words around it or a URL with a query."""
    bare = _QUERY.sub("", written.strip())
    return clean_doi(bare) or doi_in(bare)


def _pmid(csl: Csl, address: str) -> str | None:
    if "ncbi.nlm.nih.gov" in address and not csl.get("PMID"):
        return clean_pmid(address.partition("?")[0])
    value = csl.get("PMID")
    written = "" if isinstance(value, bool) else text_of(value)[:_LONGEST_NAME].partition("?")[0]
    return clean_pmid(written) or clean_pmid("".join(written.split()))


def _arxiv(csl: Csl, address: str, doi: str | None) -> str | None:
    fields = dict_in(custom_of(csl), "bibtex")
    archive = text_in(fields, "archiveprefix") or text_in(fields, "eprinttype") or "arxiv"
    if archive.casefold() == "arxiv" and (known := clean_arxiv(text_in(fields, "eprint"))):
        return known
    if known := clean_arxiv(doi) or clean_arxiv(address):
        return known
    places = (text_in(csl, name)[:LONGEST] for name in ("container-title", "number", "volume", "page"))
    return next((found[1].lower() for place in places if (found := _ARXIV.search(place))), None)
