"""The headings inside a report's sections: of level 3 at most, and one for each theme where themes are asked for (R9)."""

import re
from collections.abc import Mapping

from claims.markers import MARK, quiet, uncited
from llm.roles import Heading

NOTHING = "Nothing was found for this part."
NO_THEMES = (
    "### No themes drawn\n\nThe findings stand in the other parts of this report; they were not grouped into themes."
)
FURTHER = "Further points"

_TOO_HIGH = re.compile(r"^ {0,3}#{1,2}(?=[ \t]|$)", re.MULTILINE)  # that of a section is for code to write
_UNDERLINED = re.compile(r"^[^\S\n]*+(?P<words>[^\s|].*)\n {0,3}(?:=+|-+)[ \t]*$", re.MULTILINE)
_ANY = re.compile(r"^ {0,3}#{1,6}(?=[ \t]).*$", re.MULTILINE)
_THEME = re.compile(r"^ {0,3}###[ \t]+\S", re.MULTILINE)
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]")


def is_themed(heading: Heading) -> bool:
    """Return whether a section has a ### for each theme, by its rule."""
    return "###" in heading.rule


def lowered(body: str) -> str:
    """`body` with no heading above level 3, whichever way it is written. Headings cite nothing."""
    body = _UNDERLINED.sub(lambda found: f"### {found['words'].strip()}", body.strip())
    return _ANY.sub(lambda found: uncited(found[0]), _TOO_HIGH.sub("###", body))


def themed(body: str, theme_of: Mapping[str, str]) -> str:
    """Return a settled `body` with at least one ### heading. Where its writer gave none, its paragraphs are grouped by what the
    findings they cite are about: `theme_of` maps finding ids to a few words.

    Paragraphs that cite nothing stay with the one before, or go with the first; the order is else that of the body.
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
    """Return a theme as the words of a heading: one line that holds no marker and no other heading."""
    words = quiet(" ".join(MARK.sub("", theme).split()).strip(" #.:"))
    return f"{words[:1].upper()}{words[1:]}" or FURTHER


def _blocks(body: str) -> list[str]:
    """Return the paragraphs of `body`; a list or a table, its lead-in, and a marker behind a table stay in one piece."""
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
