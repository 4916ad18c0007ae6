"""Inviting people into a thesis by e-mail, whether or not they have an account (SPEC T1, P3).

An invitation is for the address it was sent to: who holds the link and is signed in with that address takes it up, whoever else
holds it only learns the thesis' title, who invites and as what. Nobody is told who has an account. Only the hash of a link is
kept, so that a link is shown once; sending again makes a new one, and the old one ends.

Where mail is set up, who has not confirmed the own address can invite, but nothing goes out yet: no mail, and no link.
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
MOST_OPEN = 50  # invitations of one thesis that nobody has taken up yet
AGAIN_AFTER = timedelta(minutes=1)  # between two mails to one address
MOST_OPEN_BY = 100  # the same, of one person over all theses
MOST_WAITING = 10  # for their sender to confirm the own address; they go out while the confirming page waits


def invite(project: Project, email: str, role: str, by: User) -> tuple[Invitation, str]:
    """Return an invitation of `email` as `role`: the row, and the token of its link, which is kept nowhere.

    An earlier one that ran out is replaced. Raises Refused for a role nobody can be given, a member, somebody who is
    invited already, beyond `MOST_OPEN` and `MOST_OPEN_BY`, and for too many a day.
    """
    check_storable(email, "email")
    Membership.check_granted(role)
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
        _check_open_by(by)
        _count(email, by)
        token = secrets.token_urlsafe(32)
        invitation: Invitation = project.invitations.create(
            email=email,
            role=role,
            digest=ApiToken.digest_of(token),
            made_by=by,
            expires_at=timezone.now() + Invitation.LASTS,
            mail_waits=has_to_wait(by),
        )
    return invitation, token


def has_to_wait(by: User) -> bool:
    """Return whether what `by` sends waits: mail is set up, and their own address is not confirmed."""
    return mail.is_set_up() and not has_confirmed(by)


def has_confirmed(user: User) -> bool:
    """Return whether the address `user` signs in with is known to be theirs."""
    return bool(EmailAddress.objects.filter(user=user, email=user.email.lower(), verified=True).exists())


def _check_open_by(by: User) -> None:
    User.objects.select_for_update(no_key=True).get(pk=by.pk)
    mine = Invitation.objects.filter(made_by=by, accepted_at=None, expires_at__gt=timezone.now())
    if mine.count() >= MOST_OPEN_BY:
        raise Refused(
            f"{MOST_OPEN_BY} invitations of yours wait for an answer over all your theses, which is the most. "
            "Take one back first.",
            field="email",
            code="too_many",
        )
    if has_to_wait(by) and mine.filter(mail_waits=True).count() >= MOST_WAITING:
        raise Refused(
            f"{MOST_WAITING} invitations of yours wait already. Confirm your own e-mail address, and they go out.",
            field="email",
            code="too_many",
        )


def _count(email: str, by: User) -> None:
    """What goes out to people is counted whether it is taken back or not. Raises Refused beyond the limits."""
    rate_limits.check(
        rate_limits.INVITATIONS_TO, by.pk, email, said=f"You have invited {email} several times.", field="email"
    )
    rate_limits.check(rate_limits.INVITATIONS, by.pk, said="You have sent many invitations today.", field="email")


def renew(invitation: Invitation, by: User) -> str:
    """Return a new link for an open invitation, which lasts as long as a new one: its token. The old link ends.

    Raises Refused when it was taken up, or made or renewed less than `AGAIN_AFTER` ago.
    """
    now, token = timezone.now(), secrets.token_urlsafe(32)
    if invitation.accepted_at:
        raise Refused("This invitation was accepted already.", code="accepted")
    fresh = {
        "digest": ApiToken.digest_of(token),
        "made_at": now,
        "made_by": by,
        "expires_at": now + Invitation.LASTS,
        "mail_waits": has_to_wait(by),
    }
    due = Invitation.objects.filter(pk=invitation.pk, accepted_at=None, made_at__lte=now - AGAIN_AFTER)
    if due.exists():
        _count(invitation.email, by)
    if not due.update(**fresh):
        raise Refused("This invitation went out less than a minute ago. Try again in a moment.", code="too_soon")
    invitation.refresh_from_db()
    return token


def send(invitation: Invitation, link: str) -> mail.Outcome:
    """Mail `link` to the person invited: what became of it. A waiting one is not sent."""
    if invitation.mail_waits:
        return mail.Outcome.WAITS
    body = render_to_string(
        "projects/invitation_mail.txt",
        {"invitation": invitation, "link": link, "role": invitation.get_role_display().lower()},
    )
    subject = " ".join(f"Scholium: {invitation.made_by or 'Somebody'} invites you to a thesis".split())
    return mail.send(EmailMessage(subject, body, to=[invitation.email]))


def send_waiting(user: User, link_to: Callable[[str], str]) -> tuple[int, int]:
    """Send what waited for `user` to confirm the own address: how many went out, and how many wait on.

    `link_to` makes the link of a token. Each gets a new token, as that of the first was given to nobody. A mail server
    that fails is not waited for again.
    """
    sent, now = 0, timezone.now()
    waiting = _rows().filter(made_by=user, mail_waits=True, accepted_at=None, expires_at__gt=now)
    for invitation in waiting:
        token = secrets.token_urlsafe(32)
        Invitation.objects.filter(pk=invitation.pk).update(digest=ApiToken.digest_of(token))
        invitation.mail_waits = False
        if send(invitation, link_to(token)) != mail.Outcome.SENT:
            break
        Invitation.objects.filter(pk=invitation.pk).update(mail_waits=False)
        sent += 1
    return sent, waiting.count()


def find(token: str) -> Invitation | None:
    """Return the invitation whose link has `token`, whatever became of it; None when it was taken back or sent anew."""
    return _rows().filter(digest=ApiToken.digest_of(token)).first()


def addressed_to(user: User, opened: Iterable[str] = ()) -> "QuerySet[Invitation]":
    """Return the invitations that are open for the address of `user`, newest first.

    Only where it is known to be theirs: they confirmed the address, or have `opened` the link (ids of invitations). An
    account can be made with anybody's address, so having one proves nothing.
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
    """Make `user` a member as they were invited. Who is a member already stays what they are.

    Raises Refused when the invitation is for another address, was taken back, accepted, or ran out.
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
    return Invitation.objects.select_related("project", "made_by")
