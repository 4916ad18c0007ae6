"""PubMed's abstracts, which come as XML only. Entities are refused: a few of them can be made to fill all memory."""

from collections.abc import Iterator
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from sources.identifiers import clean_pmid
from sources.outcomes import Unreadable

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


def parse(body: bytes) -> Element:
    """The root of an XML document that declares no entities; what its DTD says is not read. Raises Unreadable."""
    builder, parser = TreeBuilder(), expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = _refuse
    try:
        parser.Parse(body, True)
        return builder.close()
    except (expat.ExpatError, AssertionError) as error:
        raise Unreadable("sent XML that is damaged") from error


def _refuse(*declared: object) -> NoReturn:
    raise Unreadable("sent XML with entities in it, which is not opened")


def _paragraphs(article: Element) -> Iterator[str]:
    for part in article.findall(".//Abstract/AbstractText"):
        words, label = _words(part), part.get("Label")
        if words:
            yield f"{label}: {words}" if label and label.upper() != "UNLABELLED" else words


def _words(element: Element | None) -> str:
    return " ".join("".join(element.itertext()).split()) if element is not None else ""
