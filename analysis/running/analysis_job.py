"""The job that runs an analysis: wait for a compute slot, send the columns to R, save the result (SPEC N2, N7)."""

import asyncio
import time
from functools import partial
from typing import Any

from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings
from django.utils import timezone

from analysis.datasets.excluded_rows import file_row_numbers, left_out_of
from analysis.datasets.export import columns_for
from analysis.datasets.level_codes import params_for_r
from analysis.models import Analysis, DatasetVersion
from analysis.r_client.client import EngineError, catalogue, request_result
from analysis.r_client.column_names import catalogue_entry
from analysis.r_client.request_body import make_request
from analysis.running.row_checks import add_left_out_rows, add_row_notes, use_file_row_numbers
from analysis.running.save_result import save_error, save_result
from analysis.running.start import SLOTS, columns_named
from core.errors import Refused
from jobs.compute_slots import QueueFull, free_slots, hold_slots
from jobs.models import Job, State
from jobs.work import Stopped, raise_if_stopped

STEP = "analysis_step"  # the kind of the job's progress events
FIGURES = ("svg", "pdf", "png")
TRIES = 3  # attempts when an R process died or none was there
RETRY_PAUSE_SECONDS = 2.0  # seconds between two attempts; meanwhile a dead R process is restarted
CANCEL_CHECK_SECONDS = 0.4  # seconds between two checks whether the job was cancelled


def analyse(job: Job) -> None:
    """Run the analysis of `job`. After a crash it runs again from the start; no partial result was saved.

    Raises Stopped with the error message when R returned an error; the whole error is saved with the analysis.
    """
    row: Analysis | None = Analysis.objects.select_related("project", "data__dataset").filter(job=job).first()
    if row is None:
        raise Stopped("This analysis was deleted.")
    if row.result is None and row.error is None:
        try:
            # The analysis was accepted when it was started, so it waits however long the queue is by now.
            with hold_slots(job, SLOTS, insists=True, tell=partial(_tell_ahead, job)):
                _ask(row, job)
        except QueueFull as busy:
            raise Stopped(str(busy)) from None
    if row.error:
        raise Stopped(row.reason)


def close(job: Job) -> None:
    """Release the compute slot of an ended job, and save why there is no result if there is none."""
    free_slots(job)
    row = Analysis.objects.filter(job=job, ended_at=None)
    if job.state == State.DONE:
        row.update(ended_at=timezone.now())
        return
    code = "cancelled" if job.state == State.CANCELLED else "stopped"
    said = "It was stopped." if job.state == State.CANCELLED else job.reason or "It could not be done."
    error = {"code": code, "message": said, "field": "", "column": "", "hint": "Run it again.", "suggest": ""}
    row.update(ended_at=timezone.now(), error=error)


def _tell_ahead(job: Job, kinds: list[str]) -> None:
    ahead = len(kinds)
    said = "1 job is ahead of yours." if ahead == 1 else f"{ahead} jobs are ahead of yours."
    job.emit(STEP, f"{said} It starts automatically.", counters={"ahead": ahead}, sure_of_lease=job.lease_by)


def _ask(row: Analysis, job: Job) -> None:
    raise_if_stopped(job)
    if job.attempts <= 1:  # only once, so that an analysis that kills its worker every time is seen to stall
        job.emit(STEP, "Running in R", counters={"ahead": 0}, sure_of_lease=job.lease_by)
    started = time.monotonic()
    try:
        body = _body(row)
        started = time.monotonic()
        answer = async_to_sync(_answer)(row, job, body)
        about = row.request["data_version"] or {}
        answer = add_left_out_rows(
            answer, about.get("left_out") or [], f"{about.get('dataset')} version {about.get('number')}"
        )
    except EngineError as error:
        said = error.as_dict()
        if row.data is not None:
            said["message"] = use_file_row_numbers(said["message"], file_row_numbers(row.data))
        save_error(row, job, said, time.monotonic() - started)
    except Refused as refused:
        save_error(row, job, {"code": refused.code, "message": refused.message, "field": refused.field})
    else:
        save_result(row, job, add_row_notes(answer, (row.why or {}).get("notes") or []), time.monotonic() - started)


def _body(row: Analysis) -> dict[str, Any]:
    """Return the request body for R, and set `row.request` to the same without the values of the columns."""
    columns: list[dict[str, Any]] = []
    params: dict[str, Any] = row.params
    coded: list[str] = []
    ids = [] if row.kind == Analysis.Kind.SAMPLE_SIZE else columns_named(row.params)
    if ids:
        if row.data is None:
            raise Refused("The data of this analysis was deleted.", field="data", code="no_data")
        if any(one.get("labels") for one in row.data.columns if one["id"] in ids):
            entry = catalogue_entry(async_to_sync(catalogue)(), row.kind, row.name)
            params, coded = params_for_r(params, row.data.columns, entry)
        columns = columns_for(row.data, ids, coded)
    alpha, conf_level = row.request.get("alpha", 0.05), row.request.get("conf_level", 0.95)
    made = make_request(columns, params, alpha=alpha, conf_level=conf_level, figures=FIGURES)
    row.request = sent_without_values(made) | {"data_version": _version(row.data)}
    if coded:
        row.request["coded"] = coded  # columns that were sent as codes; the data of the script must have them too
    return made


def sent_without_values(body: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a request without the values of the columns, to be saved and shown."""
    columns = [
        {name: value for name, value in column.items() if name != "values"}
        for column in body.get("data", {}).get("columns", [])
    ]
    return {**{name: value for name, value in body.items() if name != "data"}, "data": {"columns": columns}}


def _version(data: DatasetVersion | None) -> dict[str, Any] | None:
    if data is None:
        return None
    said = {"dataset": data.dataset.name, "number": data.number, "rows": data.row_count, "sha256": data.sha256}
    left_out = left_out_of(data)
    return said | ({"left_out": left_out} if left_out else {})


async def _answer(row: Analysis, job: Job, body: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of the R service. Raises Stopped when the job is cancelled while R computes."""
    for left in reversed(range(TRIES)):
        asking = asyncio.ensure_future(request_result(row.kind, row.name, body))
        try:
            while not (await asyncio.wait({asking}, timeout=CANCEL_CHECK_SECONDS))[0]:
                await sync_to_async(raise_if_stopped)(job)
            return asking.result()
        except EngineError as error:
            if not left or not _is_retryable(error):
                raise
        finally:
            asking.cancel()
        await asyncio.sleep(RETRY_PAUSE_SECONDS)
        await sync_to_async(raise_if_stopped)(job)
    raise AssertionError("The last try returns or raises.")


def _is_retryable(error: Any) -> bool:
    """Return whether another attempt may succeed: an R process died (502), is starting, or is busy.

    An error inside R would happen again.
    """
    return error.status == 502 or error.code == "busy" or (error.code == "absent" and bool(settings.R_PLUMBER_URLS))
