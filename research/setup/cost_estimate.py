"""What a run would ask and send, and what it may cost, shown before it starts (SPEC R1, R16, X2).

See docs/decisions/costs.md. The estimate and the smallest sufficient budget follow from the number of questions that a
run of the profile looks into, from how often and with how much text each role is asked, and from the price of the
role's model. The lower end is a question answered in the first round, the upper end a run that looks into everything it
may; the numbers were measured on runs with a stand-in for the model.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal
from typing import Any, NamedTuple
from uuid import UUID

from django.utils.text import get_text_list

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
    UnchosenBudget,
    columns_for,
    default_usd,
    money,
    of_a_call,
    of_a_report,
)
from research.setup.catalogue_choice import catalogues_of
from research.setup.profiles import ResearchProfile
from sources.providers import PROVIDERS

PARTS = {"academic": (3, 7)}  # questions of the first round, fewest and most
MORE = 5  # questions of each further round
STEP = Decimal("0.05")  # the smallest sufficient budget is rounded up to this

AT_ONCE = 3  # questions that a short run works on at the same time
TURN = 8_000  # most tokens sent in one turn of a researcher, or with a follow-up question


class Range(NamedTuple):
    """From a question that is answered quickly to one that is researched as far as allowed."""

    low: int
    high: int


class Calls(NamedTuple):
    """Calls to the model in one role: their number, and tokens per call: sent, read from the cache, answered."""

    role: str
    calls: Range
    sent: Range
    cached: Range
    answered: Range

    def tokens(self) -> Range:
        """Return the tokens of all calls."""
        return Range(*(calls * sum(tokens) for calls, *tokens in zip(*self[1:], strict=True)))

    def usd(self) -> list[Decimal]:
        """Return the cost in USD at the lower and at the upper end."""
        price, _ = price_of(model_for(self.role))
        return [
            calls * price.of(0, answered, cache_read=cached, cache_write=sent)
            for calls, sent, cached, answered in zip(*self[1:], strict=True)
        ]


@dataclass(frozen=True)
class Least:
    """The smallest limits with which a run can write its report. `report_usd` is reserved for the report alone."""

    usd: Decimal
    tokens: int
    calls: int
    report_usd: Decimal


@dataclass(frozen=True)
class Estimate:
    """What a run will probably use.

    `unknown` are models without a known price; the most expensive known price is used for them.
    """

    usd: tuple[Decimal, Decimal]
    tokens: Range
    calls: Range
    least: Least
    unknown: tuple[str, ...]

    def sentence(self, budget: Decimal | None) -> str:
        """Return the estimate in words, with the chosen `budget` in USD; None is no limit."""
        low, high = self.usd
        said = [f"Estimated cost: about {low:.2f} to {high:.2f} USD."]
        if budget is None:
            said.append("Without a budget there is no limit.")
        elif budget >= self.least.usd:  # no run with less is started
            rest = "" if budget >= high else ": if it is used up, the report is written from what was found until then"
            said.append(f"At most {money(budget)} USD, your budget{rest}.")
        said += [f"The price of {model} is unknown; the highest known price is used instead." for model in self.unknown]
        return " ".join(said)


def estimate_for(profile: ResearchProfile, sizes: tuple[int, ...] = ()) -> Estimate:
    """Return the estimate for a run of `profile` over files of those sizes in bytes, by list prices."""
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
    """Yield the calls of a run of `profile`, role by role."""
    nodes = questions_of(profile)
    if sizes:
        text = sum(sizes) // BYTES_PER_TOKEN
        # Notes on the same bytes may exist already and then cost nothing, so the lower end has none.
        parts = max(len(sizes), text // 40_000)
        yield Calls("digest", Range(0, parts + 1), Range(0, text // parts + 800), Range(0, 0), Range(0, 2_500))
        yield Calls("route", Range(1, 1 + profile.most_rounds), Range(800, 4_000), Range(0, 0), Range(300, 1_500))
    yield Calls("brief", Range(1, 1), Range(700, 4_000), Range(0, 0), Range(600, 2_000))
    if not profile.is_narrow:
        yield Calls("decompose", Range(1, 2), Range(900, 4_000), Range(0, 0), Range(800, 3_000))
    # A conversation: in each turn, the earlier turns are read from the cache.
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
    """Return the smallest limits for a run at the lower end of the estimate.

    The sum of what it spends before the report, what concurrent questions reserve, and what is reserved for the report,
    as long as that is worth keeping back (research/setup/budget.py).
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


def least_for_follow_up(*, writes: bool) -> Decimal:
    """Return the least in USD that must be left for a follow-up.

    With `writes`, the follow-up researches and rewrites the report; otherwise it answers from what was found.
    """
    if writes:
        return _rounded_up(of_a_call("research", TURN)[0] + of_a_report()[0])
    return _rounded_up(of_a_call("assist", TURN)[0])


def _rounded_up(usd: Decimal) -> Decimal:
    return (usd / STEP).to_integral_value(ROUND_UP) * STEP


class ServicesUsed(NamedTuple):
    """Which services a run of `profile` uses.

    `asked` and `skipped` are labels of catalogues: those that get search words, and those left out because they need a
    key. The offline engine sends them words of the question only. `model` is the service that gets passages, "" when
    none leave this machine. `has_budget` says whether a model is used at all, here or elsewhere; `trouble` says why the
    engine is unavailable.
    """

    profile: str
    asked: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    model: str = ""
    has_budget: bool = False
    trouble: str = ""

    @property
    def sentence(self) -> str:
        """What leaves this machine, in words; the form, the API and the command show it before a run starts."""
        name = self.profile[:1].upper() + self.profile[1:]
        return f"{name}: {self.trouble or self._sent()}"

    def _sent(self) -> str:
        asked = get_text_list([*self.asked], "and")
        if asked and not self.has_budget:
            return f"words of your question are sent to {asked}. No model is asked; your files stay here."
        if asked:
            return f"your question and search words go to {asked}."
        if self.model:
            return "no catalogue is searched."
        only = "" if self.has_budget else "; the offline engine only uses your own library"
        return f"nothing leaves this machine{only}."

    @property
    def skipped_sentence(self) -> str:
        """Which catalogues are left out because they need a key, in words; "" when none are."""
        return f"Not searched, because no key is set: {', '.join(self.skipped)}." if self.skipped else ""


def services_used_by(profile: ResearchProfile) -> ServicesUsed:
    """Return the services that a run of `profile` would use with the current settings."""
    try:
        engine = engine_of_this_installation(local_only=profile.is_local_only)
    except EngineUnavailable as error:
        return ServicesUsed(profile.name, trouble=str(error))
    uses_model = engine.name != OfflineEngine.name
    choice = catalogues_of(profile, uses_model=uses_model)
    return ServicesUsed(
        profile.name,
        asked=tuple(PROVIDERS[name].label for name in choice.asked),
        skipped=tuple(PROVIDERS[name].label for name in choice.lacking),
        model=engine.label if uses_model and engine.is_remote else "",
        has_budget=uses_model,
    )


TOO_SMALL = "budget_too_small"


class Costs(NamedTuple):
    """What a run of `profile` with the `budget` in USD may cost: `sentence` in words, "" where there is nothing to say.

    `estimate` is None where the run is free. `too_small` says why such a run cannot be started and which budget
    suffices.
    """

    profile: str
    budget: Decimal | None
    estimate: Estimate | None
    sentence: str
    too_small: str = ""


def costs_of(profile: ResearchProfile, sizes: tuple[int, ...], budget: Budget) -> Costs:
    """Return the costs of a run of `profile` over files of those sizes in bytes.

    Raises Refused for an invalid budget.
    """
    reach = services_used_by(profile)
    limits = limits_of(profile, budget)
    usd = limits["budget_usd"]
    if not reach.has_budget:
        return Costs(profile.name, usd, None, "" if reach.trouble else "The offline engine is used: the run is free.")
    too_small = ""
    try:
        check_enough(profile, sizes, limits)
    except Refused as refused:
        too_small = refused.message
    if not reach.model:
        return Costs(profile.name, usd, None, "The model runs on this machine, so no cost is estimated.", too_small)
    estimate = estimate_for(profile, sizes)
    return Costs(profile.name, usd, estimate, estimate.sentence(usd), too_small)


def default_budget(reach: ServicesUsed) -> Decimal | None:
    """Return the default budget in USD of a run; None where the run is free. Raise Refused as `default_usd`."""
    return default_usd() if reach.model else None


def limits_of(profile: ResearchProfile, budget: Budget) -> dict[str, Any]:
    """Return `budget` as columns of a run of `profile`. Raise Refused for values out of range."""
    usd = default_budget(services_used_by(profile)) if isinstance(budget.usd, UnchosenBudget) else budget.usd
    return columns_for(usd, budget.tokens, budget.calls, budget.minutes)


def sizes_of(project: Project, file_ids: Sequence[UUID]) -> tuple[int, ...]:
    """Return the sizes in bytes of those of the files that belong to the thesis."""
    return tuple(ContextFile.objects.filter(project=project, pk__in=file_ids).values_list("size", flat=True))


def check_enough(profile: ResearchProfile, sizes: tuple[int, ...], limits: Mapping[str, Any]) -> None:
    """Raise Refused when `limits`, columns of a run, are too small for a run of `profile` to write its report.

    `sizes` are the sizes of its files in bytes. The message names the smallest sufficient limit. Reservations use list
    prices wherever the model runs, and so does this. A run for one sentence has its own limits and no report
    (thesis/find_support.py).
    """
    if profile.is_narrow:
        return
    least = estimate_for(profile, sizes).least
    usd = limits["budget_usd"]
    if usd is not None and usd < least.usd:
        raise Refused(
            f"A budget of {money(usd)} USD is too small for this run: a short one needs {money(least.usd)} USD. "
            "Before each call, the most it can cost is reserved, and the unused part is returned afterwards; the "
            f"report alone reserves {least.report_usd:.2f} USD.",
            field="budget",
            code=TOO_SMALL,
        )
    for what, fewest in (("tokens", least.tokens), ("calls", least.calls)):
        limit = limits[f"budget_{what}"]
        if limit is not None and limit < fewest:
            raise Refused(
                f"A limit of {limit:,} {what} is too small for this run: a short one needs {fewest:,}.",
                field=f"budget.{what}",
                code=TOO_SMALL,
            )
