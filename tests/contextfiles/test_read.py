"""Reading files, honest and hostile ones (SPEC X2, X11, R18)."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from contextfiles.passages import LONGEST, MAX_CHARACTERS
from contextfiles.read import Document, Reading, Unreadable, read, read_bytes_safely, read_safely
from contextfiles.readers import html as html_reader
from contextfiles.readers import pdf as pdf_reader
from tests.contextfiles.makers import NOTES, bomb, pdf, with_entry, word, zipped


def passages(reading: Reading) -> list[tuple[str, str]]:
    return [(segment.heading, reading.text[segment.start : segment.end]) for segment in reading.segments]


def test_markdown_headings_stand_over_their_passages() -> None:
    reading = read("md", NOTES)
    assert reading.text == NOTES.decode()
    assert passages(reading) == [
        ("Alder", "# Alder"),
        ("Soil", "Alder fixes nitrogen. The soil under it held 3.4 g/kg."),
        ("Growth", "Trees grew faster."),
    ]
    assert [segment.id for segment in reading.segments] == ["S1", "S2", "S3"]


def test_markdown_knows_code_and_front_matter_and_underlined_headings() -> None:
    source = b"---\n# not: a heading\n---\n\nResults\n=======\n\n```\n# a comment\n\nx\n```\n\nTable\n-----\nrow\n"
    assert passages(read("md", source)) == [
        ("", "---\n# not: a heading\n---"),
        ("Results", "```\n# a comment\n\nx\n```"),
        ("Table", "row"),
    ]


def test_short_paragraphs_share_a_passage_and_long_ones_are_cut_at_sentences() -> None:
    short = "\n\n".join(["A paragraph."] * 3)
    long = " ".join(f"This is sentence number {number} of a very long paragraph." for number in range(120))
    reading = read("txt", f"{short}\n\n{long}".encode())
    cut = [text for _, text in passages(reading)]
    assert cut[0] == short
    assert len(cut) > 4
    assert all(len(text) <= LONGEST for text in cut)
    assert all(text.endswith(".") for text in cut)


@pytest.mark.parametrize(
    "data",
    [
        "Å ønsker".encode(),
        b"\xef\xbb\xbf" + "Å ønsker".encode(),
        "Å ønsker".encode("utf-16"),
        b"\xfe\xff" + "Å ønsker".encode("utf-16-be"),
        "Å ønsker".encode("utf-32"),
        "Å ønsker".encode("cp1252"),
    ],
)
def test_text_is_decoded(data: bytes) -> None:
    assert read("txt", data).text == "Å ønsker"


def test_newlines_are_made_alike() -> None:
    assert read("txt", b"a\r\nb\rc\nd\x0ce").text == "a\nb\nc\nd\ne"


def test_csv_becomes_rows_under_their_columns() -> None:
    data = b'Plot;Species\n1;"Alnus; glutinosa"\n2;"Betula\npendula"\n'
    assert passages(read("csv", data)) == [("Plot | Species", "1 | Alnus; glutinosa\n2 | Betula pendula")]
    assert read("csv", b"1\t2\n3\t4\n").text == "1 | 2\n3 | 4"


def test_html_keeps_what_a_reader_sees() -> None:
    page = """<!doctype html><title>T</title><style>p{}</style><nav>Menu</nav><h1>Soil &amp; air</h1>
    <p>One <b>bold</b>\nword<br>and a line<table><tr><th>a<th>b<tr><td><p>1</p><td>2</table>
    <pre>x\n  y</pre><script>alert(1)</script>"""
    assert passages(read("html", page.encode())) == [
        ("Soil & air", "One bold word\nand a line\n\na | b\n1 | 2\n\nx\n  y")
    ]


def test_html_says_its_encoding() -> None:
    page = '<meta charset="iso-8859-2"><p>Łódź</p>'.encode("iso-8859-2")
    assert read("html", page).text == "Łódź"


def test_html_nested_deeply_is_read() -> None:
    assert read("html", b"<div>" * 20_000 + b"deep").text == "deep"


def test_docx_has_headings_tables_and_tracked_insertions() -> None:
    def fill(document: Any) -> None:
        document.add_heading("Alder and soil", 0)
        document.add_heading("Methods", 1)
        document.add_paragraph("We sampled ").add_run("alder.").bold = True
        table = document.add_table(2, 2)
        for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
            cell.text = f"c{number}"
        document.add_paragraph("After.")

    data = word(fill)
    assert passages(read("docx", data)) == [
        ("Alder and soil", "Alder and soil"),
        ("Methods", "We sampled alder.\n\nc0 | c1\nc2 | c3\n\nAfter."),
    ]
    import zipfile
    from io import BytesIO

    xml = zipfile.ZipFile(BytesIO(data)).read("word/document.xml")
    tracked = (
        b'<w:p><w:ins w:id="1" w:author="A"><w:r><w:t>kept</w:t></w:r></w:ins>'
        b'<w:del w:id="2" w:author="A"><w:r><w:delText>gone</w:delText><w:t>gone</w:t></w:r></w:del></w:p>'
    )
    changed = with_entry(data, "word/document.xml", xml.replace(b"<w:body>", b"<w:body>" + tracked))
    assert read("docx", changed).text.startswith("kept\n\nAlder and soil")


def test_pdf_is_read_page_by_page() -> None:
    reading = read("pdf", pdf(["Alder fixes nitrogen.", "It grows fast."], ["Page two."]))
    assert reading.text == "Alder fixes nitrogen.\nIt grows fast.\n\nPage two."
    assert [(segment.id, segment.page) for segment in reading.segments] == [("S1", 1), ("S2", 2)]


@pytest.mark.parametrize(
    ("format", "data", "said"),
    [
        ("pdf", pdf(["Secret"], encrypt=True), "password"),
        ("pdf", pdf(["Alder"])[:120], "damaged"),
        ("pdf", pdf([""]), "scan"),
        ("docx", word()[:500], "damaged"),
        ("docx", zipped({"word/document.xml": b"<not closed"}), "damaged"),
        ("docx", word(lambda document: None), "No text"),
        ("docx", bomb(), "unpacks"),
        ("txt", b"\xff\xfea", "Save it again as UTF-8"),
        ("txt", b"abc\0def", "plain text"),
        ("txt", bytes(range(1, 9)) * 40, "plain text"),
        ("txt", b" \n\t\n", "No text"),
        ("txt", b"a" * (MAX_CHARACTERS + 1), "5 million"),
        ("md", b"# a\nb\n" * 50_001, "50,000"),
        ("html", b"<script>alert(1)</script>", "No text"),
    ],
)
def test_what_cannot_be_read_says_why(format: str, data: bytes, said: str) -> None:
    with pytest.raises(Unreadable, match=said):
        read(format, data)


def test_entities_of_a_docx_are_not_expanded(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("swordfish")
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    xml = (
        f'<!DOCTYPE d [<!ENTITY l0 "lol">{laughs}<!ENTITY x SYSTEM "file://{secret}">]>'
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        "<w:body><w:p><w:r><w:t>a&l9;b&x;</w:t></w:r></w:p></w:body></w:document>"
    )
    path = tmp_path / "laughs.docx"
    path.write_bytes(with_entry(word(), "word/document.xml", xml.encode()))
    try:
        text = read_safely("docx", path).text
    except Unreadable:
        return
    assert "swordfish" not in text
    assert len(text) < 1000


@pytest.mark.parametrize(("format", "data"), [("pdf", pdf(["Alder."])), ("docx", word()), ("html", b"<p>Alder")])
def test_a_process_of_its_own_reads_the_same(tmp_path: Path, format: str, data: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    assert read_safely(format, path) == read(format, data)


def test_a_process_of_its_own_says_why(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(pdf([""]))
    with pytest.raises(Unreadable, match="scan"):
        read_safely("pdf", path)


@pytest.mark.parametrize(
    ("format", "data", "title"),
    [
        ("pdf", pdf(["Alder."]), ""),
        ("docx", word(), ""),
        ("html", b"<title>On alder</title><p>Alder", "On alder"),
        ("txt", b"Alder", ""),
    ],
)
def test_bytes_are_read_like_files(format: str, data: bytes, title: str) -> None:
    assert read_bytes_safely(format, data) == Document(title, read(format, data))


@pytest.mark.parametrize(
    ("data", "charset", "text"),
    [
        ("Łódź".encode("iso-8859-2"), "iso8859-2", "Łódź"),
        ("赤楊".encode("iso2022_jp"), "iso2022_jp", "赤楊"),  # UTF-8 would take these bytes, and read nonsense
        ("“Größe”".encode("cp1252"), "iso8859-1", "“Größe”"),  # as browsers read this label
        ("Größe".encode("utf-16"), "utf-16", "Größe"),
        ("Größe".encode("utf-16-le"), "utf-16-le", "Größe"),
        ("Größe".encode("latin-1"), "utf-8", "Größe"),  # not what it says it is
        ("Größe".encode(), "nothing Python knows", "Größe"),
        (
            "Größe, Güte, Höhe, Öl ".encode() + b"\xff",
            "utf-8",
            "Größe, Güte, Höhe, Öl \ufffd",
        ),  # damaged, not mislabelled
    ],
)
def test_the_charset_that_was_sent_along_counts(data: bytes, charset: str, text: str) -> None:
    assert read_bytes_safely("txt", data, charset).reading.text == text


def test_the_charset_that_was_sent_along_counts_more_than_that_in_the_page() -> None:
    page = '<meta charset="iso-8859-1"><title>Łódź</title><p>Łódź'.encode("iso-8859-2")
    document = read_bytes_safely("html", page, "iso8859-2")
    assert (document.title, document.reading.text) == ("Łódź", "Łódź")


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<title> Alder &amp;\n shade </title><p>x", "Alder & shade"),
        ("<title>One</title><title>Two</title>", "One"),
        ("<svg><title>A drawing</title></svg><p>x", ""),
        ("<title></title><h1>x", ""),
        ("", ""),
    ],
)
def test_the_title_of_a_page(page: str, title: str) -> None:
    assert html_reader.title_of(page.encode()) == title


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Alder in  shade", "Alder in shade"),
        ("Microsoft Word - Alder in shade", "Alder in shade"),
        ("Microsoft Word - alder final.docx", ""),
        ("untitled", ""),
        ("Untitled document", ""),
        ("doi:10.5555/alder PII S0140", ""),
        ("", ""),
    ],
)
def test_the_title_of_a_pdf(said: str, title: str) -> None:
    data = pdf(["Alder."]).replace(b"/Type/Catalog", b"/Type/Catalog/Title(%s)" % said.encode())
    assert pdf_reader.title_of(data.replace(b"/Root 1 0 R", b"/Root 1 0 R/Info 1 0 R")) == title
    assert pdf_reader.title_of(pdf(["Alder."])) == ""


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_safely("pdf", tmp_path / "gone")


def test_reading_takes_no_longer_than_it_may() -> None:
    with pytest.raises(Unreadable, match="took longer than 1 second"):
        read_bytes_safely("html", b"<div>" * 200_000, seconds=1)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("kill -SEGV $$", "could not be read"),
        ("kill -XCPU $$", "took longer"),
        ("echo '[1]'", "could not be read"),
        ("exec yes", "could not be read"),  # without end: only so much of it is taken
    ],
)
def test_a_process_gone_wrong_is_a_file_that_cannot_be_read(
    script: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _python_is(script, tmp_path, monkeypatch)
    with pytest.raises(Unreadable, match=said):
        read_bytes_safely("pdf", pdf(["Alder."]))


def test_a_process_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _python_is("exec sleep 60", tmp_path, monkeypatch)
    monkeypatch.setattr("contextfiles.read.GRACE", 0)
    with pytest.raises(Unreadable, match="could not be read"):
        read_bytes_safely("pdf", b"", seconds=0)


def test_the_reading_process_gets_no_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY_FILE", "/secret")
    seen, file = tmp_path / "seen", tmp_path / "file"
    file.write_bytes(b"")
    _python_is(f"env >> {seen}", tmp_path, monkeypatch)
    with pytest.raises(Unreadable):
        read_safely("pdf", file)
    with pytest.raises(Unreadable):
        read_bytes_safely("pdf", b"")
    names = [line.partition("=")[0] for line in seen.read_text().splitlines()]
    assert names.count("PATH") == 2
    assert set(names) <= {"PATH", "PYTHONPATH", "PYTHONUTF8", "PWD", "SHLVL", "OLDPWD", "_"}
    assert os.environ["SECRET_KEY_FILE"] == "/secret"


def _python_is(script: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that reads runs `script` instead of Python."""
    python = folder / "python"
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(python))


def test_reading_starts_without_django() -> None:
    import subprocess

    code = "import contextfiles.read, sys; print(any(name.split('.')[0] == 'django' for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
