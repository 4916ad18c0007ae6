"""Which profiles exist, built-in, of the site and of each person, and which one a run gets (SPEC R1, R2).

Profiles of the site are in the setting RESEARCH_PROFILES, a JSON object of names with the keys to set: for a built-in
profile it changes these keys, a new name starts from `general`. RESEARCH_CITATION_STYLE is the style of the built-in
profiles that name none. An invalid setting is reported at start (research/settings_checks.py) and ignored; no page
fails because of it.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from typing import Any

from django.conf import settings
from django.db import transaction
from pydantic import ValidationError

from citations.styles.formatting import style_exists
from core.errors import Refused
from projects.models import Project, User
from research.models import SavedProfile
from research.setup.profiles import (
    BUILT_IN,
    FOR_A_SENTENCE,
    LIBRARY,
    LONGEST_NAME,
    MODES,
    ResearchProfile,
    kept_local,
    with_keys,
)

_NAME = re.compile(r"\w(?:[\w .-]*\w)?")


@dataclass(frozen=True)
class Profiles:
    """Profiles by name. Built-in ones are looked up first, a person's own last.

    `faults` has a sentence on each invalid setting.
    """

    built_in: Mapping[str, ResearchProfile]
    site: Mapping[str, ResearchProfile]
    faults: tuple[str, ...]
    own: Mapping[str, ResearchProfile] = field(default_factory=dict)

    def get(self, name: str) -> ResearchProfile | None:
        """Return the profile of that name, or None."""
        return self.built_in.get(name) or self.site.get(name) or self.own.get(name)

    def named(self, name: str) -> ResearchProfile:
        """Return the profile of that name. Raise Refused when there is none, listing those available."""
        if (found := self.get(name)) is None:
            groups = (("", self.built_in), ("; on this site: ", self.site), ("; your own: ", self.own))
            known = "".join(said + ", ".join(names) for said, names in groups if names)
            raise Refused(f"Unknown profile “{name}”. Available: {known}.", field="profile")
        return found

    def __iter__(self) -> Iterator[ResearchProfile]:
        return chain(self.built_in.values(), self.site.values(), self.own.values())


def default_profile_of(project: Project) -> str:
    """Return the name of the profile that research in `project` starts with: its own default, or the site's."""
    return project.default_profile or str(settings.RESEARCH_DEFAULT_PROFILE)


def set_default_profile(project: Project, name: str) -> None:
    """Set the profile that research in `project` starts with; "" for the site's default.

    Raises Refused for a name that not all members can use: one's own profiles are one's own.
    """
    if name:
        site_profiles().named(name)
    Project.objects.filter(pk=project.pk).update(default_profile=name)
    project.default_profile = name


def site_profiles() -> Profiles:
    """Return the built-in profiles and those of the site, with the current settings."""
    return _site(settings.RESEARCH_PROFILES, settings.RESEARCH_CITATION_STYLE)


@lru_cache(maxsize=8)
def _site(written: str, style: str) -> Profiles:
    faults = []
    built_in, own = dict(BUILT_IN), dict[str, ResearchProfile]()
    if style != "default" and style_exists(style):
        built_in |= {
            name: profile.model_copy(update={"citation_style": style})
            for name, profile in BUILT_IN.items()
            if profile.citation_style == "default"
        }
    elif style != "default":
        faults.append(
            f"RESEARCH_CITATION_STYLE: no citation style is called “{style}”. Name a CSL style such as apa, or default."
        )
    given: Any = {}
    try:
        given = json.loads(written or "{}")
    except ValueError as error:
        faults.append(f"RESEARCH_PROFILES is not JSON: {error}.")
    if not isinstance(given, dict):
        given = {}
        faults.append('RESEARCH_PROFILES must be a JSON object of names: {"rapid": {"citation_style": "ieee"}}.')
    for name, keys in given.items():
        try:
            (built_in if name in built_in else own)[name] = _of_site(built_in, name, keys)
        except Refused as refused:
            faults.append(f"RESEARCH_PROFILES, profile “{name}”: {refused.message}")
    return Profiles(built_in, own, tuple(faults))


def _of_site(built_in: Mapping[str, ResearchProfile], name: str, keys: Any) -> ResearchProfile:
    check_name(name)
    if not isinstance(keys, dict):
        raise Refused('Its keys must be a JSON object: {"citation_style": "ieee"}.')
    base = built_in.get(name) or built_in["general"].model_copy(update={"name": name})
    return kept_local(base, with_keys(base, keys))


def check_name(name: str) -> None:
    """Raise Refused for an invalid profile name."""
    if not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise Refused(
            f"A profile name has at most {LONGEST_NAME} characters: letters, digits, spaces, dots and hyphens.",
            field="name",
        )


def known_profiles(user: User | None = None) -> Profiles:
    """Return all profiles that `user` may use; saved profiles that are no longer valid are left out."""
    site = site_profiles()
    saved = SavedProfile.objects.filter(user=user) if user is not None else ()
    return replace(site, own={one.name: one for one in map(profile_of, saved) if one and not site.get(one.name)})


def profile_of(saved: SavedProfile) -> ResearchProfile | None:
    """Return a saved profile; None when a newer version of Scholium no longer accepts it."""
    try:
        return ResearchProfile.model_validate({**saved.config, "name": saved.name})
    except ValidationError:
        return None


def resolve(
    *,
    profile: str = "",
    mode: str = "",
    project_default: str = "",
    overrides: Mapping[str, Any] | None = None,
    user: User | None = None,
) -> tuple[ResearchProfile, list[str]]:
    """Return the profile that a run of `user` gets and the warnings to show with it, in the order of R2.

    An explicit `profile` wins, then the legacy `mode`, the project's default, the site's default; `overrides` apply on
    top, as in `with_keys`. A local-only profile stays local. Raises Refused for an unknown name or key, listing those
    available, and for an invalid value.
    """
    warnings = []
    if mode:
        if mode not in MODES:
            raise Refused(f"Unknown research mode “{mode}”. Available: {', '.join(MODES)}.", field="mode")
        also = f" The profile “{profile}” was used." if profile else f" Use the profile “{mode}” instead."
        warnings.append(f"research_mode is deprecated.{also}")
    chosen = known_profiles(user).named(profile or mode or project_default or settings.RESEARCH_DEFAULT_PROFILE)
    if overrides:
        changed = with_keys(chosen, overrides)
        if chosen.is_local_only and changed.providers != chosen.providers:
            changed = changed.model_copy(update={"providers": (LIBRARY,)})
            warnings.append(f"“{chosen.name}” contacts no other services, so the providers of this run are ignored.")
        chosen = changed
    return chosen, warnings


MOST = 50  # profiles per person


def make_profile(user: User, name: str, *, base: str, keys: Mapping[str, Any]) -> ResearchProfile:
    """Return the profile called `base` with the values of `keys`, under a new `name`; nothing is saved yet.

    Raises Refused for a name that is invalid or that a built-in or site profile has, for an unknown `base`, and for
    keys that `with_keys` refuses or that would let a local-only profile use other services.
    """
    name = " ".join(name.split())
    check_free(name)
    start = known_profiles(user).named(base)
    return kept_local(start, with_keys(start.model_copy(update={"name": name}), keys))


def check_free(name: str) -> None:
    """Raise Refused for an invalid profile name, and for the name of a built-in or site profile."""
    if not name:
        raise Refused("Give the profile a name.", field="name")
    check_name(name)
    if name.casefold() in {FOR_A_SENTENCE, *(profile.name.casefold() for profile in site_profiles())}:
        raise Refused(f"“{name}” is a built-in or site profile. Choose another name.", field="name")


def save_profile(user: User, profile: ResearchProfile, *, instead_of: str = "") -> bool:
    """Save `profile` for `user` under its name, replacing the profile of that name or `instead_of`.

    Returns whether it is a new one. Raises Refused above the maximum number, and when renaming to a name that is taken.
    """
    with transaction.atomic():
        mine = {saved.name: saved for saved in SavedProfile.objects.select_for_update().filter(user=user)}
        if instead_of and instead_of != profile.name and profile.name in mine:
            raise Refused(f"You already have a profile called “{profile.name}”.", field="name")
        saved = mine.get(instead_of or profile.name)
        if saved is None and len(mine) >= MOST:
            raise Refused(f"You have {MOST} profiles, the maximum. Delete one first.", field="name")
        kept = saved or SavedProfile(user=user)
        kept.name, kept.config = profile.name, profile.model_dump(mode="json", exclude={"name"})
        kept.save()
        return saved is None
