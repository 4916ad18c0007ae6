"""How tests ask the R service and compare what it says: with known numbers, and with its own script run by plain R."""

import csv
import json
import math
import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import pytest

# Columns by name: a list of values, (type, values) or (type, values, levels). Pairs where two have one name.
Columns = Mapping[str, Any] | Sequence[tuple[str, Any]]
compared: list[str] = []  # what was compared in the running test


class Service(Protocol):
    @property
    def url(self) -> str: ...

    token: str


# --- asking ------------------------------------------------------------------------------------------------------


def columns_of(columns: Columns) -> list[dict[str, Any]]:
    """Columns in the service's shape, with ids c1, c2 ... in their order.

    The type of a plain list is guessed: bools are logical, numbers numeric, all else a factor. Levels are only sent if
    given.
    """
    pairs = list(columns.items()) if isinstance(columns, Mapping) else list(columns)
    made = []
    for number, (name, given) in enumerate(pairs, 1):
        kind, values, *levels = given if isinstance(given, tuple) else (guessed(given), given)
        made.append({"id": f"c{number}", "name": name, "type": kind, "values": list(values)})
        if levels:
            made[-1]["levels"] = list(levels[0])
    return made


def guessed(values: Iterable[Any]) -> str:
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, bool) for value in known):
        return "logical"
    return "numeric" if all(isinstance(value, int | float) for value in known) else "factor"


def body_of(
    params: Mapping[str, Any], columns: Columns = (), figures: Sequence[str] = (), **more: Any
) -> dict[str, Any]:
    """A request. In `params`, "@name" stands for the id of the column of that name, anywhere in lists too; any other
    text goes as it is. `more` are further keys of the request (alpha, conf_level, seed, request_id ...); `digits` and
    `script` go into `output`.
    """
    sent = columns_of(columns)
    ids: dict[str, str] = {}
    for column in sent:
        ids.setdefault("@" + column["name"], column["id"])
    output = {"figures": list(figures)} | {key: more.pop(key) for key in ("digits", "script") if key in more}
    body: dict[str, Any] = {
        "contract": "1",
        "request_id": "test",
        "params": by_id(params, ids),
        "output": output,
    } | more
    if sent:
        body["data"] = {"columns": sent}
    return body


def by_id(value: Any, ids: Mapping[str, str]) -> Any:
    if isinstance(value, Mapping):
        return {key: by_id(one, ids) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [by_id(one, ids) for one in value]
    return ids[value] if isinstance(value, str) and value.startswith("@") else value


def ask(
    service: Service,
    path_name: str,
    params: Mapping[str, Any],
    columns: Columns = (),
    figures: Sequence[str] = (),
    status: int = 200,
    **more: Any,
) -> dict[str, Any]:
    """What the service answers; fails unless its status is `status`.

    `path_name` is an analysis ("t_test"), or "sample-size/two_means", "figure/km", "validate/t_test". How `columns` and
    "@name" in `params` are read: columns_of() and body_of().
    """
    path = path_name if "/" in path_name else f"run/{path_name}"
    answer: dict[str, Any]
    code, answer = post(service, f"/v1/{path}", json.dumps(body_of(params, columns, figures, **more)).encode())
    assert code == status, f"{path_name} gave {code} and not {status}: {json.dumps(answer)[:1500]}"
    return answer


def post(service: Service, path: str, body: bytes, headers: Mapping[str, str] | None = None) -> tuple[int, Any]:
    """Status and JSON of the answer to `body`, sent as it is."""
    connection = HTTPConnection(urlsplit(service.url).netloc, timeout=90)
    try:
        connection.request(
            "POST", path, body, {"X-Token": service.token, "Content-Type": "application/json", **(headers or {})}
        )
        response = connection.getresponse()
        return response.status, json.loads(response.read(), parse_constant=refused_constant)
    finally:
        connection.close()


def refused_constant(text: str) -> None:
    raise AssertionError(f"{text} is no JSON")


def codes(answer: Mapping[str, Any]) -> list[str]:
    """The codes of its warnings."""
    return [warning["code"] for warning in answer["warnings"]]


PLAIN = {**os.environ, "LC_ALL": "C.UTF-8"}  # where plain R runs

# --- data that R itself brings -----------------------------------------------------------------------------------

DATASETS = {
    "mtcars": "datasets", "sleep": "datasets", "iris": "datasets", "ToothGrowth": "datasets", "PlantGrowth": "datasets",
    "infert": "datasets", "airquality": "datasets", "lung": "survival", "ovarian": "survival", "aml": "survival",
    "aSAH": "pROC", "dat.bcg": "metafor",
}  # fmt: skip
READ_ALL = """
asked <- jsonlite::parse_json(readLines(file("stdin")), simplifyVector = TRUE)
given <- lapply(stats::setNames(names(asked), names(asked)), function(name) {
  place <- new.env()
  if (name == "dat.bcg") place[[name]] <- metadat::dat.bcg
  else utils::data(list = name, package = asked[[name]], envir = place)
  if (is.null(place[[name]])) place[[name]] <- getExportedValue(asked[[name]], name)
  columns <- as.list(as.data.frame(place[[name]]))
  lapply(columns, function(column) if (is.factor(column)) as.character(column) else column)
})
cat(jsonlite::toJSON(given, digits = NA, na = "null"))
"""


@cache
def datasets() -> dict[str, dict[str, list[Any]]]:
    packages = json.dumps(DATASETS)
    ran = subprocess.run(
        ["Rscript", "--vanilla", "-e", READ_ALL], input=packages, env=PLAIN, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    found: dict[str, dict[str, list[Any]]] = json.loads(ran.stdout)
    return found


def dataset(name: str, *wanted: str) -> dict[str, list[Any]]:
    """Return a data set of R by its name in DATASETS: its columns, or those `wanted` in that order; factors as text."""
    data = datasets()[name]
    return {column: data[column] for column in wanted or data}


# --- known numbers -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Oracle:
    """Numbers that an analysis must give.

    `columns` is as in ask(), or the name of a data set of R, of which the columns named in `params` are sent.
    `expected` maps a name to (value, path), with paths as in at(). Values must agree within `tolerance` (relative)
    or `absolute`; those with a name part "p" within `p_tolerance` if it is given.
    """

    id: str
    analysis: str
    columns: Columns | str
    params: Mapping[str, Any]
    expected: Mapping[str, tuple[float | str | None, str]]
    tolerance: float = 1e-6
    p_tolerance: float | None = None
    absolute: float = 1e-12

    def __str__(self) -> str:
        return self.id

    def sent(self) -> Columns:
        if not isinstance(self.columns, str):
            return self.columns
        named = mentioned(self.params)
        return {name: values for name, values in dataset(self.columns).items() if name in named}


def mentioned(value: Any) -> set[str]:
    if isinstance(value, Mapping):
        return set().union(*map(mentioned, value.values()))
    if isinstance(value, list | tuple):
        return set().union(*map(mentioned, value))
    return {value[1:]} if isinstance(value, str) and value.startswith("@") else set()


def at(answer: Mapping[str, Any], path: str) -> Any:
    """Return the value at a path of an answer.

    Paths: "statistics.t", "n.used", "n.by_group.0", "estimates.mean_difference.value" (low, high, p, se ...; the id may
    contain dots: "estimates.or.c2.low"), "effect_sizes.cohens_d.value", "tables.main.0.mean" (row by position),
    "assumptions.normality.p", or any other key with nested keys after it ("method").
    """
    top, _, rest = path.partition(".")
    if top in ("estimates", "effect_sizes", "assumptions"):
        name, _, part = rest.rpartition(".")
        one = by_name(answer[top], name)
        return one["ci"][("low", "high").index(part)] if part in ("low", "high") else one[part]
    if top == "tables":
        table, row, key = rest.split(".", 2)
        return by_name(answer[top], table)["rows"][int(row)][key]
    if top == "statistics":
        return answer[top][rest]
    value = answer[top]
    for part in rest.split(".") if rest else ():
        value = value[part]
    return value


def by_name(entries: Sequence[Mapping[str, Any]], name: str) -> Mapping[str, Any]:
    found = [entry for entry in entries if entry["id"] == name]
    assert len(found) == 1, f"{len(found)} entries are called {name}; there are {[entry['id'] for entry in entries]}"
    return found[0]


def as_number(value: Any) -> Any:
    return float(value) if value in ("Inf", "-Inf") else value


def check_oracle(service: Service, oracle: Oracle) -> dict[str, Any]:
    """Ask, compare every expected value and give the answer. "@name" in a path stands for that column's id."""
    columns = oracle.sent()
    answer = ask(service, oracle.analysis, oracle.params, columns)
    names = sorted(((column["name"], column["id"]) for column in columns_of(columns)), key=lambda pair: -len(pair[0]))
    wrong = []
    for name, (value, path) in oracle.expected.items():
        for column, identity in names:
            path = path.replace(f"@{column}", identity)
        got = as_number(at(answer, path))
        compared.append(f"{oracle.id}.{name}")
        relative = oracle.p_tolerance if oracle.p_tolerance is not None and "p" in name.split("_") else oracle.tolerance
        same = got == value if isinstance(value, str) or value is None else (
            isinstance(got, int | float) and got == pytest.approx(value, rel=relative, abs=oracle.absolute)
        )  # fmt: skip
        if not same:
            wrong.append(f"{name}: {value} expected at {path}, got {got}")
    assert not wrong, f"{oracle.id}\n" + "\n".join(wrong)
    return answer


# --- scripts -----------------------------------------------------------------------------------------------------

RUN_ALL = """
folders <- commandArgs(TRUE)
given <- lapply(folders, function(folder) {
  setwd(folder)
  place <- new.env(parent = globalenv())
  tryCatch({
    utils::capture.output(source("script.R", local = place, encoding = "UTF-8"))
    found <- unlist(place$result)
    list(numbers = as.list(stats::setNames(sprintf("%.17g", as.numeric(found)), names(found))))
  }, error = function(problem) list(error = conditionMessage(problem)))
})
write(jsonlite::toJSON(given, auto_unbox = TRUE, null = "null"), "answers.json")
"""


def flat_numbers(answer: Mapping[str, Any]) -> dict[str, float | None]:
    """Return every number of a result by its name in the script.

    A statistic has its key; an estimate or effect size its id, its interval id_low and id_high, and its other numbers
    id_se, id_z, id_p and so on.
    """
    numbers = {key: as_number(value) for key, value in answer["statistics"].items()}
    for one in [*answer["estimates"], *answer["effect_sizes"]]:
        name = one["id"]
        numbers[name] = as_number(one["value"])
        for part, bound in zip(("low", "high"), one["ci"], strict=True):
            if bound is not None:
                numbers[f"{name}_{part}"] = as_number(bound)
        for key, value in one.items():
            if (
                key not in ("id", "value", "ci", "conf_level", "digits")
                and isinstance(value, int | float)
                and not isinstance(value, bool)
            ):
                numbers[f"{name}_{key}"] = value
    return numbers


def write_data(path: Path, columns: Columns) -> None:
    """data.csv as it goes with a script: UTF-8, blank for missing, 1 and not 1.0, true and false in small letters."""

    def cell(value: Any) -> str:
        if value is None:
            return ""
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        return str(value)

    sent = columns_of(columns)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([column["name"] for column in sent])
        for row in zip(*(column["values"] for column in sent), strict=True):
            # A row of one blank cell would be a blank line, which R leaves out.
            if len(row) == 1 and row[0] is None:
                file.write('""\r\n')
            else:
                writer.writerow([cell(value) for value in row])


def run_scripts(results: Iterable[tuple[Mapping[str, Any], Columns]]) -> int:
    """Run the scripts of many results on their columns in one process of plain R and compare every number of
    flat_numbers() at 1e-9 (relative); gives how many were compared."""
    results = list(results)
    with tempfile.TemporaryDirectory(prefix="scripts-") as place:
        folders = []
        for number, (answer, columns) in enumerate(results):
            folder = Path(place) / str(number)
            folder.mkdir()
            (folder / "script.R").write_text(answer["script"]["code"], encoding="utf-8")
            if answer["script"].get("data_file"):
                write_data(folder / "data.csv", columns)
            folders.append(str(folder))
        command = ["Rscript", "--vanilla", "-e", RUN_ALL, *folders]
        ran = subprocess.run(command, cwd=place, env=PLAIN, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr[-3000:]
        given = json.loads((Path(folders[-1]) / "answers.json").read_text(encoding="utf-8")) if folders else []
    wrong, count = [], 0
    for (answer, _), one in zip(results, given, strict=True):
        name = f"{answer['analysis']} ({answer['method']})"
        if "error" in one:
            wrong.append(f"{name}: the script stops: {one['error']}\n{answer['script']['code']}")
            continue
        numbers = flat_numbers(answer)
        count += len(numbers)
        wrong += [f"{name}: {line}" for line in differences(numbers, one["numbers"])]
    compared.extend(["script"] * count)
    assert not wrong, "\n".join(wrong)
    return count


def differences(answer: Mapping[str, float | None], script: Mapping[str, str]) -> list[str]:
    found = []
    for name, value in answer.items():
        got = math.nan if script.get(name, "NA") == "NA" else float(script[name])
        if value is None:
            same = math.isnan(got)
        else:
            nothing = 0.0 if "p" in name.split("_") else 1e-12  # a p value is compared with all its zeros
            same = math.isclose(value, got, rel_tol=1e-9, abs_tol=nothing)
        if not same:
            found.append(f"{name} is {value}, the script gives {script.get(name, 'nothing')}")
    return found
