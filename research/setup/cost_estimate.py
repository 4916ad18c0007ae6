"""What a run would ask and send away and what it may cost, told and settled before it is started (SPEC R1, R16, X2;
docs/decisions/costs.md).

What it will probably cost and the least that lets it write its report follow from how many questions a run of the profile
looks into, how often each role is then asked and how long that is, and what the role's model costs. The lower end is a
question that is answered in the first round, the upper one a run that looks into everything it may; measured on runs with
a stand-in for the model.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal
from typing import Any, NamedTuple
from uuid import UUID

from contextfiles.models import ContextFile
from core.errors import Refused
from llm.budget import BYTES_PER_TOKEN
from llm.engine import EngineUnavailable, engine_of_this_installation
from llm.offline import OfflineEngine
from llm.prices import price_of
from llm.routing import model_for
from projects.models import Project
from research.setup.budget import (
    WORTH_KEEPING,
    Budget,
    Unnamed,
    columns_for,
    default_usd,
    money,
    of_a_call,
    of_a_report,
)
from research.setup.profiles import ResearchProfile
from sources.providers import PROVIDERS

PARTS = {"academic": (3, 7)}  # questions of the first round, fewest and most
MORE = 5  # questions of each further round
STEP = Decimal("0.05")  # to which an amount that would do is rounded up

AT_ONCE = 3  # questions that a short run works on at the same time
TURN = 8_000  # tokens that are sent in one turn of a researcher, or with a question to what was found, at most


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
        return Range(*(calls * sum(tokens) for calls, *tokens in zip(*self[1:], strict=True)))

    def usd(self) -> list[Decimal]:
        """From the lower end to the upper one."""
        price, _ = price_of(model_for(self.role))
        return [
            calls * price.of(0, answered, cache_read=cached, cache_write=sent)
            for calls, sent, cached, answered in zip(*self[1:], strict=True)
        ]


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
    """Return the estimate by the list prices of the models, wherever they are."""
    asked = list(calls_of(profile, sizes))
    low, high = (sum(ends, Decimal(0)) for ends in zip(*(one.usd() for one in asked), strict=True))
    return Estimate(
        (low, high),
        Range(*map(sum, zip(*(one.tokens() for one in asked), strict=True))),
        Range(*map(sum, zip(*(one.calls for one in asked), strict=True))),
        _least(profile, asked),
        tuple(model for model in dict.fromkeys(model_for(one.role) for one in asked) if not price_of(model)[1]),
    )


def calls_of(profile: ResearchProfile, sizes: tuple[int, ...] = ()) -> Iterator[Calls]:
    """Yield what a run of `profile` asks, role by role."""
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
    """Return how many questions a run of `profile` looks into."""
    fewest, most = (1, 1) if profile.is_narrow else PARTS.get(profile.source_quality_mode, (1, 5))
    return Range(fewest, most + (profile.most_rounds - 1) * MORE)


def _least(profile: ResearchProfile, asked: list[Calls]) -> Least:
    """Return what the run of the lower end must have: what it spends until the report, what its questions set aside at the same
    time, and what is set aside for the report, as long as that is worth keeping back (research/setup/budget.py).
    """
    before = [one for one in asked if one.role not in ("synthesize", "verify")]
    planned = [one for one in before if one.role in ("digest", "route", "brief", "decompose")]
    at_once = max(AT_ONCE, questions_of(profile).low)
    report_usd, report_tokens = of_a_report()
    one_usd, one_tokens = of_a_call("research", TURN)
    # Files must be read whole, even if notes of them may be there already.
    used = {one: one.usd()[one.role == "digest"] for one in before}
    usd = max(
        sum(used.values(), Decimal(0)) + at_once * one_usd + report_usd,
        sum((used[one] for one in planned), Decimal(0)) + report_usd / Decimal(str(WORTH_KEEPING)),
    )
    tokens = sum(one.tokens()[one.role == "digest"] for one in before) + at_once * one_tokens + report_tokens
    return Least(_rounded_up(usd), -(-tokens // 1_000) * 1_000, sum(one.calls.low for one in asked), report_usd)


def least_of_more(*, writes: bool) -> Decimal:
    """Return the least in USD that must be left to ask more of a run: with `writes`, to research and write its report anew, else
    to answer a question from what was found.
    """
    if writes:
        return _rounded_up(of_a_call("research", TURN)[0] + of_a_report()[0])
    return _rounded_up(of_a_call("assist", TURN)[0])


def _rounded_up(usd: Decimal) -> Decimal:
    return (usd / STEP).to_integral_value(ROUND_UP) * STEP


class Reach(NamedTuple):
    """What a run of `profile` reaches.

    `asked` and `skipped` are catalogues by their labels: those that are sent the question and search words, and
    those left out for want of a key. The offline engine asks none. `model` is the service that is sent passages, ""
    when none leave this machine. `has_budget` says whether a model is asked at all, here or elsewhere; `trouble` why
    the engine that is wanted cannot be used.
    """

    profile: str
    asked: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    model: str = ""
    has_budget: bool = False
    trouble: str = ""


def reach_of(profile: ResearchProfile) -> Reach:
    """With the settings as they are now."""
    try:
        engine = engine_of_this_installation(local_only=profile.is_local_only)
    except EngineUnavailable as error:
        return Reach(profile.name, trouble=str(error))
    if engine.name == OfflineEngine.name:
        return Reach(profile.name)
    providers = [] if profile.is_local_only else [PROVIDERS[name] for name in profile.catalogues]
    return Reach(
        profile.name,
        asked=tuple(provider.label for provider in providers if not provider.missing()),
        skipped=tuple(provider.label for provider in providers if provider.missing()),
        model=engine.label if engine.is_remote else "",
        has_budget=True,
    )


TOO_SMALL = "budget_too_small"


class Costs(NamedTuple):
    """What a run of `profile` with the `budget` in USD may cost: `sentence` for people, "" where there is nothing to say.

    `estimate` is None where nothing is to be paid. `too_small` says why no run would be started so, and what would do.
    """

    profile: str
    budget: Decimal | None
    estimate: Estimate | None
    sentence: str
    too_small: str = ""


def costs_of(profile: ResearchProfile, sizes: tuple[int, ...], budget: Budget) -> Costs:
    """Return the costs of a run of `profile` over files of those sizes in bytes. Raises Refused for what is no budget at all."""
    reach = reach_of(profile)
    limits = limits_of(profile, budget)
    usd = limits["budget_usd"]
    if not reach.has_budget:
        return Costs(
            profile.name, usd, None, "" if reach.trouble else "The offline engine answers: nothing is to be paid."
        )
    too_small = ""
    try:
        check_enough(profile, sizes, limits)
    except Refused as refused:
        too_small = refused.message
    if not reach.model:
        return Costs(profile.name, usd, None, "The model is on this machine: no price is reckoned with.", too_small)
    estimate = reckoned(profile, sizes)
    return Costs(profile.name, usd, estimate, estimate.sentence(usd), too_small)


def default_budget(reach: Reach) -> Decimal | None:
    """Return the budget in USD of a run for which nobody named one; None where there is nothing to pay. Raises as default_usd."""
    return default_usd() if reach.model else None


def limits_of(profile: ResearchProfile, budget: Budget) -> dict[str, Any]:
    """`budget` as columns of a run of `profile`. Raises Refused for limits that no run could keep to."""
    usd = default_budget(reach_of(profile)) if isinstance(budget.usd, Unnamed) else budget.usd
    return columns_for(usd, budget.tokens, budget.calls, budget.minutes)


def sizes_of(project: Project, file_ids: Sequence[UUID]) -> tuple[int, ...]:
    """Return the sizes in bytes of those of the files that the thesis has."""
    return tuple(ContextFile.objects.filter(project=project, pk__in=file_ids).values_list("size", flat=True))


def check_enough(profile: ResearchProfile, sizes: tuple[int, ...], limits: Mapping[str, Any]) -> None:
    """Raise Refused for one of the `limits`, columns of a run, with which a run of `profile` over files of those sizes in bytes could not write its
    report, with the one that would do. Reservations go by the list prices wherever the model is, so this does too.

    A run for one sentence has limits of its own and writes no report (thesis/support.py).
    """
    if profile.is_narrow:
        return
    least = reckoned(profile, sizes).least
    usd = limits["budget_usd"]
    if usd is not None and usd < least.usd:
        raise Refused(
            f"A budget of {money(usd)} USD is too small for this run: {money(least.usd)} USD would do for a short one. "
            "Before each call the most it can cost is set aside, and what is not used is given back; the report alone "
            f"sets {least.report_usd:.2f} USD aside.",
            field="budget",
            code=TOO_SMALL,
        )
    for what, fewest in (("tokens", least.tokens), ("calls", least.calls)):
        limit = limits[f"budget_{what}"]
        if limit is not None and limit < fewest:
            raise Refused(
                f"A limit of {limit:,} {what} is too small for this run: {fewest:,} would do for a short one.",
                field=f"budget.{what}",
                code=TOO_SMALL,
            )
