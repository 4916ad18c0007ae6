"""The structured output of a run, beside its prose (SPEC R13), and the whole result as JSON."""

from decimal import Decimal
from typing import Any

from django.db.models import DecimalField, F, Sum, Value
from django.db.models.functions import Coalesce
from django.urls import reverse

from citations.bibtex import write_bibtex
from citations.csl import make_key, year_of
from llm.models import Usage
from research.models import Run, Source
from research.synthesis import distinct_findings


def structured(run: Run) -> dict[str, Any]:
    """{query_type, profile, sources, findings, gaps, contradictions}: what the run knows, as data.

    Sources that the report cites come first, in the order of their numbers, so that marker [n] is source n.
    """
    public = {source.source_id: source.public_id for source in run.sources.only("source_id", "document", "kind")}
    return {
        "query_type": run.query_type,
        "profile": run.profile,
        "sources": [source_as_dict(source) for source in sources_of(run)],
        "findings": [
            {
                "id": finding.finding_id,
                "content": finding.content,
                "confidence": finding.confidence,
                "source_ids": [finding.source.public_id],
                "category": finding.category,
            }
            for finding in distinct_findings(run)
        ],
        "gaps": [
            {
                "id": gap.gap_id,
                "description": gap.description,
                "priority": gap.priority,
                "suggested_queries": gap.suggested_queries,
            }
            for gap in run.gaps.open()
        ],
        "contradictions": [
            {
                "id": row.contradiction_id,
                "description": row.description,
                "source_ids": list(dict.fromkeys(public[one] for one in row.source_ids if one in public)),
            }
            for row in run.contradictions.order_by("contradiction_id")
        ],
    }


def sources_of(run: Run) -> list[Source]:
    """All sources of the run, each work once: the cited ones by number, then the others as they were found."""
    rows = list(run.sources.distinct_works().order_by("id"))
    return sorted(rows, key=lambda source: (source.number is None, source.number or 0, source.pk))


def source_as_dict(source: Source) -> dict[str, Any]:
    csl = source.csl
    return {
        "id": source.public_id,
        "number": source.number,
        "title": source.title,
        "url": source.url,
        "source_type": source.source_type,
        "authors": [_name(author) for author in csl.get("author", [])],
        "year": year_of(csl),
        "venue": csl.get("container-title") or csl.get("publisher") or "",
        "doi": csl.get("DOI", ""),
        "citation_count": source.citation_count,
        "retracted": source.retracted,
        "provider": source.provider,
        "page": source.page,
    }


def _name(author: dict[str, str]) -> str:
    return author.get("literal") or ", ".join(part for part in (author.get("family"), author.get("given")) if part)


def result(run: Run) -> dict[str, Any]:
    """Everything about a finished run in one object: the shape of `manage.py research --format json`."""
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
        "context_processing": run.context_processing,
    }


def bibtex_of(run: Run) -> str:
    """The published works the report cites, as BibTeX for a reference manager."""
    rows = run.sources.distinct_works().filter(number__isnull=False).exclude(kind=Source.Kind.FILE).order_by("number")
    # A catalogue's work must not take the key that one of the thesis's own references has.
    taken = {row.document for row in rows if row.kind == Source.Kind.REFERENCE}
    return "\n".join(write_bibtex(source.csl, _key(source, taken), reference_manager=True) for source in rows)


def _key(source: Source, taken: set[str]) -> str:
    """The cite key of an exported work: that of the thesis's own reference, else surname and year (C5)."""
    own = source.document if source.kind == Source.Kind.REFERENCE else ""
    key = own or make_key(source.csl, taken)
    taken.add(key)
    return key
