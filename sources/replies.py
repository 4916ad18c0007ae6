"""An answer as it came, and reading it as JSON or text whatever its label says."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from sources.body import read_body
from sources.hosts import without_keys
from sources.outcomes import Unreadable
from sources.reading import at, items, text

MOVED = {301, 302, 303, 307, 308}  # statuses that send us elsewhere


@dataclass(frozen=True)
class Reply:
    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """The body as text: UTF-8 where no charset is named, and where the one named is wrong."""
        named = re.search(r"charset=[\"']?([\w.:-]+)", self.content_type, re.IGNORECASE)
        try:
            return self.body.decode(named[1] if named else "utf-8-sig")
        except (LookupError, UnicodeDecodeError):
            return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """The body as JSON. Raises Unreadable when it is none, whatever its label."""
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
        """The body as a JSON object. Raises Unreadable."""
        data = self.json()
        if not isinstance(data, dict):
            raise Unreadable("sent data in another shape than it promises")
        return data

    def message(self) -> str:
        """What the host says about a refusal, at most 200 characters; empty when it says nothing readable.

        It is somebody else's text: keys are taken out, and it is never more than quoted.
        """
        try:
            data = self.json()
        except Unreadable:
            plain = self.text().strip()
            said = plain if plain and "<" not in plain and len(plain) <= 200 else ""
        else:
            said = _said(data)
        return without_keys(text(said) or "")[:200].rstrip(" .")

    def retry_after(self) -> float | None:
        """Seconds the host asks us to wait, from its header in seconds or as an HTTP date (never negative)."""
        value = self.headers.get("retry-after", "").strip()
        if not value:
            return None
        if re.fullmatch(r"\d{1,9}(?:\.\d+)?", value):
            return float(value)
        try:
            moment = parsedate_to_datetime(value)
        except ValueError:
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())


async def received(response: httpx.Response, limit: int) -> Reply:
    """The whole answer, unpacked, of at most `limit` bytes. Raises as read_body, and httpx.HTTPError."""
    headers = response.headers
    body = await read_body(response.aiter_raw(), headers.get("content-encoding", ""), limit)
    return Reply(response.status_code, headers.get("content-type", ""), body, headers)


def _said(data: Any) -> str:
    """The sentence in an error's JSON: each host has another place for it."""
    if isinstance(data, str):
        return data
    places: tuple[tuple[str | int, ...], ...] = (
        ("message",), ("error", "message"), ("error",), ("detail", "error"), ("detail",), ("esearchresult", "ERROR"),
    )  # fmt: skip
    for place in places:
        found = at(data, *place)
        if isinstance(found, str):
            return found
        for one in items(found):
            said = at(one, "message") or one
            if isinstance(said, str):
                return said
    return ""
