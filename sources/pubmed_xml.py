"""PubMed's abstracts, which come as XML only."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from sources.identifiers import clean_pmid
from sources.outcomes import Unreadable
from sources.xml import parse

Abstracts = dict[str, str]  # by PMID; a structured one keeps its labels, a paragraph each


def read_abstracts(body: bytes) -> Abstracts:
    """The abstracts in an efetch answer. Raises Unreadable when it is not such an answer."""
    root = parse(body)
    if root.tag == "ERROR" or root.find("ERROR") is not None:
        raise Unreadable("could not send the abstracts")
    if root.tag not in {"PubmedArticleSet", "PubmedBookArticleSet"}:
        raise Unreadable("sent something else than abstracts")
    found: Abstracts = {}
    for article in root:
        pmid = clean_pmid(_words(article.find(".//PMID")))
        abstract = "\n\n".join(_paragraphs(article))
        if pmid and abstract:
            found[pmid] = abstract
    return found


def _paragraphs(article: Element) -> Iterator[str]:
    for part in article.findall(".//Abstract/AbstractText"):
        words, label = _words(part), part.get("Label")
        if words:
            yield f"{label}: {words}" if label and label.upper() != "UNLABELLED" else words


def _words(element: Element | None) -> str:
    return " ".join("".join(element.itertext()).split()) if element is not None else ""
