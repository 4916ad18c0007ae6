r"""Which files a LaTeX project is made of (SPEC T2, T5): what a text takes in, its pictures, what LaTeX is started on.

Pure: paths and bytes in. A project may hold several documents: chapters that compile alone, slides, a letter, a test
file. Only structure decides which is the main one, never a name: where more than one is left, a person chooses.
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
    r"\\(?:(?P<two>import|subimport|inputfrom|subinputfrom|includefrom|subincludefrom)\*?\s*\{(?P<folder>[^{}]*)\}\s*\{(?P<in>[^{}]*)\}"
    r"|(?P<one>input|include|subfile|subfileinclude|InputIfFileExists|loadglsentries)\s*\{(?P<name>[^{}]*)\}"
    r"|input[ \t]+(?P<bare>[^\s{}%\\]+))"
)


MOST_INCLUDES = 5_000  # of one file that are followed
_MOST = 12_000_000  # characters of all that is taken in
_MOST_FILES = 1_000


class Include(NamedTuple):
    r"""A command that takes a file in, as `text[start:end]`. `folder` is where \import says it lies; `relative`: as seen
    from the file it stands in.
    """

    command: str
    name: str
    start: int
    end: int
    folder: str = ""
    relative: bool = False


class Nowhere(Exception):
    """A file that is taken in and cannot be followed; the message says why, in a sentence."""


def includes(seen: str) -> Iterator[Include]:
    """Yield the commands that take files in, from first to last, of a text as `headings.shown` gives it."""
    for found in islice(_INCLUDE.finditer(seen), MOST_INCLUDES):
        if (two := found["two"]) is not None:
            yield Include(two, found["in"].strip(), *found.span(), found["folder"].strip(), two.startswith("sub"))
        else:
            name = found["name"] if found["name"] is not None else found["bare"]
            yield Include(found["one"] or "input", name.strip(), *found.span())


def find(include: Include, paths: Collection[str], *, root: str, beside: str) -> str:
    """Return the path among `paths` of the file that `include` takes in.

    `root` is the folder of the main file, where LaTeX runs; `beside` that of the file in which the command stands.
    Raises Nowhere for what is missing, lies outside the project, or is named by a command.
    """
    name = include.name.strip('"')
    written = f"\\{include.command}{{{include.folder + '/' if include.folder else ''}{name[:100]}}}"
    if not name:
        raise Nowhere(f"{written} names no file.")
    if name.startswith("|"):
        raise Nowhere(f"{written} would run a program. It is never run; the text stays as it is.")
    if "\\" in name + include.folder or "#" in name:
        raise Nowhere(f"{written} names its file by a command, which is not followed.")
    whole = f"{include.folder}/{name}" if include.folder else name
    if whole.startswith(("/", "~")) or re.match(r"[A-Za-z]:", whole):
        raise Nowhere(
            f"{written} is an absolute path on some computer. Put the file into the project and name it from there."
        )
    folders = dict.fromkeys([beside] if include.relative else [root, beside])
    named = [posixpath.normpath(posixpath.join(folder, whole)) for folder in folders]
    inside = [path for path in named if not path.startswith("../") and path != ".."]
    for path in inside:
        # As LaTeX looks: \include adds .tex always, \input first tries it with .tex, then as it is
        adds = include.command == "include" and not path.endswith(".tex")
        for ending in [".tex"] if adds else [".tex", "", ".ltx"]:
            if path + ending in paths:
                return path + ending
    if not inside:
        raise Nowhere(f"{written} lies outside of the project. Put the file into the project and name it from there.")
    raise Nowhere(f"{written}: there is no such file in the project.")


def flat(text: str, texts: Mapping[str, str], *, root: str, beside: str | None = None) -> list[tuple[int, str]]:
    """`text` with the files that it takes in, as far as they are among `texts`: pieces, each with its place in `text`, or -1
    for what stands in a file. `root` and `beside` as find() has them; a file that cannot be followed is left out.
    """
    return list(_flat(text, texts, root, root if beside is None else beside, (), [_MOST, _MOST_FILES]))


def _flat(
    text: str, texts: Mapping[str, str], root: str, beside: str, within: tuple[str, ...], left: list[int]
) -> Iterator[tuple[int, str]]:
    """`within` are the files that are being taken in: one that takes in itself would go on for ever."""
    left[0] -= len(text)
    left[1] -= 1
    if min(left) < 0:
        return
    done = 0
    for include in includes(shown(text)) if "\\" in text else ():
        with suppress(Nowhere):
            target = find(include, texts.keys(), root=root, beside=beside)
            if target not in within:
                yield done, text[done : include.start]
                inside = _flat(texts[target], texts, root, posixpath.dirname(target), (*within, target), left)
                yield -1, f"\n{''.join(piece for _, piece in inside)}\n"
                done = include.end
    yield done, text[done:]


FIGURES = "figures"  # where pictures go that are put in while writing
_ENDINGS = ("", ".pdf", ".png", ".jpg", ".jpeg", ".PDF", ".PNG", ".JPG", ".JPEG")  # in pdflatex's order
_GRAPHICS_PATH = re.compile(r"\\graphicspath\s*\{((?:\s*\{[^{}]*\})+\s*)\}")
_FOLDER = re.compile(r"\{([^{}]*)\}")
_LONGEST = 255  # characters of a path


def picture_folders(main: str | None, texts: Iterable[str]) -> list[str]:
    r"""Return where pictures are looked for, each folder with a slash behind it: beside the file `main`, in the folders that
    `\graphicspath` in one of `texts` names, at the top; without `main`, which is a thesis begun here, in "figures/" too.
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
    """Yield the paths that `name` may mean, the first that is there being it; none where it leads out of the thesis."""
    exact = posixpath.normpath(name.strip()).lstrip("/")
    plain = posixpath.normpath(name.strip().replace('"', "").replace("\\", "/")).lstrip("/")
    if not plain.startswith("..") and len(plain) <= _LONGEST:
        for folder, path, ending in product(folders, dict.fromkeys((exact, plain)), _ENDINGS):
            yield posixpath.normpath(f"{folder}{path}{ending}")


TEX = (".tex", ".ltx", ".latex")
_TITLE = re.compile(r"\\title\s*(?=[\[{])")
MAIN_NAMES = ("main", "thesis", "dissertation", "master")  # offered first
LARGEST = 8 * 1024 * 1024  # bytes of a file that is looked at: no main file is larger
MOST_COMPARED = 200  # documents of which it is found out whether they take each other in
_DOCUMENT = re.compile(
    r"\\(?:documentclass|documentstyle)(?![A-Za-z])\s*+(?:\[[^\[\]]*+\]\s*+)?(?:\{\s*([^{}]*?)\s*\})?|\\begin\s*\{document\}"
)
# \documentclass[main.tex]{subfiles} belongs to the file it names; the others are no thesis, where one stands beside them.
_PART = "subfiles"
_NO_THESIS = frozenset(
    ["standalone", "beamer", "beamerposter", "a0poster", "tikzposter", "baposter", "letter", "scrlttr2", "moderncv"]
)
_ROOT = re.compile(r"^%\s*!\s*tex\s+root\s*=\s*(\S[^\r\n]*)", re.IGNORECASE | re.MULTILINE)
_ROOT_WITHIN = 2_000  # characters from the start of a file in which editors look for such a comment


class Document(NamedTuple):
    """A file that LaTeX can be started on; `title` is "" where it gives none."""

    path: str
    title: str
    size: int


class _Found(NamedTuple):
    document: Document
    document_class: str
    root: str  # the file that a comment for editors names as the main one


def documents(paths: Mapping[str, int], read: Callable[[str], bytes]) -> list[Document]:
    """This function will find the files that can be the main one, the likeliest first.

    `paths` are all files of the project with their sizes in bytes, each of which `read` gives. Left out are files that
    another document takes in, that name another one as their root, and, where a thesis is left, slides, letters and
    single pictures.
    """
    texts: dict[str, str] = {}
    for path, size in paths.items():
        if path.lower().endswith(TEX) and size <= LARGEST:
            with suppress(NotText):
                texts[path] = decode(read(path)).text
    seen = {path: shown(text) for path, text in texts.items()}
    found = [one for path in texts if (one := _document(path, paths, texts[path], seen[path])) is not None]
    # Of each kind that is left out, all are kept where no other is there
    found = [one for one in found if one.document_class != _PART] or found
    names = {one.document.path for one in found}
    found = [one for one in found if one.root in ("", one.document.path) or one.root not in names] or found
    found = _not_taken_in(found, paths, seen) or found
    found = [one for one in found if one.document_class not in _NO_THESIS] or found
    return sorted((one.document for one in found), key=lambda one: likelihood(one.path))


def title_in(seen: str) -> str:
    r"""Return what a text as `headings.shown` gives it names by \title, in plain words; "" where it does not."""
    found = _TITLE.search(seen)
    return title_at(seen, found.end()) if found else ""


def likelihood(path: str) -> tuple[int, int, str]:
    """Return the place of `path` among several documents: the highest folder first, then the usual names of a main file."""
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
    """Return those of `found` that no other of them takes in, directly or through other files, unless both take each other in."""
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
    """Return the TeX files that `start` takes in, or one of those that it takes in; `taken` remembers what each file names."""
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
            with suppress(Nowhere):
                taken[key].append(find(include, paths, root=root, beside=posixpath.dirname(path)))
    return taken[key]
