"""What is left for drafting: of the thesis, of each section, and of the person's hour (SPEC T4)."""

from typing import NamedTuple
from uuid import UUID

from django.db.models import Count, Q, Sum
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from jobs.models import ENDED
from projects.access import get_project, may
from projects.requests import PersonRequest
from sections.models import Section
from thesis.drafting.limits import HOUR, PER_HOUR, PER_SECTION, PER_THESIS, asked_within_the_hour
from thesis.models import Draft


class Row(NamedTuple):
    """Output tokens that a section has used or set aside, its proposals, and how many of them wait for somebody."""

    section: Section
    used: int
    drafts: int
    open: int


@require_safe
def allowance(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """A row for each section, in as many queries for many as for one."""
    project = get_project(request.user, project_id)
    drafts = Draft.objects.filter(project=project)
    waiting = Q(outcome="") & ~Q(blocks=[]) & (Q(job=None) | Q(job__state__in=ENDED))
    sums = (
        drafts.order_by()
        .values("section")
        .annotate(used=Sum("output_tokens"), aside=Sum("reserved_tokens"), number=Count("pk"))
        .annotate(open=Count("pk", filter=waiting))
        .values_list("section", "used", "aside", "number", "open")
    )
    by_section = {key: (used + aside, number, still_open) for key, used, aside, number, still_open in sums}
    sections = Section.objects.filter(project=project).outline()
    times = asked_within_the_hour(request.user)
    context = {
        "project": project,
        "tab": "write",
        "rows": [Row(section, *by_section.get(section.pk, (0, 0, 0))) for section in sections],
        "used": sum(used for used, _, _ in by_section.values()),
        "limit": PER_THESIS,
        "section_limit": PER_SECTION,
        "hour_used": min(len(times), PER_HOUR),
        "hour_limit": PER_HOUR,
        "next_at": times[len(times) - PER_HOUR] + HOUR if len(times) >= PER_HOUR else None,
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
    }
    return render(request, "thesis/allowance.html", context)
