"""Sentences with exact places, whatever the text (R10: a citation points at the very words)."""

from hypothesis import given
from hypothesis import strategies as st

from text.sentences import sentences, table_rows
from text.stemming import content_stems, figures, numbers, same_word, stem

MARKDOWN = st.text(alphabet=st.sampled_from("aB é9.|-#*>\n\t α…(“!?:;1%"), max_size=300)


@given(st.one_of(st.text(max_size=300), MARKDOWN))
def test_offsets_reproduce_the_text_exactly(text: str) -> None:
    found = sentences(text)
    assert all(text[each.start : each.end] == each.text and each.text.strip() == each.text for each in found)
    assert all(left.end <= right.start for left, right in zip(found, found[1:], strict=False))


@given(st.text(max_size=200))
def test_any_text_can_be_read_as_words(text: str) -> None:
    assert isinstance(content_stems(text), frozenset)
    assert figures(text) <= numbers(text) | figures(text)


def units(text: str) -> list[str]:
    return [each.text for each in sentences(text)]


def test_a_full_stop_within_a_sentence_does_not_end_it() -> None:
    assert units("She took 6 mg. daily. Approx. 5 ml were left. Smith et al. (2020) saw A. glutinosa grow.") == [
        "She took 6 mg. daily.",
        "Approx. 5 ml were left.",
        "Smith et al. (2020) saw A. glutinosa grow.",
    ]


def test_headings_bullets_and_tables_are_units_of_their_own() -> None:
    text = "# Alder\nIt grew. It fell.\n- one thing\n- another. Two\n\n| a | b |\n|---|---|\n| x | 3% |\nAfter."
    assert units(text) == [
        "It grew.",
        "It fell.",
        "one thing",
        "another.",
        "Two",
        "| a | b |\n|---|---|\n| x | 3% |",
        "After.",
    ]
    assert {each.heading for each in sentences(text)} == {"Alder"}


def test_a_bold_run_in_heading_and_a_lead_in_stand_above_what_follows() -> None:
    text = "**Cautions.** It was not blinded. **CoDEX** was.\n\nMortality fell:\n\n- in A by 3%\n- in B by 4%"
    found = sentences(text)
    assert [each.text for each in found][:2] == ["It was not blinded.", "**CoDEX** was."]
    assert found[0].heading == "Cautions"
    assert found[-1].heading == "Mortality fell"


def test_lines_that_were_broken_on_purpose_are_units_and_full_lines_are_not() -> None:
    assert units("Deaths 12 of 40\nFollow-up 6 months\nNobody was lost to follow-up in the first year") == [
        "Deaths 12 of 40",
        "Follow-up 6 months",
        "Nobody was lost to follow-up in the first year",
    ]
    wrapped = "The trial enrolled one hundred women in the two hospitals of\nBergen, and all of them were seen again."
    assert units(wrapped) == [wrapped]


def test_a_long_table_is_read_row_by_row() -> None:
    rows = "\n".join(f"| trial {n} | {n}.5% | a remark of some length on this trial |" for n in range(40))
    found = units(f"| trial | deaths | remark |\n|---|---|---|\n{rows}")
    assert found[1] == "trial 0 | 0.5% | a remark of some length on this trial"
    assert len(found) == 41
    assert table_rows("| a | b |\n|---|---|\n| x | 3% |") == ["x | 3%"]


def test_words_are_compared_in_one_spelling() -> None:
    assert stem("tumours") == stem("tumors")
    assert stem("randomised") == stem("randomization".replace("ation", "ed"))
    assert stem("haemorrhage") == stem("bleeding")
    assert stem("wolves") == stem("wolf")
    assert same_word(stem("physiotherapy"), stem("physiotherapists"))
    assert not same_word(stem("interview"), stem("interval"))
    assert content_stems("COVID-19, IL-6, CO₂, vitamin D") >= {"covid", "il6", "carbon_dioxid", "vitamin_d"}


def test_a_figure_is_a_quantity_and_not_part_of_a_name() -> None:
    assert figures("28-day mortality in COVID-19") == frozenset()
    assert figures("1,106 of 4 321 (r = .39)") == {"1106", "4321", ".39"}
