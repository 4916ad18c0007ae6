"""What saving by script needs beside the text: where a page starts from, and whose window it is (SPEC T2)."""

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
    description="The id of the person who wrote. Another one who has signed in in the same browser since is refused.",
)
PREFER: Any = Header(  # type: ignore[type-arg]
    None, alias="Prefer", description="return=minimal leaves the text out of the answer."
)


def page_state(section: Section, user: User) -> dict[str, Any]:
    """Return what the page of `section` hands to static/src/keep-safe.ts: the text it shows, and where it is saved."""
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
    """Raise Refused when the window that sent this was opened by somebody else than who is signed in now."""
    if person is not None and person != request.user.pk:
        raise Refused(
            "Somebody else has signed in in this browser since. Nothing was saved under their name.",
            code="someone_else",
            status=409,
        )


def savers_since(section: Section, version: int, user: User) -> list[str]:
    """Return the names of who has saved `section` since `version`, without `user`, each once; one query."""
    rows = section.versions.filter(version__gt=version).exclude(kind=SectionVersion.Kind.KEPT).exclude(saved_by=user)
    found = rows.exclude(saved_by=None).order_by("version").values_list("saved_by__name", "saved_by__email")
    return list(dict.fromkeys(name or email for name, email in found))
