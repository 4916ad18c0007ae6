"""What all processes share about the hosts they ask: the pace, the breaker, and what was answered already (SPEC C1)."""

from datetime import datetime, timedelta
from typing import Any

from django.db import models

OPENS_AFTER = 5  # failures in a row
RESTS = timedelta(seconds=30)


class CachedResponse(models.Model):
    """An answer kept for some time. `key` hashes the request without its keys (sources/cache.py)."""

    provider = models.CharField(max_length=40)
    key = models.CharField(max_length=64, unique=True)
    status = models.PositiveSmallIntegerField()
    content_type = models.CharField(max_length=200, blank=True)
    body = models.BinaryField()
    fetched_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.provider} {self.status} {self.key[:8]}"


class HostPace(models.Model):
    """When a host may be asked next, by whichever process (sources/rate_limit.py), and whether it is left alone for now.

    A host that counts searches apart has a second row for them, which is read for its pace only.
    """

    name = models.CharField(max_length=40, unique=True)
    next_free_at = models.DateTimeField(null=True)
    held_until = models.DateTimeField(null=True)  # nobody asks before: the host said so
    told_interval = models.FloatField(null=True)  # seconds between requests, as the host's last answer said
    told_at_once = models.PositiveIntegerField(null=True)
    flying: Any = models.JSONField(default=dict)  # token of a request under way: when it is given up, epoch seconds
    failures = models.PositiveIntegerField(default=0)  # in a row
    rests_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name

    def let_one_try(self, now: datetime) -> None:
        """After its rest, one request tries a host that failed; the others stay away until it is known how it went.

        The fifth failure in a row, and each one after it, opens the breaker for 30 s.
        """
        if self.failures >= OPENS_AFTER:
            self.rests_until = now + RESTS
