"""Data and checks for saving by script: the state that a page starts from, and whose window it is (SPEC T2)."""

from typing import Any
from uuid import UUID

from django.urls import reverse
from ninja import Header

from core.errors import Refused
from projects.models import User
from projects.signed_in_request import PersonRequest
from sections.models import Section, SectionVersion

PERSON: Any = Header(  # type: ignore[type-arg]
    None,
    alias="X-Person",
    description="The id of the person who wrote. The request is refused if somebody else is signed in by now.",
)
PREFER: Any = Header(  # type: ignore[type-arg]
    None, alias="Prefer", description="return=minimal omits the text from the answer."
)


def page_state(section: Section, user: User) -> dict[str, Any]:
    """Return the data of the page of `section` for static/src/keep-safe.ts: the text, and the address to save it."""
    return {
        "id": str(section.pk),
        "version": section.version,
        "latex": section.latex,
        "words": section.words,
        "saved": section.updated_at.isoformat() if section.version else None,
        "save": reverse("api-1:save", args=[section.pk]),
        "user": str(user.pk),
        "login": reverse("account_login"),
    }


def check_person(request: PersonRequest, person: UUID | None) -> None:
    """Raise Refused if the window that sent the request was opened by a person other than the one signed in now."""
    if person is not None and person != request.user.pk:
        raise Refused(
            "Somebody else has signed in in this browser in the meantime. Nothing was saved under their name.",
            code="someone_else",
            status=409,
        )


def savers_since(section: Section, version: int, user: User) -> list[str]:
    """Return the names of the people other than `user` who have saved `section` since `version`. Takes one query."""
    rows = section.versions.filter(version__gt=version).exclude(kind=SectionVersion.Kind.KEPT).exclude(saved_by=user)
    found = rows.exclude(saved_by=None).order_by("version").values_list("saved_by__name", "saved_by__email")
    return list(dict.fromkeys(name or email for name, email in found))
