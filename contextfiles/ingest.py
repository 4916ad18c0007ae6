"""What a run does with a file on Start: read it once, look for personal data once, digest it once (SPEC X2, X8)."""

from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol, TypeVar

from asgiref.sync import sync_to_async
from pydantic import BaseModel

from contextfiles.models import ContextFile, Digest, FileText
from contextfiles.notes_bundle import fitted
from contextfiles.passages import plain
from contextfiles.prompts import digest_prompt
from contextfiles.read_text import READER_VERSION, Unreadable, read_safely
from llm.prompt import Prompt
from llm.result import Answered
from llm.roles import Asked, DigestAsked, DigestItem, Segment
from text.personal_data.detection import personal_in

A = TypeVar("A", bound=BaseModel)

# Characters of a text in one question. Where each character is a token, as in Chinese, this fills most of the 200,000
# that current models hold, with room for the answer; where four make one, a part is read in well under a minute.
PART = 120_000
_FRAME = 40  # characters that a passage takes in a question besides its words
MOST = 60  # notes of one part


def taken_from(file: ContextFile) -> dict[str, Any]:
    """Read the bytes of `file` and look for personal data: what FileText keeps of it, which is not stored yet.

    No query is made, so this may be done in any thread. Raises Unreadable with a sentence for the person who uploaded it.
    """
    try:
        reading = read_safely(file.format, Path(file.blob.path))
    except FileNotFoundError as error:
        raise Unreadable("The stored file is gone from the disk. Delete it here and upload it again.") from error
    return {
        "text": reading.text,
        "segments": [asdict(segment) for segment in reading.segments],
        "personal": personal_in(reading.text),
    }


def keep(file: ContextFile, taken: dict[str, Any]) -> FileText:
    """Store what was taken from `file`, for every file of the same bytes and format."""
    return FileText.objects.get_or_create(**_content_of(file), defaults=taken)[0]


def kept_text_of(file: ContextFile, *, loads: bool = True) -> FileText | None:
    """Return the text of `file` if it was read before; None otherwise. Reads nothing.

    Without `loads` the words themselves are fetched only when they are asked for: they are long.
    """
    rows = FileText.objects.filter(**_content_of(file))
    return (rows if loads else rows.defer("text")).first()


def shown_text_of(file: ContextFile, reader: str = "") -> FileText | None:
    """Return the text of `file` as people see it: as `reader`, the number of a reading, has it, else as it was read last.

    A file that was read by an older reader opens as it was read then, until a run reads it again; what an older run quotes
    stands in the text that this run has read.
    """
    rows = FileText.objects.filter(sha256=file.sha256, format=file.format).order_by("-reader_version").defer("text")
    return next((row for row in rows if str(row.reader_version) == reader), rows[0] if rows else None)


def look_for_personal(text: FileText) -> dict[str, int]:
    """Return what looks like data of persons in `text`, by kind: counted now when it was read before anybody looked."""
    if text.personal is None:
        text.personal = personal_in(text.text)
        FileText.objects.filter(pk=text.pk).update(personal=text.personal)
    return dict(text.personal)


class Asks(Protocol):
    """The part of an engine that a digest needs."""

    @property
    def name(self) -> str: ...

    async def ask(self, asked: Asked[A], *, prompt: Prompt | None = None) -> Answered[A]: ...


def number_of_parts(text: FileText) -> int:
    """In how many questions `text` is digested; at least 1."""
    return max(1, -(-sum(map(_weight, text.segments)) // PART))


async def digest_part(file: ContextFile, engine: Asks, part: int, parts: int) -> list[DigestItem]:
    """Return what `engine` draws from one of the `parts` parts of a file that was read, counted from 0; asked once per content,
    format and reader.

    Sources come back as "alder.md::S3". Sources that name no passage of the part are dropped, and so are items left
    with none (R18: what an engine says about a file is checked against the file). At most MOST items of at most 180
    characters each (X6). The text is fetched when it is needed and let go before the engine is asked: many parts may be
    under way at once.
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
    """The file was read, or could not be: then `error` says why, for people (X8)."""
    status = ContextFile.Status.READY if error is None else ContextFile.Status.ERROR
    error = error or ""
    # An update, not a save: the file may have been deleted while a run was reading it.
    if (file.status, file.error) != (status, error):
        file.status, file.error = status, error
        ContextFile.objects.filter(pk=file.pk).update(status=status, error=error)


def _content_of(file: ContextFile) -> dict[str, Any]:
    return {"sha256": file.sha256, "format": file.format, "reader_version": READER_VERSION}


def _digest_key(file: ContextFile, engine_name: str, part: int, parts: int) -> dict[str, Any]:
    # Passage ids depend on how the bytes were read, so the same bytes under another format digest apart; where a part
    # begins depends on how many there are.
    of = f".{parts}" if parts > 1 else ""
    return {"sha256": file.sha256, "engine": f"{engine_name}/{file.format}-{READER_VERSION}{of}", "part": part}


def _weight(row: dict[str, Any]) -> int:
    return int(row["end"] - row["start"] + len(row["heading"]) + _FRAME)


def _segments_of(file: ContextFile, part: int, parts: int) -> list[Segment]:
    """Return the passages of one of `parts` parts of about the same length: those that begin in its share of the whole."""
    text = kept_text_of(file)
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
    """Return the items that rest on passages in `known`, in words that every database keeps: a NUL is none of them.

    `known` says of each passage whether it is a lead. What rests on nothing else is a lead, whatever it is called.
    """
    checked: list[dict[str, Any]] = []
    for item in items:
        sources = [source.rpartition("::")[2] for source in item.sources]
        sources = [source for source in dict.fromkeys(sources) if source in known]
        text, why = fitted(plain(item.text)), fitted(plain(item.why_relevant))
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
