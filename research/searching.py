"""Asking the library, and keeping what came back as sources of the run (SPEC R5, R10, R12)."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.utils import timezone

from citations.models import Citation
from contextfiles.models import ContextFile
from llm.roles import Passage as EnginePassage
from research.inquiry import Inquiry
from research.journal import Response
from research.library import search, whole_files
from research.models import Node, Passage, Run, Source
from research.provenance import digest
from research.words import counted

PER_QUERY = 20
PROVIDER = "library"


async def search_library(inquiry: Inquiry, node: Node, turn: int, queries: list[str]) -> list[str]:
    """Search for each of `queries`; returns the ids of the sources found, best first, each once.

    What came back is stored as sources of the run: only these can be cited.
    """

    async def call() -> Response:
        return {"results": await sync_to_async(_ask)(inquiry, queries)}

    def record(response: Response) -> None:
        _record(inquiry, node, queries, response)

    request = {"provider": PROVIDER, "queries": queries, "files": sorted(bound.id for bound in inquiry.files)}
    response = await inquiry.journal.step(f"{node.number}/search/{turn}", "search", request, call, record)
    return list(dict.fromkeys(hit["source_id"] for hits in response["results"] for hit in hits))


def _ask(inquiry: Inquiry, queries: list[str]) -> list[list[dict[str, Any]]]:
    files = [UUID(bound.id) for bound in inquiry.files]
    found = [search(inquiry.run.project, query, files=files, limit=PER_QUERY) for query in queries]
    seen = {passage.pk: passage for passages in found for passage in passages}
    beside = [passage for passage in whole_files(seen.values()) if passage.pk not in seen]
    # What stands beside a hit is listed with the first query that hit its file.
    for passages in found:
        of = {passage.file_id for passage in passages}
        passages += [passage for passage in beside if passage.file_id in of]
        beside = [passage for passage in beside if passage.file_id not in of]
    return [[_as_hit(passage) for passage in passages] for passages in found]


def _as_hit(passage: Passage) -> dict[str, Any]:
    """What the journal keeps of a passage: all that a source needs, so that a replay needs no library."""
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
    }


def _record(inquiry: Inquiry, node: Node, queries: list[str], response: Response) -> None:
    known = set(inquiry.run.sources.values_list("source_id", flat=True))
    fresh = {}
    for query, hits in zip(queries, response["results"], strict=True):
        ids = [hit["source_id"] for hit in hits]
        details = {"provider": PROVIDER, "query": query, "result_count": len(ids), "source_ids": ids}
        inquiry.log("supervision", "provider_query", f"{node.number}: asked the library for “{query}”.", details)
        fresh.update({hit["source_id"]: hit for hit in hits if hit["source_id"] not in known})
    here = _still_here(fresh.values())
    for hit in fresh.values():
        source = _keep(inquiry.run, hit, here)
        details = {
            "source_id": source.source_id,
            "title": source.title,
            "provider": source.provider,
            "source_type": source.source_type,
            "url": source.url,
        }
        inquiry.log("supervision", "source_discovered", f"Found {source.title}.", details)
    node.searches += len(queries)
    node.state, node.said = Node.State.WORKING, f"Asked {counted(node.searches, 'time')}"
    node.save(update_fields=["searches", "state", "said"])
    total = len({hit["source_id"] for hits in response["results"] for hit in hits})
    asked = "one question" if len(queries) == 1 else f"{len(queries)} questions at once"
    inquiry.tell(
        "search_completed",
        f"Asked the library {asked} and got {counted(total, 'passage')} back, {len(fresh)} of them new.",
        node=node,
        summary="Queries",
        lines=[f"{query} ({len(hits)})" for query, hits in zip(queries, response["results"], strict=True)],
    )


def _still_here(hits: Collection[dict[str, Any]]) -> set[str]:
    """Those of the files and references behind `hits` that exist: one may have been deleted since it was found."""
    files = ContextFile.objects.filter(pk__in=[hit["file"] for hit in hits if hit["file"]])
    citations = Citation.objects.filter(pk__in=[hit["citation"] for hit in hits if hit["citation"]])
    return {str(pk) for rows in (files, citations) for pk in rows.values_list("pk", flat=True)}


def _keep(run: Run, hit: dict[str, Any], here: set[str]) -> Source:
    is_file = bool(hit["file"])
    csl = hit["csl"]
    source: Source = Source.objects.create(
        run=run,
        source_id=hit["source_id"],
        kind=Source.Kind.FILE if is_file else Source.Kind.REFERENCE,
        provider=PROVIDER,
        source_type="file" if is_file else csl.get("type", "document"),
        document=hit["document"],
        title=hit["title"],
        heading=hit["heading"],
        url=hit["url"],
        csl=csl,
        text=hit["text"],
        retracted=hit["retracted"],
        page=hit["page"],
        offset=hit["offset"],
        text_hash=digest(hit["text"]),
        file_id=hit["file"] if hit["file"] in here else None,
        citation_id=hit["citation"] if hit["citation"] in here else None,
        retrieved_at=timezone.now(),
    )
    return source


def passages_of(run: Run, source_ids: list[str]) -> list[EnginePassage]:
    """What the engine gets to read of these sources, in the order given; those without text are left out.

    A retracted work is found and listed, but it is no evidence.
    """
    rows = {source.source_id: source for source in run.sources.filter(source_id__in=source_ids)}
    chosen = (rows[source_id] for source_id in source_ids)
    return [passage_of(row) for row in chosen if row.text and not row.retracted]


def passage_of(source: Source) -> EnginePassage:
    """What the engine gets to read of a source."""
    return EnginePassage(
        source_id=source.source_id,
        document=source.document,
        title=source.title,
        heading=source.heading,
        text=source.text,
        is_file=source.kind == Source.Kind.FILE,
    )
