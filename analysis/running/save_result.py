"""Saving the answer of R in the database: result, script, package versions and figures (SPEC N2)."""

import base64
import binascii
from collections.abc import Iterator
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from analysis.datasets.storage import delete_on_commit
from analysis.models import Analysis, Figure, figure_at
from analysis.running.sanitize_svg import sanitize_svg
from analysis.running.titles import custom_title, default_title
from core.grouping import grouped
from core.storable_text import storable
from jobs.models import Job
from jobs.work import Stopped

_MAGIC = {"png": b"\x89PNG\r\n\x1a\n", "pdf": b"%PDF-"}
_MOST = 10_000_000  # bytes of a figure


def save_result(analysis: Analysis, job: Job, answer: dict[str, Any], seconds: float) -> None:
    """Save the `answer` of the R service, with the rows and files of its figures, all or nothing.

    `seconds` is the time from the request to the answer. Raises LeaseLost when another worker has taken over the job,
    and Stopped when the files cannot be stored.
    """
    result = storable({name: value for name, value in answer.items() if name != "figures"})
    analysis.script = str((result.get("script") or {}).pop("code", "") or "")
    if not custom_title(analysis):
        analysis.title = default_title(analysis.kind, analysis.name, result)[:300]
    analysis.result, analysis.versions = result, result.get("versions") or {}
    analysis.error, analysis.seconds, analysis.ended_at = None, round(seconds, 3), timezone.now()
    written: list[str] = []
    try:
        with transaction.atomic():
            job.hold(sure_of_lease=job.lease_by)
            analysis.figures.all().delete()  # of an earlier attempt
            for figure, files in _figures(analysis, answer.get("figures") or []):
                for ending, data in files.items():
                    written.append(figure_at(figure, ending))
                    getattr(figure, ending).save(ending, ContentFile(data), save=False)
                figure.save(force_insert=True)
            analysis.save(
                update_fields=["title", "script", "result", "versions", "error", "seconds", "ended_at", "request"]
            )
    except BaseException as error:
        for name in written:
            default_storage.delete(name)
        if not isinstance(error, OSError):
            raise
        raise Stopped(
            f"The server could not store the figures ({error.strerror}). Tell the administrator of this server."
        ) from error


def save_error(analysis: Analysis, job: Job, error: dict[str, Any], seconds: float = 0) -> None:
    """Save why there is no result: {code, message, field, column, hint, suggest}. Raises LeaseLost like keep_result."""
    kept = {
        name: storable(str(error.get(name) or "")) for name in ("code", "message", "field", "column", "hint", "suggest")
    }
    analysis.error, analysis.seconds, analysis.ended_at = kept, round(seconds, 3), timezone.now()
    with transaction.atomic():
        job.hold(sure_of_lease=job.lease_by)
        analysis.save(update_fields=["error", "seconds", "ended_at", "request"])


def _figures(analysis: Analysis, sent: list[Any]) -> Iterator[tuple[Figure, dict[str, bytes]]]:
    """Yield each figure with its files by format, in the order of the answer. Entries with one id are one figure."""
    named = (one for one in storable(sent) if isinstance(one, dict) and isinstance(one.get("id"), str))
    by_id = grouped((one["id"][:40], one) for one in named)
    for kind, entries in by_id.items():
        first = entries[0]
        figure = Figure(
            project_id=analysis.project_id,
            analysis=analysis,
            kind=kind,
            caption=str(first.get("caption") or ""),
            alt=str(first.get("alt") or ""),
            width_mm=_size(first.get("width_mm")),
            height_mm=_size(first.get("height_mm")),
        )
        files: dict[str, bytes] = {}
        for entry in entries:
            data, format = _bytes_of(entry), entry.get("format")
            if format == "svg":
                figure.svg = sanitize_svg(data.decode(errors="replace"))
            elif format in _MAGIC and data.startswith(_MAGIC[format]):
                files[format] = data
        if figure.svg or files:
            yield figure, files


def _bytes_of(entry: dict[str, Any]) -> bytes:
    try:
        data = base64.b64decode(str(entry.get("base64") or ""), validate=True)
    except (binascii.Error, ValueError):
        return b""
    return data if len(data) <= _MOST else b""


def _size(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and 0 < value < 2000 else 0.0


def remove_figure_files(sender: Any, instance: Figure, **_: Any) -> None:
    """Delete the files of a deleted figure once the transaction is committed (receiver of post_delete)."""
    delete_on_commit(instance.png, instance.pdf)


def remove_analysis(analysis: Analysis) -> None:
    """Cancel an analysis if it runs, and delete it with its figures. What was inserted into sections stays there."""
    with transaction.atomic():
        if analysis.job is not None:
            analysis.job.ask("cancel")
        analysis.delete()
