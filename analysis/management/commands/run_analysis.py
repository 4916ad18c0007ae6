"""The command `manage.py run_analysis FILE --analysis NAME --params JSON`, which runs one analysis (SPEC N2)."""

import json
import tempfile
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asgiref.sync import async_to_sync
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from analysis.datasets.repeated_people import OTHER, PERSON
from analysis.r_client import client, local_service
from analysis.r_client.column_names import catalogue_entry, ids_in, with_column_ids
from analysis.r_client.errors import HOW_TO_START, EngineError
from analysis.r_client.request_body import make_request
from analysis.running.row_checks import (
    OTHERS_CENSORED,
    ROWS_INDEPENDENT,
    RowData,
    add_left_out_rows,
    add_row_notes,
    check_rows,
    use_file_row_numbers,
)
from core.errors import Refused

if TYPE_CHECKING:
    from analysis.datasets.read_table import Table

OPTION_HINTS = {
    ROWS_INDEPENDENT: (
        "If the column does not identify people, use --not-person COLUMN. "
        "If the rows are independent nevertheless, use --rows-independent."
    ),
    OTHERS_CENSORED: "If they are censored, use --others-censored.",
}

USAGE = 2  # exit code for wrong usage
USAGE_CODES = {
    "bad_reading",
    "bad_rows",
    "no_reason",
    "bad_option",
    "unknown_column",
    "unknown_analysis",
    "bad_json",
    "unreadable",
}


class Command(BaseCommand):
    help = "Runs one analysis in R on a CSV or Excel file, as the pages do, and prints the result."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", nargs="?", help="CSV or Excel file; leave it out for a sample size")
        parser.add_argument("--analysis", required=True, help="for example t_test, meta or sample-size/two_means")
        parser.add_argument("--params", default="{}", help="JSON object; name columns by their names")
        parser.add_argument(
            "--reading", default="{}", help='JSON object with read options: {"header_rows": 2, "kept_rows": [116]}'
        )
        parser.add_argument("--format", choices=["text", "json"], default="text")
        parser.add_argument("--person", default="", help="column that identifies people who have several rows")
        parser.add_argument(
            "--not-person", default="", help="column that is named like an id but does not identify people"
        )
        parser.add_argument(
            "--rows-independent",
            action="store_true",
            help="treat rows as independent although people have several",
        )
        parser.add_argument(
            "--others-censored", action="store_true", help="treat all values of a status but the event as censored"
        )
        parser.add_argument("--alpha", type=float, default=0.05)
        parser.add_argument("--conf-level", type=float, default=0.95)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            params = read_params(options["params"])
            with engine():
                result, names = run(options, params, self.stderr.write)
        except Refused as refused:
            raise CommandError(refused.message, returncode=USAGE if refused.code in USAGE_CODES else 1) from None
        except EngineError as error:
            raise CommandError(str(error), returncode=USAGE if error.code in USAGE_CODES else 1) from None
        except local_service.NotStarted as problem:
            raise CommandError(str(problem)) from None
        if options["format"] == "json":
            self.stdout.write(json.dumps(result, ensure_ascii=False, indent=2))
        else:
            from analysis.presentation.plain_text import plain_text

            self.stdout.write(plain_text(result, names), ending="")


def read_params(text: str, name: str = "params", example: str = '{"outcome": "age"}') -> dict[str, Any]:
    """Return the JSON object of the option `name`. Raises Refused, with an `example`, when `text` is not one."""
    try:
        params = json.loads(text)
    except ValueError as error:
        raise Refused(f"--{name} is not valid JSON: {error}.", field=name, code="bad_json") from None
    if not isinstance(params, dict):
        raise Refused(f"--{name} must be a JSON object, such as {example}.", field=name, code="bad_json")
    return params


def run(
    options: dict[str, Any], params: dict[str, Any], warn: Callable[[str], Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the answer of R, and the names of the columns by their ids.

    `warn` is called with a sentence for each group of rows that is left out automatically, and for each other problem.
    """
    kind, _, name = options["analysis"].rpartition("/")
    if kind not in ("", "run", "sample-size", "figure"):
        raise Refused(
            f"Unknown kind of analysis “{kind}”. Use run, sample-size or figure.",
            field="analysis",
            code="unknown_analysis",
        )
    kind = kind or "run"
    entry = catalogue_entry(async_to_sync(client.catalogue)(), kind, name)
    columns: list[dict[str, Any]] = []
    left_out: list[dict[str, Any]] = []
    numbers: list[int] = []
    names: dict[str, str] = {}
    notes: list[str] = []
    if options["file"]:
        from analysis.datasets.level_codes import params_for_r, params_in_codes
        from analysis.datasets.read_table import columns_of_table

        path = Path(options["file"])
        table, left_out = read_without_questions(
            path, read_params(options["reading"], "reading", '{"header_rows": 2}'), warn
        )
        names = {column["name"]: column["id"] for column in table.columns}
        numbers = table.frame.index.tolist()
        params = with_column_ids(params, entry, names)
        ids = ids_in(params, entry)
        check_cells(table, ids, warn)
        params = params_in_codes(params, table.columns)
        notes = _checked(table, name, params, ids, options)
        params, coded = params_for_r(params, table.columns, entry)
        columns = columns_of_table(table, ids, coded)
    figures = ("svg", "png", "pdf") if options["format"] == "json" else ()
    request = make_request(columns, params, alpha=options["alpha"], conf_level=options["conf_level"], figures=figures)
    try:
        answer = async_to_sync(client.request_result)(kind, name, request)
    except EngineError as error:
        error.message = use_file_row_numbers(error.message, numbers)
        raise
    answer = add_left_out_rows(
        add_row_notes(answer, notes), left_out, Path(options["file"]).name if options["file"] else ""
    )
    return answer, {identity: name for name, identity in names.items()}


def _checked(table: Any, name: str, params: dict[str, Any], ids: list[str], options: dict[str, Any]) -> list[str]:
    """Return notes about the rows of a table. Raises Refused when people have several rows, or a status several values,
    and no option says how to treat them."""
    for option, meaning in (("person", PERSON), ("not_person", OTHER)):
        if not options[option]:
            continue
        column = next((one for one in table.columns if one["name"] == options[option]), None)
        if column is None:
            there = ", ".join(str(one["name"]) for one in table.columns)[:300]
            raise Refused(
                f"--{option.replace('_', '-')}: unknown column “{options[option]}”. Available: {there}.",
                field=option,
                code="unknown_column",
            )
        column["identifies"] = meaning
    rows = RowData(table.columns, table.summary, lambda wanted: {one: table.frame[one].tolist() for one in wanted})
    try:
        return check_rows(name, params, ids, rows, options)
    except Refused as refused:
        if refused.field in OPTION_HINTS:
            raise Refused(
                f"{refused.message} {OPTION_HINTS[refused.field]}", field=refused.field, code=refused.code
            ) from None
        raise


def read_without_questions(
    path: Path, reading: dict[str, Any], warn: Callable[[str], Any]
) -> "tuple[Table, list[dict[str, Any]]]":
    """Return the table in a file, and the rows that are left out.

    A page would ask about rows that look like totals; a command cannot ask, so they are left out with a warning.
    """
    from analysis.datasets.read_table import read_table  # pandas takes long to import

    table = read_table(path, path.name, reading)
    left = [dict(one) for one in table.reading.get("left_out", [])]
    for one in table.remarks:
        if one["level"] != "question":
            continue
        if one["code"] == "totals":
            for reason in dict.fromkeys(one["reasons"]):
                rows = [row for row, why in zip(one["rows"], one["reasons"], strict=True) if why == reason]
                left.append({"rows": rows, "reason": reason})
            how = json.dumps({"kept_rows": one["rows"]})
            many = len(one["rows"]) > 1
            said = one["text"].rpartition(". Leave")[0]
            warn(
                f"{said}. {'They were' if many else 'It was'} left out. "
                f"To keep {'them' if many else 'it'}: --reading '{how}'"
            )
        else:
            warn(
                f"{one['text']} It was read as data. "
                f"To change that: --reading '{json.dumps({'header_rows': one['header_rows']})}'"
            )
    return table, left


def check_cells(table: "Table", ids: list[str], warn: Callable[[str], Any]) -> None:
    """Warn about the columns `ids` as the pages do. Raises Refused when a cell does not fit the type of its column."""
    from analysis.datasets.column_changes import refuse_invalid_cells

    columns = {column["id"]: column for column in table.columns if column["id"] in ids}
    for one in table.remarks:
        if one["level"] == "warning" and one.get("column") in columns and one["code"] != "personal":
            warn(f"{columns[one['column']]['name']}: {one['text']}")
    for column in columns.values():
        try:
            refuse_invalid_cells(column)
        except Refused as refused:
            how = ""
            if (bad := column.get("bad")) and not column.get("units") and bad["count"] <= len(bad["rows"]):
                reading = json.dumps({"missing": bad["texts"]}, ensure_ascii=False)
                how = f" To count them as missing: --reading '{reading}'"
            raise Refused(f"{refused.message}{how}", field=refused.field, code=refused.code) from None


@contextmanager
def engine() -> Iterator[None]:
    """Make sure that an R service answers inside the block: the one of R_PLUMBER_URLS, else a temporary local one."""
    if settings.R_PLUMBER_URLS:
        yield
        return
    if not local_service.is_r_installed():
        raise EngineError("absent", "R is not installed on this machine.", hint=HOW_TO_START)
    before = settings.R_PLUMBER_URLS, settings.R_PLUMBER_TOKEN
    with (
        tempfile.TemporaryDirectory(prefix="scholium-") as place,
        local_service.start(log=Path(place) / "log") as started,
    ):
        settings.R_PLUMBER_URLS, settings.R_PLUMBER_TOKEN = started.urls, started.token
        try:
            yield
        finally:
            settings.R_PLUMBER_URLS, settings.R_PLUMBER_TOKEN = before
