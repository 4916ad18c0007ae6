"""Answers kept for a day, so that the same question does not cost a host twice (SPEC C1).

Only good answers and "there is no such work" are kept, never a failure; a key is neither in the row's hash
nor in its body.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils import timezone

from sources.models import CachedResponse

KEPT = timedelta(hours=24)


@dataclass(frozen=True)
class Stored:
    status: int
    content_type: str
    body: bytes


def request_hash(provider: str, method: str, address: str, parts: Mapping[str, Any]) -> str:
    """The hash of a request. The key is put on later, in the transport, so it can't be part of this."""
    said = json.dumps([provider, method, address, parts], sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def look(key: str) -> Stored | None:
    row = CachedResponse.objects.filter(key=key, expires_at__gt=timezone.now()).first()
    return Stored(row.status, row.content_type, bytes(row.body)) if row else None


def keep(provider: str, key: str, stored: Stored) -> None:
    """Keep an answer for a day."""
    row = CachedResponse(
        key=key,
        provider=provider,
        status=stored.status,
        content_type=stored.content_type[:200],
        body=stored.body,
        expires_at=timezone.now() + KEPT,
    )
    fields = ["provider", "status", "content_type", "body", "expires_at"]
    CachedResponse.objects.bulk_create([row], update_conflicts=True, unique_fields=["key"], update_fields=fields)


def let_go() -> None:
    """Delete the answers that were kept for their day."""
    CachedResponse.objects.filter(expires_at__lte=timezone.now()).delete()
