"""Your theses, one thesis' settings and members, and your own account (SPEC T1, P3)."""

from typing import Any, NamedTuple
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Sum
from django.forms import ModelForm
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core.errors import Refused
from projects.access import Act, get_project
from projects.drafting import switch_drafting
from projects.forms import DataForm, NameForm, NewProjectForm, PrivateForm, ProjectForm, TokenForm
from projects.invitation_pages import addressed
from projects.models import ApiToken, Project
from projects.outlines import OUTLINES
from projects.requests import PersonRequest
from projects.settings_page import settings_page

PER_PAGE = 60  # cards on one page
TOKEN_IDS = "token_%s"  # the account page has two fields called name

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
    context = {"form": form, "outlines": OUTLINES, "chosen": form["outline"].value()}
    return render(request, "projects/create.html", context, status=422 if form.errors else 200)


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
    """What no model is told, which only those who write see; or who opens the data, which the owner says."""
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
        title = project.title
        project.delete()
        messages.success(request, f"“{title}” and everything in it is deleted.")
        return redirect("projects:home")
    words = Project.objects.filter(pk=project.pk).aggregate(words=Sum("sections__words"))["words"] or 0
    return render(
        request,
        "projects/delete.html",
        {"project": project, "contents": project.contents(), "words": words},
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
    defaults = {"form": NameForm(instance=request.user), "token_form": TokenForm(auto_id=TOKEN_IDS), "token": ""}
    context = {**defaults, **context, "tokens": ApiToken.objects.filter(user=request.user)}
    wrong = context["form"].errors or context["token_form"].errors
    return render(request, "projects/account.html", context, status=422 if wrong else status)


@require_POST
@never_cache
def token_add(request: PersonRequest) -> HttpResponse:
    """A new token. It is in this one answer and nowhere else, so there is no redirect."""
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
