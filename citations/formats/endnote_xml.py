"""The records that EndNote stores in a citation of a Word file, as CSL (SPEC C10)."""

import re
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element

from citations.formats.names_and_dates import read_day
from citations.formats.reading import Csl

# The numbers of EndNote's reference types
_TYPES = {
    "0": "article-journal",
    "1": "article-journal",
    "5": "chapter",
    "6": "book",
    "7": "chapter",
    "9": "map",
    "10": "paper-conference",
    "12": "webpage",
    "14": "legislation",
    "17": "article-journal",
    "19": "article-magazine",
    "23": "article-newspaper",
    "25": "patent",
    "27": "report",
    "28": "book",
    "31": "legal_case",
    "32": "thesis",
    "43": "article-journal",
    "44": "book",
    "45": "paper-conference",
    "46": "report",
    "47": "paper-conference",
    "48": "book",
    "59": "dataset",
}
_TEXTS = {
    "volume": "volume",
    "number": "issue",
    "edition": "edition",
    "publisher": "publisher",
    "pub-location": "publisher-place",
    "electronic-resource-num": "DOI",
    "abstract": "abstract",
    "language": "language",
}
_DOI_ADDRESS = re.compile(r"(?:https?://)?(?:dx\.)?doi\.org/|doi:\s*", re.IGNORECASE)


def csl_of_record(record: Element) -> Csl:
    """Return a `record` of EndNote's XML as CSL. Unknown values are left out."""
    kind = record.find("ref-type")
    csl: dict[str, Any] = {"type": _TYPES.get(_text(kind), "document")}
    csl["title"] = _text(record.find("titles/title"))
    container = _text(record.find("titles/secondary-title")) or _text(record.find("periodical/full-title"))
    csl["collection-title" if csl["type"] == "book" else "container-title"] = container
    for name, variable in _TEXTS.items():
        csl[variable] = _text(record.find(name))
    csl["DOI"] = _DOI_ADDRESS.sub("", csl["DOI"])
    if csl["type"] not in ("article-journal", "article-magazine", "article-newspaper"):
        csl["number"], csl["issue"] = csl["issue"], ""
    csl["page"] = _text(record.find("pages"))
    if re.fullmatch(r"PMC\d+", _text(record.find("custom2")), re.IGNORECASE):
        csl["PMCID"] = _text(record.find("custom2"))
    numbers = _text(record.find("isbn"))
    csl["ISSN" if re.fullmatch(r"\d{4}-?\d{3}[\dXx].*", numbers, re.DOTALL) else "ISBN"] = numbers.split("\r")[0]
    address = _text(record.find("urls/related-urls/url")) or _text(record.find("urls/web-urls/url"))
    csl["URL"] = address if address.startswith(("http://", "https://")) else ""
    if "pubmed" in _text(record.find("remote-database-name")).casefold() or "pubmed" in address:
        number = _text(record.find("accession-num"))
        csl["PMID"] = number if number.isdecimal() else ""
    csl["issued"] = read_day(_text(record.find("dates/year")))
    csl["author"] = list(_people(record, "authors"))
    csl["editor"] = list(_people(record, "secondary-authors" if csl["type"] == "chapter" else "editors"))
    return {name: value for name, value in csl.items() if value}


def _people(record: Element, name: str) -> Iterator[dict[str, str]]:
    """Yield names: "Menon, Asha" is a person, "World Health Organization," (with its comma) and one word a group."""
    for one in record.findall(f"contributors/{name}/author"):
        family, comma, given = (part.strip() for part in _text(one).partition(","))
        if family:
            yield {"family": family, "given": given} if given else _uninverted(family, bool(comma))


def _uninverted(name: str, is_group: bool) -> dict[str, str]:
    given, _, family = name.rpartition(" ")
    return {"literal": name} if is_group or not given else {"family": family, "given": given}


def _text(node: Element | None) -> str:
    """Return the text of an element; EndNote puts it into <style> elements."""
    return " ".join("".join(node.itertext()).split()) if node is not None else ""
