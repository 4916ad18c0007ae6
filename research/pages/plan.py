"""The pages on which a run waits for a decision: approval of its plan (SPEC R3), consent to send personal data (X2)."""

import re
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from contextfiles.models import ContextFile
from core.errors import Refused
from llm.roles import Brief
from research.access import with_run
from research.context.consent import awaits_consent, decide, found_in
from research.models import Run
from research.plan.approval import Proposal, approve, awaits_approval, proposal_of
from research.setup.forms import BriefForm
from research.setup.limits import MAX_CHILDREN
from research.supervision.record_findings import LEAST_URGENT
from text.personal_data import counts_in_words

Row = dict[str, Any]
_FIELDS = ("number", "topic", "question", "perspective", "priority", "evidence_needed")
_NEW: Row = {"number": 0, "topic": "", "question": "", "perspective": "", "priority": 2, "evidence_needed": ""}
_LISTS = ("scope_boundaries", "source_preferences", "key_terms")


@require_http_methods(["GET", "HEAD", "POST"])
@with_run("write")
def plan(request: HttpRequest, run: Run) -> HttpResponse:
    """Show the plan of a waiting run; a POST with do=approve approves the edited plan, do=as-it-is the proposed one.

    The other buttons of the form post too: they move, remove, restore and add questions.
    """
    proposal = proposal_of(run)
    if proposal is None or not awaits_approval(run):
        messages.info(request, "This run has no plan waiting for approval.")
        return redirect("research:run", run.pk)
    if request.method != "POST":
        return _page(
            request, run, proposal, BriefForm(initial=typed(proposal.brief)), proposal.model_dump()["directives"]
        )
    act = request.POST.get("do", "")
    try:
        if act == "as-it-is":
            approve(run)
            return redirect("research:run", run.pk)
        rows = submitted_questions(request.POST)
    except Refused as refused:
        messages.error(request, refused.message)
        return redirect("research:plan", run.pk)
    if act == "approve":
        return _approved(request, run, proposal, rows)
    return _page(request, run, proposal, BriefForm(initial=request.POST.dict()), edited_questions(rows, act, proposal))


def _approved(request: HttpRequest, run: Run, proposal: Proposal, rows: list[Row]) -> HttpResponse:
    form = BriefForm(request.POST)
    wrong = ""
    if form.is_valid():
        try:
            approve(run, brief=_as_brief(form.cleaned_data), directives=rows)
            return redirect("research:run", run.pk)
        except Refused as refused:
            if refused.field in form.fields:
                form.add_error(refused.field, refused.message)
            else:
                wrong = refused.message
    return _page(request, run, proposal, form, rows, wrong=wrong, status=422)


def _page(
    request: HttpRequest,
    run: Run,
    proposal: Proposal,
    form: BriefForm,
    rows: list[Row],
    *,
    wrong: str = "",
    status: int = 200,
) -> HttpResponse:
    here = {str(row["number"]) for row in rows}
    part = "#questions" if request.headers.get("HX-Target") == "plan-questions" else ""
    return render(
        request,
        f"research/approve.html{part}",
        {
            "project": run.project,
            "tab": "research",
            "run": run,
            "form": form,
            "rows": rows,
            "left_out": [part for part in proposal.directives if str(part.number) not in here],
            "is_full": len(rows) >= MAX_CHILDREN,
            "most": MAX_CHILDREN,
            "priorities": range(1, LEAST_URGENT + 1),
            "rationale": proposal.rationale,
            "wrong": wrong,
        },
        status=status,
    )


def typed(brief: Brief) -> dict[str, str]:
    """Return the initial values of the brief's form; lists become text with one entry per line."""
    return {"text": brief.text, **{name: "\n".join(getattr(brief, name)) for name in _LISTS}}


def _as_brief(cleaned: dict[str, str]) -> dict[str, Any]:
    return {
        "text": cleaned["text"],
        **{name: [line.strip() for line in cleaned[name].split("\n") if line.strip()] for name in _LISTS},
    }


def submitted_questions(data: QueryDict) -> list[Row]:
    """Return the questions from the submitted form. Raises Refused if a part of the form is missing."""
    columns = [data.getlist(name) for name in _FIELDS]
    if len({len(column) for column in columns}) != 1:
        raise Refused("A part of the form is missing. This is the plan as it was proposed.")
    return [dict(zip(_FIELDS, row, strict=True)) for row in zip(*columns, strict=True)]


def edited_questions(rows: list[Row], act: str, proposal: Proposal) -> list[Row]:
    """Return `rows` after `act`: add; up-N, down-N or out-N for row N (from 1); back-N to restore proposed question N.

    An invalid `act` changes nothing.
    """
    found = re.fullmatch(r"(add|up|down|out|back)(?:-([0-9]{1,3}))?", act)
    if not found:
        return rows
    what, place = found[1], int(found[2] or 0)
    if what in ("add", "back"):
        here = {str(row["number"]) for row in rows}
        missing = [part.model_dump() for part in proposal.directives if part.number == place and str(place) not in here]
        return [*rows, *([_NEW] if what == "add" else missing)] if len(rows) < MAX_CHILDREN else rows
    if not 1 <= place <= len(rows):
        return rows
    rest = [*rows[: place - 1], *rows[place:]]
    if what == "out":
        return rest
    to = max(0, place - 2) if what == "up" else place
    return [*rest[:to], rows[place - 1], *rest[to:]]


@require_http_methods(["GET", "HEAD", "POST"])
@with_run("write")
def consent(request: HttpRequest, run: Run) -> HttpResponse:
    """Show the personal data found in the files of a waiting run; a POST with do=send or do=leave_out decides."""
    found = found_in(run)
    if found is None or not awaits_consent(run):
        messages.info(request, "This run is not waiting for a decision about personal data.")
        return redirect("research:run", run.pk)
    if request.method == "POST":
        try:
            decide(run, request.user, request.POST.get("do", ""))  # type: ignore[arg-type]
        except Refused as refused:
            messages.error(request, refused.message)
            return redirect("research:consent", run.pk)
        return redirect("research:run", run.pk)
    ids = dict(ContextFile.objects.filter(project=run.project, name__in=list(found.files)).values_list("name", "pk"))
    return render(
        request,
        "research/consent.html",
        {
            "project": run.project,
            "tab": "research",
            "run": run,
            "found": found,
            "files": [
                {"name": name, "id": ids.get(name), "holds": counts_in_words(counts)}
                for name, counts in found.files.items()
            ],
            "others": found.total - len(found.files),
        },
    )
