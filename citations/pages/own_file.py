"""What a person says of an uploaded file that is cited, and why a retracted work is (SPEC C2, C11)."""

from uuid import UUID

from django.http import HttpResponse
from django.views.decorators.http import require_POST

from citations.changing.own_files import Description, cite_as_file, describe_file, identify_file
from citations.pages.reference import done, find
from citations.retraction import explain_retraction, withdraw_retraction_reason
from projects.requests import PersonRequest


@require_POST
def retraction(request: PersonRequest, project_id: UUID, citation_id: UUID) -> HttpResponse:
    """Say why a retracted work is cited."""
    found = find(request, project_id, citation_id, "attest")
    reason = request.POST.get("reason", "")
    return done(request, found, lambda who: explain_retraction(found, who, reason), "Saved.", {"reason": reason})


@require_POST
def withdraw_reason(request: PersonRequest, project_id: UUID, citation_id: UUID) -> HttpResponse:
    """Take back why a retracted work is cited."""
    found = find(request, project_id, citation_id, "attest")
    said = "The reason is withdrawn. The final export waits for another one."
    return done(request, found, lambda _: withdraw_retraction_reason(found), said)


@require_POST
def describe(request: PersonRequest, project_id: UUID, citation_id: UUID) -> HttpResponse:
    """Say who wrote the file and what it is called."""
    found = find(request, project_id, citation_id, "write")
    given = {name: request.POST.get(name, "") for name in Description._fields}
    return done(request, found, lambda _: describe_file(found, Description(**given)), "Saved.", given)


@require_POST
def identify(request: PersonRequest, project_id: UUID, citation_id: UUID) -> HttpResponse:
    """Say which published work the file is, and have it looked up."""
    found = find(request, project_id, citation_id, "write")
    text = request.POST.get("identifier", "")
    said = "It is being looked up."
    return done(request, found, lambda who: identify_file(found, text, who), said, {"identifier": text})


@require_POST
def as_file(request: PersonRequest, project_id: UUID, citation_id: UUID) -> HttpResponse:
    """Cite the file as such again."""
    found = find(request, project_id, citation_id, "write")
    return done(request, found, lambda _: cite_as_file(found), "It is cited as your own file.")
