"""Notes are taken of the files that were read, and of all files together; what the files of a run came to is frozen: it stays
as it is, whatever becomes of the files (SPEC X2, X3).

A file is digested in parts, each a step of the journal: what was answered is never asked again, neither in this run nor,
for the same bytes, in another.
"""

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from asgiref.sync import sync_to_async

from contextfiles.ingest import digest_part
from contextfiles.models import ContextBundle, ContextFile
from contextfiles.notes_bundle import aggregate, fits, revision, routing_index, summary, weighed
from contextfiles.prompts import PROMPT_VERSION
from contextfiles.read_text import READER_VERSION
from core.concurrency import together
from llm.roles import AggregateAsked, Aggregated, DigestItem
from research.journal.journal import Response
from research.models import Run
from research.run_context.ask_engine import Asks
from research.run_context.run_context import BoundFile, Inquiry
from research.words import counted

# Parts that the offline engine works on at the same time: one, and the next is fetched meanwhile. It computes, and more
# threads of one process compute no faster. A model is asked as much as the run may ask at once.
AT_ONCE = 2


class Notes(NamedTuple):
    """What was taken of one file. `is_gone`: it was deleted before that was done, so nothing of it is used."""

    items: list[DigestItem]
    is_gone: bool = False


async def digest(inquiry: Inquiry, files: Sequence[BoundFile], read: Sequence[Response]) -> list[Notes]:
    """Return the notes on each of `files`; `read` says what became of it, and one that is not ready has none."""
    free = asyncio.Semaphore(AT_ONCE)
    places = [
        (position, part)
        for position, one in enumerate(read)
        if one["status"] == "ready"
        for part in range(one.get("parts", 1))
    ]
    works = (
        _part(inquiry, files[position], position, part, read[position].get("parts", 1), free)
        for position, part in places
    )
    notes = [Notes([]) for _ in files]
    for (position, _), answer in zip(places, await together(works), strict=True):
        items = [DigestItem.model_validate(item) for item in answer["items"]]
        is_gone = notes[position].is_gone or bool(answer.get("gone"))
        notes[position] = Notes([] if is_gone else [*notes[position].items, *items], is_gone)
    return notes


async def _part(
    inquiry: Inquiry, bound: BoundFile, position: int, part: int, parts: int, free: asyncio.Semaphore
) -> Response:
    """Return one part of a file: {items} or, of one that was deleted, {items: [], gone}."""

    async def question(engine: Asks) -> Any:
        # The place is taken in here, and not around the step: a replay asks nothing, and waits for no place.
        async with nullcontext() if inquiry.uses_model else free:
            return await _digested(bound, engine, part, parts)

    request: dict[str, Any] = {"role": "digest", "sha256": bound.sha256, "name": bound.name}
    key = f"bind/{position + 1}/digest"
    if parts > 1:
        key, request = f"{key}/{part + 1}", {**request, "part": part, "parts": parts}
    answer: Response = await inquiry.put(key, request, question, partial(_was_digested, inquiry, bound, part, parts))
    return answer


async def _digested(bound: BoundFile, engine: Asks, part: int, parts: int) -> Response:
    file = await sync_to_async(ContextFile.objects.filter(pk=bound.id).first)()
    if file is None:  # deleted since it was read: nothing more of it is sent anywhere
        return {"items": [], "gone": True}
    items = await digest_part(file, engine, part, parts)
    return {"items": [item.model_dump(mode="json") for item in items]}


def _was_digested(inquiry: Inquiry, bound: BoundFile, part: int, parts: int, answer: Response) -> None:
    if answer.get("gone"):
        return
    of = f"{bound.name}, part {part + 1} of {parts}" if parts > 1 else bound.name
    said = f"Took {counted(len(answer['items']), 'note')} from {of}."
    details = {
        "file": bound.name,
        "sha256": bound.sha256,
        "part": part + 1,
        "parts": parts,
        "items": len(answer["items"]),
        "prompt_version": PROMPT_VERSION,
    }
    inquiry.say("binding", "file_digested", said, details, file=bound.name)


async def aggregated(inquiry: Inquiry, digests: Sequence[Sequence[DigestItem]]) -> list[DigestItem]:
    """Return the notes of all files that the run works with: all of them, or of too many those that an engine chooses."""
    items = [item for notes in digests for item in notes]
    if fits(items):
        return items
    if inquiry.uses_model:
        items = await asyncio.to_thread(weighed, inquiry.run.question, items)
    asked = AggregateAsked(question=inquiry.run.question, items=items)

    def record(answer: Aggregated) -> None:
        kept, total = len(aggregate(asked, answer)), sum(map(len, digests))
        details = {"notes": total, "kept": kept, "prompt_version": PROMPT_VERSION}
        inquiry.say("binding", "files_aggregated", f"Chose {counted(kept, 'note')} of {total:,} to work with.", details)

    def fault(answer: Aggregated) -> str:
        return "" if answer.notes and aggregate(asked, answer) else "it keeps none of the notes"

    return aggregate(asked, await inquiry.ask("bind/aggregate", asked, record, fault))


def reading_of(run: Run) -> str:
    """Return what the address of a file needs to open it as `run` has read it: "" as it is read today, else "&read=2"."""
    if (bundle := run.context) is None:
        return ""
    versions = (one for one in range(1, READER_VERSION) if revision(bundle.files, one) == bundle.revision)
    return next((f"&read={one}" for one in versions), "")


async def freeze(
    inquiry: Inquiry, files: Sequence[BoundFile], read: Sequence[Response], digests: Sequence[Sequence[DigestItem]]
) -> None:
    """Choose the notes that the run works with, `inquiry.digest`, and keep all that is known of its files.

    `read` and `digests` say what became of each of `files` and which notes were taken of it. Everything that is kept
    follows from them, which the journal holds; the id and the revision are fixed with the step itself.
    """
    inquiry.digest = await aggregated(inquiry, digests)
    if inquiry.run.context is not None:  # an attempt before this one has come so far
        return
    about = await asyncio.to_thread(_about, inquiry.run.question, files, read, digests)
    index = await asyncio.to_thread(routing_index, inquiry.digest)

    async def call() -> Response:
        return {"session_context_id": str(uuid4()), "revision": revision(about, READER_VERSION)}

    await inquiry.journal.step("bind/bundle", "note", {}, call, lambda fixed: _frozen(inquiry, about, index, fixed))


def _about(
    question: str, files: Sequence[BoundFile], read: Sequence[Response], digests: Sequence[Sequence[DigestItem]]
) -> list[dict[str, Any]]:
    """Return what is kept of each file."""
    return [
        {
            **{key: getattr(bound, key) for key in ("id", "name", "sha256", "format")},
            **{key: one.get(key, empty) for key, empty in _KEPT.items()},
            "items": len(notes),
            "summary": [item.model_dump(mode="json") for item in summary(question, notes)],
        }
        for bound, one, notes in zip(files, read, digests, strict=True)
    ]


_KEPT: dict[str, Any] = {"status": "", "error": "", "segments": 0, "personal": {}, "size": 0}


def _frozen(inquiry: Inquiry, about: list[dict[str, Any]], index: dict[str, Any], fixed: Response) -> None:
    pk = UUID(fixed["session_context_id"])
    if ContextBundle.objects.filter(pk=pk).exists():
        pk = uuid4()  # in a replay beside the run itself, whose row this is; what is told names the run's
    notes = [item.model_dump(mode="json") for item in inquiry.digest]
    inquiry.run.context = ContextBundle.objects.create(
        pk=pk,
        project_id=inquiry.run.project_id,
        revision=fixed["revision"],
        files=about,
        aggregate_digest=notes,
        routing_index=index,
    )
    Run.objects.filter(pk=inquiry.run.pk).update(context=pk)
    said = (
        f"The files of this run are fixed as they are: {counted(len(notes), 'note')}, revision {fixed['revision'][:8]}."
    )
    files = [{key: file[key] for key in ("name", "sha256", "status", "items")} for file in about]
    inquiry.say("binding", "context_frozen", said, {**fixed, "files": files, "notes": len(notes)}, **fixed)
