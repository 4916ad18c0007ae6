"""Reference files read as text, entry by entry; importing them is another matter (SPEC X11)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextfiles.passages import Unreadable
from contextfiles.read_text import Reading, read
from tests.examples import examples

BIB = rb"""% exported by hand
@string{fe = "Forest Ecology"}
@article{hagen2019,
  author = {Hagen, {\AA}sha and M{\"u}ller, Per},
  title = {{Alder} in shade -- a study of 50% shade},
  journal = fe # " Reports",
  year = 2019, volume = {12}, number = 3, pages = {45--67},
  doi = {10.5555/alder_1},
  abstract = {Alder fixes nitrogen.

It grows fast, $p < 0.05$.},
  keywords = {alder, soil},
  file = {:home/me/x.pdf:PDF},
}
@book{lund2020, editor = "Lund, Per", title = {Birch?}, publisher = {Wald}, date = {2020-05}}
@article{broken2021, title = {Never closed, author = {Nobody}
@misc{hagen2019, title = {A second of the same key}}
@misc{nothing,}
"""
RIS = b"""Provider: somebody
TY  - JOUR
AU  - Hagen, Asha
A1  - Lund, Per
PY  - 2019/05/03
TI  - Alder in shade
JO  - Forest Ecology
VL  - 12
IS  - 3
SP  - 45
EP  - 67
N2  - Alder fixes nitrogen.
It grows fast.
KW  - alder
KW  - soil
DO  - 10.5555/alder
L1  - file:///home/me/x.pdf
ER  -

TY  - BOOK
TI  - Never ended
TY  - BOOK
ID  - lund2020
TI  - Birch?
ER  -
"""


def passages(reading: Reading) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for segment in reading.segments:
        found.setdefault(segment.heading, []).append(reading.text[segment.start : segment.end])
    return found


def test_bibtex_reads_as_text() -> None:
    found = passages(read("bib", BIB))
    assert found["hagen2019"] == [
        "Alder in shade – a study of 50% shade.\n"
        "Hagen, Åsha; Müller, Per (2019). Forest Ecology Reports, 12, 3, 45–67. doi:10.5555/alder_1\n\n"
        "Alder fixes nitrogen.\n\nIt grows fast, p < 0.05.\n\nKeywords: alder, soil",
        "A second of the same key.",
    ]
    assert found["lund2020"] == ["Birch?\nLund, Per (2020-05). Wald"]
    assert "% exported by hand" in found["Beside the entries"]


def test_a_broken_entry_is_kept_as_it_stands() -> None:
    (text,) = next(texts for heading, texts in passages(read("bib", BIB)).items() if heading.startswith("Not a whole"))
    assert "Never closed" in text
    found = passages(read("ris", RIS))
    assert found["Not a whole entry, line 20"] == ["TY  - BOOK\nTI  - Never ended"]


def test_ris_reads_as_text() -> None:
    found = passages(read("ris", RIS))
    assert found["Hagen 2019"] == [
        "Alder in shade.\nHagen, Asha; Lund, Per (2019). Forest Ecology, 12, 3, 45–67. doi:10.5555/alder\n\n"
        "Alder fixes nitrogen. It grows fast.\n\nKeywords: alder; soil"
    ]
    assert found["lund2020"] == ["Birch?"]
    assert found["Beside the entries"] == ["Provider: somebody"]


def test_a_text_that_is_no_reference_file_stays_text() -> None:
    assert read("bib", b"Dear reader,\n\nno entries here.").text == "Dear reader,\n\nno entries here."
    assert read("ris", b"Dear reader,\n\nno entries here.").text == "Dear reader,\n\nno entries here."


@pytest.mark.parametrize("format", ["bib", "ris"])
def test_a_reference_file_without_text(format: str) -> None:
    with pytest.raises(Unreadable, match="No text"):
        read(format, b" \n ")


def test_latex_that_is_half_a_command_stays() -> None:
    source = rb"@misc{a, title = {Half \frac{1 and \cite}, note = {$x}}" + b"\n@misc{b, title = {Whole}}"
    text = read("bib", source).text
    assert "Half" in text
    assert "Whole" in text


@examples(60)
@given(st.lists(st.sampled_from([
    "@article{k1,", "title = {A {B}}", ",", "}", "{", '"', "year = 2019", "#", "@string{x = 1}", "@comment{", "\\'e",
    "$", "%",
    "TY  - JOUR", "ER  - ", "AU  - X", "AB  - text", "\n", "word", "@", "=", "and",
]), max_size=25).map(" ".join))  # fmt: skip
def test_words_of_a_broken_file_survive(text: str) -> None:
    for format in ("bib", "ris"):
        try:
            reading = read(format, text.replace(" \n ", "\n").encode())
        except Unreadable:  # nothing but signs
            continue
        for segment in reading.segments:
            assert reading.text[segment.start : segment.end].strip()
        if format == "ris":
            assert reading.text.count("word") == text.count("word")
