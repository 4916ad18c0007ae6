"""Reading of uploaded files for a run: the text, its personal data and its notes, each once (SPEC X2, X8)."""

from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol, TypeVar

from asgiref.sync import sync_to_async
from pydantic import BaseModel

from contextfiles.models import ContextFile, Digest, FileText
from contextfiles.notes_bundle import shortened_note
from contextfiles.passages import clean_text
from contextfiles.prompts import digest_prompt
from contextfiles.read_text import READER_VERSION, Unreadable, read_safely
from llm.prompt import Prompt
from llm.result import EngineResult
from llm.roles import DigestAsked, DigestItem, RoleRequest, Segment
from text.personal_data.detection import count_personal_data

A = TypeVar("A", bound=BaseModel)

# Characters of text in one request. Where each character is a token, as in Chinese, this fills most of the 200,000
# tokens of current models and leaves room for the answer; where four are a token, a part takes well under a minute.
PART_CHARACTERS = 120_000
_FRAME = 40  # characters that a passage adds to a request besides its text
MOST = 60  # notes of one part


def read_file_text(file: ContextFile) -> dict[str, Any]:
    """Return the fields of FileText for `file`: text, segments and personal data. Nothing is stored yet.

    No query is made, so this may run in any thread. Raises Unreadable with a sentence for the user.
    """
    try:
        reading = read_safely(file.format, Path(file.blob.path))
    except FileNotFoundError as error:
        raise Unreadable("The stored file is missing on the server. Delete it here and upload it again.") from error
    return {
        "text": reading.text,
        "segments": [asdict(segment) for segment in reading.segments],
        "personal": count_personal_data(reading.text),
    }


def save_text(file: ContextFile, taken: dict[str, Any]) -> FileText:
    """Store the text read from `file`, for every file with the same bytes and format."""
    return FileText.objects.get_or_create(**_content_of(file), defaults=taken)[0]


def stored_text_of(file: ContextFile, *, loads: bool = True) -> FileText | None:
    """Return the stored text of `file`, or None when it was not read yet. It does not read the file.

    Without `loads`, the long text itself is fetched only when it is accessed.
    """
    rows = FileText.objects.filter(**_content_of(file))
    return (rows if loads else rows.defer("text")).first()


def shown_text_of(file: ContextFile, reader: str = "") -> FileText | None:
    """Return the text of `file` for its page: as read by reader version `reader`, else by the newest that read it.

    A file read by an older reader version is shown in that version until a run reads it again, and the quotations of an
    older run are found in the version which that run used.
    """
    rows = FileText.objects.filter(sha256=file.sha256, format=file.format).order_by("-reader_version").defer("text")
    return next((row for row in rows if str(row.reader_version) == reader), rows[0] if rows else None)


def personal_counts_of(text: FileText) -> dict[str, int]:
    """Return the number of possible personal data in `text` by kind, counting them first where that was not done."""
    if text.personal is None:
        text.personal = count_personal_data(text.text)
        FileText.objects.filter(pk=text.pk).update(personal=text.personal)
    return dict(text.personal)


class DigestEngine(Protocol):
    """The interface of an engine that a digest needs."""

    @property
    def name(self) -> str:
        """The name of the engine, part of the key of its digests."""
        ...

    async def ask(self, asked: RoleRequest[A], *, prompt: Prompt | None = None) -> EngineResult[A]:
        """Return the engine's answer to a request."""
        ...


def number_of_parts(text: FileText) -> int:
    """Return the number of requests in which `text` is digested; at least 1."""
    return max(1, -(-sum(map(_weight, text.segments)) // PART_CHARACTERS))


async def digest_part(file: ContextFile, engine: DigestEngine, part: int, parts: int) -> list[DigestItem]:
    """Return the notes that `engine` takes from one of the `parts` parts of a file, counted from 0.

    The engine is asked once per content, format and reader version. Sources look like "alder.md::S3". Sources that name
    no passage of the part are dropped, and so are notes without any source (R18: notes are checked against the file).
    At most MOST notes of at most 180 characters each (X6). The text is fetched late and released before the engine is
    asked, since many parts may be in progress at once.
    """
    key = _digest_key(file, engine.name, part, parts)
    kept = await Digest.objects.filter(**key).afirst()
    if kept is None:
        segments = await sync_to_async(_segments_of)(file, part, parts)
        items: list[dict[str, Any]] = []
        if segments:
            asked = DigestAsked(file_name=file.name, segments=segments, at_most=MOST)
            answer = (await engine.ask(asked, prompt=digest_prompt(asked))).answer
            items = _checked(answer.items, {segment.id: segment.is_lead for segment in segments})
        kept, _ = await Digest.objects.aget_or_create(**key, defaults={"items": items})
    return [
        DigestItem(**{**item, "sources": [f"{file.name}::{source}" for source in item["sources"]]})
        for item in kept.items
    ]


def mark_read(file: ContextFile, error: str | None = None) -> None:
    """Set the status of `file` to read or, with an `error` for the user, to unreadable (X8)."""
    status = ContextFile.Status.READY if error is None else ContextFile.Status.ERROR
    error = error or ""
    # An update, not a save: the file may have been deleted while a run was reading it.
    if (file.status, file.error) != (status, error):
        file.status, file.error = status, error
        ContextFile.objects.filter(pk=file.pk).update(status=status, error=error)


def _content_of(file: ContextFile) -> dict[str, Any]:
    return {"sha256": file.sha256, "format": file.format, "reader_version": READER_VERSION}


def _digest_key(file: ContextFile, engine_name: str, part: int, parts: int) -> dict[str, Any]:
    # Passage ids depend on how the bytes were read, so the same bytes in another format have another digest; where a
    # part begins depends on the number of parts.
    of = f".{parts}" if parts > 1 else ""
    return {"sha256": file.sha256, "engine": f"{engine_name}/{file.format}-{READER_VERSION}{of}", "part": part}


def _weight(row: dict[str, Any]) -> int:
    return int(row["end"] - row["start"] + len(row["heading"]) + _FRAME)


def _segments_of(file: ContextFile, part: int, parts: int) -> list[Segment]:
    """Return the passages of one of `parts` parts of about equal length: those that begin in its share of the text."""
    text = stored_text_of(file)
    if text is None:
        return []
    whole = sum(map(_weight, text.segments)) or 1
    chosen: list[Segment] = []
    before = 0
    for row in text.segments:
        if before * parts // whole == part:
            chosen.append(
                Segment(
                    id=row["id"],
                    heading=row["heading"],
                    text=text.text[row["start"] : row["end"]],
                    is_lead=bool(row.get("is_lead")),
                )
            )
        before += _weight(row)
    return chosen


def _checked(items: list[DigestItem], known: dict[str, bool]) -> list[dict[str, Any]]:
    """Return the notes whose sources are in `known`, without characters that a database refuses, such as NUL.

    `known` maps the id of each passage to whether it is a lead. A note that rests on leads alone becomes a lead.
    """
    checked: list[dict[str, Any]] = []
    for item in items:
        sources = [source.rpartition("::")[2] for source in item.sources]
        sources = [source for source in dict.fromkeys(sources) if source in known]
        text, why = shortened_note(clean_text(item.text)), shortened_note(clean_text(item.why_relevant))
        if sources and text:
            checked.append(
                {
                    "kind": "lead" if all(known[source] for source in sources) else item.kind,
                    "text": text,
                    "sources": sources,
                    "why_relevant": why,
                }
            )
    return checked[:MOST]
