r"""A manuscript as a LaTeX project that compiles anywhere (SPEC T5).

Sections, references, figures and front matter go in; files, and what is wrong with them, come out. Nothing else is read
or written but the bytes of the thesis's files. Only text outside comments and verbatim is changed: citations of tier D
are removed, and names that TeX or BibTeX cannot handle are replaced.
"""

import posixpath
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from citations.formats.reading import Entry
from latex.cite_edits import UNRESOLVED, replace_keys
from latex.cite_keys import EVERYTHING, visible
from latex.cite_macros import NONE, Macros
from latex.line_endings import line_count
from latex.project_source import Stood
from latex.text_edits import apply_edits
from sections.citing_text import citing_texts
from thesis.assembly import imported_layout, native_layout
from thesis.assembly.bibtex_style import VANCOUVER, Style, style_for
from thesis.assembly.draft_trailers import Text, without_trailers
from thesis.assembly.latex_checks import Loose, Passage, Unclosed, Undefined, keys_in, references, unclosed, undefined
from thesis.assembly.line_map import Lines, line_at, stripped, through
from thesis.assembly.pictures import Missing, Pictures
from thesis.assembly.readme import NAME, OTHER_NAME, readme
from thesis.assembly.references import References, as_bib, references_of, renamed
from thesis.front_matter.page_fields import front_text
from thesis.manuscript import FRONT, Chapter, File, Manuscript
from thesis.numbering import section_numbers

__all__ = ["Assembled", "Loose", "Missing", "Place", "Stripped", "Unclosed", "Undefined", "assemble"]

BIB = "references.bib"
_BIBITEM = re.compile(r"\\bibitem[ \t]*(?:\[(?:[^\[\]{}]|\{[^{}]*\})*\])?[ \t]*\{([^{}]+)\}")
_COMBINED = re.compile("[A-Za-z][\u0300-\u036f]+")


_ASKS_FOR_VANCOUVER = re.compile(rb"\\bibliographystyle\s*\{\s*vancouver\s*\}")


class Stripped(NamedTuple):
    """A key of tier D that was removed, and the ids of the sections that cite it ("" for text between sections)."""

    key: str
    sections: list[str]


class Place(NamedTuple):
    """A line of a section, counted from 1."""

    section: str
    line: int


@dataclass
class Assembled:
    """A LaTeX project: `files` by path; LaTeX is started on `main`, in its folder.

    `stripped` to `unclosed` are problems with their sections and lines; `notes` are sentences. The problems are those
    of the whole thesis, also when only one section was assembled. `chapter_paths` has the file of each section, `stood`
    which lines of a file are which section, `lines` the original line of each line of a changed section.
    """

    files: dict[str, bytes]
    main: str
    stripped: list[Stripped] = field(default_factory=list)
    undefined: list[Undefined] = field(default_factory=list)
    loose_refs: list[Loose] = field(default_factory=list)
    doubled_labels: list[Loose] = field(default_factory=list)
    missing_pictures: list[Missing] = field(default_factory=list)
    unclosed: list[Unclosed] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    chapter_paths: dict[str, str] = field(default_factory=dict)
    stood: dict[str, list[Stood]] = field(default_factory=dict)
    lines: dict[str, Lines] = field(default_factory=dict)

    def place(self, path: str, line: int) -> Place | None:
        """Return the section and line that line `line` (from 1) of the file `path` comes from, or None."""
        path = posixpath.normpath(path.replace("\\", "/"))
        for section, first, last in self.stood.get(path, []):
            if first <= line <= last:
                own = line - first
                lines = self.lines.get(section)
                return Place(section, lines[min(own, len(lines) - 1)] if lines else own + 1)
        return None


def assemble(manuscript: Manuscript, *, only: str | None = None, strip: bool = True) -> Assembled:
    """Return `manuscript` as a LaTeX project.

    `only`: the id of a single section to print, with its references and its own number. `strip` False: citations of
    tier D stay in the text and in the references. Raises KeyError for an unknown section.
    """
    if only is not None and all(chapter.id != only for chapter in manuscript.chapters):
        raise KeyError(only)
    return _Assembly(manuscript, only, strip=strip).made


class _Assembly:
    def __init__(self, manuscript: Manuscript, only: str | None, *, strip: bool) -> None:
        self.manuscript, self.only, self.strip = manuscript, only, strip
        self.made = Assembled({}, native_layout.MAIN)
        self.entries: list[Entry] = []
        self.texts = {chapter.id: self._read(chapter) for chapter in manuscript.chapters}
        self.files: list[File] = []
        if manuscript.is_brought:
            self.files, self.made.main = imported_layout.at_its_root(manuscript)
        # TeX text outside sections: between them, and in files without any
        pieces = ((file, piece) for file in self.files for piece in file.pieces or [])
        self.others = [(file, piece["text"]) for file, piece in pieces if "text" in piece]
        self.others += imported_layout.texts_of(self.files)
        self.macros, self.macros_between = self._macros()
        self.pictures = Pictures(
            replace(manuscript, files=self.files or manuscript.files),
            [*(text for _, text in self.others), *(text.latex for text in self.texts.values())],
        )
        self.references = self._references()
        self.keys = self._keys()
        self._check()
        self._write()

    def _read(self, chapter: Chapter) -> Text:
        latex = chapter.latex
        if not self.manuscript.is_brought:
            latex = _composed(front_text(latex) if chapter.slug == FRONT else latex)
        text = without_trailers(latex)
        self.entries += text.entries
        return text

    def _macros(self) -> tuple[dict[str, Macros], dict[tuple[str, str], Macros]]:
        """Return the thesis's own cite commands by section id, and for other texts by path and text."""
        chapters = [(one.id, self.texts[one.id].latex) for one in self.manuscript.chapters]
        texts = citing_texts(chapters, self.files, lambda file: file.read())
        return {one.section: one.macros for one in texts}, {(one.path, one.latex): one.macros for one in texts}

    def _between(self, path: str, latex: str) -> Macros:
        return self.macros_between.get((path, latex)) or next(reversed(self.macros_between.values()), NONE)

    def _passages(self) -> Iterator[Passage]:
        """Yield the text of each section without trailers, then the texts outside sections."""
        for one in self.manuscript.chapters:
            yield Passage(one.id, self.texts[one.id].latex, self.macros[one.id])
        for file, text in self.others:
            yield Passage("", text, self._between(file.path, text))

    # References

    def _references(self) -> References:
        """Return the references of the whole thesis, or of its one section."""
        passages = (one for one in self._passages() if not one.section or self.only in (None, one.section))
        cited = dict.fromkeys(key for one in passages for key in keys_in(one.latex, one.macros))
        everything = cited.pop(EVERYTHING, cited) is None
        return references_of(self.manuscript, cited, everything, self.entries, strip=self.strip)

    def _keys(self) -> dict[str, str]:
        """Return new keys by old ones: the key of the same work, or a name that BibTeX accepts."""
        cited = dict.fromkeys(key for one in self._passages() for key in keys_in(one.latex, one.macros))
        cited.pop(EVERYTHING, None)
        same = self.references.same
        names = renamed([same.get(key, key) for key in cited], self.references.by_key)
        keys = [*cited, *self.references.by_key]
        return {key: name for key in keys if (name := names.get(same.get(key, key), same.get(key, key))) != key}

    # Problems

    def _check(self) -> None:
        manuscript, made = self.manuscript, self.made
        passages = [Passage(one.id, self._original(one), self.macros[one.id]) for one in manuscript.chapters]
        between = [one for one in self._passages() if not one.section]
        made.loose_refs, made.doubled_labels = references(passages, [one.latex for one in between])
        made.unclosed = [one for passage in passages for one in unclosed(passage)]
        defined = (
            {work.key for work in manuscript.works}
            | {entry.key for entry in self.entries}
            | set(self.references.elsewhere)
            | manuscript.other_keys.keys()
            | self.references.same.keys()
        )
        defined |= {
            " ".join(found[1].split())
            for _, text, _ in [*passages, *between]
            if "\\bibitem" in text
            for found in _BIBITEM.finditer(visible(text))
        }
        made.undefined = undefined([*passages, *between], defined)
        if withheld := self._withheld():
            cites: dict[str, dict[str, None]] = {}  # the sections in their order, by key
            for section, text, macros in [*passages, *between]:
                for key in withheld.intersection(keys_in(text, macros)):
                    cites.setdefault(key, {})[section] = None
            made.stripped = [Stripped(key, list(cites[key])) for key in sorted(cites)]

    def _withheld(self) -> set[str]:
        """Return the keys of tier D, and other keys of the same works."""
        withheld = self.references.withheld
        return withheld | {key for key, other in self.references.same.items() if other in withheld}

    def _original(self, chapter: Chapter) -> str:
        """Return the original text of a section with its BibTeX trailers blanked out, so that line numbers stay."""
        if self.texts[chapter.id].lines is None:
            return chapter.latex
        lines = chapter.latex.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        kept = set(self.texts[chapter.id].lines or ())
        return "\n".join(line if number in kept else "" for number, line in enumerate(lines, start=1))

    # Output

    def _changed(self, latex: str, encoding: str, macros: Macros) -> tuple[str, Lines | None]:
        """Return `latex` without citations of tier D and with new names of keys and pictures, and its line map."""
        withheld = self._withheld()
        said = UNRESOLVED if _writes(UNRESOLVED, encoding) else UNRESOLVED.replace("—", "-")
        latex, lines = stripped(latex, withheld, said, macros) if withheld else (latex, None)
        latex = replace_keys(latex, self.keys, macros)
        return apply_edits(latex, self.pictures.edits(latex)[0]), lines

    def _written(self, chapter: Chapter, encoding: str = "utf-8") -> Chapter:
        text = self.texts[chapter.id]
        self._tell_missing(chapter.id, self._original(chapter))
        latex, lines = self._changed(text.latex, encoding, self.macros[chapter.id])
        if (whole := through(lines, text.lines)) is not None:
            self.made.lines[chapter.id] = whole
        return chapter._replace(latex=latex)

    def _tell_missing(self, section: str, latex: str) -> None:
        for one in self.pictures.edits(latex)[1]:
            line, why = line_at(latex, one.start), self.pictures.missing[one.path]
            self.made.missing_pictures.append(Missing(one.path, section, line, why))

    def _write(self) -> None:
        made = self.made
        works = [(self.keys.get(key, key), work) for key, work in self.references.by_key.items()]
        if self.manuscript.is_brought:
            style = None
            lists = self._write_imported(bool(works))
        else:
            text = "\n".join(text.latex for text in self.texts.values())
            style = style_for(self.manuscript.style, text) if works else None
            lists = self._write_begun(style)
        bib, notes = as_bib(
            works, labelled=style is not None and style.cites_by_year, vancouver=self._is_vancouver(style)
        )
        made.files[BIB] = bib.encode()
        if style is not None:
            made.files[f"{style.name}.bst"] = style.data
        made.files |= {path: data for path, data in self.pictures.files.items() if imported_layout.is_safe(path)}
        made.notes += [*self.pictures.notes, *notes, *self._told()]
        name = OTHER_NAME if NAME in made.files else NAME
        lists = [*lists, ("Notes", made.notes)]
        made.files[name] = readme(self.manuscript, made.main, style, lists, works=len(works))

    def _is_vancouver(self, style: Style | None) -> bool:
        """Return whether vancouver.bst prints the references: as the chosen style or by the thesis's own command."""
        if style is not None:
            return style.name == VANCOUVER
        return any(_ASKS_FOR_VANCOUVER.search(data) for path, data in self.made.files.items() if path.endswith(".tex"))

    def _write_begun(self, style: Style | None) -> list[tuple[str, Sequence[str]]]:
        made = self.made
        chapters = [self._written(one) for one in self.manuscript.chapters]
        laid = native_layout.lay_out(replace(self.manuscript, chapters=chapters), style, self.only)
        own = native_layout.prints_references([one.latex for one in chapters])
        made.chapter_paths = laid.chapter_paths
        for path, text in laid.texts.items():
            made.files[path] = (_ours(text, style is not None) if own else text).encode("utf-8", "replace")
        made.stood |= {
            path: [Stood(section, 1, line_count(laid.texts[path]))] for section, path in laid.chapter_paths.items()
        }
        return self._lists()

    def _write_imported(self, any_cited: bool) -> list[tuple[str, Sequence[str]]]:
        made, files = self.made, self.files
        encodings = {
            piece["section"]: file.encoding for file in files for piece in file.pieces or [] if "section" in piece
        }
        chapters = [self._written(one, encodings.get(one.id, "utf-8")) for one in self.manuscript.chapters]
        chapters = [one._replace(latex=_ours(one.latex, any_cited)) for one in chapters]

        def change(file: File, text: str) -> str:
            self._tell_missing("", text)
            return _ours(self._changed(text, file.encoding, self._between(file.path, text))[0], any_cited)

        if self.only is not None:
            numbers = section_numbers(self.manuscript, self.only)
            files, chapters = imported_layout.alone(files, made.main, chapters, self.only, numbers)
        laid = imported_layout.lay_out(files, made.main, chapters, change)
        made.files, made.stood = laid.files, laid.stood
        made.notes += laid.notes
        made.chapter_paths = {stood.section: path for path, several in laid.stood.items() for stood in several}
        programs = [
            f"{path} was renamed to {path}.txt: it is a program or a setting that a compiler would load by itself. "
            "Check it, and rename it back if you want it."
            for path in laid.renamed
        ]
        return [*self._lists(), ("Renamed files", programs), ("Files left out", laid.left_out)]

    def _lists(self) -> list[tuple[str, Sequence[str]]]:
        made = self.made
        titles = {one.id: one.title for one in self.manuscript.chapters}
        where: Callable[[str], str] = lambda section: titles.get(section, "between the sections")  # noqa: E731
        return [
            (
                "Citations left out: their works could not be found, or differ from what was cited",
                [f"{one.key}: {'; '.join(where(section) for section in one.sections)}" for one in made.stripped],
            ),
            (
                "Citation keys without a reference",
                [f"{one.key}: {where(one.section)}, line {one.line}" for one in made.undefined],
            ),
            (
                "References to unknown labels",
                [f"{one.label}: {where(one.section)}, line {one.line}" for one in made.loose_refs],
            ),
            (
                "Missing pictures",
                [f"{one.path}: {where(one.section)}, line {one.line}. {one.why}" for one in made.missing_pictures],
            ),
        ]

    def _told(self) -> list[str]:
        told = []
        if loose := self.references.elsewhere:
            one = len(loose) == 1
            told.append(
                f"{', '.join(loose[:10])}{' and more' if len(loose) > 10 else ''}: "
                f"{'this reference is' if one else 'these references are'} not on the page References, only in the "
                f"text or in an imported file. Add and check {'it' if one else 'them'} there."
            )
        if others := {key: name for key, name in self.keys.items() if key not in self.references.same}:
            shown = ", ".join(f"{key} as {name}" for key, name in list(others.items())[:10])
            told.append(f"BibTeX does not accept some keys, so they have other names here: {shown}.")
        if same := self.references.same:
            shown = ", ".join(f"{key} is {name}" for key, name in list(same.items())[:10])
            told.append(f"The same work under two keys was merged: {shown}.")
        return told


def _ours(latex: str, any_cited: bool) -> str:
    return apply_edits(latex, imported_layout.with_our_references(latex, any_cited=any_cited))


def _composed(latex: str) -> str:
    """Return `latex` with letters and their combining accents joined into one character, since TeX needs that."""
    if latex.isascii():
        return latex
    return _COMBINED.sub(lambda found: unicodedata.normalize("NFC", found[0]), latex)


def _writes(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
