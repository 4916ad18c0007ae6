"""A person says that the record a check came upon is the work that is meant (SPEC C2, rules 4 and 5)."""

from django.db import transaction

from citations.changing.editing import take_repair
from citations.formats.entries import text_of
from citations.models import Citation
from core.errors import Refused
from projects.models import User


def take_record(citation: Citation, user: User) -> Citation:
    """Cite the very work that the registry's record tells of, and have it checked; the BibTeX that came in is kept.

    Raises Refused where no record was found, and as `take_repair`.
    """
    with transaction.atomic():
        row: Citation = Citation.objects.select_for_update().get(pk=citation.pk)
        if not row.record:
            raise Refused(f"No record was found for {row.cite_key}.", code="nothing_offered")
        if row.status in (Citation.Status.CONFLICT, Citation.Status.REVIEW):
            offered = {"doi": text_of(row.record.get("DOI")), "title": text_of(row.record.get("title"))}
            row.repair = {**offered, "csl": row.record}
            row.save(update_fields=["repair"])
        return take_repair(row, user)
