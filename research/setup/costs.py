"""What a run would ask and send away and what it may cost, told and settled before it is started (SPEC R1, R16, X2)."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from contextfiles.models import ContextFile
from core.errors import Refused
from llm.engine import EngineUnavailable, engine_of_this_installation
from llm.offline import OfflineEngine
from projects.models import Project
from research.setup.budget import Budget, Unnamed, default_usd, money
from research.setup.estimate import Estimate, reckoned
from research.setup.profiles import ResearchProfile
from sources.providers import PROVIDERS


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
    names = () if profile.is_local_only else profile.catalogues
    providers = [PROVIDERS[name] for name in names]
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
    """The costs of a run of `profile` over files of those sizes in bytes. Raises Refused for what is no budget at all."""
    reach = reach_of(profile)
    limits = limits_of(profile, budget)
    usd = limits["budget_usd"]
    if not reach.has_budget:
        said = "" if reach.trouble else "The offline engine answers: nothing is to be paid."
        return Costs(profile.name, usd, None, said)
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
    """The budget in USD of a run for which nobody named one; None where there is nothing to pay. Raises as default_usd."""
    return default_usd() if reach.model else None


def limits_of(profile: ResearchProfile, budget: Budget) -> dict[str, Any]:
    """`budget` as columns of a run of `profile`. Raises Refused for limits that no run could keep to."""
    return budget.columns(default_budget(reach_of(profile)) if isinstance(budget.usd, Unnamed) else None)


def sizes_of(project: Project, file_ids: Sequence[UUID]) -> tuple[int, ...]:
    """The sizes in bytes of those of the files that the thesis has."""
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
