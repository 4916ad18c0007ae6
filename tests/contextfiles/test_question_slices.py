"""X3 to X5: what a question is given of the notes. Constraints survive, budgets hold, whatever an engine answers."""

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from contextfiles.models import NodeContextSlice
from contextfiles.question_slices import (
    CHILD,
    FALLBACK,
    FIRST,
    INHERITED,
    MAX_REASON,
    Budget,
    Mode,
    Slice,
    answer_fault,
    fallback_slice,
    inherited_slice,
    leaves_a_choice,
    root_slice,
    slices_of_answer,
    uncovered,
)
from llm.roles import DigestItem, RouteChild, Routed, Routing
from tests.examples import examples

KINDS = ("fact", "uncertainty", "analysis", "constraint", "case", "definition", "lead", "conflict")
WORDS = ["alder", "nitrogen", "soil", "growth", "cost", "roots", "bread", "12%", "dry", "site"]
COST = RouteChild(node_id="1.2", node_question="What does planting alder cost?", perspective="economy")

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=30).map(" ".join).map(lambda text: text[:180])
notes = st.lists(st.tuples(st.sampled_from(KINDS), texts), max_size=40).map(
    lambda rows: [
        DigestItem(kind=kind, text=text, sources=[f"a.md::S{n}"]) for n, (kind, text) in enumerate(rows, start=1)
    ]
)
children = st.lists(st.sampled_from(["1.1", "1.2", "1.3"]), min_size=1, max_size=3, unique=True).flatmap(
    lambda ids: st.tuples(
        *(
            st.builds(RouteChild, node_id=st.just(id), node_question=texts, perspective=st.sampled_from(WORDS))
            for id in ids
        )
    )
)
answers = st.builds(
    Routing,
    slices=st.lists(
        st.builds(
            Routed,
            node_id=st.sampled_from(["1.1", "1.2", " 1.3 ", "9.9", ""]),
            items=st.lists(st.integers(-2, 45), max_size=60),
            reason=st.text(max_size=400),
            coverage_note=st.text(max_size=400),
        ),
        max_size=5,
    ),
)


def note(text: str, kind: str = "fact") -> DigestItem:
    return DigestItem(kind=kind, text=text, sources=["a.md::S1"])


def answered(*numbers: int, node_id: str = "1.2", reason: str = "On cost.", missing: str = "") -> Routing:
    return Routing(slices=[Routed(node_id=node_id, items=list(numbers), reason=reason, coverage_note=missing)])


def places(items: list[DigestItem], one: Slice) -> list[int]:
    """Where the items of a slice stand among `items`: each has a source of its own."""
    sources = [item.sources for item in items]
    return [sources.index(item.sources) for item in one.items]


def holds(items: list[DigestItem], one: Slice, budget: Budget) -> None:
    at = places(items, one)
    assert at == sorted(set(at)), "in their order, none twice"
    assert one.items == [items[place] for place in at], "as they were"
    constraints = [item for item in items if item.kind == "constraint"]
    assert [item for item in one.items if item.kind == "constraint"] == constraints
    assert one.dropped == len(items) - len(one.items)
    if len(one.items) > len(constraints):
        assert len(one.items) <= budget.items
        assert sum(len(item.text) for item in one.items) <= budget.characters
    assert 0 < len(one.selection_reason) <= MAX_REASON + 200
    assert len(one.coverage_note) <= MAX_REASON


@examples(60)
@given(notes, children, answers)
def test_whatever_is_answered(items: list[DigestItem], of: tuple[RouteChild, ...], answer: Routing) -> None:
    given_out = slices_of_answer(items, of, answer)
    assert [one.node_id for one in given_out] == [child.node_id for child in of]
    for child, one in zip(of, given_out, strict=True):
        assert one.mode in ("routed", "fallback")
        holds(items, one, CHILD if one.mode == "routed" else FALLBACK)
        every = Routed(node_id=child.node_id, items=list(range(1, len(one.items) + 1)), reason="", coverage_note="")
        (again,) = slices_of_answer(one.items, [child], Routing(slices=[every]))
        assert again.items == one.items, "what fits once fits again"
        assert again.dropped == 0


@examples(60)
@given(notes, children)
def test_without_an_answer(items: list[DigestItem], of: tuple[RouteChild, ...]) -> None:
    for child in of:
        holds(items, fallback_slice(items, child), FALLBACK)
        holds(items, inherited_slice(items, child), INHERITED)
        once = fallback_slice(items, child)
        assert fallback_slice(once.items, child).items == once.items
        above = inherited_slice(items, child)
        assert inherited_slice(above.items, child).items == above.items
    assert root_slice(items, "1").items == items


def test_the_modes_are_those_that_are_stored() -> None:
    assert set(get_args(Mode)) == set(NodeContextSlice.Mode.values)


def test_the_answer_is_taken_as_it_is() -> None:
    items = [note("Alder costs 400 euros."), note("Soil is dry."), note("Planting takes a day.")]
    (one,) = slices_of_answer(items, [COST], answered(3, 1, 1, reason=" It is\non cost. ", missing="Nothing on tax."))
    assert (one.mode, one.items) == ("routed", [items[0], items[2]])
    assert (one.selection_reason, one.coverage_note, one.dropped) == ("It is on cost.", "Nothing on tax.", 1)


def test_questions_and_numbers_that_do_not_exist() -> None:
    items = [note("Alder costs 400 euros."), note("Soil is dry.")]
    (one,) = slices_of_answer(items, [COST], answered(0, -1, 2, 3, 99))
    assert one.items == [items[1]]
    (other,) = slices_of_answer(items, [COST], answered(7, 99))
    assert (other.mode, other.items) == ("fallback", [items[0]])
    (unknown,) = slices_of_answer(items, [COST], answered(2, node_id="1.9"))
    assert (unknown.mode, unknown.items) == ("fallback", [items[0]])
    assert answer_fault(answered(2, node_id="1.9"), [COST]) == "it names none of the questions"
    assert answer_fault(answered(2), [COST]) == answer_fault(answered(2, node_id=" 1.2 "), [COST]) == ""


def test_that_nothing_helps_is_an_answer() -> None:
    (one,) = slices_of_answer([note("Soil is dry.")], [COST], answered())
    assert (one.mode, one.items, one.dropped) == ("routed", [], 1)


def test_constraints_are_added_and_said() -> None:
    items = [note("Leave children out.", "constraint"), note("Alder costs 400 euros.")]
    (one,) = slices_of_answer(items, [COST], answered(2))
    assert one.items == items
    assert one.selection_reason == "On cost. Added: 1 constraint, which every question gets."


def test_what_does_not_fit_is_cut_from_its_far_end() -> None:
    items = [note(f"Soil {n}.") for n in range(25)] + [note("What planting alder costs."), note("Alder costs.")]
    (one,) = slices_of_answer(items, [COST], answered(*range(1, 28)))
    assert len(one.items) == CHILD.items
    assert one.items[-2:] == items[-2:], "nearest to the question, though they come last"
    assert "Left out because of the size limit: 7 that were chosen." in one.selection_reason
    (long,) = slices_of_answer([note("soil " * 36) for _ in range(40)], [COST], answered(*range(1, 41)))
    assert sum(len(item.text) for item in long.items) <= CHILD.characters


def test_constraints_stay_though_they_are_too_many() -> None:
    items = [note(f"Rule {n}.", "constraint") for n in range(30)] + [note("Alder costs 400 euros.")]
    (one,) = slices_of_answer(items, [COST], answered(31))
    assert one.items == items[:30]
    assert not leaves_a_choice(items[:30])
    assert leaves_a_choice(items)


def test_code_chooses_by_words_in_common_else_the_first() -> None:
    far = [note(f"Soil {n}.") for n in range(9)]
    near = [note(f"Planting {n}.") for n in range(13)] + [note("Planting alder costs.")]
    one = fallback_slice([*far, *near], COST)
    assert one.items == [*near[:11], near[-1]]
    assert one.selection_reason == "Chosen by the words they share with the question."
    none = fallback_slice(far, COST)
    assert none.items == far[:FIRST]
    assert none.selection_reason.startswith("No note shares a word")


def test_a_note_says_which_words_are_not_spoken_of() -> None:
    assert uncovered([note("Alder is planted.")], COST) == "Not covered by these notes: cost."
    assert uncovered([note("Alder is planted at a cost.")], COST) == ""
    assert uncovered([], COST) == "Not covered by these notes: planting, alder, cost."


def test_words_of_an_engine_are_kept_short() -> None:
    (one,) = slices_of_answer([note("Soil.")], [COST], answered(1, reason="a " * 900, missing="b" * 900))
    assert len(one.selection_reason) == len(one.coverage_note) == MAX_REASON
    assert one.coverage_note.endswith("…")


def test_nothing_to_give() -> None:
    for one in (fallback_slice([], COST), inherited_slice([], COST), *slices_of_answer([], [COST], answered(1))):
        assert (one.items, one.dropped) == ([], 0)
        assert one.selection_reason
