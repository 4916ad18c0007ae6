"""pandoc's tree of a chapter, made small: what the page shows by itself, and apart from it all that depends on the
rest of the thesis, by its place in a list: numbers, references, citations, pictures, formulas.

Pure. What comes out is data; the template (thesis.typ) decides what each kind of it looks like.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from latex.numbering import moves_counters
from thesis.preview.formulas import BETWEEN
from thesis.preview.maths import maths_of
from thesis.preview.tree import Anchor, Cited, Inline, Node, Numbered, Read, Shown

MOST_CELLS = 6_000  # of one table
_LONGEST_SOURCE = 4_000  # characters of a command or environment that is shown as it stands
_MARKS = {
    "Emph": "e", "Strong": "b", "Superscript": "sup", "Subscript": "sub", "SmallCaps": "sc", "Underline": "u",
    "Strikeout": "s",
}  # fmt: skip
_ALIGN = {"AlignLeft": "l", "AlignRight": "r", "AlignCenter": "c", "AlignDefault": "l"}
_LABEL = re.compile(r"\\label\s*\{([^{}]*)\}")
_REFERS = re.compile(r"\\(ref|eqref|pageref|autoref|cref|Cref|vref|nameref|subref|Autoref|labelcref)\*?\s*\{([^{}]*)\}")
_SILENT = re.compile(
    r"\\(?:centering|raggedright|newpage|clearpage|cleardoublepage|pagebreak|linebreak|noindent|indent|vspace\*?|hspace\*?"
    r"|vfill|hfill|smallskip|medskip|bigskip|maketitle|tableofcontents|listoffigures|listoftables|appendix|frontmatter"
    r"|mainmatter|backmatter|small|footnotesize|scriptsize|normalsize|large|Large|onehalfspacing|doublespacing"
    r"|singlespacing|setlength|addtolength|setcounter|addtocounter|pagestyle|thispagestyle|pagenumbering|addcontentsline"
    r"|phantomsection|bibliographystyle|bibliography|printbibliography|nocite|label|toprule|midrule|bottomrule|hline"
    r"|FloatBarrier|sloppy|fussy|selectlanguage|renewcommand|newcommand|protect|markboth|markright|index|glsresetall"
    r"|printglossary|printglossaries|par|relax|leavevmode|allowbreak|nobreak|nopagebreak|arraystretch|caption\*?|hypersetup"
    r"|captionsetup|graphicspath|usepackage|documentclass|newlength|newcounter|makeatletter|makeatother|rule|strut"
    r"|begingroup|endgroup|parindent|parskip|tabcolsep|singlespace|today)(?![A-Za-z])"
)
_ROWS = re.compile(r"\\begin\{(equation|align|gather|multline|eqnarray|flalign|alignat)\}")
_INNER = re.compile(r"\\begin\{(?!align\}|gather\}|equation\}|eqnarray\}|flalign\})(\w+\*?)\}.*?\\end\{\1\}", re.DOTALL)


def condensed(blocks: list[Node]) -> Read:
    """What stands in the tree `blocks`, in which a chapter's heading has level 2."""
    read = Read()
    made = _Condensing(read).blocks(blocks)
    read.blocks = json.dumps(made, ensure_ascii=False, separators=(",", ":"))
    return read


class _Condensing:
    def __init__(self, read: Read) -> None:
        self.read = read

    def blocks(self, nodes: list[Node]) -> list[Node]:
        return [made for node in nodes for made in self.block(node)]

    def block(self, node: Node) -> list[Node]:
        """What stands for a block; nothing for a kind that is not known."""
        known: dict[str, Callable[[Any], list[Node]]] = {
            "Para": self.paragraph,
            "Plain": self.paragraph,
            "Header": lambda content: [self.heading(*content)],
            "RawBlock": lambda content: self.raw(content[1]),
            "Figure": lambda content: [self.figure(*content)],
            "Table": lambda content: [self.table((), *content)],
            "Div": lambda content: self.div(*content),
            "BlockQuote": lambda content: [{"k": "quote", "c": self.blocks(content)}],
            "BulletList": lambda content: [{"k": "ul", "c": [self.blocks(item) for item in content]}],
            "OrderedList": self.ordered,
            "DefinitionList": self.terms,
            "CodeBlock": lambda content: [{"k": "code", "c": content[1][:200_000]}],
            "LineBlock": lambda content: [{"k": "p", "c": self.inlines(line)} for line in content],
            "HorizontalRule": lambda _: [{"k": "rule"}],
        }
        make = known.get(node["t"])
        return make(node.get("c")) if make else []

    def ordered(self, content: list[Any]) -> list[Node]:
        start = content[0][0]
        items = [self.blocks(item) for item in content[1]]
        return [{"k": "ol", "n": start if 0 <= start < 100_000 else 1, "c": items}]

    def terms(self, content: list[Any]) -> list[Node]:
        return [
            {
                "k": "dl",
                "c": [{"t": self.inlines(term), "c": [self.blocks(one) for one in all]} for term, all in content],
            }
        ]

    def paragraph(self, inlines: list[Node]) -> list[Node]:
        """A paragraph; formulas that stand apart are blocks of their own."""
        made: list[Node] = []
        line: list[Node] = []
        for inline in inlines:
            if inline["t"] == "Math" and inline["c"][0]["t"] == "DisplayMath":
                made += [*self.line(line), self.equation(inline["c"][1])]
                line = []
            else:
                line.append(inline)
        return made + self.line(line)

    def line(self, inlines: list[Node]) -> list[Node]:
        content = self.inlines(inlines)
        return [{"k": "p", "c": content}] if any(not isinstance(one, str) or one.strip() for one in content) else []

    def heading(self, level: int, attributes: list[Any], inlines: list[Node]) -> Node:
        labels = [attributes[0]] if attributes[0] else []
        content = self.inlines(self.without_labels(inlines, labels))
        number = self.number(
            Numbered("h", level - 1, "unnumbered" in attributes[1], tuple(labels), title=plain(content))
        )
        return {"k": "h", "l": level - 1, "n": number, "c": content}

    def figure(self, attributes: list[Any], caption: list[Any], blocks: list[Node]) -> Node:
        labels = [attributes[0]] if attributes[0] else []
        said = self.caption(caption, labels)
        tables = [block for block in blocks if block["t"] == "Table"]
        number = self.number(
            Numbered("tab" if tables else "fig", plain=not said, labels=tuple(labels), title=plain(said))
        )
        return {"k": "tab" if tables else "fig", "n": number, "cap": said, "c": self.blocks(blocks)}

    def div(self, attributes: list[Any], blocks: list[Node]) -> list[Node]:
        labels = (attributes[0],) if attributes[0] else ()
        tables = [block for block in blocks if block["t"] == "Table"]
        if len(tables) == 1:  # with its notes, which stand below it
            return [
                made
                for block in blocks
                for made in ([self.table(labels, *block["c"])] if block is tables[0] else self.block(block))
            ]
        for label in labels:
            self.anchor(label)
        made = self.blocks(blocks)
        return [{"k": "centre", "c": made}] if "center" in attributes[1] else made

    def table(
        self, labels: tuple[str, ...], attributes: list[Any], caption: list[Any], columns: list[Any], head: list[Any],
        bodies: list[Any], foot: list[Any],
    ) -> Node:  # fmt: skip
        found = [*labels, *([attributes[0]] if attributes[0] else [])]
        said = self.caption(caption, found)
        number = self.number(Numbered("tab", plain=not said, labels=tuple(found), title=plain(said)))
        left = MOST_CELLS
        parts: list[list[Any]] = []
        for rows in (head[1], [row for body in bodies for row in (*body[2], *body[3])], foot[1]):
            taken = rows[: max(left // max(len(columns), 1), 0)]
            left -= len(taken) * len(columns)
            parts.append([[self.cell(cell, len(columns)) for cell in row[1]] for row in taken])
        if left < len(columns):
            self.read.as_source.append(f"A table has more than {MOST_CELLS:,} cells; its first rows are shown.")
        widths = [width.get("c", 0) if width["t"] == "ColWidth" else 0 for _, width in columns]
        made = {
            "w": [round(min(max(width, 0), 1), 3) for width in widths],
            "a": [_ALIGN[one["t"]] for one, _ in columns],
        }
        return {"k": "tab", "n": number, "cap": said, "cols": made, "head": parts[0], "body": parts[1] + parts[2]}

    def cell(self, cell: list[Any], columns: int) -> Node:
        _, align, down, across, blocks = cell
        made: Node = {"c": self.blocks(blocks)}
        if align["t"] != "AlignDefault":
            made["a"] = _ALIGN[align["t"]]
        if across > 1:
            made["x"] = min(across, columns)
        if down > 1:
            made["y"] = min(down, 500)
        return made

    def caption(self, caption: list[Any], labels: list[str]) -> list[Inline]:
        made: list[Inline] = []
        for block in caption[1]:
            if block["t"] in ("Para", "Plain"):
                made += [*([" "] if made else []), *self.inlines(self.without_labels(block["c"], labels))]
        return made

    def without_labels(self, inlines: list[Node], labels: list[str]) -> list[Node]:
        kept = []
        for inline in inlines:
            found = _LABEL.findall(inline["c"][1]) if inline["t"] == "RawInline" else []
            if inline["t"] == "Span" and inline["c"][0][0] and not inline["c"][1]:
                found = [inline["c"][0][0]]
            labels += found
            if not found:
                kept.append(inline)
        return kept

    def equation(self, tex: str) -> Node:
        written, _, source = tex.partition(BETWEEN)
        env = _ROWS.match(source.strip())
        rows: list[tuple[str, ...]] = []
        if env:
            several = env[1] in ("align", "gather", "eqnarray", "flalign", "alignat")
            for row in re.split(r"\\\\", _INNER.sub("", source)) if several else [source]:
                if not re.search(r"\\(?:nonumber|notag)(?![A-Za-z])", row) and re.sub(r"\\end\{.*|\s", "", row):
                    rows.append(tuple(_LABEL.findall(row)))
        labels = tuple(_LABEL.findall(source))
        number = self.number(Numbered("eq", plain=not rows, labels=labels, rows=tuple(rows)))
        return {"k": "eq", "n": number, "m": self.formula(written), "src": _short(_LABEL.sub("", source).strip())}

    def formula(self, written: str) -> int:
        self.read.maths.append(maths_of(written))
        return len(self.read.maths) - 1

    def number(self, one: Numbered) -> int:
        self.read.numbered.append(one)
        return len(self.read.numbered) - 1

    def anchor(self, label: str) -> None:
        self.read.anchors.append(Anchor(label, len(self.read.numbered)))

    def raw(self, source: str) -> list[Node]:
        """A command or environment that is not understood: left out when it only lays out, else shown as it stands."""
        for label in _LABEL.findall(source):
            self.anchor(label)
        text = source.strip()
        if moves_counters(text):
            self.number(Numbered("do", title=text))
            return []
        if not text or (_SILENT.match(text) and "\n" not in text):
            return []
        named = re.match(r"\\(?:begin\s*\{[^{}]*\}|[A-Za-z@]+|.)", text)
        self.read.as_source.append(named[0] if named else text[:20])
        return [{"k": "src", "c": _short(text)}]

    # Within a line

    def inlines(self, nodes: list[Node]) -> list[Inline]:
        made: list[Inline] = []
        for node in nodes:
            for one in self.inline(node):
                if isinstance(one, str) and made and isinstance(made[-1], str):
                    made[-1] += one
                else:
                    made.append(one)
        return made

    def inline(self, node: Node) -> list[Inline]:
        """What stands for a part of a line; nothing for a kind that is not known."""
        kind, content = node["t"], node.get("c")
        if kind == "Str":
            return [str(content)]
        if kind in ("Space", "SoftBreak"):
            return [" "]
        known: dict[str, Callable[[Any], list[Inline]]] = {
            "LineBreak": lambda _: [{"k": "br"}],
            "Math": self.maths,
            "Code": lambda content: [{"k": "code", "c": content[1]}],
            "Quoted": self.quoted,
            "Cite": lambda content: [self.cite(*content)],
            "Note": lambda content: [{"k": "note", "c": self.blocks(content)}],
            "Link": lambda content: [self.link(content)],
            "Image": lambda content: [self.image(content)],
            "Span": self.span,
            "RawInline": lambda content: self.raw_inline(content[1]),
            **dict.fromkeys(_MARKS, lambda content: [{"k": _MARKS[kind], "c": self.inlines(content)}]),
        }
        make = known.get(kind)
        return make(content) if make else []

    def maths(self, content: list[Any]) -> list[Inline]:
        written, _, source = content[1].partition(BETWEEN)
        return [{"k": "m", "m": self.formula(written), "src": _short(source)}]

    def quoted(self, content: list[Any]) -> list[Inline]:
        opened, closed = ("‘", "’") if content[0]["t"] == "SingleQuote" else ("“", "”")
        return [opened, *self.inlines(content[1]), closed]

    def span(self, content: list[Any]) -> list[Inline]:
        if content[0][0] and not content[1]:
            self.anchor(content[0][0])
        return self.inlines(content[1])

    def link(self, content: list[Any]) -> Inline:
        address = content[2][0]
        inside = self.inlines(content[1])
        if address.startswith(("http://", "https://", "mailto:")) and len(address) < 2_000:
            return {"k": "url", "to": address, "c": inside}
        if address.startswith("#") and len(address) > 1:
            self.read.refs.append(("hyperref", address[1:]))
            return {"k": "ref", "i": len(self.read.refs) - 1, "c": inside}
        return {"k": "u", "c": inside}

    def image(self, content: list[Any]) -> Node:
        sizes = dict(content[0][2])
        part, points = _width(sizes.get("width", ""))
        self.read.pictures.append(Shown(content[2][0], part, points))
        return {"k": "img", "i": len(self.read.pictures) - 1}

    def cite(self, citations: list[Any], raw: list[Node]) -> Node:
        text = raw[0]["c"][1] if raw and raw[0]["t"] == "RawInline" else ""
        command = re.match(r"\\([A-Za-z]+)", text)
        name = command[1] if command else "cite"
        keys = tuple(one["citationId"] for one in citations)
        if name == "cite" and citations[0]["citationMode"]["t"] == "AuthorInText":
            name = "citet"
        before, after = self.inlines(citations[0]["citationPrefix"]), self.inlines(citations[-1]["citationSuffix"])
        self.read.cites.append(Cited(name, keys, before, after))
        return {"k": "cite", "i": len(self.read.cites) - 1}

    def raw_inline(self, source: str) -> list[Inline]:
        if found := _REFERS.match(source):
            made: list[Inline] = []
            for label in found[2].split(",") if "cref" in found[1].lower() else [found[2]]:
                self.read.refs.append((found[1], label.strip()))
                made += [*([", "] if made else []), {"k": "ref", "i": len(self.read.refs) - 1}]
            return made
        blocks = self.raw(source)
        return [{"k": "src", "c": block["c"]} for block in blocks]


def plain(inlines: list[Inline]) -> str:
    """The words of a line."""
    return "".join(
        one
        if isinstance(one, str)
        else plain(one["c"])
        if isinstance(one.get("c"), list) and one["k"] != "note"
        else ""
        for one in inlines
    )


def _short(source: str) -> str:
    return source if len(source) <= _LONGEST_SOURCE else f"{source[:_LONGEST_SOURCE]} …"


def _width(text: str) -> tuple[float, float]:
    found = re.fullmatch(r"([\d.]{1,8})\s*(%|cm|mm|in|pt|px|em|ex)", text.strip())
    if not found:
        return 0, 0
    try:
        number = float(found[1])
    except ValueError:
        return 0, 0
    if found[2] == "%":
        return min(max(number / 100, 0.02), 1), 0
    unit = {"cm": 28.35, "mm": 2.835, "in": 72, "pt": 1, "px": 0.75, "em": 12, "ex": 6}[found[2]]
    return 0, min(max(number * unit, 4), 1_000)
