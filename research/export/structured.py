"""The structured output of a run (SPEC R13), and its complete result as JSON."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.db.models import DecimalField, F, Sum, Value
from django.db.models.functions import Coalesce
from django.urls import reverse

from citations.formats.csl import year_of
from llm.models import Usage
from research.claim_check.claim_list import claims_of_run, sentences_of, verdict_counts
from research.context.run_files import context_as_data, processing_of
from research.deduplication.works import copies_of, known_of
from research.export.bibliography import bibtex_of, is_academic, keys_of
from research.journal.pipeline_version import versions_of
from research.models import Gap, Run, Source
from research.report.synthesis import distinct_findings
from research.review.citation_network import network_as_data
from research.review.prisma_flow import flow_of_run
from research.review.study_methods import methods_as_data
from research.supervision.contradictions import disputes_of

# Further fields of a source: the key here, and the variable in CSL.
_MORE = {
    "volume": "volume",
    "issue": "issue",
    "pages": "page",
    "publisher": "publisher",
    "pmid": "PMID",
    "pmcid": "PMCID",
    "isbn": "ISBN",
    "issn": "ISSN",
}


def structured(run: Run) -> dict[str, Any]:
    """Return what the run has found as data: {query_type, profile, sources, findings, gaps, contradictions ...}.

    Sources that the report cites come first, in the order of their numbers, so that marker [n] is source n.
    """
    sources = sources_of(run)
    copies = copies_of(run)
    keys = keys_of(source for source in sources if source.kind != Source.Kind.FILE)
    gaps = run.gaps.select_related("node")
    context = context_as_data(run)
    return {
        "query_type": run.query_type,
        "profile": run.profile,
        "pipeline_versions": versions_of(run),
        "context_processing": processing_of(run),
        "files": context["files"] if context else [],
        "sources": [
            {
                **source_as_dict(source, copies.get(source.pk, ())),
                "cite_key": keys.get(source.document, ""),
            }
            for source in sources
        ],
        "findings": [
            {
                "id": finding.finding_id,
                "content": finding.content,
                "confidence": finding.confidence,
                "source_ids": [finding.source.public_id],
                "category": finding.category,
                "question": finding.node.number,
                "quote": finding.quote,
                "page": finding.source.page,
                "offset": finding.source.offset + finding.start,
            }
            for finding in distinct_findings(run)
        ],
        "gaps": [_gap(gap) for gap in gaps.filter(resolution_notes="")],
        "resolved_gaps": [
            {**_gap(gap), "resolution_notes": gap.resolution_notes} for gap in gaps.exclude(resolution_notes="")
        ],
        "contradictions": [
            {
                "id": dispute.row.contradiction_id,
                "description": dispute.row.description,
                "source_ids": [side.source.public_id for side in dispute.sides],
                "question": dispute.node,
                "sides": [
                    {
                        "source_id": side.source.public_id,
                        "title": side.source.title,
                        "says": [finding.content for finding in side.findings],
                    }
                    for side in dispute.sides
                ],
            }
            for dispute in disputes_of(run)
        ],
        "claims": _claims(run),
        "rounds": run.rounds,
        "methods": methods_as_data(run),
        "network": network_as_data(run),
        "flow": flow_of_run(run).as_data(),
    }


def sources_of(run: Run) -> list[Source]:
    """Return all sources of the run, each work once: the cited ones by number, then the others as they were found.

    Their texts are not loaded.
    """
    return sorted(
        run.sources.distinct_works().defer("text").order_by("id"),
        key=lambda source: (source.number is None, source.number or 0, source.pk),
    )


def source_as_dict(source: Source, copies: Sequence[Source]) -> dict[str, Any]:
    """Return the source as a flat dict, completed from `copies`, the other records of its work."""
    csl = source.csl
    return {
        "id": source.public_id,
        "number": source.number,
        "title": source.title,
        "url": source.url,
        "source_type": source.source_type,
        "authors": [name_of(author) for author in csl.get("author", [])],
        "year": year_of(csl),
        "venue": csl.get("container-title") or csl.get("publisher") or "",
        "doi": csl.get("DOI", ""),
        "citation_count": source.citation_count,
        "retracted": source.retracted,
        "provider": source.provider,
        "academic": source.kind != Source.Kind.FILE and is_academic(source),
        "page": source.page,
        "heading": source.heading,
        "arxiv": known_of(source, copies, "arxiv"),
        "open_access_url": known_of(source, copies, "open_access_url"),
        "also_found_in": list(dict.fromkeys(copy.provider for copy in copies)),
        "retrieved_at": source.retrieved_at.isoformat(),
        **{name: csl.get(variable, "") for name, variable in _MORE.items()},
        **({"methodology": source.assessment} if source.assessment else {}),
    }


def name_of(author: dict[str, str]) -> str:
    """Return an author's name as "van Lunteren, J."; a group's name unchanged."""
    family = " ".join(filter(None, (author.get("non-dropping-particle"), author.get("family"))))
    return author.get("literal") or ", ".join(part for part in (family, author.get("given")) if part)


def _gap(gap: Gap) -> dict[str, Any]:
    return {
        "id": gap.gap_id,
        "description": gap.description,
        "priority": gap.priority,
        "suggested_queries": gap.suggested_queries,
        "question": gap.node.number,
        "round": gap.round,
    }


def _claims(run: Run) -> dict[str, Any]:
    """Return the claims of the report with their verdicts (R11); unchecked ones are counted separately.

    `ledger` is None for a report that was not checked, or was checked before runs had one.
    """
    sentences = sentences_of(claims_of_run(run))
    verdicts = verdict_counts(sentences)
    unchecked = verdicts.pop("UNCHECKED")
    return {
        "checked": sum(verdicts.values()),
        "not_checked": unchecked,
        "verdicts": verdicts,
        "fidelity": run.fidelity,
        "ledger": run.fidelity.get("ledger"),
        "each": [
            {
                "id": sentence.first.claim_id,
                "text": sentence.first.text,
                "section": sentence.first.section,
                "type": sentence.first.claim_type,
                "verdict": sentence.verdict,
                "outcome": sentence.outcome,
                "reason": sentence.first.reason,
                "source_ids": list(dict.fromkeys(row.source.public_id for row in sentence.claims if row.source)),
                "source_given": sentence.first.given,
            }
            for sentence in sentences
        ],
    }


def result(run: Run) -> dict[str, Any]:
    """Return everything about a finished run in one object: the shape of `manage.py research --format json`."""
    calls = run.steps.exclude(kind="note")
    zero = Value(Decimal(0), DecimalField(max_digits=14, decimal_places=8))
    used = Usage.objects.filter(subject=run.pk).aggregate(
        usd=Coalesce(Sum("cost_usd"), zero),
        input=Coalesce(Sum(F("input_tokens") + F("cache_read_tokens") + F("cache_write_tokens")), 0),
        output=Coalesce(Sum("output_tokens"), 0),
    )
    return {
        "run_id": str(run.pk),
        "question": run.question,
        "title": run.title,
        "report": run.report,
        "brief": run.brief,
        "warnings": run.warnings,
        "engine": run.engine,
        **structured(run),
        "usage": {
            "engine": run.engine,
            "model_calls": calls.filter(kind="model").count(),
            "searches": calls.filter(kind="search").count(),
            "input_tokens": used["input"],
            "output_tokens": used["output"],
            "cost_usd": f"{used['usd'].normalize():f}",
        },
        "bibtex": bibtex_of(run),
        "provenance_url": reverse("research:export", args=[run.pk, "provenance"]),
        "follow_ups": [
            {
                "number": asked.number,
                "kind": asked.kind,
                "text": asked.text,
                "about": asked.about,
                "state": asked.state,
                "answer": asked.answer,
            }
            for asked in run.follow_ups.all()
        ],
    }
