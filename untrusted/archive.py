"""Uploaded ZIP archives, checked before anything is unpacked (SPEC R18).

A nested archive is treated like any other file. Unsafe or useless entries are left out by name; an archive that is
malicious or would fill the disk is refused as a whole.
"""

import posixpath
import re
import stat
import zipfile
import zlib
from collections import Counter
from typing import IO, NamedTuple

from core.errors import Refused

MOST_ENTRIES = 5_000
MOST_UNPACKED = 250 * 1024 * 1024  # bytes, of all files together
MOST_RATIO = 200  # unpacked to packed size of an entry over SMALL: texts and images stay below 50, a bomb reaches 1,000
SMALL = 8 * 1024 * 1024  # bytes
MOST_PATH = 255  # characters
_DIRECTORY = 4 * 1024 * 1024  # bytes of the central directory
_TABLE_SIZE = 5  # where the standard library stores the size of the central directory
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# Files that programs add to an archive
_LITTER = re.compile(
    r"(?:^|/)(?:__MACOSX/|\.DS_Store$|\._[^/]*$|Thumbs\.db$|desktop\.ini$|\.git/|\.svn/|\.hg/)", re.IGNORECASE
)
_UTF8_NAME = 0x800  # flag
_LOCKED = 0x1 | 0x40 | 0x2000  # flags


class LeftOut(NamedTuple):
    """An entry that is left out, and the reason as a sentence."""

    name: str
    why: str


class Archive:
    """The files of an archive: `sizes` by path, entries `left_out`, and `notes` for the user."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        """Open and check an archive. Raises Refused if it is not a ZIP, has a password, or would unpack to too much."""
        self.name = name
        self.left_out: list[LeftOut] = []
        self.notes: list[str] = []
        self._zip = _opened(file, name)
        entries = [entry for entry in self._zip.infolist() if not entry.is_dir()]
        _refuse_hostile(entries, name)
        self._entries = self._chosen(entries)
        self.sizes = {path: entry.file_size for path, entry in self._entries.items()}

    def read(self, path: str) -> bytes:
        """Return the bytes of a file. Raises Refused if the archive is damaged there, or larger than declared."""
        entry = self._entries[path]
        try:
            with self._zip.open(entry) as opened:
                data = opened.read(entry.file_size + 1)
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            NotImplementedError,
            RuntimeError,
            ValueError,
        ) as error:
            raise Refused(
                f"{self.name} is damaged at {path[:100]}. Create the ZIP file again and upload that. "
                "Nothing was imported.",
                field="file",
                code="damaged",
            ) from error
        if len(data) != entry.file_size:
            raise _too_much(self.name)
        return data

    def _chosen(self, entries: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
        chosen: dict[str, zipfile.ZipInfo] = {}
        litter = 0
        for entry in entries:
            name = _name_of(entry)
            if _LITTER.search(name):
                litter += 1
                continue
            if why := _why_not(entry, name):
                self.left_out.append(LeftOut(_CONTROL.sub("�", name)[:300], why))
                continue
            path = posixpath.normpath(name)
            if path in chosen:
                self.notes.append(f"{path} is in the archive twice. The later one was used.")
            chosen[path] = entry
        if litter:
            self.notes.append(
                f"{litter:,} file{'' if litter == 1 else 's'} added by programs (such as __MACOSX or .git) "
                f"{'was' if litter == 1 else 'were'} left out."
            )
        self._tell_collisions(chosen)
        return chosen

    def _tell_collisions(self, chosen: dict[str, zipfile.ZipInfo]) -> None:
        alike = Counter(path.casefold() for path in chosen)
        self.notes += [
            f"{path} differs from another file only in capitalisation. On Windows and macOS one overwrites the other."
            for path in sorted(path for path in chosen if alike[path.casefold()] > 1)[:20]
        ]
        folders = {parent for path in chosen for parent in _parents(path)}
        for path in sorted(folders & chosen.keys()):
            del chosen[path]
            self.left_out.append(LeftOut(path, "There is a folder of the same name."))


def _opened(file: IO[bytes], name: str) -> zipfile.ZipFile:
    try:
        end = zipfile._EndRecData(file)  # type: ignore[attr-defined]  # before the whole central directory is read
        if end and end[_TABLE_SIZE] > _DIRECTORY:
            raise _too_many(name)
        return zipfile.ZipFile(file)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, EOFError) as error:
        is_zip = name.lower().endswith(".zip")
        advice = "Compress the folder of your thesis as .zip" if is_zip else "Open it and save it again"
        raise Refused(
            f"{name} is not a {'ZIP' if is_zip else 'Word'} file, or it is damaged. {advice}, and upload that.",
            field="file",
            code="not_a_zip",
        ) from error


def _refuse_hostile(entries: list[zipfile.ZipInfo], name: str) -> None:
    if len(entries) > MOST_ENTRIES:
        raise _too_many(name)
    if any(entry.flag_bits & _LOCKED for entry in entries):
        raise Refused(
            f"{name} has a password. Create it again without a password and upload that.", field="file", code="locked"
        )
    if any(entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for entry in entries):
        raise Refused(
            f"{name} uses an unsupported compression. Create it again as an ordinary .zip and upload that.",
            field="file",
            code="packing",
        )
    is_bomb = any(entry.file_size > SMALL and entry.file_size > MOST_RATIO * entry.compress_size for entry in entries)
    if is_bomb or sum(entry.file_size for entry in entries) > MOST_UNPACKED:
        raise _too_much(name)


def _name_of(entry: zipfile.ZipInfo) -> str:
    """Return the intended name of an entry: UTF-8 if valid, even if not declared, and with forward slashes."""
    name = entry.orig_filename
    if not entry.flag_bits & _UTF8_NAME:
        try:
            name = name.encode("cp437").decode("utf-8")
        except UnicodeError:
            name = entry.orig_filename
    return name.replace("\\", "/") if "/" not in name else name


def _why_not(entry: zipfile.ZipInfo, name: str) -> str:
    mode = stat.S_IFMT(entry.external_attr >> 16)
    if mode == stat.S_IFLNK:
        return "It is a link to another file. Put the file itself there."
    if mode not in (0, stat.S_IFREG):
        return "It is no plain file."
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        return "Its name is an absolute path."
    if ".." in name.split("/"):
        return "Its name leads out of the archive."
    if _CONTROL.search(name) or not name.strip("./ "):
        return "Its name holds characters that no file name should have."
    return f"Its name has more than {MOST_PATH} characters." if len(name) > MOST_PATH else ""


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


def _too_many(name: str) -> Refused:
    return Refused(
        f"{name} has more than {MOST_ENTRIES:,} files. Leave out files the thesis does not need, and create it again.",
        field="file",
        code="too_many",
        status=413,
    )


def _too_much(name: str) -> Refused:
    return Refused(
        f"{name} unpacks to far more than its size, or to more than {MOST_UNPACKED // 1024 // 1024} MB. "
        "It was not opened.",
        field="file",
        code="bomb",
        status=413,
    )
