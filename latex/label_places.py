r"""Labels for headings, tables and figures that have none (SPEC T2)."""

import re
from typing import NamedTuple

from latex.brackets import closing_brackets
from latex.cite_keys import visible
from latex.headings import title_at
from latex.numbering import Counters, Kind, Numbered, walk

LABELLED_KINDS: tuple[Kind, ...] = ("heading", "table", "figure")
KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9:._+/-]{0,99}")
_COMMAND = re.compile(r"\\(?:captionof\*?\s*\{\w+\}|[A-Za-z]+\*?)\s*")


TITLE = -1  # the place of the heading that Scholium prints before a text, which is the title of the section
_TITLE = "\\chapter{}"


class LabelPlace(NamedTuple):
    r"""A heading or caption at `start` with its plain `title` and its `labels`; a new \label belongs at `end`."""

    kind: Kind
    start: int
    title: str
    labels: tuple[str, ...]
    end: int


def label_places(latex: str) -> list[LabelPlace]:
    """Return the headings, tables and figures of `latex` in order, without those whose title is not closed."""
    parts = [one for one in walk(latex, Counters()) if one.kind in LABELLED_KINDS]
    if not parts:
        return []
    seen = visible(latex)
    pairs = closing_brackets(seen)
    found = []
    for one in parts:
        command = _COMMAND.match(seen, one.start)
        if command is None:
            continue
        at = command.end()
        if seen.startswith("[", at) and at in pairs:
            at = pairs[at] + 1
            while seen[at : at + 1].isspace():
                at += 1
        if seen.startswith("{", at) and (close := pairs.get(at)):
            found.append(LabelPlace(one.kind, one.start, title_at(seen, at), one.labels, close + 1))
    return found


def with_title(latex: str, counters: Counters) -> list[Numbered]:
    r"""Return the heading of a chapter that is printed before `latex`, and the parts of `latex`; steps `counters`.

    The heading is at TITLE, has no title here, and has the labels before the first part of the text.
    """
    return [one._replace(start=max(one.start - len(_TITLE), TITLE)) for one in walk(f"{_TITLE}{latex}", counters)]


def with_title_label(latex: str, key: str) -> str:
    r"""Return `latex` with \label{key} for the heading of a chapter that is printed before it."""
    newline = "\r\n" if "\r\n" in latex else "\n"
    return f"\\label{{{key}}}{newline}{latex}"


def with_label(latex: str, place: LabelPlace, key: str) -> str | None:
    r"""Return `latex` with \label{key} at `place`; None if LaTeX would not take it as the label of that part."""
    made = rf"{latex[: place.end]}\label{{{key}}}{latex[place.end :]}"
    named = [one.start for one in walk(made, Counters()) if key in one.labels]
    return made if named == [place.start] else None
