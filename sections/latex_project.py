r"""Reading a LaTeX project as a thesis: which parts of its files become sections, and which stay files (SPEC T2, T5).

Pure: paths and bytes in, pieces out. The pieces of a file, joined and encoded in its encoding, are exactly its bytes.
"""

import posixpath
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from latex.encoding import NotText, declared_in, decode
from latex.headings import AROUND, end_of_prose, has_heading, headings, only_opens, prose, shown, title_from_file_name
from latex.includes import TEX, Include, IncludeNotFound, documents, find_included_file, includes, likelihood, title_in
from sections.models import MOST_CHARACTERS, MOST_SECTIONS

MOST_TOLD = 60  # notes on one file
_DEEPEST = 40  # levels of files that include each other
_CLASS = re.compile(r"\\documentclass(?![A-Za-z])")
_BEGIN = re.compile(r"\\begin\s*\{document\}")
# Commands that end the text of a chapter if no prose follows: the list of references, the next part, the end
_TAIL = re.compile(
    r"\\(?:appendix|backmatter|mainmatter|frontmatter|bibliography|bibliographystyle|printbibliography|printindex"
    r"|printglossaries|printglossary|printacronyms|part|cleardoublepage|clearpage|newpage|addtocontents)(?![A-Za-z])"
    rf"|\\begin\s*\{{(?:{AROUND}|thebibliography)\}}|\\end\s*\{{(?:{AROUND})\}}"
)
_NAMED_PART = re.compile(r"\\(?:part|addpart)\*?\s*+(?:\[[^\[\]]*\]\s*+)?\{[^{}]*\}")
# Parts with words that belong to no chapter
_NOT_ITS_OWN = re.compile(
    _NAMED_PART.pattern + r"|\\begin\s*+\{thebibliography\}(?s:.*?)(?:\\end\s*+\{thebibliography\}|\Z)"
)
_REFERENCES = re.compile(
    r"\\(?:bibliography|addbibresource|addglobalbib|nobibliography)\*?\s*+(?:\[[^\[\]]*\]\s*+)?\{([^{}]*)\}"
)
_ENOUGH = 40  # words of prose that make an included file without a heading a section of its own
_GAP = 8  # words of prose between two chapters that make a section of their own
FRONT, BETWEEN = "Front matter", "Between two chapters"
_APART = ("include", "subfile", "subfileinclude", "includefrom", "subincludefrom")


class _Cut(NamedTuple):
    """A stretch of a text. `title` is None if it is not a section, and "" for a section without its own heading."""

    start: int
    end: int
    title: str | None


@dataclass
class TexSection:
    """A part of a file that is a section of the thesis, with its exact text."""

    title: str
    latex: str


Piece = str | TexSection


@dataclass
class TexFile:
    """A TeX file of a project. Its `pieces`, joined and encoded in `encoding`, are the file; None if it is not split.

    `became` tells people what it became, `warnings` what they should check.
    """

    path: str
    encoding: str = "utf-8"
    pieces: list[Piece] | None = None
    is_main: bool = False
    became: str = "kept unchanged"
    warnings: list[str] = field(default_factory=list)

    @property
    def sections(self) -> list[TexSection]:
        """The sections among its pieces."""
        return [piece for piece in self.pieces or [] if isinstance(piece, TexSection)]


@dataclass
class LatexProject:
    """A LaTeX project after reading: `sections` in the order of the document, TeX `files` by path, and its `title`.

    `references` are the .bib files that the text uses, or all of them if it uses none.
    """

    main: str
    title: str
    files: dict[str, TexFile]
    sections: list[TexSection]
    references: list[str]
    notes: list[str]


class NoMain(Exception):
    """A project without a main file. The message says why."""


def read_project(
    paths: Mapping[str, int], read: Callable[[str], bytes], most_sections: int, main: str = ""
) -> LatexProject:
    """Read the project of the files at `paths` (with their sizes in bytes). `read` returns the bytes of a path.

    `main` is the file that LaTeX is run on; if empty, it is found by its structure (latex.includes). Sections beyond
    `most_sections` stay in their files. Raises NoMain, and NotText if the main file cannot be read.
    """
    return _ProjectReader(paths, read, most_sections, main).project()


class _Text(NamedTuple):
    """The text of a TeX file, and the same text as TeX sees it, without comments."""

    text: str
    seen: str
    encoding: str
    warnings: list[str]


class _ProjectReader:
    """One pass through a project, from its main file along the files that it includes."""

    def __init__(self, paths: Mapping[str, int], read: Callable[[str], bytes], most: int, chosen: str) -> None:
        self.paths, self.read, self.most, self.chosen = paths, read, most, chosen
        self.files = {path: TexFile(path) for path in paths if path.lower().endswith(TEX)}
        self.notes: list[str] = []
        self.sections: list[TexSection] = []
        self.texts: dict[str, _Text] = {}
        self.walked: set[str] = set()
        self.under: list[str] = []  # the files being read, each included by the one before
        self.declared = ""
        self.root = ""
        self.level = "chapter"
        self.chaptered: set[str] = set()
        self.is_full = False

    def project(self) -> LatexProject:
        """Read the project."""
        main = self._main()
        self.texts = {}  # read again, now that the declared encoding is known
        self.root, self.declared = posixpath.dirname(main), declared_in(self.read(main))
        file, text = self.files[main], self._text(main)
        file.is_main = True
        self._find_chapters(main)
        self._walk(file, text, top=True)
        file.became = "the main file" + (f", with {sections_note(file.sections)}" if file.sections else "")
        self._tell_unused()
        return LatexProject(main, title_in(text.seen), self.files, self.sections, self._references(), self.notes)

    def _tell_unused(self) -> None:
        for path, file in self.files.items():
            if path not in self.walked:
                try:
                    file.warnings += self._text(path).warnings
                except NotText as error:
                    _add_note(file.warnings, f"It {error}")
            if file.became == "kept unchanged":
                file.became = "kept unchanged: no other file includes it"

    def _main(self) -> str:
        """Return the main file. If several are possible, a person has chosen one (thesis.importing.import_job)."""
        if not self.files:
            raise NoMain("It contains no .tex file.")
        if self.chosen or len(self.files) == 1:
            return self.chosen or next(iter(self.files))
        found = documents(self.paths, self.read)
        if not found:
            self._text(min(self.files, key=likelihood))  # raises NotText if the likely main file is not text
            raise NoMain(
                "None of its .tex files begins with \\documentclass, so the main file is unknown. Add it to the "
                "archive, or import the chapters one by one."
            )
        if len(found) > 1:  # an older import, from before people were asked for the main file
            others = ", ".join(one.path for one in found[1:6]) + (" and more" if len(found) > 6 else "")
            _add_note(
                self.notes, f"{found[0].path} was used as the main file. These files are documents too: {others}."
            )
        return found[0].path

    def _text(self, path: str) -> _Text:
        if path not in self.texts:
            decoded = decode(self.read(path), self.declared)
            self.texts[path] = _Text(decoded.text, shown(decoded.text), decoded.encoding, decoded.warnings)
        return self.texts[path]

    def _target(self, include: Include, path: str) -> str:
        return find_included_file(include, self.paths, root=self.root, beside=posixpath.dirname(path))

    def _find_chapters(self, main: str) -> None:
        """Find the files with chapters, and the files that include these. If there are none, use sections instead."""
        taken: dict[str, list[str]] = {}
        waiting = [main]
        while waiting:
            at = waiting.pop()
            if at not in taken:
                taken[at] = self._targets(at)
                waiting += taken[at]
        for level in ("chapter", "section"):
            self.level = level
            further = {path for path in taken if self._has(path, level)}
            self.chaptered = set()
            while further:
                self.chaptered |= further
                further = {path for path, targets in taken.items() if further.intersection(targets)} - self.chaptered
            if main in self.chaptered:
                return

    def _has(self, path: str, level: str) -> bool:
        with suppress(NotText):
            return bool(headings(self._text(path).seen, level))
        return False

    def _targets(self, path: str) -> list[str]:
        """Return the files that a file includes; none if it is not text."""
        found: dict[str, None] = {}
        with suppress(NotText):
            for include in includes(self._text(path).seen):
                with suppress(IncludeNotFound):
                    found[self._target(include, path)] = None
        return list(found)

    def _references(self) -> list[str]:
        there = [path for path in self.paths if path.lower().endswith(".bib")]
        seen = [self.texts[path].seen for path in sorted(self.walked) if path in self.texts]
        named = {name.strip() for text in seen for found in _REFERENCES.finditer(text) for name in found[1].split(",")}
        wanted = {posixpath.normpath(posixpath.join(self.root, name.removesuffix(".bib") + ".bib")) for name in named}
        items = sum(text.count("\\bibitem") for text in seen)
        if items:
            _add_note(
                self.notes,
                f"{items:,} references are written as \\bibitem in the text. They stay text: import them as BibTeX to "
                "have them checked.",
            )
        return [path for path in there if path in wanted] or there

    def _walk(self, file: TexFile, text: _Text, *, top: bool, title: str = "") -> None:
        """Split `file` into sections and the text between them, then read the files that it includes.

        `top` says that its text is not a part of another section. `title` is the heading before the command that
        includes it.
        """
        self.under.append(file.path)
        self.walked.add(file.path)
        file.encoding, file.warnings = text.encoding, [*file.warnings, *text.warnings]
        begin = _BEGIN.search(text.seen)
        body = begin.end() if begin else 0
        if begin is None and _CLASS.search(text.seen):
            body = len(text.seen)  # the whole file is a preamble
        taken = [(include, target) for include in includes(text.seen) if (target := self._told_target(file, include))]
        for target in (target for include, target in taken if include.start < body):
            before = self.files.setdefault(target, TexFile(target))
            before.became = f"kept unchanged: {file.path} includes it before the text begins"
        taken = [one for one in taken if one[0].start >= body]
        if file.is_main or begin is not None or (self.level == "chapter" and len(headings(text.seen, "chapter")) > 1):
            cuts = self._cuts(text.seen, body, taken if top else [])
        else:
            cuts = self._whole(file, text.seen, title, top=top)
        self._lay_out(file, text, cuts, {include.start: target for include, target in taken})
        self.under.pop()

    def _told_target(self, file: TexFile, include: Include) -> str:
        try:
            target = self._target(include, file.path)
        except IncludeNotFound as nowhere:
            _add_note(file.warnings, str(nowhere))
            return ""
        if target in self.under:
            said = f"\\{include.command}{{{include.name}}} includes a file that includes this one. It was not followed."
        elif len(self.under) > _DEEPEST:
            said = f"More than {_DEEPEST} files are nested in each other. The rest was not followed."
        else:
            return target
        _add_note(file.warnings, said)
        return ""

    def _cuts(self, seen: str, body: int, taken: list[tuple[Include, str]]) -> list[_Cut]:
        """Return the stretches of a file that contains or includes several chapters."""
        end = len(seen)
        heads = [one for one in headings(seen, self.level) if one.start >= body]
        apart = [include for include, target in taken if include.command in _APART or target in self.chaptered]
        marks: list[tuple[int, int, str | None]] = [(one.start, one.start, one.title) for one in heads]
        marks = sorted([*marks, *((one.start, one.end, None) for one in apart)], key=lambda mark: mark[:2])
        front = FRONT if marks else ""
        stretches = [_Cut(0, body, None)] if body else []
        at, title = body, None
        for start, stop, name in [*marks, (end, end, None)]:
            stretches += _stretch(seen, at, start, title, front if at == body else None)
            if stop > start:
                stretches.append(_Cut(start, stop, None))
            at, title = stop, name
        return stretches

    def _whole(self, file: TexFile, seen: str, title: str, *, top: bool) -> list[_Cut]:
        """Return an included file as one stretch: a section if it has prose; tables and macros stay files."""
        if not has_heading(seen) and prose(seen) < (1 if top else _ENOUGH):
            return [_Cut(0, len(seen), None)]
        heads = headings(seen, self.level) or ([] if title else headings(seen, "section"))
        return [_Cut(0, len(seen), (heads[0].title if heads else title) or title_from_file_name(file.path))]

    def _lay_out(self, file: TexFile, text: _Text, cuts: list[_Cut], taken: dict[int, str]) -> None:
        """Turn the stretches of `file` into its pieces, and read the files that each of them includes."""
        pieces: list[Piece] = []
        for start, end, title in cuts:
            inside = [at for at in sorted(taken) if start <= at < end]
            heading = title or ""
            is_hull = len(inside) == 1 and only_opens(text.seen[start : inside[0]], text.seen[inside[0] : end])
            if title is not None and (is_hull or self._stays(file, end - start)):
                title = None
            if title is None:
                pieces.append(text.text[start:end])
            else:
                section = TexSection(title or title_from_file_name(file.path), text.text[start:end])
                pieces.append(section)
                self.sections.append(section)
            for at in inside:
                self._take_in(taken[at], file.path, top=title is None, title=heading if title is None else "")
                heading = ""
        if file.is_main or any(isinstance(piece, TexSection) for piece in pieces):
            file.pieces = _joined(pieces)
            file.became = sections_note(file.sections)

    def _stays(self, file: TexFile, length: int) -> bool:
        """Return whether a part of a file must stay in the file. The reason is noted once."""
        if length > MOST_CHARACTERS:
            _add_note(
                file.warnings,
                f"A part of {length:,} characters is too long for a section (at most {MOST_CHARACTERS:,}). It stays in "
                "the file unchanged.",
            )
            return True
        is_full = len(self.sections) >= self.most
        if is_full and not self.is_full:
            _add_note(
                self.notes,
                f"A thesis can have at most {MOST_SECTIONS} sections. The rest stays in its files: see {file.path}.",
            )
        self.is_full = self.is_full or is_full
        return is_full

    def _take_in(self, path: str, by: str, *, top: bool, title: str) -> None:
        file = self.files.setdefault(path, TexFile(path))
        if path in self.walked:
            _add_note(self.notes, f"{path} is included more than once. Its text was imported once.")
            return
        try:
            text = self._text(path)
        except NotText as error:
            self.walked.add(path)
            file.became = f"kept unchanged: {by} includes it, but its text cannot be a section"
            _add_note(file.warnings, f"It {error}")
            return
        file.became = f"kept unchanged: {by} includes it"
        self._walk(file, text, top=top, title=title)


def _stretch(seen: str, start: int, end: int, title: str | None, front: str | None) -> list[_Cut]:
    """Return the stretches from one heading to the next: a chapter, then what is not part of it, such as references.

    `title` is None if no heading begins it. Then `front` is the title of text before the first chapter, and None for
    text between two chapters.
    """
    if start >= end:
        return []
    stop = _tail(seen, start, end)
    if title is None:
        if prose(_NAMED_PART.sub(" ", seen[start:stop])) < (_GAP if front is None else 1):
            return [_Cut(start, end, None)]
        title = BETWEEN if front is None else front
    return [_Cut(start, stop, title), *([_Cut(stop, end, None)] if stop < end else [])]


def _tail(seen: str, start: int, end: int) -> int:
    """Return the end of a chapter: the first command after its last prose that belongs to the thesis as a whole."""
    behind = max(end_of_prose(_NOT_ITS_OWN.sub(lambda found: " " * len(found[0]), seen[start:end])), 0) + start
    found = _TAIL.search(seen, behind, end)
    return found.start() if found else end


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Return `pieces` with neighbouring texts joined."""
    joined: list[Piece] = []
    for is_text, group in groupby(pieces, lambda piece: isinstance(piece, str)):
        several = list(group)
        joined += ["".join(map(str, several))] if is_text else several
    return joined


def _add_note(told: list[str], said: str) -> None:
    """Add a note, once, up to MOST_TOLD notes."""
    if said not in told and len(told) < MOST_TOLD:
        told.append(said if len(told) < MOST_TOLD - 1 else "And more such notes.")


def sections_note(sections: list[TexSection]) -> str:
    """Return what a file with `sections` became, for people."""
    if len(sections) == 1:
        return f"section “{sections[0].title}”"
    named = ", ".join(section.title for section in sections[:8]) + (" and more" if len(sections) > 8 else "")
    return f"{len(sections)} sections: {named}"
