"""How many words of prose a LaTeX text has."""

import re

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
# A key ends at a brace or backslash, an option at a bracket, and a name has an end, so that each scan is short
# however long the text and however broken its LaTeX.
_NOT_PROSE = re.compile(
    r"\\(?:[a-zA-Z]{0,12}cite[a-zA-Z]{0,12}|ref|eqref|label|input|begin|end|includegraphics)"
    r"\*?(?:\[[^\[\]]*\])*\{[^{}\\]*\}"
    r"|\\[a-zA-Z]+\*?"
    r"|\\."
    r"|%.*"
)


def count_words(latex: str) -> int:
    """Words of prose in `latex`: commands, keys and comments do not count."""
    return len(_WORD.findall(_NOT_PROSE.sub(" ", latex)))
