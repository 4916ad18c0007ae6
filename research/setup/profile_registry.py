"""Which profiles there are: built in, the site's, a person's own; and which of them a run gets (SPEC R1, R2).

The site's stand in the setting RESEARCH_PROFILES, a JSON object of names, each with the keys to set: of a built-in
it changes these keys, a new name begins as `general`. RESEARCH_CITATION_STYLE is the style of the built-ins that
name none. A setting that is wrong is said at start (research/settings_checks.py) and left out; no page fails for it.
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
from projects.models import User
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
    """Profiles by name. A name is looked for among the built-in ones first, last among a person's own. `faults` has a
    sentence on each setting that is wrong.
    """

    built_in: Mapping[str, ResearchProfile]
    site: Mapping[str, ResearchProfile]
    faults: tuple[str, ...]
    own: Mapping[str, ResearchProfile] = field(default_factory=dict)

    def get(self, name: str) -> ResearchProfile | None:
        return self.built_in.get(name) or self.site.get(name) or self.own.get(name)

    def named(self, name: str) -> ResearchProfile:
        """Return the profile of that name. Raises Refused where there is none, listing the known ones."""
        if (found := self.get(name)) is None:
            groups = (("", self.built_in), ("; of this site: ", self.site), ("; your own: ", self.own))
            known = "".join(said + ", ".join(names) for said, names in groups if names)
            raise Refused(f"No profile is called “{name}”. Known: {known}.", field="profile")
        return found

    def __iter__(self) -> Iterator[ResearchProfile]:
        return chain(self.built_in.values(), self.site.values(), self.own.values())


def site_profiles() -> Profiles:
    """Return those that are nobody's own, with the settings as they are now."""
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
        faults.append('RESEARCH_PROFILES is a JSON object of names: {"rapid": {"citation_style": "ieee"}}.')
    for name, keys in given.items():
        try:
            (built_in if name in built_in else own)[name] = _of_site(built_in, name, keys)
        except Refused as refused:
            faults.append(f"RESEARCH_PROFILES, profile “{name}”: {refused.message}")
    return Profiles(built_in, own, tuple(faults))


def _of_site(built_in: Mapping[str, ResearchProfile], name: str, keys: Any) -> ResearchProfile:
    check_name(name)
    if not isinstance(keys, dict):
        raise Refused('Its keys stand in a JSON object: {"citation_style": "ieee"}.')
    base = built_in.get(name) or built_in["general"].model_copy(update={"name": name})
    return kept_local(base, with_keys(base, keys))


def check_name(name: str) -> None:
    """Raise Refused for what is no name of a profile."""
    if not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise Refused(
            f"The name of a profile has at most {LONGEST_NAME} characters: letters, digits, spaces, dots and hyphens.",
            field="name",
        )


def known_profiles(user: User | None = None) -> Profiles:
    """Return all profiles there are for `user`; of the person's own those that can be used."""
    site = site_profiles()
    saved = SavedProfile.objects.filter(user=user) if user is not None else ()
    return replace(site, own={one.name: one for one in map(profile_of, saved) if one and not site.get(one.name)})


def profile_of(saved: SavedProfile) -> ResearchProfile | None:
    """Return the profile that was saved; None when Scholium has changed so that it is none any more."""
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
    """Return the profile a run of `user` gets and the warnings to show with it, in the order of R2.

    An explicit `profile`, else the legacy `mode`, else the project's default, else the site's; `overrides`
    apply on top, as in `replace_keys`. What is local-only stays so. Raises Refused for an unknown name or key, listing
    the known ones, and for a value the key does not take.
    """
    warnings = []
    if mode:
        if mode not in MODES:
            raise Refused(f"No research mode is called “{mode}”. Known: {', '.join(MODES)}.", field="mode")
        also = f" The profile “{profile}” was used." if profile else f" Use the profile “{mode}” instead."
        warnings.append(f"research_mode is deprecated.{also}")
    chosen = known_profiles(user).named(profile or mode or project_default or settings.RESEARCH_DEFAULT_PROFILE)
    if overrides:
        changed = with_keys(chosen, overrides)
        if chosen.is_local_only and changed.providers != chosen.providers:
            changed = changed.model_copy(update={"providers": (LIBRARY,)})
            warnings.append(f"“{chosen.name}” asks nobody elsewhere, so the providers named for this run are left out.")
        chosen = changed
    return chosen, warnings


MOST = 50  # of one person


def make_profile(user: User, name: str, *, base: str, keys: Mapping[str, Any]) -> ResearchProfile:
    """Return the profile called `base` with the values of `keys`, under a new `name`; nothing is kept yet.

    Raises Refused for a name that is taken by a built-in or the site's profile or is none, for an unknown `base`, and
    for keys that `replace_keys` refuses or that would let what is local-only ask somebody elsewhere.
    """
    name = " ".join(name.split())
    check_free(name)
    start = known_profiles(user).named(base)
    return kept_local(start, with_keys(start.model_copy(update={"name": name}), keys))


def check_free(name: str) -> None:
    """Raise Refused for what is no name of a profile, and for one that is built in or the site's."""
    if not name:
        raise Refused("Give the profile a name.", field="name")
    check_name(name)
    if name.casefold() in {FOR_A_SENTENCE, *(profile.name.casefold() for profile in site_profiles())}:
        raise Refused(f"“{name}” is a profile of everybody's. Choose another name.", field="name")


def keep(user: User, profile: ResearchProfile, *, instead_of: str = "") -> bool:
    """Keep `profile` for `user` under its name, which replaces what was kept there or under `instead_of`.

    Whether it is a new one. Raises Refused for one too many, and for a new name that another one has.
    """
    with transaction.atomic():
        mine = {saved.name: saved for saved in SavedProfile.objects.select_for_update().filter(user=user)}
        if instead_of and instead_of != profile.name and profile.name in mine:
            raise Refused(f"You have a profile called “{profile.name}” already.", field="name")
        saved = mine.get(instead_of or profile.name)
        if saved is None and len(mine) >= MOST:
            raise Refused(f"You have {MOST} profiles, which is the most. Delete one first.", field="name")
        kept = saved or SavedProfile(user=user)
        kept.name, kept.config = profile.name, profile.model_dump(mode="json", exclude={"name"})
        kept.save()
        return saved is None
