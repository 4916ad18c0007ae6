"""The usage of model calls: one row per charged call (SPEC T4)."""

import uuid
from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

from django.db import models
from django.db.models import Count, F, Sum

from core.fast_sql import insert
from llm.result import CallUsage
from projects.models import Project


class Totals(NamedTuple):
    """Cost, tokens and number of calls."""

    usd: Decimal
    tokens: int
    calls: int


class UsageQuerySet(models.QuerySet["Usage"]):
    """Queries for usage rows."""

    def keep(self, project: Project, subject: uuid.UUID, usages: Iterable[CallUsage]) -> None:
        """Save the usage of calls for `subject`, a run or a draft of `project`.

        Call it in the transaction that saves their answer. Saving the same usage again has no effect.
        """
        fields = tuple(CallUsage.model_fields)
        insert(
            Usage,
            ("project_id", "subject", *fields),
            ((project.pk, subject, *(getattr(usage, name) for name in fields)) for usage in usages),
            conflict="ON CONFLICT DO NOTHING",
        )

    def totals(self) -> Totals:
        """Return the total cost, tokens and calls of these rows."""
        sums = self.aggregate(
            usd=Sum("cost_usd"),
            tokens=Sum(
                F("input_tokens") + F("output_tokens") + F("cache_read_tokens") + F("cache_write_tokens"),
                output_field=models.BigIntegerField(),
            ),
            calls=Count("pk"),
        )
        return Totals(sums["usd"] or Decimal(0), sums["tokens"] or 0, sums["calls"])


class Usage(models.Model):
    """The usage of one call. `subject` is the id of a run or draft; this app does not import those models."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="usages")
    subject = models.UUIDField(db_index=True)
    role = models.CharField(max_length=20)
    model = models.CharField(max_length=120)
    input_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    cache_read_tokens = models.PositiveIntegerField(default=0)
    cache_write_tokens = models.PositiveIntegerField(default=0)
    cost_usd = models.DecimalField(max_digits=14, decimal_places=8, default=Decimal(0))
    is_estimate = models.BooleanField(default=False)
    stop_reason = models.CharField(max_length=40, blank=True)
    request_id = models.CharField(max_length=120, blank=True)
    at = models.DateTimeField()

    objects = UsageQuerySet.as_manager()

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.role} {self.model} {self.cost_usd} USD"
