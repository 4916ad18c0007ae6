"""/api/research-profiles: list the available profiles, save and delete your own (SPEC R2)."""

from typing import Any
from uuid import UUID

from ninja import Router, Schema, Status

from core.errors import Refused
from projects.access import get_project
from projects.signed_in_request import PersonRequest
from research.models import SavedProfile
from research.setup.profile_registry import known_profiles, make_profile, save_profile, set_default_profile
from research.setup.profiles import ResearchProfile, sentence_of

router = Router(tags=["Research"])


class ProfileOut(Schema):
    """A profile with its keys. `of` is built-in, site or own. With a local-only one nothing leaves the machine."""

    name: str
    of: str
    sentence: str
    is_local_only: bool
    keys: dict[str, Any]


class ProfileIn(Schema):
    """A profile to save: a copy of the one named `profile` (built-in, the site's or your own) with `overrides`."""

    name: str
    profile: str = "general"
    overrides: dict[str, Any] = {}


class DefaultProfile(Schema):
    """The profile that research in a thesis starts with: built-in or of the site; "" for the default of the site."""

    profile: str


def _out(profile: ResearchProfile, of: str) -> dict[str, Any]:
    return {
        "name": profile.name,
        "of": of,
        "sentence": sentence_of(profile),
        "is_local_only": profile.is_local_only,
        "keys": profile.model_dump(mode="json", exclude={"name"}),
    }


@router.get("/research-profiles", response=list[ProfileOut], summary="List the profiles you can use, with their keys")
def list_profiles(request: PersonRequest) -> list[dict[str, Any]]:
    """List the profiles you can use, with their keys."""
    known = known_profiles(request.user)
    groups = (("built-in", known.built_in), ("site", known.site), ("own", known.own))
    return [_out(profile, of) for of, group in groups for profile in group.values()]


@router.post(
    "/research-profiles",
    response={200: ProfileOut, 201: ProfileOut},
    summary="Create a profile of your own, or update the one with that name",
)
def save(request: PersonRequest, given: ProfileIn) -> Status[dict[str, Any]]:
    """Create a profile of your own, or update the one with that name."""
    made = make_profile(request.user, given.name, base=given.profile, keys=given.overrides)
    return Status(201 if save_profile(request.user, made) else 200, _out(made, "own"))


@router.delete("/research-profiles/{name}", response={204: None}, summary="Delete one of your profiles")
def delete(request: PersonRequest, name: str) -> Status[None]:
    """Delete one of your profiles."""
    if not SavedProfile.objects.filter(user=request.user, name=name).delete()[0]:
        raise Refused(f"You have no profile called “{name}”.", code="not_found", field="name", status=404)
    return Status(204, None)


@router.get(
    "/projects/{uuid:project_id}/default-profile",
    response=DefaultProfile,
    summary="Get the profile that research in a thesis starts with",
)
def default_profile(request: PersonRequest, project_id: UUID) -> dict[str, str]:
    """Get the profile that research in a thesis starts with."""
    return {"profile": get_project(request.user, project_id).default_profile}


@router.put(
    "/projects/{uuid:project_id}/default-profile",
    response=DefaultProfile,
    summary="Set the profile that research in a thesis starts with",
)
def replace_default_profile(request: PersonRequest, project_id: UUID, given: DefaultProfile) -> dict[str, str]:
    """Set the profile that research in a thesis starts with."""
    project = get_project(request.user, project_id, "write")
    set_default_profile(project, given.profile)
    return {"profile": project.default_profile}
