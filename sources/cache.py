"""The cache of catalogue responses: kept for a day, so that the same request is not sent twice (SPEC C1).

Only successful and "not found" responses are cached, never failures. API keys are neither part of the hash nor stored.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import connection
from django.utils import timezone

from sources.models import CachedResponse
from sources.responses import RawResponse

KEPT = timedelta(hours=24)
_LOOK = "SELECT status, content_type, body FROM sources_cachedresponse WHERE key = %s AND expires_at > %s"


def request_hash(provider: str, method: str, address: str, parts: Mapping[str, Any]) -> str:
    """Return the cache key of a request. The API key is added later, in the transport, so it is not part of it."""
    said = json.dumps([provider, method, address, parts], sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def get_cached(key: str) -> RawResponse | None:
    """Return the cached response, or None."""
    # Raw SQL: every request runs this, and building the query would take longer than running it.
    with connection.cursor() as cursor:
        cursor.execute(_LOOK, [key, connection.ops.adapt_datetimefield_value(timezone.now())])
        row = cursor.fetchone()
    return RawResponse(row[0], row[1], bytes(row[2])) if row else None


def store_responses(answers: Mapping[str, tuple[str, RawResponse]]) -> None:
    """Cache responses for a day: {request hash: (provider, response)}.

    Runs may write the same rows at the same time, so rows are written in sorted order to avoid deadlocks.
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
    """Delete expired responses."""
    CachedResponse.objects.filter(expires_at__lte=timezone.now()).delete()
