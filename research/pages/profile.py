"""The pages of a user's research profiles: view, edit and delete (SPEC R2)."""

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core.errors import Refused
from projects.access import get_project, may
from projects.signed_in_request import PersonRequest
from research.models import SavedProfile
from research.setup.forms import ChoicesForm, NameForm
from research.setup.profile_registry import (
    check_free,
    known_profiles,
    profile_of,
    save_profile,
    set_default_profile,
    site_profiles,
)
from research.setup.profiles import kept_local, sentence_of, with_keys


@require_safe
def profiles(request: PersonRequest) -> HttpResponse:
    """Show the page of all profiles the user can use; their own can be edited."""
    known = known_profiles(request.user)
    return render(
        request,
        "research/profiles.html",
        {
            "own": [
                {"saved": saved, "said": sentence_of(profile) if profile else "", "hidden": saved.name not in known.own}
                for saved in SavedProfile.objects.filter(user=request.user)
                for profile in [profile_of(saved)]
            ],
            "shared": [
                {"profile": profile, "said": sentence_of(profile), "of_site": profile.name in known.site}
                for profile in (*known.built_in.values(), *known.site.values())
            ],
        },
    )


@require_http_methods(["GET", "HEAD", "POST"])
def thesis_profile(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show which profile research in a thesis starts with (htmx: as a part of the settings), or set it."""
    project = get_project(request.user, project_id, "write" if request.method == "POST" else "read")
    if request.method == "POST":
        try:
            set_default_profile(project, request.POST.get("profile", ""))
        except Refused as refused:
            return HttpResponse(refused.message, status=422, content_type="text/plain")
        messages.success(request, "Settings saved.")
        return redirect("projects:settings", project.pk)
    known = site_profiles()
    context = {
        "project": project,
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
        "site_default": settings.RESEARCH_DEFAULT_PROFILE,
        "profiles": [(one.name, sentence_of(one)) for one in (*known.built_in.values(), *known.site.values())],
        "tab": "settings",
    }
    return render(request, f"research/thesis_profile.html{'#part' if request.htmx else ''}", context)


@require_http_methods(["GET", "HEAD", "POST"])
def profile(request: PersonRequest, profile_id: int) -> HttpResponse:
    """Show the form of one of the user's own profiles, or save it and go back to the list."""
    saved = get_object_or_404(SavedProfile, user=request.user, pk=profile_id)
    was = profile_of(saved)
    if was is None:
        messages.error(
            request, f"“{saved.name}” is from another version of Scholium. It can be deleted, but not edited."
        )
        return redirect("research:profiles")
    name, choices = NameForm(initial={"name": saved.name}), ChoicesForm(of=was)
    if request.method == "POST":
        name, choices = NameForm(request.POST), ChoicesForm(request.POST, of=was)
        if name.is_valid() and choices.is_valid():
            try:
                check_free(name.cleaned_data["name"])
                changed = with_keys(was.model_copy(update={"name": name.cleaned_data["name"]}), choices.overrides())
                save_profile(request.user, kept_local(was, changed), instead_of=saved.name)
            except Refused as refused:
                is_name = refused.field == "name"
                (name if is_name else choices).add_error("name" if is_name else None, refused.message)
            else:
                messages.success(request, f"“{name.cleaned_data['name']}” was saved. Existing runs are not affected.")
                return redirect("research:profiles")
    return render(
        request,
        "research/profile.html",
        {"saved": saved, "name_form": name, "choices": choices, "is_local": was.is_local_only},
        status=422 if request.method == "POST" else 200,
    )


@require_POST
def delete(request: PersonRequest, profile_id: int) -> HttpResponse:
    """Delete one of the user's own profiles and go back to the list."""
    saved = get_object_or_404(SavedProfile, user=request.user, pk=profile_id)
    saved.delete()
    messages.success(request, f"“{saved.name}” was deleted. Existing runs are not affected.")
    return redirect("research:profiles")
