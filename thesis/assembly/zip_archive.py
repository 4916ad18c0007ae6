"""Reproducible ZIP archives: the same files give the same bytes."""

import zipfile
from collections.abc import Mapping
from typing import IO

_DATE = (1980, 1, 1, 0, 0, 0)
_PACKED = (
    ".tex",
    ".ltx",
    ".bib",
    ".cls",
    ".sty",
    ".bst",
    ".txt",
    ".md",
    ".csv",
    ".eps",
    ".svg",
)  # files worth compressing


def pack(files: Mapping[str, bytes], out: IO[bytes]) -> None:
    """Write `files` to `out`, an open file, in the order of their paths."""
    with zipfile.ZipFile(out, "w") as archive:
        for path in sorted(files):
            put(archive, path, files[path])


def put(archive: zipfile.ZipFile, path: str, data: bytes) -> None:
    """Add one file to `archive`."""
    entry = zipfile.ZipInfo(path, _DATE)
    entry.create_system, entry.external_attr = 3, 0o644 << 16
    entry.compress_type = zipfile.ZIP_DEFLATED if path.lower().endswith(_PACKED) else zipfile.ZIP_STORED
    archive.writestr(entry, data)
