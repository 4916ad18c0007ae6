r"""The files of an imported LaTeX thesis: its own preamble and layout, with references from Scholium (SPEC T5).

Left out or renamed are programs that a compiler would start (latexmkrc), output of an earlier run, and old .bib files.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from latex.cite_keys import visible
from latex.encoding import NotText, decode
from latex.project_source import Written, write_tex
from latex.text_edits import Edit
from thesis.manuscript import Chapter, File, Manuscript
from thesis.numbering import NumberedSection

REFERENCES = "references"
_TEX = (".tex", ".ltx", ".sty", ".cls", ".tikz", ".pgf", ".def")
_PRINTS = re.compile(
    r"\\(bibliography|addbibresource|addglobalbib|addsectionbib)(?![A-Za-z@])[ \t]*"
    r"((?:\[[^\[\]]*\])?)[ \t]*\{([^{}#\\]*)\}"
)
_MULTI = re.compile(r"\\bibliography(?!style)[A-Za-z]+[ \t]*\{([^{}#\\]*)\}")
# Programs and settings that latexmk, biber, TeX or make load from the folder they are started in
_PROGRAMS = {"latexmkrc", ".latexmkrc", "latexmk", "texmf.cnf", "biber.conf", ".biber.conf", "makefile", "gnumakefile"}
_BY_PRODUCTS = (
    ".aux", ".fdb_latexmk", ".fls", ".synctex.gz", ".synctex", ".bcf", ".run.xml", ".blg", ".log",
)  # fmt: skip
_OF_MAIN = (
    ".bbl",
    ".toc",
    ".lof",
    ".lot",
    ".out",
    ".pdf",
    ".dvi",
    ".ps",
    ".nav",
    ".snm",
    ".idx",
    ".ilg",
    ".ind",
    ".glo",
    ".acn",
)
_BEGIN = re.compile(r"\\begin[ \t]*\{document\}")
_END = re.compile(r"\\end[ \t]*\{document\}")
_KEPT_LINES = re.compile(
    r"\\(?:mainmatter|appendix|(?:single|onehalf|double)spacing|pagestyle|pagenumbering|setstretch|linespread"
    r"|newcommand|renewcommand|providecommand|def|setlength|setcounter|selectlanguage"
    r"|begin[ \t]*\{(?:appendices|spacing|doublespacing|onehalfspacing|singlespacing)\})"
    r"(?![A-Za-z])[^\n]*"
)
_TURNS = re.compile(r"\\(?:appendix|mainmatter)(?![A-Za-z])")
_AROUND = re.compile(r"\\(begin|end)[ \t]*\{(appendices|spacing|doublespacing|onehalfspacing|singlespacing)\}")
_STYLE = re.compile(r"\\bibliographystyle[A-Za-z]*[ \t]*\{[^{}]*\}")
_LIST = re.compile(r"\\print(?:bibliography|bibheading)(?:[ \t]*\[[^\[\]]*\])?")


@dataclass
class Imported(Written):
    """Files by path, and which of their lines are which section; paths of files that were renamed or left out."""

    renamed: list[str] = field(default_factory=list)  # programs, which must not be started
    left_out: list[str] = field(default_factory=list)


def at_its_root(manuscript: Manuscript) -> tuple[list[File], str]:
    """Return the files with paths relative to the main file's folder, where LaTeX runs, and the main file's path.

    Paths stay as they are when some files are outside that folder.
    """
    main = manuscript.main
    assert main
    root = posixpath.dirname(main.path)
    if not root or any(not file.path.startswith(f"{root}/") for file in manuscript.files):
        return list(manuscript.files), main.path
    cut = len(root) + 1
    return [file._replace(path=file.path[cut:]) for file in manuscript.files], main.path[cut:]


def texts_of(files: Sequence[File]) -> Iterator[tuple[File, str]]:
    """Yield the TeX files that contain no section, with their text: packages, tables, a preamble."""
    declared = next((file.encoding for file in files if file.is_main), "")
    for file in files:
        if file.pieces is None and file.path.lower().endswith(_TEX):
            try:
                text, encoding, _ = decode(file.read(), declared)
            except (OSError, NotText):
                continue
            yield file._replace(encoding=encoding), text


def with_our_references(latex: str, *, any_cited: bool) -> list[Edit]:
    r"""Return the edits that make `latex` print its references from references.bib, or none if nothing is cited."""
    if "bib" not in latex:
        return []
    edits = []
    seen = visible(latex)
    for found in _PRINTS.finditer(seen):
        new = f"\\{found[1]}{{{REFERENCES}.bib}}"
        if found[1] == "bibliography":
            new = f"\\bibliography{{{REFERENCES}}}" if any_cited else "{}"
        edits.append(Edit(*found.span(), new))
    edits += [Edit(*found.span(1), REFERENCES) for found in _MULTI.finditer(seen)]
    return _once(latex, edits)


def _once(latex: str, edits: list[Edit]) -> list[Edit]:
    r"""Return the edits with repeated \addbibresource commands removed: biber rejects the same file twice."""
    added = sorted(edit for edit in edits if edit.text.startswith("\\add"))
    return [edit._replace(text="") if edit in added[1:] else edit for edit in sorted(edits)]


def is_safe(path: str) -> bool:
    """Return whether a path is safe in an archive: valid on every system, and not outside the folder."""
    parts = path.split("/")
    return (
        0 < len(path) <= 255
        and all(part not in ("", ".", "..") and part.isprintable() for part in parts)
        and "\\" not in path
        and not re.match(r"[A-Za-z]:|~", path)
    )


def lay_out(files: list[File], main: str, chapters: Sequence[Chapter], change: Callable[[File, str], str]) -> Imported:
    """Return the files of an imported thesis, with the text of `chapters`; `change` is applied to other TeX files."""
    written = write_tex([_changed(file, change) for file in files], chapters)
    made = Imported(written.files, written.notes, written.stood)
    plain = {file.path: (file, text) for file, text in texts_of(files)}
    stem = posixpath.splitext(main)[0]
    for file in files:
        path = file.path
        if path in made.files:
            continue
        name = posixpath.basename(path).casefold()
        is_product = name.endswith(_BY_PRODUCTS) or path in {stem + ending for ending in _OF_MAIN}
        reasons = (
            (not is_safe(path), f"{path!r}: this file name is not valid on all systems"),
            (name.endswith(".bib"), f"{path}: replaced by references.bib"),
            (is_product, f"{path}: LaTeX creates it again"),
        )
        if why := next((why for holds, why in reasons if holds), ""):
            made.left_out.append(why)
            continue
        try:
            kept, text = plain.get(path, (file, ""))
            new = change(kept, text) if path in plain else text
            data = file.read() if new == text else _encoded(new, kept.encoding)
        except OSError:
            made.notes.append(f"{path}: the file cannot be read from the disk, so it is missing here.")
            continue
        if name in _PROGRAMS:
            made.renamed.append(path)
            path = f"{path}.txt"
        made.files[path] = data
    return made


def _changed(file: File, change: Callable[[File, str], str]) -> File:
    if file.pieces is None:
        return file
    return file._replace(
        pieces=[{"text": change(file, piece["text"])} if "text" in piece else dict(piece) for piece in file.pieces]
    )


def _encoded(text: str, encoding: str) -> bytes:
    try:
        return text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return text.encode("utf-8")


def alone(
    files: list[File], main: str, chapters: Sequence[Chapter], only: str, numbers: NumberedSection
) -> tuple[list[File], list[Chapter]]:
    """Return the files and chapters for one section alone, with preamble, references, and its numbers in the whole."""
    main_file = next(file for file in files if file.path == main)
    texts = {chapter.id: chapter.latex for chapter in chapters}
    text = "".join(piece.get("text", texts.get(piece.get("section", ""), "")) for piece in main_file.pieces or [])
    begins = _BEGIN.search(visible(text))
    head = text[: begins.end()] if begins else ""
    kept = _lines_before(files, chapters, only)
    closing = [f"\\end{{{name}}}" for name in reversed(_open(kept))]
    tail = [*_references(visible(text[len(head) :])), *closing, "\\end{document}", ""]
    pieces: list[dict[str, Any]] = [
        {"text": "\n".join([head, *kept, *numbers.before.settings(), numbers.opening, ""])},
        {"section": only},
        {"text": "\n" + "\n".join(tail)},
    ]
    kept_files = [
        main_file._replace(pieces=pieces) if file is main_file else file
        for file in files
        if file is main_file or not any("section" in piece for piece in file.pieces or [])
    ]
    return kept_files, [chapter for chapter in chapters if chapter.id == only]


def _lines_before(files: list[File], chapters: Sequence[Chapter], only: str) -> list[str]:
    """Return the lines before the section that affect its layout."""
    kept: list[str] = []
    target = next(at for at, chapter in enumerate(chapters) if chapter.id == only)
    for line, taken in _lines(files, chapters):
        if taken and max(taken) >= target:
            if found := _TURNS.search(line):  # on the same line as the \\input of the section
                kept.append(found[0])
            break
        if (found := _KEPT_LINES.search(line)) and not taken and found[0].count("{") == found[0].count("}"):
            kept.append(found[0].strip())
    return kept


def _lines(files: list[File], chapters: Sequence[Chapter]) -> Iterator[tuple[str, list[int]]]:
    """Yield the lines of the main file after its preamble, each with the indexes of the chapters that it includes."""
    place = {chapter.id: at for at, chapter in enumerate(chapters)}
    holds = {
        file.path: [place[piece["section"]] for piece in file.pieces or [] if piece.get("section") in place]
        for file in files
    }
    main = next(file for file in files if file.is_main)
    is_body = False
    for piece in main.pieces or []:
        if "section" in piece:
            yield "", [place[piece["section"]]] if piece["section"] in place else []
            continue
        text = visible(piece["text"])
        begins = None if is_body else _BEGIN.search(text)
        if begins is not None:
            is_body, text = True, text[begins.end() :]
        for line in text.split("\n") if is_body else []:
            stems = ((posixpath.splitext(path)[0], several) for path, several in holds.items() if "\\in" in line)
            yield line, [at for stem, several in stems if stem in line for at in several]


def _open(lines: list[str]) -> list[str]:
    opened: list[str] = []
    for line in lines:
        for found in _AROUND.finditer(line):
            if found[1] == "begin":
                opened.append(found[2])
            elif found[2] in opened:
                opened.remove(found[2])
    return opened


def _references(body: str) -> list[str]:
    """Return the commands of a text that print its references or set their style."""
    found = [*_STYLE.finditer(body), *_PRINTS.finditer(body), *_LIST.finditer(body)]
    return [one[0] for one in sorted(found, key=lambda one: one.start())]
