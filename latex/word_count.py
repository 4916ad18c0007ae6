"""The word count of a LaTeX text."""

import re

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
# Keys end at a brace or backslash, options at a bracket, and names have a maximum length, so that matching takes linear
# time even in broken LaTeX.
_NOT_PROSE = re.compile(
    r"\\(?:[a-zA-Z]{0,12}cite[a-zA-Z]{0,12}|ref|eqref|label|input|begin|end|includegraphics)"
    r"\*?(?:\[[^\[\]]*\])*\{[^{}\\]*\}"
    r"|\\[a-zA-Z]+\*?"
    r"|\\."
    r"|%.*"
)


def count_words(latex: str) -> int:
    """Return the number of words of prose in `latex`, without commands, keys and comments."""
    return len(_WORD.findall(_NOT_PROSE.sub(" ", latex)))
