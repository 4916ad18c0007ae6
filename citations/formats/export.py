"""The export of a project's references as BibTeX, BibLaTeX, RIS or CSL-JSON (SPEC C3, C10)."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

from django.http import HttpResponse
from django.utils.text import slugify

from citations.formats.biblatex_writer import write_biblatex
from citations.formats.bibtex import write_bibtex
from citations.formats.reading import Csl
from citations.formats.ris_writer import write_ris
from citations.models import Citation, OtherKey, Tagging
from core.grouping import grouped
from projects.models import Project

_BETWEEN_KEYWORDS = re.compile(r"[,;]")


def as_bibtex(citations: Iterable[Citation]) -> str:
    """Return the entries as BibTeX with doi, pmid and url; the note becomes `abstract`, since most notes are one."""
    return "\n".join(
        write_bibtex({**row.csl, "note": row.note}, row.cite_key, reference_manager=True) for row in citations
    )


def as_biblatex(citations: Iterable[Citation]) -> str:
    """Return the entries as BibLaTeX; key aliases of an entry become `ids`, which biber supports."""
    rows = list(citations)
    others = grouped(OtherKey.objects.filter(citation__in=rows).values_list("citation", "key"))
    return "\n".join(
        write_biblatex({**row.csl, "note": row.note}, row.cite_key, others.get(row.pk, ())) for row in rows
    )


def as_csl(citations: Iterable[Citation]) -> str:
    """Return the entries as a CSL-JSON list; the note becomes `abstract`, which no style prints."""
    return csl_list(_with_abstracts(citations))


def as_ris(citations: Iterable[Citation]) -> str:
    """Return the entries as RIS; the note becomes the abstract, since most notes are one."""
    return "\n".join(write_ris(csl, key) for key, csl in _with_abstracts(citations))


def _with_abstracts(citations: Iterable[Citation]) -> Iterator[tuple[str, Csl]]:
    return ((row.cite_key, {**row.csl, "abstract": row.note} if row.note else row.csl) for row in citations)


def csl_list(works: Iterable[tuple[str, Csl]]) -> str:
    """Return works, given with their keys, as a CSL-JSON list."""
    items: list[Csl] = []
    for key, csl in works:
        named = {"id": key, "citation-key": key}
        items.append(named | csl | named)  # id and key come first and override those of `csl`
    return json.dumps(items, ensure_ascii=False, indent=1)


def download(project: Project, format: str, ids: Sequence[UUID] | None = None) -> HttpResponse:
    """Return references of `project` as a file to download, all or those with these `ids`.

    `format` is bibtex, biblatex, ris or csl. Tags become keywords of the file; the stored entries are not changed.
    """
    write, kind, suffix = _FORMATS.get(format, _FORMATS["bibtex"])
    name = slugify(project.title)[:60].strip("-") or "references"
    rows = list(Citation.objects.filter(project=project))
    if ids is not None:
        wanted = set(ids)
        rows = [row for row in rows if row.pk in wanted]
    response = HttpResponse(write(_with_tags(project, rows)), content_type=f"{kind}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.{suffix}"'
    return response


def _with_tags(project: Project, rows: list[Citation]) -> list[Citation]:
    """Return the unsaved `rows` with their tags among the keywords of their CSL."""
    tags = grouped(Tagging.objects.filter(tag__project=project).values_list("citation", "tag__name"))
    for row in rows:
        if names := tags.get(row.pk):
            keywords = [one.strip() for one in _BETWEEN_KEYWORDS.split(str(row.csl.get("keyword") or ""))]
            by_folded = {one.casefold(): one for one in reversed([*keywords, *names]) if one}
            row.csl = {**row.csl, "keyword": ", ".join(reversed(by_folded.values()))}
    return rows


_FORMATS = {
    "bibtex": (as_bibtex, "application/x-bibtex", "bib"),
    "biblatex": (as_biblatex, "application/x-bibtex", "bib"),
    "ris": (as_ris, "application/x-research-info-systems", "ris"),
    "csl": (as_csl, "application/vnd.citationstyles.csl+json", "json"),
}
FORMAT_NAMES = (
    ("bibtex", "BibTeX (.bib)"),
    ("biblatex", "BibLaTeX (.bib)"),
    ("ris", "RIS (.ris)"),
    ("csl", "CSL-JSON (.json)"),
)
