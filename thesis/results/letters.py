r"""Letters of a result that pdflatex has no sign for (SPEC T5): a name in Devanagari, an emoji in a label.

In text that a person writes they stop the build with their place. A result would stop it by a name in a table that nobody
typed there, so a sign stands for them, and the proposal says which they were.
"""

from itertools import groupby

from latex.letters import can_be_set

SIGN = "?"
_SHOWN = 5  # words that are named


def with_signs(latex: str) -> tuple[str, list[str]]:
    """`latex` with one SIGN for each run of letters that cannot be set, and those runs, each once."""
    if latex.isascii():
        return latex, []
    runs: list[str] = []
    made: list[str] = []
    for settable, letters in groupby(latex, can_be_set):
        run = "".join(letters)
        if settable:
            made.append(run)
        else:
            runs.append(run)
            made.append(SIGN)
    return "".join(made), list(dict.fromkeys(runs))


def said_of(runs: list[str]) -> str:
    """A sentence on what a sign stands for."""
    named = ", ".join(f"“{run[:40]}”" for run in runs[:_SHOWN])
    more = " and others" if len(runs) > _SHOWN else ""
    return f"A {SIGN} stands for letters that cannot be printed: {named}{more}. Name the column or level in Latin letters, or write it there yourself."
