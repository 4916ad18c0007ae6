"""The first phase: the chosen files are read, indexed and digested, the references indexed (SPEC X2, X7, X8).

A file that cannot be read is marked with its reason and the rest go on.
"""

from functools import partial
from typing import Any

from asgiref.sync import sync_to_async

from contextfiles.bind import digest_of, mark_error, mark_ready, text_of
from contextfiles.models import ContextFile
from contextfiles.read import Unreadable
from jobs.work import Stopped
from llm.roles import DigestItem
from research.asking import Asks
from research.inquiry import BoundFile, Inquiry
from research.journal import Response
from research.library import index_file, index_references
from research.models import Passage, Run
from research.words import counted


async def bind(inquiry: Inquiry) -> None:
    """Make the project's references and the run's files ready to be searched and cited.

    Fills `inquiry.digest`. Raises Stopped when nothing at all can be searched.
    """
    total = len(inquiry.files)
    if total:
        await inquiry.once("bind/start", lambda: _started(inquiry, total))
    for position, bound in enumerate(inquiry.files, start=1):
        inquiry.digest += await _bind_file(inquiry, bound, position, total)
    if total:
        await inquiry.once("bind/end", lambda: _completed(inquiry, total))
    await _bind_references(inquiry)


async def _bind_file(inquiry: Inquiry, bound: BoundFile, position: int, total: int) -> list[DigestItem]:
    """Read, index and digest one file; its digest, or nothing when it cannot be read."""

    def record(response: Response) -> None:
        processing = dict(inquiry.run.context_processing)
        outcome = "files_ready" if response["status"] == "ready" else "files_error"
        processing[outcome] += 1
        _set_processing(inquiry, processing)
        sentence = f"Parsing context file {position} of {total}: {bound.name}."
        if response["error"]:
            sentence = f"Context file {position} of {total}, {bound.name}, could not be read: {response['error']}"
        inquiry.tell("context_binding_parsing_file_completed", sentence, status=response["status"])
        details = {"file": bound.name, "sha256": bound.sha256, **response}
        inquiry.log("binding", f"file_{response['status']}", sentence, details)

    request = {"file": bound.id, "sha256": bound.sha256, "format": bound.format}
    key = f"bind/{position}"
    response = await inquiry.journal.step(key, "read", request, partial(sync_to_async(_read), bound), record)
    if response["status"] != "ready":
        return []
    return await _digest(inquiry, bound, f"{key}/digest")


def _read(bound: BoundFile) -> Response:
    """The outcome of reading one file: its text is kept and indexed, or the file marked with the reason."""
    file = ContextFile.objects.filter(pk=bound.id).first()
    if file is None:
        return {"status": "error", "error": "It was deleted before the run could read it.", "segments": 0}
    try:
        text = text_of(file)
    except Unreadable as error:
        mark_error(file, str(error))
        return {"status": "error", "error": str(error), "segments": 0}
    mark_ready(file)
    return {"status": "ready", "error": "", "segments": index_file(file, text)}


async def _digest(inquiry: Inquiry, bound: BoundFile, key: str) -> list[DigestItem]:
    """The digest of a file that was read: kept by content, so it is asked for once, whatever the run."""

    async def question(engine: Asks) -> Any:
        file = await ContextFile.objects.filter(pk=bound.id).afirst()
        if file is None:  # deleted since it was read; what was indexed of it is gone too
            return {"items": []}
        items = await digest_of(file, await sync_to_async(text_of)(file), engine)
        return {"items": [item.model_dump(mode="json") for item in items]}

    request = {"engine": inquiry.engine.name, "role": "digest", "sha256": bound.sha256, "name": bound.name}
    answer = await inquiry.put(key, "digest", request, question)
    return [DigestItem.model_validate(item) for item in answer["items"]]


async def _bind_references(inquiry: Inquiry) -> None:
    """Index the references, and stop here when there is nothing at all to search."""
    count = partial(sync_to_async(_count), inquiry)
    response = await inquiry.journal.step("bind/references", "read", {}, count, lambda found: _indexed(inquiry, found))
    if not response["references_with_text"] and not response["file_passages"] and not inquiry.catalogues:
        raise Stopped(
            "There is nothing to search: this thesis has no references with notes or abstracts, and no file that "
            "could be read was chosen. Add a file or import references, then start again."
        )


def _count(inquiry: Inquiry) -> Response:
    references = index_references(inquiry.run.project)
    passages = Passage.objects.filter(project=inquiry.run.project).exclude(text="")
    return {
        "references": references,
        "references_with_text": passages.filter(citation__isnull=False).count(),
        "file_passages": passages.filter(file__in=[bound.id for bound in inquiry.files]).count(),
    }


def _set_processing(inquiry: Inquiry, processing: dict[str, Any]) -> None:
    inquiry.run.context_processing = processing
    Run.objects.filter(pk=inquiry.run.pk).update(context_processing=processing)


def _started(inquiry: Inquiry, total: int) -> None:
    _set_processing(inquiry, {**inquiry.run.context_processing, "status": "parsing"})
    inquiry.tell("context_binding_parsing_started", f"Reading your {counted(total, 'file')}.")


def _completed(inquiry: Inquiry, total: int) -> None:
    processing = dict(inquiry.run.context_processing)
    ready, failed = processing["files_ready"], processing["files_error"]
    processing["status"] = "ready" if not failed else "partial" if ready else "unusable"
    _set_processing(inquiry, processing)
    sentence = (
        f"{ready} of {counted(total, 'file')} ready."
        if ready
        else "No usable context: none of the files could be read."
    )
    inquiry.tell("context_binding_parsing_completed", sentence, ready=ready, failed=failed)


def _indexed(inquiry: Inquiry, found: Response) -> None:
    sentence = (
        f"The library holds {counted(found['references'], 'reference')}, {found['references_with_text']:,} with a "
        f"note or abstract, and {counted(found['file_passages'], 'passage')} of your files."
    )
    inquiry.tell("library_indexed", sentence)
    inquiry.log("binding", "library_indexed", sentence, found)
