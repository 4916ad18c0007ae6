"""The first phase: the chosen files are read, indexed and digested, the references indexed (SPEC X2, X7, X8).

A file that cannot be read is marked with its reason and the rest go on.
"""

from typing import Any

from asgiref.sync import sync_to_async

from contextfiles.bind import digest_of, mark_error, mark_ready, text_of
from contextfiles.models import ContextFile
from contextfiles.read import Unreadable
from jobs.work import Stopped
from llm.roles import DigestItem
from research.inquiry import Inquiry
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
    for position, file in enumerate(inquiry.files, start=1):
        inquiry.digest += await _bind_file(inquiry, file, position, total)
    if total:
        await inquiry.once("bind/end", lambda: _completed(inquiry, total))
    references = await sync_to_async(index_references)(inquiry.run.project)
    await inquiry.once("bind/references", lambda: _indexed(inquiry, references))


async def _bind_file(inquiry: Inquiry, file: ContextFile, position: int, total: int) -> list[DigestItem]:
    async def read() -> Response:
        try:
            text = await sync_to_async(text_of)(file)
        except Unreadable as error:
            await sync_to_async(mark_error)(file, str(error))
            return {"status": "error", "error": str(error), "segments": 0}
        await sync_to_async(mark_ready)(file)
        await sync_to_async(index_file)(file, text)
        return {"status": "ready", "error": "", "segments": len(text.segments)}

    def record(response: Response) -> None:
        processing = dict(inquiry.run.context_processing)
        outcome = "files_ready" if response["status"] == "ready" else "files_error"
        processing[outcome] += 1
        _set_processing(inquiry, processing)
        sentence = f"Parsing context file {position} of {total}: {file.name}."
        if response["error"]:
            sentence = f"Context file {position} of {total}, {file.name}, could not be read: {response['error']}"
        inquiry.tell("context_binding_parsing_file_completed", sentence, status=response["status"])
        details = {"file": file.name, "sha256": file.sha256, **response}
        inquiry.log("binding", f"file_{response['status']}", sentence, details)

    request = {"file": str(file.pk), "sha256": file.sha256, "format": file.format}
    response = await inquiry.journal.step(f"bind/{file.pk}", "read", request, read, record)
    if response["status"] != "ready":
        return []
    return await _digest(inquiry, file)


async def _digest(inquiry: Inquiry, file: ContextFile) -> list[DigestItem]:
    """The digest of a file that was read: kept by content, so it is asked for once, whatever the run."""

    async def call() -> Response:
        text = await sync_to_async(text_of)(file)
        items = await digest_of(file, text, inquiry.engine)
        return {"items": [item.model_dump(mode="json") for item in items]}

    request = {"engine": inquiry.engine.name, "role": "digest", "sha256": file.sha256, "name": file.name}
    response = await inquiry.journal.step(f"bind/{file.pk}/digest", "model", request, call)
    return [DigestItem.model_validate(item) for item in response["items"]]


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


def _indexed(inquiry: Inquiry, references: int) -> None:
    passages = Passage.objects.filter(project=inquiry.run.project).exclude(text="")
    usable = passages.filter(citation__isnull=False).count()
    from_files = passages.filter(file__in=inquiry.files).count()
    if not usable and not from_files:
        raise Stopped(
            "There is nothing to search: this thesis has no references with notes or abstracts, and no file that "
            "could be read was chosen. Add a file or import references, then start again."
        )
    sentence = (
        f"The library holds {counted(references, 'reference')}, {usable:,} with a note or abstract, "
        f"and {counted(from_files, 'passage')} of your files."
    )
    inquiry.tell("library_indexed", sentence)
    inquiry.log(
        "binding",
        "library_indexed",
        sentence,
        {"references": references, "references_with_text": usable, "file_passages": from_files},
    )
