"""The BibTeX trailer of a drafted text (SPEC C6)."""

import re
from typing import NamedTuple

_TAGGED = re.compile(r"<bibtex>(.*?)(?:</bibtex>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(
    r"^[ \t]*```[ \t]*(?:bibtex|bib)[ \t]*$(.*?)(?:^[ \t]*```[ \t]*$|\Z)", re.DOTALL | re.MULTILINE | re.I
)
_MARKED = re.compile(
    r"^[ \t]*%%%[ \t]*BIBTEX[ \t]*%%%[ \t]*$(.*?)(?:^[ \t]*%%%[ \t]*(?:END|/)[^\n]*$|\Z)",
    re.DOTALL | re.MULTILINE | re.I,
)
_BARE = re.compile(r"^@[a-z]{3,20}[ \t]*\{[ \t]*[^\s,{}]{1,200},", re.MULTILINE | re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*```[^\n]*$", re.MULTILINE)


class Trailer(NamedTuple):
    """BibTeX in a draft, which takes its characters `start` to `end` with the marks around it."""

    start: int
    end: int
    bibtex: str


def split(draft: str) -> tuple[str, str]:
    """The LaTeX of a draft and its BibTeX, which is empty where there is none.

    The trailer stands in `<bibtex>` tags, behind a line `%%% BIBTEX %%%`, in a ```bibtex fence, or bare at the end.
    """
    found = trailers_in(draft)
    if not found:
        return draft, ""
    bibtex = "\n".join(_FENCE.sub("", one.bibtex).strip() for one in found)
    return _without(draft, [(one.start, one.end) for one in found]), bibtex


def trailers_in(draft: str) -> list[Trailer]:
    """The BibTeX trailers of a draft in their order; a bare one goes to its end."""
    for pattern in (_TAGGED, _MARKED, _FENCED):
        if found := list(pattern.finditer(draft)):
            return [Trailer(*one.span(), one[1]) for one in found]
    bare = _BARE.search(draft)
    return [Trailer(bare.start(), len(draft), draft[bare.start() :])] if bare else []


def _without(draft: str, spans: list[tuple[int, int]]) -> str:
    parts, done = [], 0
    for start, end in spans:
        parts.append(draft[done:start])
        done = end
    parts.append(draft[done:])
    kept = [part.rstrip() if number < len(parts) - 1 else part.strip() for number, part in enumerate(parts)]
    text = "\n".join(part for part in kept if part.strip())
    return f"{text}\n" if text else ""
