"""The first phase of a run: read, index and digest the chosen files, and index the references (SPEC X2, X7, X8, X10).

A file that cannot be read is marked with the reason, and the others are read all the same. Several files are read at
once, but their results are stored and reported in the order of the files, so that a replay reports them in that order.
"""

import asyncio
import os
from functools import partial

from asgiref.sync import sync_to_async

from contextfiles.ingest import (
    mark_read,
    number_of_parts,
    personal_counts_of,
    read_file_text,
    save_text,
    stored_text_of,
)
from contextfiles.models import ContextFile, FileText
from contextfiles.passages import Unreadable
from jobs.work import Stopped
from research.context.consent import apply_consent, count_files
from research.context.digest_files import store_snapshot, take_notes
from research.journal.journal import Response
from research.models import Passage
from research.plurals import counted
from research.run_context.run_context import BoundFile, RunContext
from research.search.library_index import index_file, index_references

READERS = min(4, os.cpu_count() or 1)  # files that are read at the same time, each in a process of its own
DELETED_BEFORE_READING = "It was deleted before the run could read it."
DELETED_DURING_NOTES = "It was deleted while the run took notes of it."


async def bind_context(inquiry: RunContext, *, freezes: bool = True) -> None:
    """Make the project's references and the run's files ready to be searched and cited.

    Fills `inquiry.digest` and, if the run has files, `inquiry.run.context`: a snapshot of the files that stays the same
    even if they are changed or deleted later. Runs that began before there were snapshots pass `freezes=False`.
    Raises Stopped when there is nothing at all to search, and everything that `consent` raises.
    """
    if inquiry.files:
        await _bind_files(inquiry, freezes=freezes)
    await _bind_references(inquiry)


async def _bind_files(inquiry: RunContext, *, freezes: bool) -> None:
    files = inquiry.files
    await inquiry.once("bind/start", lambda: _started(inquiry))
    read = await _read_all(inquiry, files)
    await inquiry.once("bind/end", lambda: _completed(inquiry))
    if not freezes:
        inquiry.digest = [item for notes in await take_notes(inquiry, files, read) for item in notes.items]
        return
    await apply_consent(inquiry, {bound.name: one.get("personal", {}) for bound, one in zip(files, read, strict=True)})
    used = [
        one
        if bound in inquiry.files
        else {**one, "status": "left_out", "error": inquiry.left_out.get(bound.name, "")}  # somebody left it out
        for bound, one in zip(files, read, strict=True)
    ]
    taken = await take_notes(inquiry, files, used)
    gone = [bound.name for bound, notes in zip(files, taken, strict=True) if notes.is_gone]
    if gone:
        await inquiry.once("bind/gone", lambda: _record_deleted(inquiry, gone))
    used = [
        {**one, "status": "error", "error": DELETED_DURING_NOTES} if notes.is_gone else one
        for one, notes in zip(used, taken, strict=True)
    ]
    await store_snapshot(inquiry, files, used, [notes.items for notes in taken])


async def _read_all(inquiry: RunContext, files: list[BoundFile]) -> list[Response]:
    """Return the result of reading each file: {status, error, segments, personal, size, parts}; `size` in bytes.

    The first file that is not in the journal yet starts the reading of itself and of all files after it. A slow file
    therefore delays only the report on the others, not their reading.
    """
    free = asyncio.Semaphore(READERS)
    contents: dict[tuple[str, str], asyncio.Lock] = {}  # of two identical files, the second reuses the stored text
    under_way: dict[int, asyncio.Task[Response]] = {}

    async def read(bound: BoundFile) -> Response:
        async with contents.setdefault((bound.sha256, bound.format), asyncio.Lock()), free:
            return await _read(bound)

    async def call(position: int) -> Response:
        if not under_way:
            under_way.update({at: asyncio.create_task(read(files[at - 1])) for at in range(position, len(files) + 1)})
        return await under_way[position]

    responses = []
    try:
        for position, bound in enumerate(files, start=1):
            request = {"file": bound.id, "sha256": bound.sha256, "format": bound.format}
            record = partial(_record_read, inquiry, bound, position, len(files))
            read_it = partial(call, position)
            responses.append(await inquiry.journal.step(f"bind/{position}", "read", request, read_it, record))
    finally:
        for task in under_way.values():
            task.cancel()
        await asyncio.gather(*under_way.values(), return_exceptions=True)
    return responses


async def _read(bound: BoundFile) -> Response:
    """Read one file, store and index its text, and return the result; mark the file with the reason if it fails.

    Only work without the database runs in parallel with other files: one thread reads and writes all rows.
    """
    if bound.error:
        return _failed(bound.error)
    file = await sync_to_async(ContextFile.objects.filter(pk=bound.id).first)()
    if file is None:
        return _failed(DELETED_BEFORE_READING)
    text = await sync_to_async(stored_text_of)(file, loads=False)
    if text is None:
        try:
            taken = await asyncio.to_thread(read_file_text, file)
        except Unreadable as error:
            await sync_to_async(mark_read)(file, str(error))
            return _failed(str(error), file.size)
        text = await sync_to_async(save_text)(file, taken)
    return await sync_to_async(_made_ready)(file, text)


def _made_ready(file: ContextFile, text: FileText) -> Response:
    mark_read(file)
    segments = index_file(file, text)
    if text.segments and not segments:
        return _failed(DELETED_BEFORE_READING, file.size)
    return {
        "status": "ready",
        "error": "",
        "segments": segments,
        "personal": personal_counts_of(text),
        "size": file.size,
        "parts": number_of_parts(text),
    }


def _failed(why: str, size: int = 0) -> Response:
    return {"status": "error", "error": why, "segments": 0, "personal": {}, "size": size, "parts": 0}


def _record_read(inquiry: RunContext, bound: BoundFile, position: int, total: int, response: Response) -> None:
    """Count one file that was read, and write its event and its log entry."""
    status = response["status"]
    count_files(inquiry, ready=int(status == "ready"), failed=int(status != "ready"))
    sentence = f"Parsing context file {position} of {total}: {bound.name}."
    if why := response["error"]:
        sentence = f"Context file {position} of {total}, {bound.name}, could not be read: {why}"
    told = {"file": bound.name, "position": position, "total": total, "status": status}
    inquiry.tell("context_binding_parsing_file_completed", sentence, **told)
    inquiry.log("binding", f"file_{status}", sentence, {"file": bound.name, "sha256": bound.sha256, **response})


async def _bind_references(inquiry: RunContext) -> None:
    """Index the references. Raises Stopped when there is nothing at all to search."""
    count = partial(sync_to_async(_count), inquiry)
    response = await inquiry.journal.step("bind/references", "read", {}, count, lambda found: _indexed(inquiry, found))
    if not response["references_with_text"] and not response["file_passages"] and not inquiry.catalogues:
        raise Stopped(
            "There is nothing to search: this thesis has no references with notes or abstracts, and none of the chosen "
            "files could be read and has text besides references. Add a file or import references, then start again."
        )


def _count(inquiry: RunContext) -> Response:
    passages = Passage.objects.filter(project=inquiry.run.project).exclude(text="").exclude(is_lead=True)
    return {
        "references": index_references(inquiry.run.project),
        "references_with_text": passages.filter(citation__isnull=False).count(),
        "file_passages": passages.filter(file__in=[bound.id for bound in inquiry.files]).count(),
    }


def _started(inquiry: RunContext) -> None:
    count_files(inquiry, is_reading=True)
    inquiry.tell("context_binding_parsing_started", f"Reading your {counted(len(inquiry.files), 'file')}.")


def _completed(inquiry: RunContext) -> None:
    count_files(inquiry, is_reading=False)
    ready, failed = (inquiry.run.context_processing[name] for name in ("files_ready", "files_error"))
    of_all = f"{ready} of {counted(len(inquiry.files), 'file')} ready."
    sentence = of_all if ready else "No usable context: none of the files could be read."
    inquiry.tell("context_binding_parsing_completed", sentence, ready=ready, failed=failed)


def _record_deleted(inquiry: RunContext, names: list[str]) -> None:
    """Count files that were deleted after they were read as files that could not be read, and report each."""
    count_files(inquiry, ready=-len(names), failed=len(names))
    for name in names:
        said = f"{name} is not used: {DELETED_DURING_NOTES[0].lower()}{DELETED_DURING_NOTES[1:]}"
        inquiry.say("binding", "context_file_gone", said, {"file": name}, file=name, status="error")


def _indexed(inquiry: RunContext, found: Response) -> None:
    sentence = (
        f"The library has {counted(found['references'], 'reference')}, {found['references_with_text']:,} with a "
        f"note or abstract, and {counted(found['file_passages'], 'passage')} from your files."
    )
    inquiry.say("binding", "library_indexed", sentence, found)
