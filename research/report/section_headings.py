"""The headings inside a report's sections: level 3 at most, and one per theme where the section has themes (R9)."""

import re
from collections.abc import Mapping

from claims.markers import MARK, quiet, uncited
from llm.roles import Heading

NOTHING = "Nothing was found for this part."
NO_THEMES = (
    "### No themes drawn\n\nThe findings stand in the other parts of this report; they were not grouped into themes."
)
FURTHER = "Further points"

_TOO_HIGH = re.compile(r"^ {0,3}#{1,2}(?=[ \t]|$)", re.MULTILINE)  # headings of sections are written by code
_UNDERLINED = re.compile(r"^[^\S\n]*+(?P<words>[^\s|].*)\n {0,3}(?:=+|-+)[ \t]*$", re.MULTILINE)
_ANY = re.compile(r"^ {0,3}#{1,6}(?=[ \t]).*$", re.MULTILINE)
_THEME = re.compile(r"^ {0,3}###[ \t]+\S", re.MULTILINE)
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]")


def is_themed(heading: Heading) -> bool:
    """Return whether a section has a ### heading per theme, by its rule."""
    return "###" in heading.rule


def lowered(body: str) -> str:
    """Return `body` with no heading above level 3, in either Markdown syntax, and without markers in headings."""
    body = _UNDERLINED.sub(lambda found: f"### {found['words'].strip()}", body.strip())
    return _ANY.sub(lambda found: uncited(found[0]), _TOO_HIGH.sub("###", body))


def themed(body: str, theme_of: Mapping[str, str]) -> str:
    """Return `body` with at least one ### heading; without any, its paragraphs are grouped by theme.

    `theme_of` maps the ids of findings to a few words on what they are about. Paragraphs without a citation stay with
    the one before them, or go with the first; otherwise the order is kept.
    """
    if not body:
        return NO_THEMES
    if _THEME.search(body):
        return body
    groups: dict[str, list[str]] = {}
    theme = ""
    before: list[str] = []
    for block in _blocks(body):
        theme = next((theme_of[mark[1]] for mark in MARK.finditer(block) if mark[1] in theme_of), theme)
        if theme:
            groups.setdefault(theme, []).extend([*before, block])
            before = []
        else:
            before.append(block)
    if before:
        groups.setdefault(FURTHER, []).extend(before)
    return "\n\n".join("\n\n".join([f"### {title_of(theme)}", *blocks]) for theme, blocks in groups.items())


def title_of(theme: str) -> str:
    """Return a theme as a heading: one line without markers."""
    words = quiet(" ".join(MARK.sub("", theme).split()).strip(" #.:"))
    return f"{words[:1].upper()}{words[1:]}" or FURTHER


def _blocks(body: str) -> list[str]:
    """Return the paragraphs of `body`; lists, tables with their lead-in, and markers after a table stay together."""
    blocks: list[str] = []
    for block in re.split(r"\n[ \t]*\n", body):
        if blocks and (
            blocks[-1].endswith(":")
            or (_ITEM.match(block) and _ITEM.match(blocks[-1].rpartition("\n\n")[2]))
            or (MARK.match(block.strip()) and blocks[-1].rstrip().endswith("|"))
        ):
            blocks[-1] += f"\n\n{block}"
        elif block.strip():
            blocks.append(block)
    return blocks
