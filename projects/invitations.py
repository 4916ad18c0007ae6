"""Inviting people into a thesis by e-mail, whether or not they have an account (SPEC T1, P3).

An invitation is for the address it was sent to: who holds the link and is signed in with that address takes it up, whoever else
holds it only learns the thesis' title, who invites and as what. Nobody is told who has an account. Only the hash of a link is
kept, so that a link is shown once; sending again makes a new one, and the old one ends.
"""

import hashlib
import logging
import secrets
from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from uuid import UUID

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.template.loader import render_to_string
from django.utils import timezone

from projects.errors import Refused
from projects.models import Invitation, Membership, Project, User
from projects.text import check_storable

LONGEST_ADDRESS = 254
MOST_OPEN = 50  # invitations of one thesis that nobody has taken up yet
AGAIN_AFTER = timedelta(minutes=1)  # between two mails to one address
MAIL_PATIENCE = 5  # seconds a mail server has; the page waits for it

log = logging.getLogger("scholium.invitations")
_NO_MAIL = ("console", "dummy")  # backends that bring nothing to anybody


def invite(project: Project, email: str, role: str, by: User) -> tuple[Invitation, str]:
    """An invitation of `email` as `role`: the row, and the token of its link, which is kept nowhere.

    An earlier one that ran out is replaced. Raises Refused for a role nobody can be given, a member, somebody who is
    invited already, and beyond `MOST_OPEN`.
    """
    check_storable(email, "email")
    Membership.check_granted(role)
    email = email.strip().lower()
    if len(email) > LONGEST_ADDRESS:
        raise Refused(f"An e-mail address has at most {LONGEST_ADDRESS} characters.", field="email")
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        if project.memberships.filter(user__email__iexact=email).exists():
            raise Refused(f"{email} is already a member. Change the role in the list.", field="email", code="member")
        waiting = project.invitations.filter(accepted_at=None)
        waiting.filter(email=email, expires_at__lte=timezone.now()).delete()
        if waiting.filter(email=email).exists():
            raise Refused(
                f"{email} is invited already. Send it again, or take it back first to give another role.",
                field="email",
                code="invited",
            )
        if waiting.count() >= MOST_OPEN:
            raise Refused(
                f"{MOST_OPEN} invitations are waiting for an answer, which is the most a thesis can have. "
                "Take one back first.",
                field="email",
                code="too_many",
            )
        token = secrets.token_urlsafe(32)
        invitation: Invitation = project.invitations.create(
            email=email, role=role, digest=_digest(token), made_by=by, expires_at=timezone.now() + Invitation.LASTS
        )
    return invitation, token


def renew(invitation: Invitation, by: User) -> str:
    """A new link for an open invitation, which lasts as long as a new one: its token. The old link ends.

    Raises Refused when it was taken up, or made or renewed less than `AGAIN_AFTER` ago.
    """
    now, token = timezone.now(), secrets.token_urlsafe(32)
    if invitation.accepted_at:
        raise Refused("This invitation was accepted already.", code="accepted")
    fresh = {"digest": _digest(token), "made_at": now, "made_by": by, "expires_at": now + Invitation.LASTS}
    due = Invitation.objects.filter(pk=invitation.pk, accepted_at=None, made_at__lte=now - AGAIN_AFTER)
    if not due.update(**fresh):
        raise Refused("This invitation went out less than a minute ago. Try again in a moment.", code="too_soon")
    invitation.refresh_from_db()
    return token


def send(invitation: Invitation, link: str) -> bool:
    """Mail `link` to the person invited. False when it did not go out: this server sends no mail, or its mail server fails."""
    if settings.EMAIL_BACKEND.rpartition(".")[0].endswith(_NO_MAIL):
        return False
    words = {"invitation": invitation, "link": link, "role": invitation.get_role_display().lower()}
    body = render_to_string("projects/invitation_mail.txt", words)
    subject = " ".join(f"Scholium: {invitation.made_by or 'Somebody'} invites you to a thesis".split())
    try:
        patience: dict[str, Any] = {"timeout": MAIL_PATIENCE} if "smtp" in settings.EMAIL_BACKEND else {}
        connection = get_connection(**patience)
        return bool(EmailMessage(subject, body, to=[invitation.email], connection=connection).send())
    except (OSError, ValueError) as error:  # smtplib's own errors are OSErrors; ValueError: no address a mail can have
        log.warning("The mail of invitation %s did not go out: %s", invitation.pk, type(error).__name__)
        return False


def find(token: str) -> Invitation | None:
    """The invitation whose link has `token`, whatever became of it; None when it was taken back or sent anew."""
    found: Invitation | None = _rows().filter(digest=_digest(token)).first()
    return found


def addressed_to(user: User, opened: Iterable[str] = ()) -> "QuerySet[Invitation]":
    """The invitations that are open for the address of `user`, newest first.

    Only where it is known to be theirs: they confirmed the address, or have `opened` the link (ids of invitations). An
    account can be made with anybody's address, so having one proves nothing.
    """
    own: Q = Q(pk__in=list(opened))
    if EmailAddress.objects.filter(user=user, email__iexact=user.email, verified=True).exists():
        own |= Q(email__iexact=user.email)
    now = timezone.now()
    return _rows().filter(own, email__iexact=user.email, accepted_at=None, expires_at__gt=now)


def is_for(invitation: Invitation, user: Any) -> bool:
    """Whether `user` is signed in with the address `invitation` was sent to."""
    return bool(user.is_authenticated and user.email.casefold() == invitation.email.casefold())


def accept(invitation_id: UUID, user: User) -> Membership:
    """Make `user` a member as they were invited. Who is a member already stays what they are.

    Raises Refused when the invitation is for another address, was taken back, accepted, or ran out.
    """
    with transaction.atomic():
        invitation = _open(invitation_id, user)
        try:
            with transaction.atomic():
                membership, _ = Membership.objects.get_or_create(
                    project=invitation.project, user=user, defaults={"role": invitation.role}
                )
        except IntegrityError:  # made by another request in this moment
            membership = Membership.objects.get(project=invitation.project, user=user)
        invitation.accepted_at, invitation.accepted_by = timezone.now(), user
        invitation.save(update_fields=["accepted_at", "accepted_by"])
    return membership


def decline(invitation_id: UUID, user: User) -> None:
    """End the invitation. Raises as `accept`. The address can be invited again."""
    with transaction.atomic():
        _open(invitation_id, user).delete()


def _open(invitation_id: UUID, user: User) -> Invitation:
    invitation: Invitation | None = _rows().select_for_update(of=("self",)).filter(pk=invitation_id).first()
    if invitation is None:
        raise Refused("This invitation was taken back.", code="gone", status=404)
    if not is_for(invitation, user):
        raise Refused("This invitation is for another address than that of your account.", code="not_yours", status=403)
    if invitation.accepted_at:
        raise Refused("This invitation was accepted already.", code="accepted")
    if invitation.expires_at <= timezone.now():
        raise Refused("This invitation ran out. Ask who invited you to send it again.", code="expired")
    return invitation


def _rows() -> "QuerySet[Invitation]":
    rows: QuerySet[Invitation] = Invitation.objects.select_related("project", "made_by")
    return rows


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
