"""The page of a dataset: seen by all members, changed by who may write (SPEC N1)."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from selectolax.lexbor import LexborHTMLParser

from analysis.models import Dataset, DatasetVersion
from analysis.pages.level_rows import key_of
from jobs.models import Job
from jobs.work import perform
from projects.models import Project, User
from tests.analysis.database_rows import PATIENTS, a_dataset, a_job, an_analysis
from tests.people import signed_in


def at(name: str, version: DatasetVersion, *, query: str = "") -> str:
    return reverse(f"analysis:{name}", args=[version.dataset.project_id, version.dataset_id]) + query


def page(client: Client, address: str, status: int = 200) -> LexborHTMLParser:
    answer = client.get(address)
    assert answer.status_code == status
    return LexborHTMLParser(answer.content.decode())


def text(found: LexborHTMLParser, selector: str = "main") -> str:
    node = found.css_first(selector)
    return " ".join(node.text(separator=" ").split()) if node else ""


def id_of(version: DatasetVersion, name: str) -> str:
    return next(str(one["id"]) for one in version.columns if one["name"] == name)


def test_each_column_with_what_stands_in_it_what_it_is_taken_for_and_why(owner: User, project: Project) -> None:
    version = a_dataset(project, owner)
    shown = page(signed_in(owner), at("data", version))
    crp, phone, group = (f"#column-{id_of(version, name)}" for name in ("crp", "phone", "group"))
    assert "8 rows and 8 columns" in text(shown)
    assert "n/k" in text(shown, f"{crp} .wrong")
    assert len(shown.css(f"{crp} .bars rect")) > 2
    assert "telephone numbers" in text(shown, phone)
    assert "One column looks like personal data: phone" in text(shown)
    assert text(shown, f"{group} .levels").startswith("control 4")
    chosen = shown.css_first(f"{group} select option[selected]")
    assert chosen is not None
    assert chosen.attributes["value"] == "groups"
    described = shown.css_first(f"{group} select")
    assert described is not None
    assert "2 different values" in text(shown, f"#{described.attributes['aria-describedby']}")
    assert [button.text(strip=True) for button in shown.css("main .btn-primary")] == ["Confirm"]
    assert not shown.css("[style]")


def test_confirming_what_was_proposed(owner: User, project: Project) -> None:
    version = a_dataset(project, owner, PATIENTS.replace("n/k", "40"))
    client = signed_in(owner)
    answer = client.post(at("data", version), {f"kind-{id_of(version, 'pain')}": "ordered"}, follow=True)
    assert answer.status_code == 200
    version.refresh_from_db()
    assert version.state == DatasetVersion.State.READY
    assert version.confirmed_by == owner
    pain = next(one for one in version.columns if one["name"] == "pain")
    assert (pain["type"], pain["level_of_measurement"]) == ("ordered", "ordinal")
    shown = LexborHTMLParser(answer.content.decode())
    assert "Ordered categories" in text(shown, f"#column-{pain['id']}")
    assert shown.css_first("form#types") is None
    assert [button.text(strip=True) for button in shown.css("main .btn-primary")] == ["New analysis"]


def test_a_tick_says_that_odd_cells_and_codes_are_missing(owner: User, project: Project) -> None:
    version = a_dataset(project, owner)
    crp = id_of(version, "crp")
    client = signed_in(owner)
    refused = client.post(at("data", version), {f"code-{crp}": "1"})
    assert refused.status_code == 422
    shown = LexborHTMLParser(refused.content.decode())
    assert "“n/k”" in text(shown, "#types [role=alert]")
    assert shown.css_first(f"#column-{crp} [name=code-{crp}][checked]") is not None
    assert shown.css_first(f"#column-{crp} [name=bad-{crp}]:not([checked])") is not None
    assert client.post(at("data", version), {f"code-{crp}": "1", f"bad-{crp}": "1"}).status_code == 302
    version.refresh_from_db()
    assert version.state == DatasetVersion.State.READY
    assert sorted(version.columns[5]["missing"]) == ["-99", "n/k"]
    assert version.summary[crp]["missing"] == 2


def test_another_meaning_later_is_a_new_version(owner: User, project: Project) -> None:
    version = a_dataset(project, owner, PATIENTS.replace("n/k", ""), state="ready")
    client = signed_in(owner)
    form = page(client, at("data", version, query="?change"))
    assert "become version 2" in text(form, "#types")
    said = client.post(at("data", version), {f"unit-{id_of(version, 'age')}": "years"}, follow=True)
    assert "Saved as version 2" in said.content.decode()
    newer = version.dataset.versions.first()
    assert newer is not None
    assert newer.number == 2
    assert next(one for one in newer.columns if one["name"] == "age")["unit"] == "years"
    assert next(one for one in version.columns if one["name"] == "age")["unit"] == ""
    old = page(client, at("data", version, query="?version=1"))
    assert "see the newest" in text(old)
    assert old.css_first("form#types") is None


def test_what_is_refused_leaves_what_was_chosen_in_its_fields(owner: User, project: Project) -> None:
    version = a_dataset(project, owner)
    group, age = id_of(version, "group"), id_of(version, "age")
    first, second = (f"place-{group}-{key_of(level)}" for level in ("control", "steroid"))
    answer = signed_in(owner).post(
        at("data", version), {first: "7", second: "7", f"kind-{age}": "score", f"unit-{age}": "<b>years</b>"}
    )
    assert answer.status_code == 422
    shown = LexborHTMLParser(answer.content.decode())
    assert "“control” and “steroid” of “group” have the same place" in text(shown, "#types [role=alert]")
    field = shown.css_first(f"#{first}")
    assert field is not None
    assert field.attributes["aria-invalid"] == "true"
    assert field.attributes["value"] == "7"
    assert shown.css_first(f"#column-{group} details[open]") is not None
    unit, kind = shown.css_first(f"#unit-{age}"), shown.css_first(f"#kind-{age} option[selected]")
    assert unit is not None
    assert kind is not None
    assert (unit.attributes["value"], kind.attributes["value"]) == ("<b>years</b>", "score")
    version.refresh_from_db()
    assert version.state == DatasetVersion.State.PROPOSED


@pytest.mark.long
def test_two_hundred_columns_are_one_form(owner: User, project: Project) -> None:
    names = [f"item {number}" for number in range(200)]
    rows = [",".join(str((row * 7 + at_) % 5) for at_ in range(200)) for row in range(25)]
    version = a_dataset(project, owner, "\n".join([",".join(names), *rows]))
    form = page(signed_in(owner), at("data", version)).css_first("form#types")
    assert form is not None
    sent: dict[str, Any] = {}
    for field in form.css("input[name], textarea[name], select[name]"):
        chosen = field.css_first("option[selected]") if field.tag == "select" else None
        value = chosen.attributes["value"] if chosen else field.attributes.get("value") or field.text()
        sent[str(field.attributes["name"])] = value or ""
    assert len(sent) > 800
    assert signed_in(owner).post(at("data", version), sent).status_code == 302
    version.refresh_from_db()
    assert version.state == DatasetVersion.State.READY


def test_rows_a_few_at_a_time(owner: User, project: Project) -> None:
    text_ = "id,x\n" + "\n".join(f"P{number},{number}" for number in range(1, 31))
    version = a_dataset(project, owner, text_)
    shown = page(signed_in(owner), at("data", version, query="?from=11"))
    cells = [[cell.text(strip=True) for cell in row.css("th, td")] for row in shown.css("#rows tbody tr")]
    assert len(cells) == 10
    assert cells[0] == ["12", "P11", "11"]  # the row of the file, as remarks name it
    assert "11 to 20 of 30" in text(shown, "#rows")
    for start in ("99999", "x", "-3", "0"):
        page(signed_in(owner), at("data", version, query=f"?from={start}"))


def test_a_file_that_is_being_read_and_one_that_cannot_be(owner: User, project: Project) -> None:
    client = signed_in(owner)
    version = a_dataset(project, owner, state="reading")
    version.job = a_job(project, owner, "dataset", version.pk)
    version.save()
    shown = page(client, at("data", version))
    follows = shown.css_first("#following")
    assert follows is not None
    assert client.get(str(follows.attributes["hx-get"])).status_code == 204
    version.job.emit("dataset_step", "Looking at 30 columns")
    assert "Looking at 30 columns" in client.get(str(follows.attributes["hx-get"])).content.decode()
    assert client.post(at("stop_reading", version)).status_code == 302
    version.refresh_from_db()
    assert version.state == DatasetVersion.State.ERROR
    ended = client.get(str(follows.attributes["hx-get"]))
    assert ended.headers["HX-Retarget"] == "#main"
    assert "could not be read" in ended.content.decode()
    assert "was stopped" in ended.content.decode()


def test_reading_the_kept_file_another_way_is_a_new_version(owner: User, project: Project) -> None:
    version = a_dataset(project, owner, "a;b\n1,5;2\n2,5;3\n3,5;4\n")
    client = signed_in(owner)
    with_commas = a_dataset(project, owner, "a,b\n1,2\n2,3\n", name="commas.csv")
    answer = client.post(at("read_again", with_commas), {"separator": ",", "decimal": ",", "asked": "1"})
    assert answer.status_code == 422
    assert "Choose another separator" in answer.content.decode()
    sent = {"separator": ";", "decimal": ",", "encoding": "utf-8", "header_rows": "1", "asked": "1", "missing": "3,5"}
    client.post(at("read_again", version), sent | {"missing": "4, 99"})
    newer = version.dataset.versions.first()
    assert newer is not None
    assert (newer.number, newer.state) == (2, DatasetVersion.State.READING)
    assert newer.reading["missing"] == ["4", "99"]
    perform(str(newer.job_id))
    newer.refresh_from_db()
    assert newer.state == DatasetVersion.State.PROPOSED
    assert [one["type"] for one in newer.columns] == ["numeric", "numeric"]


def test_rename_and_delete(owner: User, project: Project) -> None:
    version, other = a_dataset(project, owner), a_dataset(project, owner, name="other.csv")
    an_analysis(project, owner, version)
    client = signed_in(owner)
    taken = client.post(at("rename_data", version), {"name": "other.csv"})
    assert taken.status_code == 409
    assert "already" in taken.content.decode()
    client.post(at("rename_data", version), {"name": "Ward 4"})
    version.dataset.refresh_from_db()
    assert version.dataset.name == "Ward 4"
    asked = text(page(client, at("remove_data", version)))
    assert "the results of 1 analysis" in asked
    assert "backups" in asked
    assert Dataset.objects.count() == 2
    gone = client.post(at("remove_data", version), follow=True)
    assert "Ward 4 was deleted." in gone.content.decode()
    assert list(Dataset.objects.all()) == [other.dataset]


def test_download_is_a_file_without_formulas(editor: User, owner: User, project: Project) -> None:
    version = a_dataset(project, owner, "note,x\n=cmd|'/c calc'!A1,1\nplain,-2\n", name='a/b "c".csv', state="ready")
    answer = signed_in(editor).get(at("download_data", version))
    assert answer.headers["Content-Disposition"].startswith("attachment;")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert b"'=cmd" in answer.content
    assert b"-2" in answer.content


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("data", "post"),
        ("stop_reading", "post"),
        ("read_again", "post"),
        ("rename_data", "post"),
        ("remove_data", "post"),
    ],
)
def test_who_may_change_data(
    name: str, method: str, owner: User, reader: User, supervisor: User, outsider: User, project: Project
) -> None:
    version = a_dataset(project, owner)
    assert signed_in(outsider).post(at(name, version)).status_code == 404
    for member in (reader, supervisor):
        assert signed_in(member).post(at(name, version)).status_code == 403
        if name == "remove_data":
            assert signed_in(member).get(at(name, version)).status_code == 403
    assert signed_in(owner).put(at(name, version)).status_code == 405
    if name not in ("data", "remove_data"):
        assert signed_in(owner).get(at(name, version)).status_code == 405
    version.refresh_from_db()
    assert version.state == DatasetVersion.State.PROPOSED


def test_who_may_look(owner: User, reader: User, outsider: User, project: Project) -> None:
    version = a_dataset(project, owner)
    for name in ("data", "data_progress", "download_data"):
        assert signed_in(outsider).get(at(name, version)).status_code == 404
        assert signed_in(reader).get(at(name, version)).status_code == (403 if name == "download_data" else 200)
    to_page = reverse("analysis:version", args=[version.pk])
    assert signed_in(outsider).get(to_page).status_code == 404
    assert signed_in(reader).get(to_page).headers["Location"] == at("data", version)
    another = Project.objects.create_for(owner, title="Another")
    assert signed_in(owner).get(reverse("analysis:data", args=[another.pk, version.dataset_id])).status_code == 404
    shown = page(signed_in(reader), at("data", version))
    assert shown.css("main form") == []
    assert "The owner or an editor of this thesis must confirm them" in text(shown)
    for number in ("7", "0"):
        assert signed_in(owner).get(at("data", version, query=f"?version={number}")).status_code == 404
    assert signed_in(owner).get(at("data", version, query="?version=x")).status_code == 200


def test_names_of_strangers_are_only_text(owner: User, project: Project) -> None:
    bad = "<script>alert(1)</script>"
    version = a_dataset(project, owner, f"x,{bad},if\n1,{bad},1\n2,b,2\n", name=f"{bad}.csv")
    html = signed_in(owner).get(at("data", version)).content.decode()
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert" in html


def test_the_page_takes_as_many_queries_for_many_as_for_few(
    owner: User, project: Project, django_assert_max_num_queries: Any
) -> None:
    version = a_dataset(project, owner, state="ready")
    for number in range(12):
        a_dataset(project, owner, "a,b\n1,2\n", name=f"{number}.csv")
        an_analysis(project, owner, version, title=f"Question {number}")
    client = signed_in(owner)
    with django_assert_max_num_queries(16):
        client.get(at("data", version))


class TestAdding:
    def add(self, client: Client, project: Project, **fields: Any) -> Any:
        return client.post(reverse("analysis:add_data", args=[project.pk]), fields)

    def test_a_file_becomes_a_dataset_that_a_worker_reads(self, editor: User, project: Project) -> None:
        file = SimpleUploadedFile("patients.csv", PATIENTS.encode())
        answer = self.add(signed_in(editor), project, file=file, name="Ward 4")
        dataset = Dataset.objects.get()
        assert answer.headers["Location"] == reverse("analysis:data", args=[project.pk, dataset.pk])
        assert dataset.name == "Ward 4"
        version = dataset.versions.get()
        perform(str(version.job_id))
        version.refresh_from_db()
        assert (version.state, version.row_count) == (DatasetVersion.State.PROPOSED, 8)
        assert Job.objects.get().state == "done"

    def test_a_newer_file_is_the_next_version(self, editor: User, owner: User, project: Project) -> None:
        version = a_dataset(project, owner, state="ready")
        file = SimpleUploadedFile("newer.csv", PATIENTS.encode())
        self.add(signed_in(editor), project, file=file, dataset=str(version.dataset_id))
        newer = version.dataset.versions.first()
        assert newer is not None
        assert (newer.number, newer.file_name, newer.dataset.name) == (2, "newer.csv", "patients.csv")

    def test_what_cannot_be_data_says_so_at_the_field(self, editor: User, project: Project) -> None:
        client = signed_in(editor)
        nothing = self.add(client, project, name="Ward 4")
        assert nothing.status_code == 422
        assert "Choose a file" in nothing.content.decode()
        assert 'value="Ward 4"' in nothing.content.decode()
        pdf = self.add(client, project, file=SimpleUploadedFile("a.csv", b"%PDF-1.7 ..."))
        assert pdf.status_code == 422
        assert "This is a PDF" in LexborHTMLParser(pdf.content.decode()).css_first("#file-wrong").text()  # type: ignore[union-attr]
        assert not Dataset.objects.exists()

    def test_who_may_add(self, owner: User, reader: User, supervisor: User, outsider: User, project: Project) -> None:
        address = reverse("analysis:add_data", args=[project.pk])
        for person, status in ((outsider, 404), (reader, 403), (supervisor, 403), (owner, 200)):
            assert signed_in(person).get(address).status_code == status
            if person is not owner:
                assert signed_in(person).post(address).status_code == status
        assert signed_in(owner).put(address).status_code == 405
        elsewhere = a_dataset(Project.objects.create_for(owner, title="Another"), owner)
        assert signed_in(owner).get(f"{address}?dataset={elsewhere.dataset_id}").status_code == 404
        assert signed_in(owner).get(f"{address}?dataset=x").status_code == 200
