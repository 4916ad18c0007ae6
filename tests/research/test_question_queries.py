"""P7: what the offline engine's runs send to catalogues is words of the question, and nothing else."""

import inspect
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research.search.question_queries import LONGEST, queries_of

WORDS = st.sampled_from(
    ["does", "vitamin", "D", "reduce", "28-day", "mortality", "in", "critically", "ill", "patients", "OR", "NOT", "the"]
    + ["hydrocortisone", "compared", "with", "placebo", "Typ-2-Diabetes", "Mortalität", "café", "维生素", "0.5", "CO₂"]
    + ["x" * 400, "[ti]", "“red alder”", "(ARDS)", "*", "don’t", "Pune's", "?", ";", "\u202f", "ﬁr", "İstanbul"]
)


def words_of(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text))


@given(st.one_of(st.lists(WORDS, max_size=40).map(" ".join), st.text(max_size=300)))
def test_every_word_is_one_of_the_question(question: str) -> None:
    queries = queries_of(question)
    assert len(queries) <= 3
    for query in queries:
        assert words_of(query) <= words_of(question)
        assert 0 < len(query) <= LONGEST
        assert query == " ".join(query.split())
        assert not set(query) & set('"“”[]()*:?&|+')
    assert bool(queries) == bool(words_of(question)) or max(map(len, words_of(question))) > LONGEST


def test_nothing_but_the_question_is_given_to_it() -> None:
    assert list(inspect.signature(queries_of).parameters) == ["question"]


@pytest.mark.parametrize(
    ("question", "queries"),
    [
        (
            "Does vitamin D supplementation reduce 28-day mortality in critically ill patients?",
            ["vitamin D supplementation 28 day mortality critically ill patients", "vitamin D supplementation"],
        ),
        (
            "What is the effect of hydrocortisone compared with placebo on mortality in adults with severe "
            "community-acquired pneumonia?",
            [
                "hydrocortisone mortality adults severe community acquired pneumonia",
                "hydrocortisone community acquired pneumonia",
            ],
        ),
        (
            "How does planting red alder change soil nitrogen and the growth of Douglas-fir?",
            [
                "planting red alder soil nitrogen growth Douglas fir",
                "red alder soil nitrogen Douglas fir",
                "red alder soil nitrogen",
            ],
        ),
        (
            "In my hospital in Pune I see young women with tuberculous meningitis who are HIV negative; what is known "
            "about death, adjunctive dexamethasone, and sequelae at one year?",
            [
                "hospital Pune young women tuberculous meningitis HIV negative death adjunctive dexamethasone sequelae",
                "Pune tuberculous meningitis HIV adjunctive dexamethasone sequelae",
                "tuberculous meningitis adjunctive dexamethasone",
            ],
        ),
        ("Hilft Metformin bei Typ-2-Diabetes?", ["Hilft Metformin Typ 2 Diabetes"]),
        ("维生素D能降低死亡率吗？", ["维生素D能降低死亡率吗"]),
        ("alder", ["alder"]),
        ("Why?", ["Why"]),
    ],
)
def test_stop_words_are_left_out_and_phrases_stay(question: str, queries: list[str]) -> None:
    """From narrow to wide, without hyphens: PubMed requires each word, and Semantic Scholar finds none with hyphens."""
    assert queries_of(question) == queries
