"""ZIP archives that lie, climb or swell: refused in a sentence, or left out by name;
nothing is written outside (SPEC R18)."""

import stat
import struct
import zipfile
from io import BytesIO

import pytest

from core.errors import Refused
from projects.models import User
from sections.models import ThesisFile
from tests.thesis.make_thesis import MAIN, exported, imported_file, zipped
from untrusted import archive
from untrusted.archive import Archive


def opened(data: bytes) -> Archive:
    return Archive(BytesIO(data), "x.zip")


def with_entry(entry: zipfile.ZipInfo, data: bytes = b"x") -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as zipped_file:
        zipped_file.writestr("main.tex", MAIN)
        zipped_file.writestr(entry, data)
    return made.getvalue()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../evil.tex", "leads out of the archive"),
        ("a/../../evil.tex", "leads out of the archive"),
        ("..\\evil.tex", "leads out of the archive"),
        ("/etc/passwd", "absolute path"),
        ("C:\\evil.tex", "absolute path"),
        ("a\nb.tex", "characters that no file name should have"),
        ("a\u202etex.exe", "characters that no file name should have"),
        ("a" * 300, "more than 255 characters"),
    ],
)
def test_names_that_climb_are_left_out(name: str, why: str) -> None:
    found = opened(with_entry(zipfile.ZipInfo(name)))
    assert list(found.sizes) == ["main.tex"]
    assert why in found.left_out[0].why


@pytest.mark.parametrize(("mode", "why"), [(stat.S_IFLNK, "link to another file"), (stat.S_IFIFO, "no plain file")])
def test_links_and_devices_are_left_out(mode: int, why: str) -> None:
    entry = zipfile.ZipInfo("link.tex")
    entry.create_system, entry.external_attr = 3, (mode | 0o777) << 16
    found = opened(with_entry(entry, b"/etc/passwd"))
    assert (list(found.sizes), why in found.left_out[0].why) == (["main.tex"], True)


def test_a_bomb_by_its_ratio() -> None:
    with pytest.raises(Refused, match="unpacks to far more than its size"):
        opened(zipped({"main.tex": b"\\documentclass{book}", "bomb.dat": bytes(20 * 1024 * 1024)}))


def test_a_bomb_by_its_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_UNPACKED", 1000)
    with pytest.raises(Refused, match="unpacks to far more than its size"):
        opened(zipped({f"{number}": b"x" * 300 for number in range(4)}))


def test_a_bomb_that_lies_about_its_size() -> None:
    data = bytearray(zipped({"main.tex": b"\\documentclass{book}", "bomb.dat": bytes(1_000_000)}))
    for mark, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = data.rindex(mark)
        data[start + at : start + at + 4] = struct.pack("<I", 10)
    with pytest.raises(Refused, match="damaged"):
        opened(bytes(data)).read("bomb.dat")


def test_too_many_files(monkeypatch: pytest.MonkeyPatch) -> None:
    data = zipped({f"{number}.txt": b"x" for number in range(12)})
    monkeypatch.setattr(archive, "MOST_ENTRIES", 10)
    with pytest.raises(Refused, match="more than 10 files"):
        opened(data)


def test_an_endless_table_of_contents_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    data = zipped({f"{number}.txt": b"x" for number in range(12)})
    monkeypatch.setattr(archive, "_DIRECTORY", 100)
    monkeypatch.setattr(zipfile, "ZipFile", None)
    with pytest.raises(Refused, match="files"):
        opened(data)


def test_a_locked_archive() -> None:
    data = bytearray(zipped({"main.tex": MAIN}))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + at] |= 1
    with pytest.raises(Refused, match="has a password"):
        opened(bytes(data))


@pytest.mark.parametrize(
    "data",
    [b"", b"PK", b"PK\x05\x06" + bytes(18), zipped({"a": b"x" * 5000})[:-30], b"\x00" * 5000],
    ids=["empty", "two letters", "no entries", "cut short", "zeros"],
)
def test_damaged_archives(data: bytes) -> None:
    try:
        assert opened(data).sizes == {}
    except Refused as refused:
        assert "not a ZIP file" in refused.message  # noqa: PT017


def test_a_damaged_entry() -> None:
    data = bytearray(zipped({"main.tex": MAIN}))
    data[50] ^= 0xFF
    with pytest.raises(Refused, match=r"damaged at main\.tex"):
        opened(bytes(data)).read("main.tex")


def test_an_unusual_packing() -> None:
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_LZMA) as zipped_file:
        zipped_file.writestr("main.tex", MAIN)
    with pytest.raises(Refused, match="uses an unsupported compression"):
        opened(made.getvalue())


def test_litter_twins_and_capitals_are_told() -> None:
    paths = (
        "main.tex",
        "__MACOSX/._main.tex",
        ".DS_Store",
        ".git/config",
        "twin.tex",
        "Fig.png",
        "fig.png",
        "./b//c.txt",
    )
    data = zipped({path: path.encode() for path in paths}).replace(b"twin.tex", b"main.tex")
    found = opened(data)
    assert set(found.sizes) == {"main.tex", "Fig.png", "fig.png", "b/c.txt"}
    assert found.notes[0] == "main.tex is in the archive twice. The later one was used."
    assert found.notes[1].startswith("3 files added by programs")
    assert "only in capitalisation" in found.notes[2]


def test_names_in_odd_encodings() -> None:
    data = zipped({"main.tex": MAIN, "abbildung-\u00e4.png": b"x"})
    assert "abbildung-ä.png" in opened(data).sizes
    unmarked = bytearray(data)  # UTF-8 that does not say so, as some programs write it
    for mark, at in ((b"PK\x03\x04", 7), (b"PK\x01\x02", 9)):
        unmarked[unmarked.rindex(mark) + at] &= ~0x08
    assert "abbildung-ä.png" in opened(bytes(unmarked)).sizes


@pytest.mark.django_db
def test_an_archive_in_an_archive_stays_a_file(owner: User) -> None:
    inner = zipped({"../x.tex": b"y"})
    files = {"main.tex": b"\\documentclass{book}\\begin{document}\\chapter{A}a\\end{document}", "inner.zip": inner}
    made, _ = imported_file(owner, zipped(files), "x.zip")
    assert exported(made.project)[0] == files
    assert ThesisFile.objects.get(path="inner.zip").kind == "other"


@pytest.mark.django_db
def test_what_was_left_out_stands_in_the_report(owner: User) -> None:
    made, _ = imported_file(owner, with_entry(zipfile.ZipInfo("../evil.tex")), "x.zip")
    row = next(row for row in (made.result or {})["rows"] if row["kind"] == "left_out")
    assert (row["path"], row["became"]) == ("../evil.tex", "left out: Its name leads out of the archive.")
