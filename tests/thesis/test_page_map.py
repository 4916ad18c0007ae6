"""SPEC T6: the words of printed pages lead to their place in the LaTeX, and back; pages of any make, never an error."""

import random
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.thesis.manuscripts import native_manuscript
from thesis.page_places.page_map import PageMap, SectionText
from thesis.page_places.sequence_alignment import words_in
from thesis.preview.typeset import render_preview
from untrusted.pdf_words import PrintedPage, PrintedWord, words_of_pages

word = st.sampled_from(["the", "of", "rates", "fell", "soil", "alder", "नदी", "42", "p", "trial", "mean"])
paragraph = st.lists(word, min_size=1, max_size=14).map(" ".join)
section = st.lists(paragraph, min_size=1, max_size=5)


def page_of(*lines: str) -> PrintedPage:
    """A page with a line of ten points for each text, and a letter of five points."""
    made = []
    for number, line in enumerate(lines):
        words, at = [], 0
        for text in line.split():
            words.append(PrintedWord(text, at * 50, number * 100, (at + len(text)) * 50, number * 100 + 90))
            at += len(text) + 1
        made.append(words)
    return PrintedPage(5950, 8420, [line for line in made if line])


def middle(printed: PrintedWord) -> tuple[float, float]:
    return (printed.left + printed.right) / 2, (printed.top + printed.bottom) / 2


def printed_pages(texts: list[list[str]]) -> dict[int, PrintedPage]:
    """A page of contents, then a page of each section with a running head and a number."""
    pages = [page_of("Contents", *(f"{paragraphs[0]} . . . {n}" for n, paragraphs in enumerate(texts, 1)))]
    pages += [page_of("A thesis", *paragraphs, str(n)) for n, paragraphs in enumerate(texts, 1)]
    return dict(enumerate(pages, 1))


@examples(150)
@given(st.lists(section, min_size=1, max_size=4))
def test_every_word_leads_to_that_word_or_beside_it(texts: list[list[str]]) -> None:
    sources = [SectionText(str(n), "\n\n".join(f"\\emph{{{one}}}" for one in each)) for n, each in enumerate(texts)]
    made = PageMap(printed_pages(texts), sources)
    latex = {source.section: source.latex for source in sources}
    for number, page in made.pages.items():
        for line in page.lines:
            for one in line:
                place = made.place_at(number, *middle(one))
                if place is None:  # nothing in the thesis has three words in a row
                    assert all(len(words_in(source.latex.replace("emph", " "))) < 9 for source in sources)
                    continue
                assert 0 <= place.offset < len(latex[place.section])
                if place.is_exact:
                    assert latex[place.section][place.offset :].lower().startswith(words_in(one.text)[0].word)


def long_text(seed: int, paragraphs: int = 30) -> list[str]:
    known = random.Random(seed)
    names = [f"word{known.randrange(400)}" for _ in range(paragraphs * 30)]
    return [" ".join(names[at * 30 : at * 30 + 30]) for at in range(paragraphs)]


def test_a_sentence_that_two_sections_have_leads_to_that_around_it() -> None:
    same = "The mean age of the patients was fifty four years and most of them were men"
    texts = [[*long_text(n), same, *long_text(n + 10)] for n in range(3)]
    made = PageMap(printed_pages(texts), [SectionText(str(n), "\n\n".join(one)) for n, one in enumerate(texts)])
    for number in (2, 3, 4):
        line = made.pages[number].lines[31]
        for one in line:
            place = made.place_at(number, *middle(one))
            assert place is not None
            assert place.section == str(number - 2)
            assert place.is_exact


def test_a_paragraph_that_is_repeated_all_over_leads_into_its_order() -> None:
    same = "Lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore"
    text = "\n\n".join([same] * 60)
    pages = {number: page_of(*[same] * 20) for number in (1, 2, 3)}
    made = PageMap(pages, [SectionText("a", text)])
    for number in (1, 2, 3):
        place = made.place_at(number, *middle(pages[number].lines[10][2]))
        assert place is not None
        assert place.offset == ((number - 1) * 20 + 10) * (len(same) + 2) + same.index("dolor")


def test_a_heading_is_found_where_its_text_follows_and_not_in_the_contents() -> None:
    latex = "\\section{Ethical approval of the study}\nThe committee of the hospital agreed before the start."
    pages = {
        1: page_of("1.1 Ethical approval of the study . . . 3"),
        2: page_of("1.1 Ethical approval of the study", "The committee of the hospital agreed before the start."),
    }
    made = PageMap(pages, [SectionText("a", latex)])
    spot = made.spot_of("a", latex.index("Ethical"))
    assert spot is not None
    assert (spot.page, spot.top, spot.words) == (2, 0, "1.1 Ethical approval of the study")
    contents = made.place_at(1, 600, 50)
    assert contents is not None
    assert contents.offset == latex.index("approval")
    last = made.spot_of("a", len(latex))
    assert last is not None
    assert (last.page, last.top) == (2, 100)
    assert made.spot_of("b", 0) is None


def test_a_divided_word_and_one_with_the_number_of_a_footnote() -> None:
    latex = "All the patients of the intervention\\footnote{Which was blinded.} were followed for a year."
    page = page_of("All the patients of the interven\u00ad", "tion3 were followed for a year.", "3 Which was blinded.")
    made = PageMap({1: page}, [SectionText("a", latex)])
    for line, number, expected in ((0, 5, "intervention"), (1, 0, "intervention"), (1, 1, "were"), (2, 2, "was")):
        place = made.place_at(1, *middle(page.lines[line][number]))
        assert place is not None
        assert latex[place.offset :].startswith(expected)


def test_a_citation_leads_to_the_words_beside_it() -> None:
    latex = "Rates of death fell by half \\citep{smith} in all of the trials."
    page = page_of("Rates of death fell by half (Smith, 2020) in all of the trials.")
    place = PageMap({1: page}, [SectionText("a", latex)]).place_at(1, *middle(page.lines[0][6]))
    assert place is not None
    assert not place.is_exact
    assert latex[place.offset :].startswith("half")


def test_text_that_was_changed_leads_to_the_nearest_place() -> None:
    was = "\n\n".join(long_text(1))
    now = was.replace(long_text(1)[12], "Quite another paragraph stands here now.")
    made = PageMap({1: page_of(*long_text(1))}, [SectionText("a", f"A new beginning.\n\n{now}")])
    place = made.place_at(1, *middle(made.pages[1].lines[12][3]))
    assert place is not None
    assert abs(place.offset - now.index("Quite")) < 300
    assert not place.is_exact


def test_no_words_and_no_text() -> None:
    empty = PrintedPage(1, 1, [])
    assert PageMap({1: empty}, []).place_at(1, 0, 0) is None
    assert PageMap({}, [SectionText("a", "Words of a text.")]).spot_of("a", 0) is None
    assert PageMap({1: empty}, [SectionText("a", "Words of a text.")]).place_at(7, 0, 0) is None


def test_the_pages_of_a_preview_and_back() -> None:
    text = "\n\n".join(long_text(5, 60))
    pages = words_of_pages(render_preview(native_manuscript(text)).pdf)
    assert pages is not None
    assert all((page.width, page.height) == (5953, 8419) for page in pages)
    made = PageMap(dict(enumerate(pages, 1)), [SectionText("a", text)])
    checked = 0
    for number, page in made.pages.items():
        for one in (line[0] for line in page.lines if line[0].text.startswith("word")):
            place = made.place_at(number, *middle(one))
            assert place is not None
            assert text[place.offset :].startswith(one.text)
            spot = made.spot_of("a", place.offset)
            assert spot is not None
            assert (spot.page, spot.top <= one.top <= spot.bottom) == (number, True)
            checked += 1
    assert checked > 50


def pdf(content: str, *, box: str = "0 0 300 500", more: str = "") -> bytes:
    """A PDF of one page with text in Helvetica."""
    parts = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [{box}] {more} /Contents 4 0 R "
        "/Resources << /Font << /F 5 0 R >> >> >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    body = "".join(f"{number} 0 obj\n{part}\nendobj\n" for number, part in zip(count(1), parts, strict=False))
    return f"%PDF-1.4\n{body}trailer\n<< /Root 1 0 R /Size 6 >>\n%%EOF\n".encode()


HELLO = "BT /F 20 Tf 100 400 Td (Hello there) Tj ET"


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("made", "size", "box"),
    [
        (pdf(HELLO), (3000, 5000), (1000, 760, 1450, 1050)),
        (pdf(HELLO, more="/Rotate 90"), (5000, 3000), (3950, 1000, 4250, 1450)),
        (pdf(HELLO, more="/Rotate 180"), (3000, 5000), (1550, 3950, 2000, 4250)),
        (pdf(HELLO, box="50 50 350 550"), (3000, 5000), (500, 1260, 950, 1550)),
        (pdf(HELLO, box="0 0 14400 14400"), (144000, 144000), (1000, 139760, 1450, 140050)),
    ],
)
def test_odd_pages(made: bytes, size: tuple[int, int], box: tuple[int, int, int, int]) -> None:
    pages = words_of_pages(made)
    assert pages is not None
    assert (pages[0].width, pages[0].height) == size
    [[hello, there]] = pages[0].lines
    assert (hello.text, there.text) == ("Hello", "there")
    for found, expected in zip(hello[1:], box, strict=True):
        assert abs(found - expected) <= 100


def test_pages_without_words_and_files_that_are_none() -> None:
    assert words_of_pages(pdf("")) == [PrintedPage(3000, 5000, [])]
    assert words_of_pages(pdf("BT /F 1 Tf 100000 400 Td (far) Tj ET")) is not None
    assert words_of_pages(b"%PDF-1.5 no more") is None
    assert words_of_pages(pdf(HELLO), 7, 9) == []
