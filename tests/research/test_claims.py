"""R11: which sentences are claims, of what kind they are, and which of them are checked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.extraction import ClaimSentence, claims_of, kind_of
from claims.markers import MARK
from claims.sampling import CHECK_ALL, claims_to_check


def texts(body: str) -> list[tuple[str, tuple[str, ...]]]:
    """The sentences that cite something; the others are those of tests/research/test_uncited.py."""
    return [(claim.text, claim.findings) for claim in claims_of({"themes": body}) if claim.findings]


def test_the_sentence_behind_a_heading_or_bullet_is_bare() -> None:
    body = (
        "### Outcome\n\n- It rose. [[F1-1]]\n- It fell [[F1-2]].\n1. First "
        "one [[F1-1]]\n2. Second [[F1-2]]\n   goes on."
    )
    assert texts(body) == [
        ("It rose.", ("F1-1",)),
        ("It fell.", ("F1-2",)),
        ("First one", ("F1-1",)),
        ("Second goes on.", ("F1-2",)),
    ]


def test_a_sentence_is_whole_however_its_lines_were_wrapped() -> None:
    body = (
        "Nitrogen rose from 0.21% to 0.34% within\n12 years. [[F1-1]]. Oak fell by 3% in\n2004 [[F1-2]] (p = 0.04). "
        "Nothing is cited here. Then it rained. [[F1-1]]"
    )
    assert texts(body) == [
        ("Nitrogen rose from 0.21% to 0.34% within 12 years.", ("F1-1",)),
        ("Oak fell by 3% in 2004 (p = 0.04).", ("F1-2",)),
        ("Then it rained.", ("F1-1",)),
    ]


def test_a_sentence_has_all_of_its_markers() -> None:
    body = (
        "A rose [[F1-1]] but B fell [[F1-2]]. Growth of fir [[F1-3]] Next thing [[F1-1]] [[F1-2]]. “So it is.” [[F1-3]]"
    )
    assert texts(body) == [
        ("A rose but B fell.", ("F1-1", "F1-2")),
        ("Growth of fir", ("F1-3",)),
        ("Next thing.", ("F1-1", "F1-2")),
        ("“So it is.”", ("F1-3",)),
    ]
    assert [claim.id for claim in claims_of({"a": body, "b": "More. [[F1-1]]"})] == ["C1", "C3", "C4", "C6", "C7"]


def test_a_table_is_one_claim_and_what_follows_its_marker_another() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    for before in ("Words.\n\n", "Words:\n", ""):
        assert texts(f"{before}{table}\n\n[[F1-1]] More. [[F1-2]]") == [(table, ("F1-1",)), ("More.", ("F1-2",))]


def test_a_marker_before_all_words_belongs_to_the_first_sentence() -> None:
    assert texts("[[F1-1]] says so. Well.") == [("says so.", ("F1-1",))]
    assert texts("[[F1-1]]") == []


@given(
    st.lists(
        st.sampled_from(
            ["[[F1-1]]", "[[F1.2-3]]", "Words", "rose", "3.4%", ".", "\n\n", "\n- ", "| a |", "\n", "### T\n", "(", "?"]
        ),
        max_size=24,
    )
)
def test_every_marker_belongs_to_one_claim_in_order(parts: list[str]) -> None:
    body = " ".join(parts)
    claims = claims_of({"x": body})
    if any(claim.findings for claim in claims):
        assert [finding for claim in claims for finding in claim.findings] == MARK.findall(body)
    for left, right in zip(claims, claims[1:], strict=False):
        assert left.end <= right.start
        assert right.first == left.first + max(1, len(left.findings))


KINDS = {
    "negative": [
        "Nitrogen did not rise on 14 plots.", "No trial was blinded.", "Yields can't grow.", "It failed to grow.",
        "Ohne Erlen wuchs kein Baum.", "Il ne monte pas.", "Deaths occurred without treatment more than with it.",
    ],
    "quantitative": [
        "Nitrogen rose by 0.13%.", "Half of the plots were dry.", "Yields doubled.", "Three trials agree.",
        "It rose by a third.", "It held 2000 kg of nitrogen.", "It was higher by 3 m.", "Rund 40 Prozent starben.",
    ],
    "comparative": [
        "Growth was faster beside alder than elsewhere.", "Alder is superior to lupin.", "The groups were similar.",
        "Unlike lupin, alder fixes nitrogen.", "Most plots were dry.", "Sie wuchs besser.",
    ],
    "other": [
        "Red alder fixes nitrogen.", "Binkley (2003) described the plots.", "Smith et al. (2019a) found it in 2004.",
        "COVID-19 is a disease.", "Notable plots were described.", "Since 1999, alder was planted.",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, those in KINDS.items() for text in those])
def test_kinds(kind: str, text: str) -> None:
    assert kind_of(text) == kind


def claim(number: int, text: str) -> ClaimSentence:
    return ClaimSentence(number, "themes", 0, 1, text, ("F1-1",))


def test_a_short_report_is_checked_whole() -> None:
    claims = [claim(number, f"Alder is a tree of kind {'x' * number}.") for number in range(1, CHECK_ALL + 1)]
    assert claims_to_check(claims) == {one.id for one in claims}


def test_of_a_long_report_what_is_easy_to_get_wrong_and_a_sample() -> None:
    risky = [claim(number, f"No alder grew on plot {number}.") for number in range(1, 21)]
    plain = [claim(number, f"Alder is a tree of kind {'x' * number}.") for number in range(21, 121)]
    picked = claims_to_check([*risky, *plain])
    assert {one.id for one in risky} <= picked
    sampled = picked - {one.id for one in risky}
    assert 20 <= len(sampled) <= 30
    assert claims_to_check([*plain, *risky]) == picked, "by their words, not by their order"
    assert len(claims_to_check([claim(number, f"It rose by {number} m.") for number in range(1, 400)])) == 399, (
        "no limit"
    )
