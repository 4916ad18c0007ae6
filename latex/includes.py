r"""Which files a TeX text takes in, and where in a project they lie (SPEC T2): \input, \include, \subfile, \import."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from latex.chapter_headings import shown

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
    """The commands that take files in, from first to last, of a text as `tex_headings.shown` gives it."""
    for found in islice(_INCLUDE.finditer(seen), MOST_INCLUDES):
        if (two := found["two"]) is not None:
            yield Include(two, found["in"].strip(), *found.span(), found["folder"].strip(), two.startswith("sub"))
        else:
            name = found["name"] if found["name"] is not None else found["bare"]
            yield Include(found["one"] or "input", name.strip(), *found.span())


def find(include: Include, paths: Collection[str], *, root: str, beside: str) -> str:
    """The path among `paths` of the file that `include` takes in.

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
    folders = [beside] if include.relative else [root, beside]
    outside = True
    for folder in dict.fromkeys(folders):
        path = posixpath.normpath(posixpath.join(folder, whole))
        if path.startswith("../") or path == "..":
            continue
        outside = False
        for candidate in _candidates(path, include.command):
            if candidate in paths:
                return candidate
    if outside:
        raise Nowhere(f"{written} lies outside of the project. Put the file into the project and name it from there.")
    raise Nowhere(f"{written}: there is no such file in the project.")


def _candidates(path: str, command: str) -> list[str]:
    r"""As LaTeX looks: \include adds .tex always, \input first tries it with .tex, then as it is."""
    return (
        [f"{path}.tex"] if command == "include" and not path.endswith(".tex") else [f"{path}.tex", path, f"{path}.ltx"]
    )


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
        try:
            target = find(include, texts.keys(), root=root, beside=beside)
        except Nowhere:
            continue
        if target in within:
            continue
        yield done, text[done : include.start]
        inside = _flat(texts[target], texts, root, posixpath.dirname(target), (*within, target), left)
        yield -1, f"\n{''.join(piece for _, piece in inside)}\n"
        done = include.end
    yield done, text[done:]
