"""Inviting people on the settings page, and the page an invitation leads to (SPEC T1, P3)."""

from functools import partial
from typing import Any
from uuid import UUID

from allauth.account.models import EmailAddress
from allauth.account.signals import email_changed, email_confirmed
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.dispatch import receiver
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from core.errors import Refused
from projects import invitations
from projects.access import get_project
from projects.forms import MemberForm
from projects.mail import Outcome
from projects.models import Invitation, User
from projects.requests import PersonRequest
from projects.settings_page import settings_page

OPENED = "invitations_opened"  # in the session: ids of invitations whose link was opened in this browser
MOST_OPENED = 20

page_or_post = require_http_methods(["GET", "HEAD", "POST"])


@require_POST
@never_cache
def member_add(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Invite somebody. The link is in this one answer and in the mail, and nowhere else, so there is no redirect."""
    project = get_project(request.user, project_id, "own")
    form = MemberForm(request.POST)
    if form.is_valid():
        try:
            found, token = invitations.invite(
                project, form.cleaned_data["email"], form.cleaned_data["role"], request.user
            )
        except Refused as refused:
            form.add_error(refused.field or None, refused.message)
        else:
            return settings_page(request, project, status=201, **sent(request, found, token))
    return settings_page(request, project, member_form=form)


@require_POST
@never_cache
def invitation(request: PersonRequest, project_id: UUID, invitation_id: UUID) -> HttpResponse:
    """Send an invitation again, or (with act=remove) take it back."""
    project = get_project(request.user, project_id, "own")
    found = get_object_or_404(project.invitations, pk=invitation_id)
    if request.POST.get("act") == "remove":
        found.delete()
        messages.success(request, f"The invitation of {found.email} is taken back. Its link leads nowhere now.")
    else:
        try:
            return settings_page(request, project, **sent(request, found, invitations.renew(found, request.user)))
        except Refused as refused:
            messages.error(request, refused.message)
    return redirect(reverse("projects:settings", args=[project.pk]) + "#members")


def sent(request: HttpRequest, found: Invitation, token: str) -> dict[str, Any]:
    """Mail the link; what the page, or the API, then says: the `invited`, the `link` (none while the mail waits), and
    what became of the mail.
    """
    link = link_to(request, token)
    outcome = invitations.send(found, link)
    return {"invited": found, "link": "" if outcome == Outcome.WAITS else link, "mailed": outcome.value}


def link_to(request: HttpRequest, token: str) -> str:
    return request.build_absolute_uri(reverse("projects:invited", args=[token]))


@receiver(email_confirmed)
@receiver(email_changed)
def send_what_waited(
    request: HttpRequest,
    email_address: EmailAddress | None = None,
    to_email_address: EmailAddress | None = None,
    **signal: Any,
) -> None:
    """The invitations that waited go out once the address their sender signs in with is confirmed, or is another, confirmed one."""
    address = email_address or to_email_address
    user = User.objects.get(pk=address.user_id) if address else None
    if user is None or not invitations.has_confirmed(user):
        return
    sent, left = invitations.send_waiting(user, partial(link_to, request))
    if sent:
        many = "The invitation that waited is" if sent == 1 else f"The {sent} invitations that waited are"
        messages.success(request, f"{many} sent.")
    if left:
        messages.warning(
            request,
            "The mail server did not confirm that it took all invitations that waited. Send them again on the settings page of the thesis.",
        )


@login_not_required
@never_cache
@page_or_post
def invited(request: HttpRequest, token: str) -> HttpResponse:
    """Where the link leads. Open to everybody: signing in or up comes after seeing what for."""
    found = invitations.find(token)
    if found is None or found.accepted_at or found.expires_at <= timezone.now():
        return _ended(request, found)
    if not request.user.is_authenticated:
        return redirect_to_login(request.path) if request.method == "POST" else _page(request, found)
    if invitations.is_for(found, request.user):
        _remember(request, found)
        if request.method == "POST":
            return _answered(request, found.pk)
    return _page(request, found, status=403 if request.method == "POST" else 200)


@page_or_post
@never_cache
def invited_here(request: PersonRequest, invitation_id: UUID) -> HttpResponse:
    """As `invited`, from the list of one's own theses."""
    found = addressed(request).filter(pk=invitation_id).first()
    if found is None:
        raise Http404("No such invitation.")
    return _answered(request, found.pk) if request.method == "POST" else _page(request, found)


def addressed(request: PersonRequest) -> Any:
    """The invitations that wait for the person asking."""
    return invitations.addressed_to(request.user, request.session.get(OPENED, []))


def _answered(request: HttpRequest, invitation_id: UUID) -> HttpResponse:
    try:
        if request.POST.get("act") == "decline":
            invitations.decline(invitation_id, request.user)  # type: ignore[arg-type]
            messages.success(request, "You declined the invitation.")
            return redirect("projects:home")
        membership = invitations.accept(invitation_id, request.user)  # type: ignore[arg-type]
    except Refused as refused:
        messages.error(request, refused.message)
        return redirect("projects:home")
    messages.success(request, f"Welcome. Your role here: {membership.get_role_display().lower()}.")
    return redirect("sections:workspace", membership.project_id)


def _remember(request: HttpRequest, found: Invitation) -> None:
    """So that the list of theses shows it too, when the person looks around before answering."""
    opened = [one for one in request.session.get(OPENED, []) if one != str(found.pk)]
    request.session[OPENED] = [*opened, str(found.pk)][-MOST_OPENED:]


def _page(request: HttpRequest, found: Invitation, status: int = 200) -> HttpResponse:
    context = {"invitation": found, "fits": invitations.is_for(found, request.user), "sent_to": _hidden(found.email)}
    return render(request, "projects/invitation.html", context, status=status)


def _ended(request: HttpRequest, found: Invitation | None) -> HttpResponse:
    """404 for a link that is nobody's, 410 for one that was used or ran out."""
    mine = bool(found and request.user.is_authenticated and found.accepted_by_id == request.user.pk)
    context = {"invitation": found, "mine": mine}
    return render(request, "projects/invitation_ended.html", context, status=410 if found else 404)


def _hidden(email: str) -> str:
    """An address as who holds its mail knows it, and nobody else: r…@example.org."""
    name, _, host = email.rpartition("@")
    return f"{name[:1]}…@{host}"
