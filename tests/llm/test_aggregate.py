"""The offline engine chooses among the notes of all files (SPEC X2)."""

from llm.offline.aggregate import aggregate
from llm.roles import AggregateAsked, DigestItem

QUESTION = "How does red alder change soil nitrogen?"


def note(text: str, name: str, kind: str = "fact") -> DigestItem:
    return DigestItem(kind=kind, text=text, sources=[f"{name}::S1"])


def aggregated_items(items: list[DigestItem], at_most: int = 3, characters: int = 9_000) -> list[list[int]]:
    asked = AggregateAsked(question=QUESTION, items=items, at_most=at_most, characters=characters)
    return [note.items for note in aggregate(asked).notes]


def test_each_file_is_represented_and_the_question_decides_the_rest() -> None:
    items = [
        note("Soil nitrogen was 0.34% under red alder.", "a.md"),
        note("Soil nitrogen under red alder rose by 18 kg.", "a.md"),
        note("The office moved in 2003.", "a.md"),
        note("Sourdough was baked for 45 minutes.", "bread.md"),
    ]
    assert aggregated_items(items) == [[1], [2], [4]]
    assert aggregated_items(items, 2)[1] == [4]


def test_notes_that_say_the_same_become_one() -> None:
    items = [
        note("Soil nitrogen rose by 18 kg under red alder.", "a.md"),
        note("Under red alder, soil nitrogen rose by 18 kg.", "b.md"),
        note("Under red alder, soil nitrogen rose by 81 kg.", "b.md"),
    ]
    assert aggregated_items(items) == [[1, 2], [3]]


def test_constraints_stay_and_leave_room() -> None:
    rules = [note(f"Plots must be {n} m apart.", "protocol.md", "constraint") for n in range(20)]
    fact = note("Soil nitrogen rose by 18 kg under red alder.", "a.md")
    assert aggregated_items([fact, *rules[:2]], 4) == [[1], [2], [3]]
    assert [1] in aggregated_items([fact, *rules], 6), "a handbook of rules does not crowd out what they are about"


def test_it_fits() -> None:
    items = [note(f"Red alder {n}: " + "nitrogen " * 20, "a.md") for n in range(10)]
    chosen = aggregated_items(items, 10, characters=600)
    assert sum(len(items[one[0] - 1].text) for one in chosen) <= 600
    assert aggregated_items([]) == []


def test_it_is_the_same_each_time() -> None:
    items = [note(f"Plot {n} grew by {n % 7} m under alder.", f"{n % 5}.md") for n in range(200)]
    assert aggregated_items(items, 40) == aggregated_items(items, 40)
