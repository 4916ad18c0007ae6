r"""The files of a LaTeX project (SPEC T2, T5): files that a text includes, its pictures, and the main file.

Pure: works on paths and bytes. A project may have several documents: chapters that compile by themselves, slides, a
letter, a test file. The main file is found by structure, never by its name; if several are left, a person chooses.
"""

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice, product
from typing import NamedTuple

from latex.cite_keys import visible
from latex.encoding import NotText, decode
from latex.headings import shown, title_at

_INCLUDE = re.compile(
    r"\\(?:(?P<two>import|subimport|inputfrom|subinputfrom|includefrom|subincludefrom)\*?"
    r"\s*\{(?P<folder>[^{}]*)\}\s*\{(?P<in>[^{}]*)\}"
    r"|(?P<one>input|include|subfile|subfileinclude|InputIfFileExists|loadglsentries)\s*\{(?P<name>[^{}]*)\}"
    r"|input[ \t]+(?P<bare>[^\s{}%\\]+))"
)


MOST_INCLUDES = 5_000  # of one file
_MOST = 12_000_000  # characters of all included files
_MOST_FILES = 1_000


class Include(NamedTuple):
    r"""A command that includes a file, at `text[start:end]`.

    `folder` is the folder that \import names; `relative`: relative to the file with the command.
    """

    command: str
    name: str
    start: int
    end: int
    folder: str = ""
    relative: bool = False


class IncludeNotFound(Exception):
    """An included file that cannot be found or read; the message says why, as a sentence."""


def includes(seen: str) -> Iterator[Include]:
    """Yield the commands of a text (as `headings.shown` returns it) that include files, in order."""
    for found in islice(_INCLUDE.finditer(seen), MOST_INCLUDES):
        if (two := found["two"]) is not None:
            yield Include(two, found["in"].strip(), *found.span(), found["folder"].strip(), two.startswith("sub"))
        else:
            name = found["name"] if found["name"] is not None else found["bare"]
            yield Include(found["one"] or "input", name.strip(), *found.span())


def find_included_file(include: Include, paths: Collection[str], *, root: str, beside: str) -> str:
    """Return the path among `paths` of the included file.

    `root` is the folder of the main file, where LaTeX runs; `beside` the folder of the file with the command. Raises
    Nowhere for a file that is missing, outside the project, or named by a command.
    """
    name = include.name.strip('"')
    written = f"\\{include.command}{{{include.folder + '/' if include.folder else ''}{name[:100]}}}"
    if not name:
        raise IncludeNotFound(f"{written} names no file.")
    if name.startswith("|"):
        raise IncludeNotFound(f"{written} would run a program. Scholium never runs it; the text stays as it is.")
    if "\\" in name + include.folder or "#" in name:
        raise IncludeNotFound(f"{written} names its file by a command, which Scholium does not expand.")
    whole = f"{include.folder}/{name}" if include.folder else name
    if whole.startswith(("/", "~")) or re.match(r"[A-Za-z]:", whole):
        raise IncludeNotFound(f"{written} is an absolute path. Put the file into the project and use a relative path.")
    folders = dict.fromkeys([beside] if include.relative else [root, beside])
    named = [posixpath.normpath(posixpath.join(folder, whole)) for folder in folders]
    inside = [path for path in named if not path.startswith("../") and path != ".."]
    for path in inside:
        # As LaTeX does: \include always adds .tex, \input tries the name with .tex, then without
        adds = include.command == "include" and not path.endswith(".tex")
        for ending in [".tex"] if adds else [".tex", "", ".ltx"]:
            if path + ending in paths:
                return path + ending
    if not inside:
        raise IncludeNotFound(
            f"{written} is outside the project. Put the file into the project and use a relative path."
        )
    raise IncludeNotFound(f"{written}: there is no such file in the project.")


def with_includes(
    text: str, texts: Mapping[str, str], *, root: str, beside: str | None = None
) -> list[tuple[int, str]]:
    """Return `text` with its included files, if they are in `texts`, as pieces.

    Each piece has its position in `text`, or -1 if it is from a file. `root` and `beside` are those of `find`. Commands
    whose file cannot be found stay as they are.
    """
    return list(_flat(text, texts, root, root if beside is None else beside, (), [_MOST, _MOST_FILES]))


def _flat(
    text: str, texts: Mapping[str, str], root: str, beside: str, within: tuple[str, ...], left: list[int]
) -> Iterator[tuple[int, str]]:
    """Yield the pieces of `flat`. `within` are the files being included, to stop at a file that includes itself."""
    left[0] -= len(text)
    left[1] -= 1
    if min(left) < 0:
        return
    done = 0
    for include in includes(shown(text)) if "\\" in text else ():
        with suppress(IncludeNotFound):
            target = find_included_file(include, texts.keys(), root=root, beside=beside)
            if target not in within:
                yield done, text[done : include.start]
                inside = _flat(texts[target], texts, root, posixpath.dirname(target), (*within, target), left)
                yield -1, f"\n{''.join(piece for _, piece in inside)}\n"
                done = include.end
    yield done, text[done:]


FIGURES = "figures"  # folder of pictures that are inserted in the editor
_ENDINGS = ("", ".pdf", ".png", ".jpg", ".jpeg", ".PDF", ".PNG", ".JPG", ".JPEG")  # in pdflatex's order
_GRAPHICS_PATH = re.compile(r"\\graphicspath\s*\{((?:\s*\{[^{}]*\})+\s*)\}")
_FOLDER = re.compile(r"\{([^{}]*)\}")
_LONGEST = 255  # characters of a path


def picture_folders(main: str | None, texts: Iterable[str]) -> list[str]:
    r"""Return the folders in which pictures are searched, each with a final slash.

    These are the folder of the file `main`, the folders that `\graphicspath` names in one of `texts`, and the top
    folder; without `main` (a thesis started in Scholium) also "figures/".
    """
    beside = posixpath.dirname(main or "")
    here = f"{beside}/" if beside else ""
    named = [
        folder.strip().removesuffix("/")
        for text in texts
        if "\\graphicspath" in text
        for found in _GRAPHICS_PATH.finditer(visible(text))
        for folder in _FOLDER.findall(found[1])
    ]
    inside = [f"{here}{folder}/" for folder in named if not folder.startswith("/")]
    return list(dict.fromkeys([here, *inside, "", *([] if main else [f"{FIGURES}/"])]))


def picture_paths(name: str, folders: Iterable[str]) -> Iterator[str]:
    """Yield the paths that `name` may mean; the first that exists is used. None if it leads out of the thesis."""
    exact = posixpath.normpath(name.strip()).lstrip("/")
    plain = posixpath.normpath(name.strip().replace('"', "").replace("\\", "/")).lstrip("/")
    if not plain.startswith("..") and len(plain) <= _LONGEST:
        for folder, path, ending in product(folders, dict.fromkeys((exact, plain)), _ENDINGS):
            yield posixpath.normpath(f"{folder}{path}{ending}")


TEX = (".tex", ".ltx", ".latex")
_TITLE = re.compile(r"\\title\s*(?=[\[{])")
MAIN_NAMES = ("main", "thesis", "dissertation", "master")  # offered first
LARGEST = 8 * 1024 * 1024  # bytes of a file that is read: no main file is larger
MOST_COMPARED = 200  # documents that are checked for including each other
_DOCUMENT = re.compile(
    r"\\(?:documentclass|documentstyle)(?![A-Za-z])\s*+(?:\[[^\[\]]*+\]\s*+)?(?:\{\s*([^{}]*?)\s*\})?"
    r"|\\begin\s*\{document\}"
)
# \documentclass[main.tex]{subfiles} belongs to the file it names; the others are no theses if there is another document
_PART = "subfiles"
_NO_THESIS = frozenset(
    ["standalone", "beamer", "beamerposter", "a0poster", "tikzposter", "baposter", "letter", "scrlttr2", "moderncv"]
)
_ROOT = re.compile(r"^%\s*!\s*tex\s+root\s*=\s*(\S[^\r\n]*)", re.IGNORECASE | re.MULTILINE)
_ROOT_WITHIN = 2_000  # characters from the start of a file in which editors look for such a comment


class Document(NamedTuple):
    """A file that LaTeX can be started on; `title` is "" if it has none."""

    path: str
    title: str
    size: int


class _Found(NamedTuple):
    document: Document
    document_class: str
    root: str  # the file that a comment for editors names as the main one


def documents(paths: Mapping[str, int], read: Callable[[str], bytes]) -> list[Document]:
    """Return the files that can be the main file, likeliest first.

    `paths` are all files of the project with their sizes in bytes; `read` returns the bytes of one. Left out are files
    that another document includes, files that name another file as their root, and, if another document is left,
    slides, letters and single pictures.
    """
    texts: dict[str, str] = {}
    for path, size in paths.items():
        if path.lower().endswith(TEX) and size <= LARGEST:
            with suppress(NotText):
                texts[path] = decode(read(path)).text
    seen = {path: shown(text) for path, text in texts.items()}
    found = [one for path in texts if (one := _document(path, paths, texts[path], seen[path])) is not None]
    # Each filter is skipped if it would leave no document
    found = [one for one in found if one.document_class != _PART] or found
    names = {one.document.path for one in found}
    found = [one for one in found if one.root in ("", one.document.path) or one.root not in names] or found
    found = _not_taken_in(found, paths, seen) or found
    found = [one for one in found if one.document_class not in _NO_THESIS] or found
    return sorted((one.document for one in found), key=lambda one: likelihood(one.path))


def title_in(seen: str) -> str:
    r"""Return the \title of a text (as `headings.shown` returns it) as plain text; "" if it has none."""
    found = _TITLE.search(seen)
    return title_at(seen, found.end()) if found else ""


def likelihood(path: str) -> tuple[int, int, str]:
    """Return the sort key of `path` among several documents: top folders first, then the usual names of a main file."""
    stem = posixpath.splitext(posixpath.basename(path))[0].lower()
    return path.count("/"), MAIN_NAMES.index(stem) if stem in MAIN_NAMES else len(MAIN_NAMES), path


def _document(path: str, paths: Mapping[str, int], text: str, seen: str) -> _Found | None:
    begins = [*_DOCUMENT.finditer(seen)]
    if not begins:
        return None
    named = next((one[1] for one in begins if one[1]), "")
    root = _ROOT.search(text[:_ROOT_WITHIN])
    at = posixpath.normpath(posixpath.join(posixpath.dirname(path), root[1].strip())) if root else ""
    return _Found(Document(path, title_in(seen), paths[path]), named, at if at in paths else "")


def _not_taken_in(found: list[_Found], paths: Mapping[str, int], seen: Mapping[str, str]) -> list[_Found]:
    """Return those of `found` that no other document includes, directly or not, unless they include each other."""
    if not 1 < len(found) <= MOST_COMPARED:
        return found
    taken: dict[str, list[str]] = {}
    reached = {one.document.path: _reached(one.document.path, paths, seen, taken) for one in found}
    return [
        one
        for one in found
        if not any(
            one.document.path in others and path not in reached[one.document.path]
            for path, others in reached.items()
            if path != one.document.path
        )
    ]


def _reached(start: str, paths: Mapping[str, int], seen: Mapping[str, str], taken: dict[str, list[str]]) -> set[str]:
    """Return the TeX files that `start` includes, directly or indirectly; `taken` caches the includes of each file."""
    root = posixpath.dirname(start)
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        further = (seen.keys() & _targets(waiting.pop(), root, paths, seen, taken)) - reached
        reached |= further
        waiting += further
    return reached


def _targets(
    path: str, root: str, paths: Mapping[str, int], seen: Mapping[str, str], taken: dict[str, list[str]]
) -> list[str]:
    key = f"{root}\0{path}"
    if key not in taken:
        taken[key] = []
        for include in includes(seen[path]):
            with suppress(IncludeNotFound):
                taken[key].append(find_included_file(include, paths, root=root, beside=posixpath.dirname(path)))
    return taken[key]
