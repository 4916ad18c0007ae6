"""Finding the citation fields and comments of a Word file, and marking their places (SPEC T2, C10).

Reference managers store a citation as a field (ADDIN ZOTERO_ITEM, ADDIN CSL_CITATION, ADDIN EN.CITE) or as a content
control (Mendeley Cite), with the data of its works in it. Each is replaced by a mark of private characters, and so are
the ends of a comment: pandoc passes them on, so that the place in the LaTeX is exact. A field that cannot be told apart
keeps its visible text. This module runs in a process of its own and never imports Django.
"""

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from io import BytesIO
from typing import IO, Any
from zipfile import ZipFile

from docx.opc.oxml import serialize_part_xml
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import qn

from sections.word_citation_data import BrokenCitation, read_citation_data
from sections.word_fields import SIGNS, FieldCode, FieldScan, P, T, manager_of, text_of
from sections.word_mark_signs import BASES, BEGIN, CITE, END, LAST, LIST_BEGIN, LIST_END, mark

PARTS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")
_MOST_XML = 25 * 1024 * 1024  # bytes of a part that is searched
_MOST_DATA = 1_000_000  # characters of the data of one citation
_MOST_SHOWN = 2_000  # characters of the text of a citation that are told
_MOST = 5_000  # fields, and comments
_NO_END = "its field is damaged: it has no beginning or no end"

_W15 = "{http://schemas.microsoft.com/office/word/2012/wordml}"
_W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_R, _PPR, _RPR = (qn(f"w:{name}") for name in ("r", "pPr", "rPr"))
_DELETED = {qn("w:del"), qn("w:moveFrom")}


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


def _citation(manager: str, instruction: str, more: list[str], shown: str, near: str = "") -> Field:
    """Return a citation with its data, or with the reason why they cannot be read."""
    made = Field(manager, shown=shown[:_MOST_SHOWN], near=near)
    try:
        if len(instruction) + sum(map(len, more)) > _MOST_DATA:
            raise BrokenCitation("its data are too long")
        made.data = read_citation_data(manager, instruction, more)
    except BrokenCitation as broken:
        made.broken = str(broken)
    return made


@dataclass
class WordComment:
    """A comment or an answer. `to` is the number of the comment that it answers."""

    author: str
    date: str
    text: str
    done: bool = False
    to: int | None = None


class Marked:
    """The parts of a Word file with marks, its citations by number, its comments, and its managers' own lists."""

    def __init__(self, base: int) -> None:
        self.base = base
        self.fields: list[Field] = []
        self.comments: list[WordComment] = []
        self.lists: list[str] = []  # the managers whose lists of references were found
        self.unread: dict[str, int] = {}
        self.ids: dict[str, int] = {}

    def mark(self, kind: int, number: int) -> str:
        """Return the mark of a kind and number."""
        return mark(self.base, kind, number)

    def count_unread(self, kind: str, count: int) -> None:
        """Count citations of a kind that nothing here reads."""
        if count:
            self.unread[kind] = self.unread.get(kind, 0) + count

    def add(self, found: Field) -> str:
        """Add a citation and return its mark."""
        self.fields.append(found)
        return self.mark(CITE, len(self.fields) - 1)


def load(*_: str) -> None:
    """Import nothing more: what is needed was imported with this module."""


def answered(file: IO[bytes]) -> dict[str, Any]:
    """Return the parts with marks, the citations and the comments of a Word file, as JSON values."""
    with ZipFile(BytesIO(file.read())) as archive:
        sizes = {one.filename: one.file_size for one in archive.infolist()}
        texts = {path: archive.read(path) for path in PARTS if 0 < sizes.get(path, 0) <= _MOST_XML}
        if "word/document.xml" not in texts:
            return {"too_large": True}
        others = {
            name: archive.read(f"word/{name}.xml")
            for name in ("comments", "commentsExtended")
            if 0 < sizes.get(f"word/{name}.xml", 0) <= _MOST_XML
        }
    words = {path: text.decode("utf-8", "replace") for path, text in texts.items()}
    free = (
        base for base in BASES if not any(chr(base + n) in text for text in words.values() for n in range(LAST + 1))
    )
    marked = Marked(next(free))
    _read_comments(marked, others)
    parts = {}
    for path, text in texts.items():
        root = parse_xml(text)
        _mark_controls(marked, root)
        _mark_fields(marked, root)
        _mark_comments(marked, root)
        parts[path] = serialize_part_xml(root).decode()
    return {
        "base": marked.base,
        "parts": parts,
        "fields": [asdict(one) for one in marked.fields],
        "comments": [asdict(one) for one in marked.comments],
        "lists": marked.lists,
        "unread": marked.unread,
    }


def _mark_fields(marked: Marked, root: Any) -> None:
    """Replace the citation fields in a part by marks."""
    for simple in list(root.iter(qn("w:fldSimple"))):
        _mark_simple(marked, simple)
    fields = FieldScan(root)
    for node, near in fields.stray:
        _replace(node, marked.add(Field(manager_of(node.text or ""), near=near, broken=_NO_END)))
    marked.count_unread("word", sum(one.instruction.upper().startswith("CITATION ") for one in fields.found))
    for one in fields.found:
        if one.manager == "list":
            _mark_list(marked, one)
        elif one.manager not in ("", "data") and not _is_deleted(one.begin) and len(marked.fields) < _MOST:
            _mark_field(marked, one)


def _mark_field(marked: Marked, one: FieldCode) -> None:
    """Replace a citation field by its mark, or leave its visible text where it cannot be told apart."""
    found = _citation(one.manager, one.instruction, one.data, "".join(one.texts), one.near)
    if not one.has_ended:
        found.broken = _NO_END
    elif any(inner.manager not in ("", "data") for inner in one.inner):
        found.broken = "another citation is inside its field"
    run = one.begin.getparent()
    is_alone = sum(child.tag != _RPR for child in run) == 1
    _replace(one.begin, marked.add(found))
    if found.broken:
        # Without its signs the text is read as any other; the mark only tells where it is.
        _remove(node for node in one.elements[1:] if node.tag not in (T, *SIGNS))
        return
    _remove([*one.elements[1:], *one.elements_inside()])
    if is_alone and (format := run.find(_RPR)) is not None:
        run.remove(format)  # a superscript is made by the style of the thesis


def _mark_simple(marked: Marked, simple: Any) -> None:
    """Replace a citation in a simple field (w:fldSimple) by its mark."""
    instruction = simple.get(qn("w:instr")) or ""
    manager = manager_of(instruction)
    if manager in ("", "list", "data") or _is_deleted(simple) or len(marked.fields) >= _MOST:
        return
    data = [one.text or "" for one in simple.iter(qn("w:fldData"))]
    found = _citation(manager, instruction, data, text_of(simple))
    _put_run(simple, marked.add(found))
    if not found.broken:
        _remove([simple])


def _mark_controls(marked: Marked, root: Any) -> None:
    """Replace the content controls of Mendeley Cite by marks, and count citations that nothing here can read."""
    for control in list(root.iter(qn("w:sdt"))):
        tag = control.find(f"{qn('w:sdtPr')}/{qn('w:tag')}")
        name = (tag.get(qn("w:val")) or "") if tag is not None else ""
        if name.startswith("MENDELEY_CITATION") and not _is_deleted(control) and len(marked.fields) < _MOST:
            found = _citation("mendeley-cite", name, [], text_of(control))
            _mark_control(control, marked.add(found), keeps_text=bool(found.broken))
        elif name.startswith("MENDELEY_BIBLIOGRAPHY"):
            _mark_paragraphs(marked, "mendeley-cite", list(control.iter(P)))
    names = (one.get(qn("w:name")) or "" for one in root.iter(qn("w:bookmarkStart")))
    marked.count_unread("zotero-bookmarks", sum(name.startswith("ZOTERO_BREF") for name in names))


def _mark_control(control: Any, text: str, *, keeps_text: bool) -> None:
    """Put a mark in the place of a content control: one among words, or one that is a paragraph of its own."""
    paragraphs = list(control.iter(P))
    if not paragraphs:
        _put_run(control, text)
        if not keeps_text:
            _remove([control])
        return
    if keeps_text:
        _put_first(paragraphs[0], text)
        return
    _remove([child for one in paragraphs for child in one if child.tag != _PPR])
    _remove(paragraphs[1:])
    paragraphs[0].append(_run(text))


def _mark_list(marked: Marked, one: FieldCode) -> None:
    """Mark the paragraphs of a reference manager's own list: the import leaves them out."""
    instruction = one.instruction
    paragraphs = {next(node.iterancestors(P), None): None for node in one.elements if node.tag == T}
    _remove(node for node in one.elements if node.tag not in (T, *SIGNS))
    if one.has_ended:
        name = "zotero" if "ZOTERO" in instruction else "endnote" if "EN." in instruction else "mendeley"
        _mark_paragraphs(marked, name, [found for found in paragraphs if found is not None])


def _mark_paragraphs(marked: Marked, name: str, paragraphs: list[Any]) -> None:
    """Put marks around the paragraphs that are the list of references of the manager `name`."""
    if paragraphs:
        marked.lists.append(name)
        number = len(marked.lists) - 1
        _put_first(paragraphs[0], marked.mark(LIST_BEGIN, number))
        paragraphs[-1].append(_run(marked.mark(LIST_END, number)))


def _read_comments(marked: Marked, others: dict[str, bytes]) -> None:
    """Read the comments, who answered whom, and which are resolved."""
    if "comments" not in others:
        return
    extended = parse_xml(others["commentsExtended"]) if "commentsExtended" in others else ()
    about = {one.get(f"{_W15}paraId"): one for one in extended}
    by_paragraph: dict[str, int] = {}
    for number, row in enumerate(list(parse_xml(others["comments"]).iter(qn("w:comment")))[:_MOST]):
        paragraphs = list(row.iter(P))
        text = "\n".join(text_of(one) for one in paragraphs).strip()
        made = WordComment(row.get(qn("w:author")) or "", row.get(qn("w:date")) or "", text)
        last = paragraphs[-1].get(f"{_W14}paraId") if paragraphs else None
        if last is not None:
            by_paragraph[last] = number
        if (known := about.get(last)) is not None and last is not None:
            made.done = known.get(f"{_W15}done") in ("1", "true")
            made.to = by_paragraph.get(known.get(f"{_W15}paraIdParent") or "")
        marked.ids[row.get(qn("w:id")) or ""] = number
        marked.comments.append(made)


def _mark_comments(marked: Marked, root: Any) -> None:
    """Put marks at both ends of the words of each comment; at its reference where it has no range."""
    names = {qn("w:commentRangeStart"): BEGIN, qn("w:commentRangeEnd"): END}
    ranged = {one.get(qn("w:id")) for one in root.iter(qn("w:commentRangeStart"))}
    for node in list(root.iter(*names, qn("w:commentReference"))):
        number = marked.ids.get(node.get(qn("w:id")) or "")
        if number is None:
            continue
        if node.tag == qn("w:commentReference"):
            if node.get(qn("w:id")) not in ranged:
                _put_run(node.getparent(), marked.mark(BEGIN, number) + marked.mark(END, number))
            continue
        kind = names[node.tag]
        text = marked.mark(kind, number)
        if next(node.iterancestors(P), None) is not None:
            _put_run(node, text, _neighbour(node, kind))
        elif kind == BEGIN and (after := _paragraphs(node.itersiblings())):
            _put_first(after[0], text)
        elif before := _paragraphs(node.itersiblings(preceding=True)):
            before[-1].append(_run(text))


def _paragraphs(siblings: Iterable[Any]) -> list[Any]:
    """Return the paragraphs in the first of `siblings` that has any."""
    return next((found for one in siblings if (found := list(one.iter(P)))), [])


def _neighbour(node: Any, kind: int) -> Any:
    """Return the format of the run that the mark belongs to, so that bold words stay one."""
    beside = node.itersiblings(_R) if kind == BEGIN else node.itersiblings(_R, preceding=True)
    run = next(iter(beside), None)
    return run.find(_RPR) if run is not None else None


def _is_deleted(node: Any) -> bool:
    return any(one.tag in _DELETED for one in node.iterancestors())


def _run(text: str, format: Any = None) -> Any:
    run, words = OxmlElement("w:r"), OxmlElement("w:t")
    words.text = text
    if format is not None:
        run.append(deepcopy(format))
    run.append(words)
    return run


def _put_run(before: Any, text: str, format: Any = None) -> None:
    before.addprevious(_run(text, format))


def _put_first(paragraph: Any, text: str) -> None:
    place = 1 if len(paragraph) and paragraph[0].tag == _PPR else 0
    paragraph.insert(place, _run(text))


def _replace(node: Any, text: str) -> None:
    words = OxmlElement("w:t")
    words.text = text
    node.getparent().replace(node, words)


def _remove(nodes: Iterable[Any]) -> None:
    for node in nodes:
        if (parent := node.getparent()) is not None:
            parent.remove(node)
