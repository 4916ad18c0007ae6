"""Reading text, web pages, Word documents and simple PDFs (SPEC X2, X11)."""

from typing import Any

import pytest

from contextfiles.passages import LONGEST, MAX_CHARACTERS
from contextfiles.read_text import Reading, Unreadable, read
from contextfiles.readers import html as html_reader
from contextfiles.readers import pdf as pdf_reader
from tests.contextfiles.make_files import NOTES, pdf, with_entry, word, zipped


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


def test_html_keeps_what_a_reader_sees() -> None:
    page = """<!doctype html><title>T</title><style>p{}</style><nav>Menu</nav><h1>Soil &amp; air</h1>
    <p>One <b>bold</b>\nword<br>and a line<table><tr><th>a<th>b<tr><td><p>1</p><td>2</table>
    <pre>x\n  y</pre><script>alert(1)</script>"""
    assert passages(read("html", page.encode())) == [
        ("Soil & air", "One bold word\nand a line"),
        ("Soil & air", "a | b"),
        ("Soil & air", "▸ a: 1; b: 2\n\nx\n  y"),
    ]


def test_html_says_its_encoding() -> None:
    page = '<meta charset="iso-8859-2"><p>Łódź</p>'.encode("iso-8859-2")
    assert read("html", page).text == "Łódź"


@pytest.mark.long
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
        ("Methods", "We sampled alder."),
        ("Methods", "c0 | c1"),
        ("Methods", "▸ c0: c2; c1: c3\n\nAfter."),
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


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("format", "data", "said"),
    [
        ("docx", word()[:500], "damaged"),
        ("docx", zipped({"word/document.xml": b"<not closed"}), "damaged"),
        ("docx", word(lambda document: None), "No text"),
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
