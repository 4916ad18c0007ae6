"""manage.py run_analysis FILE --analysis NAME --params JSON: an analysis on the command line (SPEC N2)."""

import json
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from asgiref.sync import async_to_sync
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from analysis.engine import client, local
from analysis.engine.body import body
from analysis.engine.errors import HOW_TO_START, EngineError
from analysis.engine.naming import by_id, described, ids_in
from projects.errors import Refused

USAGE = 2  # exit code when what was asked cannot be
WRONG = {"bad_option", "unknown_column", "unknown_analysis", "bad_json", "unreadable"}


class Command(BaseCommand):
    help = "Runs one analysis in R over a CSV or Excel file, as the pages do, and prints the result."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", nargs="?", help="CSV or Excel file; none for a sample size")
        parser.add_argument("--analysis", required=True, help="t_test, meta ..., or sample-size/two_means")
        parser.add_argument("--params", default="{}", help="JSON; columns by their names")
        parser.add_argument("--format", choices=["text", "json"], default="text")
        parser.add_argument("--alpha", type=float, default=0.05)
        parser.add_argument("--conf-level", type=float, default=0.95)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            params = read_params(options["params"])
            with engine():
                result, names = run(options, params)
        except Refused as refused:
            raise CommandError(refused.message, returncode=USAGE if refused.code in WRONG else 1) from None
        except EngineError as error:
            raise CommandError(str(error), returncode=USAGE if error.code in WRONG else 1) from None
        except local.NotStarted as problem:
            raise CommandError(str(problem)) from None
        if options["format"] == "json":
            self.stdout.write(json.dumps(result, ensure_ascii=False, indent=2))
        else:
            from analysis.showing.plain import plain_text

            self.stdout.write(plain_text(result, names), ending="")


def read_params(text: str) -> dict[str, Any]:
    try:
        params = json.loads(text)
    except ValueError as error:
        raise Refused(f"--params is not JSON: {error}.", field="params", code="bad_json") from None
    if not isinstance(params, dict):
        raise Refused('--params is a JSON object: {"outcome": "age"}.', field="params", code="bad_json")
    return params


def run(options: dict[str, Any], params: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """The answer of R, and the names of the columns by id."""
    kind, _, name = options["analysis"].rpartition("/")
    if kind not in ("", "run", "sample-size", "figure"):
        raise Refused(f"There is no {kind} here.", field="analysis", code="unknown_analysis")
    kind = kind or "run"
    entry = described(async_to_sync(client.catalogue)(), kind, name)
    columns: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    if options["file"]:
        from analysis.datasets.reading import read_table  # pandas takes long to import
        from analysis.datasets.sending import columns_of_table

        table = read_table(Path(options["file"]), Path(options["file"]).name)
        names = {column["name"]: column["id"] for column in table.columns}
        params = by_id(params, entry, names)
        columns = columns_of_table(table, ids_in(params, entry))
    figures = ("svg", "png", "pdf") if options["format"] == "json" else ()
    request = body(columns, params, alpha=options["alpha"], conf_level=options["conf_level"], figures=figures)
    return async_to_sync(client.ask)(kind, name, request), {identity: name for name, identity in names.items()}


@contextmanager
def engine() -> Iterator[None]:
    """The R service: the one that R_PLUMBER_URLS names, else one of our own as long as it takes."""
    if settings.R_PLUMBER_URLS:
        yield
        return
    if not local.r_is_there():
        raise EngineError("absent", "R is not installed on this machine.", hint=HOW_TO_START)
    before = settings.R_PLUMBER_URLS, settings.R_PLUMBER_TOKEN
    with tempfile.TemporaryDirectory(prefix="scholium-") as place, local.start(log=Path(place) / "log") as started:
        settings.R_PLUMBER_URLS, settings.R_PLUMBER_TOKEN = started.urls, started.token
        try:
            yield
        finally:
            settings.R_PLUMBER_URLS, settings.R_PLUMBER_TOKEN = before
