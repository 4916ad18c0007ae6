"""Title page, forms and contents of a thesis in its Word file (SPEC T5, T6)."""

from thesis.front_matter.page_fields import TITLES
from thesis.front_matter.pages import Block, contents, front_pages
from thesis.manuscript import Manuscript
from thesis.pandoc_ast.nodes import Node, header, para, words
from thesis.pandoc_ast.numbers import Line, Numbers
from thesis.word.openxml import field, raw_block, run, styled

SECTION_END = '<w:p><w:pPr><w:sectPr><w:type w:val="nextPage"/></w:sectPr></w:pPr></w:p>'
_GAP = "<w:p/>"
_EMPTY = ["", [], []]


def forms(manuscript: Manuscript) -> list[Node]:
    """Return the title page and the forms, each on its own page: their headings start a new one."""
    return [new for page in front_pages(manuscript) for new in _paired(page.blocks)]


def title_only(title: str, author: str) -> list[Node]:
    r"""Return the title and the author, as \maketitle prints them, for an imported thesis."""
    return [styled("Title", [para(words(title))]), styled("Centred", [para(words(author))])]


def _paired(blocks: tuple[Block, ...]) -> list[Node]:
    pairs = [block for block in blocks if block.kind == "pair"]
    made = [new for block in blocks if block.kind != "pair" for new in _form(block)]
    return [*made, _table(pairs)] if pairs else made


def _form(block: Block) -> list[Node]:
    match block.kind:
        case "heading":
            return [header(1, words(block.text))]
        case "name":
            return [styled("Title", [para(words(block.text))])]
        case "strong":
            return [styled("Centred", [para([{"t": "Strong", "c": words(block.text)}])])]
        case "line":
            return [styled("Centred", [para(words(block.text))])]
        case "gap":
            return [raw_block(_GAP)]
        case "signature":
            lines = [para(words("_" * 30)), para(words(block.text)), *([para(words(block.more))] if block.more else [])]
            return [raw_block(_GAP), styled("Right", lines)]
    return [para(words(block.text))] if block.text else []


def _table(pairs: list[Block]) -> Node:
    rows = [[_EMPTY, [_cell([{"t": "Strong", "c": words(pair.text)}]), _cell(words(pair.more))]] for pair in pairs]
    columns = [[{"t": "AlignLeft"}, {"t": "ColWidth", "c": width}] for width in (0.25, 0.75)]
    return {
        "t": "Table",
        "c": [_EMPTY, [None, []], columns, [_EMPTY, []], [[_EMPTY, 0, [], rows]], [_EMPTY, []]],
    }


def _cell(inlines: list[Node]) -> list[object]:
    return [_EMPTY, {"t": "AlignDefault"}, 1, 1, [{"t": "Plain", "c": inlines}]]


def lists(manuscript: Manuscript, numbers: Numbers) -> list[Node]:
    """Return the contents and the lists of tables and figures as fields, filled with all but the page numbers."""
    wanted = ["contents"] if manuscript.is_brought else [page.name for page in contents(manuscript)]
    made: list[Node] = []
    if "contents" in wanted and numbers.headings:
        made += _list(TITLES["contents"], 'TOC \\o "1-3" \\h \\z \\u', "TOC", numbers.headings)
    for name, lines, word in (("tables", numbers.tables, "Table"), ("figures", numbers.figures, "Figure")):
        if lines and (name in wanted or manuscript.is_brought):
            made += _list(TITLES[name], f'TOC \\h \\z \\c "{word}"', "", lines, word)
    return made


def _list(title: str, instruction: str, style: str, lines: list[Line], lead: str = "") -> list[Node]:
    """Return the heading of a list, itself not in the contents, and the field that spans its entries."""
    begin, _, end = field(instruction, "\0").partition(run("\0"))
    paragraphs = []
    for place, line in enumerate(lines):
        number = f"{lead} {line.number}: " if lead else f"{line.number}  " if line.number else ""
        shown = f"{run(number + line.text)}<w:r><w:tab/></w:r>" + field(f"PAGEREF {line.bookmark} \\h", "", stale=True)
        entry = f'<w:hyperlink w:anchor="{line.bookmark}" w:history="1">{shown}</w:hyperlink>'
        name = f"{style}{line.level}" if style else "TableofFigures"
        paragraphs.append(
            f'<w:p><w:pPr><w:pStyle w:val="{name}"/></w:pPr>{begin if not place else ""}{entry}'
            f"{end if place == len(lines) - 1 else ''}</w:p>"
        )
    return [styled("TOC Heading", [para(words(title))]), raw_block("".join(paragraphs))]
