"""The references of a thesis for somebody who is citing: found on the first key, best first (SPEC C8)."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Q
from django.db.models.functions import Lower

from citations.models import Citation
from citations.shelf import Shelf
from projects.models import Project
from sources.work import Work

SHOWN = 8
COUNTED = 200
_FIELDS = (
    *("id", "project_id", "cite_key", "title", "authors", "year", "csl", "doi", "pmid", "status", "tier", "retracted"),
    *("evidence_type", "check_due_at", "published_doi", "source_doi", "source_pmid", "reason", "diff"),
)


def matching_words(project: Project, words: str) -> tuple[list[Citation], int]:
    """The entries with all of `words`, at most SHOWN, best first, and how many have them; the newest for no words.

    Only the first COUNTED are counted and put in order: where more have the words, these say too little to choose by.
    """
    found = Citation.objects.filter(project=project).matching(words)
    if not words.strip():
        newest = found.order_by("-serial", "-created_at", "pk")
        return list(_whole(newest[:SHOWN])), newest[:COUNTED].count()
    texts = list(found.order_by().values_list("cite_key", "authors", "title", "year")[:COUNTED])
    texts.sort(key=lambda row: (_rank(words.casefold().strip(), *row[:3]), -(row[3] or 0), row[0]))
    order = [row[0] for row in texts[:SHOWN]]
    rows = {row.cite_key: row for row in _whole(Citation.objects.filter(project=project, cite_key__in=order))}
    return [rows[key] for key in order if key in rows], len(texts)


def _rank(words: str, *texts: str) -> int:
    """What is typed is most often the beginning of a key, then of the first author's name, then of the title."""
    begins = (place for place, text in enumerate(texts) if text.casefold().startswith(words))
    return next(begins, len(texts))


def known_by(project: Project, *, dois: Iterable[str] = (), pmids: Iterable[str] = ()) -> list[Citation]:
    """The entries under one of these DOIs (in small letters) or PMIDs, as claimed or as a registry knows them."""
    doi, pmid = [one for one in dois if one], [one for one in pmids if one]
    if not doi and not pmid:
        return []
    rows = Citation.objects.filter(project=project).alias(low=Lower("doi"), source_low=Lower("source_doi"))
    found = Q(low__in=doi) | Q(source_low__in=doi) | Q(pmid__in=pmid) | Q(source_pmid__in=pmid)
    return list(_whole(rows.filter(found)))


def cited_already(project: Project, works: Sequence[Work]) -> list[Citation | None]:
    """The entry that each of `works` is, as adding it would find it."""
    shelf = Shelf(project)
    found = [match.work.pk if (match := shelf.find(work.csl())) else None for work in works]
    rows = {row.pk: row for row in _whole(Citation.objects.filter(pk__in=filter(None, found)))}
    return [rows.get(pk) for pk in found]


def _whole(found: Any) -> Any:
    """With what a row of the dialog shows, and without the long texts beside it."""
    return found.only(*_FIELDS).prefetch_related("notices")
