"""Starting an analysis: the request is checked and saved here, and a worker runs it (SPEC N2, N7)."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Max

from analysis.datasets.level_codes import params_in_codes
from analysis.models import Analysis, DatasetVersion
from analysis.running.row_checks import check_rows, row_data_of
from analysis.running.titles import default_title
from core.errors import Refused
from core.storable_text import check_storable
from jobs.compute_slots import CAPACITY, QUEUE, QueueFull, request_slots, take_slots
from jobs.models import Job
from projects.models import Project, User

KIND = "analysis"
SLOTS = 1  # compute slots that an analysis takes (N7)
MOST_COLUMNS = 30  # limit of the R service (analysis/r_client/request_body.py)
MOST_PARAMS = 200_000  # characters of the params as JSON: enough for a 200 x 200 table of counts
MOST_TITLE = 300
_DEEPEST = 8  # levels of nested lists and objects; a table of counts has two
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_COLUMN_OPTIONS = ("subgroup",)  # options that name a column; all others hold values


@dataclass(frozen=True)
class AnalysisRequest:
    """A request for an analysis, from a page, the API or a command.

    `params`, with the options in them, name columns of `data` by their ids, and levels by their codes or labels. `why`
    are the answers that led to it; why["said"] is what the user stated about the rows (analysis.running.row_checks).
    Without a `title` the analysis is named after its method.
    """

    name: str
    kind: str = Analysis.Kind.RUN
    data: DatasetVersion | None = None
    params: dict[str, Any] = field(default_factory=dict)
    title: str = ""
    why: dict[str, Any] = field(default_factory=dict)
    alpha: float = 0.05
    conf_level: float = 0.95
    again_of: Analysis | None = None


def start_analysis(project: Project, user: User, asked: AnalysisRequest, *, enqueue: bool = True) -> Analysis:
    """Create an analysis of `project` and its job, and return it. Without `enqueue` the caller runs the job.

    `user` must have permission to write. Raises Refused for rows that are not independent, an invalid name or params,
    data whose types are not confirmed, and an unknown column; with the code `busy` (429) when three analyses run and
    five wait. Nothing is saved then.
    """
    _check(asked)
    data = asked.data
    params = params_in_codes(asked.params, data.columns if data else [])
    ids = [] if asked.kind == Analysis.Kind.SAMPLE_SIZE else columns_named(params)
    _check_columns(project, data, ids)
    said = asked.why.get("said") or {}
    notes = check_rows(asked.name, params, ids, row_data_of(data), said) if data is not None and ids else []
    notes = [one for one in (asked.why.get("beside"),) if one] + notes
    why = {name: value for name, value in asked.why.items() if name != "notes"}
    with Project.objects.held(project.pk):  # so that two analyses started at once get different numbers
        last = Analysis.objects.filter(project=project).aggregate(last=Max("number"))["last"] or 0
        row = Analysis(
            project=project,
            number=last + 1,
            title=_title(asked.title) or default_title(asked.kind, asked.name),
            kind=asked.kind,
            name=asked.name,
            data=data,
            again_of=asked.again_of,
            params=params,
            request={"alpha": asked.alpha, "conf_level": asked.conf_level},
            why=why | ({"notes": notes} if notes else {}),
            created_by=user,
        )
        row.job = Job.objects.start(project=project, kind=KIND, subject=row.pk, user=user, enqueue=enqueue)
        _reserve_slot(row.job)
        row.save(force_insert=True)
    return row


def columns_named(params: dict[str, Any]) -> list[str]:
    """Return the ids of the columns that `params` name, each once, in their order.

    Every string outside the options, alone or in a list, is a column id; of the options only `subgroup` names a column.
    """
    options = params.get("options")
    among = [options.get(name) for name in _COLUMN_OPTIONS] if isinstance(options, dict) else []
    values = [value for name, value in params.items() if name != "options"] + among
    found = (one for value in values for one in (value if isinstance(value, list) else [value]))
    return list(dict.fromkeys(one for one in found if isinstance(one, str)))


def _reserve_slot(job: Job) -> None:
    """Take a compute slot now, or one of the five places in the queue. Raises QueueFull when the queue is full.

    Jobs are counted too, because the slot of a job that no worker has started yet expires.
    """
    alive = Job.objects.alive().filter(kind=KIND).exclude(pk=job.pk).count()
    if alive >= CAPACITY + QUEUE:
        raise QueueFull(f"{alive} analyses are already running or waiting. Try again in a minute.")
    request_slots(job, SLOTS)
    take_slots(job)


def _check(asked: AnalysisRequest) -> None:
    if asked.kind not in Analysis.Kind.values:
        raise Refused("kind must be run, sample-size or figure.", field="kind")
    if not _NAME.fullmatch(asked.name):
        raise Refused("There is no analysis with this name.", field="name", code="unknown_analysis", status=404)
    for limited, least, most in (("alpha", 1e-6, 0.5), ("conf_level", 0.5, 0.9999)):
        value = getattr(asked, limited)
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise Refused(f"{limited} must be a number from {least:g} to {most:g}.", field=limited)
    if not isinstance(asked.params.get("options", {}), dict):
        raise Refused("options must be an object of names and values.", field="params.options")
    for value in _walk_json(asked.params):
        if isinstance(value, str):
            check_storable(value, "params")
        if isinstance(value, float) and not math.isfinite(value):
            raise Refused("Numbers in params must be finite.", field="params")
    if len(json.dumps(asked.params, ensure_ascii=False, default=str)) > MOST_PARAMS:
        raise Refused("These params are too long.", field="params", code="too_large", status=413)


def _walk_json(value: Any, depth: int = 0) -> Iterator[Any]:
    """Yield every name and value in a JSON value. Raises Refused for other types, and for too deep nesting."""
    if depth > _DEEPEST:
        raise Refused("These params are nested too deeply.", field="params")
    if isinstance(value, dict):
        for name, inner in value.items():
            yield str(name)
            yield from _walk_json(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk_json(inner, depth + 1)
    elif value is None or isinstance(value, str | int | float):
        yield value
    else:
        raise Refused("params may only hold text, numbers, true, false, null, lists and objects.", field="params")


def _check_columns(project: Project, data: DatasetVersion | None, ids: list[str]) -> None:
    if data is None:
        if ids:
            raise Refused("Choose the data first.", field="data", code="no_data")
        return
    if data.dataset.project_id != project.pk:
        raise Refused("This dataset belongs to another thesis.", field="data", code="unknown")
    if data.state != DatasetVersion.State.READY:
        raise Refused(
            f"First confirm what each column of {data.dataset.name} means, then analyse it.",
            field="data",
            code="not_ready",
            status=409,
        )
    there = {column["id"] for column in data.columns}
    unknown = next((one for one in ids if one not in there), None)
    if unknown is not None:
        raise Refused(
            f"{data.dataset.name} has no column {unknown[:60]}. Choose one of its columns.",
            field="params",
            code="unknown_column",
        )
    if len(ids) > MOST_COLUMNS:
        raise Refused(
            f"You chose {len(ids)} columns; one analysis takes at most {MOST_COLUMNS}.",
            field="params",
            code="too_many",
        )


def _title(title: str) -> str:
    check_storable(title, "title")
    words = " ".join(title.split())
    return words if len(words) <= MOST_TITLE else f"{words[: MOST_TITLE - 1].rstrip()}…"
