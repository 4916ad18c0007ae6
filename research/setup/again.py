"""A run asked again: the form for a new one, filled in as that one was started."""

from typing import Any, NamedTuple

from research.models import Run
from research.setup.budget import money
from research.setup.forms import shown
from research.setup.known_profiles import Profiles
from research.setup.profiles import ResearchProfile


class Again(NamedTuple):
    """What is typed into the form, what was chosen otherwise than the profile has it, and the ids of the files."""

    typed: dict[str, Any]
    changed: dict[str, Any]
    files: list[str]


def asked_again(run: Run, known: Profiles) -> Again:
    """The question of `run` with its profile, choices, limits and files, as far as they are still there.

    A limit in money that it did not have is left to the default.
    """
    limits = {
        "budget": run.budget_usd and money(run.budget_usd),
        "budget_minutes": run.budget_seconds and run.budget_seconds // 60,
        "budget_tokens": run.budget_tokens,
        "budget_calls": run.budget_calls,
    }
    typed = {"question": run.question, "wants_approval": run.wants_approval}
    typed |= {name: limit for name, limit in limits.items() if limit is not None}
    files = [file["id"] for file in run.files]
    profile = known.get(run.profile)
    if profile is None:
        return Again(typed, {}, files)
    was = shown(ResearchProfile.model_validate(run.profile_config))
    changed = {name: value for name, value in was.items() if value != shown(profile)[name]}
    return Again({**typed, "profile": run.profile}, changed, files)
