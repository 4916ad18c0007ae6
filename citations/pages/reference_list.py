"""The list of references, and the pages around it: audit, duplicates, adding, checks (SPEC C3, C5, C7, C9).

While a check runs, the strip above the rows polls every second with the waiting rows, and only rows that have changed
are sent, so that nothing else on the page moves.
"""

from collections.abc import Iterable
from typing import Any, Literal
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Min
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import replace_url, reswap, retarget, trigger_client_event

from citations.audit.audit import audit_project
from citations.audit.audit_card import make_card
from citations.editing.duplicates import find_duplicates, merge
from citations.formats.export import FORMAT_NAMES
from citations.importing.add_references import add
from citations.importing.file_import import MAX_PROBLEMS
from citations.importing.stored_file_entries import IMPORT, import_result
from citations.library.list_filter import (
    SORTS,
    ListFilter,
    count_proven,
    filter_counts,
    filter_entries,
    known_filter,
    offered_filters,
)
from citations.library.saved_filters import filter_of
from citations.library.tags import tags_of_project
from citations.models import Citation, CitationQuerySet, SavedFilter
from citations.pages.forms import AddForm, ImportForm, add_refused
from citations.pages.reference_rows import ids_in, rows_of, waiting_mark, with_row_columns
from citations.resolution.check_job import check_again, running_check
from core.errors import Refused
from jobs.models import Job
from projects.access import get_project, may
from projects.models import Project
from projects.signed_in_request import PersonRequest
from projects.stored_files import has_file

PER_PAGE = 50  # more would keep the browser busy for over 50 ms when they are replaced
PAGE = "citations/citations.html"
ROWS = "citations/_rows.html"


@require_safe
@vary_on_headers("HX-Request", "HX-Target")
def citations(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the list of references, or for htmx only the rows with the counts of the filters."""
    project = get_project(request.user, project_id)
    # The parameter `brought` is the id of a job that imported a file's entries; its result is shown above the list.
    job = Job.objects.filter(project=project, kind=IMPORT, pk__in=ids_in([request.GET.get("brought", "")])).first()
    return list_page(
        request,
        project,
        ImportForm(),
        template=ROWS if request.htmx and request.htmx.target == "rows" else PAGE,
        brought=import_result(job) if job else None,
        brought_from=job.subject if job and has_file(project, job.subject) else None,
    )


def list_page(
    request: PersonRequest,
    project: Project,
    form: ImportForm,
    *,
    template: str = PAGE,
    status: int = 200,
    **told: Any,
) -> HttpResponse:
    """Show the list, or only `template` for htmx; `told` are results of adding or importing, shown above it."""
    return render(
        request,
        template,
        {
            **list_context(request, project),
            "form": form,
            "add_form": AddForm(auto_id="add_%s"),
            "most_problems": MAX_PROBLEMS,
            "only_rows": template == ROWS,
            **told,
        },
        status=status,
    )


def list_context(request: HttpRequest, project: Project) -> dict[str, Any]:
    """Return the template context of the list for the search words, filter and page in the URL."""
    everything = Citation.objects.filter(project=project)
    shown = ListFilter.read(request.GET)
    counted = filter_counts(everything)
    page = Paginator(with_row_columns(shown.of(everything)), PER_PAGE).get_page(request.GET.get("page"))
    tags = list(tags_of_project(project))
    return {
        "project": project,
        "tab": "citations",
        "counts": counted,
        **check_strip(project, counted),
        **filter_context(everything, counted, shown),
        "tags": tags,
        "shown_tag": next((tag for tag in tags if tag.pk == shown.tag), None),
        "export_formats": FORMAT_NAMES,
        "sorts": [(name, label) for name, (label, _) in SORTS.items()],
        "saved_filters": [
            (saved, filter_of(saved).query(), filter_of(saved) == shown)
            for saved in SavedFilter.objects.filter(project=project)
        ],
        "page": page,
        "rows": rows_of(project, page),
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
        "may_attest": may(project.role, "attest"),  # type: ignore[attr-defined]
    }


def filter_context(entries: CitationQuerySet, counted: dict[str, int], shown: ListFilter) -> dict[str, Any]:
    """Return the template context of the filter buttons and of the links that keep what the list shows."""
    return {
        "filters": offered_filters(entries, counted, shown),
        "listed": shown,
        "query": shown.query(),
        "shown": shown.show,
        "q": shown.q,
    }


@require_safe
@vary_on_headers("HX-Request")
def audit(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the current audit: only its card for htmx, else a page with the card."""
    project = get_project(request.user, project_id)
    return render(
        request,
        "citations/_audit.html" if request.htmx else "citations/audit.html",
        {
            "project": project,
            "tab": "citations",
            "audit": make_card(project, audit_project(project)),
            "audited_at": timezone.now(),
        },
    )


PAIRS_SHOWN = 100


@require_http_methods(["GET", "HEAD", "POST"])
def duplicates(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the pairs of possible duplicates, or merge the two references sent by POST and go back to that page."""
    project = get_project(request.user, project_id, "write" if request.method == "POST" else "read")
    wrong, status = "", 200
    if request.method == "POST":
        try:
            kept = merge(project, request.user, *_two_ids(request))
        except Refused as refused:
            wrong, status = refused.message, refused.status
        else:
            messages.success(request, f"Merged. The text may cite {kept.cite_key} by either key.")
            return redirect("citations:duplicates", project.pk)
    pairs = find_duplicates(project)
    return render(
        request,
        "citations/duplicates.html",
        {
            "project": project,
            "tab": "citations",
            "pairs": pairs[:PAIRS_SHOWN],
            "count": len(pairs),
            "wrong": wrong,
            "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
        },
        status=status,
    )


@require_safe
def duplicates_hint(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show a notice above the list if there are possible duplicates; it is loaded after the list."""
    project = get_project(request.user, project_id)
    return render(request, "citations/_duplicates.html", {"project": project, "count": len(find_duplicates(project))})


def _two_ids(request: PersonRequest) -> tuple[UUID, UUID]:
    try:
        one, other = (UUID(value) for value in request.POST.getlist("citation"))
    except ValueError:
        raise Http404 from None
    return one, other


@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request")
def add_page(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the form to add works, prefilled with the parameter `text`, or add them and show the list with results."""
    project = get_project(request.user, project_id, "write")
    if request.method != "POST":
        form = AddForm(initial={"text": request.GET.get("text", "")[:500]}, auto_id="add_%s")
        return _form(request, project, form)
    form = AddForm(request.POST, auto_id="add_%s")
    if form.is_valid():
        try:
            added = add(project, request.user, text=form.cleaned_data["text"])
        except Refused as refused:
            add_refused(form, refused)
        else:
            answer = list_page(
                request,
                project,
                ImportForm(),
                template=f"{PAGE}#citations" if request.htmx else PAGE,
                added={
                    "new": [one for one in added if not one.existing],
                    "here": [one.citation for one in added if one.existing],
                    "problems": added.problems,
                },
            )
            return replace_url(answer, reverse("citations:list", args=[project.pk])) if request.htmx else answer
    return _form(request, project, form, status=422)


def _form(request: PersonRequest, project: Project, form: AddForm, status: int = 200) -> HttpResponse:
    context = {"project": project, "tab": "citations", "add_form": form}
    if request.htmx and status != 200:
        return retarget(render(request, "citations/_add.html", context, status=status), "#add-form")
    return render(request, "citations/add.html", context, status=status)


State = Literal["running", "later", "demo", "unchecked", "idle"]  # and "ended", sent once to a page that saw it running
_MOST = 200  # rows that a page can poll at once; it shows fewer
_MOST_NEWS = 10  # rows that turn in one answer while a check runs, so that the page stays quick; the others turn next


def check_strip(project: Project, counted: dict[str, int]) -> dict[str, Any]:
    """Return the template context of the strip above the rows: `check_state`, the job, the time of the next retry."""
    check = running_check(project)
    states: dict[State, bool] = {
        "running": check is not None,
        "later": counted["waiting"] > 0,
        "demo": counted["demo"] > 0,
        "unchecked": counted["unchecked"] > 0,
    }
    state = next((name for name, holds in states.items() if holds), "idle")
    due = None
    if state == "later":
        due = filter_entries(Citation.objects.filter(project=project), "waiting").aggregate(next=Min("check_due_at"))[
            "next"
        ]
    return {
        "check": check,
        "check_state": state,
        "check_every": {"running": "1s", "later": "15s"}.get(state, ""),
        "next_check": due if due and due > timezone.now() else None,
        # The state that a page has seen, so that only changes are sent again.
        "seen": "-".join([state, *map(str, counted.values())]),
        "proven": count_proven(counted),
        "doubtful": counted["doubtful"],
    }


@require_POST
def check(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Start a check of the chosen entries, or of all that a filter shows, and go back to the list."""
    project = get_project(request.user, project_id, "write")
    everything = Citation.objects.filter(project=project)
    shown = known_filter(request.POST.get("all", ""))
    chosen = list(
        filter_entries(everything, shown)
        if shown
        else everything.filter(pk__in=ids_in(request.POST.getlist("citation")[:_MOST]))
    )
    try:
        check_again(project, chosen, request.user)
    except Refused as refused:
        return _refused(request, project, refused)
    if not request.htmx:
        return redirect("citations:list", project.pk)
    return _render_progress(request, project, dict.fromkeys([one.pk for one in chosen[:_MOST]], "new"), whole=True)


@require_POST
def stop(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Stop the running check and go back to the list. Verdicts saved so far stay."""
    project = get_project(request.user, project_id, "write")
    if job := running_check(project):
        job.ask("cancel")
    if not request.htmx:
        return redirect("citations:list", project.pk)
    return _render_progress(request, project, _marks(request.POST.getlist("row")), seen="running", whole=True)


@require_safe
def progress(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the progress of the check, with the rows that have changed since the page last asked."""
    return _render_progress(
        request,
        get_project(request.user, project_id),
        _marks(request.GET.getlist("row")),
        seen=request.GET.get("seen", ""),
    )


def _render_progress(
    request: PersonRequest, project: Project, shown: dict[UUID, str], *, seen: str = "", whole: bool = False
) -> HttpResponse:
    """Show the strip, and out of band everything else that has changed: rows, counts, and a live region's sentence."""
    everything = Citation.objects.filter(project=project)
    counted = filter_counts(everything)
    told = check_strip(project, counted)
    state, before = told["check_state"], seen.partition("-")[0]
    turned = [one for one in with_row_columns(everything.filter(pk__in=shown)) if waiting_mark(one) != shown[one.pk]]
    asked = request.POST if request.method == "POST" else request.GET
    current = ListFilter.read(asked)
    has_ended = before == "running" and state != "running"
    if state == "running":
        turned = turned[:_MOST_NEWS]
    if has_ended and state == "idle":
        told["check_state"] = "ended"
    context = {
        **told,
        "project": project,
        "counts": counted,
        **filter_context(everything, counted, current),
        "rows": rows_of(project, turned),
        "strip": whole or state != before,
        "counts_changed": told["seen"] != seen,
        "has_ended": has_ended,
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
        "may_attest": may(project.role, "attest"),  # type: ignore[attr-defined]
    }
    response = render(request, "citations/_check_progress.html", context)
    if turned and state != "running" or has_ended:
        trigger_client_event(response, "citations-changed")
    return retarget(reswap(response, "outerHTML"), "#check") if context["strip"] else response


def _refused(request: PersonRequest, project: Project, refused: Refused) -> HttpResponse:
    """Show the message of a Refused without changing the page."""
    if request.htmx:
        return trigger_client_event(reswap(HttpResponse(), "none"), "toast", {"text": refused.message})
    messages.warning(request, refused.message)
    return redirect("citations:list", project.pk)


def _marks(given: Iterable[str]) -> dict[UUID, str]:
    """Return the waiting marks that a page sent, by id; invalid ones are left out."""
    return {one: mark for mark in list(given)[:_MOST] for one in ids_in([mark.partition(".")[0]])}
