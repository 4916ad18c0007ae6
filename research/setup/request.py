"""What a run is asked for with, whoever asks: a page, the API, a command, another run (SPEC R1, R2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from projects.models import Project, User
from research.setup.budget import Budget
from research.setup.known_profiles import resolve
from research.setup.profiles import ResearchProfile, narrowed


@dataclass(frozen=True)
class RunRequest:
    """A question and how to work on it; `mode` is the legacy name of a profile, `overrides` are other values of its keys.

    `file_ids` are context files of the thesis to bind; `turned_away` are the names of files that were wanted too and not
    taken in, each with the sentence why. With `wants_approval` the run waits for a person to read brief and plan before
    anything is searched (R3). With `narrow` it looks into one question, once (research.setup.profiles.narrowed).
    """

    question: str
    profile: str = ""
    mode: str = ""
    overrides: Mapping[str, Any] | None = None
    file_ids: Sequence[UUID] = ()
    turned_away: Sequence[tuple[str, str]] = ()
    budget: Budget = Budget()
    wants_approval: bool = False
    narrow: bool = False

    def profile_for(self, project: Project, user: User) -> tuple[ResearchProfile, list[str]]:
        """The profile that this asks for, and the warnings to show with it. Raises Refused as `resolve`."""
        chosen, warnings = resolve(
            profile=self.profile,
            mode=self.mode,
            project_default=project.default_profile,
            overrides=self.overrides,
            user=user,
        )
        return (narrowed(chosen) if self.narrow else chosen), warnings
