"""Reading web pages for the researcher: the passages nearest to the question become citable sources (SPEC R5, R18).

    read = await read_page("https://journal.example/article", node.question)

Whatever a page holds or does, the result is a Read: text as data, or a sentence on why there is none. The same bytes
and the same question give the same Read.
"""

import asyncio
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, Literal

import httpx
from django.utils import timezone
from pydantic import BaseModel

from contextfiles.passages import Reading, Unreadable, clean_text, pieces_of
from contextfiles.read_text import read_bytes_safely
from core.concurrency import gather_all
from llm.roles import Passage
from research.journal.journal import Response
from research.journal.provenance import digest
from research.models import Node, Source
from research.nearest_texts import nearest
from research.plurals import counted
from research.run_context.run_context import RunContext
from research.search.hits import Answer, FoundPassages, Hit
from sources.address_guard import Resolve, system_resolve
from sources.fetch_page import HTML, PDF, PLAIN, SECONDS, XHTML, Page, Refused, fetch

MOST = 12  # passages of a page that the researcher gets
LONGEST = 1_500  # characters of a passage
LEAST = 200  # characters: a page with fewer counts as empty


Kind = Literal["html", "pdf", "text"]

_KINDS: dict[str, tuple[Kind, str]] = {
    HTML: ("html", "html"),
    XHTML: ("html", "html"),
    PDF: ("pdf", "pdf"),
    PLAIN: ("text", "txt"),
}  # the kind shown to people, and the reader's name of the format

# Log-in pages and cookie banners in place of a text. Only short pages are checked: an article may mention cookies.
_WALL = re.compile(
    r"\b(?:enable|turn on|requires?|activate) (?:javascript|cookies)|javascript (?:is|and cookies)\b"
    r"|\b(?:use|uses|using|accept|reject|manage|allow|set)\b.{0,40}\bcookies\b"
    r"|\bcookie (?:settings|policy|preferences|notice)\b"
    r"|\b(?:log|sign) ?in\b|\blogin\b|\bcreate (?:an|your) account\b|\bforgot (?:your )?password\b|\bsubscribe to\b"
    r"|\bsuch as cookies\b|\bour (?:\d+ )?partners\b|\byour privacy\b"
    r"|\byou are (?:a |not a )?(?:human|robot)\b|\bchecking your browser\b|\bjust a moment\b"
    r"|\baccess denied\b|\bcaptcha\b",
    re.IGNORECASE,
)
_SHORT = 3_000  # characters


class PagePassage(BaseModel):
    """A passage of a page: `text` begins `offset` characters into the page; `page` is the PDF page, from 1."""

    id: str
    heading: str
    page: int | None
    offset: int
    text: str
    is_lead: bool = False


class PageReading(BaseModel):
    """The result of reading a page. `passages` are at most MOST of `total_passages`, in the order of the page.

    With an `error`, a sentence for people, there are none; `is_refused` means that the page was not read on purpose.
    `text_hash` is the hash of the whole text of the page.
    """

    url: str
    final_url: str
    kind: Kind | None = None
    title: str = ""
    passages: list[PagePassage] = []
    total_passages: int = 0
    text_hash: str = ""
    error: str = ""
    is_refused: bool = False


async def read_page(
    url: str,
    wanted: str,
    *,
    resolve: Resolve = system_resolve,
    seconds: float = SECONDS,
    is_paper: bool = False,
    head: int = 0,
) -> PageReading:
    """Return the passages of the page at `url` nearest to the question `wanted`, and its first `head` passages.

    `resolve` resolves host names, `seconds` is the time limit of the download. With `is_paper`, only a whole PDF is
    read.
    """
    page = await fetch(url, resolve=resolve, seconds=seconds)
    if isinstance(page, Page):
        if is_paper and (error := _no_paper(page)):
            return PageReading(url=page.url, final_url=page.final_url, kind=_KINDS[page.content_type][0], error=error)
        return await asyncio.to_thread(_read, page, wanted, head)
    return PageReading(url=url, final_url=url, error=page.why, is_refused=isinstance(page, Refused))


def _no_paper(page: Page) -> str:
    """Return why `page` is not the PDF of a paper, or ""."""
    if page.content_type != PDF:
        return "Its open copy is not a PDF but a web page, which has no page numbers, so it was not read."
    if b"%%EOF" not in page.body[-2_048:]:  # the end mark may be followed by other bytes
        return "This PDF breaks off before its end, so pages may be missing, and it was not read."
    return ""


def _read(page: Page, wanted: str, head: int) -> PageReading:
    kind, format = _KINDS[page.content_type]
    read = PageReading(url=page.url, final_url=page.final_url, kind=kind)
    try:
        title, reading = read_bytes_safely(format, page.body, page.charset, seconds=20)
    except Unreadable as error:
        return read.model_copy(update={"error": _about(error)})
    if not _says_something(reading.text):
        return read.model_copy(update={"error": "This page has almost no text."})
    passages = list(passages_of(reading))
    headings = (segment.heading for segment in reading.segments if segment.heading)
    heading = "" if format == "pdf" else next(headings, "")  # headings of a PDF only mark pages without text
    return read.model_copy(
        update={
            "title": (title or heading or _last_part(page.final_url))[:300],
            "passages": nearest_passages_of_page(wanted, passages, head),
            "total_passages": len(passages),
            "text_hash": digest(reading.text),
        }
    )


def _about(error: Unreadable) -> str:
    """Return the first sentence of `error`, worded for a page: the others tell people what to do with their file."""
    sentence = str(error).partition(". ")[0].removesuffix(".")
    return re.sub(r"\b([Tt]his) file\b", r"\1 page", sentence) + "."


def _says_something(text: str) -> bool:
    lines = [line for line in text.split("\n") if len(text) > _SHORT or not _WALL.search(line)]
    return sum(map(len, lines)) >= LEAST


def _last_part(address: str) -> str:
    url = httpx.URL(address)
    return " ".join(clean_text(PurePosixPath(url.path).name).split()) or url.host


def passages_of(reading: Reading) -> Iterator[PagePassage]:
    """Yield the segments of `reading` as passages; those longer than LONGEST are cut between two sentences."""
    pieces = (
        (segment, *piece)
        for segment in reading.segments
        for piece in pieces_of(reading.text, segment.start, segment.end, LONGEST, LONGEST)
    )
    for number, (segment, start, end, is_cut) in enumerate(pieces, start=1):
        yield PagePassage(
            id=f"S{number}",
            heading=segment.heading,
            page=segment.page,
            offset=start,
            text=reading.text[start:end],
            is_lead=segment.is_lead or is_cut,
        )


def nearest_passages_of_page(wanted: str, passages: list[PagePassage], head: int = 0) -> list[PagePassage]:
    """Return at most MOST of `passages`, those nearest to `wanted`, plus the first `head`, in the order of the page."""
    if len(passages) <= MOST:
        return passages
    # Headings and entries of a reference list hold nothing to quote, and would rank high because they are short.
    said = [passage for passage in passages if not passage.is_lead and passage.text != passage.heading] or passages
    chosen = nearest(wanted, [f"{passage.heading}\n{passage.text}" for passage in said], MOST)
    wanted_ids = {said[position].id for position in chosen} | {passage.id for passage in said[:head]}
    return [passage for passage in said if passage.id in wanted_ids]


PAPERS = 4  # open copies that are read for one question
HEAD = 6  # passages from the beginning of a paper, where it describes its methods


async def read_papers(inquiry: RunContext, node: Node, haul: FoundPassages) -> list[Answer]:
    """Return passages, with page numbers, of open-access PDFs of works that the node found, if the profile asks for it.

    The PAPERS works nearest to the node's question are read whose open copy is known and was not read yet (R15).
    """
    if not (inquiry.profile.enable_pdf_extraction and inquiry.reads_beyond_abstracts):
        return []
    open_copies = haul.open_copies()
    texts = [f"{hit.passage.title}\n{hit.passage.text}" for _, hit in open_copies]
    chosen = enumerate(nearest(node.question, texts, PAPERS), start=1)
    head = HEAD if inquiry.profile.enable_methodology_assessment else 0
    return await gather_all(
        extract(inquiry, node, f"paper/{number}", *open_copies[position], is_paper=True, head=head)
        for number, position in chosen
    )


async def extract(inquiry: RunContext, node: Node, name: str, url: str, hit: Hit, **how: Any) -> Answer:
    """Return the passages of the page at `url` nearest to the node's question; `hit` is the search result it came from.

    `name` is the key of this step of the node, `how` are further arguments of `read_page`.
    """

    async def call() -> Response:
        return (await read_page(url, node.question, resolve=inquiry.client.names, **how)).model_dump(mode="json")

    def record(response: Response) -> None:
        _record(inquiry, node, hit, PageReading.model_validate(response))

    request = {"url": url, "wanted": node.question, "of": hit.passage.source_id, **how}
    read = PageReading.model_validate(await inquiry.journal.step(node.key(name), "fetch", request, call, record))
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


def _source_id(hit: Hit, read: PageReading, passage_id: str) -> str:
    """Return the id of a passage; it includes the hash of the page, since the same page may change within an hour."""
    return f"{hit.passage.document}::{passage_id}.{read.text_hash[:4]}"


def _record(inquiry: RunContext, node: Node, hit: Hit, read: PageReading) -> None:
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
    Source.objects.bulk_create(
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
    )
    details |= {"kind": read.kind, "text_hash": read.text_hash, "source_ids": ids}
    inquiry.log("supervision", "page_read", f"{node.number}: read {read.final_url}.", details)
    inquiry.tell(
        "page_read",
        f"Read {first.title}: kept {counted(len(ids), 'passage')} of {read.total_passages:,}.",
        node=node,
        url=read.final_url,
    )
