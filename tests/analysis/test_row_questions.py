"""Questions about rows that look like totals or headings, before types are confirmed;
rows are left out and restored."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from selectolax.lexbor import LexborHTMLParser

from analysis.datasets.edit_dataset import confirm, start_dataset
from analysis.datasets.excluded_rows import left_out_words, rows_in, rows_text
from analysis.datasets.export import exported_csv
from analysis.datasets.row_decisions import decide_rows
from analysis.models import Dataset, DatasetVersion
from analysis.running.row_checks import add_left_out_rows, use_file_row_numbers
from core.errors import Refused
from jobs.work import perform
from projects.models import Project, User
from tests.people import signed_in

State = DatasetVersion.State
AGES = [34, 51, 47, 62, 29, 70, 55, 41, 38, 66, 73, 58, 45, 36, 60, 52, 49, 31, 64, 57, 40, 68, 53, 44]
LINES = [f"P{at};{'m' if at % 2 else 'f'};{age};{age % 7},{at % 10}" for at, age in enumerate(AGES)]
CRP = sum(age % 7 for age in AGES) + sum(at % 10 for at in range(len(AGES))) / 10
TOTAL = f"Gesamt;;{sum(AGES)};{f'{CRP:.1f}'.replace('.', ',')}"
LAST = len(AGES) + 2  # the row of the file in which the total stands


@pytest.fixture(autouse=True)
def media(tmp_path: Path, settings: Any) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"


def text_of(*more: str, head: tuple[str, ...] = ()) -> str:
    return "\n".join(["id;sex;age;crp", *head, *LINES, *more]) + "\n"


def uploaded(project: Project, user: User, text: str, **more: Any) -> DatasetVersion:
    file = SimpleUploadedFile("ward.csv", text.encode())
    return done(start_dataset(project, user, "ward.csv", file, enqueue=False, **more))


def done(version: DatasetVersion) -> DatasetVersion:
    if version.state == State.READING:
        perform(str(version.job_id))
    found: DatasetVersion = DatasetVersion.objects.select_related("dataset").get(pk=version.pk)
    return found


def newest(dataset: Dataset) -> DatasetVersion:
    version = dataset.versions.first()
    assert version is not None
    return done(version)


def at(version: DatasetVersion, name: str = "choose_rows") -> str:
    return reverse(f"analysis:{name}", args=[version.dataset.project_id, version.dataset_id])


def page(client: Client, version: DatasetVersion, query: str = "") -> LexborHTMLParser:
    answer = client.get(at(version, "data") + query)
    assert answer.status_code == 200
    return LexborHTMLParser(answer.content.decode())


def words(found: LexborHTMLParser, selector: str) -> str:
    node = found.css_first(selector)
    return " ".join(node.text(separator=" ").split()) if node else ""


def test_a_total_is_asked_about_and_nothing_is_confirmed_before(owner: User, project: Project) -> None:
    version = uploaded(project, owner, text_of(TOTAL))
    client = signed_in(owner)
    shown = page(client, version)
    asked = words(shown, "#question-totals")
    assert f"Row {LAST} looks like a total" in asked
    assert f"the sums of rows 2 to {LAST - 1}" in asked
    assert str(sum(AGES)) in asked
    assert [button.text() for button in shown.css("main .btn-primary")] == []
    refused = client.post(at(version, "data"), {})
    assert refused.status_code == 409
    assert "Answer this first" in refused.content.decode()
    version.refresh_from_db()
    assert (version.state, version.row_count) == (State.PROPOSED, len(AGES))
    assert version.summary["c3"]["max"] == 73


def test_leaving_it_out_answers_in_place(owner: User, project: Project) -> None:
    version = uploaded(project, owner, text_of(TOTAL))
    client = signed_in(owner)
    assert client.post(at(version), {"act": "answer", "question": "totals"}).status_code == 302
    version = newest(version.dataset)
    assert (version.number, version.reading["left_out"]) == (1, [{"rows": [LAST], "reason": "total row"}])
    shown = page(client, version)
    assert shown.css_first("#question-totals") is None
    assert f"Row {LAST} total row" in words(shown, "#left-out")
    assert client.post(at(version, "data"), {}).status_code == 302
    assert newest(version.dataset).state == State.READY


def test_keeping_it_makes_it_a_row_of_data(owner: User, project: Project) -> None:
    version = uploaded(project, owner, text_of(TOTAL))
    signed_in(owner).post(at(version), {"act": "keep", "question": "totals"})
    newer = newest(version.dataset)
    assert (newer.number, newer.row_count) == (2, 25)
    assert newer.summary["c3"]["max"] == sum(AGES)
    assert not [one for one in newer.remarks if one["level"] == "question"]
    assert confirm(newer, owner).state == State.READY


def test_of_several_totals_each_has_its_tick(owner: User, project: Project) -> None:
    half = len(AGES) // 2
    first = f"Summe;;{sum(AGES[:half])};"
    second = f"Summe;;{sum(AGES[half:])};"
    lines = ["id;sex;age;crp", *LINES[:half], first, *LINES[half:], second, TOTAL]
    version = uploaded(project, owner, "\n".join(lines) + "\n")
    rows = [half + 2, len(AGES) + 3, len(AGES) + 4]
    asked = next(one for one in version.remarks if one["level"] == "question")
    assert asked["rows"] == rows
    sent = {"act": "answer", "question": "totals", "one_by_one": "1", "row": [rows[0], rows[2]]}
    signed_in(owner).post(at(version), sent)
    newer = newest(version.dataset)
    assert [one["rows"] for one in newer.reading["left_out"]] == [[rows[0], rows[2]]]
    assert newer.reading["kept_rows"] == [rows[1]]
    assert newer.row_count == len(AGES) + 1


def test_rows_are_left_out_with_a_reason_and_put_back(owner: User, project: Project) -> None:
    version = confirm(uploaded(project, owner, text_of()), owner, {"c3": {"label": "Age", "unit": "years"}})
    client = signed_in(owner)
    nothing = client.post(at(version), {"act": "leave_out", "rows": "3", "reason": " "})
    assert nothing.status_code == 422
    assert "Enter the reason" in nothing.content.decode()
    assert 'value="3"' in nothing.content.decode()
    client.post(at(version), {"act": "leave_out", "rows": "3, 5-6", "reason": "withdrew  consent"})
    newer = newest(version.dataset)
    assert (newer.number, newer.state, newer.row_count) == (2, State.READY, 21)
    assert newer.reading["left_out"] == [{"rows": [3, 5, 6], "reason": "withdrew consent"}]
    assert newer.columns[2]["label"] == "Age"
    assert newer.columns[2]["unit"] == "years"
    assert b"P1," not in exported_csv(newer)
    assert b"P2," in exported_csv(newer)
    shown = page(client, newer)
    assert "Rows 3, 5-6 withdrew consent" in words(shown, "#left-out")
    numbers = [cell.text() for cell in shown.css("#rows tbody th")]
    assert numbers[:4] == ["2", "4", "7", "8"], "rows keep the numbers of the file"
    client.post(at(newer), {"act": "put_back", "rows": "5"})
    again = newest(version.dataset)
    assert (again.number, again.state, again.row_count) == (3, State.READY, 22)
    assert again.reading["left_out"] == [{"rows": [3, 6], "reason": "withdrew consent"}]
    version.refresh_from_db()
    assert version.row_count == 24


def test_what_was_confirmed_holds_for_the_rows_that_stay(owner: User, project: Project) -> None:
    text = "grade,yes,n\n" + "\n".join(
        f"{'IV' if at == 4 else ['I', 'II', 'III'][at % 3]},{['Yes', 'y', 'no'][at % 3]},{at}" for at in range(12)
    )
    version = uploaded(project, owner, text + "\n")
    version = confirm(
        version, owner, {"c1": {"type": "ordered", "levels": ["IV", "III", "II", "I"]}, "c3": {"missing": ["7"]}}
    )
    newer = done(decide_rows(version, owner, leave_out=[{"rows": [6], "reason": "not eligible"}], enqueue=False))
    assert newer.state == State.READY
    assert newer.columns[0]["levels"] == ["III", "II", "I"], "a group without a row goes, the order stays"
    assert newer.columns[1]["merge"] == version.columns[1]["merge"]
    assert newer.columns[2]["missing"] == ["7"]
    assert newer.confirmed_by == owner


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"leave_out": [{"rows": [999], "reason": "x"}]}, "unknown_row"),
        ({"leave_out": [{"rows": [1], "reason": "x"}]}, "unknown_row"),
        ({"leave_out": [{"rows": list(range(2, 26)), "reason": "x"}]}, "no_rows_left"),
        ({"leave_out": [{"rows": [3], "reason": ""}]}, "no_reason"),
        ({"leave_out": [{"rows": [3], "reason": "x" * 201}]}, "no_reason"),
        ({"leave_out": [{"rows": [3], "reason": "x"}], "keep": [3]}, "bad_rows"),
        ({"put_back": [3]}, "unknown_row"),
        ({}, "no_rows"),
    ],
)
def test_rows_that_cannot_be_left_out(owner: User, project: Project, said: Any, code: str) -> None:
    version = uploaded(project, owner, text_of())
    with pytest.raises(Refused) as refused:
        decide_rows(version, owner, **said)
    assert refused.value.code == code
    assert version.dataset.versions.count() == 1


def test_the_api_asks_and_is_answered(owner: User, project: Project) -> None:
    version = uploaded(project, owner, text_of(TOTAL))
    client, address = signed_in(owner), f"/api/projects/{project.pk}/datasets/{version.dataset_id}"

    def patch(**changes: Any) -> Any:
        return client.patch(address, json.dumps(changes), content_type="application/json")

    [asked] = [one for one in client.get(address).json()["newest"]["remarks"] if one["level"] == "question"]
    assert (asked["code"], asked["rows"], asked["choices"]) == ("totals", [LAST], ["leave_out", "keep"])
    refused = patch(confirm=True)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "open_question")
    assert patch(confirm=True, keep=[LAST]).json()["error"]["code"] == "two_at_once"
    told = patch(leave_out=[{"rows": [LAST], "reason": "total row"}]).json()["newest"]
    assert (told["number"], told["state"], told["reading"]["left_out"][0]["rows"]) == (1, "proposed", [LAST])
    assert patch(confirm=True).json()["newest"]["state"] == "ready"
    told = patch(leave_out=[{"rows": [4], "reason": "entered twice"}]).json()["newest"]
    assert (told["number"], told["state"]) == (2, "reading")
    assert newest(version.dataset).state == State.READY
    again = client.post(f"{address}/versions", {"as_version": 1, "missing": ["34"]}, content_type="application/json")
    assert again.status_code == 201
    assert newest(version.dataset).state == State.PROPOSED, "another reading is confirmed by people only"
    rows = client.get(f"{address}/rows?count=3").json()
    assert rows["numbers"] == [2, 3, 5]


def test_reading_again_keeps_what_was_left_out_unless_another_table_is_read(owner: User, project: Project) -> None:
    version = uploaded(project, owner, text_of())
    left = done(decide_rows(version, owner, leave_out=[{"rows": [4], "reason": "entered twice"}], enqueue=False))
    client = signed_in(owner)
    client.post(at(left, "read_again"), {"missing": "99", "separator": ";", "decimal": ",", "encoding": "utf-8"})
    assert newest(version.dataset).reading["left_out"] == [{"rows": [4], "reason": "entered twice"}]
    client.post(at(left, "read_again"), {"separator": "|", "decimal": ",", "encoding": "utf-8"})
    assert "left_out" not in newest(version.dataset).reading


def test_a_newer_file_says_that_its_rows_all_count(owner: User, project: Project) -> None:
    version = confirm(uploaded(project, owner, text_of()), owner)
    done(decide_rows(version, owner, leave_out=[{"rows": [4], "reason": "withdrew consent"}], enqueue=False))
    newer = uploaded(project, owner, text_of("P99;m;44;1,5"), dataset=version.dataset)
    said = next(one for one in newer.remarks if one["code"] == "left_out_before")
    assert "1 row was left out: withdrew consent" in said["text"]
    assert newer.row_count == 25


def test_a_second_row_of_headings_is_one_click(owner: User, project: Project) -> None:
    version = uploaded(project, owner, text_of(head=(";;years;mg/l",)))
    client = signed_in(owner)
    assert "Row 2 looks like a second row of headings (“years”, “mg/l”)" in words(
        page(client, version), "#question-second_header"
    )
    assert version.row_count == 25
    assert client.post(at(version, "data"), {}).status_code == 409
    client.post(at(version), {"act": "headings"})
    newer = newest(version.dataset)
    assert [one["name"] for one in newer.columns] == ["id", "sex", "age years", "crp mg/l"]
    assert (newer.row_count, newer.columns[2]["type"]) == (24, "numeric")
    client.post(at(version) + "?version=1", {"act": "keep", "question": "second_header"})
    version.refresh_from_db()
    assert (version.row_count, version.reading["kept_rows"]) == (25, [2])
    assert not [one for one in version.remarks if one["level"] == "question"]


def test_an_extreme_is_pointed_out_and_stays_until_somebody_says(owner: User, project: Project) -> None:
    version = uploaded(project, owner, text_of("P77;m;503;2,5"))
    client = signed_in(owner)
    shown = page(client, version)
    assert f"503 in row {LAST} lies far from all other values, which are 29 to 73" in words(shown, "#column-c3")
    link = next(one for one in shown.css("#column-c3 a") if "row" in one.text())
    form = page(client, version, str(link.attributes["href"]).split("#")[0]).css_first("#leave-rows")
    assert form is not None
    assert form.attributes["value"] == str(LAST)
    assert version.summary["c3"]["max"] == 503
    client.post(at(version, "data"), {"extreme-c3": "1"})
    ready = newest(version.dataset)
    assert (ready.columns[2]["missing"], ready.summary["c3"]["max"]) == (["503"], 73)
    assert "503 in row" not in words(page(client, ready), "#column-c3")


def test_who_may_choose_rows(owner: User, reader: User, supervisor: User, outsider: User, project: Project) -> None:
    version = uploaded(project, owner, text_of(TOTAL))
    sent = {"act": "answer", "question": "totals"}
    assert signed_in(outsider).post(at(version), sent).status_code == 404
    for member in (reader, supervisor):
        assert signed_in(member).post(at(version), sent).status_code == 403
        assert page(signed_in(member), version).css("#question-totals form, #left-out form") == []
    assert signed_in(owner).get(at(version)).status_code == 405
    assert signed_in(owner).post(at(version), {"act": "answer", "question": "nothing"}).status_code == 409
    for rows in ("x", "5-3", "1-999999999", ""):
        assert signed_in(owner).post(at(version), {"act": "leave_out", "rows": rows, "reason": "y"}).status_code == 422
    version.refresh_from_db()
    assert "left_out" not in version.reading


def test_rows_in_words() -> None:
    assert rows_in("116, 120 - 122;7") == [116, 120, 121, 122, 7]
    assert rows_text([7, 120, 121, 122]) == "7, 120-122"
    assert left_out_words([]) == ""
    assert left_out_words([{"rows": [116], "reason": "total row"}]) == "1 row was left out: total row."
    both = [{"rows": [3, 4, 9], "reason": "withdrew consent"}, {"rows": [116], "reason": "total row"}]
    assert left_out_words(both) == "4 rows were left out: withdrew consent (3), total row (1)."


def test_a_result_says_which_rows_were_left_out() -> None:
    answer = {
        "sentence": {"plain": "Age was 50.", "latex": "Age was 50."},
        "tables": [{"id": "main", "footnotes": ["Welch"]}],
        "script": {"code": "# Welch.\n# Made by Scholium.\nset.seed(1)\n", "sha256": "0"},
    }
    left = [{"rows": [3, 5, 6], "reason": "withdrew consent & left_\u202eit"}]
    made = add_left_out_rows(answer, left, "ward.csv version 2")
    assert made["sentence"]["plain"].startswith("Age was 50. 3 rows were left out: withdrew consent")
    assert r"consent \& left\_" in made["sentence"]["latex"]
    assert made["tables"][0]["footnotes"][1].startswith("3 rows were left out")
    lines = made["script"]["code"].split("\n")
    assert lines[2] == "# Left out of data.csv (ward.csv version 2), by the rows of the uploaded file:"
    assert lines[3] == "#   3, 5-6: withdrew consent & left_ it"
    assert lines[4] == "set.seed(1)"
    assert made["script"]["sha256"] == hashlib.sha256(made["script"]["code"].encode()).hexdigest()
    assert add_left_out_rows(answer, []) is answer


def test_errors_name_rows_of_the_file() -> None:
    assert use_file_row_numbers("“<5” in row 3, “x” in row 9.", [2, 4, 7]) == "“<5” in row 7, “x” in row 9."
    assert use_file_row_numbers("n: row 1 has 2.5.", [2]) == "n: row 2 has 2.5."
