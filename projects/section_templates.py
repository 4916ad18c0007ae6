r"""Outlines a thesis can start from: their sections, and the headings each section starts with (SPEC T1).

They are defined in section_templates.toml. The first is the usual outline of a clinical thesis in South Asia. Sections
are numbered by position: 0 is the front matter. References and appendices are generated when the thesis is built.
"""

import tomllib
from itertools import count
from pathlib import Path
from typing import NamedTuple

from django.utils.text import slugify

from core.errors import Refused


class Part(NamedTuple):
    r"""A section of an outline. `starter` is its initial LaTeX: headings (`\section{...}`), or nothing."""

    slug: str
    title: str
    starter: str


class Outline(NamedTuple):
    """A named outline. `whom` describes in a sentence the theses it is meant for."""

    slug: str
    name: str
    whom: str
    parts: tuple[Part, ...]

    @property
    def numbered(self) -> list[tuple[int | None, str]]:
        """The number that print gives each part, None for the front matter and the abstract, and its title."""
        numbers = count(1)
        unnumbered = (FRONT.slug, ABSTRACT.slug)
        return [(None if part.slug in unnumbered else next(numbers), part.title) for part in self.parts]


_COMMANDS = {"- ": r"\subsection", "* ": r"\section*"}


def _part(title: str, *headings: str) -> Part:
    r"""Return a section with one line per heading. A prefix "- " makes a \subsection, "* " an unnumbered \section."""
    lines = [
        f"{_COMMANDS[heading[:2]]}{{{heading[2:]}}}" if heading[:2] in _COMMANDS else rf"\section{{{heading}}}"
        for heading in headings
    ]
    return Part(slugify(title), title, "\n\n\n".join(lines) + "\n" if lines else "")


_SAID = tomllib.loads(Path(__file__).with_name("section_templates.toml").read_text(encoding="utf-8"))
_SHARED = {name: _part(*part) for name, part in _SAID["shared"].items()}
FRONT, ABSTRACT = _SHARED["front"], _SHARED["abstract"]
OUTLINES = tuple(
    Outline(
        outline["slug"],
        outline["name"],
        outline["whom"],
        tuple(_SHARED[part] if isinstance(part, str) else _part(*part) for part in outline["parts"]),
    )
    for outline in _SAID["outlines"]
)
ORIGINAL, EMPTY = OUTLINES[0], OUTLINES[-1]
# The default of the API and of commands: the nine usual sections, empty.
UNCHOSEN = Outline(
    "", "The usual sections, empty", ORIGINAL.whom, tuple(Part(p.slug, p.title, "") for p in ORIGINAL.parts)
)

_BY_SLUG = {outline.slug: outline for outline in (UNCHOSEN, *OUTLINES)}


def find_outline(slug: str) -> Outline:
    """Return the outline with this slug ("": the usual sections, empty). Raises Refused with the list if unknown."""
    found = _BY_SLUG.get(slug)
    if found is None:
        raise Refused(
            f"Unknown outline “{slug[:60]}”. Choose one of: {', '.join(one.slug for one in OUTLINES)}.",
            field="outline",
        )
    return found
