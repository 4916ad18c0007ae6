"""The page of a run at work, with its coverage (SPEC R7), files and events; views to pause, resume and stop it."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from core.errors import Refused
from core.grouping import grouped
from jobs.models import ENDED, IDLE, Job, JobEvent, State
from jobs.waiting_reason import queue_note
from projects.access import may
from research.access import first_or_404, get_run, with_run
from research.context.consent import awaits_consent, consent_note
from research.context.run_files import (
    debug_panel_of,
    files_context,
    files_of,
    given_to,
    numbers_given,
    processing_of,
)
from research.models import Phase, Run
from research.plan.approval import awaits_approval, resume
from research.report.search_methods import searches_by_provider
from research.setup.budget import money, spent
from research.supervision.coverage import ENOUGH

SHOWN = 200  # events on the page when it opens; earlier ones are loaded on request
NEARLY, ALMOST = Decimal("0.8"), Decimal("0.95")  # shares of a budget from which its meter is amber, red
LAST = {f"job_{state}" for state in ENDED}  # kinds of events that are the last of a job
SAID = {"pause": "pause", "resume": "resume", "cancel": "stop"}  # actions, by the verb on their button


@require_safe
def run(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Show the page of the run.

    The run is read after its events, so that the header is never older than the stream. The stream counts as ended only
    if it has the last event; otherwise the page connects and receives the rest.
    """
    events = list(JobEvent.objects.filter(job__run=run_id).order_by("-seq")[:SHOWN])[::-1]
    found = get_run(request.user, run_id)  # raises, before anything is shown, if the user may not see the run
    last = events[-1] if events else None
    return render(
        request,
        "research/run.html",
        {
            **_context(found),
            **files_context(found),
            "tab": "research",
            "events": events,
            "earlier": events[0].seq - 1 if events else 0,
            "after": last.seq if last else 0,
            "over": last is not None and last.kind in LAST,
            "nodes": _tree(found),
            "may_rerun": _may_rerun(found),
        },
    )


@require_safe
@with_run()
def head(request: HttpRequest, found: Run) -> HttpResponse:
    """Show the header of the run page or, with ?part=coverage, the coverage scores. Reloaded when the phase changes."""
    part = "coverage" if request.GET.get("part") == "coverage" else "head"
    return render(request, f"research/run.html#{part}", _context(found))


@require_safe
@with_run()
def tree(request: HttpRequest, found: Run) -> HttpResponse:
    """Show the tree of questions with their current states."""
    return render(
        request,
        "research/run.html#tree",
        {"run": found, "nodes": _tree(found), "prepared": numbers_given(found), "may_rerun": _may_rerun(found)},
    )


@require_safe
@with_run()
def events(request: HttpRequest, found: Run) -> HttpResponse:
    """Show earlier events of the stream: the last SHOWN up to and including number ?before=."""
    before = request.GET.get("before", "")
    if not before.isdecimal() or len(before) > 9:
        raise Http404("?before= must be the number of an event.")
    rows = list(JobEvent.objects.filter(job=found.job_id, seq__lte=int(before)).order_by("-seq")[:SHOWN])[::-1]
    return render(
        request,
        "research/run.html#events",
        {"run": found, "events": rows, "earlier": rows[0].seq - 1 if rows else 0},
    )


@require_safe
@with_run()
def files(request: HttpRequest, found: Run) -> HttpResponse:
    """Show the chosen files with their current states. Reloaded when a file was read."""
    return render(
        request,
        "research/_files.html",
        {"project": found.project, "run": found, "files": files_of(found), "processing": processing_of(found)},
    )


@require_safe
@with_run()
def debug(request: HttpRequest, found: Run) -> HttpResponse:
    """Show the debug panel. Raises Http404 unless UI_DEBUG is on."""
    if not settings.UI_DEBUG:
        raise Http404("The debug panel is turned off.")
    return render(
        request, "research/_debug.html", {"project": found.project, "run": found, "debug": debug_panel_of(found)}
    )


@require_safe
@vary_on_headers("HX-Request")
@with_run()
def given(request: HttpRequest, found: Run, number: str) -> HttpResponse:
    """Show the notes from the files that question `number` was given: in a popover, or as a page of its own."""
    node = first_or_404(found.nodes.filter(number=number), "There is no such question in this run.")
    return render(
        request,
        f"research/question_notes.html{'#given' if request.htmx else ''}",  # type: ignore[attr-defined]
        {
            "project": found.project,
            "tab": "research",
            "run": found,
            "node": node,
            "given": given_to(found, number),
            "is_debug": settings.UI_DEBUG,
        },
    )


@require_POST
@with_run("write")
def control(request: HttpRequest, found: Run, act: str) -> HttpResponse:
    """Pause, resume or cancel the run, and show it again, with a message if that was not possible."""
    if act not in SAID:
        raise Http404("A run can be paused, resumed and cancelled.")
    try:
        done = resume(found) if act == "resume" else found.job.ask(act)
        said = "" if done else f"You cannot {SAID[act]} this run: it is {found.job.get_state_display().lower()}."
    except Refused as refused:
        said = refused.message
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "research/run.html#head", {**_context(get_run(request.user, found.pk)), "said": said})
    if said:
        messages.info(request, said)
    return redirect("research:run", found.pk)


def _context(found: Run) -> dict[str, Any]:
    """Return the template variables for the header and the side panels of a run."""
    job = found.job
    return {
        "project": found.project,
        "run": found,
        "job": job,
        "counters": job.counters,
        "spend": _spend(found),
        "phases": _phases(found),
        "coverage": coverage_chart(found.rounds),
        "asked_of": searches_by_provider(found),
        "may_write": may(found.project.role, "write"),  # type: ignore[attr-defined]
        "wanted": job.wanted,
        "queue_note": queue_note(job),
        "ran_for": _ran_for(job),
        "is_paused": job.state in IDLE,
        "awaits_approval": awaits_approval(found),
        "awaits_consent": awaits_consent(found),
        "personal_note": consent_note(found),
    }


def _spend(found: Run) -> dict[str, Any] | None:
    """Return what calls to a model have used, and the budget; None for a run that uses no model."""
    if found.only_quotes:
        return None
    limit = found.budget_usd
    return {
        "usd": spent(found.spent_usd),
        "tokens": found.spent_tokens,
        "calls": found.spent_calls,
        "budget": limit and {"usd": money(limit), "low": limit * NEARLY, "high": limit * ALMOST},
    }


def _ran_for(job: Job) -> timedelta | None:
    """Return the time from the start to the end, to now while the job runs, or to the last event while it is idle."""
    if job.started_at is None:
        return None
    until = job.ended_at
    if until is None and job.state != State.RUNNING:
        until = job.events.order_by("-seq").values_list("at", flat=True).first()
    return (until or timezone.now()) - job.started_at


def _phases(found: Run) -> list[dict[str, str]]:
    """Return the phases of the run, each with its state: done, now, failed or wait."""
    names = list(Phase)
    now = names.index(Phase(found.phase))
    here = {State.FAILED: "failed", State.CANCELLED: "failed", State.DONE: "done"}.get(State(found.job.state), "now")
    states = ["done" if n < now else here if n == now else "wait" for n in range(len(names))]
    rounds = f", round {found.rounds[-1]['round']}" if found.rounds and found.rounds[-1]["round"] > 1 else ""
    return [
        {
            "label": f"{phase.label}{rounds}" if phase == Phase.RESEARCH and state == "now" else phase.label,
            "state": state,
            "said": {"done": "done", "now": "in progress", "failed": "stopped", "wait": "not started"}[state],
        }
        for phase, state in zip(names, states, strict=True)
    ]


def _may_rerun(found: Run) -> bool:
    """Return whether the questions of the tree can be researched again (R17)."""
    return found.has_report and found.job.has_ended and may(found.project.role, "write")  # type: ignore[attr-defined]


def _tree(found: Run) -> list[dict[str, Any]]:
    """Return the nodes as nested {node, children, begins}, ordered by number, with one query.

    `begins` is the number of the round that starts with the node, from round 2 on; else 0.
    """
    in_order = sorted(found.nodes.all(), key=lambda node: [int(part) for part in node.number.split(".")])
    by_parent = grouped((node.parent_id, node) for node in in_order)

    def branch(parent: int | None) -> list[dict[str, Any]]:
        nodes = by_parent.get(parent, [])
        return [
            {"node": node, "children": branch(node.pk), "begins": node.round if parent and node.round > last else 0}
            for node, last in zip(nodes, [1, *(node.round for node in nodes)], strict=False)
        ]

    return branch(None)


LEFT, RIGHT, TOP, BOTTOM = 28.0, 272.0, 10.0, 92.0  # of the plot area in the chart, which is 280 wide and 116 high
FEWEST = 3  # the chart always has room for this many rounds, so that the first points do not move
LABELS = {
    "source_adequacy": "Sources per question",
    "weakest_node": "Weakest question",
    "domain_diversity": "Diversity of sources",
    "query_completion_rate": "Questions completed",
    "source_influence": "Influence of the sources",
    "overall": "Overall",
}


def coverage_chart(rounds: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the coverage chart of the measured rounds; None while there are none.

    Its keys: points [{round, value, x, y, label_y}], path, enough, enough_y, label_y, said, scores [{label, value}],
    rows, decision. Numbers are formatted here, with a decimal point whatever the language of the page.
    """
    measured = [row for row in rounds if row.get("scores")]
    if not measured:
        return None
    step = (RIGHT - LEFT) / max(FEWEST, len(measured))
    points = []
    for position, row in enumerate(measured, start=1):
        value = float(row["scores"]["overall"])
        y = _height(value)
        points.append(
            {
                "round": row["round"],
                "value": f"{value:.2f}",
                "x": _n(LEFT + position * step - step / 2),
                "y": _n(y),
                "label_y": _n(y + 18 if y < BOTTOM - 24 else y - 9),
            }
        )
    values = ", ".join(f"{point['value']} after round {point['round']}" for point in points)
    scores = measured[-1]["scores"]
    return {
        "points": points,
        "path": "M" + " L".join(f"{point['x']} {point['y']}" for point in points),
        "enough": f"{ENOUGH:.2f}",
        "enough_y": _n(_height(ENOUGH)),
        "label_y": _n(_height(ENOUGH) - 5),
        "said": f"Coverage by round: {values}. The target is {ENOUGH:.2f}.",
        "scores": [{"label": label, "value": scores[name]} for name, label in LABELS.items() if name in scores],
        "rows": measured,
        "decision": measured[-1]["decision"],
    }


def _height(value: float) -> float:
    return BOTTOM - min(1.0, max(0.0, value)) * (BOTTOM - TOP)


def _n(value: float) -> str:
    return f"{value:.1f}"
