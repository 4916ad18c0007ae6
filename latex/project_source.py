r"""The files of a thesis written back from its sections: the same layout, unchanged text byte for byte (SPEC T2, T5).

Pure: pieces and sections in, files out. Sections that were moved within one file are moved there; added sections are
written to chapters/ and included by \input after the section they follow.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple, Protocol

from latex.headings import opening_before, shown
from latex.includes import Include, IncludeNotFound, find_included_file, includes
from latex.line_endings import line_count

CHAPTERS = "chapters"
_TAIL = re.compile(
    r"[ \t]*\\(?:bibliographystyle|bibliography|printbibliography|backmatter|printindex|printglossar"
    r"|end\s*\{document\})"
)
_EMPTY = "% This section is in the bin in Scholium.\n"


class SectionText(Protocol):
    """The attributes of a section that are needed to write it: a model instance, or values."""

    @property
    def pk(self) -> Any: ...
    @property
    def slug(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def latex(self) -> str: ...


class ThesisFileText(Protocol):
    """The attributes of a file that are needed to write it: a model instance, or values."""

    @property
    def path(self) -> str: ...
    @property
    def is_main(self) -> bool: ...
    @property
    def encoding(self) -> str: ...
    @property
    def pieces(self) -> Sequence[dict[str, Any]] | None: ...


class Stood(NamedTuple):
    """The place of a section in a written file: its first and its last line, from 1."""

    section: str
    first: int
    last: int


@dataclass
class Written:
    """Files by path, notes for the user, and the lines of the sections in each file."""

    files: dict[str, bytes] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    stood: dict[str, list[Stood]] = field(default_factory=dict)


@dataclass
class _Part:
    r"""A part of a file: text, a section, or a command that includes sections.

    `number` is the position in the outline of that section (of the first included one); None for other text.
    """

    text: str
    number: int | None = None
    section: str = ""


def write_tex(files: Sequence[ThesisFileText], sections: Sequence[SectionText]) -> Written:
    """Return the TeX files of a thesis with the text of its sections, also of sections that are in no file yet.

    `files` are all files of the thesis, `sections` those of its outline in order, without deleted ones.
    """
    return _Writing(files, sections).write()


class _Writing:
    def __init__(self, files: Sequence[ThesisFileText], sections: Sequence[SectionText]) -> None:
        self.made = Written()
        self.tex = {file.path: file for file in files if file.pieces is not None}
        self.paths = {file.path for file in files}
        self.main = next((file for file in self.tex.values() if file.is_main), None)
        self.root = posixpath.dirname(self.main.path) if self.main else ""
        self.place = {str(section.pk): place for place, section in enumerate(sections)}
        self.sections = list(sections)
        within = {path: [piece.get("section") for piece in file.pieces or []] for path, file in self.tex.items()}
        places = {path: [self.place[one] for one in ids if one in self.place] for path, ids in within.items()}
        self.first = {path: min(found) for path, found in places.items() if found}  # of the sections in each file
        self.emptied = {path for path, file in self.tex.items() if not places[path] and _is_one_section(file)}
        self.parts = {path: self._parts(file) for path, file in self.tex.items()}

    def write(self) -> Written:
        for path in self.tex:
            self._move(path)
        if self.main is not None:
            self._add()
        for path, file in self.tex.items():
            self.made.files[path] = self._encoded(file, "".join(part.text for part in self.parts[path]))
            self.made.stood[path] = list(_stood(self.parts[path]))
        return self.made

    def _parts(self, file: ThesisFileText) -> list[_Part]:
        pieces = file.pieces or []
        parts: list[_Part] = []
        for piece in pieces:
            if "section" not in piece:
                parts.append(_Part(piece["text"]))
            elif (place := self.place.get(piece["section"])) is not None:
                parts.append(_Part(self.sections[place].latex, place, piece["section"]))
            else:
                parts.append(_Part(_EMPTY if _is_one_section(file) else ""))
                self.made.notes.append(f"{file.path}: a section of this file was deleted, so its text was left out.")
        return self._opened(file.path, parts)

    def _opened(self, path: str, parts: list[_Part]) -> list[_Part]:
        """Return `parts` with each command that includes sections, and the headings right before it, as a part.

        Headings before a file whose section is in the bin are left out, as its text is.
        """
        seen = shown("".join(part.text for part in parts))
        found = [
            (include.start, include.end, self.first.get(target))
            for include in includes(seen)
            if (target := self._target(path, include)) in self.first or target in self.emptied
        ]
        opened: list[_Part] = []
        at = 0
        for part in parts:
            end, done = at + len(part.text), 0
            for start, stop, place in found if part.number is None else []:
                if at <= start and stop <= end:
                    opens = at + done + opening_before(seen[at + done : start])
                    kept = _Part(part.text[(start if place is None else opens) - at : stop - at], place)
                    opened += [_Part(part.text[done : opens - at]), kept]
                    done = stop - at
            opened.append(_Part(part.text[done:], part.number, part.section))
            at = end
        return opened

    def _target(self, path: str, include: Include) -> str:
        """Return the path of the file that `include`, in the file `path`, includes; "" if there is none."""
        try:
            return find_included_file(include, self.paths, root=self.root, beside=posixpath.dirname(path))
        except IncludeNotFound:
            return ""

    def _move(self, path: str) -> None:
        """Put the sections of a file, and the commands that include sections, into the order of the outline."""
        slots = [part for part in self.parts[path] if part.number is not None]
        ordered = sorted(slots, key=lambda part: part.number or 0)
        if ordered != slots:
            following = iter(ordered)
            self.parts[path] = [part if part.number is None else next(following) for part in self.parts[path]]
            self.made.notes.append(f"{path}: the sections in this file were reordered as in the outline.")

    def _add(self) -> None:
        r"""Write the sections that are in no file yet, each with an \input after the section it follows."""
        assert self.main
        within = {piece["section"] for file in self.tex.values() for piece in file.pieces or [] if "section" in piece}
        parts = self.parts[self.main.path]
        for place, section in enumerate(self.sections):
            if str(section.pk) in within:
                continue
            path = self._free_path(place, section)
            self.made.files[path] = section.latex.encode("utf-8")
            self.made.stood[path] = [Stood(str(section.pk), 1, line_count(section.latex))]
            command = _Part(f"\\input{{{posixpath.relpath(path, self.root or '.').removesuffix('.tex')}}}", place)
            before = [number for number, part in enumerate(parts) if part.number is not None and part.number < place]
            if before:
                parts[before[-1] + 1 : before[-1] + 1] = [_Part("\n"), command, _Part("\n")]
            else:
                self._add_first(parts, command)
            self.made.notes.append(f"{path}: “{section.title}” was added in Scholium; {self.main.path} includes it.")

    def _add_first(self, parts: list[_Part], command: _Part) -> None:
        r"""Insert `command` before the first section, else before the references, else at the end of the file."""
        after = [number for number, part in enumerate(parts) if part.number is not None]
        if after:
            parts[after[0] : after[0]] = [command, _Part("\n")]
            return
        whole = "".join(part.text for part in parts)
        seen = shown(whole)
        begin = re.search(r"\\begin\s*\{document\}", seen)
        tail = _TAIL.search(seen, begin.end() if begin else 0)
        at = tail.start() if tail else len(whole)
        parts[:] = [_Part(whole[:at]), _Part("\n"), command, _Part("\n"), _Part(whole[at:])]

    def _free_path(self, place: int, section: SectionText) -> str:
        stem = posixpath.join(self.root, CHAPTERS, f"{place:02d}-{section.slug}")
        taken = {path.casefold() for path in (*self.paths, *self.made.files)}
        paths = (f"{stem}{'' if number == 1 else f'-{number}'}.tex" for number in count(1))
        return next(path for path in paths if path.casefold() not in taken)

    def _encoded(self, file: ThesisFileText, text: str) -> bytes:
        try:
            return text.encode(file.encoding)
        except (UnicodeEncodeError, LookupError) as error:
            odd = text[error.start] if isinstance(error, UnicodeEncodeError) else ""
            line = text.count("\n", 0, error.start) + 1 if isinstance(error, UnicodeEncodeError) else 1
            self.made.notes.append(
                f"{file.path}: {file.encoding} cannot encode {odd!r} on line {line}, so this file was written in "
                "UTF-8. Change the encoding in the preamble to utf8, or write the character as a command."
            )
            return text.encode("utf-8")


def _is_one_section(file: ThesisFileText) -> bool:
    """Return whether a file holds a section and nothing else."""
    pieces = [piece for piece in file.pieces or [] if "section" in piece or piece["text"].strip()]
    return len(pieces) == 1 and "section" in pieces[0]


def _stood(parts: Sequence[_Part]) -> Iterator[Stood]:
    line = 1
    for part in parts:
        last = line + line_count(part.text) - 1
        if part.section:
            yield Stood(part.section, line, last)
        line = last


def pieces_of(pieces: Sequence[str | Any], ids: Mapping[int, str]) -> list[dict[str, str]]:
    """Return the pieces of an imported file as ThesisFile stores them; `ids` of sections by `id()` of the piece."""
    return [{"text": piece} if isinstance(piece, str) else {"section": ids[id(piece)]} for piece in pieces]
