"""Deleting an analysis (SPEC N2)."""

from django.db import transaction

from analysis.models import Analysis


def remove_analysis(analysis: Analysis) -> None:
    """Delete an analysis with its figures; one that runs is stopped first. What of it stands in the text stays there."""
    with transaction.atomic():
        if analysis.job is not None:
            analysis.job.ask("cancel")
        analysis.delete()
