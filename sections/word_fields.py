"""Reading the fields of a Word file: instruction, data, visible text, also of nested and damaged ones (SPEC C10).

Never imports Django: it runs in the process that reads a Word file (`word_marks`).
"""

import re
from copy import deepcopy
from typing import Any

from docx.oxml import OxmlElement
from docx.oxml.ns import qn

T, P, PPR, RPR = (qn(f"w:{name}") for name in ("t", "p", "pPr", "rPr"))
SIGNS = {qn("w:br"): " ", qn("w:cr"): " ", qn("w:tab"): " ", qn("w:noBreakHyphen"): "-"}
_DEEPEST = 8  # fields around a text that it is counted for
_NEAR = 80  # characters before a field that tell its place
_UNREAD = {
    "CITATION ": "Word’s own list of sources",
    "ADDIN CITAVIPLACEHOLDER": "Citavi",
    "ADDIN RW.CITE": "RefWorks",
    "ADDIN PAPERS2_CITATIONS": "Papers",
    "ADDIN REFMGR.CITE": "Reference Manager",
}
# Citations in a file from Google Docs are links to the program that made them.
_LINKED = {
    "https://www.zotero.org/google-docs/": "Zotero",
    "https://paperpile.com/c/": "Paperpile",
    "https://sciwheel.com/work/citation": "Sciwheel",
}
_UNFORMATTED = re.compile(r"\{[^{}]{1,300}#\d+[^{}]{0,300}\}")


class FieldCode:
    """A field: its elements, its instruction, what it shows, and the fields `inner` to it.

    `in_result`: it stands in the visible text of the field around it. `near` are the words before it.
    """

    def __init__(self, begin: Any, near: str, around: "FieldCode | None" = None) -> None:
        self.begin, self.near = begin, near
        self.is_separated = self.has_ended = False
        self.in_result = bool(around and around.is_separated)
        self.elements = [begin]
        self.instructions: list[str] = []
        self.texts: list[str] = []
        self.inner: list[FieldCode] = []

    @property
    def instruction(self) -> str:
        """The instruction, which Word cuts into several runs."""
        return "".join(self.instructions).strip()

    @property
    def manager(self) -> str:
        """The program whose citation this is (`manager_of`)."""
        return manager_of(self.instruction)

    @property
    def is_citation(self) -> bool:
        """Whether it is a citation that can be read."""
        return self.manager not in ("", "data")

    @property
    def data(self) -> list[str]:
        """The base64 data that EndNote stores beside a long instruction, here or in a field of its own."""
        hidden = [data for inner in self.inner if not inner.in_result for data in inner.data]
        return [*(one.text or "" for one in self.begin.iter(qn("w:fldData"))), *hidden]

    def elements_inside(self) -> list[Any]:
        """Return the elements of all fields inside this one."""
        found, waiting = [], list(self.inner)
        while waiting:
            one = waiting.pop()
            found += one.elements
            waiting += one.inner
        return found


def manager_of(instruction: str) -> str:
    """Return zotero, mendeley, mendeley-cite or endnote for a citation, and "data" for data of EndNote.

    Empty for any other field.
    """
    words = instruction.upper().split(maxsplit=2)
    if words[:1] != ["ADDIN"] or len(words) < 2 or list_manager_of(instruction):
        return ""
    name = words[1].partition("{")[0]
    known = {"ZOTERO_ITEM": "zotero", "CSL_CITATION": "mendeley", "EN.CITE": "endnote", "EN.CITE.DATA": "data"}
    known["MENDELEY"] = "mendeley"
    return known.get(name, "mendeley-cite" if name.startswith("MENDELEY_CITATION") else "")


def list_manager_of(instruction: str) -> str:
    """Return the program that made a list of references; empty for any other field."""
    begins = re.match(r"ADDIN\s+(ZOTERO_BIBL|EN\.REFLIST|MENDELEY_BIBLIOGRAPHY)", instruction, re.IGNORECASE)
    names = {"ZOTERO_BIBL": "zotero", "EN.REFLIST": "endnote", "MENDELEY_BIBLIOGRAPHY": "mendeley-cite"}
    return names[begins[1].upper()] if begins else "mendeley" if instruction.endswith("CSL_BIBLIOGRAPHY") else ""


def unread_manager_of(instruction: str) -> str:
    """Return the program whose citations nothing here reads; empty for any other field."""
    return next((name for begin, name in _UNREAD.items() if instruction.upper().startswith(begin)), "")


def linked_manager_of(address: str) -> str:
    """Return the program that has a citation at this address of a link; empty for any other."""
    return next((name for begin, name in _LINKED.items() if address.lower().startswith(begin)), "")


def unformatted_citations(root: Any) -> int:
    """Return the number of EndNote citations in a part that are text such as {Menon, 2019 #12}."""
    return sum(len(_UNFORMATTED.findall(text)) for one in root.iter(P) if "#" in (text := text_of(one)))


def text_of(node: Any) -> str:
    """Return the visible text in an element."""
    return "".join((one.text or "") if one.tag == T else SIGNS[one.tag] for one in node.iter(T, *SIGNS))


def is_deleted(node: Any) -> bool:
    """Return whether an element holds tracked deletions."""
    return node.tag in (qn("w:del"), qn("w:moveFrom"))


def is_inside_deleted(node: Any) -> bool:
    """Return whether an element is in tracked deletions."""
    return any(map(is_deleted, node.iterancestors()))


def run_of(text: str, format: Any = None) -> Any:
    """Return a new run with these words."""
    run, words = OxmlElement("w:r"), OxmlElement("w:t")
    words.text = text
    run.extend([words] if format is None else [deepcopy(format), words])
    return run


def put_first(paragraph: Any, run: Any) -> None:
    """Put a run at the beginning of a paragraph."""
    paragraph.insert(1 if len(paragraph) and paragraph[0].tag == PPR else 0, run)


class FieldScan:
    """All fields of a part of a Word file (`found`, in their order), read in one pass.

    `stray` are instructions outside a field, with the words before them.
    """

    def __init__(self, root: Any) -> None:
        self.found: list[FieldCode] = []
        self.stray: list[tuple[Any, str]] = []
        self._open: list[FieldCode] = []
        self._near: list[str] = []
        for node in root.iter(P, T, *SIGNS, qn("w:fldChar"), qn("w:instrText")):
            self._read(node)

    def _read(self, node: Any) -> None:
        if node.tag == P:
            self._near = []
            # A citation is within one paragraph: what goes on into the next has lost its end.
            self._open = [one for one in self._open if not one.manager]
        elif node.tag == qn("w:fldChar"):
            self._read_sign(node, node.get(qn("w:fldCharType")))
        elif node.tag == qn("w:instrText"):
            self._read_instruction(node)
        else:
            text = (node.text or "") if node.tag == T else SIGNS[node.tag]
            self._near.append(text)
            for one in self._open[-_DEEPEST:]:
                if one.is_separated:
                    one.elements.append(node)
                    one.texts.append(text)

    def _read_sign(self, node: Any, kind: str | None) -> None:
        if kind == "begin":
            around = self._open[-1] if self._open else None
            one = FieldCode(node, self._words(), around)
            if around:
                around.inner.append(one)
            self._open.append(one)
            self.found.append(one)
        elif self._open:
            one = self._open[-1]
            one.elements.append(node)
            if kind == "separate":
                one.is_separated = True
            else:
                self._open.pop().has_ended = True

    def _read_instruction(self, node: Any) -> None:
        if self._open:
            self._open[-1].elements.append(node)
            self._open[-1].instructions.append(node.text or "")
        elif manager_of(node.text or "") not in ("", "data"):
            self.stray.append((node, self._words()))

    def _words(self) -> str:
        return "".join(self._near)[-_NEAR:]
