"""Identifiers are asked for together, and what one of them does to the code costs it alone (SPEC C3)."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations.resolution.registry_lookup import BatchedLookups
from jobs.work import Cancelled
from sources.work import Batch, Failed, Found, NothingFound, Outcome, Work
from tests.examples import examples


def work(value: str) -> Work:
    return Work(provider="crossref", provider_id=value, doi=value)


class Registry:
    """Finds what is even, misses what is odd, and falls over `bad`."""

    def __init__(self, bad: frozenset[str] = frozenset()) -> None:
        self.bad = bad
        self.parts: list[list[str]] = []
        self.under_way = self.most_under_way = 0

    async def ask_many(self, part: list[str]) -> Batch:
        self.parts.append(part)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        await asyncio.sleep(0)
        self.under_way -= 1
        if self.bad & set(part):
            raise ValueError("surprise")
        found = {value: work(value) for value in part if int(value) % 2 == 0}
        return Batch(found, frozenset(part) - found.keys(), {})


async def batched_answers(
    registry: Registry, values: list[str], most: int, at_once: int
) -> list[Outcome | BaseException]:
    batches = BatchedLookups(registry.ask_many, most, at_once)
    try:
        return await asyncio.gather(*(batches.ask(value) for value in values), return_exceptions=True)
    finally:
        await batches.close()


@given(
    st.lists(st.integers(0, 60).map(str), max_size=80),
    st.frozensets(st.integers(0, 60).map(str), max_size=4),
    st.integers(1, 9),
    st.integers(1, 3),
)
@examples(60)
def test_everybody_gets_their_answer(values: list[str], bad: frozenset[str], most: int, at_once: int) -> None:
    registry = Registry(bad)
    answers = asyncio.run(batched_answers(registry, values, most, at_once))
    for value, answer in zip(values, answers, strict=True):
        if value in bad:
            assert isinstance(answer, ValueError)
        elif int(value) % 2 == 0:
            assert isinstance(answer, Found)
            assert answer.works[0].provider_id == value
        else:
            assert answer == NothingFound()
    assert all(len(part) <= most for part in registry.parts)
    assert registry.most_under_way <= at_once
    if not bad:
        sent = [value for part in registry.parts for value in part]
        assert sorted(sent) == sorted(set(values))  # each once
        assert len(registry.parts) <= -(-len(set(values)) // most)  # in as few requests as there can be


async def test_a_failure_of_one_is_its_own() -> None:
    async def ask_many(part: list[str]) -> Batch:
        return Batch({"2": work("2")}, frozenset(), {"1": Failed("PubMed was silent.")})

    batches = BatchedLookups(ask_many, 10)
    one, two = await asyncio.gather(batches.ask("1"), batches.ask("2"))
    assert isinstance(one, Failed)
    assert isinstance(two, Found)
    with pytest.raises(KeyError):  # forgotten by the registry's code: that is no answer
        await batches.ask("3")


async def test_who_is_not_wanted_any_more_is_not_asked_in_halves() -> None:
    calls = []

    async def ask_many(part: list[str]) -> Batch:
        calls.append(part)
        raise Cancelled

    batches = BatchedLookups(ask_many, 10)
    answers = await asyncio.gather(*(batches.ask(str(n)) for n in range(5)), return_exceptions=True)
    assert all(isinstance(answer, Cancelled) for answer in answers)
    assert len(calls) == 1
