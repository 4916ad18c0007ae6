"""Pictures scaled down for a fast preview; each is scaled once and cached in this process (SPEC T6)."""

import json
import subprocess
import sys
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from untrusted.images import media_type_of
from untrusted.process_environment import child_environment

if TYPE_CHECKING:
    from thesis.manuscript import File

_TIMEOUT_SECONDS = 20
_KEPT = 40_000_000  # bytes of scaled pictures in the cache
_LARGEST = 60_000_000  # bytes of a picture that is scaled at all


class ScaledPicture(NamedTuple):
    """A scaled picture as JPEG, with the original's own size in points."""

    data: bytes
    width: float
    height: float


_small: OrderedDict[str, ScaledPicture | None] = OrderedDict()
_turn = threading.Lock()


def scaled_pictures(files: Sequence["File"]) -> dict[str, ScaledPicture | None]:
    """Return the scaled picture of each of `files` by its path; None for one that cannot be shown."""
    missing: dict[str, bytes] = {}
    keys: dict[str, str] = {}  # "" for a file that cannot be shown
    for file in files:
        try:
            data = file.read()
        except OSError:
            data = b""
        is_shown = media_type_of(data[:16]) and len(data) <= _LARGEST
        keys[file.path] = key = sha256(data).hexdigest() if is_shown else ""
        with _turn:
            if key in _small:
                _small.move_to_end(key)
            elif key:
                missing[key] = data
    if missing:
        made = _shrunk(missing)
        with _turn:
            _small.update(made)
            while len(_small) > 1 and sum(len(one.data) if one else 100 for one in _small.values()) > _KEPT:
                gone, _ = _small.popitem(last=False)
                made.setdefault(gone, None)
    with _turn:
        return {path: _small.get(key) for path, key in keys.items()}


def _shrunk(data: Mapping[str, bytes]) -> dict[str, ScaledPicture | None]:
    """Scale pictures in a separate process; if one of them crashes it, scale each in its own process."""
    made = _by_process(data)
    if made is None and len(data) > 1:
        return {key: (_by_process({key: one}) or {}).get(key) for key, one in data.items()}
    return dict.fromkeys(data) if made is None else made


def _by_process(data: Mapping[str, bytes]) -> dict[str, ScaledPicture | None] | None:
    with tempfile.TemporaryDirectory(prefix="scholium-figures-") as made:
        folder = Path(made)
        for place, one in enumerate(data.values()):
            (folder / str(place)).write_bytes(one)
        try:
            done = subprocess.run(
                [sys.executable, "-I", str(Path(__file__).with_name("scale_process.py")), str(folder)],
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
            key: ScaledPicture((folder / f"{place}.jpg").read_bytes(), *sizes[str(place)])
            if str(place) in sizes
            else None
            for place, key in enumerate(data)
        }
