"""Reading what a search has brought: pages and PDFs become passages that can be cited (SPEC R5, R18)."""

from typing import Any

from django.utils import timezone

from llm.roles import Passage
from research.hits import Answer, Hit
from research.inquiry import Inquiry
from research.journal import Response
from research.models import Node, Source
from research.provenance import digest
from research.reading import Read, read_page
from research.words import counted


async def extract(inquiry: Inquiry, node: Node, number: int, url: str, hit: Hit) -> Answer:
    """The passages of the page at `url` nearest to the node's question; `hit` is what a search knows of it.

    `number` counts the pages the node has read.
    """

    async def call() -> Response:
        return (await read_page(url, node.question)).model_dump(mode="json")

    def record(response: Response) -> None:
        _record(inquiry, node, hit, Read.model_validate(response))

    request = {"url": url, "wanted": node.question, "of": hit.passage.source_id}
    response = await inquiry.journal.step(f"{node.number}/extract/{number}", "fetch", request, call, record)
    read = Read.model_validate(response)
    if read.error:
        return Answer(failed=f"{url}: {read.error}")
    about = hit.passage.model_dump(exclude={"source_id", "text", "heading"})
    return Answer(
        [
            Hit(
                Passage(
                    **about, source_id=_source_id(hit, read, passage.id), heading=passage.heading, text=passage.text
                )
            )
            for passage in read.passages
        ]
    )


def _source_id(hit: Hit, read: Read, passage_id: str) -> str:
    """By the text of the page too: the same page may read otherwise an hour later."""
    return f"{hit.passage.document}::{passage_id}.{read.text_hash[:4]}"


def _record(inquiry: Inquiry, node: Node, hit: Hit, read: Read) -> None:
    details: dict[str, Any] = {"url": read.url, "final_url": read.final_url, "source_id": hit.passage.source_id}
    if read.error:
        kind = "page_refused" if read.is_refused else "page_failed"
        inquiry.tell(kind, f"{hit.passage.title} was not read. {read.error}", node=node, url=read.url)
        inquiry.log("supervision", kind, f"{node.number}: {read.error}", {**details, "why": read.error})
        return
    record = Source.objects.select_related("duplicate_of").get(run=inquiry.run, source_id=hit.passage.source_id)
    first = record.duplicate_of or record
    ids = [_source_id(hit, read, passage.id) for passage in read.passages]
    known = set(Source.objects.filter(run=inquiry.run, source_id__in=ids).values_list("source_id", flat=True))
    rows = [
        Source(
            run=inquiry.run,
            source_id=source_id,
            kind=first.kind,
            provider="web",
            source_type=first.source_type,
            document=first.document,
            is_passage=True,
            title=first.title,
            heading=passage.heading,
            url=read.final_url,
            csl=first.csl,
            text=passage.text,
            retracted=first.retracted,
            page=passage.page,
            offset=passage.offset,
            text_hash=digest(passage.text),
            retrieved_at=timezone.now(),
        )
        for source_id, passage in zip(ids, read.passages, strict=True)
        if source_id not in known
    ]
    Source.objects.bulk_create(rows)
    details |= {"kind": read.kind, "text_hash": read.text_hash, "source_ids": ids}
    inquiry.log("supervision", "page_read", f"{node.number}: read {read.final_url}.", details)
    kept = counted(len(ids), "passage")
    said = f"Read {first.title}: kept {kept} of {read.total_passages:,}."
    inquiry.tell("page_read", said, node=node, url=read.final_url)
