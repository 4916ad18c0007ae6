"""Searching the library and storing the results as sources of the run (SPEC R5, R10, R12)."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.utils import timezone

from citations.models import Citation
from contextfiles.models import ContextFile
from core.fast_sql import change
from llm.roles import Passage as EnginePassage
from research.deduplication.works import RecordRow, work_of_csl
from research.journal.journal import Response
from research.journal.provenance import digest
from research.models import Node, Passage, Run, Source
from research.plurals import counted
from research.run_context.library_answers import PROVIDER, terms_of
from research.run_context.run_context import RunContext
from research.search.catalogues import log_discovery
from research.search.hits import Answer, Hit, short_names
from research.search.library_index import search_each, size_of, whole_files
from sources.work import Work

PER_QUERY = 20
READ_THROUGH = "library_read_through"  # event: the run has found everything in the library


async def search_library(inquiry: RunContext, node: Node, number: int, queries: list[str]) -> Answer:
    """Return the library's results for `queries`, of which the first is the node's query with that `number`.

    The results are stored as sources of the run: only sources can be cited. A query that the run has made before, and
    any query once the run has everything in the library, is not made again: its passages are sources already.
    """
    response = await inquiry.journal.step(
        node.key(f"search/{number}/{PROVIDER}"),
        "search",
        {"provider": PROVIDER, "queries": queries, "files": sorted(bound.id for bound in inquiry.files)},
        partial(sync_to_async(_ask), inquiry, queries),
        partial(_record, inquiry, node, queries),
    )
    inquiry.shelf.note(queries, response)
    found = {hit["source_id"]: _as_hit(hit) for hits in response["results"] for hit in hits}
    return Answer(
        list(found.values()),
        is_reply=False,
        repeats=sum(response.get("repeats", [])),
        is_read=bool(response.get("total") is not None and len(found) >= response["total"]),
    )


def _ask(inquiry: RunContext, queries: list[str]) -> Response:
    """Return the results by query, which queries were repeats, the size of the library, and what to report.

    It is reported once that the whole library was read.
    """
    shelf, files = inquiry.shelf, [UUID(bound.id) for bound in inquiry.files]
    total = size_of(inquiry.run.project, files)
    repeats = [shelf.is_read(total) or terms_of(query) in shelf.answers for query in queries]
    new = [query for query in dict.fromkeys(queries) if shelf.answers.get(terms_of(query)) is None]
    for query, passages in zip(new, search_each(inquiry.run.project, new, files=files, limit=PER_QUERY), strict=True):
        shelf.answers[terms_of(query)] = passages
    found = [list(shelf.answers[terms_of(query)] or ()) for query in queries]
    seen = {passage.pk: passage for passages in found for passage in passages}
    beside = [passage for passage in whole_files(seen.values()) if passage.pk not in seen]
    # Further passages of a short file are listed with the first query that found the file.
    for passages in found:
        of = {passage.file_id for passage in passages}
        passages += [passage for passage in beside if passage.file_id in of]
        beside = [passage for passage in beside if passage.file_id not in of]
    response: Response = {"results": [[_as_json(passage) for passage in passages] for passages in found]}
    shelf.take(response)
    is_read = shelf.is_read(total)
    said = "" if shelf.is_told or not is_read else _read_through(total)
    shelf.is_told = shelf.is_told or is_read
    return {**response, "repeats": repeats, "total": total, "said": said}


def _read_through(total: int) -> str:
    if not total:
        return "The library is empty: the project has no references, and no file was chosen that could be read."
    return (
        f"The library has been read through: this run has all its {counted(total, 'passage')} and does not search it "
        "again."
    )


def _as_json(passage: Passage) -> dict[str, Any]:
    """Return a passage as it is stored in the journal: everything a source needs, so that a replay needs no library."""
    citation = passage.citation
    return {
        "source_id": passage.source_id,
        "document": passage.document,
        "title": passage.title,
        "heading": passage.heading,
        "text": passage.text,
        "page": passage.page,
        "offset": passage.offset,
        "file": str(passage.file_id) if passage.file_id else None,
        "citation": str(citation.pk) if citation else None,
        "csl": citation.csl if citation else {},
        "url": (citation.url or (f"https://doi.org/{citation.doi}" if citation.doi else "")) if citation else "",
        "retracted": bool(citation and citation.retracted),
        "is_proven": bool(citation and citation.tier in ("A", "B") and not citation.is_of_demo_catalogue),
        "is_lead": bool(passage.is_lead),
    }


def _record(inquiry: RunContext, node: Node, queries: list[str], response: Response) -> None:
    known = set(inquiry.run.sources.values_list("source_id", flat=True))
    fresh: dict[str, dict[str, Any]] = {}
    asked = _answered_queries(queries, response)
    for query, hits in asked:
        ids = [hit["source_id"] for hit in hits]
        details = {"provider": PROVIDER, "query": query, "result_count": len(ids), "source_ids": ids}
        inquiry.log("supervision", "provider_query", f"{node.number}: asked the library for “{query}”.", details)
        fresh.update({hit["source_id"]: hit for hit in hits if hit["source_id"] not in known})
    here = _still_here(fresh.values())
    rows = {id: _row(inquiry.run, hit, here) for id, hit in fresh.items()}
    files = Source.objects.bulk_create(rows[id] for id, hit in fresh.items() if hit["file"])
    references = [(rows[id], _work(hit)) for id, hit in fresh.items() if not hit["file"]]
    for kept in [*(RecordRow(row, True, None) for row in files), *inquiry.works.note(references)]:
        log_discovery(inquiry, kept)
    node.searches += len(asked)
    node.repeats += len(queries) - len(asked)
    node.state, node.said = Node.State.WORKING, f"Asked {counted(node.searches, 'time')}"
    change(Node, node.pk, {name: getattr(node, name) for name in ("searches", "repeats", "state", "said")})
    if asked:
        total = len({hit["source_id"] for _, hits in asked for hit in hits})
        so_many = "one question" if len(asked) == 1 else f"{len(asked)} questions at once"
        inquiry.tell(
            "search_completed",
            f"Asked the library {so_many} and got {counted(total, 'passage')} back, {len(fresh)} of them new.",
            node=node,
            summary="Queries",
            lines=[f"{query} ({len(hits)})" for query, hits in asked],
        )
    if said := response.get("said"):
        inquiry.say("supervision", READ_THROUGH, said, {"provider": PROVIDER})


def _answered_queries(queries: Sequence[str], response: Response) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the queries that the library was really asked, with their results; repeats are left out."""
    repeats = response.get("repeats") or [False] * len(queries)
    answers = zip(queries, response["results"], repeats, strict=True)
    return [(query, hits) for query, hits, is_repeat in answers if not is_repeat]


def _still_here(hits: Collection[dict[str, Any]]) -> set[str]:
    """Return the ids of the files and references of `hits` that still exist: some may have been deleted since."""
    files = ContextFile.objects.filter(pk__in=[hit["file"] for hit in hits if hit["file"]])
    citations = Citation.objects.filter(pk__in=[hit["citation"] for hit in hits if hit["citation"]])
    return {str(pk) for rows in (files, citations) for pk in rows.values_list("pk", flat=True)}


def _row(run: Run, hit: dict[str, Any], here: set[str]) -> Source:
    return Source(
        run=run,
        source_id=hit["source_id"],
        kind=Source.Kind.FILE if hit["file"] else Source.Kind.REFERENCE,
        provider=PROVIDER,
        source_type="file" if hit["file"] else hit["csl"].get("type", "document"),
        document=hit["document"],
        title=hit["title"],
        heading=hit["heading"],
        url=hit["url"],
        csl=hit["csl"],
        text=hit["text"],
        retracted=hit["retracted"],
        is_lead=hit.get("is_lead", False),
        page=hit["page"],
        offset=hit["offset"],
        text_hash=digest(hit["text"]),
        file_id=hit["file"] if hit["file"] in here else None,
        citation_id=hit["citation"] if hit["citation"] in here else None,
        retrieved_at=timezone.now(),
    )


def _work(hit: dict[str, Any]) -> Work:
    return work_of_csl(hit["csl"], provider=PROVIDER, provider_id=hit["source_id"], is_proven=hit["is_proven"])


def _as_hit(hit: dict[str, Any]) -> Hit:
    """Return a stored result as a hit. A retracted work is listed, but it is no evidence."""
    work = None if hit["file"] else _work(hit)
    passage = EnginePassage(
        source_id=hit["source_id"],
        document=hit["document"],
        title=hit["title"],
        authors=short_names(work.authors) if work else "",
        year=work.year if work else None,
        venue=(work.venue or "") if work else "",
        url=hit["url"],
        heading=hit["heading"],
        text=hit["text"],
        is_file=bool(hit["file"]),
    )
    return Hit(passage, work, is_evidence=not hit["retracted"], is_lead=hit.get("is_lead", False))
