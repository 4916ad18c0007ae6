"""/api/projects: members of a thesis, invitations to it, and your own invitations (SPEC T1, P3, P4)."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.shortcuts import get_object_or_404
from ninja import Router, Schema, Status
from pydantic import AliasPath, Field

from core.errors import Refused
from core.storable_text import check_storable
from projects import invitations
from projects.access import Act, get_project
from projects.mail import MailOutcome
from projects.models import Invitation, Membership
from projects.signed_in_request import PersonRequest
from projects.views import open_invitations, send_and_report

router = Router(tags=["Projects"])


class MemberOut(Schema):
    """A member of a thesis. `role` is owner, editor, supervisor or reader."""

    user_id: UUID
    name: str = Field(validation_alias=AliasPath("user", "name"))
    email: str = Field(validation_alias=AliasPath("user", "email"))
    role: str


class MemberIn(Schema):
    """A person to invite: an `email`, with or without an account, and a `role`: editor, supervisor or reader."""

    email: str
    role: str


class RoleIn(Schema):
    """The new `role` of a member: editor, supervisor or reader."""

    role: str


class InvitationOut(Schema):
    """An open invitation of an address, valid until `expires_at`."""

    id: UUID
    email: str
    role: str
    made_at: datetime
    expires_at: datetime


class InvitationSent(InvitationOut):
    """An invitation that was just sent. `link` is shown only this once.

    `mailed`: whether the mail server accepted the mail. `mail`: its outcome: sent; unsure (the server did not answer
    in time); failed or not_set_up (pass the link on yourself); waits (until you confirm your own address; `link` is
    empty).
    """

    link: str
    mailed: bool
    mail: str


class InvitedOut(Schema):
    """An invitation to yourself."""

    id: UUID
    title: str = Field(validation_alias=AliasPath("project", "title"))
    role: str
    invited_by: str
    expires_at: datetime

    @staticmethod
    def resolve_invited_by(row: Invitation) -> str:
        """Return the name of the inviting user, or "" if the account is gone."""
        return str(row.made_by or "")


class InvitedIn(Schema):
    """The `invitation` to answer: the last part of its link, or its id from `/projects/invited`."""

    invitation: str


class Joined(Schema):
    """The thesis you joined, and your role in it."""

    project_id: UUID
    role: str


@router.get("/{uuid:project_id}/members", response=list[MemberOut], summary="List the members of a thesis")
def members(request: PersonRequest, project_id: UUID) -> list[Membership]:
    """List the members of a thesis."""
    return list(get_project(request.user, project_id).memberships.select_related("user").order_by("pk"))


@router.post("/{uuid:project_id}/members", response={201: InvitationSent}, summary="Invite somebody as a member")
def invite(request: PersonRequest, project_id: UUID, payload: MemberIn) -> Status[Any]:
    """The person becomes a member once they accept. The response is the same with or without an account."""
    project = get_project(request.user, project_id, "own")
    check_storable(payload.email, "email")
    try:
        validate_email(payload.email.strip())
    except ValidationError:
        raise Refused("This is not a valid e-mail address.", field="email") from None
    return Status(201, _sent(request, *invitations.invite(project, payload.email, payload.role, request.user)))


@router.put("/{uuid:project_id}/members/{uuid:user_id}", response=MemberOut, summary="Change a member's role")
def change_role(request: PersonRequest, project_id: UUID, user_id: UUID, payload: RoleIn) -> Membership:
    """Change a member's role."""
    membership = get_object_or_404(get_project(request.user, project_id, "own").memberships, user_id=user_id)
    membership.change_role(payload.role)
    return membership


@router.delete("/{uuid:project_id}/members/{uuid:user_id}", response={204: None}, summary="Remove a member, or leave")
def end(request: PersonRequest, project_id: UUID, user_id: UUID) -> Status[Any]:
    """The owner can remove every other member; everyone else can only leave."""
    act: Act = "read" if user_id == request.user.pk else "own"
    get_object_or_404(get_project(request.user, project_id, act).memberships, user_id=user_id).end()
    return Status(204, None)


@router.get(
    "/{uuid:project_id}/invitations", response=list[InvitationOut], summary="List the open invitations to a thesis"
)
def waiting(request: PersonRequest, project_id: UUID) -> list[Invitation]:
    """List the open invitations to a thesis."""
    return list(get_project(request.user, project_id, "own").invitations.filter(accepted_at=None))


@router.post("/{uuid:project_id}/invitations/{uuid:invitation_id}", response=InvitationSent, summary="Send again")
def send_again(request: PersonRequest, project_id: UUID, invitation_id: UUID) -> dict[str, Any]:
    """Creates a new link, valid as long as a new invitation. The old link no longer works."""
    found = get_object_or_404(get_project(request.user, project_id, "own").invitations, pk=invitation_id)
    return _sent(request, found, invitations.renew(found, request.user))


@router.delete("/{uuid:project_id}/invitations/{uuid:invitation_id}", response={204: None}, summary="Withdraw")
def take_back(request: PersonRequest, project_id: UUID, invitation_id: UUID) -> Status[Any]:
    """Withdraw an open invitation."""
    get_object_or_404(get_project(request.user, project_id, "own").invitations, pk=invitation_id).delete()
    return Status(204, None)


@router.get("/invited", response=list[InvitedOut], summary="List the open invitations to you")
def invited(request: PersonRequest) -> list[Invitation]:
    """Lists the invitations to your address once it is confirmed. Before, answer with the last part of the link."""
    return list(open_invitations(request))


@router.post("/invited/accept", response=Joined, summary="Accept an invitation")
def accept(request: PersonRequest, payload: InvitedIn) -> Membership:
    """Accept an invitation."""
    return invitations.accept(_id(request, payload.invitation), request.user)


@router.post("/invited/decline", response={204: None}, summary="Decline an invitation")
def decline(request: PersonRequest, payload: InvitedIn) -> Status[Any]:
    """Decline an invitation."""
    invitations.decline(_id(request, payload.invitation), request.user)
    return Status(204, None)


def _id(request: PersonRequest, named: str) -> UUID:
    if found := invitations.find(named.strip()):
        return found.id
    listed: dict[str, UUID] = {str(row.pk): row.pk for row in open_invitations(request)}
    if named.strip() not in listed:
        raise Refused("No such invitation. It was withdrawn, or sent again with a new link.", status=404)
    return listed[named.strip()]


def _sent(request: PersonRequest, found: Invitation, token: str) -> dict[str, Any]:
    told = send_and_report(request, found, token)
    return {
        **InvitationOut.from_orm(found).dict(),
        "link": told["link"],
        "mailed": told["mailed"] == MailOutcome.SENT,
        "mail": told["mailed"],
    }
