"""Views and helpers for pages about jobs: progress, stopping a job, and the jobs running in the header."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect

from jobs.models import Job
from jobs.registry import page_of
from projects.access import get_in_project


def render_progress(request: HttpRequest, template: str, context: dict[str, Any], page: str, pk: UUID) -> HttpResponse:
    """Show the partial `progress` of `template`; once the job has ended, redirect the browser to `page` of `pk`."""
    if context["import"]["is_alive"]:
        return render(request, f"{template}#progress", context)
    return HttpResponseClientRedirect(reverse(page, args=[pk]))


def stopped(job: Job | None, page: str, *pks: UUID) -> HttpResponse:
    """Cancel `job` and go back to `page` of `pks`."""
    if job:
        job.ask("cancel")
    return redirect(page, *pks)


@require_safe
def under_way(request: HttpRequest) -> HttpResponse:
    """Show the jobs under way for the top bar, which asks for as long as there are any; nothing once all have ended."""
    return render(request, "jobs/_under_way.html")


@require_safe
def job(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """Redirect from a job to the page of the object it works on."""
    address = page_of(get_in_project(request.user, Job.objects.all(), pk=job_id))
    if address is None:
        raise Http404("This job has no page.")
    return redirect(address)


def running(request: HttpRequest) -> dict[str, Any]:
    """Add `running_jobs` to templates: the user's running and queued jobs, queried only if a template uses them."""

    def jobs() -> list[Job]:
        if not getattr(request, "user", None) or not request.user.is_authenticated:
            return []
        return list(Job.objects.visible_to(request.user).alive().only("id", "kind", "subject", "project_id")[:20])

    return {"running_jobs": jobs}
