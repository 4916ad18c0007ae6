"""Values have labels ("1" is "Male"): set with the types, sent to R, and still found when somebody names the code."""

import csv
import io
import json
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from analysis.datasets.edit_dataset import confirm
from analysis.datasets.export import columns_for, exported_csv
from analysis.datasets.header_codes import codes_in
from analysis.models import Analysis, DatasetVersion
from analysis.r_client.local_service import LocalService
from analysis.running.rerun import rerun_analysis
from analysis.running.script_zip import script_zip
from analysis.running.start import AnalysisRequest, start_analysis
from core.errors import Refused
from jobs.work import perform
from projects.models import Project, User
from tests.analysis.database_rows import a_dataset
from tests.analysis.tables import column, read
from tests.analysis.test_dataset_api import at, media, patch, uploaded_dataset  # noqa: F401
from tests.people import signed_in, supervisor

__all__ = ["supervisor"]
pytestmark = pytest.mark.django_db
TABLE = "sex,died,time,score,agree,later,age\n" + "".join(
    f"{1 + row % 2},{int(row % 3 == 0)},{5 + row},{row % 5 * 10 + row},{row % 4},{row // 2 % 4},{40 + row * 7 % 30}\n"
    for row in range(40)
)
SEX, DIED, TIME, SCORE, AGREE, LATER, AGE = (f"c{place}" for place in range(1, 8))
LABELS: dict[str, dict[str, Any]] = {
    SEX: {"labels": {"1": "Male", "2": "Female"}},
    DIED: {"labels": {"0": "Survived", "1": "Deceased"}},
    AGREE: {"type": "ordered", "levels": ["0", "1", "2", "3"],
        "labels": {"0": "No", "1": "Rather no", "2": "Rather", "3": "Yes"}},
    LATER: {"type": "ordered", "levels": ["0", "1", "2", "3"]},
}  # fmt: skip


@pytest.fixture
def plain(project: Project, owner: User) -> DatasetVersion:
    """Data whose values have no labels yet."""
    return confirm(a_dataset(project, owner, TABLE, name="codes.csv"), owner)


def sent(version: DatasetVersion, id_: str, *coded: str) -> tuple[str, list[str], set[Any]]:
    [one] = columns_for(version, [id_], coded)
    return one["type"], one["levels"], set(one["values"])


def test_labels_are_sent_and_exported_and_codes_are_kept(plain: DatasetVersion, owner: User) -> None:
    newer = confirm(plain, owner, LABELS)
    assert newer.number == 2
    assert sent(plain, SEX) == ("factor", ["1", "2"], {"1", "2"})
    assert sent(newer, SEX) == ("factor", ["Male", "Female"], {"Male", "Female"})
    assert sent(newer, AGREE)[1] == ["No", "Rather no", "Rather", "Yes"]
    assert sent(newer, SEX, SEX) == sent(plain, SEX)
    rows = list(csv.DictReader(io.StringIO(exported_csv(newer).decode())))
    assert [rows[0]["sex"], rows[1]["sex"], rows[0]["died"]] == ["Male", "Female", "Deceased"]
    assert newer.columns[0]["levels"] == ["1", "2"]
    assert newer.summary[SEX]["said"] == "Male 20, Female 20"
    assert confirm(newer, owner, LABELS).pk == newer.pk, "the same labels again are no new version"


def test_true_and_false_have_labels_whatever_the_file_writes(project: Project, owner: User) -> None:
    version = a_dataset(project, owner, "ill,x\nTRUE,1.5\nFALSE,2\nTRUE,3\n,4\n")
    assert version.columns[0]["type"] == "logical"
    made = confirm(version, owner, {"c1": {"labels": {"true": "Ill", "0": "Well"}}})
    assert made.columns[0]["labels"] == {"false": "Well", "true": "Ill"}
    assert sent(made, "c1") == ("factor", ["Well", "Ill"], {"Ill", "Well", None})
    coded = confirm(
        a_dataset(project, owner, TABLE, name="b.csv"), owner, {DIED: {"labels": {"0": "Alive", "1": "Dead"}}}
    )
    logical = confirm(coded, owner, {DIED: {"type": "logical"}})
    assert logical.columns[1]["labels"] == {"false": "Alive", "true": "Dead"}


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ({"1": "Male", "2": "male"}, "cannot both be"),
        ({"1": "Male", "2": "Ma\u200ble"}, "cannot both be"),
        ({"1": "=A", "2": "'=A"}, "cannot both be"),
        ({"1": "2"}, "another value of this column"),
        ({"1": "2", "2": "1"}, "another value of this column"),
        ({"3": "Other"}, "is not in the data"),
        ({"1": "x" * 101}, "at most 100 are allowed"),
        ({"1": "a\x00b"}, "cannot be stored"),
    ],
)
def test_labels_that_collide_are_refused(
    plain: DatasetVersion, owner: User, project: Project, labels: dict[str, str], said: str
) -> None:
    with pytest.raises(Refused, match=said) as refused:
        confirm(plain, owner, {SEX: {"labels": labels}})
    assert refused.value.field == f"columns.{SEX}.labels"
    answer = patch(signed_in(owner), at(project, plain.dataset), columns={SEX: {"labels": labels}})
    assert answer.status_code == 422
    assert plain.dataset.versions.count() == 1


def test_numbers_have_no_labels(plain: DatasetVersion, owner: User) -> None:
    with pytest.raises(Refused, match="only categories and yes or no"):
        confirm(plain, owner, {AGE: {"labels": {"40": "forty"}}})


def test_hostile_labels_are_text(plain: DatasetVersion, owner: User, project: Project) -> None:
    hostile = "=cmd|' /C calc'!A0 <script>alert(1)</script> \\input{x} %_&"
    confirm(plain, owner, {SEX: {"labels": {"1": hostile}}})
    newest = DatasetVersion.objects.get(number=2)
    assert sent(newest, SEX)[1] == [f"'{hostile}", "2"], "no spreadsheet computes it"
    from tests.analysis.test_data_page import at as page_at

    shown = signed_in(owner).get(page_at("data", newest)).content.decode()
    assert "&lt;script&gt;alert(1)" in shown
    assert "<script>alert(1)" not in shown


def test_over_the_api_and_by_whom(plain: DatasetVersion, owner: User, outsider: User, project: Project) -> None:
    address = at(project, plain.dataset)
    told = patch(signed_in(owner), address, columns={SEX: {"labels": {"1": "Male", "2": ""}}}).json()["newest"]
    assert told["columns"][0]["labels"] == {"1": "Male"}
    assert patch(signed_in(outsider), address, columns={SEX: {"labels": {"1": "M"}}}).status_code == 404
    cleared = patch(signed_in(owner), address, columns={SEX: {"labels": {}}}).json()["newest"]
    assert "labels" not in cleared["columns"][0]


def test_labels_are_proposed_again_for_a_newer_file(project: Project, owner: User) -> None:
    first = confirm(uploaded_dataset(project, owner, TABLE.encode()), owner, LABELS)
    newer = uploaded_dataset(project, owner, TABLE.encode() + b"1,0,3,4,2,2,50\n", dataset=first.dataset)
    assert newer.state == "proposed"
    assert newer.columns[0]["labels"] == {"1": "Male", "2": "Female"}
    clash = uploaded_dataset(project, owner, TABLE.encode() + b"Male,0,3,4,2,2,50\n", dataset=first.dataset)
    assert clash.state == "proposed", "a label that is a value now is left out, and nothing breaks"
    assert "labels" not in clash.columns[0]


def test_a_new_value_of_an_ordered_column_needs_a_place(project: Project, owner: User) -> None:
    first = uploaded_dataset(project, owner, b"pain,x\nleicht,1.5\nstark,2.5\nleicht,3\nstark,9\n")
    first = confirm(first, owner, {"c1": {"type": "ordered", "levels": ["leicht", "stark"]}})
    newer = uploaded_dataset(
        project, owner, b"pain,x\nleicht,1.5\nstark,2.5\nleicht,3\nmittel,9\nmittel,8\n", dataset=first.dataset
    )
    assert newer.columns[0]["order_unknown"] is True
    with pytest.raises(Refused, match="put its categories in order") as refused:
        confirm(newer, owner)
    assert refused.value.field == "columns.c1.levels"
    made = confirm(newer, owner, {"c1": {"levels": ["leicht", "mittel", "stark"]}})
    assert "order_unknown" not in made.columns[0]


@pytest.mark.parametrize(
    ("name", "bare", "labels"),
    [
        ("sex (1=male, 2=female)", "sex", {"1": "male", "2": "female"}),
        ("Outcome 0: alive; 1: dead", "Outcome", {"0": "alive", "1": "dead"}),
        ("Geschlecht [m=männlich/w=weiblich]", "Geschlecht", {"m": "männlich", "w": "weiblich"}),
        ("ill (no=0, yes=1)", "ill", {"0": "no", "1": "yes"}),
        ("Age group: 1=18-30, 2=31-45", "Age group", {"1": "18-30", "2": "31-45"}),
        ("Hb (g/dl)", "Hb (g/dl)", {}),
        ("BP (120/80)", "BP (120/80)", {}),
        ("x (1=a, 1=b)", "x (1=a, 1=b)", {}),
        ("x (1=a, 2=a)", "x (1=a, 2=a)", {}),
    ],
)
def test_codes_in_the_name_of_a_column(name: str, bare: str, labels: dict[str, str]) -> None:
    assert codes_in(name) == (bare, labels)


def test_labels_in_a_header_are_a_proposal() -> None:
    table = read(
        '"sex (1=male, 2=female)",grade (1=mild 2=moderate 3=severe),"pain (0=none, 10=worst)"\n'
        + "1,2,5\n2,1,0\n2,3,7\n1,2,2\n2,3,10\n"
    )
    sex, grade, pain = table.columns
    assert (sex["type"], sex["label"], sex["labels"]) == ("factor", "sex", {"1": "male", "2": "female"})
    assert not sex["proposed"]["is_sure"]
    assert (grade["type"], list(grade["labels"].values())) == ("ordered", ["mild", "moderate", "severe"])
    assert pain["type"] == "numeric", "a header that names the ends of a scale makes no groups of it"
    assert column(read("smoker (0=no 1=yes 9=NA)\n0\n1\n9\n0\n1\n"), "smoker (0=no 1=yes 9=NA)")["missing"] == ["9"]


# --- in R ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def engine(service: LocalService, settings: Any) -> None:
    settings.R_PLUMBER_URLS, settings.R_PLUMBER_TOKEN = service.urls, service.token


def ran(row: Analysis) -> Analysis:
    perform(str(row.job_id))
    found: Analysis = Analysis.objects.select_related("data__dataset").get(pk=row.pk)
    assert found.result is not None, found.error
    return found


def ask(data: DatasetVersion, owner: User, name: str, **params: Any) -> Analysis:
    return ran(
        start_analysis(data.dataset.project, owner, AnalysisRequest(name=name, data=data, params=params), enqueue=False)
    )


def numbers(row: Analysis) -> Any:
    assert row.result is not None
    return row.result["statistics"], [one["value"] for one in row.result["estimates"]]


@pytest.mark.long
@pytest.mark.r
def test_sentences_tables_and_scripts_have_the_labels(
    plain: DatasetVersion, owner: User, engine: None, tmp_path: Path
) -> None:
    before = ask(plain, owner, "t_test", outcome=SCORE, group=SEX)
    newer = confirm(plain, owner, LABELS)
    after = ran(rerun_analysis(before, owner, enqueue=False))
    assert after.data == newer
    assert after.result is not None
    assert numbers(after) == numbers(before)
    assert "Male" in after.result["sentence"]["plain"]
    assert "Female" in json.dumps(after.result["tables"])
    zipfile.ZipFile(io.BytesIO(script_zip(after))).extractall(tmp_path)
    assert "Male" in (tmp_path / "data.csv").read_text()
    run = subprocess.run(["Rscript", "script.R"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert f"{after.result['statistics']['t']:.6f}"[:7] in run.stdout


@pytest.mark.long
@pytest.mark.r
@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("logistic", {"outcome": DIED, "predictors": [AGE, SEX]}),
        ("cox", {"time": TIME, "event": DIED, "predictors": [AGE]}),
        ("kaplan_meier", {"time": TIME, "event": DIED, "group": SEX}),
        ("roc", {"outcome": DIED, "score": SCORE}),
        ("diagnostic", {"test": SEX, "reference": DIED}),
        ("logistic", {"outcome": SEX, "predictors": [AGE], "options": {"event_value": "1"}}),
        ("diagnostic", {"test": DIED, "reference": DIED, "options": {"event_value": "0"}}),
        ("mann_whitney", {"outcome": AGREE, "group": SEX}),
        ("mann_whitney", {"outcome": DIED, "group": SEX}),
        ("correlation", {"x": AGREE, "y": SCORE, "options": {"method": "spearman"}}),
        ("wilcoxon", {"first": AGREE, "second": LATER}),
        ("kappa", {"raters": [AGREE, LATER]}),
        ("chi_square", {"row": SEX, "column": DIED}),
    ],
)
def test_yesterdays_analyses_run_again_with_the_same_numbers(
    plain: DatasetVersion, owner: User, engine: None, name: str, params: dict[str, Any]
) -> None:
    """Codes that stand in params, events that R knows by itself, scales that are compared: labels change no number."""
    coded = confirm(plain, owner, {AGREE: {"type": "ordered"}, LATER: {"type": "ordered"}})
    before = ask(coded, owner, name, **params)
    confirm(coded, owner, LABELS)
    after = ran(rerun_analysis(before, owner, enqueue=False))
    assert after.data is not None
    assert after.data.number == 3
    assert numbers(after)[0] == numbers(before)[0]
    if name != "mann_whitney":  # a scale whose steps have labels has its medians in words: steps, and not codes
        assert numbers(after) == numbers(before)
    if "event_value" in params.get("options", {}):
        assert after.params["options"] == params["options"], "the code is what is kept"


@pytest.mark.long
@pytest.mark.r
def test_a_label_names_the_event_and_stays_true_when_labels_change(
    plain: DatasetVersion, owner: User, engine: None
) -> None:
    labelled = confirm(plain, owner, LABELS)
    options = {"event_value": "Female"}
    first = ask(labelled, owner, "logistic", outcome=SEX, predictors=[AGE], options=options)
    by_code = ask(labelled, owner, "logistic", outcome=SEX, predictors=[AGE], options={"event_value": "2"})
    assert numbers(first) == numbers(by_code)
    assert "Female" in first.script
    other = confirm(labelled, owner, {SEX: {"labels": {"1": "Men", "2": "Women"}}})
    later = ran(rerun_analysis(first, owner, enqueue=False))
    assert later.data == other
    assert numbers(later) == numbers(first)
    assert "Women" in later.script


@pytest.mark.long
@pytest.mark.r
def test_the_script_of_codes_reads_codes(plain: DatasetVersion, owner: User, engine: None, tmp_path: Path) -> None:
    data = confirm(plain, owner, LABELS)
    row = ask(data, owner, "correlation", x=AGREE, y=SCORE, options={"method": "spearman"})
    zipfile.ZipFile(io.BytesIO(script_zip(row))).extractall(tmp_path)
    assert "Rather no" not in (tmp_path / "data.csv").read_text()
    run = subprocess.run(["Rscript", "script.R"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


@pytest.mark.r
def test_on_the_command_line(engine: None, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(TABLE.replace("sex,died", '"sex (1=male, 2=female)","died (0=no, 1=yes)"'))
    out = io.StringIO()
    params = {"outcome": "died (0=no, 1=yes)", "predictors": ["age", "sex (1=male, 2=female)"]}
    call_command("run_analysis", str(path), analysis="logistic", params=json.dumps(params), stdout=out)
    assert "female" in out.getvalue()


def test_who_may_not_open_the_data_sees_the_labels(
    plain: DatasetVersion, owner: User, supervisor: User, project: Project
) -> None:
    newer = confirm(plain, owner, LABELS)
    page = signed_in(supervisor).get(f"/projects/{project.pk}/data/{newer.dataset_id}/").content.decode()
    assert "1 (Male), 2 (Female)" in page
    assert "0 (No), 1 (Rather no), 2 (Rather), 3 (Yes)" in page
    assert "Survived" in page
    assert "Deceased" in page
