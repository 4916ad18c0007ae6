"""What a build leaves for the next one: the files by which LaTeX's passes talk to each other (SPEC T6).

A build that begins with them often needs one pass instead of four. They can change how long it takes, not what comes
out: docs/decisions/side-files.md says why.
"""

import hashlib
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Self

_KINDS = (".aux", ".toc", ".lof", ".lot", ".lol", ".loa", ".out", ".bbl", ".ind")
_MOST_BYTES, _MOST_FILES = 8_000_000, 500
_CONTENT = (".tex", ".bib", ".png", ".jpg", ".jpeg", ".pdf", ".eps", ".txt", ".md")  # what changes from build to build
_SORTED_FROM = "sorted-from.json"


class SideFiles(NamedTuple):
    """Files by path from the folder of the build, and the digests of what references and index were sorted from."""

    files: dict[str, bytes]
    sorted_from: dict[str, str]

    @classmethod
    def read(
        cls, root: Path, names: Sequence[str], sorted_from: dict[str, str], given: Mapping[str, bytes]
    ) -> Self | None:
        """Return the side files `names` in `root`, or None if the next build cannot begin with them.

        A thesis that writes files of its own (filecontents) writes each only if it is missing: nothing is kept then.
        """
        paths = [root / name for name in names if name.endswith(_KINDS)]
        if not names or len(paths) > _MOST_FILES or any(b"filecontents" in data for data in given.values()):
            return None
        with suppress(OSError):
            whole = [path for path in paths if path.is_file() and not path.is_symlink()]
            if sum(path.stat().st_size for path in whole) <= _MOST_BYTES:
                return cls({str(path.relative_to(root)): path.read_bytes() for path in whole}, sorted_from)
        return None

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """Return the side files packed in `data`."""
        with zipfile.ZipFile(BytesIO(data)) as packed:
            files = {name: packed.read(name) for name in packed.namelist()}
        return cls(files, json.loads(files.pop(_SORTED_FROM)))

    def pack(self) -> bytes:
        """Return the files as a ZIP archive."""
        made = BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr(_SORTED_FROM, json.dumps(self.sorted_from))
            for name, data in self.files.items():
                packed.writestr(name, data)
        return made.getvalue()

    def write(self, root: Path, given: Sequence[str]) -> None:
        """Write the files into `root`, where files of the thesis, `given` by name, come first."""
        for name, data in self.files.items():
            path = root / name
            if name not in given and path.parent.is_dir():
                path.write_bytes(data)


def setup_key(files: Mapping[str, bytes], main: str, programs: Mapping[str, str]) -> str:
    """Return a digest of what the passes are set up by: the preamble, classes, packages, and TeX's own programs."""
    digest = hashlib.sha256(re.split(rb"\\begin\s*\{document\}", files[main])[0])
    for path, data in sorted(files.items()):
        if PurePosixPath(path).suffix.lower() not in _CONTENT:
            digest.update(path.encode() + b"\0" + hashlib.sha256(data).digest())
    for path in sorted(programs.values()):
        found = Path(path).resolve().stat()
        digest.update(f"{path} {found.st_size} {found.st_mtime_ns}".encode())
    return digest.hexdigest()
