"""The pages of a run while it works: start it, watch it, pause, resume and stop it."""

from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django_htmx.middleware import HtmxDetails

from contextfiles.formats import ACCEPT, ACCEPTED
from jobs.models import ENDED, IDLE, Job, JobEvent, State
from projects.access import get_in_project, get_project, may
from projects.errors import Refused
from projects.models import Project
from research.budget import money, spent
from research.coverage import ENOUGH, coverage_of
from research.forms import StartForm
from research.models import Node, Phase, Run
from research.profiles import BUILT_IN, ResearchProfile
from research.reach import reach_of
from research.start import start_run

SHOWN = 200  # events in the page when it opens; earlier ones come on request
PER_PAGE = 30
NEARLY, ALMOST = Decimal("0.8"), Decimal("0.95")  # shares of a budget from which its meter is amber, red
LAST = {f"job_{state}" for state in ENDED}  # kinds of events after which nothing comes
SAID = {"pause": "pause", "resume": "resume", "cancel": "stop"}  # acts, as the buttons call them
PHASE_SAID = {"done": "done", "now": "under way", "failed": "stopped", "wait": "to come"}


class HtmxHttpRequest(HttpRequest):
    htmx: HtmxDetails


def find_run(request: HttpRequest, run_id: UUID, act: Any = "read") -> Run:
    """The run, through the person asking; its job comes with it."""
    run: Run = get_in_project(request.user, Run.objects.select_related("job", "created_by"), act, pk=run_id)
    return run


@require_safe
def list_runs(request: HttpRequest, project_id: UUID) -> HttpResponse:
    """The runs of a thesis and the form for a new one; or, with ?part=reach, what a run of ?profile= would send away."""
    project = get_project(request.user, project_id)
    if request.GET.get("part") == "reach":
        profile = BUILT_IN.get(request.GET.get("profile", ""))
        if profile is None:
            raise Http404("?profile= takes the name of a profile.")
        return render(request, "research/list.html#reach", {"reach": reach_of(profile)})
    asked = request.GET.get("question", "")
    if not asked and not Run.objects.filter(project=project).exists():
        asked = project.question  # the thesis's own question is the natural first one
    initial = {"profile": project.default_profile or settings.RESEARCH_DEFAULT_PROFILE, "question": asked}
    form = StartForm(initial=initial, has_budget=_has_budget())
    files = project.context_files.values_list("pk", flat=True)
    return _list_page(request, project, form, chosen=map(str, files))


@require_POST
def start(request: HttpRequest, project_id: UUID) -> HttpResponse:
    project = get_project(request.user, project_id, "write")
    form = StartForm(request.POST, has_budget=_has_budget())
    chosen = request.POST.getlist("files")
    if form.is_valid():
        try:
            run = start_run(
                project,
                request.user,  # type: ignore[arg-type]
                form.cleaned_data["question"],
                profile=form.cleaned_data["profile"],
                file_ids=_uuids(chosen),
                budget=form.cleaned_data.get("budget"),
                budget_tokens=form.cleaned_data.get("budget_tokens"),
                budget_calls=form.cleaned_data.get("budget_calls"),
            )
            return redirect("research:run", run.pk)
        except Refused as refused:
            form.add_error(refused.field if refused.field in form.fields else None, refused.message)
    return _list_page(request, project, form, chosen=chosen, status=422)


def _uuids(values: list[str]) -> list[UUID]:
    """The ids among `values`; what is none names no file of the project, and is refused as such."""
    try:
        return [UUID(value) for value in values]
    except ValueError:
        raise Refused("One of the chosen files is not in this thesis any more.", field="files") from None


def _has_budget() -> bool:
    """Whether a run of any profile would ask a model."""
    return any(reach_of(profile).has_budget for profile in BUILT_IN.values())


def _sent_to() -> str:
    """The service that a run which may leave this machine sends passages to; "" when there is none."""
    return next(filter(None, (reach_of(profile).model for profile in BUILT_IN.values())), "")


def _shown_profile(form: StartForm) -> ResearchProfile:
    """The profile that the form shows as chosen: a select whose value it does not know shows its first."""
    choices = [name for name, _ in form.fields["profile"].choices]  # type: ignore[attr-defined]
    value = form["profile"].value()
    return BUILT_IN[value if value in choices else choices[0]]


def _list_page(
    request: HttpRequest, project: Project, form: StartForm, *, chosen: Iterable[str], status: int = 200
) -> HttpResponse:
    """The runs of `project` and the form for a new one; the files whose ids are `chosen` are ticked."""
    ticked = set(chosen)
    files = list(project.context_files.all())
    runs = (
        Run.objects.filter(project=project)
        .select_related("job", "created_by")
        .annotate(
            cited=Count(
                "sources",
                filter=Q(sources__number__isnull=False, sources__duplicate_of=None, sources__is_passage=False),
            )
        )
        .defer("report")
        .order_by("-created_at")
    )
    page = Paginator(runs, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "project": project,
        "tab": "research",
        "form": form,
        "page": page,
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
        "remote": _sent_to(),
        "reach": reach_of(_shown_profile(form)),
        # For the panel of contextfiles/files.html, as it stands inside another form.
        "pick": True,
        "files": files,
        "chosen": {file.pk for file in files if str(file.pk) in ticked},
        "accept": ACCEPT,
        "accepted": ACCEPTED,
    }
    return render(request, "research/list.html", context, status=status)


@require_safe
def run(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The run as it stands. What ends between two readings is never older in the header than in the stream, and
    the stream is over only when it shows the last event: else the page connects, and is told.
    """
    events = list(JobEvent.objects.filter(job__run=run_id).order_by("-seq")[:SHOWN])[::-1]
    found = find_run(request, run_id)  # after the events; nothing is shown to whom it does not find the run for
    last = events[-1] if events else None
    context = {
        **_context(found),
        "tab": "research",
        "events": events,
        "earlier": events[0].seq - 1 if events else 0,
        "after": last.seq if last else 0,
        "over": last is not None and last.kind in LAST,
        "nodes": _tree(found),
    }
    return render(request, "research/run.html", context)


@require_safe
def head(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The header of the run page: phases, numbers, buttons; or, with ?part=coverage, the coverage scores.

    Asked for again when the phase changes.
    """
    part = "coverage" if request.GET.get("part") == "coverage" else "head"
    return render(request, f"research/run.html#{part}", _context(find_run(request, run_id)))


@require_safe
def tree(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The questions of the run as they stand."""
    found = find_run(request, run_id)
    return render(request, "research/run.html#tree", {"run": found, "nodes": _tree(found)})


@require_safe
def events(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Earlier events of the stream: the SHOWN up to number ?before=, which is the last of them."""
    found = find_run(request, run_id)
    before = request.GET.get("before", "")
    if not before.isdecimal() or len(before) > 9:
        raise Http404("?before= takes the number of an event.")
    rows = list(JobEvent.objects.filter(job=found.job_id, seq__lte=int(before)).order_by("-seq")[:SHOWN])[::-1]
    earlier = rows[0].seq - 1 if rows else 0
    return render(request, "research/run.html#events", {"run": found, "events": rows, "earlier": earlier})


@require_POST
def control(request: HttpRequest, run_id: UUID, act: str) -> HttpResponse:
    """Pause, resume or cancel. Says so when there is nothing to pause, resume or cancel any more."""
    found = find_run(request, run_id, "write")
    if act not in SAID:
        raise Http404("A run can be paused, resumed and cancelled.")
    done = found.job.resume() if act == "resume" else found.job.ask(act)
    said = "" if done else f"There was nothing to {SAID[act]}: the run is {found.job.get_state_display().lower()}."
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "research/run.html#head", {**_context(find_run(request, run_id)), "said": said})
    if said:
        messages.info(request, said)
    return redirect("research:run", run_id)


def _context(found: Run) -> dict[str, Any]:
    """What the header and the instruments of a run show."""
    job = found.job
    return {
        "project": found.project,
        "run": found,
        "job": job,
        "counters": job.counters,
        "spend": _spend(found),
        "phases": _phases(found),
        "coverage": coverage_of(found) if found.phase not in (Phase.FILES, Phase.BRIEF, Phase.RESEARCH) else None,
        "enough": ENOUGH,
        "may_write": may(found.project.role, "write"),  # type: ignore[attr-defined]
        "wanted": job.wanted,
        "ran_for": _ran_for(job),
        "is_paused": job.state in IDLE,
    }


def _spend(found: Run) -> dict[str, Any] | None:
    """What calls to a model have used, of what they may; None for a run that asks none."""
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
    """From the start to the end; while the job runs to now, while it rests to the last thing it told."""
    if job.started_at is None:
        return None
    until = job.ended_at
    if until is None and job.state != State.RUNNING:
        until = job.events.order_by("-seq").values_list("at", flat=True).first()
    return (until or timezone.now()) - job.started_at


def _phases(found: Run) -> list[dict[str, str]]:
    """The rail of phases: what is done, what is under way, what failed, what is to come."""
    names = list(Phase)
    now = names.index(Phase(found.phase))
    here = {State.FAILED: "failed", State.CANCELLED: "failed", State.DONE: "done"}.get(State(found.job.state), "now")
    states = ["done" if n < now else here if n == now else "wait" for n in range(len(names))]
    return [
        {"label": phase.label, "state": state, "said": PHASE_SAID[state]}
        for phase, state in zip(names, states, strict=True)
    ]


def _tree(found: Run) -> list[dict[str, Any]]:
    """The nodes as nested {node, children}, by number, from one query."""
    by_parent: dict[int | None, list[Node]] = {}
    for node in sorted(found.nodes.all(), key=lambda node: [int(part) for part in node.number.split(".")]):
        by_parent.setdefault(node.parent_id, []).append(node)

    def branch(parent: int | None) -> list[dict[str, Any]]:
        return [{"node": node, "children": branch(node.pk)} for node in by_parent.get(parent, [])]

    return branch(None)
