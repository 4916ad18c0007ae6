"""A chapter's numbered pandoc tree converted to data for the Typst template (thesis.typ), which defines its layout.

Pure: no database, no files.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from unicodedata import bidirectional

from thesis.pandoc_ast.float_marks import NOTES
from thesis.pandoc_ast.nodes import Node, captioned, is_displayed, split_at_formulas
from thesis.pandoc_ast.normalise import PLAIN
from thesis.pandoc_ast.numbers import Numbers
from thesis.pandoc_ast.references import PAGE, PAGE_WORDS, Reference
from thesis.pandoc_ast.unread import SAID
from thesis.preview.citations import Cited, Inline
from thesis.preview.formulas import Formula

MOST_CELLS = 6_000  # of one table
DEEPEST = 12  # levels of nested blocks: LaTeX itself allows six nested lists, Typst fails at 15
_LONGEST_SOURCE = 4_000  # characters of a formula that is shown as source
_DRAWN = "This figure is drawn by LaTeX. Build the PDF to see it."
_MARKS = {
    "Emph": "e", "Strong": "b", "Superscript": "sup", "Subscript": "sub", "SmallCaps": "sc", "Underline": "u",
    "Strikeout": "s",
}  # fmt: skip
_NOTES = {NOTES, "tablenotes"}
_ALIGN = {"AlignLeft": "l", "AlignRight": "r", "AlignCenter": "c", "AlignDefault": "l"}


class Shown(NamedTuple):
    """A picture: its path in the text, and its width as a part of the line (0.8) or in points; 0: its own width."""

    path: str
    part: float
    points: float


@dataclass
class ChapterConverter:
    """Converts blocks that `numbers` has counted. `cite` returns the inlines of a citation.

    `formulas` has the formulas for Typst. What can only be resolved later is collected: `pictures`, whose files are not
    read here, and `refs`, whose targets may be in a chapter that is not shown.
    """

    numbers: Numbers
    cite: Callable[[Cited], list[Inline]]
    formulas: Mapping[Formula, str]
    pictures: list[tuple[Node, Shown]] = field(default_factory=list)
    refs: list[Node] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)  # names of link targets on the pages
    lost: dict[str, None] = field(default_factory=dict)  # unknown labels
    notes: list[str] = field(default_factory=list)
    depth: int = 0  # of the nested blocks that are being converted

    def blocks(self, nodes: list[Node]) -> list[Node]:
        """Return the data of blocks, without unknown kinds. Raises RecursionError when they are nested too deeply."""
        if self.depth == DEEPEST:
            raise RecursionError
        self.depth += 1
        try:
            return [made for node in nodes if (make := _BLOCKS.get(node["t"])) for made in make(self, node)]
        finally:
            self.depth -= 1

    def settle(self) -> None:
        """Remove the links to targets that are on no page. Call it after all chapters are converted."""
        for ref in self.refs:
            if ref["to"] not in self.anchors:
                ref["to"] = ""
                ref["c"] = ref["c"] or f"{ref.get('word', '')}{PAGE_WORDS}"

    def _anchor(self, node: Node) -> str:
        name: str = node.get("bookmark", "")
        self.anchors.add(name)
        return name

    def _ordered(self, node: Node) -> list[Node]:
        (start, *_), items = node["c"]
        made = {"k": "ol", "n": start if 0 <= start < 100_000 else 1, "c": [self.blocks(item) for item in items]}
        return [{**made, "marks": node["marks"]} if "marks" in node else made]

    def _bullets(self, node: Node) -> list[Node]:
        made = {"k": "ul", "c": [self.blocks(item) for item in node["c"]]}
        return [{**made, "marks": node["marks"]} if "marks" in node else made]

    def _terms(self, node: Node) -> list[Node]:
        return [
            {
                "k": "dl",
                "c": [{"t": self.inlines(term), "c": [self.blocks(one) for one in all_]} for term, all_ in node["c"]],
            }
        ]

    def _quote(self, node: Node) -> list[Node]:
        return [{"k": "quote", "c": self.blocks(node["c"])}]

    def _code(self, node: Node) -> list[Node]:
        made = {"k": "code", "c": node["c"][1][:200_000]}
        if said := dict(node["c"][0][2]).get(SAID):
            return [{"k": "note-box", "c": said}, made]
        if "number" not in node:
            return [made]
        caption = [dict(node["c"][0][2])["caption"]]
        lead = f"Listing {node['number']}:"
        return [{"k": "fig", "id": self._anchor(node), "lead": lead, "cap": caption, "other": True, "c": [made]}]

    def _lines(self, node: Node) -> list[Node]:
        return [{"k": "p", "c": self.inlines(line)} for line in node["c"]]

    def _rule(self, node: Node) -> list[Node]:
        return [{"k": "rule"}]

    def _paragraph(self, node: Node) -> list[Node]:
        """Return a paragraph, split at its displayed formulas, which are blocks of their own."""
        return [
            made
            for part in split_at_formulas(node["c"])
            for made in ([self._equation(part[0])] if part and is_displayed(part[0]) else self._line(part))
        ]

    def _line(self, inlines: list[Node]) -> list[Node]:
        content = self.inlines(inlines)
        if not any(not isinstance(one, str) or one.strip() for one in content):
            return []
        made = {"k": "p", "c": content}
        return [{**made, "rtl": True} if _is_right_to_left(content) else made]

    def _heading(self, node: Node) -> list[Node]:
        level, (_, classes, _), inlines = node["c"]
        word = "Part" if "part" in classes else "Chapter" if level == 1 and self.numbers.has_chapters else ""
        word = "Appendix" if word == "Chapter" and node.get("lettered") else word
        made = {"k": "h", "l": min(level, 6), "n": node.get("number", ""), "id": self._anchor(node)}
        return [{**made, "word": word, "c": self.inlines(inlines)}]

    def _figure(self, node: Node) -> list[Node]:
        _, caption, blocks = node["c"]
        inside = self.blocks(blocks) or [{"k": "note-box", "c": _DRAWN}]
        word = node.get("kind", "figure").capitalize()
        return [{"k": "fig", "id": self._anchor(node), **self._caption(node, word, caption), "c": inside}]

    def _caption(self, node: Node, word: str, caption: list[Any]) -> Node:
        shown = self.inlines(captioned(caption))
        if shown and isinstance(shown[0], str):
            shown[0] = shown[0].removeprefix(PLAIN)
        number = node.get("number", "")
        lead = number if node.get("part") else f"{word} {number}:" if number else ""
        return {"lead": lead, "cap": shown, **({"other": True} if node.get("other_side") else {})}

    def _div(self, node: Node) -> list[Node]:
        (_, classes, _), blocks = node["c"]
        made = self.blocks(blocks)
        if made and _NOTES.intersection(classes):
            return [{"k": "small", "c": made}]
        if "bookmark" in node:
            return [{"k": "theorem", "id": self._anchor(node), "c": made}]
        return [{"k": "centre", "c": made}] if "center" in classes else made

    def _table(self, node: Node) -> list[Node]:
        _, caption, columns, head, bodies, foot = node["c"]
        left = MOST_CELLS
        parts: list[list[Any]] = []
        for rows in (head[1], [row for body in bodies for row in (*body[2], *body[3])], foot[1]):
            taken = rows[: max(left // max(len(columns), 1), 0)]
            left -= len(taken) * len(columns)
            parts.append([[self._cell(cell, len(columns)) for cell in row[1]] for row in taken])
        if left < len(columns):
            self.notes.append(f"a table has more than {MOST_CELLS:,} cells; only its first rows are shown")
        widths = [width.get("c", 0) if width["t"] == "ColWidth" else 0 for _, width in columns]
        shape = {
            "w": [round(min(max(width, 0), 1), 3) for width in widths],
            "a": [_ALIGN[one["t"]] for one, _ in columns],
        }
        made = {"k": "tab", "id": self._anchor(node), **self._caption(node, "Table", caption)}
        rules = [(row, rule.first, rule.last) for row, all_ in node.get("rules", {}).items() for rule in all_]
        if rules:
            made["rules"] = [one for one in rules if one[0] < sum(map(len, parts))]
        return [{**made, "cols": shape, "head": parts[0], "body": parts[1] + parts[2]}]

    def _cell(self, cell: list[Any], columns: int) -> Node:
        _, align, down, across, blocks = cell
        made: Node = {"c": self.blocks(blocks)}
        if align["t"] != "AlignDefault":
            made["a"] = _ALIGN[align["t"]]
        if across > 1:
            made["x"] = min(across, columns)
        if down > 1:
            made["y"] = min(down, 500)
        return made

    def _equation(self, node: Node) -> Node:
        kind, tex, number = self.numbers.formula(node)
        return {"k": "eq", "n": number, "id": self._anchor(node), **self._formula(node)}

    def _formula(self, node: Node) -> Node:
        kind, tex, _ = self.numbers.formula(node)
        formula, source = (kind, tex), node["c"][1].strip()
        shown = source if len(source) <= _LONGEST_SOURCE else f"{source[:_LONGEST_SOURCE]} …"
        return {"m": self.formulas.get(formula, ""), "src": shown}

    # Inlines

    def inlines(self, nodes: list[Node]) -> list[Inline]:
        """Return the data of inlines, leaving out unknown kinds."""
        made: list[Inline] = []
        for node in nodes:
            make = _INLINES.get(node["t"])
            for one in make(self, node) if make else ():
                if isinstance(one, str) and made and isinstance(made[-1], str):
                    made[-1] += one
                else:
                    made.append(one)
        return made

    def _words(self, node: Node) -> list[Inline]:
        return [str(node["c"])]

    def _space(self, node: Node) -> list[Inline]:
        return [" "]

    def _break(self, node: Node) -> list[Inline]:
        return [{"k": "br"}]

    def _marked(self, node: Node) -> list[Inline]:
        return [{"k": _MARKS[node["t"]], "c": self.inlines(node["c"])}]

    def _maths(self, node: Node) -> list[Inline]:
        return [{"k": "m", **self._formula(node)}]

    def _inline_code(self, node: Node) -> list[Inline]:
        return [{"k": "code", "c": node["c"][1]}]

    def _quoted(self, node: Node) -> list[Inline]:
        kind, inside = node["c"]
        opened, closed = ("‘", "’") if kind["t"] == "SingleQuote" else ("“", "”")
        return [opened, *self.inlines(inside), closed]

    def _note(self, node: Node) -> list[Inline]:
        return [{"k": "note", "c": self.blocks(node["c"])}]

    def _span(self, node: Node) -> list[Inline]:
        inside = self.inlines(node["c"][1])
        return [{"k": "at", "id": self._anchor(node)}, *inside] if node.get("bookmark") else inside

    def _link(self, node: Node) -> list[Inline]:
        (_, _, pairs), inlines, (address, _) = node["c"]
        asked = dict(pairs)
        if "reference" in asked:
            how = asked.get("reference-type", "ref")
            return [
                part if isinstance(part, str) else self._reference(part)
                for part in self.numbers.references(asked["reference"], how)
            ]
        inside = self.inlines(inlines)
        if address.startswith(("http://", "https://", "mailto:")) and len(address) < 2_000:
            return [{"k": "url", "to": address, "c": inside}]
        target = self.numbers.labels.get(address[1:]) if address.startswith("#") else None
        return [self._ref(inside, target.bookmark)] if target else [{"k": "u", "c": inside}]

    def _reference(self, found: Reference) -> Inline:
        target = found.target
        if target is None or found.is_lost:
            self.lost.setdefault(found.label)
            return self._ref("??", "")
        before = f"{found.word}\u00a0" if found.word else ""
        if found.asks == PAGE:
            page = self._ref("", target.bookmark)
            page.update(page=True, word=before)
            return page
        return self._ref(f"{before}{found.shown}", target.bookmark)

    def _ref(self, shown: str | list[Inline], anchor: str) -> Node:
        self.refs.append(made := {"k": "ref", "to": anchor, "c": shown})
        return made

    def _image(self, node: Node) -> list[Inline]:
        (_, _, pairs), _, (path, _) = node["c"]
        self.pictures.append((made := {"k": "img"}, Shown(path, *_width(dict(pairs).get("width", "")))))
        return [made]

    def _cite(self, node: Node) -> list[Inline]:
        citations, raw = node["c"]
        if not citations:
            return [{"k": "lost", "c": ""}]  # \cite{}, while somebody is typing
        command = re.match(r"\\([A-Za-z]+)", raw[0]["c"][1] if raw and raw[0]["t"] == "RawInline" else "")
        name = command[1] if command else "cite"
        if name == "cite" and citations[0]["citationMode"]["t"] == "AuthorInText":
            name = "citet"
        before, after = self.inlines(citations[0]["citationPrefix"]), self.inlines(citations[-1]["citationSuffix"])
        return [
            {"k": "cite", "c": self.cite(Cited(name, tuple(one["citationId"] for one in citations), before, after))}
        ]


def _is_right_to_left(content: list[Inline]) -> bool:
    """Return whether the first letter of a paragraph is one of Arabic or Hebrew, as browsers decide for dir=auto."""
    words = "".join(one for one in content if isinstance(one, str))
    sides = (bidirectional(letter) for letter in words)
    return next((side for side in sides if side in ("L", "R", "AL")), "L") != "L"


_BLOCKS: dict[str, Callable[[ChapterConverter, Node], list[Node]]] = {
    "Para": ChapterConverter._paragraph,
    "Plain": ChapterConverter._paragraph,
    "Header": ChapterConverter._heading,
    "Figure": ChapterConverter._figure,
    "Table": ChapterConverter._table,
    "Div": ChapterConverter._div,
    "BlockQuote": ChapterConverter._quote,
    "BulletList": ChapterConverter._bullets,
    "OrderedList": ChapterConverter._ordered,
    "DefinitionList": ChapterConverter._terms,
    "CodeBlock": ChapterConverter._code,
    "LineBlock": ChapterConverter._lines,
    "HorizontalRule": ChapterConverter._rule,
}
_INLINES: dict[str, Callable[[ChapterConverter, Node], list[Inline]]] = {
    "Str": ChapterConverter._words,
    "Space": ChapterConverter._space,
    "SoftBreak": ChapterConverter._space,
    "LineBreak": ChapterConverter._break,
    "Math": ChapterConverter._maths,
    "Code": ChapterConverter._inline_code,
    "Quoted": ChapterConverter._quoted,
    "Cite": ChapterConverter._cite,
    "Note": ChapterConverter._note,
    "Link": ChapterConverter._link,
    "Image": ChapterConverter._image,
    "Span": ChapterConverter._span,
    **dict.fromkeys(_MARKS, ChapterConverter._marked),
}


def formulas_of(numbers: Numbers) -> list[Formula]:
    """Return all formulas that `numbers` has counted, for the converters."""
    return [numbers.formula(node)[:2] for node in numbers.formulas]


def _width(text: str) -> tuple[float, float]:
    found = re.fullmatch(r"(?![\d.]{9})(\d+\.?\d*|\.\d+)\s*(%|cm|mm|in|pt|px|em|ex)", text.strip())
    if not found:
        return 0, 0
    number = float(found[1])
    if found[2] == "%":
        return min(max(number / 100, 0.02), 1), 0
    unit = {"cm": 28.35, "mm": 2.835, "in": 72, "pt": 1, "px": 0.75, "em": 12, "ex": 6}[found[2]]
    return 0, min(max(number * unit, 4), 1_000)
