"""What a run does with a file on Start: read it once, digest it once (SPEC X2, X8)."""

from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from contextfiles.models import ContextFile, Digest, FileText
from contextfiles.passages import plain
from contextfiles.prompts import digest_prompt
from contextfiles.read import READER_VERSION, Unreadable, read_safely
from llm.answered import Answered
from llm.prompt import Prompt
from llm.roles import Asked, DigestAsked, DigestItem, Segment

A = TypeVar("A", bound=BaseModel)

__all__ = ["Unreadable", "digest_of", "mark_error", "mark_ready", "text_of"]


def text_of(file: ContextFile) -> FileText:
    """The text of `file`, read now or kept from when the same bytes were read before.

    Raises Unreadable with a sentence for the person who uploaded it.
    """
    kept = kept_text_of(file)
    if kept is not None:
        return kept
    try:
        reading = read_safely(file.format, Path(file.blob.path))
    except FileNotFoundError as error:
        raise Unreadable("The stored file is gone from the disk. Delete it here and upload it again.") from error
    text, _ = FileText.objects.get_or_create(
        sha256=file.sha256,
        format=file.format,
        reader_version=READER_VERSION,
        defaults={"text": reading.text, "segments": [asdict(segment) for segment in reading.segments]},
    )
    return text


def kept_text_of(file: ContextFile) -> FileText | None:
    """The text of `file` if it was read before; None otherwise. Reads nothing."""
    return FileText.objects.filter(sha256=file.sha256, format=file.format, reader_version=READER_VERSION).first()


class Asks(Protocol):
    """The part of an engine that a digest needs."""

    @property
    def name(self) -> str: ...

    async def ask(self, asked: Asked[A], *, prompt: Prompt | None = None) -> Answered[A]: ...


async def digest_of(file: ContextFile, text: FileText, engine: Asks) -> list[DigestItem]:
    """What `engine` draws from `text`, asked once per content, format and reader.

    Sources come back as "alder.md::S3". Sources that name no passage of the text are dropped, and items
    left with none (R18: what an engine says about a file is checked against the file).
    """
    # Passage ids depend on how the bytes were read, so the same bytes under another format digest apart.
    key = {"sha256": text.sha256, "engine": f"{engine.name}/{text.format}-{text.reader_version}"}
    kept = await Digest.objects.filter(**key).afirst()
    if kept is None:
        asked = DigestAsked(file_name=file.name, segments=_segments(text))
        answer = (await engine.ask(asked, prompt=digest_prompt(asked))).answer
        known = {segment["id"] for segment in text.segments}
        items = [_checked(item, known) for item in answer.items]
        kept, _ = await Digest.objects.aget_or_create(**key, defaults={"items": [item for item in items if item]})
    return [_named(item, file.name) for item in kept.items]


def mark_ready(file: ContextFile) -> None:
    """The file was read."""
    _mark(file, ContextFile.Status.READY, "")


def mark_error(file: ContextFile, message: str) -> None:
    """The file could not be read; `message` says why, for people (X8)."""
    _mark(file, ContextFile.Status.ERROR, message)


def _mark(file: ContextFile, status: ContextFile.Status, error: str) -> None:
    # An update, not a save: the file may have been deleted while a run was reading it.
    file.status, file.error = status, error
    ContextFile.objects.filter(pk=file.pk).update(status=status, error=error)


def _segments(text: FileText) -> list[Segment]:
    return [
        Segment(id=row["id"], heading=row["heading"], text=text.text[row["start"] : row["end"]])
        for row in text.segments
    ]


def _checked(item: DigestItem, known: set[str]) -> dict[str, Any] | None:
    sources = [source.rpartition("::")[2] for source in item.sources]
    sources = [source for source in dict.fromkeys(sources) if source in known]
    said = {"text": plain(item.text), "why_relevant": plain(item.why_relevant)}  # not every database keeps a NUL
    return item.model_copy(update={"sources": sources, **said}).model_dump() if sources else None


def _named(item: dict[str, Any], name: str) -> DigestItem:
    return DigestItem(**{**item, "sources": [f"{name}::{source}" for source in item["sources"]]})
