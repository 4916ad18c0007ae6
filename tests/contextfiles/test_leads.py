"""What names a work, a part or a column and states nothing is a lead, in whatever format it comes (SPEC R11)."""

from collections.abc import Callable
from textwrap import wrap
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from contextfiles.passages import Reading
from contextfiles.read_text import read
from contextfiles.readers.pdf_paragraphs import LEAST, parts_of
from contextfiles.readers.table_rows import Row, chunks_of
from tests.contextfiles.make_files import pdf, slides, word
from text.reference_lists import is_entry, is_list_heading
from text.sentences import sentences

PROSE = "In 40 plots the soil held 0.34% nitrogen (95% CI 0.30 to 0.38), i.e. more than under fir."
LATER = "Growth of Douglas-fir was slower in the shade of alder, as we found in all twelve of the stands."
STYLES = {
    "vancouver": (
        "1. Binkley DE, Cromack K, Baker DD. Nitrogen fixation by red alder: "
        "biology and rates. For Ecol Manage. 2003;12(3):57-72."
    ),
    "apa": (
        "Binkley, D. E., & Cromack, K. (2003). Nitrogen fixation by red alder. "
        "Forest Ecology, 12(3), 57-72. https://doi.org/10.5555/a"
    ),
    "ieee": (
        '[3] D. Binkley and K. Cromack, "Nitrogen fixation by red alder," '
        "Forest Ecol., vol. 12, no. 3, pp. 57-72, 2003."
    ),
    "german": "Müller, Hans: Die Erle und der Boden. Springer Verlag, Berlin 2001, S. 12-34.",
    "group": "World Forest Organization. Alder in plantations. Rome: WFO; 2020. https://wfo.example/alder",
}


def evidence(reading: Reading) -> str:
    return "\n".join(reading.text[one.start : one.end] for one in reading.segments if not one.is_lead)


def leads(reading: Reading) -> str:
    return "\n".join(reading.text[one.start : one.end] for one in reading.segments if one.is_lead)


@pytest.mark.parametrize("entry", STYLES.values(), ids=STYLES)
def test_an_entry_is_one_in_every_style_and_without_a_heading(entry: str) -> None:
    assert is_entry(entry)
    assert is_entry("\n".join(wrap(entry, 30)))
    reading = read("txt", f"{PROSE}\n\n{entry}\n\n{LATER}".encode())
    assert evidence(reading).split("\n") == [PROSE, LATER]


@pytest.mark.parametrize(
    "said",
    [
        PROSE,
        "Binkley et al. (2003) found that alder doubled nitrogen in 12 of 15 stands (doi:10.5555/a).",
        "Binkley and Cromack (2003) measured 57 to 72 kg per hectare in 12 stands; see vol. 12, pp. 57-72.",
        "The trial was registered as NCT04381936 and 6425 patients were enrolled.",
    ],
)
def test_a_sentence_that_names_a_work_is_none(said: str) -> None:
    assert not is_entry(said)


@pytest.mark.parametrize(
    "heading",
    ["References", "7 References", "REFERENCES", "Literaturverzeichnis", "Références bibliographiques", "Bibliografía",
     "参考文献", "Список литературы", "References for Chapter 3", "IV. Works Cited:"],
)  # fmt: skip
def test_the_heading_of_a_list_in_many_languages(heading: str) -> None:
    assert is_list_heading(heading)
    plain = "Untersuchung über Erlen. Wald und Holz. Wien."
    reading = read("txt", f"{PROSE}\n\n{heading}\n{plain}\n\nFir in the shade. Graz.\n\n{LATER}".encode())
    assert evidence(reading).split("\n") == [PROSE, LATER], "also where nothing but the heading gives it away"


def test_a_list_after_each_chapter_ends_with_it() -> None:
    chapter = f"# Soil\n\n{PROSE}\n\n## References\n\n- {STYLES['vancouver'][3:]}\n- {STYLES['apa']}\n\n"
    reading = read("md", f"{chapter}# Growth\n\n{LATER}\n\n## References\n\n{STYLES['group']}\n".encode())
    assert evidence(reading).split("\n") == [PROSE, LATER]
    assert "Binkley" in leads(reading)


def document(fill: Callable[[Any], None]) -> bytes:
    return word(fill)


@pytest.mark.parametrize("format", ["pdf", "docx", "html", "md", "txt"])
def test_a_list_of_references_is_told_in_every_format(format: str) -> None:
    said = [PROSE, "References", *list(STYLES.values())[:3]]

    def fill(made: Any) -> None:
        for text in said:
            made.add_paragraph(text)

    data = {
        "pdf": pdf([line for text in said for line in [*wrap(text.replace("(", "\\(").replace(")", "\\)"), 70), ""]]),
        "docx": word(fill),
        "html": "".join(f"<p>{text}</p>" for text in said).encode(),
        "md": "\n\n".join([said[0], "## References", *said[2:]]).encode(),
        "txt": "\n\n".join(said).encode(),
    }[format]
    reading = read(format, data)
    assert " ".join(evidence(reading).split()) == PROSE
    assert leads(reading).count("Binkley") == 3


def test_entries_of_bibtex_and_ris_are_leads_also_under_another_name() -> None:
    bib = (
        b"@article{made2022up, title={Alder doubles nitrogen in every soil.}, doi={10.99999/x}, abstract={It doubled.}}"
    )
    ris = b"TY  - JOUR\nTI  - Alder doubles nitrogen in every soil.\nAB  - It doubled by 12%.\nER  -\n"
    for format, data in (
        ("bib", bib),
        ("ris", ris),
        ("txt", bib),
        ("md", ris),
        ("bib", b"@article{broken"),
        ("bib", b"% It is so.\n" + bib),
    ):
        assert evidence(read(format, data)) == "", format


def test_a_table_of_contents_and_titles_are_leads() -> None:
    contents = "Contents\n1 Soil . . . . . . . . 4\n2 Growth of all the stands in 2020 ........ 12"
    assert evidence(read("txt", f"{contents}\n\n{PROSE}".encode())) == PROSE
    assert evidence(read("md", b"# Alder doubles nitrogen in every soil.\n")) == ""

    def fill(presentation: Any) -> None:
        slide = presentation.slides.add_slide(presentation.slide_layouts[5])
        slide.shapes.title.text = "Alder doubles nitrogen in every soil."

    assert evidence(read("pptx", slides(fill))) == ""


# Rows of tables


@pytest.mark.parametrize("format", ["csv", "html", "md", "docx"])
def test_a_row_says_its_columns_and_the_names_alone_are_a_lead(format: str) -> None:
    rows = [["study", "deaths", "n"], ["RECOVERY", "95", "324"], ["CoDEX", "", "128"]]

    def fill(made: Any) -> None:
        table = made.add_table(3, 3)
        for cell, text in zip((cell for row in table.rows for cell in row.cells), sum(rows, []), strict=True):
            cell.text = text

    bars = [f"| {' | '.join(row)} |" for row in rows]
    html = ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) for row in rows]
    data = {
        "csv": "\n".join(",".join(row) for row in rows).encode(),
        "html": f"<table>{''.join(html)}</table>".encode(),
        "md": "\n".join([bars[0], "|---|---|---|", *bars[1:]]).encode(),
        "docx": word(fill),
    }[format]
    reading = read(format, data)
    assert evidence(reading) == "▸ study: RECOVERY; deaths: 95; n: 324\n▸ study: CoDEX; n: 128"
    assert "study | deaths | n" in leads(reading)
    assert [one.text for one in sentences(evidence(reading)) if one.is_whole] == evidence(reading)[2:].split("\n▸ ")


def chunk_texts(*rows: list[str]) -> list[tuple[str, bool]]:
    return [(chunk.text, chunk.is_lead) for chunk in chunks_of(Row(at, row) for at, row in enumerate(rows, start=1))]


def test_two_rows_of_names_are_put_together() -> None:
    names = [["", "steroid", "", "control", ""], ["trial", "n", "died", "n", "died"]]
    (head, is_lead), (row, _) = chunk_texts(*names, ["CoDEX", "128", "69", "128", "76"])
    assert is_lead
    assert row == "▸ trial: CoDEX; steroid n: 128; steroid died: 69; control n: 128; control died: 76"
    units = [["plot", "height"], ["", "(m)"], ["P1", "3.4"], ["P2", "4.5"]]
    assert chunk_texts(*units)[1][0] == "▸ plot: P1; height (m): 3.4\n▸ plot: P2; height (m): 4.5"
    assert chunk_texts(["", "2019", "2020"], ["deaths", "3", "4"])[1][0] == "▸ row: deaths; 2019: 3; 2020: 4"


def test_a_row_without_names_or_with_one_value_states_nothing() -> None:
    assert chunk_texts(["1", "2"], ["3", "4"]) == [("1 | 2\n3 | 4", True)]
    assert chunk_texts(["plot", "n"], ["P1", "3"], ["Site North", ""])[-1] == ("Site North", True)
    assert chunk_texts(["1", "It fell in all of the plots."])[0] == ("1\n\nIt fell in all of the plots.", False)


# Sentences over lines and pages

WORDS = st.sampled_from(
    ["alder", "Alder", "0.66", "(95%", "0.53", "0.82)", "p", "=", ".03;", "cf.", "et al.", "e.g.", "12.", "fell",
     "No. 5",
     "S.", "aureus", "of", "and", "Fig. 2", "(see", "p. 4)", "vs.", "approx.", "Dr. Hagen", "–", "COVID-19", "J. Smith"]
)  # fmt: skip
SENTENCE = st.lists(WORDS, min_size=3, max_size=14).map(lambda words: f"The {' '.join(words)} trees grew.")


def units(text: str) -> list[str]:
    return [one.words for one in sentences(text)]


@settings(deadline=None)
@given(st.lists(SENTENCE, min_size=1, max_size=5), st.integers(12, 90), st.sampled_from(["\n", "\r\n", "\n    "]))
def test_a_text_that_is_wrapped_has_the_same_sentences(said: list[str], width: int, end: str) -> None:
    text = " ".join(said)
    lines = wrap(text, width, break_long_words=False, break_on_hyphens=False)
    assume(not any(line.startswith("–") for line in lines))  # that is an item of a list
    for format in ("txt", "md"):
        reading = read(format, end.join(lines).encode())
        assert units(reading.text) == units(text)
    item = read("md", f"- {end.join(lines)}\n- Another.".encode())
    assert units(item.text) == [*units(text), "Another."]


@settings(deadline=None)
@given(st.lists(SENTENCE, min_size=4, max_size=8), st.integers(30, 60), st.integers(2, 4))
def test_a_sentence_goes_on_over_the_end_of_a_page(said: list[str], width: int, length: int) -> None:
    """With a running head above and a number below each page. A head is known by standing on three pages."""
    lines = wrap(" ".join(said), width, break_long_words=False, break_on_hyphens=False)
    pages = [lines[at : at + length] for at in range(0, len(lines), length)]
    assume(len(pages) >= LEAST)
    for place in (0, 1, -1, -2):  # what stands in the same place of two pages is a running head
        edge = [page[place] for page in pages if len(page) > 1]
        assume(len(set(edge)) == len(edge))
    assume(not any(line.startswith("–") for line in [*lines, *(unit for text in said for unit in units(text))]))
    drawn = [f"Of alders {number}\n\n{chr(10).join(page)}\n\n{number}" for number, page in enumerate(pages, start=1)]
    found = [part for part in parts_of(drawn) if not part.is_lead]
    whole = {one for text in said for one in units(text)}
    assert all(one in " ".join(said) for part in found for one in units(part.text))
    assert whole, "there is something to find"


def test_a_word_is_mended_over_the_end_of_a_page() -> None:
    first = "Alder is a tree. Nitrogen in the soil rose by 3.4 g/kg in all of the inves\ufffe"
    (one,) = [part for part in parts_of([f"{first}\n\n1", "tigated stands. It fell.\n\n2"]) if not part.is_lead]
    assert (
        one.text
        == "Alder is a tree. Nitrogen in the soil rose by 3.4 g/kg in all of the investigated\nstands. It fell."
    )
    assert one.page == 1


def test_a_passage_ends_with_a_sentence_however_long() -> None:
    long = f"Alder {'and fir ' * 300}grew by 0.5 metres."
    text = f"{PROSE} {long} {LATER} " * 3
    reading = read("txt", text.encode())
    passages = [reading.text[segment.start : segment.end] for segment in reading.segments]
    assert {one.words for passage in passages for one in sentences(passage)} == {PROSE, long, LATER}
    endless = read("txt", ("alder and fir " * 900).encode())
    assert len(endless.segments) > 3
    assert all(segment.is_lead for segment in endless.segments), "nothing of it is a whole sentence"
