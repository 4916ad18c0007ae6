"""What calls have used and cost is kept, one row each (SPEC T4)."""

import uuid
from decimal import Decimal

import pytest

from llm.models import Totals, Usage
from llm.prices import DEAREST, PRICES, price_of
from llm.result import CallUsage
from projects.models import Project


def _usage(**given: object) -> CallUsage:
    return CallUsage(role="brief", model="claude-opus-5-5", **given)


def test_usage_is_kept_once(project: Project) -> None:
    run = uuid.uuid4()
    first = _usage(input_tokens=100, output_tokens=20, cost_usd=Decimal("0.0008"), request_id="req_1")
    second = _usage(cache_read_tokens=5, cache_write_tokens=6, cost_usd=Decimal("0.00000012"), is_estimate=True)
    Usage.objects.keep(project, run, [first])
    journalled = CallUsage.model_validate_json(first.model_dump_json())
    Usage.objects.keep(project, run, [journalled, second])
    Usage.objects.keep(project, uuid.uuid4(), [_usage(input_tokens=9)])
    rows = Usage.objects.filter(subject=run)
    assert rows.totals() == Totals(Decimal("0.00080012"), 131, 2)
    assert rows.get(pk=first.id).request_id == "req_1"
    assert rows.get(pk=second.id).is_estimate


def test_nothing_used_is_nothing(db: object) -> None:
    assert Usage.objects.all().totals() == Totals(Decimal(0), 0, 0)


@pytest.mark.parametrize(
    ("model", "same"),
    [
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("anthropic/claude-sonnet-5-5", "claude-sonnet-5-5"),
        ("us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"),
        ("claude-opus-4-6@20260101", "claude-opus-4-6"),
    ],
)
def test_names_with_vendor_and_date_have_a_price(model: str, same: str) -> None:
    assert price_of(model) == (PRICES[same], True)


@pytest.mark.parametrize("model", ["claude-opus-9", "claude-opus-5-9", "llama-4", ""])
def test_an_unknown_model_counts_as_the_dearest(model: str) -> None:
    assert price_of(model) == (DEAREST, False)
    assert all(price.output <= DEAREST.output and price.input <= DEAREST.input for price in PRICES.values())


def test_long_prompts_cost_more_where_they_do() -> None:
    haiku, _ = price_of("claude-haiku-5-5")
    assert haiku.of(100_000, 1000) == Decimal("0.0105")
    assert haiku.of(90_000, 1000, cache_read=11_000) == Decimal("0.04805")
