"""Streaming a draft to the page as events: the first piece at once, then at most one event in 50 ms (DESIGN 13).

The BibTeX trailer after the text is not streamed. Words that may be the beginning of it are held back until it is
certain that they are text.
"""

import asyncio
import re

from asgiref.sync import sync_to_async
from django.db import transaction

from core.storable_text import storable
from jobs.models import Job, NewEvent
from jobs.work import Cancelled, Paused, raise_if_stopped

TEXT = "draft_text"  # the kind of the events
GAP = 0.05  # seconds between two rows
LISTEN = 0.5  # seconds between two checks for cancel or pause while no text arrives

_TRAILER = re.compile(
    r"[ \t]*(?:%%%[ \t]*BIBTEX|```[ \t]*bib|@[a-z]{3,20}[ \t]*\{)|.*<bibtex>", re.IGNORECASE | re.DOTALL
)
_PERHAPS = re.compile(r"[ \t]*(?:%{1,3}[ \t]*[BIBTEX]{0,6}|`{1,3}[ \t]*[bi]{0,3}|@[a-z]{0,20}[ \t]*)?", re.IGNORECASE)
_TAG = re.compile(r"<(?:b(?:i(?:b(?:t(?:ex?)?)?)?)?)?\Z", re.IGNORECASE)


class TrailerFilter:
    """A filter that lets through the text of a draft that arrives in pieces, and stops at the BibTeX trailer."""

    def __init__(self) -> None:
        self.line = ""  # the last line, as far as it has arrived
        self.told = 0  # characters of that line that were already returned
        self.is_over = False

    def feed(self, piece: str) -> str:
        """Add a piece and return the new characters that are certain to be text."""
        found: list[str] = []
        for part in piece.splitlines(keepends=True) if not self.is_over else ():
            self.line += part
            # The marker of a trailer is within the first 400 characters of a line
            if (len(self.line) < 400 or "<" in part) and (trailer := _TRAILER.match(self.line)):
                tag = self.line[: trailer.end()].lower().rfind("<bibtex>")
                found.append(self.line[self.told : max(tag, self.told)])
                self.is_over = True
                break
            found.append(self._certain())
            if part.endswith("\n"):
                self.line, self.told = "", 0
        return "".join(found)

    def rest(self) -> str:
        """Return the text that was held back, once the answer is complete."""
        held = "" if self.is_over else self.line[self.told :]
        self.told = len(self.line)
        return held

    def _certain(self) -> str:
        if self.told < 40 and not self.line.endswith("\n") and _PERHAPS.fullmatch(self.line):
            return ""
        tag = _TAG.search(self.line, max(self.told, len(self.line) - 8))
        end = tag.start() if tag else len(self.line)
        given = self.line[self.told : end]
        self.told = max(self.told, end)
        return given


class DraftStream:
    """Writes the text of a draft as events of `job`, and watches for requests to cancel or pause that job."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.text = ""  # everything received in this call, the trailer included
        self.number = 0  # of the call
        self._shown = TrailerFilter()
        self._waiting = ""
        self._news = asyncio.Event()
        self._is_over = False

    def feed(self, piece: str, number: int) -> None:
        """Add `piece`, received in call `number`. A new number discards the text of the call before."""
        if number != self.number:
            self.number, self.text, self._waiting, self._shown = number, "", "", TrailerFilter()
        self.text += piece
        self._waiting += self._shown.feed(piece)
        if self._waiting:
            self._news.set()

    async def run(self) -> None:
        """Write events until `stop` is called. Raises Cancelled, Paused or LeaseLost if the job must end."""
        while not self._is_over:
            try:
                async with asyncio.timeout(LISTEN):
                    await self._news.wait()
            except TimeoutError:
                await sync_to_async(raise_if_stopped)(self.job)
                continue
            await self._tell()
            await asyncio.sleep(GAP)

    def begin(self) -> None:
        """Get ready for another `run` after a `stop`."""
        self._is_over = False

    def stop(self) -> None:
        """Let `run` finish. The event it is writing is completed, so that no text is sent twice or lost."""
        self._is_over = True
        self._news.set()

    async def end(self) -> None:
        """Write the rest of the text as an event. Raises as `run` does."""
        self._waiting += self._shown.rest()
        await self._tell()

    async def _tell(self) -> None:
        self._news.clear()
        text, number, self._waiting = storable(self._waiting), self.number, ""
        if text:
            await sync_to_async(self._write)(text, number)

    def _write(self, text: str, number: int) -> None:
        with transaction.atomic():
            held = self.job.hold(sure_of_lease=self.job.lease_by)
            self.job.tell([NewEvent(TEXT, text, details={"try": number})], held)
        if held.wanted == "cancel":
            raise Cancelled
        if held.wanted == "pause":
            raise Paused


def streamed_text(job: Job) -> tuple[str, int]:
    """Return the text of the last call in the events of `job`, and the call's number; "" and 0 if there is none."""
    rows = list(job.events.filter(kind=TEXT).order_by("seq").values_list("text", "details"))
    last = max((details.get("try", 0) for _, details in rows), default=0)
    return "".join(text for text, details in rows if details.get("try", 0) == last), last
