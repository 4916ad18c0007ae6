"""Answers kept for a day, so that the same question does not cost a host twice (SPEC C1).

Only good answers and "there is no such work" are kept, never a failure; a key is neither in the row's hash
nor in its body.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import connection
from django.utils import timezone

from sources.models import CachedResponse
from sources.responses import Reply

KEPT = timedelta(hours=24)
_LOOK = "SELECT status, content_type, body FROM sources_cachedresponse WHERE key = %s AND expires_at > %s"


def request_hash(provider: str, method: str, address: str, parts: Mapping[str, Any]) -> str:
    """Return the hash of a request. The key is put on later, in the transport, so it can't be part of this."""
    said = json.dumps([provider, method, address, parts], sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def look(key: str) -> Reply | None:
    # Written by hand: every request asks this, and putting it together anew takes longer than answering it.
    with connection.cursor() as cursor:
        cursor.execute(_LOOK, [key, connection.ops.adapt_datetimefield_value(timezone.now())])
        row = cursor.fetchone()
    return Reply(row[0], row[1], bytes(row[2])) if row else None


def keep(answers: Mapping[str, tuple[str, Reply]]) -> None:
    """Keep answers for a day: of each request, by its hash, who was asked and what came back.

    Runs that ask the same at the same time keep the same rows. They do so in one order, so that none waits for another
    that waits for it.
    """
    until = timezone.now() + KEPT
    CachedResponse.objects.bulk_create(
        [
            CachedResponse(
                key=key,
                provider=name,
                status=reply.status,
                content_type=reply.content_type[:200],
                body=reply.body,
                expires_at=until,
            )
            for key, (name, reply) in sorted(answers.items())
        ],
        update_conflicts=True,
        unique_fields=["key"],
        update_fields=["provider", "status", "content_type", "body", "expires_at"],
    )


def let_go() -> None:
    """Delete the answers that were kept for their day."""
    CachedResponse.objects.filter(expires_at__lte=timezone.now()).delete()
