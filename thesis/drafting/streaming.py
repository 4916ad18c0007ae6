"""What is heard of a draft is told as it comes: the first piece at once, then at most one event in 50 ms (DESIGN 13).

The references behind the text are not part of what is told: from where they may begin, words are held back until it is
certain that they are text.
"""

import asyncio
import re

from asgiref.sync import sync_to_async
from django.db import transaction

from core.storable_text import storable
from jobs.models import Job, Told
from jobs.work import Cancelled, Paused, asked_of

TEXT = "draft_text"  # the kind of the events
GAP = 0.05  # seconds between two rows
LISTEN = 0.5  # seconds between two looks at what is asked of the job, while nothing comes

_TRAILER = re.compile(
    r"[ \t]*(?:%%%[ \t]*BIBTEX|```[ \t]*bib|@[a-z]{3,20}[ \t]*\{)|.*<bibtex>", re.IGNORECASE | re.DOTALL
)
_PERHAPS = re.compile(r"[ \t]*(?:%{1,3}[ \t]*[BIBTEX]{0,6}|`{1,3}[ \t]*[bi]{0,3}|@[a-z]{0,20}[ \t]*)?", re.IGNORECASE)
_TAG = re.compile(r"<(?:b(?:i(?:b(?:t(?:ex?)?)?)?)?)?\Z", re.IGNORECASE)


class Shown:
    """The part of a draft that is text, while it comes in pieces."""

    def __init__(self) -> None:
        self.line = ""  # the last one, as far as it has come
        self.told = 0  # characters of it that were given out
        self.is_over = False

    def feed(self, piece: str) -> str:
        """Return what of the text so far is now certain to be text, and was not given out before."""
        found: list[str] = []
        for part in piece.splitlines(keepends=True) if not self.is_over else ():
            self.line += part
            # A line that begins a trailer is shorter than 400 characters
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
        """At the end: what was held back and is text after all."""
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


class Stream:
    """Tells what is fed to it as events of `job`, and listens to what is asked of that."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.text = ""  # all that came with this try, references too
        self.number = 0  # of the try
        self._shown = Shown()
        self._waiting = ""
        self._news = asyncio.Event()
        self._is_over = False

    def feed(self, piece: str, number: int) -> None:
        """`piece` came with try `number`; with a higher one what came before is void."""
        if number != self.number:
            self.number, self.text, self._waiting, self._shown = number, "", "", Shown()
        self.text += piece
        self._waiting += self._shown.feed(piece)
        if self._waiting:
            self._news.set()

    async def run(self) -> None:
        """Until `stop`. Raises Cancelled, Paused or LeaseLost when that is what is wanted of the job."""
        while not self._is_over:
            try:
                async with asyncio.timeout(LISTEN):
                    await self._news.wait()
            except TimeoutError:
                await sync_to_async(asked_of)(self.job)
                continue
            await self._tell()
            await asyncio.sleep(GAP)

    def begin(self) -> None:
        """Before `run`: it may have been stopped once."""
        self._is_over = False

    def stop(self) -> None:
        """Let `run` come to its end: what it is just writing is written, so that nothing is told twice or not at all."""
        self._is_over = True
        self._news.set()

    async def end(self) -> None:
        """Tell what is left. Raises as `run`."""
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
            self.job.tell([Told(TEXT, text, details={"try": number})], held)
        if held.wanted == "cancel":
            raise Cancelled
        if held.wanted == "pause":
            raise Paused


def heard_before(job: Job) -> tuple[str, int]:
    """Return the text of the last try that events of `job` tell of, and its number; "" and 0 where there is none."""
    rows = list(job.events.filter(kind=TEXT).order_by("seq").values_list("text", "details"))
    last = max((details.get("try", 0) for _, details in rows), default=0)
    return "".join(text for text, details in rows if details.get("try", 0) == last), last
