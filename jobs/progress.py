"""What pages say of jobs: how far one is, the way back to its page, how many run; and stopping one, whatever it does."""

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


def told(request: HttpRequest, template: str, context: dict[str, Any], page: str, pk: UUID) -> HttpResponse:
    """Show how far it is, the part `progress` of `template`; once it has ended, the way to `page` of `pk` as a whole."""
    if context["import"]["is_alive"]:
        return render(request, f"{template}#progress", context)
    return HttpResponseClientRedirect(reverse(page, args=[pk]))


def stopped(job: Job | None, page: str, *pks: UUID) -> HttpResponse:
    """Ask `job` to end, and go back to `page` of `pks`."""
    if job:
        job.ask("cancel")
    return redirect(page, *pks)


@require_safe
def job(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """Show the way back: from a job to the page of what it works on."""
    address = page_of(get_in_project(request.user, Job.objects.all(), pk=job_id))
    if address is None:
        raise Http404("This job has no page.")
    return redirect(address)


def running(request: HttpRequest) -> dict[str, Any]:
    """`running_jobs`: the person's jobs that run or wait, counted once per page, and only where it is shown."""

    def jobs() -> list[Job]:
        if not getattr(request, "user", None) or not request.user.is_authenticated:
            return []
        return list(Job.objects.visible_to(request.user).alive().only("id", "kind", "subject", "project_id")[:20])

    return {"running_jobs": jobs}
