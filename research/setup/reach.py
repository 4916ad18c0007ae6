"""What a run would ask and what it would send away, told before it is started (SPEC R1, X2)."""

from typing import NamedTuple

from llm.engine import EngineUnavailable, engine_of_this_installation
from llm.offline import OfflineEngine
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
    names = () if profile.is_local_only else dict.fromkeys(profile.providers)
    providers = [PROVIDERS[name] for name in names if name in PROVIDERS]
    return Reach(
        profile.name,
        asked=tuple(provider.label for provider in providers if not provider.missing()),
        skipped=tuple(provider.label for provider in providers if provider.missing()),
        model=engine.label if engine.is_remote else "",
        has_budget=True,
    )
