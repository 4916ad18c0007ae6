"""PDFs read as people read them: columns in order, words whole, scans told (SPEC X11)."""

import re
from itertools import chain, zip_longest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextfiles.passages import Unreadable
from contextfiles.read_text import Reading, read
from contextfiles.readers.pdf_columns import HYPHEN, Piece, Word, in_order, pieces_of, text_of
from contextfiles.readers.pdf_paragraphs import join_hyphenated
from tests.contextfiles.make_files import pdf
from tests.contextfiles.make_pdf import PICTURE, Drawn, assembled, columns, drawn, numbers_in, prose, typeset
from tests.examples import examples
from tests.time_limits import HANGS

HEAD = [Drawn(60, 750, "Journal of Alder Studies 12, 45-67"), Drawn(150, 715, "Alder and soil nitrogen", 16)]
FOOT = [Drawn(60, 40, "Page 3 of 12")]


def set_in(number: int, order: str, shift: int = 0) -> list[Drawn]:
    """Forty sentences in `number` columns, drawn "down" each, "across" the page, or the last column "first"."""
    width, size = {2: (46, 10), 3: (30, 9)}[number]
    placed = [
        [Drawn(40 + 560 / number * at, 690 - at * shift - 12 * row, line, size) for row, line in enumerate(column)]
        for at, column in enumerate(columns(prose(40), number, width))
    ]
    if order == "across":
        return [line for row in zip_longest(*placed) for line in row if line]
    return list(chain.from_iterable(placed[::-1] if order == "first" else placed))


@pytest.mark.sample(4)
@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize("order", ["down", "across", "first"])
@pytest.mark.parametrize("shift", [0, 2, 5], ids=["on one grid", "a little apart", "half a line apart"])
def test_columns_are_read_one_after_the_other(number: int, order: str, shift: int) -> None:
    for lines in (HEAD + set_in(number, order, shift) + FOOT, FOOT + set_in(number, order, shift) + HEAD):
        text = read("pdf", drawn(lines)).text
        assert numbers_in(text) == list(range(40))
        assert re.search(r"\.\s+Sentence\s+s20\s", text)


def test_a_running_header_and_footer_stand_apart() -> None:
    text = read("pdf", drawn(HEAD + set_in(2, "across") + FOOT)).text
    assert text.startswith("Journal of Alder Studies 12, 45-67\n\nAlder and soil nitrogen\n\nSentence s0 ")
    assert text.endswith(".\n\nPage 3 of 12")


def test_pages_that_a_program_sets_in_columns() -> None:
    made = typeset(
        '#set page(paper: "a4", columns: 2, header: [Running head 12], footer: context counter(page).display())\n'
        f'#set par(justify: true)\n#set text(size: 9pt, hyphenate: true, lang: "en")\n= Alder\n{prose(300)}'
    )
    reading = read("pdf", made)
    assert numbers_in(reading.text) == list(range(300))
    assert HYPHEN not in reading.text
    assert len(re.findall("Running head 12", reading.text)) == max(segment.page or 0 for segment in reading.segments)
    for segment in reading.segments:
        assert set(numbers_in(reading.text[segment.start : segment.end])) <= set(range(300))


@pytest.mark.parametrize("turned", [90, -90])
def test_columns_on_a_page_set_sideways(turned: int) -> None:
    left, right = columns(prose(40), 2, 46)
    cells = ",".join(f"[{a}],[{b}]" for a, b in zip_longest(left, right, fillvalue=""))
    made = typeset(
        "#set page(width: 27cm, height: 27cm, margin: 1.5cm)\n#set text(size: 9pt)\n"
        f"#rotate({turned}deg, reflow: true)[#box(width: 18cm, grid(columns: 2, "
        f"column-gutter: 14pt, row-gutter: 4pt, {cells}))]"
    )
    assert numbers_in(read("pdf", made).text) == list(range(40))


def test_a_table_is_read_row_by_row() -> None:
    rows = [Drawn(60 + 270 * side, 680 - 14 * row, text) for row in range(20) for side, text in enumerate(
        (f"Measure of group {row}", f"{row * 3}, that is {row * 1.5} %")
    )]  # fmt: skip
    lines = read("pdf", drawn(rows)).text.split("\n")
    assert lines[7] == "Measure of group 7 21, that is 10.5 %"


def test_a_glossary_is_read_row_by_row() -> None:
    terms = {"BMI": "body mass index, in kg per square metre.", "ICU": "intensive care unit.", "OR": "odds ratio."}
    rows = [
        (Drawn(60, 680 - 14 * at, term), Drawn(160, 680 - 14 * at, said))
        for at, (term, said) in enumerate(terms.items())
    ]
    assert read("pdf", drawn(list(chain(*rows)))).text == "\n".join(f"{term} {said}" for term, said in terms.items())


def test_cells_of_several_lines_stay_together() -> None:
    cells = [
        Drawn(
            60 + 280 * side,
            680 - 50 * row - 12 * line,
            f"{'This' if side else 'cell'} {row} holds line {line} of prose and",
        )
        for row in range(4)
        for side in (0, 1)
        for line in range(3)
    ]
    rows = re.findall(r"(?:cell|This) (\d) holds", read("pdf", drawn(cells)).text)
    assert rows == [str(row) for row in range(4) for _ in range(6)]


def test_gaps_below_each_other_by_chance_are_no_columns() -> None:
    """One column of type with wide spaces, as typewriters leave them."""
    lines = columns(prose(12), 1, 60)[0]
    spread = [Drawn(60 + 8 * at, 700 - 14 * row, word) for row, line in enumerate(lines) for at, word in
              ((match.start(), match.group()) for match in re.finditer(r"\S+", line))]  # fmt: skip
    assert numbers_in(read("pdf", drawn(spread)).text) == list(range(12))


def test_paragraphs_are_parted_where_space_is() -> None:
    lines = [
        Drawn(60, y, text) for y, text in ((700, "Methods"), (680, "One line"), (668, "and another."), (642, "Next."))
    ]
    assert read("pdf", drawn(lines)).text == "Methods\n\nOne line\nand another.\n\nNext."


def test_words_parted_at_the_end_of_a_line_are_mended() -> None:
    lines = [
        "Investigators measured stands; the inves-", "tigators also counted well-known plants. Self-",
        "seeded alder was rare, and photosyn-", "thesis of the well-", "known kind was measured in PM-",
        "10 and by Smith-",
        "Jones. The end",
    ]  # fmt: skip
    text = read("pdf", drawn([Drawn(60, 700 - 12 * at, line) for at, line in enumerate(lines)])).text
    assert text == (
        "Investigators measured stands; the investigators\nalso counted well-known plants. Self-seeded\n"
        "alder was rare, and photosynthesis\nof the well-known\nkind was "
        "measured in PM-10\nand by Smith-Jones.\n\nThe end"
    )


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (f"inter{HYPHEN}action and interaction", "interaction\nand interaction"),
        (f"inter{HYPHEN}action and inter-action", "inter-action\nand inter-action"),
        (f"investiga{HYPHEN}tion, investigators", "investigation,\ninvestigators"),
        (f"long{HYPHEN}lived", "long-lived"),
        (f"alder{HYPHEN}dominated alder", "alder-dominated\nalder"),
        (f"COVID{HYPHEN}19", "COVID-19"),
        (f"a{HYPHEN}", "a-"),
        ("nothing parted", "nothing parted"),
    ],
)
def test_what_is_one_word(text: str, whole: str) -> None:
    assert join_hyphenated(text) == whole


def test_letters_of_formulas_stay() -> None:
    text = read("pdf", typeset("Here $alpha + bold(x) = 3$ and 𝛽. Größe ﬁnal.")).text
    assert text == "Here 𝛼 + 𝒙 = 3 and 𝛽. Größe\nfinal." or text == "Here 𝛼 + 𝒙 = 3 and 𝛽. Größe final."


def test_arabic_stays_in_its_order() -> None:
    said = "هذه جملة قصيرة. وهذه جملة أخرى."
    assert read("pdf", typeset(f'#set text(lang: "ar", dir: rtl)\n{said}')).text == said


def test_a_scan_is_told_and_what_to_do() -> None:
    with pytest.raises(Unreadable) as told:
        read("pdf", assembled([PICTURE, PICTURE]))
    assert str(told.value) == (
        "No text was found in this PDF (2 pages). It looks like a scan. "
        "Make it searchable with text recognition (OCR), "
        "for example with OCRmyPDF or Adobe Acrobat, and upload it again."
    )
    with pytest.raises(Unreadable, match=r"\(1 page\). It is blank."):
        read("pdf", pdf([""]))


def test_pages_without_text_are_told_where_they_are_missed() -> None:
    def said(*pages: bool) -> list[tuple[str, int | None]]:
        text = "BT /F1 12 Tf 72 700 Td (Alder fixes nitrogen.) Tj ET"
        reading = read("pdf", assembled([text if page else PICTURE for page in pages]))
        return [(segment.heading, segment.page) for segment in reading.segments]

    assert said(True, False, True) == [("", 1), ("Page 2 holds no text: it looks like a scan", 3)]
    assert said(False, False, True, True, False) == [
        ("Pages 1 to 2 hold no text: they look like scans", 3),
        ("Page 5 holds no text: it looks like a scan", 4),
    ]
    assert said(True, *[False, True] * 11, False, True)[-1] == ("Page 24 holds no text: it looks like a scan", 25)
    blank = read("pdf", pdf(["Alder."], [""], ["Birch."]))
    assert [segment.heading for segment in blank.segments] == ["", ""]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (pdf(["Secret"], encrypt=True), "locked with a password"),
        (pdf(["Alder"])[:120], "damaged"),
        (b"%PDF-1.7\n", "damaged"),
        (b"", "damaged"),
    ],
)
def test_what_cannot_be_opened_says_why(data: bytes, said: str) -> None:
    with pytest.raises(Unreadable, match=said):
        read("pdf", data)


@pytest.mark.long
@pytest.mark.timeout(HANGS)
def test_a_long_pdf_is_read_quickly() -> None:
    """Fifty full pages take a fraction of a second; the test allows for a busy machine."""
    made = typeset(f'#set page(paper: "a4", columns: 2)\n#set text(size: 9pt)\n{prose(2600)}')
    reading = read("pdf", made)
    assert (reading.segments[-1].page or 0) >= 40
    assert numbers_in(reading.text) == list(range(2600))


WORDS = st.builds(
    lambda text, left, bottom, width, height: Word(text, left, bottom, left + width, bottom + height),
    st.text("abcxyz.,-" + HYPHEN, min_size=1, max_size=8),
    st.floats(-50, 700),
    st.floats(-50, 900),
    st.floats(0, 300),
    st.floats(0, 40),
)


@examples(50)
@given(st.lists(st.lists(WORDS, max_size=4), max_size=16))
def test_whatever_stands_on_a_page_all_of_it_is_read_once(lines: list[list[Word]]) -> None:
    pieces = pieces_of(lines)
    ordered = in_order(pieces)
    assert sorted(ordered) == sorted(pieces)
    text = text_of(ordered)
    kept = sorted(letter for line in lines for word in line for letter in word.text if letter not in "-" + HYPHEN)
    assert sorted(letter for letter in text if not letter.isspace() and letter not in "-" + HYPHEN) == kept


def test_pieces_of_one_line_are_joined_again_when_they_follow_each_other() -> None:
    line = [Word("wide", 0, 0, 20, 10), Word("apart", 60, 0, 90, 10)]
    assert pieces_of([line]) == [Piece(0, 0, "wide", 0, 0, 20, 10), Piece(1, 0, "apart", 60, 0, 90, 10)]
    assert text_of(in_order(pieces_of([line]))) == "wide apart"


def test_a_reading_of_a_pdf_is_a_reading() -> None:
    assert isinstance(read("pdf", pdf(["Alder."])), Reading)
