"""The statement on the use of AI for a thesis that came as LaTeX and keeps its own front pages (SPEC T9)."""

from latex.letters import tex, tex_lines
from thesis.authorship.words import words_of
from thesis.front.facts import TITLES
from thesis.front.pages import excepted
from thesis.manuscript import Manuscript


def snippet(manuscript: Manuscript) -> str:
    """LaTeX to copy into the front pages: the statement, and before it as a comment what the declaration should except."""
    if not manuscript.ai_use.statement.strip():
        return ""
    words = excepted(manuscript.ai_use.stands)
    advice = [f"% In the declaration: my own work{words} as stated below"] if words else []
    return (
        "\n\n".join([*advice, rf"\section*{{{tex(TITLES['ai_use'])}}}", *tex_lines(manuscript.ai_use.statement)]) + "\n"
    )


def is_in_text(manuscript: Manuscript) -> bool:
    """Whether the statement stands in the text or in the files around it, word for word."""
    words = words_of("\n\n".join(tex_lines(manuscript.ai_use.statement))).words
    between = [piece.get("text", "") for file in manuscript.files for piece in file.pieces or []]
    sought = f" {' '.join(words)} "
    texts = (*(chapter.latex for chapter in manuscript.chapters), *between)
    return any(sought in f" {' '.join(words_of(text).words)} " for text in texts)
