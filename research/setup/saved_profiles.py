"""Profiles that a person keeps under names of their own (SPEC R2)."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from core.errors import Refused
from projects.models import User
from research.models import SavedProfile
from research.setup.known_profiles import check_name, known_profiles, site_profiles
from research.setup.profiles import FOR_A_SENTENCE, ResearchProfile, kept_local, with_keys

MOST = 50  # of one person


def make_profile(user: User, name: str, *, base: str, keys: Mapping[str, Any]) -> ResearchProfile:
    """The profile called `base` with the values of `keys`, under a new `name`; nothing is kept yet.

    Raises Refused for a name that is taken by a built-in or the site's profile or is none, for an unknown `base`, and
    for keys that `with_keys` refuses or that would let what is local-only ask somebody elsewhere.
    """
    name = " ".join(name.split())
    check_free(name)
    known = known_profiles(user)
    start = known.get(base)
    if start is None:
        raise Refused(f"No profile is called “{base}”. Known: {known.listed()}.", field="profile")
    return kept_local(start, with_keys(start.model_copy(update={"name": name}), keys))


def check_free(name: str) -> None:
    """Raise Refused for what is no name of a profile, and for one that is built in or the site's."""
    if not name:
        raise Refused("Give the profile a name.", field="name")
    check_name(name)
    site = site_profiles()
    if name.casefold() in {taken.casefold() for taken in (*site.built_in, *site.own, FOR_A_SENTENCE)}:
        raise Refused(f"“{name}” is a profile of everybody's. Choose another name.", field="name")


def keep(user: User, profile: ResearchProfile, *, instead_of: str = "") -> bool:
    """Keep `profile` for `user` under its name, which replaces what was kept there or under `instead_of`.

    Whether it is a new one. Raises Refused for one too many, and for a new name that another one has.
    """
    config = profile.model_dump(mode="json", exclude={"name"})
    with transaction.atomic():
        mine = {saved.name: saved for saved in SavedProfile.objects.select_for_update().filter(user=user)}
        if instead_of and instead_of != profile.name and profile.name in mine:
            raise Refused(f"You have a profile called “{profile.name}” already.", field="name")
        saved = mine.get(instead_of or profile.name)
        if saved is None and len(mine) >= MOST:
            raise Refused(f"You have {MOST} profiles, which is the most. Delete one first.", field="name")
        if saved is None:
            SavedProfile.objects.create(user=user, name=profile.name, config=config)
            return True
        saved.name, saved.config = profile.name, config
        saved.save(update_fields=["name", "config"])
        return False
