"""Reading what a search has brought: pages and PDFs become passages that can be cited (SPEC R5, R18)."""

from typing import Any

from django.utils import timezone

from core.concurrently import together
from llm.roles import Passage
from research.journal.journal import Response
from research.journal.provenance import digest
from research.models import Node, Source
from research.nearest import nearest
from research.run_context.inquiry import Inquiry
from research.search.hits import Answer, Haul, Hit
from research.search.reading import Read, read_page
from research.words import counted

PAPERS = 4  # open copies that are read for one question
HEAD = 6  # passages from the beginning of a paper, where it tells how the study was made


async def extract(inquiry: Inquiry, node: Node, number: int, url: str, hit: Hit) -> Answer:
    """The passages of the page at `url` nearest to the node's question; `hit` is what a search knows of it.

    `number` counts the pages the node has read.
    """
    return await _extract(inquiry, node, node.key(f"extract/{number}"), url, hit, {})


async def read_papers(inquiry: Inquiry, node: Node, haul: Haul) -> list[Answer]:
    """The passages of open-access PDFs of what the node has found, where the profile wants them, with their pages.

    Read are the PAPERS works nearest to the node's question whose open copy is known and was not read yet (R15).
    """
    if not (inquiry.profile.enable_pdf_extraction and inquiry.catalogues):
        return []
    open_copies = haul.open_copies()
    texts = [f"{hit.passage.title}\n{hit.passage.text}" for _, hit in open_copies]
    chosen = [open_copies[position] for position in nearest(node.question, texts, PAPERS)]
    how = {"is_paper": True, "head": HEAD if inquiry.profile.enable_methodology_assessment else 0}
    return await together(
        _extract(inquiry, node, node.key(f"paper/{number}"), url, hit, how)
        for number, (url, hit) in enumerate(chosen, start=1)
    )


async def _extract(inquiry: Inquiry, node: Node, key: str, url: str, hit: Hit, how: dict[str, Any]) -> Answer:
    async def call() -> Response:
        return (await read_page(url, node.question, **how)).model_dump(mode="json")

    def record(response: Response) -> None:
        _record(inquiry, node, hit, Read.model_validate(response))

    request = {"url": url, "wanted": node.question, "of": hit.passage.source_id, **how}
    response = await inquiry.journal.step(key, "fetch", request, call, record)
    read = Read.model_validate(response)
    if read.error:
        return Answer(failed=f"{url}: {read.error}")
    about = hit.passage.model_dump(exclude={"source_id", "text", "heading"})
    return Answer(
        [
            Hit(
                Passage(
                    **about, source_id=_source_id(hit, read, passage.id), heading=passage.heading, text=passage.text
                ),
                is_lead=passage.is_lead,
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
            is_lead=passage.is_lead,
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
