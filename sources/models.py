"""Models shared by all processes: rate limits and circuit breakers of hosts, cached responses, contact (SPEC C1)."""

from datetime import datetime, timedelta
from typing import Any

from django.db import models

OPENS_AFTER = 5  # failures in a row
RESTS = timedelta(seconds=30)


class CachedResponse(models.Model):
    """A cached response. `key` is a hash of the request without API keys (sources/cache.py)."""

    provider = models.CharField(max_length=40)
    key = models.CharField(max_length=64, unique=True)
    status = models.PositiveSmallIntegerField()
    content_type = models.CharField(max_length=200, blank=True)
    body = models.BinaryField()
    fetched_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.provider} {self.status} {self.key[:8]}"


class ContactAddress(models.Model):
    """The address that the site's owner entered for the catalogues; the only row has pk 1 (sources/contact_address.py).

    No row: the owner was not asked yet. "": they declined, or removed it.
    """

    address = models.EmailField(blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.address or "none"


class HostPace(models.Model):
    """When any process may send the next request to a host, and its circuit breaker (sources/rate_limit.py).

    A host that limits searches separately has a second row for them, which is used only for its pace.
    """

    name = models.CharField(max_length=40, unique=True)
    next_free_at = models.DateTimeField(null=True)
    held_until = models.DateTimeField(null=True)  # no requests before, as the host demanded
    told_interval = models.FloatField(null=True)  # seconds between requests, from the host's last response
    told_at_once = models.PositiveIntegerField(null=True)
    flying: Any = models.JSONField(
        default=dict
    )  # {token of a request in flight: epoch seconds when it no longer counts}
    failures = models.PositiveIntegerField(default=0)  # in a row
    rests_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name

    def let_one_try(self, now: datetime) -> None:
        """Open the circuit breaker for 30 s after OPENS_AFTER failures in a row.

        After that one request tries the host (half-open), while all others wait for its result.
        """
        if self.failures >= OPENS_AFTER:
            self.rests_until = now + RESTS
