"""Which study a sentence is about: what a text tells apart is kept apart, what it does not is about none (SPEC R15)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llm.offline.study_detection import OWN, studies_in


def about(text: str, words: str) -> str | None:
    """The name of the study that `words` of `text` are about."""
    studies = studies_in(text)
    start = text.index(words)
    key = studies.at(start, start + len(words))
    return studies.names.get(key, key) if key else key


NOTES = (
    "The Alder trial enrolled 120 patients. It was stopped early.\n\n"
    "Smith et al. (2019) followed 4,000 adults. Mortality fell (p = 0.03). "
    "Unlike the Alder trial, Smith et al. (2019) had "
    "OR 0.82. So it stands with n = 9.\n\nElsewhere n = 55."
)


@pytest.mark.parametrize(
    ("words", "study"),
    [
        ("120 patients", "Alder trial"),
        ("stopped early", "Alder trial"),
        ("4,000", "Smith et al. (2019)"),
        ("p = 0.03", "Smith et al. (2019)"),
        ("OR 0.82", None),
        ("n = 9", None),
        ("n = 55", None),
        ("120 patients. It was", "Alder trial"),
        ("stopped early.\n\nSmith", None),
    ],
)
def test_notes_on_several_studies(words: str, study: str | None) -> None:
    assert about(NOTES, words) == study


@pytest.mark.parametrize(
    ("text", "words", "study"),
    [
        ("A trial was made in 12 mice. They grew (p = 0.03).", "p = 0.03", OWN),
        ("A trial had 12 mice. A cohort study had 50 people.", "12", "A trial"),
        ("A trial had 12 mice. A cohort study had 50 people.", "50", "A cohort study"),
        ("A trial had 12 mice and another study 50 people. Both grew (p = 0.1).", "12", None),
        ("We had 12 mice. Smith (2019) had 50.\n\nThe mice grew (p = 0.1).", "p = 0.1", OWN),
        ("We had 12 mice. Smith (2019) had 50.\n\nThe mice grew (p = 0.1).", "50", "Smith (2019)"),
        ("We used the scale of others (Beck et al., 1961) in 12 mice.", "12", OWN),
        ("## Study 1\n\nIt had n = 9.\n\n## Study 2\n\nThere p = 0.1.", "n = 9", "Study 1"),
        ("## Study 1\n\nIt had n = 9.\n\n## Study 2\n\nThere p = 0.1.", "p = 0.1", "Study 2"),
        ("| Study | n |\n|---|---|\n| Alder trial | 12 |\n| Birch trial | 50 |", "12", "Alder trial"),
        ("| Study | n |\n|---|---|\n| Alder trial | 12 |\n| Birch trial | 50 |", "50", "Birch trial"),
        ("RECOVERY was large. The RECOVERY trial ended. The CoDEX trial had n = 299. In RECOVERY p = 0.1.", "0.1",
         "RECOVERY trial"),
        ("Åberg (2019) had n = 5. Öz and Li (2020) had p = 0.2.", "n = 5", "Åberg (2019)"),
        ("Åberg (2019) had n = 5. Öz and Li (2020) had p = 0.2.", "p = 0.2", "Öz and Li (2020)"),
        ("In March (2019) we had 12 mice.", "12", OWN),
    ],
)  # fmt: skip
def test_ways_to_tell_studies_apart(text: str, words: str, study: str | None) -> None:
    assert about(text, words) == study


NAMES = ("Alder trial", "Birch study", "Smith et al. (2019)", "Jones (2020)", "Study 2", "Okafor & Li (2001)")


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.integers(10, 10**6)), min_size=2, max_size=8), st.booleans())
def test_a_figure_is_never_given_to_another_study(told: list[tuple[str, int]], in_lines: bool) -> None:
    said = [f"{name} reported n = {figure} patients." for name, figure in told]
    text = ("\n\n" if in_lines else " ").join(said)
    studies = studies_in(text)
    for (name, _), sentence in zip(told, said, strict=True):
        start = text.index(sentence)
        key = studies.at(start, start + len(sentence))
        assert key is None or studies.names[key] == name


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_told_apart_without_an_error(text: str) -> None:
    studies = studies_in(text)
    assert all(one.study in {None, OWN, *studies.names} for one in studies.told)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "words", ["A" * 50_000, "a " * 25_000, "A b " * 12_000, "Smith (2019 " * 4_000, "Study 1 " * 6_000]
)
def test_long_texts_without_sense(words: str) -> None:
    studies_in(words)


def test_a_review_that_a_paper_cites_is_another_study() -> None:
    text = (
        "We randomised 438 children to a probiotic or placebo. Diarrhoea occurred in 9.5% and 21.2% of them.\n\n"
        "A Cochrane review of 23 trials found that 3,938 children were protected. "
        "In an earlier meta-analysis 12 trials were pooled."
    )
    studies = studies_in(text)
    of = [
        studies.at(text.index(words), text.index(words) + 8)
        for words in ("438 children", "3,938 children", "12 trials")
    ]
    assert of[0] == ""
    assert len(set(of)) == 3, "none of them is the paper's own"
