"""A claim against the words of its source (R11)."""

import pytest

from llm.offline.verify import verify
from llm.roles import ClaimToCheck, ClaimVerdict, Passage, VerifyAsked

TEXT = """Mortality at 28 days was 6.2% with
hydrocortisone and 11.9% with placebo. Infections were not more frequent.

| group | deaths |
|---|---|
| drug | 25 |
| placebo | 47 |
"""


def check(text: str) -> ClaimVerdict:
    passage = Passage(source_id="a::S1", document="a", title="Pneumonia trial", text=TEXT)
    (verdict,) = verify(VerifyAsked(claims=[ClaimToCheck(id="C1", text=text, passages=[passage])])).verdicts
    return verdict


def test_words_that_stand_in_the_source_are_supported_with_their_span() -> None:
    verdict = check("Mortality at 28 days was 6.2% with hydrocortisone and 11.9% with placebo.")
    assert verdict.verdict == "SUPPORTED"
    assert verdict.quote in TEXT
    assert verdict.source_id == "a::S1"


@pytest.mark.parametrize(
    "claim",
    [
        "### Outcome\n\nInfections were not more frequent. [[F1]]",
        "- Infections were not more frequent.",
        "|\n\nInfections were not more frequent.",
        "| group | deaths |\n|---|---|\n| drug | 25 |\n| placebo | 47",
    ],
)
def test_marks_around_a_statement_are_not_part_of_it(claim: str) -> None:
    assert check(claim).verdict == "SUPPORTED"


def test_a_changed_figure_contradicts() -> None:
    verdict = check("Mortality at 28 days was 6.8% with hydrocortisone and 11.9% with placebo.")
    assert verdict.verdict == "CONTRADICTED"
    assert verdict.quote in TEXT


def test_a_dropped_negation_contradicts() -> None:
    assert check("Infections were more frequent.").verdict == "CONTRADICTED"


def test_the_same_words_and_figures_otherwise_are_partial() -> None:
    assert check("With hydrocortisone 28 days mortality was 6.2%.").verdict == "PARTIALLY"


@pytest.mark.parametrize(
    "claim", ["Alder fixes nitrogen.", "Mortality was 3.3% in Norway.", "", "###  \n", "“Deaths halved” was said."]
)
def test_what_the_source_does_not_say_is_unsupported(claim: str) -> None:
    assert check(claim).verdict == "UNSUPPORTED"


def test_quoted_words_are_compared_word_for_word() -> None:
    verdict = check("The paper says “infections were never more frequent” with hydrocortisone than with placebo.")
    assert verdict.verdict == "UNSUPPORTED"
    assert "never more frequent" in verdict.reason
