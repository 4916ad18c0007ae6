r"""The words of a piece of LaTeX as a comment quotes it: in one line, without commands.

A piece that somebody selected in the source may begin or end within a command.
"""

import re
from itertools import pairwise

from latex.headings import plain
from latex.shown_text import BREAK, OBJECT, shown_text

_CITATION = re.compile(r"\\[A-Za-z]*cite[A-Za-z]*\*?(?:\[[^\]]*\])*\{([^{}]*)\}")
_FORMULA = re.compile(r"\$|\\[(\[]|\\begin\{(?:math|displaymath|equation|align|gather|multline)\*?\}")
_ADDRESS = re.compile(r"\\(?:url|nolinkurl)\{([^{}]*)\}")
_NOT_PRINTED = re.compile(r"%|\\(?:label|index|phantomsection|vspace|hspace|input|include)\b")
_SPACES = re.compile(r"\s+")
_PRINTED = re.compile(r"[^\W_]")


def words_of_quote(latex: str) -> str:
    r"""Return `latex` as it is read, with "…" for what has no words; as LaTeX if nothing would be left."""
    shown = shown_text(latex)
    ends = [*shown.firsts, len(shown.text)]
    words = ""
    for place, (first, last) in enumerate(pairwise(ends)):
        piece = shown.text[first:last]
        source = latex[shown.begins[place] : shown.ends[place]]
        if piece == OBJECT or (piece == BREAK and _FORMULA.match(source)):
            piece = _object(source)
        words += piece
    words = re.sub(r"…(?:\s*…)+", "…", _SPACES.sub(" ", words).strip())
    return words.replace("'", "’") if _PRINTED.search(words) else latex


def _object(source: str) -> str:
    """Return what stands for a command or a formula."""
    if cited := _CITATION.match(source):
        return f"[{cited[1]}]"
    if address := _ADDRESS.match(source):
        return address[1]
    if _NOT_PRINTED.match(source):
        return " "
    return (plain(source) if _FORMULA.match(source) else "") or "…"
