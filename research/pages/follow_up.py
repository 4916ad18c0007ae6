"""The pages of what is asked of a finished run: ask, look into a gap, research again, read what came of it (SPEC R17)."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from research.access import get_run
from research.models import FollowUp, Run
from research.pages.follow_up_form import FollowUpForm
from research.pages.follow_up_list import follow_ups_of, shown
from research.pages.result import beside
from research.pages.show import report_html


@require_safe
def follow_ups(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """All that was asked, and the form to ask more; or, for htmx, only the list, which is asked for while work goes on."""
    run = get_run(request.user, run_id)
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "research/_follow_ups.html", {"run": run, **follow_ups_of(run), "is_renewed": True})
    return _page(request, run, FollowUpForm(run=run))


@require_POST
def ask_more(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Ask a question, look into a gap (gap_id) or research a question again (node)."""
    run = get_run(request.user, run_id, "write")
    form = FollowUpForm(request.POST, run=run)
    asked = form.send(request.user) if form.is_valid() else None  # type: ignore[arg-type]
    if asked is None:
        return _page(request, run, form, status=422)
    if asked.kind == FollowUp.Kind.ASK:
        return redirect(reverse("research:report", args=[run.pk]) + f"#more-{asked.number}")
    return redirect("research:run", run.pk)


@require_safe
def follow_up(request: HttpRequest, run_id: UUID, number: int) -> HttpResponse:
    """What was asked, what came of it, the words it rests on, and the report that a new one has replaced."""
    run = get_run(request.user, run_id)
    asked = run.follow_ups.filter(number=number).first()
    if asked is None:
        raise Http404("Nothing of that number was asked of this run.")
    before = Run(pk=run.pk, report=asked.report_before)
    context = {
        **beside(run),
        "row": shown(asked),
        "asked": asked,
        "sentences": _sentences(run, asked),
        "before": report_html(before, ()) if asked.report_before else "",
    }
    return render(request, "research/follow_up.html", context)


def _page(request: HttpRequest, run: Run, form: FollowUpForm, status: int = 200) -> HttpResponse:
    context = {**beside(run), **follow_ups_of(run), "form": form}
    return render(request, "research/follow_ups.html", context, status=status)


def _sentences(run: Run, asked: FollowUp) -> list[dict[str, Any]]:
    """The sentences of an answer with the words each rests on, as the log has them."""
    entry = run.provenance.filter(event_type="follow_up_answered", details__number=asked.number).last()
    said = entry.details.get("sentences", []) if entry else []
    found = run.findings.filter(finding_id__in=[one["finding"] for one in said]).select_related("source")
    by_id = {finding.finding_id: finding for finding in found}
    return [{**one, "finding": by_id[one["finding"]]} for one in said if one["finding"] in by_id]
