"""The pictures of a thesis, small enough to be set at once; each is made small once a process (SPEC T6)."""

import json
import posixpath
import re
import subprocess
import sys
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from untrusted.child_environment import child_environment
from untrusted.images import media_type_of

if TYPE_CHECKING:
    from thesis.manuscript import File, Manuscript

_SHRINK = Path(__file__).with_name("shrink.py")
_TIMEOUT_SECONDS = 20
_KEPT = 40_000_000  # bytes of small pictures that a process keeps
_LARGEST = 60_000_000  # bytes of a picture that is looked at
_ENDINGS = ("", ".pdf", ".png", ".jpg", ".jpeg", ".PDF", ".PNG", ".JPG", ".JPEG")  # in the order LaTeX looks for them
_GRAPHICS_PATH = re.compile(r"\\graphicspath\s*\{((?:\s*\{[^{}]*\})+\s*)\}")
_FOLDER = re.compile(r"\{([^{}]*)\}")


class Small(NamedTuple):
    """A JPEG, and how large the picture is by its own word, in points."""

    data: bytes
    width: float
    height: float


_small: OrderedDict[str, Small | None] = OrderedDict()
_turn = threading.Lock()


class Pictures:
    r"""The files of a thesis as `\includegraphics` finds them: by path, with and without ending, and where
    `\graphicspath` points to."""

    def __init__(self, manuscript: "Manuscript") -> None:
        self.files = {file.path: file for file in manuscript.files}
        self.folders = list(dict.fromkeys(_folders(manuscript)))

    def find(self, path: str) -> "File | None":
        path = posixpath.normpath(path.strip().strip('"').replace("\\", "/")).lstrip("/")
        if path.startswith("..") or len(path) > 255:
            return None
        wanted = (posixpath.normpath(f"{folder}{path}{ending}") for folder in self.folders for ending in _ENDINGS)
        return next((self.files[one] for one in wanted if one in self.files), None)


def _folders(manuscript: "Manuscript") -> Iterable[str]:
    main = manuscript.main
    beside = posixpath.dirname(main.path) if main else ""
    here = f"{beside}/" if beside else ""
    yield here
    text = "".join(piece.get("text", "") for piece in (main.pieces or [])) if main else ""
    for found in _GRAPHICS_PATH.finditer(text):
        yield from (f"{here}{folder.strip().removesuffix('/')}/" for folder in _FOLDER.findall(found[1]))
    yield from ("", "figures/")


def small(files: Sequence["File"]) -> dict[str, Small | None]:
    """Each of `files` by its path, made small; None for one that cannot be shown."""
    found: dict[str, Small | None] = {}
    missing: dict[str, bytes] = {}
    keys: dict[str, str] = {}
    for file in files:
        try:
            data = file.read()
        except OSError:
            found[file.path] = None
            continue
        if not media_type_of(data[:16]) or len(data) > _LARGEST:
            found[file.path] = None
            continue
        keys[file.path] = key = sha256(data).hexdigest()
        with _turn:
            if key in _small:
                _small.move_to_end(key)
            else:
                missing[key] = data
    if missing:
        made = _shrunk(missing)
        with _turn:
            _small.update(made)
            while len(_small) > 1 and sum(len(one.data) if one else 100 for one in _small.values()) > _KEPT:
                gone, _ = _small.popitem(last=False)
                made.setdefault(gone, None)
    with _turn:
        return found | {path: _small.get(key) for path, key in keys.items()}


def _shrunk(data: Mapping[str, bytes]) -> dict[str, Small | None]:
    """Pictures made small by a process of its own; where one kills it, each by one of its own."""
    made = _by_process(data)
    if made is not None:
        return made
    if len(data) == 1:
        return dict.fromkeys(data)
    return {key: one for key in data for one in [(_by_process({key: data[key]}) or {}).get(key)]}


def _by_process(data: Mapping[str, bytes]) -> dict[str, Small | None] | None:
    with tempfile.TemporaryDirectory(prefix="scholium-figures-") as made:
        folder = Path(made)
        for place, one in enumerate(data.values()):
            (folder / str(place)).write_bytes(one)
        try:
            done = subprocess.run(
                [sys.executable, "-I", str(_SHRINK), str(folder)],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_TIMEOUT_SECONDS,
                env=child_environment(),
                check=True,
            )
            sizes = json.loads(done.stdout)
        except (subprocess.SubprocessError, ValueError, OSError):
            return None
        return {
            key: Small((folder / f"{place}.jpg").read_bytes(), *sizes[str(place)]) if str(place) in sizes else None
            for place, key in enumerate(data)
        }
