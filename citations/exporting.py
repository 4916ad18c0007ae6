"""A project's references for other programs: BibTeX and CSL-JSON for reference managers (SPEC C3, C10)."""

import json
from collections.abc import Iterable

from django.http import HttpResponse
from django.utils.text import slugify

from citations.bibtex import write_bibtex
from citations.entries import Csl
from citations.models import Citation
from projects.models import Project


def as_bibtex(citations: Iterable[Citation]) -> str:
    """All entries with doi, pmid and url; the note goes out as `annote`, which no style prints."""
    return "\n".join(
        write_bibtex({**row.csl, "note": row.note}, row.cite_key, reference_manager=True) for row in citations
    )


def as_csl(citations: Iterable[Citation]) -> str:
    """All entries as a CSL-JSON list; the note goes out as `abstract`, which no style prints."""
    items: list[Csl] = []
    for row in citations:
        item = {"id": row.cite_key, "citation-key": row.cite_key, **row.csl}
        items.append({**item, "abstract": row.note} if row.note else item)
    return json.dumps(items, ensure_ascii=False, indent=1)


def download(project: Project, format: str) -> HttpResponse:
    """The references of `project` as a file to save; `format` is bibtex or csl."""
    rows = Citation.objects.filter(project=project)
    if format == "csl":
        body, kind, suffix = as_csl(rows), "application/vnd.citationstyles.csl+json", "json"
    else:
        body, kind, suffix = as_bibtex(rows), "application/x-bibtex", "bib"
    name = slugify(project.title)[:60].strip("-") or "references"
    response = HttpResponse(body, content_type=f"{kind}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.{suffix}"'
    return response
