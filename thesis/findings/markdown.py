r"""Markdown of a report becomes LaTeX by pandoc (SPEC T7, R18).

A report quotes what others wrote, so nothing of it is LaTeX already: raw markup is dropped, pictures are their
captions, formulas stay formulas only where they are made of the commands of mathematics.
"""

import re
from pathlib import Path

import sections
from core.errors import Refused
from thesis.pandoc import TookLong, Unread, pandoc

SECONDS = 20
_FROM = "commonmark+pipe_tables+tex_math_dollars"
_FILTERS = (Path(__file__).with_name("plain.lua"), Path(sections.__file__).with_name("to_latex.lua"))
# Commands that only pandoc's own template defines
_OWN = re.compile(r"^(?:\\tightlist|\\def\\labelenum[iv]+\{.*\})\n", re.MULTILINE)
_ITEM = re.compile(r"\\item\n[ \t]+(?=\S)")
_VERBATIM = re.compile(r"(\\begin\{verbatim\}.*?\\end\{verbatim\})", re.DOTALL)
_SECTION = 2  # the level of \section, counted as in latex/headings.py


def to_latex(markdown: str, level: int = _SECTION) -> str:
    r"""`markdown` as LaTeX, a paragraph to a line; its headings `##` have `level`, 2 being \section.

    Raises Refused for what pandoc cannot read within 20 seconds.
    """
    options = [
        *(f"--from={_FROM}", "--to=latex", "--top-level-division=chapter", "--wrap=none", "--syntax-highlighting=none"),
        f"--shift-heading-level-by={level - _SECTION}",
        *(f"--lua-filter={path}" for path in _FILTERS),
    ]
    try:
        made = pandoc(options, markdown.replace("\0", "").encode(), seconds=SECONDS, heap="512m").out
    except TookLong:
        raise Refused("This report is too long to be put in at once. Choose fewer of its parts.") from None
    except Unread:
        raise Refused("This report could not be turned into LaTeX. Choose fewer of its parts.") from None
    parts = _VERBATIM.split(made.decode().replace("\0", ""))
    parts[::2] = [_ITEM.sub(r"\\item ", _OWN.sub("", part)) for part in parts[::2]]
    return "".join(parts).strip("\n")
