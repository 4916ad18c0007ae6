"""run_analysis: an analysis on the command line, with the same result as everywhere (SPEC N2, N4)."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from analysis.r_client.local_service import LocalService
from tests.analysis.r.oracle import compared

pytestmark = pytest.mark.r

# Deaths within 28 days in the seven trials of corticosteroids that the WHO's group pooled (JAMA 2020;324:1330).
TRIALS = """trial,deaths_steroid,n_steroid,deaths_control,n_control
DEXA-COVID 19,2,7,2,12
CoDEX,69,128,76,128
RECOVERY,95,324,283,683
CAPE COVID,11,75,20,73
COVID STEROID,6,15,2,14
REMAP-CAP,26,105,29,92
Steroids-SARI,13,24,13,23
"""
META = {
    "study": "trial",
    "events_1": "deaths_steroid",
    "n_1": "n_steroid",
    "events_2": "deaths_control",
    "n_2": "n_control",
    "options": {"measure": "OR", "method": "FE"},
}


@pytest.fixture
def engine(service: LocalService, settings: Any) -> None:
    settings.R_PLUMBER_URLS, settings.R_PLUMBER_TOKEN = service.urls, service.token


@pytest.fixture
def trials(tmp_path: Path) -> Path:
    path = tmp_path / "trials.csv"
    path.write_text(TRIALS, encoding="utf-8")
    return path


def run_command(*arguments: str, params: Any = None, **options: Any) -> str:
    out = io.StringIO()
    text = params if isinstance(params, str) else json.dumps(params or {})
    call_command("run_analysis", *arguments, params=text, stdout=out, **options)
    return out.getvalue()


@pytest.mark.long
def test_the_published_meta_analysis(engine: None, trials: Path) -> None:
    lines = run_command(str(trials), analysis="meta", params=META).splitlines()
    assert "OR 0.66 (0.53 to 0.82)" in lines
    assert "I2 15.6 %" in lines
    assert any(line.startswith("REMAP-CAP") and "26/105" in line for line in lines)
    assert lines[-1].startswith("R 4.")
    compared.extend(["OR", "low", "high", "I2"])


VISITS = "patient_id,arm,crp,months,status\n" + "".join(
    f"P{n // 2},{'ab'[n // 2 % 2]},{n * 7 % 40},{n % 20 + 1},{('alive', 'cancer', 'other')[n % 3]}\n" for n in range(80)
)
CRP = {"outcome": "crp", "group": "arm"}


@pytest.mark.long
def test_people_with_several_rows_are_refused_until_somebody_says_otherwise(engine: None, tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text(VISITS, encoding="utf-8")
    with pytest.raises(CommandError, match="40 of 40 patients have two rows .* --rows-independent") as caught:
        run_command(str(path), analysis="t_test", params=CRP)
    assert caught.value.returncode == 1
    assert "Warning: 40 of 40 patients" in run_command(str(path), analysis="t_test", params=CRP, rows_independent=True)
    assert "40 of 40" not in run_command(str(path), analysis="t_test", params=CRP, not_person="patient_id")
    assert "Counts are rows, not people" in run_command(str(path), analysis="descriptive", params={"columns": ["crp"]})
    with pytest.raises(CommandError, match="unknown column “dog”"):
        run_command(str(path), analysis="t_test", params=CRP, person="dog")
    curve = {"time": "months", "event": "status", "options": {"event_value": "cancer"}}
    with pytest.raises(CommandError, match="If they are censored, use --others-censored"):
        run_command(str(path), analysis="kaplan_meier", params=curve, not_person="patient_id")
    told = run_command(str(path), analysis="kaplan_meier", params=curve, not_person="patient_id", others_censored=True)
    assert "every other value of “status” counts as censored" in told


WARD = [(f"P{at:02}", "FM"[at % 2], 30 + at * 7 % 41, 10 + at * 3 % 50 / 10) for at in range(40)]


def ward(path: Path, *more: str, head: str = "id;sex;age;hb") -> str:
    lines = [";".join(map(str, row)).replace(".", ",") for row in WARD]
    path.write_text("\n".join([head, *lines, *more]) + "\n", encoding="utf-8")
    return str(path)


@pytest.mark.long
def test_totals_are_left_out_and_the_result_says_so(engine: None, tmp_path: Path) -> None:
    ages = sum(row[2] for row in WARD)
    path = ward(tmp_path / "ward.csv", f"Wszyscy;;{ages};{sum(row[3] for row in WARD):.1f}".replace(".", ","))
    err = io.StringIO()
    asked = {"params": {"outcome": "age", "group": "sex"}, "analysis": "t_test", "stderr": err}
    result = json.loads(run_command(path, **asked, format="json"))
    told = err.getvalue()
    assert "Row 42 looks like a total: its values are the sums of rows 2 to 41. It was left out." in told
    assert "--reading '{\"kept_rows\": [42]}'" in told
    assert result["n"]["used"] == 40
    assert result["left_out"] == [{"rows": [42], "reason": "total row"}]
    assert result["sentence"]["plain"].endswith("1 row was left out: total row.")
    assert "1 row was left out: total row." in result["tables"][0]["footnotes"]
    assert "#   42: total row" in result["script"]["code"]
    kept = json.loads(run_command(path, **asked, format="json", reading=json.dumps({"kept_rows": [42]})))
    assert (kept["n"]["total"], "left_out" in kept) == (41, False)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("cell", "outcome", "words"),
    [
        (
            "<5",
            "hb",
            r"hb: “<5” in row 42 is not a number: it lies beyond a limit.*--reading '{\"missing\": \[\"<5\"\]}'",
        ),
        ("12 mmol/l", "hb", None),
        ("not done yet", "hb", "hb: “not done yet” in row 42 is not a number."),
    ],
)
def test_cells_that_are_no_numbers_are_told_as_on_the_page(
    engine: None, tmp_path: Path, cell: str, outcome: str, words: str | None
) -> None:
    path = ward(tmp_path / "ward.csv", f"P99;F;44;{cell}")
    err = io.StringIO()
    asked = {"analysis": "t_test", "params": {"outcome": outcome, "group": "sex"}, "stderr": err}
    if words is None:  # one unit in one row, which is said aloud
        assert "n = 41" in run_command(path, **asked)
        assert (
            "hb: There is no unit in rows 2, 3, 4, 5 and 36 more: read as mmol/l, which is only in row 42"
            in err.getvalue()
        )
        return
    with pytest.raises(CommandError, match=words) as caught:
        run_command(path, **asked)
    assert caught.value.returncode == 1


def test_several_units_start_nothing(engine: None, tmp_path: Path) -> None:
    rows = "".join(
        f"P{at},{'FM'[at % 2]},{90 + at if at % 4 else at} {'mg/dl' if at % 4 else 'mmol/l'}\n" for at in range(40)
    )
    (tmp_path / "a.csv").write_text(f"id,sex,glucose\n{rows}", encoding="utf-8")
    with pytest.raises(CommandError, match="glucose: It contains several units: mg/dl .* and mmol/l"):
        run_command(str(tmp_path / "a.csv"), analysis="t_test", params={"outcome": "glucose", "group": "sex"})


def test_as_json_it_is_the_whole_answer(engine: None, trials: Path) -> None:
    result = json.loads(run_command(str(trials), analysis="meta", params=META, format="json"))
    assert result["statistics"]["I2"] == pytest.approx(15.6, abs=0.05)
    assert {"forest"} <= {figure["id"] for figure in result["figures"]}
    assert result["script"]["code"].startswith("# Meta-analysis")


@pytest.mark.long
def test_a_sample_size_needs_no_file_and_starts_r_where_none_runs(settings: Any) -> None:
    settings.R_PLUMBER_URLS = []
    text = run_command(analysis="sample-size/two_means", params={"delta": 1, "sd": 1, "power": 0.9})
    assert "23 participants" in text
    assert settings.R_PLUMBER_URLS == []


@pytest.mark.parametrize(
    ("analysis", "params", "words"),
    [
        ("meta", {**META, "study": "tria"}, "study: unknown column “tria”. Available: trial, deaths_steroid"),
        ("meta", {**META, "options": {"measure": "XX"}}, "one of OR"),
        ("t_tests", {}, "Unknown analysis “t_tests”. Available:"),
        ("fig/t_test", {}, "Unknown kind of analysis “fig”"),
        ("meta", "{", "--params is not valid JSON"),
        ("meta", [1], "--params must be a JSON object"),
    ],
)
def test_what_is_asked_wrongly_ends_with_2(engine: None, trials: Path, analysis: str, params: Any, words: str) -> None:
    with pytest.raises(CommandError, match=words) as caught:
        run_command(str(trials), analysis=analysis, params=params)
    assert caught.value.returncode == 2


def test_a_file_that_cannot_be_read_ends_with_2(engine: None, tmp_path: Path) -> None:
    for path in (tmp_path / "none.csv", tmp_path / "page.csv"):
        if path.name == "page.csv":
            path.write_text("<!doctype html><html><body>Sign in</body></html>")
        with pytest.raises(CommandError) as caught:
            run_command(str(path), analysis="t_test", params={"outcome": "a", "group": "b"})
        assert caught.value.returncode == 2


def test_what_r_refuses_ends_with_1(engine: None, trials: Path) -> None:
    with pytest.raises(CommandError, match="levels, found 7. *") as caught:
        run_command(str(trials), analysis="t_test", params={"outcome": "n_steroid", "group": "trial"})
    assert caught.value.returncode == 1


def test_without_an_engine_it_says_how_to_get_one(settings: Any, trials: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.R_PLUMBER_URLS = []
    monkeypatch.setenv("PATH", str(trials.parent))
    with pytest.raises(CommandError, match="R is not installed on this machine. .*docker/setup run") as caught:
        run_command(str(trials), analysis="meta", params=META)
    assert caught.value.returncode == 1


@pytest.mark.long
def test_a_total_is_left_out_and_said(engine: None, trials: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = json.loads(run_command(str(trials), analysis="meta", params=META, format="json"))
    assert "left_out" not in plain
    trials.write_text(f"{TRIALS}Gesamt,222,678,425,1025\n", encoding="utf-8")
    err = io.StringIO()
    result = json.loads(run_command(str(trials), analysis="meta", params=META, format="json", stderr=err))
    assert "Row 9 looks like a total" in err.getvalue()
    assert "It was left out" in err.getvalue()
    assert result["left_out"] == [{"rows": [9], "reason": "total row"}]
    assert result["statistics"]["I2"] == plain["statistics"]["I2"]
    assert result["sentence"]["plain"].endswith("1 row was left out: total row.")
    assert result["sentence"]["latex"].endswith("1 row was left out: total row.")
    assert "#   9: total row" in result["script"]["code"]
    kept = run_command(str(trials), analysis="meta", params=META, format="json", reading='{"kept_rows": [9]}')
    assert json.loads(kept)["n"]["total"] == plain["n"]["total"] + 1


def test_rows_that_are_named_are_left_out(engine: None, trials: Path) -> None:
    reading = {"left_out": [{"rows": [4], "reason": "not randomised"}]}
    text = run_command(str(trials), analysis="meta", params=META, reading=json.dumps(reading))
    assert "1 row was left out: not randomised." in text
    assert "RECOVERY" not in text


def test_an_error_names_the_row_of_the_file(engine: None, trials: Path) -> None:
    trials.write_text(TRIALS.replace("69,128,76,128", "69,128,76,12.5"), encoding="utf-8")
    reading = json.dumps({"left_out": [{"rows": [2], "reason": "not randomised"}]})
    with pytest.raises(CommandError, match="row 3 has"):
        run_command(str(trials), analysis="meta", params=META, reading=reading)
