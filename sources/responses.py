"""HTTP responses: bounded decompression (SPEC R18), and parsing as JSON, XML or text whatever the Content-Type."""

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
from sources.host_limits import without_keys
from sources.work import Unreadable

MOVED = {301, 302, 303, 307, 308}  # redirects


@dataclass(frozen=True)
class RawResponse:
    """A complete, decompressed HTTP response."""

    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """Return the body as text: in the declared charset, or UTF-8 if there is none or it is wrong."""
        named = re.search(r"charset=[\"']?([\w.:-]+)", self.content_type, re.IGNORECASE)
        try:
            return self.body.decode(named[1] if named else "utf-8-sig")
        except (LookupError, UnicodeDecodeError):
            return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """Return the body parsed as JSON, whatever the Content-Type. Raises Unreadable."""
        words = self.text().lstrip("\ufeff")
        if not words.strip():
            raise Unreadable("sent an empty answer")
        try:
            return json.loads(words)
        except (ValueError, RecursionError) as error:
            page = words.lstrip()[:1] == "<"
            raise Unreadable("sent a web page instead of data" if page else "sent damaged data") from error

    def mapping(self) -> dict[str, Any]:
        """Return the body as a JSON object. Raises Unreadable."""
        data = self.json()
        if not isinstance(data, dict):
            raise Unreadable("sent data in an unexpected format")
        return data

    def message(self) -> str:
        """Return the host's error message without API keys, at most 200 characters; "" if there is none.

        It is untrusted text: only quote it.
        """
        try:
            said = _error_message(self.json())
        except Unreadable:
            plain = self.text().strip()
            said = plain if "<" not in plain and len(plain) <= 200 else ""
        return without_keys(text(said) or "")[:200].rstrip(" .")

    def retry_after(self) -> float | None:
        """Return the seconds to wait from the Retry-After header (seconds or HTTP date; never negative), or None."""
        value = self.headers.get("retry-after", "").strip()
        if re.fullmatch(r"\d{1,9}(?:\.\d+)?", value):
            return float(value)
        try:
            moment = parsedate_to_datetime(value)
        except ValueError:
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())


async def received(response: httpx.Response, limit: int) -> RawResponse:
    """Read the whole response, decompressed, of at most `limit` bytes. Raises like read_body, and httpx.HTTPError."""
    headers = response.headers
    body = await read_body(response.aiter_raw(), headers.get("content-encoding", ""), limit)
    return RawResponse(response.status_code, headers.get("content-type", ""), body, headers)


def _error_message(data: Any) -> str:
    """Return the message in the JSON of an error, which each host puts in a different place."""
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
    """Parse XML and return its root. Documents that declare entities are refused. Raises Unreadable."""
    try:
        root: Element = fromstring(body)
    except DefusedXmlException as error:
        raise Unreadable("sent XML with entity declarations, which is not read") from error
    except (ParseError, ValueError, LookupError) as error:
        raise Unreadable("sent damaged XML") from error
    return root


_PIECE = 65_536
ACCEPTED = "gzip, deflate"  # encodings we can decompress piece by piece
_PACKED = ("gzip", "x-gzip", "deflate")


class TooLarge(Exception):
    """A body larger than the limit, compressed or decompressed."""


class UnsupportedEncoding(Exception):
    """A content encoding that was not requested, or a damaged one."""


async def read_body(raw: AsyncIterable[bytes], encoding: str, limit: int) -> bytes:
    """Return the decompressed body of at most `limit` bytes.

    Raises TooLarge as soon as the limit is passed, so that nothing larger is held in memory, and UnsupportedEncoding.
    """
    named = encoding.strip().lower()
    if named not in {"", "identity", *_PACKED}:  # also refuses double compression, typical of bombs
        raise UnsupportedEncoding
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
        raise UnsupportedEncoding
    return b"".join(parts)


class _Zlib:
    """Decompresses gzip and deflate (also raw deflate) in pieces of bounded size."""

    def __init__(self) -> None:
        self.machine = zlib.decompressobj(47)
        self.has_begun = False

    @property
    def is_complete(self) -> bool:
        """Whether the stream has ended properly, or was empty."""
        return self.machine.eof or not self.has_begun

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the decompressed pieces of `data`. Raises UnsupportedEncoding."""
        while True:
            part = self._piece(data)
            yield part
            data = self.machine.unconsumed_tail
            if self.machine.eof:
                data = self.machine.unused_data
                if not data.startswith(b"\x1f\x8b"):
                    return  # padding after the end
                self.machine = zlib.decompressobj(31)
            elif not data and len(part) < _PIECE:
                return

    def _piece(self, data: bytes) -> bytes:
        try:
            part = self.machine.decompress(data, _PIECE)
        except zlib.error as error:
            if self.has_begun:
                raise UnsupportedEncoding from error
            self.machine, self.has_begun = zlib.decompressobj(-15), True
            return self._piece(data)
        self.has_begun = True
        return part
