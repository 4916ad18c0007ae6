"""The printed numbers of sections (SPEC T2). The app that knows the layout registers a function to compute them."""

from collections.abc import Callable
from typing import NamedTuple

from latex.numbering import Numbered
from projects.models import Project
from sections.models import Section


class PrintedNumbers(NamedTuple):
    """The printed numbers of a thesis.

    `sections` maps section ids, as text, to the number before the title ("" for none). `here` are the numbered parts of
    the open section, with offsets in code points. `labels` are those of the whole thesis with what they name; `parts`
    the numbered parts of each section, by its id, and `titles` the headings that Scholium prints before sections.
    """

    sections: dict[str, str]
    here: list[Numbered]
    labels: dict[str, Numbered]
    parts: dict[str, list[Numbered]]
    titles: dict[str, Numbered]


_asked: list[Callable[[Project, Section | None], PrintedNumbers]] = []


def register(function: Callable[[Project, Section | None], PrintedNumbers]) -> None:
    """Register the function that computes the printed numbers. Called once, in AppConfig.ready."""
    _asked.append(function)


def compute_printed_numbers(project: Project, opened: Section | None = None) -> PrintedNumbers:
    """Return the printed numbers of the sections of `project`, and those within the section `opened`."""
    return _asked[0](project, opened)
