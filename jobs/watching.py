"""What a page that waits for a job is told, and stopping one: the same for whatever the job does."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect

from jobs.models import Job


def told(request: HttpRequest, template: str, context: dict[str, Any], page: str, pk: UUID) -> HttpResponse:
    """How far it is, the part `progress` of `template`; once it has ended, the way to `page` of `pk` as a whole."""
    if context["import"]["is_alive"]:
        return render(request, f"{template}#progress", context)
    return HttpResponseClientRedirect(reverse(page, args=[pk]))


def stopped(job: Job | None, page: str, *pks: UUID) -> HttpResponse:
    """Ask `job` to end, and go back to `page` of `pks`."""
    if job:
        job.ask("cancel")
    return redirect(page, *pks)
