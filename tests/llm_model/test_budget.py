"""Money, tokens and calls are reserved before a call and settled after it (SPEC R16)."""

import asyncio
from decimal import Decimal

import pytest

from llm.budget import BudgetSpent, most, tokens_in
from llm.claude import ClaudeEngine
from llm.errors import Refusal, Rejected, Unusable
from tests.llm_model.conftest import BRIEF, PROMPT, QUESTION
from tests.llm_model.memory_budget import MemoryPurse
from tests.servers.messages import Service, model_answer


async def test_what_was_reserved_becomes_what_was_used(engine: ClaudeEngine, service: Service) -> None:
    purse = MemoryPurse(usd=Decimal(1), tokens=100_000, calls=5)
    service.says(answer=BRIEF)
    answered = await engine.ask(QUESTION, prompt=PROMPT, purse=purse)
    assert not purse.open
    assert purse.spent_usd == answered.usages[0].cost_usd == Decimal("0.0006")
    assert (purse.spent_tokens, purse.spent_calls) == (110, 1)


@pytest.mark.parametrize(
    ("purse", "what"),
    [
        (MemoryPurse(usd=Decimal("0.15")), "USD"),  # 8,000 tokens of Opus may cost 0.16
        (MemoryPurse(tokens=8_000), "tokens"),
        (MemoryPurse(calls=0), "calls"),
    ],
)
async def test_a_call_beyond_the_budget_is_not_made(
    engine: ClaudeEngine, service: Service, purse: MemoryPurse, what: str
) -> None:
    with pytest.raises(BudgetSpent) as caught:
        await engine.ask(QUESTION, prompt=PROMPT, purse=purse)
    assert caught.value.what == what
    assert not service.requests
    assert not purse.open


async def test_the_second_try_needs_budget_too(engine: ClaudeEngine, service: Service) -> None:
    """What the first has used is told with the failure."""
    service.says(answer={"text": 7})
    with pytest.raises(BudgetSpent) as caught:
        await engine.ask(QUESTION, prompt=PROMPT, purse=MemoryPurse(calls=1))
    assert len(caught.value.usages) == 1
    assert len(service.requests) == 1


async def test_calls_that_were_not_taken_are_given_back(engine: ClaudeEngine, service: Service) -> None:
    purse = MemoryPurse(calls=10)
    service.fails(529, "overloaded_error")
    service.fails(401, "authentication_error")
    with pytest.raises(Rejected):
        await engine.ask(QUESTION, prompt=PROMPT, purse=purse)
    assert not purse.open
    assert purse.spent_calls == 0


async def test_what_failed_is_paid_for(engine: ClaudeEngine, service: Service) -> None:
    purse = MemoryPurse()
    service.says(answer=BRIEF, cut_after=4)
    service.says(stop_reason="refusal")
    with pytest.raises(Refusal) as refused:
        await engine.ask(QUESTION, prompt=PROMPT, purse=purse)
    service.says(answer={"text": 7})
    service.says(answer={"text": 7})
    with pytest.raises(Unusable) as unusable:
        await engine.ask(QUESTION, prompt=PROMPT, purse=purse)
    usages = [*refused.value.usages, *unusable.value.usages]
    assert len(usages) == purse.spent_calls == 4
    assert purse.spent_usd == sum(usage.cost_usd for usage in usages)


async def test_calls_under_way_count(engine: ClaudeEngine, service: Service) -> None:
    """Twenty questions at once never overspend."""
    purse = MemoryPurse(calls=7)
    service.otherwise = lambda _: model_answer(answer=BRIEF, seconds=0.005)
    async with engine:
        asked = [engine.ask(QUESTION, prompt=PROMPT, purse=purse) for _ in range(20)]
        outcomes = await asyncio.gather(*asked, return_exceptions=True)
    assert sum(isinstance(outcome, BudgetSpent) for outcome in outcomes) == 13
    assert len(service.requests) == purse.spent_calls == 7


@pytest.mark.parametrize("text", ["", "alder", "മഴക്കാടുകളിലെ മണ്ണ് " * 50, "the soil under alder " * 50])
def test_estimates_are_on_the_safe_side(text: str) -> None:
    assert tokens_in(text) >= len(text) / 4
    usd, tokens = most("claude-opus-5-5", text, 1000)
    assert tokens == tokens_in(text) + 1000
    assert usd == (tokens_in(text) * Decimal(5) + 1000 * Decimal(20)) / 1_000_000


def test_a_spent_budget_says_so_plainly() -> None:
    told = str(BudgetSpent("USD", Decimal("2.00"), Decimal("1.98")))
    assert told == "The budget of 2.00 USD does not allow another call: 1.98 are spent or reserved."
