"""What the chosen files come to: which notes stay, what they speak of, and under which name (SPEC X2, X3, X6)."""

import string
from typing import Any, get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from contextfiles.notes_bundle import (
    LONGEST,
    MOST_CHARACTERS,
    MOST_ITEMS,
    WEIGHED,
    aggregate,
    fits,
    notes_for_choice,
    revision,
    routing_index,
    shortened_note,
    summary,
)
from llm.offline.aggregate import aggregate as chosen
from llm.roles import AggregateAsked, Aggregated, DigestItem, KeptNote
from tests.examples import examples

QUESTION = "How does red alder change soil nitrogen?"
KINDS = get_args(DigestItem.model_fields["kind"].annotation)


def note(text: str, source: str = "alder.md::S1", kind: Any = "fact") -> DigestItem:
    return DigestItem(kind=kind, text=text, sources=[source])


def note_with(*items: int, conflict: str = "") -> KeptNote:
    return KeptNote(items=list(items), conflict=conflict)


def answered(items: list[DigestItem], *notes: KeptNote, **limits: int) -> list[DigestItem]:
    return aggregate(AggregateAsked(question=QUESTION, items=items, **limits), Aggregated(notes=list(notes)))


ROSE = note("Soil nitrogen rose by 18 kg per hectare under red alder.", "alder.md::S1")
ROSE_TOO = note("Under red alder soil nitrogen rose by 18 kg per hectare.", "trial.pdf::S9")
FELL = note("Soil nitrogen fell under red alder on the driest site.", "dry.docx::S2")
ONLY = note("Only stands older than 20 years are counted.", "protocol.md::S4", "constraint")


def test_notes_are_kept_word_for_word_in_the_order_of_the_answer() -> None:
    assert answered([ROSE, FELL], note_with(2), note_with(1)) == [FELL, ROSE]


def test_notes_that_say_the_same_become_one_with_the_sources_of_both() -> None:
    (one,) = answered([ROSE, ROSE_TOO], note_with(1, 2))
    assert (one.text, one.sources) == (ROSE.text, ["alder.md::S1", "trial.pdf::S9"])


@pytest.mark.parametrize(
    "other",
    [
        note("Soil nitrogen rose by 81 kg per hectare under red alder.", "trial.pdf::S9"),
        note("Sourdough was baked for 18 minutes.", "bread.md::S1"),
    ],
)
def test_notes_that_differ_are_not_made_one(other: DigestItem) -> None:
    """A note must not come to cite a passage that does not say it."""
    assert answered([ROSE, other], note_with(1, 2)) == [ROSE]


def test_a_conflict_names_the_passages_of_both_sides() -> None:
    said = "Soil nitrogen rose by 18 kg per hectare under red alder, but fell on the driest site."
    conflict = answered([ROSE, FELL], note_with(1), note_with(2), note_with(1, 2, conflict=said))[-1]
    assert (conflict.kind, conflict.text) == ("conflict", said)
    assert conflict.sources == ["alder.md::S1", "dry.docx::S2"]


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([1, 2], "Soil nitrogen rose by 99 kg under red alder, but fell on the driest site."),
        ([1], "Soil nitrogen rose under red alder and fell under red alder."),
        ([1, 1], "Soil nitrogen rose under red alder and fell under red alder."),
        ([1, 2], "The authors are paid by a seed company."),
        ([7, 8], "Soil nitrogen rose under red alder and fell under red alder."),
    ],
)
def test_what_no_note_bears_out_is_left_out(items: list[int], said: str) -> None:
    """A figure nobody has, one side only, other words, notes that are not there."""
    assert answered([ROSE, FELL], note_with(1), note_with(*items, conflict=said)) == [ROSE]


def test_what_must_be_kept_comes_back() -> None:
    assert answered([ROSE, ONLY], note_with(1)) == [ONLY, ROSE]
    assert answered([ROSE, ONLY], note_with(1), note_with(2)) == [ROSE, ONLY], "it stays where the answer has it"
    assert ONLY in answered(
        [note(f"Plot {n} grew by {n} m.") for n in range(9)] + [ONLY], *map(note_with, range(1, 10)), at_most=3
    )


def test_a_constraint_stays_one_when_it_is_merged() -> None:
    same = note("Only stands older than 20 years count.", "notes.md::S1")
    (one,) = answered([same, ONLY], note_with(1, 2))
    assert (one.kind, one.sources) == ("constraint", ["notes.md::S1", "protocol.md::S4"])


def test_numbers_that_are_none_are_thrown_away() -> None:
    assert answered(
        [ROSE], note_with(0), note_with(-1), note_with(2), note_with(1, 1, 44), note_with(1), note_with()
    ) == [ROSE]
    assert answered([ROSE], note_with(0)) == []


words = st.text(string.ascii_letters + string.digits + " .,äß中", min_size=1, max_size=200).filter(str.strip)
notes = st.lists(
    st.builds(
        DigestItem,
        kind=st.sampled_from(KINDS),
        text=words.map(shortened_note),
        sources=st.lists(
            st.sampled_from([f"{name}::S{n}" for name in ("a.md", "b.pdf") for n in range(3)]), min_size=1
        ),
    ),
    max_size=12,
)
answers = st.lists(
    st.builds(KeptNote, items=st.lists(st.integers(-2, 14), max_size=4), conflict=st.just("") | words), max_size=8
)


@examples(40)
@example(items=[note("0", kind="constraint"), note("00", kind="constraint")], answer=[], at_most=4, characters=2)
@given(items=notes, answer=answers, at_most=st.integers(1, 8), characters=st.integers(0, 600))
def test_whatever_is_answered_nothing_is_invented(
    items: list[DigestItem], answer: list[KeptNote], at_most: int, characters: int
) -> None:
    asked = AggregateAsked(question=QUESTION, items=items, at_most=at_most, characters=characters)
    result = aggregate(asked, Aggregated(notes=answer))
    assert len(result) <= at_most
    assert sum(len(item.text) for item in result) <= characters
    given_texts, given_sources = {item.text for item in items}, {source for item in items for source in item.sources}
    for item in result:
        assert item.text in given_texts or item.kind == "conflict"
        assert item.sources
        assert set(item.sources) <= given_sources
        assert len(item.text) <= LONGEST
    # The offline engine keeps to the same rules, so that its answer passes unchanged.
    own = chosen(asked)
    assert [item.text for item in aggregate(asked, own)] == [
        items[kept_note.items[0] - 1].text for kept_note in own.notes
    ]


def test_a_model_is_shown_no_more_notes_than_it_can_weigh() -> None:
    many = [note(f"Plot {n} held {n}.5 g/kg of soil nitrogen.", f"file-{n % 30}.pdf::S{n}") for n in range(400)]
    shown = notes_for_choice(QUESTION, many)
    assert len(shown) == WEIGHED
    assert {item.sources[0].partition("::")[0] for item in shown} == {f"file-{n}.pdf" for n in range(30)}
    assert notes_for_choice(QUESTION, many[:10]) == many[:10]


def test_what_fits() -> None:
    assert fits([note("x" * LONGEST)] * MOST_ITEMS)
    assert not fits([note("x")] * (MOST_ITEMS + 1))
    assert not fits([note("x" * (MOST_CHARACTERS + 1))])


@given(st.text(max_size=400), st.integers(2, 200))
def test_a_long_text_is_cut_at_a_word(text: str, most: int) -> None:
    short = shortened_note(text, most)
    assert len(short) <= most
    assert short == text.strip() or text.strip().startswith(short.removesuffix("…"))


def test_where_a_text_is_cut() -> None:
    assert shortened_note("alder fixes nitrogen", 12) == "alder fixes…"
    assert shortened_note("alder fixes nitrogen", 11) == "alder…"
    assert shortened_note("alder fixes", 11) == "alder fixes"
    assert shortened_note("nitrogen", 5) == "nitr…"


def test_the_index_says_what_the_notes_speak_of() -> None:
    index = routing_index(
        [
            note("Trees in Western Oregon held 3.4 g/kg of nitrogen, 12% more than in 1990 (USDA).", "a.md::S1"),
            note("Nitrogen was measured with a CN analyser in Western Oregon.", "b.md::S2", "analysis"),
            ONLY,
        ]
    )
    assert [claim["sources"] for claim in index["claims"]] == [["a.md::S1"], ["b.md::S2"]], (
        "a constraint claims nothing"
    )
    assert index["sources"] == ["a.md::S1", "b.md::S2", "protocol.md::S4"]
    assert index["tags"][0] in ("nitrogen", "western", "oregon")
    assert index["entities"][0] == "Western Oregon"
    assert {"USDA", "CN", "3.4 g/kg", "12%", "20 years"} <= set(index["entities"])
    assert "Trees" not in index["entities"]
    assert "Nitrogen" not in index["entities"]


def test_german_nouns_are_no_names() -> None:
    index = routing_index([note("Der Stickstoff im Boden ist unter der Erle in Bad Homburg gestiegen.")])
    assert index["entities"] == ["Bad Homburg"]


def test_the_revision_names_the_content() -> None:
    files = [
        {"name": "a.md", "sha256": "1", "format": "md", "status": "ready", "items": 3},
        {"name": "b.md", "sha256": "2", "format": "md", "status": "error", "items": 0},
    ]
    first = revision(files, 1)
    assert len(first) == 64
    assert revision(files[::-1], 1) == first, "in whatever order they were chosen"
    assert revision([{**files[0], "items": 9}, files[1]], 1) == first, "what was asked of it is not the content"
    assert revision(files, 2) != first, "read in another way"
    assert revision([{**files[0], "sha256": "3"}, files[1]], 1) != first
    assert revision(files[:1], 1) != first


def test_a_file_is_summed_up_by_its_own_notes() -> None:
    items = [note("Bread was baked."), note("It rained."), ROSE, note("Alder grew 3 m."), FELL]
    assert summary(QUESTION, items) == [ROSE, items[3], FELL]
    assert summary(QUESTION, []) == []
