"""The pages of what a run left: report, evidence, sources, findings, provenance, downloads."""

import json
from uuid import UUID

from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from projects.errors import Refused
from research.export import LABELS, export
from research.models import Claim, Finding, Node, Run, Source
from research.provenance import verify_run
from research.query_type import QueryType
from research.show import cut, outline_of, report_html
from research.structured import sources_of
from research.synthesis import distinct_findings
from research.views import find_run

PER_PAGE = 200
_CALLED: dict[QueryType, str] = {
    "literature_review": "Literature review",
    "comparison": "Comparison",
    "enumeration": "Overview",
    "howto": "Guide",
    "explanation": "Explanation",
}


def _beside(run: Run) -> dict[str, object]:
    """What every page of a finished run shows in its rail."""
    return {
        "project": run.project,
        "tab": "research",
        "run": run,
        "formats": LABELS,
        "counts": {
            "findings": run.findings.count(),
            "contradictions": run.contradictions.count(),
            "gaps": run.gaps.filter(resolution_notes="").count(),
            "provenance": run.provenance_length,
            "sources": run.sources.distinct_works().count(),
            "cited": run.sources.distinct_works().filter(number__isnull=False).count(),
        },
    }


@require_safe
def report(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The report with its margin: every marker opens the passage it rests on."""
    run = find_run(request, run_id)
    if not run.has_report:
        return redirect("research:run", run_id)
    claims = sorted(run.claims.all(), key=lambda claim: claim.position)  # batches are checked at the same time
    verdicts = [claim.verdict for claim in claims]
    context = {
        **_beside(run),
        "kind": _CALLED.get(run.query_type, ""),  # type: ignore[call-overload]
        "html": report_html(run, claims),
        "outline": outline_of(run.report),
        "verdicts": {name: verdicts.count(name) for name in ("SUPPORTED", "PARTIALLY", "UNSUPPORTED", "CONTRADICTED")},
        "checked": len(verdicts),
        "contradictions": run.contradictions.all(),
        "gaps": run.gaps.filter(resolution_notes=""),
    }
    return render(request, "research/report.html", context)


@require_safe
def evidence(request: HttpRequest, run_id: UUID, claim_id: str) -> HttpResponse:
    """The passage one claim rests on, its words marked: the popover of a marker, or a page of its own."""
    run = find_run(request, run_id)
    claim: Claim | None = (
        run.claims.select_related("source", "source__file", "source__citation").filter(claim_id=claim_id).first()
    )
    if claim is None:
        raise Http404("This run has no such claim.")
    context = {
        **_beside(run),
        "claim": claim,
        "source": claim.source,
        "passage": cut(claim.source.text, claim.start, claim.end),
        "opens": _opens(claim.source, claim.start, claim.end),
    }
    template = "research/evidence.html#evidence" if request.htmx else "research/evidence.html"  # type: ignore[attr-defined]
    return render(request, template, context)


def _opens(source: Source, start: int, end: int) -> dict[str, object] | None:
    """Where the passage stands in its file or reference, as far as that still exists."""
    span = {"start": source.offset + start, "end": source.offset + end}
    if source.file_id:
        return {"view": "contextfiles:file", "id": source.file_id, **span}
    if source.citation_id:
        return {"view": "citations:detail", "id": source.citation_id, **span}
    return None


@require_safe
def sources(request: HttpRequest, run_id: UUID) -> HttpResponse:
    run = find_run(request, run_id)
    page = Paginator(sources_of(run), PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "research/sources.html", {**_beside(run), "page": page})


@require_safe
def findings(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """What was found; with ?node=1.2 only what answers that question or one of its parts."""
    run = find_run(request, run_id)
    gaps = run.gaps.select_related("node")
    context = {**_beside(run), "contradictions": run.contradictions.all()}
    if "node" in request.GET:
        node = run.nodes.filter(number=request.GET["node"]).first()
        if node is None:
            raise Http404("This run has no such question.")
        context |= {"node": node, "findings": _findings_below(run, node), "gaps": gaps.filter(_below(node))}
    else:
        context |= {"findings": distinct_findings(run), "gaps": gaps}
    return render(request, "research/findings.html", context)


def _below(node: Node) -> Q:
    """What belongs to `node` or one of its parts."""
    return Q(node__number=node.number) | Q(node__number__startswith=f"{node.number}.")


def _findings_below(run: Run, node: Node) -> list[Finding]:
    """The findings of `node` and its parts, each span once, where it lies deepest.

    Not a choice from distinct_findings: there a span that another branch has as well may stand under that one only.
    """
    rows = run.findings.filter(_below(node)).select_related("source", "node").order_by("node__depth", "id")
    return list({(finding.source_id, finding.start, finding.end): finding for finding in rows}.values())


@require_safe
def provenance(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The log, and whether it holds."""
    run = find_run(request, run_id)
    page = Paginator(run.provenance.all(), PER_PAGE).get_page(request.GET.get("page"))
    entries = [(entry, json.dumps(entry.details, indent=2, ensure_ascii=False)) for entry in page]
    context = {**_beside(run), "page": page, "entries": entries, "verdict": verify_run(run)}
    return render(request, "research/provenance.html", context)


@require_safe
def download(request: HttpRequest, run_id: UUID, name: str) -> HttpResponse:
    run = find_run(request, run_id)
    try:
        made = export(run, name)
    except Refused as refused:
        raise Http404(refused.message) from None
    response = HttpResponse(made.text, content_type=made.content_type)
    response["Content-Disposition"] = f'attachment; filename="{made.file_name}"'
    return response
