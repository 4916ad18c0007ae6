"""What looks like data of persons in files that were read, where people see these files (SPEC X2)."""

from collections.abc import Collection

from contextfiles.models import ContextFile, FileText
from text.personal import told


def tell_held(files: Collection[ContextFile]) -> None:
    """Set `holds` of each of `files`: "2 e-mail addresses and 1 date of birth", "" for none or while it was not read.

    One query, and no text is fetched for it.
    """
    contents = {file.sha256 for file in files if file.status == ContextFile.Status.READY}
    rows = (
        FileText.objects.filter(sha256__in=contents).order_by("reader_version")  # the last reading counts
        if contents
        else FileText.objects.none()
    )
    personal = {(sha256, format): counts for sha256, format, counts in rows.values_list("sha256", "format", "personal")}
    for file in files:
        file.holds = told(personal.get((file.sha256, file.format)) or {})  # type: ignore[attr-defined]
