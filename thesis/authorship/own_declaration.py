"""Declarations and certificates that a person wrote into the text, and whether they leave room for what was drafted (SPEC T9)."""

import re
from collections.abc import Iterator

from latex.keys import visible
from thesis.front.facts import front_section, parts_headed
from thesis.manuscript import Manuscript

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
