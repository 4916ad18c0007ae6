"""All that a thesis is printed from, as values: what puts it together asks no rows (SPEC T5)."""

import posixpath
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from latex.includes import picture_folders, picture_paths
from projects import outlines

FRONT = outlines.FRONT.slug  # of the section whose text stands behind the forms, and before the contents
ABSTRACT = outlines.ABSTRACT.slug


class Chapter(NamedTuple):
    """A section of the outline. `number` is its place there, from 0; `words` how many it has."""

    id: str
    number: int
    slug: str
    title: str
    latex: str
    words: int = 0

    @property
    def pk(self) -> str:
        """Its id, by the name that rows have for it."""
        return self.id


class Work(NamedTuple):
    """A reference of the thesis: CSL-JSON under its key, with its tier ("" while it has none) and status (SPEC C2)."""

    key: str
    csl: dict[str, Any]
    tier: str = ""
    status: str = ""


class File(NamedTuple):
    """A file that belongs to the text, as sections.models.ThesisFile. `read` gives its bytes, or raises OSError."""

    path: str
    kind: str
    is_main: bool = False
    pieces: Sequence[dict[str, Any]] | None = None
    encoding: str = "utf-8"
    media_type: str = ""
    read: Callable[[], bytes] = bytes


def picture_finder(files: Iterable[File]) -> Callable[[str], File | None]:
    r"""Return what gives the file of `files` that `\includegraphics` means by a name, or None."""
    by_path = {posixpath.normpath(file.path): file for file in files}
    main = next((file for file in by_path.values() if file.is_main), None)
    texts = ["".join(piece.get("text", "") for piece in main.pieces or [])] if main else []
    folders = picture_folders(main.path if main else None, texts)
    return lambda name: next((by_path[path] for path in picture_paths(name, folders) if path in by_path), None)


class LayoutOf(NamedTuple):
    """How it is printed, as thesis.models.Layout. `appendices` are ids of sections."""

    template: str = "report"
    facts: dict[str, Any] = {}
    pages: dict[str, bool] = {}
    acknowledgements: str = ""
    abbreviations: str = ""
    appendices: Sequence[str] = ()


class AiUse(NamedTuple):
    """What is said in front about the use of AI (SPEC T9): the statement, a paragraph a line, and what stands in the text
    that the declaration therefore excepts: "model" (drafted by one), "quoted" (put together by the offline engine).

    `state` is none, unsaved, older or saved (thesis/authorship/statement.py).
    """

    statement: str = ""
    stands: Sequence[str] = ()
    state: str = "none"


@dataclass(frozen=True)
class Manuscript:
    """A thesis as it stands. `style` is the id of its CSL style; `chapters` are in the order of the outline."""

    title: str
    author: str
    style: str = "apa"
    chapters: list[Chapter] = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    works: list[Work] = field(default_factory=list)
    other_keys: dict[str, str] = field(default_factory=dict)  # of the works, each with the key of its work
    layout: LayoutOf = field(default_factory=LayoutOf)
    discipline: str = ""
    degree: str = ""
    ai_use: AiUse = field(default_factory=AiUse)

    @property
    def main(self) -> File | None:
        """The file that LaTeX is started on, in a thesis that was brought as LaTeX."""
        return next((file for file in self.files if file.is_main and file.pieces is not None), None)

    @property
    def is_brought(self) -> bool:
        """Whether it was brought as LaTeX with a main file, whose preamble and front matter count instead of ours."""
        return self.main is not None

    @property
    def body(self) -> list[Chapter]:
        """The chapters that stand before the references."""
        return [chapter for chapter in self.chapters if chapter.id not in set(self.layout.appendices)]

    @property
    def appendices(self) -> list[Chapter]:
        """The chapters that stand behind the references, in the order of the outline."""
        return [chapter for chapter in self.chapters if chapter.id in set(self.layout.appendices)]
