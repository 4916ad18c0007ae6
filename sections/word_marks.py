"""Finding the citation fields and comments of a Word file, and marking their places (SPEC T2, C10).

Reference managers store a citation as a field (ADDIN ZOTERO_ITEM, ADDIN CSL_CITATION, ADDIN EN.CITE) or as a content
control (Mendeley Cite), with the data of its works in it. Each is replaced by a mark of private characters, and so are
the ends of a comment: pandoc passes them on, so that the place in the LaTeX is exact. A field that cannot be told apart
keeps its visible text. This module runs in a process of its own and never imports Django.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from io import BytesIO
from typing import IO, Any
from zipfile import ZipFile, ZipInfo

from docx.opc.oxml import serialize_part_xml
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import qn
from lxml.etree import XMLSyntaxError, tostring  # type: ignore[import-untyped]

from sections.word_citation_data import BrokenCitation, read_citation_data
from sections.word_comments import WordComment, mark_comments, read_comments
from sections.word_fields import (
    RPR,
    SIGNS,
    FieldCode,
    FieldScan,
    P,
    T,
    is_inside_deleted,
    linked_manager_of,
    list_manager_of,
    manager_of,
    put_first,
    run_of,
    text_of,
    unformatted_citations,
    unread_manager_of,
)
from sections.word_mark_signs import BASES, CITE, LAST, LIST_BEGIN, LIST_END, mark
from sections.word_text_boxes import move_text_boxes, replace_by_children, unwrap_words

_BODY = re.compile(r"word/(?:document\d*|footnotes|endnotes)\.xml")
_ASIDE = re.compile(r"word/(header|footer)\d*\.xml")
_LINKS = re.compile(r"word/_rels/(.+)\.rels")
_MOST_XML = 60 * 1024 * 1024  # bytes of a part that is read
_MOST_DATA = 1_000_000  # characters of the data of one citation
_NO_END = "its field is damaged: it has no beginning or no end"
_BOOKMARKS = (
    "Zotero citations stored as bookmarks are not read. In Word, set Zotero to use fields, and upload the file again."
)
_UNFORMATTED = (
    "Unformatted EndNote citations are not read. In Word, choose “Update Citations and Bibliography” in EndNote, and "
    "upload the file again."
)
_LINKED = (
    "Citations by {name} in Google Docs are links without data of the works. Export the references from {name} and "
    "import them under Citations."
)
# The strict variant of the format has the same elements in another namespace.
_STRICT = b"http://purl.oclc.org/ooxml/wordprocessingml/main"
_USUAL = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_EMBEDDED = (
    qn("w:altChunk"),
    "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds",
    "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart",
)
_INSERTED, _DELETED = ((qn(f"w:{one}"), qn(f"w:{move}")) for one, move in (("ins", "moveTo"), ("del", "moveFrom")))


@dataclass
class Field:
    """A citation. `manager` is zotero, mendeley, mendeley-cite or endnote; `data` as of `read_citation_data`.

    `shown` is its visible text, and `near` the words of its paragraph before it. `broken`: why it was left as text.
    """

    manager: str
    data: dict[str, Any] = field(default_factory=dict)
    shown: str = ""
    near: str = ""
    broken: str = ""


def _citation(one: FieldCode) -> Field:
    """Return a citation with its data, or with the reason why it stays as text."""
    made = Field(one.manager, shown="".join(one.texts), near=one.near)
    try:
        if len(one.instruction) + sum(map(len, one.data)) > _MOST_DATA:
            raise BrokenCitation("its data are too long")
        made.data = read_citation_data(one.manager, one.instruction, one.data)
        made.broken = made.data["broken"]
    except BrokenCitation as broken:
        made.broken = str(broken)
    if not one.has_ended:
        made.broken = _NO_END
    elif any(inner.is_citation for inner in one.inner):
        made.broken = "another citation is inside its field"
    return made


class Marked:
    """The citations and comments of a Word file by number, the entries of its managers' own lists, and what is `lost`.

    An entry has its `manager` and its `text`. `lost` are rows of the report: what, text, and why.
    """

    def __init__(self, base: int) -> None:
        self.base = base
        self.fields: list[Field] = []
        self.comments: list[WordComment] = []
        self.entries: list[dict[str, str]] = []
        self.lost: list[dict[str, str]] = []

    def mark(self, kind: int, number: int) -> str:
        """Return the mark of a kind and number."""
        return mark(self.base, kind, number)

    def tell(self, what: str, why: str, text: str = "") -> None:
        """Add a row to what is lost."""
        self.lost.append({"what": what, "text": text, "where": "", "why": why})

    def add(self, found: Field) -> str:
        """Add a citation and return its mark."""
        self.fields.append(found)
        return self.mark(CITE, len(self.fields) - 1)


def load(*_: str) -> None:
    """Import nothing more: what is needed was imported with this module."""


def answered(file: IO[bytes]) -> dict[str, Any]:
    """Return the parts with marks, the citations and the comments of a Word file, as JSON values.

    `unread` are the parts that are damaged or too large, and `changes` how many words were inserted and deleted.
    """
    roots: dict[str, Any] = {}
    unread = []
    links = dict[str, dict[str, str]]()
    with ZipFile(BytesIO(file.read())) as archive:
        for one in archive.infolist():
            if found := _LINKS.fullmatch(one.filename):
                links[f"word/{found[1]}"] = _addresses(archive, one)
            is_comments = one.filename in ("word/comments.xml", "word/commentsExtended.xml")
            if is_comments or _BODY.fullmatch(one.filename) or _ASIDE.fullmatch(one.filename):
                try:
                    if one.file_size > _MOST_XML:
                        unread.append(one.filename)
                    else:
                        roots[one.filename] = parse_xml(archive.read(one).replace(_STRICT, _USUAL))
                except XMLSyntaxError:
                    unread.append(one.filename)
    signs = set().union(*(tostring(root, encoding="unicode") for root in roots.values()))
    marked = Marked(next(base for base in BASES if signs.isdisjoint(map(chr, range(base, base + LAST + 1)))))
    bodies = {path: root for path, root in roots.items() if _BODY.fullmatch(path)}
    marked.comments = read_comments(roots.get("word/comments.xml"), roots.get("word/commentsExtended.xml"))
    for path, root in bodies.items():
        _mark_part(marked, root, links.get(path, {}))
    _tell_lost(marked, roots)
    return {
        "base": marked.base,
        "parts": {path: serialize_part_xml(root).decode() for path, root in bodies.items()},
        "fields": [asdict(one) for one in marked.fields],
        "comments": [asdict(one) for one in marked.comments],
        "entries": marked.entries,
        "lost": marked.lost,
        "unread": unread,
        "changes": [sum(1 for root in bodies.values() for _ in root.iter(*tags)) for tags in (_INSERTED, _DELETED)],
    }


def _tell_lost(marked: Marked, roots: dict[str, Any]) -> None:
    """Tell which words of a Word file are not in its text."""
    aside = {(found[1], text_of(root)): None for path, root in roots.items() if (found := _ASIDE.fullmatch(path))}
    for kind, text in aside:
        if any(map(str.isalpha, text)):
            marked.tell(f"Words of a {kind}", "Scholium prints its own headers and footers.", " ".join(text.split()))
    if count := sum(1 for root in roots.values() for _ in root.iter(*_EMBEDDED)):
        noun = "object was" if count == 1 else "objects were"
        marked.tell(
            f"{count:,} embedded {noun} left out", "Charts, SmartArt and embedded documents are not read. Add pictures."
        )


def _addresses(archive: ZipFile, part: ZipInfo) -> dict[str, str]:
    """Return the addresses of the links of a part by their ids; nothing where the list is damaged."""
    if part.file_size > _MOST_XML:
        return {}
    try:
        return {one.get("Id", ""): one.get("Target", "") for one in parse_xml(archive.read(part))}
    except XMLSyntaxError:
        return {}


def _mark_part(marked: Marked, root: Any, links: dict[str, str]) -> None:
    """Replace the citation fields in a part by marks, and put marks at its comments. `links` are its addresses."""
    if moved := move_text_boxes(root):
        noun = "text box is" if moved == 1 else "text boxes are"
        marked.tell(
            f"{moved:,} {noun} in the text", "The words of a text box are put after the paragraph that it belongs to."
        )
    unwrap_words(root)
    _write_as_fields(root)
    scan = FieldScan(root)
    for one in scan.found:
        if list_manager_of(one.instruction):
            _mark_list(marked, one)
        elif one.is_citation and not is_inside_deleted(one.begin):
            _mark_field(marked, one)
    for node, near in scan.stray:
        _replace(node, marked.add(Field(manager_of(node.text or ""), near=near, broken=_NO_END)))
    _tell_unread(marked, root, scan, links)
    mark_comments(root, marked.comments, marked.mark)


def _tell_unread(marked: Marked, root: Any, scan: FieldScan, links: dict[str, str]) -> None:
    """Tell how many citations of a part stay plain text, and why."""
    fields = filter(None, (unread_manager_of(one.instruction) for one in scan.found))
    unread = Counter(f"Citations of {name} are not read." for name in fields)
    bookmarks = (one.get(qn("w:name")) or "" for one in root.iter(qn("w:bookmarkStart")))
    unread[_BOOKMARKS] = sum(name.startswith("ZOTERO_BREF") for name in bookmarks)
    unread[_UNFORMATTED] = unformatted_citations(root)
    addresses = (links.get(one.get(qn("r:id")) or "", "") for one in root.iter(qn("w:hyperlink")))
    unread.update(_LINKED.format(name=name) for name in map(linked_manager_of, addresses) if name)
    for why, count in unread.items():
        if count:
            marked.tell(f"{count:,} citation{'' if count == 1 else 's'} as plain text", why)


def _write_as_fields(root: Any) -> None:
    """Write simple fields, and the content controls of Mendeley Cite, as the fields that all others are."""
    for node in list(root.iter(qn("w:fldSimple"), qn("w:sdt"))):
        tag = node.find(f"{qn('w:sdtPr')}/{qn('w:tag')}")
        instruction = node.get(qn("w:instr")) if tag is None else f"ADDIN {tag.get(qn('w:val'))}"
        if not instruction or not (manager_of(instruction) or list_manager_of(instruction)):
            continue
        runs = [OxmlElement("w:r") for _ in range(4)]
        for run, kind in zip(runs, ("begin", "", "separate", "end"), strict=True):
            run.append(OxmlElement("w:fldChar" if kind else "w:instrText"))
            if kind:
                run[0].set(qn("w:fldCharType"), kind)
            else:
                run[0].text = instruction
        runs[0][0].extend(node.findall(qn("w:fldData")))
        if paragraphs := list(node.iter(P)):
            for run in reversed(runs[:3]):
                put_first(paragraphs[0], run)
            paragraphs[-1].append(runs[3])
        else:
            for run in runs[:3]:
                node.addprevious(run)
            node.addnext(runs[3])
        if tag is None:
            replace_by_children(node)


def _mark_field(marked: Marked, one: FieldCode) -> None:
    """Replace a citation field by its mark, or leave its visible text where it cannot be told apart."""
    found = _citation(one)
    run = one.begin.getparent()
    is_alone = sum(child.tag != RPR for child in run) == 1
    _replace(one.begin, marked.add(found))
    if found.broken:
        # Without its signs the text is read as any other; the mark only tells where it is.
        _remove(node for node in one.elements[1:] if node.tag not in (T, *SIGNS))
        return
    _remove([*one.elements[1:], *one.elements_inside()])
    if is_alone and (format := run.find(RPR)) is not None:
        run.remove(format)  # a superscript is made by the style of the thesis


def _mark_list(marked: Marked, one: FieldCode) -> None:
    """Put marks around each entry of a reference manager's own list, without the words before and after the list."""
    _remove(node for node in one.elements if node.tag not in (T, *SIGNS))
    words: dict[Any, list[Any]] = {}
    for node in one.elements if one.has_ended else ():
        if node.tag == T and (paragraph := next(node.iterancestors(P), None)) is not None:
            words.setdefault(paragraph, []).append(node)
    for paragraph, nodes in words.items():
        text = "".join(node.text or "" for node in nodes).strip()
        marked.entries.append({"manager": list_manager_of(one.instruction), "text": text})
        number = len(marked.entries) - 1
        _child_with(paragraph, nodes[0]).addprevious(run_of(marked.mark(LIST_BEGIN, number)))
        _child_with(paragraph, nodes[-1]).addnext(run_of(marked.mark(LIST_END, number)))


def _child_with(paragraph: Any, node: Any) -> Any:
    """Return the child of a paragraph that a node is in, so that a mark beside it is outside links and formats."""
    return next(one for one in node.iterancestors() if one.getparent() is paragraph)


def _replace(node: Any, text: str) -> None:
    node.getparent().replace(node, run_of(text)[-1])


def _remove(nodes: Iterable[Any]) -> None:
    for node in nodes:
        if (parent := node.getparent()) is not None:
            parent.remove(node)
