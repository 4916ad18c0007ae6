"""The result pages of a run: report, claims, evidence, sources, findings, provenance and downloads; and for literature
reviews study methods, citation network and flow of records (SPEC R15).
"""

import json

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from core.errors import Refused
from projects.access import may
from research.access import first_or_404, with_run
from research.claim_check.claim_list import (
    CHANGED,
    OUTCOMES,
    STANDING,
    TYPES,
    VERDICTS,
    ClaimFilter,
    claims_of_run,
    in_order,
    sentences_of,
    summary_of,
)
from research.context.digest_files import reader_query
from research.context.run_files import files_of
from research.export import export
from research.export.bibliography import Choice
from research.journal.pipeline_version import PIPELINE_VERSION, versions_of, versions_text
from research.journal.provenance import verify_run
from research.models import ProvenanceEntry, Run, Source
from research.pages.follow_up import FollowUpForm, follow_ups_of
from research.pages.log_and_sources import (
    AT_ONCE,
    PER_PAGE,
    SHOWN,
    LogFilter,
    SourceFilter,
    facts_of,
    log_list,
    page_of,
    phase_name,
    source_list,
)
from research.pages.report_html import file_places, outline_of, passage_excerpt, report_html, result_context
from research.query_type import report_type_label
from research.report.draft import partial_label
from research.report.finding_list import finding_list, in_subtree
from research.review import citation_network_diagram, prisma_flow_diagram
from research.review.prisma_flow import flow_of_run
from research.review.study_methods import METHOD_LABELS, assessed, has_methods, studies_of_row
from research.supervision.contradictions import disputes_of


@require_safe
@with_run()
def report(request: HttpRequest, run: Run) -> HttpResponse:
    """Show the report; every marker opens the passage it is based on."""
    if not run.has_report:
        return redirect("research:run", run.pk)
    claims = in_order(run.claims.all())
    return render(
        request,
        "research/report.html",
        {
            **result_context(run),
            "kind": report_type_label(run.query_type),
            "html": report_html(run, claims, file_places(run)),
            "outline": outline_of(run.report),
            "check": summary_of(run, claims),
            "partial": partial_label(run.report),
            "contradictions": run.contradictions.all(),
            "files": files_of(run),
            "gaps": run.gaps.filter(resolution_notes=""),
            **follow_ups_of(run),
            "form": FollowUpForm(run=run),
        },
    )


@require_safe
@with_run()
def claims(request: HttpRequest, run: Run) -> HttpResponse:
    """Show the claims with their verdicts and cited passages; ?verdict=, ?type= and ?outcome= filter them."""
    rows = claims_of_run(run)
    sentences = sentences_of(rows)
    wanted = ClaimFilter.of(request.GET)
    page = Paginator([one for one in sentences if wanted.fits(one)], per_page=50).get_page(request.GET.get("page"))
    # Each passage: the part that was compared, and a little context.
    shown = [
        (
            one,
            [
                (row, passage_excerpt(row.cited.text, row.start, row.end, around=160))
                for row in one.claims
                if row.source_id
            ],
        )
        for one in page
    ]
    query = request.GET.copy()
    query.pop("page", None)
    return render(
        request,
        "research/claims.html",
        {
            **result_context(run),
            "check": summary_of(run, rows),
            "page": page,
            "shown": shown,
            "total": len(sentences),
            "wanted": wanted,
            "query": query.urlencode(),
            "choices": {
                "verdict": VERDICTS,
                "type": TYPES,
                "outcome": {**OUTCOMES, CHANGED: "All changed claims", STANDING: "All claims in the report"},
            },
        },
    )


@require_safe
@with_run()
def evidence(request: HttpRequest, run: Run, claim_id: str) -> HttpResponse:
    """Show the passage one claim is based on, highlighted: in the popover of a marker, or as a page of its own."""
    rows = run.claims.select_related("source", "source__file", "source__citation")
    claim = first_or_404(rows.filter(claim_id=claim_id), "There is no such claim in this run.")
    return render(
        request,
        f"research/evidence.html{'#evidence' if request.htmx else ''}",  # type: ignore[attr-defined]
        {
            **result_context(run),
            "claim": claim,
            "source": claim.source,
            "passage": passage_excerpt(claim.source.text, claim.start, claim.end) if claim.source else None,
            "before": VERDICTS.get(claim.before.get("verdict", ""), ""),
            "opens": _opens(run, claim.source, claim.start, claim.end) if claim.source else None,
        },
    )


def _opens(run: Run, source: Source, start: int, end: int) -> dict[str, object] | None:
    """Return the view, id and span that open the passage in its file or reference; None if that was deleted."""
    span = {"start": source.offset + start, "end": source.offset + end}
    if source.file_id:
        return {"view": "contextfiles:file", "id": source.file_id, **span, "reading": reader_query(run)}
    return {"view": "citations:detail", "id": source.citation_id, **span} if source.citation_id else None


@require_safe
@with_run()
def sources(request: HttpRequest, run: Run) -> HttpResponse:
    """Show the sources, each work once; ?q=, ?show=, ?kind= and ?from= filter them."""
    asked = SourceFilter.of(request.GET)
    found = source_list(run, asked)
    page = Paginator(found.works, per_page=100).get_page(request.GET.get("page"))
    return render(
        request,
        "research/sources.html",
        {**result_context(run), "page": page, "asked": asked, "found": found, "shown": SHOWN},
    )


@require_safe
@with_run()
def findings(request: HttpRequest, run: Run) -> HttpResponse:
    """Show the findings; with ?node=1.2 only those for that question and its parts."""
    node, gaps = None, run.gaps.select_related("node")
    context = result_context(run)
    if "node" in request.GET:
        node = first_or_404(run.nodes.filter(number=request.GET["node"]), "There is no such question in this run.")
        gaps = gaps.filter(in_subtree(node))
    else:
        context["disputes"] = disputes_of(run)
    context |= {
        "node": node,
        "page": Paginator(finding_list(run, node), per_page=200).get_page(request.GET.get("page")),
        "query": f"node={node.number}" if node else "",
        "gaps": [gap for gap in gaps if not gap.resolution_notes],
        "resolved": [gap for gap in gaps if gap.resolution_notes],
        "may_ask": run.has_report and may(run.project.role, "write"),  # type: ignore[attr-defined]
        "may_put": may(run.project.role, "write"),  # type: ignore[attr-defined]
    }
    return render(request, "research/findings.html", context)


@require_safe
@vary_on_headers("HX-Request")
@with_run()
def provenance(request: HttpRequest, run: Run) -> HttpResponse:
    """Show the provenance log; ?q=, ?phase= and ?event= filter it, ?at=42 opens that entry, ?check=1 verifies it."""
    if "check" in request.GET and request.htmx:  # type: ignore[attr-defined]
        return render(request, "research/provenance.html#verdict", {"verdict": verify_run(run)})
    asked = LogFilter.of(request.GET)
    found = log_list(run, asked)
    at = request.GET.get("at", "")
    turned = page_of(found.rows, int(at)) if at.isascii() and at.isdigit() and len(at) < 10 else None
    page = Paginator(found.rows, PER_PAGE).get_page(turned or request.GET.get("page"))
    context = {
        "run": run,
        "asked": asked,
        "found": found,
        "page": page,
        "entries": [_shown(run, entry) for entry in page],
    }
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "research/provenance.html#log", context)
    is_checked = "check" in request.GET or run.provenance_length <= AT_ONCE
    context |= {
        **result_context(run),
        "verdict": verify_run(run) if is_checked else None,
        "made_by": versions_text(versions_of(run)),
        "version": PIPELINE_VERSION,
    }
    return render(request, "research/provenance.html", context)


def _shown(run: Run, entry: ProvenanceEntry) -> dict[str, object]:
    return {
        "row": entry,
        "phase": phase_name(entry.phase),
        "facts": list(facts_of(entry.details)),
        "json": json.dumps(entry.details, indent=2, ensure_ascii=False),
        "link": f"{reverse('research:provenance', args=[run.pk])}?at={entry.seq}#e{entry.seq}",
    }


@require_safe
@with_run()
def download(request: HttpRequest, run: Run, name: str) -> HttpResponse:
    """Download the run in one of its formats; ?all=1 and ?academic=1 choose the works of a bibliography."""
    try:
        return export.download(
            run, name, Choice(everything=request.GET.get("all") == "1", academic=request.GET.get("academic") == "1")
        )
    except Refused as refused:
        if refused.status == 503:
            messages.error(request, refused.message)
            return redirect("research:report", run.pk)
        raise Http404(refused.message) from None


@require_safe
@with_run()
def methods(request: HttpRequest, run: Run) -> HttpResponse:
    """Show the methods of each study, with the quotes that state them."""
    rows = [
        {
            "source": row,
            "label": label,
            "told": [(name, _notes(kept.get(field))) for field, name in METHOD_LABELS.items()],
            "tells": has_methods(kept),
        }
        for row in assessed(run)
        for label, kept in studies_of_row(row)
    ]
    return render(
        request,
        "research/methods.html",
        {
            **result_context(run),
            "studies": rows,
            "is_on": run.profile_config.get("enable_methodology_assessment", False),
        },
    )


def _notes(kept: object) -> list[object]:
    """Return a field of an assessment as a list, whether it has one note, several or none."""
    return kept if isinstance(kept, list) else [kept] if kept else []


@require_safe
@with_run()
def network(request: HttpRequest, run: Run) -> HttpResponse:
    """Show the citation network as a diagram and as a table."""
    drawn = run.network
    papers = drawn.get("papers", [])
    numbers = {paper["id"]: row for row, paper in enumerate(papers, start=1)}
    cites: dict[str, list[int]] = {paper["id"]: [] for paper in papers}
    for link in drawn.get("links", []):
        cites[link["from"]].append(numbers[link["to"]])
    return render(
        request,
        "research/network.html",
        {
            **result_context(run),
            "drawn": drawn,
            "rows": [(numbers[paper["id"]], paper, sorted(cites[paper["id"]])) for paper in papers],
            "picture": citation_network_diagram.picture_of(drawn) if papers else None,
            "is_on": run.profile_config.get("enable_citation_network", False),
        },
    )


@require_safe
@with_run()
def flow(request: HttpRequest, run: Run) -> HttpResponse:
    """Show the flow of records from search to report, as a diagram and as a table."""
    counts = flow_of_run(run)
    return render(
        request,
        "research/flow.html",
        {
            **result_context(run),
            "flow": counts,
            "picture": prisma_flow_diagram.picture_of(counts),
            "rows": prisma_flow_diagram.rows_of(counts),
        },
    )
