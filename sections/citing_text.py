r"""The texts of a thesis in the order in which TeX reads them, each with the cite commands defined for it (SPEC C7).

Everything that looks for citations uses this module: audit, "used in", final gate, stripping, references.bib, Word,
preview.
"""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple, cast
from uuid import UUID

from django.core.files.storage import default_storage

from latex.cite_keys import visible
from latex.cite_macros import Macros, in_order
from latex.encoding import NotText, decode
from latex.includes import Include, IncludeNotFound, find_included_file, includes
from latex.project_source import ThesisFileText
from sections.models import ThesisFile

_PACKAGES = re.compile(
    r"\\(?P<kind>usepackage|RequirePackage(?:WithOptions)?|documentclass|LoadClass(?:WithOptions)?)\s*(?:\[[^\[\]]*\]\s*)?\{(?P<names>[^{}\\]*)\}"
)
# A computed file name, which only TeX knows: it may be any file that no other command includes
_COMPUTED = re.compile(
    r"\\(?:@?input|include|subfile|subfileinclude|InputIfFileExists|@input|usepackage|RequirePackage|documentclass|LoadClass)(?![A-Za-z])"
    r"\s*(?:\[[^\[\]]*\]\s*)?\{?\s*[^\s{}%#\\]*[#\\]"
    r"|\\(?:sub)?(?:import|includefrom|inputfrom)\*?\s*\{[^{}#\\]{0,200}(?:\}\s*\{[^{}#\\]{0,200})?[#\\]"
)
_WRITTEN = re.compile(r"\\begin\{(filecontents\*?)\}\s*(?:\[[^\[\]]*\]\s*)?\{([^{}\\]+)\}")
_TEX = (".tex", ".ltx", ".sty", ".cls", ".def", ".cfg", ".clo")
_DEEPEST = 12
# Packages whose commands are known; an imported copy of them is not read
_KNOWN = frozenset(
    ["natbib", "cite", "biblatex", "apacite", "jurabib", "harvard", "bibentry", "multibib", "chapterbib", "bibunits"]
    + ["achicago", "chicago", "mciteplus", "csquotes", "hyperref", "acro", "glossaries", "etoolbox", "xparse", "ltx-"]
)


class CitingText(NamedTuple):
    """A text with the macros defined for it: of the section with the id `section`, or ("") of the file `path`."""

    section: str
    path: str
    latex: str
    macros: Macros


def citing_texts(
    sections: Iterable[tuple[str, str]], files: Iterable[ThesisFileText], read: Callable[[Any], bytes]
) -> list[CitingText]:
    """Return the texts of a thesis in the order in which TeX reads them.

    `sections` are ids and texts in the order of the outline; `read` returns the bytes of a file. Files that nothing
    includes, and files whose bytes are missing, are left out.
    """
    found = [*_Walk(dict(sections), files, read).texts()]
    shown = [visible(text) if "\\" in text else "" for _, _, text in found]
    return [CitingText(*one, macros) for one, macros in zip(found, in_order(shown), strict=True)]


def tex_files(project_id: UUID) -> list[ThesisFile]:
    """Return the files of a thesis that may contain LaTeX."""
    return [
        row
        for row in ThesisFile.objects.filter(project=project_id).defer("added_by", "added_at").order_by("path")
        if row.path.lower().endswith(_TEX)
    ]


def stored_text(row: ThesisFile) -> bytes:
    """Return the bytes of `row`. They are cached by their SHA-256."""
    return _stored(row.blob.name, row.sha256) if row.blob else b""


@lru_cache(maxsize=128)
def _stored(name: str, digest: str) -> bytes:
    with default_storage.open(name) as kept:
        return cast(bytes, kept.read())


class _Walk:
    """One pass through the texts of a thesis, along the commands that include files."""

    def __init__(self, sections: dict[str, str], files: Iterable[ThesisFileText], read: Callable[[Any], bytes]) -> None:
        self.sections = sections
        self.files = {file.path: file for file in files if file.path.lower().endswith(_TEX)}
        self.main = next((file for file in self.files.values() if file.is_main and file.pieces is not None), None)
        self.root = posixpath.dirname(self.main.path) if self.main else ""
        self.read = read
        self.written: dict[str, str] = {}  # files that the text itself writes, by filecontents
        self.seen: set[str] = set()
        self.is_computed = False  # whether some command includes a file with a computed name

    def texts(self) -> Iterator[tuple[str, str, str]]:
        """Yield section, path and text of each text."""
        if self.main is not None:
            yield from self._file(self.main.path, 0)
        for section in self.sections:
            if section not in self.seen:
                yield from self._section(section, "", 0)
        for path in sorted(self.files) if self.is_computed else ():
            yield from self._file(path, 0)

    def _file(self, path: str, depth: int) -> Iterator[tuple[str, str, str]]:
        if path in self.seen or depth > _DEEPEST:
            return
        self.seen.add(path)
        file = self.files.get(path)
        if file is None or file.pieces is None:
            yield from self._text(self._read(path), path, depth)
            return
        for piece in file.pieces:
            if "text" in piece:
                yield from self._text(piece["text"], path, depth)
            elif piece.get("section") in self.sections:
                yield from self._section(piece["section"], path, depth)

    def _read(self, path: str) -> str:
        if path in self.written:
            return self.written[path]
        try:
            return decode(self.read(self.files[path]), self.main.encoding if self.main else "").text
        except (OSError, NotText):
            return ""

    def _section(self, section: str, path: str, depth: int) -> Iterator[tuple[str, str, str]]:
        self.seen.add(section)
        for _, _, target in self._taken_in(self.sections[section], path):
            yield from self._file(target, depth + 1)
        yield section, path, self.sections[section]

    def _text(self, latex: str, path: str, depth: int) -> Iterator[tuple[str, str, str]]:
        done = 0
        for start, end, target in self._taken_in(latex, path):
            if latex[done:start].strip():
                yield "", path, latex[done:start]
            yield from self._file(target, depth + 1)
            done = end
        if latex[done:].strip():
            yield "", path, latex[done:]

    def _taken_in(self, latex: str, path: str) -> list[tuple[int, int, str]]:
        """Return start, end and target of each command in `latex` that includes a file of the thesis."""
        if not self.files:
            return []
        self._keep_written(latex, path)
        shown = visible(latex)
        self.is_computed = self.is_computed or _COMPUTED.search(shown) is not None
        there = self.files.keys() | self.written.keys()
        found = []
        for include in [*includes(shown), *_packages(shown)]:
            with suppress(IncludeNotFound):
                found.append(
                    (
                        include.start,
                        include.end,
                        find_included_file(include, there, root=self.root, beside=posixpath.dirname(path)),
                    )
                )
        return sorted(found)

    def _keep_written(self, latex: str, path: str) -> None:
        r"""Note the files that `\begin{filecontents}{name}` writes, which are included as any other file."""
        for begun in _WRITTEN.finditer(latex):
            end = latex.find(f"\\end{{{begun[1]}}}", begun.end())
            name = posixpath.normpath(posixpath.join(self.root, begun[2].strip()))
            if end >= 0 and name not in self.files and name.lower().endswith(_TEX):
                self.written[name] = latex[begun.end() : end]


def _packages(shown: str) -> Iterator[Include]:
    """Yield the packages and the class that a text uses, except those whose commands are known."""
    for package in _PACKAGES.finditer(shown):
        ending = ".cls" if "lass" in package["kind"] else ".sty"
        for name in map(str.strip, package["names"].split(",")):
            if name not in _KNOWN:
                yield Include("input", f"{name}{ending}", *package.span())
