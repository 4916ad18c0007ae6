"""R11: a figure of a sentence is held by a passage, or it is not: by code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.numbers import missing_figures

HELD = [
    ("about 30 % died", "29.6 % died"),
    ("30 % died", "29.6% died"),
    ("1,000 plots", "1000 plots"),
    ("1 000 plots", "there were 1,000"),
    ("1.000 Fälle", "1000 Fälle"),
    ("3,4 %", "3.4%"),
    ("12,5 Prozent", "12.5 percent"),
    ("COVID-19 in 14 plots", "14 plots"),
    ("a phase 3 trial with IL-6", "no figure at all"),
    ("three plots", "3 plots"),
    ("3 plots", "three plots"),
    ("twenty-one trees", "21 trees"),
    ("Binkley (2003) saw 14", "14 were seen"),
    ("as others found (Smith et al., 2004; Binkley, 2003a)", "it was found"),
    ("42.5 % died", "17 of 40 patients died"),
    ("29.6 % died", "a share of 0.296"),
    ("28-day mortality", "dead at 28 days"),
    ("from 10 to 20 %", "10–20%"),
    ("1.2 million people", "1,200,000 people"),
    ("17 % died", "| arm | deaths (%) |\n|---|---|\n| a | 17 |"),
    ("0.66 (95% CI 0.50–0.80)", "OR 0.66 (95% CI 0.50-0.80)"),
    ("p < 0.001", "p<0.001"),
    ("fell by 3.2 points", "a change of −3.2"),
    ("more than 500 francs", "512 francs"),
    ("about 45 000 patients", "44 870 patients"),
]
MISSING = [
    ("It cut mortality by 87 % in 45 000 patients", "mortality fell by 17 % in 2104 patients", ["87 %", "45 000"]),
    ("17 % died", "17 patients died", ["17 %"]),
    ("17 patients died", "17 % died", ["17"]),
    ("45 mg a day", "45 kg a day", ["45"]),
    ("within 28 weeks", "within 28 days", ["28"]),
    ("29.6 % died", "30 % died", ["29.6 %"]),
    ("about 30 % died", "27.2% died", ["30 %"]),
    ("45 000 patients", "44 870 patients", ["45 000"]),
    ("twelve died", "17 died", ["twelve"]),
    ("In 1999 alder was planted", "alder was planted", ["1999"]),
    ("a trial of 2000 patients", "a trial", ["2000"]),
    ("3 died", "13 died, 3.5 % of them, of COVID-3", ["3"]),
    ("zwölf Bäume, trois arbres", "", ["zwölf", "trois"]),
]


@pytest.mark.parametrize(("text", "passage"), HELD)
def test_held(text: str, passage: str) -> None:
    assert missing_figures(text, [passage]) == []


@pytest.mark.parametrize(("text", "passage", "missing"), MISSING)
def test_missing(text: str, passage: str, missing: list[str]) -> None:
    assert missing_figures(text, [passage]) == missing


def test_the_year_and_the_number_of_the_works_that_are_cited() -> None:
    assert missing_figures("Three trials of 2003 agree", ["they agree"], known={3.0, 2003.0}) == []
    assert missing_figures("3 % of them agree", ["they agree"], known={3.0}) == ["3 %"]


@given(st.integers(1, 9_999_999), st.sampled_from([",", " ", "\u202f", "\u00a0", "’", ""]), st.booleans())
def test_however_thousands_are_set_apart(number: int, between: str, is_percent: bool) -> None:
    sign = " %" if is_percent else ""
    written = f"{number:,}".replace(",", between) + sign
    assert missing_figures(f"It was {written} in all.", [f"They had {number}{sign} of it."]) == []
    assert missing_figures(f"It was {written} in all.", [f"They had {number + 1}{sign} of it."]) != []


@given(st.text(alphabet="0123456789.,%-() ofthe\n|", max_size=300))
def test_a_text_holds_its_own_figures(text: str) -> None:
    assert missing_figures(text, [text]) == []
