"""What a run will probably cost, and the least that lets it write its report (SPEC R16; docs/decisions/costs.md).

Both follow from how many questions a run of the profile looks into, how often each role is then asked and how long that
is, and what the role's model costs. The lower end is a question that is answered in the first round, the upper one a
run that looks into everything it may; measured on runs with a stand-in for the model.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal
from typing import NamedTuple

from llm.budget import BYTES_PER_TOKEN
from llm.prices import price_of
from llm.routing import ROUTES, model_for
from research.setup.budget import money
from research.setup.limits import WORTH_KEEPING, of_a_report
from research.setup.profiles import ResearchProfile

PARTS = {"academic": (3, 7)}  # questions of the first round, fewest and most
A_FEW = (1, 5)
MORE = 5  # questions of each further round
STEP = Decimal("0.05")  # to which an amount that would do is rounded up
NARROW = (1, 1)
AT_ONCE = 3  # questions that a short run works on at the same time


class Range(NamedTuple):
    """From a question that is soon answered to one that is looked into as far as it may be."""

    low: int
    high: int


class Calls(NamedTuple):
    """What is asked of the model in one role: how often, and tokens of each call: sent, read from the cache, answered."""

    role: str
    calls: Range
    sent: Range
    cached: Range
    answered: Range

    def tokens(self) -> Range:
        each = zip(self.sent, self.cached, self.answered, strict=True)
        return Range(*(calls * sum(one) for calls, one in zip(self.calls, each, strict=True)))

    def usd(self) -> tuple[Decimal, Decimal]:
        price, _ = price_of(model_for(self.role))
        low, high = (
            calls * price.of(0, answered, cache_read=cached, cache_write=sent)
            for calls, sent, cached, answered in zip(self.calls, self.sent, self.cached, self.answered, strict=True)
        )
        return low, high


@dataclass(frozen=True)
class Least:
    """The smallest limits with which a run writes its report. `report_usd` is what is set aside for that alone."""

    usd: Decimal
    tokens: int
    calls: int
    report_usd: Decimal


@dataclass(frozen=True)
class Estimate:
    """What a run will probably use. `unknown` are models whose price nobody knows; they count as the dearest known one."""

    usd: tuple[Decimal, Decimal]
    tokens: Range
    calls: Range
    least: Least
    unknown: tuple[str, ...]

    def sentence(self, budget: Decimal | None) -> str:
        """For people, with the `budget` in USD that they have named; None is no limit."""
        low, high = self.usd
        said = [f"Estimated cost: about {low:.2f} to {high:.2f} USD."]
        if budget is None:
            said.append("Without a budget there is no limit.")
        elif budget >= self.least.usd:  # no run with less is started
            rest = "" if budget >= high else ": should that be used up, the report is written from what there is"
            said.append(f"At most {money(budget)}, your budget{rest}.")
        said += [
            f"The price of {model} is not known; it is counted as the dearest known one." for model in self.unknown
        ]
        return " ".join(said)


def reckoned(profile: ResearchProfile, sizes: tuple[int, ...] = ()) -> Estimate:
    """The estimate by the list prices of the models, wherever they are."""
    asked = list(calls_of(profile, sizes))
    low, high = (sum(ends, Decimal(0)) for ends in zip(*(one.usd() for one in asked), strict=True))
    models = dict.fromkeys(model_for(one.role) for one in asked)
    return Estimate(
        (low, high),
        Range(*map(sum, zip(*(one.tokens() for one in asked), strict=True))),
        Range(*map(sum, zip(*(one.calls for one in asked), strict=True))),
        _least(profile, asked),
        tuple(model for model in models if not price_of(model)[1]),
    )


def calls_of(profile: ResearchProfile, sizes: tuple[int, ...] = ()) -> Iterator[Calls]:
    """What a run of `profile` asks, role by role."""
    nodes = questions_of(profile)
    if sizes:
        text = sum(sizes) // BYTES_PER_TOKEN
        # Notes that were taken of the same bytes before cost nothing, so the lower end has none.
        parts = max(len(sizes), text // 40_000)
        yield Calls("digest", Range(0, parts + 1), Range(0, text // parts + 800), Range(0, 0), Range(0, 2_500))
        yield Calls("route", Range(1, 1 + profile.most_rounds), Range(800, 4_000), Range(0, 0), Range(300, 1_500))
    yield Calls("brief", Range(1, 1), Range(700, 4_000), Range(0, 0), Range(600, 2_000))
    if not profile.is_narrow:
        yield Calls("decompose", Range(1, 2), Range(900, 4_000), Range(0, 0), Range(800, 3_000))
    # A conversation: what was said before is read from the cache in each turn.
    yield Calls(
        "research", Range(2 * nodes.low, 4 * nodes.high), Range(2_500, 3_000), Range(1_500, 4_500), Range(300, 900)
    )
    yield Calls("condense", nodes, Range(6_000, 14_000), Range(0, 0), Range(800, 2_500))
    yield Calls("sufficiency", nodes, Range(1_000, 2_500), Range(0, 0), Range(300, 1_000))
    if profile.enable_methodology_assessment:
        yield Calls("condense", Range(3, 30), Range(1_500, 3_500), Range(0, 0), Range(400, 1_500))
    if not profile.is_narrow:
        yield Calls("synthesize", Range(1, 1), Range(3_000, 22_000), Range(0, 0), Range(3_000, 14_000))
    if profile.enable_claim_verification:
        yield Calls("verify", Range(2, 30), Range(2_500, 6_000), Range(0, 0), Range(800, 2_500))
        yield Calls("synthesize", Range(0, 3), Range(0, 6_000), Range(0, 0), Range(0, 4_000))  # repairs


def questions_of(profile: ResearchProfile) -> Range:
    """How many questions a run of `profile` looks into."""
    fewest, most = NARROW if profile.is_narrow else PARTS.get(profile.source_quality_mode, A_FEW)
    return Range(fewest, most + (profile.most_rounds - 1) * MORE)


def _least(profile: ResearchProfile, asked: list[Calls]) -> Least:
    """What the run of the lower end must have: what it spends until the report, what its questions set aside at the same
    time, and what is set aside for the report, as long as that is worth keeping back (research/setup/budget.py).
    """
    before = [one for one in asked if one.role not in ("synthesize", "verify")]
    planned = [one for one in before if one.role in ("digest", "route", "brief", "decompose")]
    at_once = max(AT_ONCE, questions_of(profile).low)
    report_usd, report_tokens = of_a_report()
    one_usd, one_tokens = _most_of_a_turn()
    # Files must be read whole, even if notes of them may be there already.
    used = {one: one.usd()[one.role == "digest"] for one in before}
    usd = max(
        sum(used.values(), Decimal(0)) + at_once * one_usd + report_usd,
        sum((used[one] for one in planned), Decimal(0)) + report_usd / Decimal(str(WORTH_KEEPING)),
    )
    tokens = sum(one.tokens()[one.role == "digest"] for one in before) + at_once * one_tokens + report_tokens
    return Least(_rounded_up(usd), -(-tokens // 1_000) * 1_000, sum(one.calls.low for one in asked), report_usd)


def least_of_more(*, writes: bool) -> Decimal:
    """The least in USD that must be left to ask more of a run: with `writes`, to research and write its report anew, else
    to answer a question from what was found.
    """
    if writes:
        return _rounded_up(_most_of_a_turn()[0] + of_a_report()[0])
    answer, _ = price_of(model_for("assist"))
    return _rounded_up(answer.of(0, ROUTES["assist"].max_tokens, cache_write=8_000))


def _most_of_a_turn() -> tuple[Decimal, int]:
    """What is set aside for one turn of a researcher."""
    price, _ = price_of(model_for("research"))
    sent, answered = 8_000, ROUTES["research"].max_tokens
    return price.of(0, answered, cache_write=sent), sent + answered


def _rounded_up(usd: Decimal) -> Decimal:
    return (usd / STEP).to_integral_value(ROUND_UP) * STEP
