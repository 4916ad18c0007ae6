"""Slides and documents of Office programs: text, tables, notes (SPEC X11)."""

from typing import Any

import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from contextfiles.passages import Unreadable
from contextfiles.read_text import Reading, read
from tests.contextfiles.make_files import slides, with_entry, word, zipped

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def passages(reading: Reading) -> list[tuple[str, int | None, str]]:
    return [(one.heading, one.page, reading.text[one.start : one.end]) for one in reading.segments]


def test_slides_have_title_text_table_and_notes() -> None:
    def fill(presentation: Any) -> None:
        first = presentation.slides.add_slide(presentation.slide_layouts[1])
        first.shapes.title.text = "Alder\vfixes nitrogen"
        first.placeholders[1].text = "Point one\nPoint two"
        table = first.shapes.add_table(3, 2, 0, 0, Inches(3), Inches(2)).table
        for at, text in enumerate(["Plot", "Height", "P1", "3", "P2", "4"]):
            table.cell(at // 2, at % 2).text = text
        first.notes_slide.notes_text_frame.text = "Say this aloud."
        second = presentation.slides.add_slide(presentation.slide_layouts[6])
        group = second.shapes.add_group_shape()
        group.shapes.add_textbox(0, 0, 100, 100).text_frame.text = "Within a group"
        presentation.slides.add_slide(presentation.slide_layouts[6])
        last = presentation.slides.add_slide(presentation.slide_layouts[5])
        last.shapes.title.text = "Spare"
        last.element.set("show", "0")

    assert passages(read("pptx", slides(fill))) == [
        (
            "Alder fixes nitrogen",
            1,
            "Point one\nPoint two",
        ),
        ("Alder fixes nitrogen", 1, "Plot | Height"),
        ("Alder fixes nitrogen", 1, "▸ Plot: P1; Height: 3\n▸ Plot: P2; Height: 4\n\nNotes: Say this aloud."),
        ("Slide 2", 2, "Within a group"),
        ("Spare (hidden slide)", 4, "Spare"),
    ]


def test_merged_cells_of_a_slide_say_their_text_once() -> None:
    def fill(presentation: Any) -> None:
        slide = presentation.slides.add_slide(presentation.slide_layouts[6])
        table = slide.shapes.add_table(2, 2, 0, 0, Inches(3), Inches(2)).table
        for at, text in enumerate(["Both", "", "P1", "3"]):
            table.cell(at // 2, at % 2).text = text
        table.cell(0, 0).merge(table.cell(0, 1))

    assert read("pptx", slides(fill)).text == "Both\nP1 | 3"


def test_the_numbers_of_a_chart_are_read() -> None:
    def fill(presentation: Any) -> None:
        slide = presentation.slides.add_slide(presentation.slide_layouts[6])
        data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
        data.categories = ["2019", "2020"]
        data.add_series("Height", (1.5, 2.5))
        slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Inches(3), Inches(3), data)

    assert read("pptx", slides(fill)).text == "Height | 2019: 1.5 | 2020: 2.5"


@pytest.mark.parametrize(
    ("format", "data", "said"),
    [
        ("pptx", slides()[:500], "PowerPoint presentation is damaged"),
        ("pptx", zipped({"ppt/presentation.xml": b"<not closed"}), "damaged"),
        ("pptx", word(), "not a PowerPoint presentation"),
        ("docx", slides(), "not a Word document"),
        ("xlsx", word(), "damaged"),
        ("pptx", slides(lambda presentation: None), "No text"),
    ],
)
def test_what_cannot_be_read_says_why(format: str, data: bytes, said: str) -> None:
    with pytest.raises(Unreadable, match=said):
        read(format, data)


def test_each_row_of_a_long_table_of_a_document_says_its_columns() -> None:
    def fill(document: Any) -> None:
        document.add_paragraph("Before.")
        table = document.add_table(101, 3)
        for row in range(101):
            texts = ["Plot", "Species", "Height"] if not row else [f"P{row}", "Alnus glutinosa", str(row)]
            for cell, text in zip(table.rows[row].cells, texts, strict=True):
                cell.text = text
        document.add_paragraph("After.")

    found = [text for _, _, text in passages(read("docx", word(fill)))]
    assert len(found) > 2
    assert found[:2] == ["Before.", "Plot | Species | Height"]
    assert found[2].startswith("▸ Plot: P1; Species: Alnus glutinosa; Height: 1\n")
    assert found[-1].endswith("▸ Plot: P100; Species: Alnus glutinosa; Height: 100\n\nAfter.")


def test_merged_struck_and_nested_cells_of_a_document() -> None:
    def fill(document: Any) -> None:
        table = document.add_table(3, 3)
        for at, cell in enumerate(cell for row in table.rows for cell in row.cells):
            cell.text = f"c{at}"
        across = table.cell(0, 0).merge(table.cell(0, 1))
        across.text = "across"
        table.cell(1, 0).merge(table.cell(2, 0)).text = "down"
        inner = table.cell(1, 1).add_table(1, 2)
        inner.cell(0, 0).text, inner.cell(0, 1).text = "in", "side"

    assert read("docx", word(fill)).text == (
        "across |  | c2\n\n▸ across: down; column 2: c4 in side; c2: c5\n▸ across: down; column 2: c7; c2: c8"
    )


def test_a_table_of_one_column_only_holds_text_together() -> None:
    def fill(document: Any) -> None:
        cell = document.add_table(1, 1).cell(0, 0)
        cell.text = "One paragraph."
        cell.add_paragraph("Methods", style="Heading 1")
        cell.add_paragraph("Another.")

    assert [(heading, text) for heading, _, text in passages(read("docx", word(fill)))] == [
        ("", "One paragraph."),
        ("Methods", "Another."),
    ]


def test_footnotes_and_endnotes_stand_at_the_end() -> None:
    def notes(kind: str, text: str) -> bytes:
        blank = f'<w:{kind} w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:{kind}>'
        said = f'<w:{kind} w:id="2"><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:{kind}>'
        return f"<w:{kind}s {WORD}>{blank}{said}</w:{kind}s>".encode()

    data = word(lambda document: document.add_paragraph("A claim."))
    kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    types = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    for kind, text in (("footnote", "Hagen 2019, p. 4."), ("endnote", "See the appendix.")):
        data = with_entry(data, f"word/{kind}s.xml", notes(kind, text))
        data = replaced(
            data,
            "word/_rels/document.xml.rels",
            "</Relationships>",
            f'<Relationship Id="{kind}" Type="{kinds}/{kind}s" Target="{kind}s.xml"/></Relationships>',
        )
        override = f'<Override PartName="/word/{kind}s.xml" ContentType="{types}.{kind}s+xml"/></Types>'
        data = replaced(data, "[Content_Types].xml", "</Types>", override)
    assert [(heading, text) for heading, _, text in passages(read("docx", data))] == [
        ("", "A claim."),
        ("Footnotes", "Hagen 2019, p. 4."),
        ("Endnotes", "See the appendix."),
    ]


def replaced(data: bytes, name: str, old: str, new: str) -> bytes:
    """The ZIP `data` with `old` in the entry `name` as `new`."""
    import zipfile
    from io import BytesIO

    entry = zipfile.ZipFile(BytesIO(data)).read(name).decode()
    assert old in entry
    return with_entry(data, name, entry.replace(old, new).encode())
