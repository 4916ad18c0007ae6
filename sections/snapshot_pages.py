"""Pages of saved versions of the whole thesis: save, show, restore, rename, delete (SPEC T2)."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core.errors import Refused
from projects.access import get_project, may
from projects.forms import clean_or_refuse
from projects.models import Project
from projects.signed_in_request import PersonRequest
from sections import snapshots as saved_versions
from sections.forms import SnapshotForm
from sections.models import Snapshot, Stale


@require_http_methods(["GET", "HEAD", "POST"])
def snapshots(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the saved versions, newest first; on POST save the present thesis under `name`."""
    project = get_project(request.user, project_id, "write" if request.method == "POST" else "read")
    if request.method != "POST":
        return _list(request, project)
    try:
        made = saved_versions.save_snapshot(
            project, clean_or_refuse(SnapshotForm(request.POST))["name"], by=request.user
        )
    except Refused as refused:
        return _list(request, project, wrong=refused.message, status=422)
    messages.success(request, f"The whole thesis was saved as “{made}”.")
    return redirect("sections:snapshots", project.pk)


def _list(request: PersonRequest, project: Project, *, wrong: str = "", status: int = 200) -> HttpResponse:
    return render(
        request,
        "sections/snapshots.html",
        {
            **_context(project),
            "snapshots": list(project.snapshots.select_related("made_by").annotate(number=Count("versions"))),
            "wrong": wrong,
            "typed": request.POST.get("name", ""),
        },
        status=status,
    )


@require_safe
def snapshot(request: PersonRequest, project_id: UUID, snapshot_id: UUID) -> HttpResponse:
    """Show a saved version: each section, whether it changed since, with links to compare and restore."""
    return _page(request, *_found(request, project_id, snapshot_id, write=False))


@require_POST
def restore(request: PersonRequest, project_id: UUID, snapshot_id: UUID) -> HttpResponse:
    """Restore the text of `section` (an id), or of all sections, and go back to the page of the saved version."""
    project, found = _found(request, project_id, snapshot_id)
    try:
        changed = saved_versions.restore(found, by=request.user, section=_section(request.POST.get("section", "")))
    except Stale:
        return _page(
            request,
            project,
            found,
            wrong="Somebody else saved at the same moment, so nothing was changed. Check the text and try again.",
            status=409,
        )
    except Refused as refused:
        return _page(request, project, found, wrong=refused.message, status=422)
    if not changed:
        messages.info(request, "Nothing was changed: the texts are the same as in the saved version.")
    else:
        names = ", ".join(str(section) for section in changed[:3])
        more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
        are = "was restored" if len(changed) == 1 else "were restored"
        messages.success(request, f"{names}{more} {are}. The text before is in the history.")
    return redirect("sections:snapshot", project.pk, found.pk)


@require_POST
def rename(request: PersonRequest, project_id: UUID, snapshot_id: UUID) -> HttpResponse:
    """Rename a saved version and go back to its page."""
    project, found = _found(request, project_id, snapshot_id)
    try:
        found.name = clean_or_refuse(SnapshotForm(request.POST))["name"]
    except Refused as refused:
        return _page(request, project, found, wrong=refused.message, status=422)
    found.save(update_fields=["name"])
    return redirect("sections:snapshot", project.pk, found.pk)


@require_POST
def delete(request: PersonRequest, project_id: UUID, snapshot_id: UUID) -> HttpResponse:
    """Delete a saved version and go back to the list. The texts stay in the history of each section."""
    project, found = _found(request, project_id, snapshot_id)
    found.delete()
    messages.success(request, f"“{found}” was deleted. Its texts stay in the history of each section.")
    return redirect("sections:snapshots", project.pk)


def _found(
    request: PersonRequest, project_id: UUID, snapshot_id: UUID, *, write: bool = True
) -> tuple[Project, Snapshot]:
    project = get_project(request.user, project_id, "write" if write else "read")
    return project, get_object_or_404(Snapshot.objects.select_related("made_by"), project=project, pk=snapshot_id)


def _page(
    request: PersonRequest, project: Project, found: Snapshot, *, wrong: str = "", status: int = 200
) -> HttpResponse:
    return render(
        request,
        "sections/snapshot.html",
        {**_context(project), "snapshot": found, "kept": saved_versions.snapshot_versions(found), "wrong": wrong},
        status=status,
    )


def _context(project: Project) -> dict[str, Any]:
    return {"project": project, "tab": "write", "may_write": may(project.role, "write")}  # type: ignore[attr-defined]


def _section(sent: str) -> UUID | None:
    try:
        return UUID(sent) if sent else None
    except ValueError as error:
        raise Refused("The page did not name a section. Nothing was changed.") from error
