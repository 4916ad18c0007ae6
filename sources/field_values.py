"""Reading values from catalogue responses, where any value may be null, missing or of an unexpected type.

Each function accepts anything and returns the promised type or None; none of them raises. Identifiers of publications
are normalised.
"""

import html
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, unquote

from stdnum import isbn

_TAG = re.compile(
    r"</?(?:(?:jats|mml|ali|xlink|ovid):[\w-]+|i|b|u|em|strong|sup|sub|inf|scp?|small|tt|span|p|br|div|title|italic|bold"
    r"|sec|list|list-item|h[1-6]|abstracttext|math|m(?:row|i|n|o|sup|sub|frac|text|subsup|over|under))(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_BLOCK = re.compile(r"</?(?:jats:)?(?:p|br|div|title|sec|list|list-item|h[1-6])\b[^<>]*>", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_YEAR = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d|2100)(?!\d)")


def at(data: Any, *path: str | int) -> Any:
    """Return the value at `path` in nested dicts and lists, or None if a step is missing."""
    for step in path:
        if isinstance(step, str):
            data = data.get(step) if isinstance(data, dict) else None
        else:
            data = data[step] if isinstance(data, list) and -len(data) <= step < len(data) else None
    return data


def items(data: Any) -> list[Any]:
    """Return `data` if it is a list, else an empty list."""
    return data if isinstance(data, list) else []


def mappings(data: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects of a list; a lone object counts as a list of one."""
    return (one for one in ([data] if isinstance(data, dict) else items(data)) if isinstance(one, dict))


def first(data: Any) -> Any:
    """Return the first non-empty entry of a list, or the value itself if it is not a list."""
    return next((one for one in data if one), None) if isinstance(data, list) else data


def text(value: Any) -> str | None:
    """Return plain text: known tags removed, entities decoded once, white space collapsed. Numbers become strings."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    plain = str(value)
    if "<" in plain or "&" in plain:
        # Entities are decoded only once: decoding twice would corrupt a title that contains a literal "&lt;".
        plain = _TAG.sub("", html.unescape(_TAG.sub("", _BLOCK.sub(" ", plain))))
    return " ".join(_CONTROL.sub("", plain).split()) or None


def raw(value: Any) -> str | None:
    """Return text with its line breaks and markup; only control characters and surrogates are removed."""
    return _CONTROL.sub("", value).strip() or None if isinstance(value, str) else None


def whole(value: Any) -> int | None:
    """Return an integer from a number or from text ("25,600,000"), else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        digits = value.replace(",", "").strip()
        return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else None
    return int(value) if isinstance(value, int | float) and -1e15 < value < 1e15 else None


def number(value: Any) -> float | None:
    """Return a float from a number below 1e15, else None."""
    return (
        float(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15 else None
    )


def year(value: Any) -> int | None:
    """Return the year in a number or a date as text ("2015 Jul", "2015/08/22"), between 1400 and 2100."""
    match = _YEAR.search(str(value)) if isinstance(value, str | int) and not isinstance(value, bool) else None
    return int(match[1]) if match else None


def link(value: Any) -> str | None:
    """Return an http or https address, else None."""
    address = value.strip() if isinstance(value, str) else ""
    fits = re.match(r"https?://[^\s/]", address, re.IGNORECASE) and not re.search(r"\s|[\x00-\x1f]", address)
    return _CONTROL.sub("", address)[:4000] if fits else None


def titled(title: str | None, subtitle: str | None) -> str:
    """Return the title with its subtitle, unless the title already contains it."""
    if not title or not subtitle or subtitle.casefold() in title.casefold():
        return title or subtitle or ""
    return f"{title}{'' if title[-1] in ':?!.' else ':'} {subtitle}"


def pages(first: str | None, last: str | None) -> str | None:
    """Return a page range such as "3-9", or the one page that is known."""
    return f"{first}-{last}" if first and last and first != last else first or last


def between(number: int, most: int) -> int:
    """Return `number` limited to the range 1 to `most`."""
    return max(1, min(number, most))


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
