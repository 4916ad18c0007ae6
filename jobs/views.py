from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from jobs.models import Job
from jobs.registry import page_of
from projects.access import get_in_project


@require_safe
def job(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """The way back: from a job to the page of what it works on."""
    address = page_of(get_in_project(request.user, Job.objects.all(), pk=job_id))
    if address is None:
        raise Http404("This job has no page.")
    return redirect(address)
