"""What the files of a run came to is frozen: it stays as it is, whatever becomes of the files (SPEC X3)."""

import asyncio
from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

from contextfiles.bundle import revision, routing_index, summary
from contextfiles.models import ContextBundle
from contextfiles.read import READER_VERSION
from llm.roles import DigestItem
from research.files.digesting import aggregated
from research.journal.journal import Response
from research.models import Run
from research.run_context.inquiry import BoundFile, Inquiry
from research.words import counted


def reading_of(run: Run) -> str:
    """What the address of a file needs to open it as `run` has read it: "" as it is read today, else "&read=2"."""
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
    """What is kept of each file."""
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
