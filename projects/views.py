"""Pages: your theses, settings and members of a thesis, invitations, and your account (SPEC T1, P3)."""

from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

from allauth.account.models import EmailAddress
from allauth.account.signals import email_changed, email_confirmed
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Paginator
from django.db.models import Sum
from django.dispatch import receiver
from django.forms import ModelForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core.errors import Refused
from projects import invitations, mail
from projects.access import Act, get_project, may, switch_drafting
from projects.forms import DataForm, MemberForm, NameForm, NewProjectForm, PrivateForm, ProjectForm, TokenForm
from projects.models import ApiToken, Invitation, Membership, Project, User
from projects.section_templates import OUTLINES
from projects.signed_in_request import PersonRequest

PER_PAGE = 60  # theses per page
TOKEN_IDS = "token_%s"  # prefix of field ids: the account page has two fields called name
OPENED = "invitations_opened"  # session key: ids of invitations whose link was opened in this browser
MOST_OPENED = 20

page_or_post = require_http_methods(["GET", "HEAD", "POST"])


@require_safe
def home(request: PersonRequest) -> HttpResponse:
    """Show the list of your theses and open invitations."""
    # Paginate first and count words after, so that 200 theses cost what 60 do.
    page = Paginator(Project.objects.mine(request.user), PER_PAGE).get_page(request.GET.get("page"))
    cards = Project.objects.mine(request.user).filter(pk__in=[project.pk for project in page]).with_progress()
    return render(request, "projects/home.html", {"page": page, "cards": cards, "invited": open_invitations(request)})


@page_or_post
def create(request: PersonRequest) -> HttpResponse:
    """Show the form for a new thesis, or create the thesis and open it."""
    form = NewProjectForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        return redirect("sections:workspace", Project.objects.create_for(request.user, **form.cleaned_data).pk)
    return render(
        request,
        "projects/create.html",
        {"form": form, "outlines": OUTLINES, "chosen": form["outline"].value()},
        status=422 if form.errors else 200,
    )


@page_or_post
def settings(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the settings of a thesis, or save its details and go back to them."""
    project = get_project(request.user, project_id, "write" if request.method == "POST" else "read")
    form = ProjectForm(request.POST if request.method == "POST" else None, instance=project)
    if form.is_valid():
        form.save()
        messages.success(request, "Settings saved.")
        return redirect("projects:settings", project.pk)
    return settings_page(request, project, form=form)


class Part(NamedTuple):
    """A settings section with its own form: the required permission, and the message after saving."""

    form: "type[ModelForm[Project]]"
    act: Act
    said: str


PARTS = {
    "private": Part(PrivateForm, "write", "List saved. These names and words will not be shared with AI."),
    "data": Part(DataForm, "own", "Settings saved."),
}


@page_or_post
def settings_part(request: PersonRequest, project_id: UUID, name: str) -> HttpResponse:
    """Save the private names and words (owner and editors) or data access (owner), and go back to the settings."""
    part = PARTS[name]
    project = get_project(request.user, project_id, part.act)
    form = part.form(request.POST if request.method == "POST" else None, instance=project)
    if form.errors:
        wrong: dict[str, Any] = {f"{name}_form": form}
        return settings_page(request, project, **wrong)
    if form.is_bound:
        project.save(update_fields=[*form.fields, "updated_at"])
        messages.success(request, part.said)
    return redirect(f"{reverse('projects:settings', args=[project.pk])}#{name}")


@require_POST
def drafting(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Switch drafting by AI on or off (`enabled`: yes or no) and go back to the settings. Owner only."""
    project = get_project(request.user, project_id, "own")
    switch_drafting(project, enabled=request.POST.get("enabled") == "yes")
    messages.success(
        request, f"Drafting is now switched {'on' if project.drafting_enabled else 'off'} for this thesis."
    )
    return redirect(f"{reverse('projects:settings', args=[project.pk])}#drafting")


@page_or_post
def delete(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show what would be deleted and ask for confirmation; on POST, delete the thesis."""
    project = get_project(request.user, project_id, "own")
    if request.method == "POST":
        project.delete()
        messages.success(request, f"“{project}” and everything in it was deleted.")
        return redirect("projects:home")
    return render(
        request,
        "projects/delete.html",
        {
            "project": project,
            "contents": project.contents(),
            "words": Project.objects.filter(pk=project.pk).aggregate(words=Sum("sections__words"))["words"] or 0,
        },
    )


@require_POST
def member(request: PersonRequest, project_id: UUID, user_id: UUID) -> HttpResponse:
    """Change a member's role, or (act=remove) remove the member. Everybody except the owner can leave."""
    leaving = user_id == request.user.pk and request.POST.get("act") == "remove"
    project = get_project(request.user, project_id, "read" if leaving else "own")
    membership = get_object_or_404(project.memberships.select_related("user"), user_id=user_id)
    try:
        if request.POST.get("act") == "remove":
            membership.end()
            messages.success(
                request, "You left the thesis." if leaving else f"{membership.user} is no longer a member."
            )
        else:
            membership.change_role(request.POST.get("role", ""))
            messages.success(request, f"The role of {membership.user} is now {membership.get_role_display().lower()}.")
    except Refused as refused:
        messages.error(request, refused.message)
        leaving = False
    return redirect("projects:home") if leaving else redirect("projects:settings", project.pk)


@page_or_post
def account(request: PersonRequest) -> HttpResponse:
    """Show your account page, or save your name and go back to it."""
    form = NameForm(request.POST if request.method == "POST" else None, instance=request.user)
    if form.is_valid():
        form.save()
        messages.success(request, "Saved.")
        return redirect("projects:account")
    return _account_page(request, form=form)


def _account_page(request: PersonRequest, *, status: int = 200, **context: Any) -> HttpResponse:
    context = {
        "form": NameForm(instance=request.user),
        "token_form": TokenForm(auto_id=TOKEN_IDS),
        "token": "",
        "mail_is_set_up": mail.is_set_up(),
        **context,
        "tokens": ApiToken.objects.filter(user=request.user),
    }
    return render(
        request,
        "projects/account.html",
        context,
        status=422 if context["form"].errors or context["token_form"].errors else status,
    )


@require_POST
@never_cache
def token_add(request: PersonRequest) -> HttpResponse:
    """Create a token and show it on the account page. It is shown only once, so there is no redirect."""
    form = TokenForm(request.POST, auto_id=TOKEN_IDS)
    if form.is_valid():
        try:
            row, token = ApiToken.issue(request.user, form.cleaned_data["name"])
        except Refused as refused:
            form.add_error(refused.field or None, refused.message)
        else:
            return _account_page(request, status=201, token=token, token_name=row.name)
    return _account_page(request, token_form=form)


@require_POST
def token_delete(request: PersonRequest, token_id: int) -> HttpResponse:
    """Delete one of your tokens and go back to the account page."""
    row = get_object_or_404(ApiToken, pk=token_id, user=request.user)
    row.delete()
    messages.success(request, f"The token “{row.name}” no longer works.")
    return redirect("projects:account")


def settings_page(request: PersonRequest, project: Project, status: int = 200, **context: Any) -> HttpResponse:
    """Show the settings page. `context` may hold a form with errors; the status is 422 then, else `status`.

    The forms are `form`, `member_form`, `data_form` and `private_form`.
    """
    role = project.role  # type: ignore[attr-defined]
    owns = may(role, "own")
    forms = {
        "form": ProjectForm(instance=project),
        "member_form": MemberForm(),
        "private_form": PrivateForm(instance=project),
        "data_form": DataForm(instance=project),
    }
    shown = {
        "project": project,
        "members": project.memberships.select_related("user").order_by("pk"),
        "waiting": project.invitations.filter(accepted_at=None) if owns else [],
        "has_to_wait": owns and invitations.has_to_wait(request.user),
        "mail_is_set_up": mail.is_set_up(),
        "now": timezone.now(),
        "roles": Membership.GRANTED,
        "may_write": may(role, "write"),
        "owns": owns,
        **forms,
        **context,
    }
    return render(
        request, "projects/settings.html", shown, status=422 if any(shown[name].errors for name in forms) else status
    )


@require_POST
@never_cache
def member_add(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Invite a person and show the link. It is shown only once (and mailed), so there is no redirect."""
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
            return settings_page(request, project, status=201, **send_and_report(request, found, token))
    return settings_page(request, project, member_form=form)


@require_POST
@never_cache
def invitation(request: PersonRequest, project_id: UUID, invitation_id: UUID) -> HttpResponse:
    """Send an invitation again, or (act=remove) withdraw it."""
    project = get_project(request.user, project_id, "own")
    found = get_object_or_404(project.invitations, pk=invitation_id)
    if request.POST.get("act") == "remove":
        found.delete()
        messages.success(request, f"The invitation to {found.email} was withdrawn. Its link no longer works.")
    else:
        try:
            return settings_page(
                request, project, **send_and_report(request, found, invitations.renew(found, request.user))
            )
        except Refused as refused:
            messages.error(request, refused.message)
    return redirect(reverse("projects:settings", args=[project.pk]) + "#members")


def send_and_report(request: HttpRequest, found: Invitation, token: str) -> dict[str, Any]:
    """Mail the link of an invitation and return what to report: `invited`, `link` ("" while unsent) and `mailed`."""
    link = link_to(request, token)
    outcome = invitations.send(found, link)
    return {"invited": found, "link": "" if outcome == mail.MailOutcome.WAITS else link, "mailed": outcome.value}


def link_to(request: HttpRequest, token: str) -> str:
    """Return the absolute URL of the invitation with `token`."""
    return request.build_absolute_uri(reverse("projects:invited", args=[token]))


@receiver(email_confirmed)
@receiver(email_changed)
def send_what_waited(
    request: HttpRequest,
    email_address: EmailAddress | None = None,
    to_email_address: EmailAddress | None = None,
    **signal: Any,
) -> None:
    """Send the user's waiting invitations once their sign-in address is confirmed."""
    address = email_address or to_email_address
    user = User.objects.get(pk=address.user_id) if address else None
    if user is None or not invitations.has_confirmed(user):
        return
    sent, left = invitations.send_waiting(user, partial(link_to, request))
    if sent:
        many = "Your waiting invitation was" if sent == 1 else f"Your {sent} waiting invitations were"
        messages.success(request, f"{many} sent.")
    if left:
        messages.warning(
            request,
            "Some waiting invitations may not have been sent. Send them again in the settings of the thesis.",
        )


@login_not_required
@never_cache
@page_or_post
def invited(request: HttpRequest, token: str) -> HttpResponse:
    """Show the invitation of a link, or save the answer. Visible without signing in."""
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
    """Show an invitation from the list of your theses, or save the answer."""
    found = open_invitations(request).filter(pk=invitation_id).first()
    if found is None:
        raise Http404("No such invitation.")
    return _answered(request, found.pk) if request.method == "POST" else _page(request, found)


def open_invitations(request: PersonRequest) -> Any:
    """Return the open invitations to the signed-in user."""
    return invitations.addressed_to(request.user, request.session.get(OPENED, []))


def _answered(request: HttpRequest, invitation_id: UUID) -> HttpResponse:
    """Accept or decline an invitation and redirect to the thesis or the list."""
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
    """Store the invitation in the session, so that the list of theses shows it too."""
    request.session[OPENED] = [
        *(one for one in request.session.get(OPENED, []) if one != str(found.pk)),
        str(found.pk),
    ][-MOST_OPENED:]


def _page(request: HttpRequest, found: Invitation, status: int = 200) -> HttpResponse:
    return render(
        request,
        "projects/invitation.html",
        {"invitation": found, "fits": invitations.is_for(found, request.user), "sent_to": _hidden(found.email)},
        status=status,
    )


def _ended(request: HttpRequest, found: Invitation | None) -> HttpResponse:
    """Show that a link does not work: 404 if it is unknown, 410 if it was used or has expired."""
    return render(
        request,
        "projects/invitation_ended.html",
        {
            "invitation": found,
            "mine": bool(found and request.user.is_authenticated and found.accepted_by_id == request.user.pk),
        },
        status=410 if found else 404,
    )


def _hidden(email: str) -> str:
    """Return an address that only its owner recognises: r…@example.org."""
    name, _, host = email.rpartition("@")
    return f"{name[:1]}…@{host}"
