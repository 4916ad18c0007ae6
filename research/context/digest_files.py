"""Notes on the files of a run, and the snapshot that fixes them for the run (SPEC X2, X3).

Notes are taken of each file, part by part; each part is a step of the journal, and an answer is never asked for again,
neither in this run nor, for the same bytes, in another. The snapshot stays as it is, even if a file is deleted later.
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
from contextfiles.notes_bundle import aggregate, fits, notes_for_choice, revision, routing_index, summary
from contextfiles.prompts import PROMPT_VERSION
from contextfiles.read_text import READER_VERSION
from core.concurrency import gather_all
from llm.roles import AggregateAsked, Aggregated, DigestItem
from research.journal.journal import Response
from research.models import Run
from research.plurals import counted
from research.run_context.ask_engine import AskableEngine
from research.run_context.run_context import BoundFile, RunContext

# Parts that the offline engine works on at a time: it digests one while the next is fetched. More threads of one
# process would not compute faster. For a model the run's own limit on calls applies.
AT_ONCE = 2


class FileNotes(NamedTuple):
    """The notes on one file. `is_gone`: the file was deleted before they were complete, so none are used."""

    items: list[DigestItem]
    is_gone: bool = False


async def take_notes(inquiry: RunContext, files: Sequence[BoundFile], read: Sequence[Response]) -> list[FileNotes]:
    """Return the notes on each of `files`, none for those that `read`, the results of reading, does not call ready."""
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
    notes = [FileNotes([]) for _ in files]
    for (position, _), answer in zip(places, await gather_all(works), strict=True):
        items = [DigestItem.model_validate(item) for item in answer["items"]]
        is_gone = notes[position].is_gone or bool(answer.get("gone"))
        notes[position] = FileNotes([] if is_gone else [*notes[position].items, *items], is_gone)
    return notes


async def _part(
    inquiry: RunContext, bound: BoundFile, position: int, part: int, parts: int, free: asyncio.Semaphore
) -> Response:
    """Return the notes on one part of a file: {items}; for a deleted file {items: [], gone}."""

    async def question(engine: AskableEngine) -> Any:
        # Acquired here and not around the step, since a replay asks nothing and must not wait.
        async with nullcontext() if inquiry.uses_model else free:
            return await _digested(bound, engine, part, parts)

    request: dict[str, Any] = {"role": "digest", "sha256": bound.sha256, "name": bound.name}
    key = f"bind/{position + 1}/digest"
    if parts > 1:
        key, request = f"{key}/{part + 1}", {**request, "part": part, "parts": parts}
    answer: Response = await inquiry.put(key, request, question, partial(_was_digested, inquiry, bound, part, parts))
    return answer


async def _digested(bound: BoundFile, engine: AskableEngine, part: int, parts: int) -> Response:
    file = await sync_to_async(ContextFile.objects.filter(pk=bound.id).first)()
    if file is None:  # deleted since it was read: nothing more of it is sent anywhere
        return {"items": [], "gone": True}
    items = await digest_part(file, engine, part, parts)
    return {"items": [item.model_dump(mode="json") for item in items]}


def _was_digested(inquiry: RunContext, bound: BoundFile, part: int, parts: int, answer: Response) -> None:
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


async def chosen_notes(inquiry: RunContext, digests: Sequence[Sequence[DigestItem]]) -> list[DigestItem]:
    """Return the notes the run works with: all of them or, if there are too many, those that the engine chooses."""
    items = [item for notes in digests for item in notes]
    if fits(items):
        return items
    if inquiry.uses_model:
        items = await asyncio.to_thread(notes_for_choice, inquiry.run.question, items)
    asked = AggregateAsked(question=inquiry.run.question, items=items)

    def record(answer: Aggregated) -> None:
        kept, total = len(aggregate(asked, answer)), sum(map(len, digests))
        details = {"notes": total, "kept": kept, "prompt_version": PROMPT_VERSION}
        inquiry.say("binding", "files_aggregated", f"Chose {counted(kept, 'note')} of {total:,} to work with.", details)

    def fault(answer: Aggregated) -> str:
        return "" if answer.notes and aggregate(asked, answer) else "it keeps none of the notes"

    return aggregate(asked, await inquiry.ask("bind/aggregate", asked, record, fault))


def reader_query(run: Run) -> str:
    """Return the query that opens a file as `run` has read it: "&read=2" for an earlier reader version, else ""."""
    if (bundle := run.context) is None:
        return ""
    versions = (one for one in range(1, READER_VERSION) if revision(bundle.files, one) == bundle.revision)
    return next((f"&read={one}" for one in versions), "")


async def store_snapshot(
    inquiry: RunContext, files: Sequence[BoundFile], read: Sequence[Response], digests: Sequence[Sequence[DigestItem]]
) -> None:
    """Choose the notes that the run works with (`inquiry.digest`) and store the snapshot of its files.

    `read` and `digests` are the result and the notes of each of `files`. They come from the journal, and the snapshot
    follows from them; only its id and revision are fixed by the step itself.
    """
    inquiry.digest = await chosen_notes(inquiry, digests)
    if inquiry.run.context is not None:  # an earlier attempt has stored it
        return
    about = await asyncio.to_thread(_about, inquiry.run.question, files, read, digests)
    index = await asyncio.to_thread(routing_index, inquiry.digest)

    async def call() -> Response:
        return {"session_context_id": str(uuid4()), "revision": revision(about, READER_VERSION)}

    await inquiry.journal.step("bind/bundle", "note", {}, call, lambda fixed: _frozen(inquiry, about, index, fixed))


def _about(
    question: str, files: Sequence[BoundFile], read: Sequence[Response], digests: Sequence[Sequence[DigestItem]]
) -> list[dict[str, Any]]:
    """Return what the snapshot stores of each file."""
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


def _frozen(inquiry: RunContext, about: list[dict[str, Any]], index: dict[str, Any], fixed: Response) -> None:
    pk = UUID(fixed["session_context_id"])
    if ContextBundle.objects.filter(pk=pk).exists():
        pk = uuid4()  # a replay next to the original run, which has the row of that id; events still name that id
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
