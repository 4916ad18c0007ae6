"""Recognition of pasted text: identifiers, entries of a file, a web address, or words (SPEC C5, C8). No requests."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote, urlsplit

from core.grouping import first_values
from sources.identifiers import clean_arxiv, clean_doi, clean_isbn, clean_pmcid, clean_pmid

Kind = Literal["doi", "pmid", "pmcid", "arxiv", "isbn", "url", "bibtex", "ris", "csl", "words"]

_BIBTEX = re.compile(r"^[ \t]*@[A-Za-z]+\s*[{(]", re.MULTILINE)
_RIS = re.compile(r"^\s*TY  ?- ", re.MULTILINE)
_BULLET = re.compile(r"^\s*(?:[-*•–]\s+|\[\d{1,4}\]\s*|\(\d{1,4}\)\s+|\d{1,4}[.)]\s+)")
# A DOI within a line ends at a space, a quote, or the end of the line.
_DOI = re.compile(r"10\.\d{4,9}(?:\.\d{1,9}){0,5}/[^\s\"“”]{1,500}", re.IGNORECASE)
_PMID = re.compile(r"(?:pmid|pubmed(?:\s+id)?)\s*[:#]?\s*(\d[\d\s]{0,20})", re.IGNORECASE)
_PMID_URL = re.compile(r"(?:pubmed\.ncbi\.nlm\.nih\.gov/|ncbi\.nlm\.nih\.gov/pubmed/)(\d{1,9})(?!\d)", re.IGNORECASE)
_PMCID = re.compile(r"\bPMC\s?(\d{1,10})(?!\d)", re.IGNORECASE)
_ARXIV_URL = re.compile(
    r"arxiv\.org/(?:abs|pdf|html)/(\d{4}\.\d{4,5}|[a-z-]{2,20}(?:\.[a-z]{2})?/\d{7})", re.IGNORECASE
)
_ARXIV = re.compile(r"\barxiv[:\s]\s*(\d{4}\.\d{4,5}|[a-z-]{2,20}(?:\.[a-z]{2})?/\d{7})", re.IGNORECASE)
_ISBN = re.compile(r"\bISBN(?:-1[03])?[:\s]*([\dX][\dX \-‐-–]{8,24})", re.IGNORECASE)
# Old DOIs contain angle brackets, which end any other address.
_URL = re.compile(r"https?://(?:(?:dx\.|www\.)?doi\.org/[^\s\"“”]{1,600}|[^\s<>\"“”]{1,2000})", re.IGNORECASE)
# Endings that publishers add to a DOI in their addresses.
_TAIL = re.compile(
    r"(?:/(?:full|abstract|pdf|epdf|html|meta|summary|fulltext|references|citations?)|"
    r"(?:v\d{1,3})?\.(?:full|abstract)(?:\.pdf)?|\.pdf|\.html?)+$",
    re.IGNORECASE,
)
_PREPRINT_VERSION = re.compile(r"^(10\.1101/.{4,80}?)v\d{1,3}$", re.IGNORECASE)


@dataclass(frozen=True)
class PastedItem:
    """One item of a pasted text. `value` is a normalised identifier, an address, entries, or words.

    `line` counts from 1 in the text.
    """

    kind: Kind
    value: str
    line: int = 1


def parse_pasted(text: str) -> list[PastedItem]:
    """Return the items of `text`, in order and without repeats; nothing for an empty text.

    BibTeX, RIS and CSL-JSON are one item, however many entries there are. Any other text is read line by line: a line
    may have one identifier among words, several identifiers and nothing else, an address, or words.
    """
    stripped = text.strip()
    if not stripped:
        return []
    if kind := _format(stripped):
        return [PastedItem(kind, text)]
    found = first_values(
        ((one.kind, one.value), one)
        for number, line in enumerate(text.splitlines(), 1)
        for one in _in_line(_BULLET.sub("", line, count=1).strip(), number)
    )
    return list(found.values())


def find_identifier(text: str) -> PastedItem | None:
    """Return the identifier in `text`, also among words: the first of DOI, PMID, PMCID, arXiv id and ISBN."""
    return next((PastedItem(kind, value) for kind, find in _FINDERS if (value := find(text))), None)


def doi_in(text: str) -> str | None:
    """Return the DOI in `text`: bare, after "doi:", among words, or in an address without publishers' endings."""
    for address in _URL.findall(text):
        if doi := _doi_of_address(address):
            return doi
    plain = _URL.sub(" ", text)
    found = _DOI.search(plain) or _DOI.search(unquote(plain))
    return clean_doi(found.group()) if found else None


def pmid_in(text: str) -> str | None:
    """Return the PMID in `text`: after "PMID", in an address of PubMed, or a number alone of at least five digits."""
    if found := _PMID_URL.search(text) or _PMID.search(text):
        return clean_pmid("".join(found[1].split()))
    alone = "".join(text.split())
    return clean_pmid(alone) if alone.isascii() and alone.isdigit() and 5 <= len(alone) <= 9 else None


def _format(text: str) -> Literal["bibtex", "ris", "csl"] | None:
    if text[0] in "[{" and text[-1] in "]}" and '"' in text:
        return "csl"
    if _RIS.search(text):
        return "ris"
    return "bibtex" if _BIBTEX.search(text) else None


def _in_line(line: str, number: int) -> list[PastedItem]:
    if not line:
        return []
    several = _identifiers(line)
    if len(several) > 1:
        return [PastedItem(one.kind, one.value, number) for one in several]
    one = find_identifier(line)
    if one is None:
        address = _URL.search(line)
        one = (
            PastedItem("url", address.group().rstrip(".,;)"))
            if address
            else PastedItem("words", " ".join(line.split()))
        )
    return [PastedItem(one.kind, one.value, number)]


def _identifiers(line: str) -> list[PastedItem]:
    """Return the identifiers of a line that has nothing else; otherwise an empty list."""
    found = []
    for part in re.split(r"[\s,;]+", line):
        one = find_identifier(part) if part else None
        if part and one is None:
            return []
        found += [one] if one else []
    return found


def _doi_of_address(address: str) -> str | None:
    """Return the DOI in an address: in its path, or in a parameter "doi" or "id"; without tracking parameters."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    found = _DOI.search(unquote(parts.path))
    if found is None:
        named = re.search(r"(?:^|&)(?:doi|id)=(?:doi:)?(10\.[^&#]+)", parts.query, re.IGNORECASE)
        return clean_doi(unquote(named[1])) if named else None
    doi = found.group()
    if not re.fullmatch(r"(?:dx\.|www\.)?doi\.org", (parts.hostname or "")):
        doi = _TAIL.sub("", doi)
        if version := _PREPRINT_VERSION.match(doi):
            doi = version[1]
    elif address.endswith("#") and doi.endswith("2-"):
        doi = f"{doi}#"  # an old DOI ends in "#", which the address cuts off
    return clean_doi(doi)


def _pmcid_in(text: str) -> str | None:
    found = _PMCID.search(text)
    return clean_pmcid(found[1]) if found else None


def _arxiv_in(text: str) -> str | None:
    found = _ARXIV_URL.search(text) or _ARXIV.search(text)
    return clean_arxiv(found[1] if found else text)


def _isbn_in(text: str) -> str | None:
    found = _ISBN.search(text)
    return next(
        filter(None, (clean_isbn(re.sub(r"[\s‐-–-]", "", written)) for written in (found[1] if found else "", text))),
        None,
    )


def _doi_but_not_arxiv(text: str) -> str | None:
    doi = doi_in(text)
    return None if doi and clean_arxiv(doi) else doi


def _arxiv_or_its_doi(text: str) -> str | None:
    return _arxiv_in(text) or clean_arxiv(doi_in(text))


_FINDERS: tuple[tuple[Kind, Callable[[str], str | None]], ...] = (
    ("doi", _doi_but_not_arxiv),
    ("pmid", pmid_in),
    ("pmcid", _pmcid_in),
    ("arxiv", _arxiv_or_its_doi),
    ("isbn", _isbn_in),
)
