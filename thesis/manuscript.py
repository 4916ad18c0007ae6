"""A thesis as plain values, so that assembling and rendering it need no database (SPEC T5)."""

import posixpath
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from latex.includes import picture_folders, picture_paths
from projects import section_templates

FRONT = section_templates.FRONT.slug  # slug of the section that is printed after the forms and before the contents
ABSTRACT = section_templates.ABSTRACT.slug


class Chapter(NamedTuple):
    """A section of the outline. `number` is its position there, from 0; `words` its number of words."""

    id: str
    number: int
    slug: str
    title: str
    latex: str
    words: int = 0

    @property
    def pk(self) -> str:
        """Return the id, under the name that models use."""
        return self.id


class Work(NamedTuple):
    """A reference of the thesis: its key, CSL-JSON, tier ("" while it has none) and status (SPEC C2)."""

    key: str
    csl: dict[str, Any]
    tier: str = ""
    status: str = ""


class File(NamedTuple):
    """A file of the thesis, as sections.models.ThesisFile. `read` returns its bytes, or raises OSError."""

    path: str
    kind: str
    is_main: bool = False
    pieces: Sequence[dict[str, Any]] | None = None
    encoding: str = "utf-8"
    media_type: str = ""
    read: Callable[[], bytes] = bytes


def picture_finder(files: Iterable[File]) -> Callable[[str], File | None]:
    r"""Return a function that finds the file for a name in `\includegraphics` among `files`, or None."""
    by_path = {posixpath.normpath(file.path): file for file in files}
    main = next((file for file in by_path.values() if file.is_main), None)
    texts = ["".join(piece.get("text", "") for piece in main.pieces or [])] if main else []
    folders = picture_folders(main.path if main else None, texts)
    return lambda name: next((by_path[path] for path in picture_paths(name, folders) if path in by_path), None)


class LayoutValues(NamedTuple):
    """The layout of a thesis, as thesis.models.Layout. `appendices` are ids of sections."""

    template: str = "report"
    facts: dict[str, Any] = {}
    pages: dict[str, bool] = {}
    acknowledgements: str = ""
    abbreviations: str = ""
    appendices: Sequence[str] = ()


class AiUse(NamedTuple):
    """What the front matter says about the use of AI (SPEC T9).

    `statement` has one paragraph per line. `stands` lists whose words are in the text, so that the declaration must
    except them: "model" (drafted by a model), "quoted" (compiled by the offline engine). `state` is none, unsaved,
    older or saved (thesis/authorship/statement.py).
    """

    statement: str = ""
    stands: Sequence[str] = ()
    state: str = "none"


@dataclass(frozen=True)
class Manuscript:
    """A thesis as plain values. `style` is the id of its CSL style; `chapters` are in the order of the outline."""

    title: str
    author: str
    style: str = "apa"
    chapters: list[Chapter] = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    works: list[Work] = field(default_factory=list)
    other_keys: dict[str, str] = field(default_factory=dict)  # keys of works by their aliases
    layout: LayoutValues = field(default_factory=LayoutValues)
    discipline: str = ""
    degree: str = ""
    ai_use: AiUse = field(default_factory=AiUse)

    @property
    def main(self) -> File | None:
        """Return the file that LaTeX is started on, for an imported LaTeX thesis."""
        return next((file for file in self.files if file.is_main and file.pieces is not None), None)

    @property
    def is_brought(self) -> bool:
        """Return whether it was imported as LaTeX with a main file, whose preamble and front matter are used then."""
        return self.main is not None

    @property
    def body(self) -> list[Chapter]:
        """Return the chapters before the references."""
        return [chapter for chapter in self.chapters if chapter.id not in set(self.layout.appendices)]

    @property
    def appendices(self) -> list[Chapter]:
        """Return the chapters after the references, in the order of the outline."""
        return [chapter for chapter in self.chapters if chapter.id in set(self.layout.appendices)]
