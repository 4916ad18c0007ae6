r"""Which file of a LaTeX project LaTeX is started on (SPEC T2).

Pure: paths and bytes in. A project may hold several documents: chapters that compile alone, slides, a letter, a test
file. Only structure decides here, never a name: where more than one is left, a person chooses.
"""

import posixpath
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NamedTuple

from latex.chapter_headings import shown, title_at
from latex.encoding import NotText, decode
from latex.includes import Nowhere, find, includes

TEX = (".tex", ".ltx", ".latex")
TITLE = re.compile(r"\\title\s*(?=[\[{])")
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


def likelihood(path: str) -> tuple[int, int, str]:
    """The place of `path` among several documents: the highest folder first, then the usual names of a main file."""
    stem = posixpath.splitext(posixpath.basename(path))[0].lower()
    return path.count("/"), MAIN_NAMES.index(stem) if stem in MAIN_NAMES else len(MAIN_NAMES), path


def _document(path: str, paths: Mapping[str, int], text: str, seen: str) -> _Found | None:
    begins = [*_DOCUMENT.finditer(seen)]
    if not begins:
        return None
    named = next((one[1] for one in begins if one[1]), "")
    title = TITLE.search(seen)
    root = _ROOT.search(text[:_ROOT_WITHIN])
    at = posixpath.normpath(posixpath.join(posixpath.dirname(path), root[1].strip())) if root else ""
    document = Document(path, title_at(seen, title.end()) if title else "", paths[path])
    return _Found(document, named, at if at in paths else "")


def _not_taken_in(found: list[_Found], paths: Mapping[str, int], seen: Mapping[str, str]) -> list[_Found]:
    """Those of `found` that no other of them takes in, directly or through other files, unless both take each other in."""
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
    """The TeX files that `start` takes in, or one of those that it takes in; `taken` remembers what each file names."""
    root = posixpath.dirname(start)
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        path = waiting.pop()
        for target in _targets(path, root, paths, seen, taken):
            if target in seen and target not in reached:
                reached.add(target)
                waiting.append(target)
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
