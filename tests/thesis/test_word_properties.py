"""Nothing of a Word file is lost however its fields are broken, and nothing but whole marks of a typed list is changed
(SPEC C5, T2)."""

from io import BytesIO

import pytest
from docx.oxml import parse_xml
from hypothesis import given, settings
from hypothesis import strategies as st

from citations.formats.typed_reference import csl_of_typed
from latex.text_edits import Edit, apply_edits
from sections.word_citation_data import BrokenCitation, read_citation_data
from sections.word_fields import text_of
from sections.word_mark_signs import marks
from sections.word_marks import answered
from tests.thesis.make_thesis import unzipped
from tests.thesis.word_files import para, text, word_file
from thesis.importing.typed_list.entries import find_list
from thesis.importing.typed_list.marks import Entry, Finder

PIECES = [
    '<w:r><w:fldChar w:fldCharType="begin"/></w:r>',
    '<w:r><w:fldChar w:fldCharType="separate"/></w:r>',
    '<w:r><w:fldChar w:fldCharType="end"/></w:r>',
    "<w:r><w:instrText>ADDIN ZOTERO_ITEM CSL_CITATION {</w:instrText></w:r>",
    "<w:r><w:instrText>ADDIN EN.CITE &lt;EndNote&gt;</w:instrText></w:r>",
    "<w:r><w:instrText>ADDIN EN.CITE.DATA</w:instrText></w:r>",
    "<w:r><w:instrText>HYPERLINK x</w:instrText></w:r>",
    "<w:r><w:instrText>ADDIN ZOTERO_BIBL CSL_BIBLIOGRAPHY</w:instrText></w:r>",
    '<w:sdt><w:sdtPr><w:tag w:val="MENDELEY_CITATION_v3_x"/></w:sdtPr><w:sdtContent><w:r><w:t>z</w:t></w:r>'
    "</w:sdtContent></w:sdt>",
    '<w:fldSimple w:instr="ADDIN CSL_CITATION {"><w:r><w:t>y</w:t></w:r></w:fldSimple>',
    "</w:p><w:p>",
    text("words "),
    text("more "),
]
WORDS = st.text(alphabet="ab[]{}()1,-–;. \\$%&\n²A", max_size=60)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25))
def test_the_words_of_broken_fields_stay(pieces: list[str]) -> None:
    data = word_file(para(*pieces))
    found = answered(BytesIO(data))
    before = text_of(parse_xml(unzipped(data)["word/document.xml"]))
    after = text_of(parse_xml(found["parts"]["word/document.xml"].encode()))
    assert marks(found["base"]).sub("", after) == before
    assert all(one["broken"] for one in found["fields"])


@given(st.sampled_from(["zotero", "mendeley", "mendeley-cite", "endnote"]), st.text(max_size=80), st.text(max_size=80))
def test_data_are_read_or_broken(manager: str, data: str, more: str) -> None:
    for written in (data, f"ADDIN X {{{data}", f'{{"citationItems": [{data}]}}', f"<EndNote>{data}</EndNote>"):
        with pytest.raises(BrokenCitation):
            read_citation_data(manager, written, [more])


@given(st.text(max_size=300))
def test_any_typed_entry_is_some_claim(entry: str) -> None:
    assert isinstance(csl_of_typed(entry), dict)


@settings(max_examples=200, deadline=None)
@given(WORDS, WORDS, st.sampled_from(["brackets", "parentheses", "raised", "names"]))
def test_only_whole_marks_are_replaced(before: str, after: str, style: str) -> None:
    latex = f"{before} {{[}}1{{]}} (Ab, 2020) {after}"
    found = Finder([Entry(1, ("Ab",), "2020", "ab2020"), Entry(2, ("Cd",), "2021", "cd2021")], style).find(latex)
    places = [*((one.start, one.end) for one in found.links), *((one.start, one.end) for one in found.doubts)]
    assert all(0 <= start < end <= len(latex) for start, end in places)
    changed = apply_edits(latex, [Edit(one.start, one.end, "\ue000") for one in found.links])
    kept = latex
    for one in sorted(found.links, key=lambda link: -link.start):
        kept = kept[: one.start] + "\ue000" + kept[one.end :]
    assert changed == kept


@given(
    st.lists(st.sampled_from(["\\chapter{References}", "\n\n", "[1] ", "A B. C. 2020;1:2.", "\\item ", "{", "x", "%"]))
)
def test_any_list_has_its_entries_in_it(parts: list[str]) -> None:
    found = find_list("".join(parts))
    assert found is None or all(found.start <= one.start <= one.end <= found.end for one in found.entries)


def test_long_hostile_texts_are_read_in_time() -> None:
    """None of these takes more than linear time; a pattern that does not would never end."""
    csl_of_typed("Ab-Cd EF, " * 300)
    finder = Finder([Entry(1, ("Ab",), "2020", "ab")], "names")
    for part in ("\\[", "(Ab et al ", "Abc, ", "Van ", "[1, ", "$^{1", "\\textsuperscript{1,"):
        finder.find(part * 4_000)
