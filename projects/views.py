"""Your theses, one thesis' settings and members, inviting people, and your own account (SPEC T1, P3)."""

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
from projects.outlines import OUTLINES
from projects.signed_in_request import PersonRequest

PER_PAGE = 60  # cards on one page
TOKEN_IDS = "token_%s"  # the account page has two fields called name
OPENED = "invitations_opened"  # in the session: ids of invitations whose link was opened in this browser
MOST_OPENED = 20

page_or_post = require_http_methods(["GET", "HEAD", "POST"])


@require_safe
def home(request: PersonRequest) -> HttpResponse:
    """Your theses. The cards are chosen first and counted after, so that 200 theses cost what 60 do."""
    page = Paginator(Project.objects.mine(request.user), PER_PAGE).get_page(request.GET.get("page"))
    cards = Project.objects.mine(request.user).filter(pk__in=[project.pk for project in page]).with_progress()
    return render(request, "projects/home.html", {"page": page, "cards": cards, "invited": addressed(request)})


@page_or_post
def create(request: PersonRequest) -> HttpResponse:
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
    project = get_project(request.user, project_id, "write" if request.method == "POST" else "read")
    form = ProjectForm(request.POST if request.method == "POST" else None, instance=project)
    if form.is_valid():
        form.save()
        messages.success(request, "Settings saved.")
        return redirect("projects:settings", project.pk)
    return settings_page(request, project, form=form)


class Part(NamedTuple):
    """A part of the settings page with a form of its own: who may send it, and what is said then."""

    form: "type[ModelForm[Project]]"
    act: Act
    said: str


PARTS = {
    "private": Part(PrivateForm, "write", "Saved. No model will be told these."),
    "data": Part(DataForm, "own", "Saved."),
}


@page_or_post
def settings_part(request: PersonRequest, project_id: UUID, name: str) -> HttpResponse:
    """Show what no model is told, which only those who write see; or who opens the data, which the owner says."""
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
    """Switch drafting by AI on or off (`enabled` yes or no); only the owner can. It is a part of the settings page."""
    project = get_project(request.user, project_id, "own")
    switch_drafting(project, enabled=request.POST.get("enabled") == "yes")
    messages.success(request, f"Drafting is switched {'on' if project.drafting_enabled else 'off'} for this thesis.")
    return redirect(f"{reverse('projects:settings', args=[project.pk])}#drafting")


@page_or_post
def delete(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Ask first, naming exactly what goes; then delete."""
    project = get_project(request.user, project_id, "own")
    if request.method == "POST":
        project.delete()
        messages.success(request, f"“{project}” and everything in it is deleted.")
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
    """Change a member's role, or (with act=remove) end the membership. Anybody but the owner can leave."""
    leaving = user_id == request.user.pk and request.POST.get("act") == "remove"
    project = get_project(request.user, project_id, "read" if leaving else "own")
    membership = get_object_or_404(project.memberships.select_related("user"), user_id=user_id)
    try:
        if request.POST.get("act") == "remove":
            membership.end()
            messages.success(request, "You have left." if leaving else f"{membership.user} is no longer a member.")
        else:
            membership.change_role(request.POST.get("role", ""))
            messages.success(request, f"{membership.user} is now: {membership.get_role_display().lower()}.")
    except Refused as refused:
        messages.error(request, refused.message)
        leaving = False
    return redirect("projects:home") if leaving else redirect("projects:settings", project.pk)


@page_or_post
def account(request: PersonRequest) -> HttpResponse:
    form = NameForm(request.POST if request.method == "POST" else None, instance=request.user)
    if form.is_valid():
        form.save()
        messages.success(request, "Your name is saved.")
        return redirect("projects:account")
    return _account_page(request, form=form)


def _account_page(request: PersonRequest, *, status: int = 200, **context: Any) -> HttpResponse:
    context = {
        "form": NameForm(instance=request.user),
        "token_form": TokenForm(auto_id=TOKEN_IDS),
        "token": "",
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
    """Show a new token. It is in this one answer and nowhere else, so there is no redirect."""
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
    row = get_object_or_404(ApiToken, pk=token_id, user=request.user)
    row.delete()
    messages.success(request, f"The token “{row.name}” no longer works.")
    return redirect("projects:account")


def settings_page(request: PersonRequest, project: Project, status: int = 200, **context: Any) -> HttpResponse:
    """Show the page. `context` may hold a `form`, `member_form`, `data_form` or `private_form` with its errors; 422 then, else `status`."""
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
    return {"invited": found, "link": "" if outcome == mail.Outcome.WAITS else link, "mailed": outcome.value}


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
    """Show where the link leads. Open to everybody: signing in or up comes after seeing what for."""
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
    """Return the invitations that wait for the person asking."""
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
    """404 for a link that is nobody's, 410 for one that was used or ran out."""
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
    """Return an address as who holds its mail knows it, and nobody else: r…@example.org."""
    name, _, host = email.rpartition("@")
    return f"{name[:1]}…@{host}"
