r"""Short pieces of LaTeX as the words they print, for the visual editor: \SI{40}{\percent}, own commands (SPEC T2).

The pieces of a text are read together, as the items of one list, since each start of pandoc takes a tenth of a second.
"""

import re
from collections.abc import Sequence

from latex.arguments import math_spans
from thesis.manuscript import Chapter, Manuscript
from thesis.manuscript_page.chapter_html import HtmlWriter
from thesis.manuscript_page.mathml import mathml_formulas
from thesis.numbering import native_counters
from thesis.pandoc_ast.numbers import Numbers
from thesis.pandoc_ast.read import read_latex
from thesis.pandoc_ast.text_order import Stretch, macros_of
from thesis.preview.chapter_data import ChapterConverter, formulas_of
from thesis.preview.chapters import count_chapter

MOST = 200  # pieces
LONGEST = 500  # characters of a piece
_SECONDS = 4
# What would end the list, cite, count, or print what depends on the rest of the thesis (an acronym at its first use)
_NOT_ALONE = re.compile(
    r"\\(?:item|begin|end|par|caption|include\w*|input|[Gg]ls\w*|GLS\w*|ac[a-z]{0,3}"
    r"|[A-Za-z]*cite[A-Za-z]*|[A-Za-z]*ref|label|footnote\w*)(?![A-Za-z])|%|\n\s*\n"
    r"|\\(?:verb\*?|lstinline)(?P<bar>[^A-Za-z*])(?!.*(?P=bar))"
)
_TAGS = re.compile(r' data-map="[^"]*"')


def printed_commands(manuscript: Manuscript, pieces: Sequence[str]) -> list[str]:
    """Return each piece as HTML without blocks, with the commands of the thesis; "" for one that cannot be set alone.

    At most 200 pieces of 500 characters are set.
    """
    asked = [(place, one) for place, one in enumerate(pieces[:MOST]) if _is_alone(one)]
    if not asked:
        return [""] * len(pieces)
    text = "\n".join(["\\begin{itemize}", *(rf"\item {{}}{piece}" for _, piece in asked), "\\end{itemize}"])
    read = read_latex(text, macros=macros_of(manuscript), seconds=_SECONDS)
    chapter = Chapter("pieces", 0, "pieces", "", text)
    numbers = Numbers()
    count_chapter(numbers, chapter, [(Stretch(text, counters=native_counters()), read)])
    converter = ChapterConverter(numbers, lambda _: [], mathml_formulas(formulas_of(numbers)))
    lists = [] if read.why else converter.blocks(read.blocks)
    items = lists[0]["c"] if len(lists) == 1 and lists[0]["k"] == "ul" else []
    made = [""] * len(pieces)
    if len(items) != len(asked):
        return made
    writer = HtmlWriter("pieces")
    for (place, piece), blocks in zip(asked, items, strict=True):
        is_known = not any(re.search(rf"{re.escape(name)}(?![A-Za-z])", piece) for name in read.unknown)
        if is_known and len(blocks) == 1 and blocks[0]["k"] == "p":
            made[place] = _TAGS.sub("", writer.inlines(blocks[0]["c"])).strip()
    return made


def _is_alone(piece: str) -> bool:
    """Return whether a piece can be set in a list with others: short, words only, its braces and formulas closed."""
    depth = 0
    for sign in re.findall(r"\\.|[{}]", piece):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if depth < 0:
            return False
    is_closed = depth == 0 and not math_spans(piece)(len(piece))
    return is_closed and bool(piece.strip()) and len(piece) <= LONGEST and not _NOT_ALONE.search(piece)
