"""Pages that make a copy of the demo thesis and show how far it is (SPEC P7)."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.demo.install import KIND, copy_demo, steps_of
from jobs import progress as job_progress
from jobs.models import Job
from projects.access import Act, get_project, may
from projects.models import Project
from projects.signed_in_request import PersonRequest

page_or_post = require_http_methods(["GET", "HEAD", "POST"])


@page_or_post
def demo(request: PersonRequest) -> HttpResponse:
    """Show what is in the demo; on POST make a copy for the person and go to its page."""
    if request.method == "POST":
        return redirect("demo_copy", copy_demo(request.user).project_id)
    return render(request, "config/demo.html")


@require_safe
def copy_page(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show how far a copy of the demo is, and at its end what is in it."""
    return render(request, "config/demo_copy.html", _context(*_find(request, project_id)))


@require_safe
def copy_progress(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the progress to the page that polls for it; once the copy is made, the whole page."""
    project, job = _find(request, project_id)
    return job_progress.render_progress(
        request, "config/demo_copy.html", _context(project, job), "demo_copy", project.pk
    )


@require_POST
def copy_stop(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Stop filling a copy of the demo and go back to its page. What was made is kept."""
    project, job = _find(request, project_id, "write")
    return job_progress.stopped(job, "demo_copy", project.pk)


def _find(request: HttpRequest, project_id: UUID, act: Act = "read") -> tuple[Project, Job]:
    """Return a demo thesis and the job that fills it, or raise Http404."""
    project = get_project(request.user, project_id, act)
    job = Job.objects.filter(project=project, kind=KIND).order_by("created_at").last()
    if job is None:
        raise Http404("This thesis is no copy of the demo.")
    return project, job


def _context(project: Project, job: Job) -> dict[str, Any]:
    words = [said for said, _ in steps_of(job)]
    return {
        "project": project,
        "tab": "write",
        "job": job,
        "import": {"is_alive": not job.has_ended, "is_stopping": job.wanted == "cancel"},
        "step": words[min(job.progress, len(words) - 1)],
        "number": min(job.progress + 1, len(words)),
        "total": len(words),
        "run": project.runs.select_related("job").order_by("created_at").first(),
        "analyses": project.analyses.count(),
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
        "owns": may(project.role, "own"),  # type: ignore[attr-defined]
    }
