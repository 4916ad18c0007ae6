"""Identifiers of publications in one spelling: DOI, PMID, PMCID, arXiv id and ISBN.

Each function accepts anything and returns the normalised identifier, or None if it is invalid; none of them raises.
"""

import re
from urllib.parse import quote, unquote

from stdnum import isbn

_DOI = re.compile(r"10\.\d{4,9}(?:\.\d+)*/[^\s\"']+", re.IGNORECASE)
_DOI_PREFIX = re.compile(r"^(?:https?://(?:dx\.|www\.)?doi\.org/|doi:\s*|info:doi/)", re.IGNORECASE)
_PMID = re.compile(r"(?:pmid:?\s*|https?://(?:www\.|pubmed\.)?ncbi\.nlm\.nih\.gov/(?:pubmed/)?)?([1-9]\d{0,8})/?", re.I)
_PMCID = re.compile(r"(?:.*/)?(?:PMC)?([1-9]\d{0,9})/?", re.IGNORECASE)
_ARXIV = re.compile(
    r"(?:arxiv:\s*|https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf)/|10\.48550/arxiv\.)?"
    r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?(?:\.pdf)?",
    re.IGNORECASE,
)
_PAIRS = {")": "(", "]": "[", ">": "<"}


def clean_doi(value: object) -> str | None:
    """Return a DOI in lower case without prefix or resolver address, or None if it is invalid.

    Old DOIs contain `<>;()`: 10.1002/(SICI)1521-3951(199911)216:1<... A trailing full stop, comma or unpaired bracket
    is removed, since it belongs to the sentence.
    """
    if not isinstance(value, str):
        return None
    text = _DOI_PREFIX.sub("", value.strip())
    if text != value.strip() and "%" in text:
        text = unquote(text)
    if not _DOI.fullmatch(text):
        return None
    while text and (text[-1] in ".,;" or (text[-1] in _PAIRS and text.count(text[-1]) > text.count(_PAIRS[text[-1]]))):
        text = text[:-1]
    return text.lower() if _DOI.fullmatch(text) else None


def doi_in_path(doi: str) -> str:
    """Return a clean DOI quoted for a URL path, so that it cannot change the path ("10.5555/../x")."""
    return re.sub(r"(?<=/)\.{1,2}(?=/|$)", lambda dots: "%2E" * len(dots[0]), quote(doi, safe="/:;()"))


def doi_of_url(url: object) -> str | None:
    """Return the DOI in a doi.org address, without query string and fragment, or None."""
    if not isinstance(url, str) or not re.match(r"https?://(?:dx\.|www\.)?doi\.org/", url, re.I):
        return None
    return clean_doi(re.split(r"[?#]", url, maxsplit=1)[0])


def clean_pmid(value: object) -> str | None:
    """Return the digits of a PMID given as a number, "PMID: 26147656" or a PubMed address, or None."""
    match = _PMID.fullmatch(str(value).strip()) if isinstance(value, str | int) else None
    return match[1] if match else None


def clean_pmcid(value: object) -> str | None:
    """Return a PMCID such as "PMC5815332" from an address, digits, or text with the prefix, or None."""
    match = _PMCID.fullmatch(str(value).strip()) if isinstance(value, str | int) else None
    return f"PMC{match[1]}" if match else None


def clean_arxiv(value: object) -> str | None:
    """Return an arXiv id such as "1706.03762" or "math/0211159", without version, or None."""
    match = _ARXIV.fullmatch(value.strip()) if isinstance(value, str) else None
    return match[1].lower() if match else None


def clean_isbn(value: object) -> str | None:
    """Return an ISBN without hyphens, or None if its check digit is wrong."""
    text = re.sub(r"[\s-]", "", value).upper() if isinstance(value, str) else ""
    text = text.rpartition("/")[2].removeprefix("ISBN").lstrip(":")
    return text if len(text) in (10, 13) and isbn.is_valid(text) else None


def other_isbn(known: str) -> str | None:
    """Return the ISBN-13 for an ISBN-10 and the other way round; None for 979, which has no ISBN-10."""
    if len(known) == 10:
        return str(isbn.to_isbn13(known))
    return str(isbn.to_isbn10(known)) if known.startswith("978") else None
