"""An answer as it came, unpacked without letting it grow (SPEC R18), and reading it as JSON, XML or text whatever its label says."""

import json
import re
import zlib
from collections.abc import AsyncIterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from xml.etree.ElementTree import Element, ParseError

import httpx
from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from sources.field_values import at, items, text
from sources.hosts import without_keys
from sources.work import Unreadable

MOVED = {301, 302, 303, 307, 308}  # statuses that send us elsewhere


@dataclass(frozen=True)
class Reply:
    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """Return the body as text: UTF-8 where no charset is named, and where the one named is wrong."""
        named = re.search(r"charset=[\"']?([\w.:-]+)", self.content_type, re.IGNORECASE)
        try:
            return self.body.decode(named[1] if named else "utf-8-sig")
        except (LookupError, UnicodeDecodeError):
            return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """Return the body as JSON. Raises Unreadable when it is none, whatever its label."""
        words = self.text().lstrip("\ufeff")
        if not words.strip():
            raise Unreadable("sent an empty answer")
        try:
            return json.loads(words)
        except (ValueError, RecursionError) as error:
            page = words.lstrip()[:1] == "<"
            raise Unreadable(
                "answered with a web page instead of data" if page else "sent data that are damaged"
            ) from error

    def mapping(self) -> dict[str, Any]:
        """Return the body as a JSON object. Raises Unreadable."""
        data = self.json()
        if not isinstance(data, dict):
            raise Unreadable("sent data in another shape than it promises")
        return data

    def message(self) -> str:
        """Return what the host says about a refusal, at most 200 characters; empty when it says nothing readable.

        It is somebody else's text: keys are taken out, and it is never more than quoted.
        """
        try:
            said = _said(self.json())
        except Unreadable:
            plain = self.text().strip()
            said = plain if "<" not in plain and len(plain) <= 200 else ""
        return without_keys(text(said) or "")[:200].rstrip(" .")

    def retry_after(self) -> float | None:
        """Seconds the host asks us to wait, from its header in seconds or as an HTTP date (never negative)."""
        value = self.headers.get("retry-after", "").strip()
        if re.fullmatch(r"\d{1,9}(?:\.\d+)?", value):
            return float(value)
        try:
            moment = parsedate_to_datetime(value)
        except ValueError:
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())


async def received(response: httpx.Response, limit: int) -> Reply:
    """Return the whole answer, unpacked, of at most `limit` bytes. Raises as read_body, and httpx.HTTPError."""
    headers = response.headers
    body = await read_body(response.aiter_raw(), headers.get("content-encoding", ""), limit)
    return Reply(response.status_code, headers.get("content-type", ""), body, headers)


def _said(data: Any) -> str:
    """Return the sentence in an error's JSON: each host has another place for it."""
    if isinstance(data, str):
        return data
    places: tuple[tuple[str | int, ...], ...] = (
        ("message",), ("error", "message"), ("error",), ("detail", "error"), ("detail",), ("esearchresult", "ERROR"),
    )  # fmt: skip
    for place in places:
        found = at(data, *place)
        for said in (found, *(at(one, "message") or one for one in items(found))):
            if isinstance(said, str):
                return said
    return ""


def parse_xml(body: bytes) -> Element:
    """Return the root of an XML document that declares no entities; what its DTD says is not read. Raises Unreadable."""
    try:
        root: Element = fromstring(body)
    except DefusedXmlException as error:
        raise Unreadable("sent XML with entities in it, which is not opened") from error
    except (ParseError, ValueError, LookupError) as error:
        raise Unreadable("sent XML that is damaged") from error
    return root


_PIECE = 65_536
ACCEPTED = "gzip, deflate"  # what we can unpack piece by piece
_PACKED = ("gzip", "x-gzip", "deflate")


class TooLarge(Exception):
    """More bytes than the limit, as sent or unpacked."""


class Unpackable(Exception):
    """A content encoding that was not asked for, or one that is damaged."""


async def read_body(raw: AsyncIterable[bytes], encoding: str, limit: int) -> bytes:
    """Return the body of at most `limit` bytes, unpacked.

    Raises TooLarge as soon as the limit is passed, before anything larger is held, and Unpackable.
    """
    named = encoding.strip().lower()
    if named not in {"", "identity", *_PACKED}:  # packed twice is the shape of a bomb, and the rest was never asked for
        raise Unpackable
    unpacker = _Zlib() if named in _PACKED else None
    parts: list[bytes] = []
    sent = size = 0
    async for chunk in raw:
        sent += len(chunk)
        if sent > limit:
            raise TooLarge
        for part in unpacker.feed(chunk) if unpacker else [chunk]:
            size += len(part)
            if size > limit:
                raise TooLarge
            parts.append(part)
    if unpacker and not unpacker.is_complete:
        raise Unpackable
    return b"".join(parts)


class _Zlib:
    """gzip and deflate, also deflate without its header, in pieces of bounded size."""

    def __init__(self) -> None:
        self.machine = zlib.decompressobj(47)
        self.has_begun = False

    @property
    def is_complete(self) -> bool:
        return self.machine.eof or not self.has_begun

    def feed(self, data: bytes) -> Iterator[bytes]:
        while True:
            part = self._piece(data)
            yield part
            data = self.machine.unconsumed_tail
            if self.machine.eof:
                data = self.machine.unused_data
                if not data.startswith(b"\x1f\x8b"):
                    return  # what follows the end is padding
                self.machine = zlib.decompressobj(31)
            elif not data and len(part) < _PIECE:
                return

    def _piece(self, data: bytes) -> bytes:
        try:
            part = self.machine.decompress(data, _PIECE)
        except zlib.error as error:
            if self.has_begun:
                raise Unpackable from error
            self.machine, self.has_begun = zlib.decompressobj(-15), True
            return self._piece(data)
        self.has_begun = True
        return part
