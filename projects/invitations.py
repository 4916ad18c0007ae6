"""Invitations to a thesis by e-mail, for people with or without an account (SPEC T1, P3).

An invitation is for the address it was sent to. Only a user signed in with that address can accept it; anybody else
with the link sees the title of the thesis, who invites and the role. Pages never reveal who has an account. Only the
hash of a link is stored, so a link is shown once; sending again creates a new link and ends the old one.

Where mail is set up, a user who has not confirmed their own address can invite, but neither mail nor link goes out
until they confirm it.
"""

import secrets
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any
from uuid import UUID

from allauth.account.models import EmailAddress
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Q, QuerySet
from django.template.loader import render_to_string
from django.utils import timezone

from core.errors import Refused
from core.storable_text import check_storable
from projects import mail, rate_limits
from projects.models import ApiToken, Invitation, Membership, Project, User

LONGEST_ADDRESS = 254
MOST_OPEN = 50  # open invitations to one thesis
LASTS = timedelta(days=14)  # an invitation can be accepted
AGAIN_AFTER = timedelta(minutes=1)  # between two mails to one address
MOST_OPEN_BY = 100  # open invitations by one user, over all theses
MOST_WAITING = 10  # unsent until the sender confirms their address; all are sent while the confirmation page loads


def invite(project: Project, email: str, role: str, by: User) -> tuple[Invitation, str]:
    """Invite `email` as `role` and return the invitation with the token of its link, which is not stored.

    An expired invitation of the same address is replaced. Raises Refused for a role that cannot be given, for a
    member, for an address already invited, and beyond `MOST_OPEN`, `MOST_OPEN_BY` and the daily limits.
    """
    check_storable(email, "email")
    Membership.check_assignable(role)
    email = email.strip().lower()
    if len(email) > LONGEST_ADDRESS:
        raise Refused(f"An e-mail address has at most {LONGEST_ADDRESS} characters.", field="email")
    with Project.objects.held(project.pk):
        if project.memberships.filter(user__email=email).exists():
            raise Refused(f"{email} is already a member. Change the role in the list.", field="email", code="member")
        waiting = project.invitations.filter(accepted_at=None)
        waiting.filter(email=email, expires_at__lte=timezone.now()).delete()
        if waiting.filter(email=email).exists():
            raise Refused(
                f"{email} is already invited. Send the invitation again, or withdraw it first to give another role.",
                field="email",
                code="invited",
            )
        if waiting.count() >= MOST_OPEN:
            raise Refused(
                f"This thesis has {MOST_OPEN} open invitations, which is the limit. Withdraw one first.",
                field="email",
                code="too_many",
            )
        _check_open_by(by)
        _count(email, by)
        token = secrets.token_urlsafe(32)
        invitation: Invitation = project.invitations.create(
            email=email,
            role=role,
            digest=ApiToken.digest_of(token),
            made_by=by,
            expires_at=timezone.now() + LASTS,
            mail_waits=has_to_wait(by),
        )
    return invitation, token


def has_to_wait(by: User) -> bool:
    """Return whether invitations by `by` wait: mail is set up, but their own address is not confirmed."""
    return mail.is_set_up() and not has_confirmed(by)


def has_confirmed(user: User) -> bool:
    """Return whether `user` has confirmed the address they sign in with."""
    return bool(EmailAddress.objects.filter(user=user, email=user.email.lower(), verified=True).exists())


def _check_open_by(by: User) -> None:
    User.objects.select_for_update(no_key=True).get(pk=by.pk)
    mine = Invitation.objects.filter(made_by=by, accepted_at=None, expires_at__gt=timezone.now())
    if mine.count() >= MOST_OPEN_BY:
        raise Refused(
            f"You have {MOST_OPEN_BY} open invitations over all your theses, which is the limit. Withdraw one first.",
            field="email",
            code="too_many",
        )
    if has_to_wait(by) and mine.filter(mail_waits=True).count() >= MOST_WAITING:
        raise Refused(
            f"{MOST_WAITING} of your invitations have not been sent yet. Confirm your own e-mail address to send them.",
            field="email",
            code="too_many",
        )


def _count(email: str, by: User) -> None:
    """Count an invitation, even if it is withdrawn later. Raises Refused beyond the limits."""
    rate_limits.check(
        rate_limits.INVITATIONS_TO, by.pk, email, said=f"You have invited {email} several times.", field="email"
    )
    rate_limits.check(rate_limits.INVITATIONS, by.pk, said="You have sent many invitations today.", field="email")


def renew(invitation: Invitation, by: User) -> str:
    """Return the token of a new link for an open invitation. The old link ends, and the expiry date starts again.

    Raises Refused if the invitation was accepted, or created or renewed less than `AGAIN_AFTER` ago.
    """
    now, token = timezone.now(), secrets.token_urlsafe(32)
    if invitation.accepted_at:
        raise Refused("This invitation has already been accepted.", code="accepted")
    fresh = {
        "digest": ApiToken.digest_of(token),
        "made_at": now,
        "made_by": by,
        "expires_at": now + LASTS,
        "mail_waits": has_to_wait(by),
    }
    due = Invitation.objects.filter(pk=invitation.pk, accepted_at=None, made_at__lte=now - AGAIN_AFTER)
    if due.exists():
        _count(invitation.email, by)
    if not due.update(**fresh):
        raise Refused("This invitation was sent less than a minute ago. Try again in a moment.", code="too_soon")
    invitation.refresh_from_db()
    return token


def send(invitation: Invitation, link: str) -> mail.MailOutcome:
    """Mail `link` to the invited address and return the outcome. A waiting invitation is not sent."""
    if invitation.mail_waits:
        return mail.MailOutcome.WAITS
    body = render_to_string(
        "projects/invitation_mail.txt",
        {"invitation": invitation, "link": link, "role": invitation.get_role_display().lower()},
    )
    subject = " ".join(f"Scholium: {invitation.made_by or 'Somebody'} invites you to a thesis".split())
    return mail.send(EmailMessage(subject, body, to=[invitation.email]))


def send_waiting(user: User, link_to: Callable[[str], str]) -> tuple[int, int]:
    """Send the invitations that waited for `user` to confirm their address; return how many were sent and are left.

    `link_to` makes the link of a token. Each invitation gets a new token, since the first was never shown. Stops at
    the first mail that fails, so that a broken mail server is not waited for again.
    """
    sent, now = 0, timezone.now()
    waiting = _rows().filter(made_by=user, mail_waits=True, accepted_at=None, expires_at__gt=now)
    for invitation in waiting:
        token = secrets.token_urlsafe(32)
        Invitation.objects.filter(pk=invitation.pk).update(digest=ApiToken.digest_of(token))
        invitation.mail_waits = False
        if send(invitation, link_to(token)) != mail.MailOutcome.SENT:
            break
        Invitation.objects.filter(pk=invitation.pk).update(mail_waits=False)
        sent += 1
    return sent, waiting.count()


def find(token: str) -> Invitation | None:
    """Return the invitation whose link has `token`, in any state; None if it was withdrawn or sent again."""
    return _rows().filter(digest=ApiToken.digest_of(token)).first()


def addressed_to(user: User, opened: Iterable[str] = ()) -> "QuerySet[Invitation]":
    """Return the open invitations to the address of `user`, newest first.

    Only if the address is known to be theirs: they confirmed it, or `opened` the link (ids of invitations). Anybody
    can create an account with somebody else's address, so the account alone proves nothing.
    """
    return _rows().filter(
        Q() if has_confirmed(user) else Q(pk__in=list(opened)),
        email=user.email.lower(),
        accepted_at=None,
        expires_at__gt=timezone.now(),
    )


def is_for(invitation: Invitation, user: Any) -> bool:
    """Return whether `user` is signed in with the address `invitation` was sent to."""
    return bool(user.is_authenticated and user.email.lower() == invitation.email.lower())


def accept(invitation_id: UUID, user: User) -> Membership:
    """Make `user` a member with the role of the invitation. An existing member keeps their role.

    Raises Refused if the invitation is for another address, or was withdrawn, accepted or has expired.
    """
    with transaction.atomic():
        invitation = _open(invitation_id, user)
        membership, _ = Membership.objects.get_or_create(
            project=invitation.project, user=user, defaults={"role": invitation.role}
        )
        invitation.accepted_at, invitation.accepted_by = timezone.now(), user
        invitation.save(update_fields=["accepted_at", "accepted_by"])
    return membership


def decline(invitation_id: UUID, user: User) -> None:
    """Delete the invitation; the address can be invited again. Raises the same errors as `accept`."""
    with transaction.atomic():
        _open(invitation_id, user).delete()


def _open(invitation_id: UUID, user: User) -> Invitation:
    invitation: Invitation | None = _rows().select_for_update(of=("self",)).filter(pk=invitation_id).first()
    if invitation is None:
        raise Refused("This invitation was withdrawn.", code="gone", status=404)
    if not is_for(invitation, user):
        raise Refused("This invitation was sent to a different address than yours.", code="not_yours", status=403)
    if invitation.accepted_at:
        raise Refused("This invitation has already been accepted.", code="accepted")
    if invitation.expires_at <= timezone.now():
        raise Refused("This invitation has expired. Ask the person who invited you to send it again.", code="expired")
    return invitation


def _rows() -> "QuerySet[Invitation]":
    return Invitation.objects.select_related("project", "made_by")
