"""The numbers that sections are printed with (SPEC T2). How a thesis is printed is known above this room, by whoever registers here."""

from collections.abc import Callable
from typing import NamedTuple

from latex.numbering import Numbered
from projects.models import Project
from sections.models import Section


class Printed(NamedTuple):
    """`sections`: the number before the title of each, by its id as text, "" for none; `here`: what has one in the text of
    the section that is open, at its places in code points."""

    sections: dict[str, str]
    here: list[Numbered]


_asked: list[Callable[[Project, Section | None], Printed]] = []


def register(function: Callable[[Project, Section | None], Printed]) -> None:
    """This function will let `function` say what is printed. Called in AppConfig.ready, once."""
    _asked.append(function)


def printed(project: Project, opened: Section | None = None) -> Printed:
    """Return the numbers of `project` as it stands, and those within `opened`."""
    return _asked[0](project, opened)
