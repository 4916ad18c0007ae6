"""What is wrong with the statement on the use of AI and the declarations in a text before it is handed in
(SPEC T9). Advice: nothing of it blocks.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from latex.keys import visible
from latex.letters import tex, tex_lines
from thesis.authorship.words import words_of
from thesis.front.facts import TITLES, front_section, parts_headed, printed, written_in_front
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


_CLAIM = re.compile(r"bona[ ~-]*fide|\bmy\s+own\b|\bown\s+(?:original\s+|independent\s+)?work\b", re.IGNORECASE)
_ROOM = re.compile(
    r"\b(?:(?:language|AI)\s+models?|artificial\s+intelligence|generative|LLMs?|chatbots?|software|drafted)\b|\bAI\b",
    re.IGNORECASE,
)
_PARAGRAPHS = re.compile(r"\n[ \t]*\n")


def claims_all(manuscript: Manuscript) -> bool:
    """Whether a declaration or certificate in the text calls the thesis its author's own work and names no exception.

    Read are the section "Front matter" of a thesis that was begun here, and all of one that came with its own front pages:
    what stands below a heading "Declaration", and paragraphs that say "bona fide" or "my own work".
    """
    return any(not _ROOM.search(claim) for text in _texts(manuscript) for claim in _claims(text))


def _texts(manuscript: Manuscript) -> Iterator[str]:
    if manuscript.is_brought:
        yield from (chapter.latex for chapter in manuscript.chapters)
        yield from (piece.get("text", "") for file in manuscript.files for piece in file.pieces or [])
    elif section := front_section(manuscript):
        yield section.latex


def _claims(latex: str) -> Iterator[str]:
    seen = visible(latex)
    below = parts_headed(seen, "declaration")
    yield from below
    for paragraph in _PARAGRAPHS.split(seen):
        if _CLAIM.search(paragraph) and not any(paragraph.strip() in part for part in below):
            yield paragraph


PAGE, FORMS = "thesis:ai_use", "thesis:layout"  # names of the pages on which it is put right


class Check(NamedTuple):
    """One thing to look at; `act` are the words of the link to `page`."""

    title: str
    said: str
    page: str
    act: str


_STATEMENTS = {
    "unsaved": Check(
        "The statement on the use of AI is not confirmed",
        "Text or work of a language model is recorded for this thesis. The wording comes from the records until you save "
        "the statement, as it is or in your own words.",
        PAGE,
        "Read it",
    ),
    "older": Check(
        "The statement on the use of AI is older than the records",
        "Something was taken from a draft, changed or removed since it was saved.",
        PAGE,
        "See what changed",
    ),
}


def checks(manuscript: Manuscript) -> Iterator[Check]:
    """What is to be looked at: a statement that is missing, older than the records or not printed, a declaration of one's own."""
    use = manuscript.ai_use
    if use.state in _STATEMENTS:
        yield _STATEMENTS[use.state]
    if manuscript.is_brought:
        if use.statement and not is_in_text(manuscript):
            said = "This thesis has its own preamble and front pages. Copy the statement beside its declaration."
            yield Check("The statement on the use of AI is not in the text", said, PAGE, "Copy it")
    elif use.stands and "ai_use" not in {*printed(manuscript), *written_in_front(manuscript)}:
        said = "Its page is switched off, and words from drafts stand in the text. Switch it on, or print a form of your own."
        yield Check("The statement on the use of AI is not printed", said, FORMS, "Switch it on")
    if use.stands and claims_all(manuscript):
        said = f"It is in your text, so it was left as it is. It should call the thesis your own work{excepted(use.stands)}."
        yield Check("Your own declaration may claim more than the records show", said, PAGE, "See what stands")
