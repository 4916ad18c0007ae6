r"""Which file `\includegraphics{name}` means: where LaTeX looks, and in which order (SPEC T5)."""

import posixpath
import re
from collections.abc import Iterable, Iterator

from latex.keys import visible

FIGURES = "figures"  # where pictures go that are put in while writing
_ENDINGS = ("", ".pdf", ".png", ".jpg", ".jpeg", ".PDF", ".PNG", ".JPG", ".JPEG")  # in pdflatex's order
_GRAPHICS_PATH = re.compile(r"\\graphicspath\s*\{((?:\s*\{[^{}]*\})+\s*)\}")
_FOLDER = re.compile(r"\{([^{}]*)\}")
_LONGEST = 255  # characters of a path


def picture_folders(main: str | None, texts: Iterable[str]) -> list[str]:
    r"""Where pictures are looked for, each folder with a slash behind it: beside the file `main`, in the folders that
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
    """The paths that `name` may mean, the first that is there being it; none where it leads out of the thesis."""
    exact = posixpath.normpath(name.strip()).lstrip("/")
    plain = posixpath.normpath(name.strip().replace('"', "").replace("\\", "/")).lstrip("/")
    if plain.startswith("..") or len(plain) > _LONGEST:
        return
    for folder in folders:
        for path in dict.fromkeys((exact, plain)):
            for ending in _ENDINGS:
                yield posixpath.normpath(f"{folder}{path}{ending}")
