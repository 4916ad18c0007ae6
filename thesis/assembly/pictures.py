r"""The pictures of a text: the file of each, the name to write for TeX, and those that cannot be used (SPEC T5)."""

import posixpath
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from core.errors import Refused
from latex.cite_keys import visible
from latex.includes import FIGURES, picture_folders, picture_paths
from latex.text_edits import Edit
from thesis.manuscript import File, Manuscript
from untrusted.images import media_type_of, reencode

ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "application/pdf": ".pdf"}  # types that pdflatex accepts
_REDRAWN = {"image/gif", "image/webp"}  # converted to PNG
_OTHERS = (".svg", ".svgz", ".eps", ".ps", ".tif", ".tiff", ".bmp", ".gif", ".webp", ".emf", ".wmf")

_SHOWN = re.compile(
    r"\\(?:includegraphics|includepdf|adjincludegraphics|includesvg|pgfimage|lwincludegraphics)\*?[ \t]*"
    r"(?:<[^<>]*>[ \t]*)?(?:\[(?:[^\[\]{}]|\{[^{}]*\})*\]\s*){0,2}\{([^{}]*)\}"
)
_PLAIN = re.compile(r"[A-Za-z0-9_+./-]+")  # paths that every TeX accepts


class Shown(NamedTuple):
    """A picture in a text, whose `path` is the characters `start` to `end`."""

    path: str
    start: int
    end: int


class Missing(NamedTuple):
    """A picture that the text names and that is missing or cannot be used; `why` is a sentence."""

    path: str
    section: str
    line: int
    why: str = ""


def shown_in(latex: str) -> Iterator[Shown]:
    """Yield the pictures that `latex` names outside comments, verbatim text and definitions."""
    if "\\includ" not in latex and "\\adjincl" not in latex and "\\pgfimage" not in latex:
        return
    for found in _SHOWN.finditer(visible(latex)):
        path = found[1]
        if "#" not in path and "\\" not in path and path.strip():
            yield Shown(path, *found.span(1))


class Pictures:
    """The pictures of one thesis. `files` collects those that its texts use, under their names in the project."""

    def __init__(self, manuscript: Manuscript, texts: list[str]) -> None:
        self.files: dict[str, bytes] = {}
        self.notes: list[str] = []
        self.missing: dict[str, str] = {}  # why a picture cannot be shown, by the path the text has
        self._by_path = {file.path: file for file in manuscript.files if file.pieces is None}
        self._folders = picture_folders(manuscript.main.path if manuscript.main else None, texts)
        self._brought = manuscript.is_brought
        self._root = posixpath.dirname(manuscript.main.path) if manuscript.main else ""
        self._taken = {path.casefold() for path in self._by_path}
        self._written: dict[str, str] = {}  # by the file's path
        self._named: dict[str, str | None] = {}  # by the path the text has

    def edits(self, latex: str) -> tuple[list[Edit], list[Shown]]:
        """Return edits for the paths in `latex` that change, and the pictures that cannot be shown."""
        edits, missing = [], []
        for one in shown_in(latex):
            if one.path not in self._named:
                self._named[one.path] = self._name(one.path)
            if (name := self._named[one.path]) is None:
                missing.append(one)
            elif name != one.path:
                edits.append(Edit(one.start, one.end, name))
        return edits, missing

    def _name(self, path: str) -> str | None:
        """Return the path to write for `path`; None, with the reason in `missing`, when there is no picture to show."""
        file = next(filter(None, map(self._by_path.get, picture_paths(path, self._folders))), None)
        if file is None:
            self.missing[path] = _why_not(path)
            return None
        try:
            if file.path not in self._written:
                self._written[file.path] = self._take(file)
        except Refused as refused:
            self.missing[path] = refused.message
            return None
        kept = self._written[file.path]
        named = posixpath.relpath(kept, self._root or ".")
        is_right = self._brought or posixpath.normpath(path) in (named, posixpath.splitext(named)[0])
        return path if kept == file.path and _PLAIN.fullmatch(path) and is_right else named  # unchanged if possible

    def _take(self, file: File) -> str:
        """Add the picture to `files` and return its name there. Raises Refused when LaTeX cannot use it."""
        try:
            data = file.read()
        except OSError:
            raise Refused("The file cannot be read from the disk. Upload the picture again.", field="file") from None
        media_type = media_type_of(data[:16])
        if media_type in _REDRAWN:
            data = _as_png(data, file.path)
            self.notes.append(
                f"{file.path} is a {media_type[6:].upper()}, which LaTeX cannot use: it was converted to PNG."
            )
            media_type = "image/png"
        if media_type not in ENDINGS:
            raise Refused(_why_not(file.path), field="file")
        name = self._free_name(file.path, ENDINGS[media_type])
        self.files[name] = data
        return name

    def _free_name(self, path: str, ending: str) -> str:
        """Return `path` if TeX accepts it and its ending matches the content; else an unused path similar to it."""
        stem, written = posixpath.splitext(path)
        is_right = written.lower() in {ending, ".jpeg" if ending == ".jpg" else ending}
        if is_right and _PLAIN.fullmatch(path) and "." not in stem and not path.startswith(("-", "/")):
            return path
        folder, base = posixpath.split(stem)
        folder = folder if _PLAIN.fullmatch(folder) and "." not in folder else FIGURES
        base = re.sub(r"[^A-Za-z0-9_+-]+", "-", _unaccented(base)).strip("-") or "figure"
        number = 1
        while (name := f"{folder}/{base}{'' if number == 1 else f'-{number}'}{ending}").casefold() in self._taken:
            number += 1
        self._taken.add(name.casefold())
        return name


@lru_cache(maxsize=32)
def _as_png(data: bytes, name: str) -> bytes:
    return reencode(data, name).data


def _unaccented(text: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))


def _why_not(path: str) -> str:
    ending = posixpath.splitext(path.strip().lower())[1]
    if ending in (".svg", ".svgz"):
        return "LaTeX cannot use SVG files. Export it as PDF or PNG and insert that instead."
    if ending in _OTHERS:
        return f"LaTeX cannot use {ending} files. Save it as PDF or PNG and insert that instead."
    return "There is no such picture in the files of this thesis. Insert it again, or correct its name."
