"""Bringing references in (SPEC C6, C10), by function, page and API."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from citations.formats.bibtex import MAX_IMPORTED
from citations.formats.reading import decode
from citations.importing import file_import
from citations.importing.file_import import MAX_BYTES, import_entries
from citations.models import Citation, RetractionNotice
from core.errors import Refused
from projects.models import Project, User
from tests.people import signed_in

ALDER = "@article{menon2021, title = {Alder}, author = {Menon, Asha}, year = 2021, doi = {10.1000/ALDER}}"
BIRCH = "@article{lund2020, title = {Birch}, author = {Lund, Oskar}, year = 2020, abstract = {Forty plots.}}"
BROKEN = "@article{broken, title = {Never closed\n"


def entries(count: int) -> str:
    return "\n".join(f"@misc{{k{number}, title = {{Work {number}}}, year = 2020}}" for number in range(count))


def test_new_entries_are_added_unchecked(project: Project) -> None:
    imported = import_entries(project, f"{ALDER}\n{BROKEN}\n{BIRCH}")
    assert imported.added == ["menon2021", "lund2020"]
    assert [(problem.line, problem.key) for problem in imported.problems] == [(2, "broken")]
    alder, birch = Citation.objects.filter(project=project)
    assert (alder.title, alder.authors, alder.year, alder.doi) == ("Alder", "Menon", 2021, "10.1000/ALDER")
    assert (alder.bibtex, alder.status, alder.tier) == (ALDER, "unresolved", "")
    assert birch.note == "Forty plots."
    assert birch.text_for_search == "Birch\n\nForty plots."


def test_the_same_file_twice_changes_nothing(project: Project) -> None:
    text = f"{ALDER}\n{BIRCH}\n@misc{{, title = {{Without a key}}}}"
    assert import_entries(project, text).added == ["menon2021", "lund2020", "withoutnd"]
    again = import_entries(project, text)
    assert (again.added, again.updated) == ([], [])
    assert again.unchanged == ["menon2021", "lund2020", "withoutnd"]


def test_an_unproven_entry_is_updated(project: Project) -> None:
    import_entries(project, BIRCH)
    Citation.objects.update(status=Citation.Status.NOT_FOUND, tier="D")
    before = Citation.objects.get().updated_at
    imported = import_entries(project, "@article{lund2020, title = {Birch and soil}, year = 2020}")
    assert imported.updated == ["lund2020"]
    row = Citation.objects.get()
    assert (row.title, row.status, row.tier) == ("Birch and soil", "unresolved", "")
    assert row.note == "Forty plots.", "an entry without a note takes none away"
    assert row.updated_at > before


@pytest.mark.parametrize("status", ["verified", "attested"])
def test_a_proven_entry_is_never_overwritten(project: Project, status: str) -> None:
    import_entries(project, BIRCH)
    Citation.objects.update(status=status, tier="B")
    imported = import_entries(project, BIRCH.replace("title = {Birch}", "title = {BIRCH}, volume = {9}"))
    assert imported.unchanged == ["lund2020"]
    assert "already proven" in imported.problems[0].message
    assert Citation.objects.get().title == "Birch"


def test_a_work_that_is_here_is_not_added_twice(project: Project) -> None:
    import_entries(project, ALDER)
    imported = import_entries(project, "@article{other, title = {{ALDER}}, doi = {https://doi.org/10.1000/alder}}")
    assert imported.added == []
    assert "already exists as menon2021" in imported.problems[0].message


def test_another_work_with_a_doi_that_is_here_is_added_and_told(project: Project) -> None:
    """A wrong DOI must not cost the entry: the text may cite it."""
    imported = import_entries(project, ALDER + "@article{other, title = {Steroids in sepsis}, doi = {10.1000/alder}}")
    assert imported.added == ["menon2021", "other"]
    assert [(problem.key, "that of menon2021" in problem.message) for problem in imported.problems] == [("other", True)]


def test_an_entry_without_a_key_never_replaces_another(project: Project) -> None:
    import_entries(project, ALDER)
    imported = import_entries(project, "@misc{, title = {Steroids in sepsis}, year = 2021, doi = {10.1000/alder}}")
    assert imported.added == ["steroids2021"]
    assert Citation.objects.get(cite_key="menon2021").title == "Alder"


def test_generated_keys_make_room_for_given_ones(project: Project) -> None:
    text = json.dumps(
        [
            {"title": "A", "author": [{"family": "Menon"}], "issued": {"date-parts": [[2021]]}},
            {"title": "B", "author": [{"family": "Menon"}], "issued": {"date-parts": [[2021]]}},
            {"id": "menon2021", "title": "C"},
        ]
    )
    assert import_entries(project, text).added == ["menon2021b", "menon2021c", "menon2021"]


def test_entries_are_numbered_in_their_order(project: Project) -> None:
    import_entries(project, ALDER)
    import_entries(project, f"{BIRCH}\n{ALDER}\n{entries(2)}")
    rows = Citation.objects.filter(project=project).values_list("serial", "cite_key")
    assert list(rows) == [(1, "menon2021"), (2, "lund2020"), (3, "k0"), (4, "k1")]


def test_who_imports_for_a_person_has_new_and_changed_entries_checked(project: Project) -> None:
    import_entries(project, f"{ALDER}\n{BIRCH}")
    assert not Citation.objects.due().exists(), "nobody asked"
    import_entries(
        project, f"{ALDER}\n@misc{{new, title = {{Cedar}}}}\n@book{{lund2020, title = {{Birch}}}}", check=True
    )
    assert sorted(Citation.objects.due().values_list("cite_key", flat=True)) == ["lund2020", "new"]


def test_new_words_leave_nothing_of_an_old_verdict(project: Project) -> None:
    import_entries(project, BIRCH)
    row = Citation.objects.get()
    row.status, row.tier, row.reason, row.repair = "conflict", "D", "Another work.", {"doi": "10.1/x"}
    row.diff, row.record, row.checked_at = [{"field": "title"}], {"title": "Other"}, timezone.now()
    row.save()
    RetractionNotice.objects.create(citation=row, type="retraction")
    import_entries(project, "@article{lund2020, title = {Birch and soil}}")
    row = Citation.objects.get()
    assert (row.status, row.tier, row.reason, row.repair, row.diff, row.record) == ("unresolved", "", "", {}, [], {})
    assert row.checked_at is None
    assert not row.notices.exists()


def test_a_proven_entry_that_comes_again_as_it_was_claimed_is_no_news(project: Project) -> None:
    import_entries(project, BIRCH)
    row = Citation.objects.get()
    row.claimed, row.csl = row.csl, {**row.csl, "title": "Birch, as the registry has it"}
    row.title, row.status, row.tier = row.csl["title"], "verified", "A"
    row.save()
    imported = import_entries(project, BIRCH)
    assert (imported.unchanged, imported.problems) == (["lund2020"], [])
    assert Citation.objects.get().title == "Birch, as the registry has it"


def test_a_work_that_is_here_under_its_pmid_is_not_added_twice(project: Project) -> None:
    import_entries(project, "@article{a, title = {Alder roots}, pmid = {321}}")
    (problem,) = import_entries(project, "@article{b, title = {Alder roots}, pmid = {321}}").by_outcome["kept"]
    assert "already exists as a" in problem.message


def test_a_key_that_no_text_can_cite_is_changed_and_told(project: Project) -> None:
    text = (
        "@article{two words, title = {Alder}}\n@article{twowords, title = {Birch}}\n@article{Übung漢字, title = {Oak}}"
    )
    imported = import_entries(project, text)
    assert imported.added == ["twowordsb", "twowords", "Übung漢字"]
    assert [(problem.line, problem.key) for problem in imported.by_outcome["repaired"]] == [(1, "two words")]
    assert "was imported as twowordsb" in imported.by_outcome["repaired"][0].message
    again = import_entries(project, text)
    assert (again.added, again.unchanged) == ([], ["twowordsb", "twowords", "Übung漢字"])


def test_the_report_tells_what_was_repaired_kept_and_refused(project: Project) -> None:
    import_entries(project, ALDER)
    Citation.objects.update(status="verified", tier="A")
    text = (
        f"{BROKEN}\n@misc{{gap, title = {{Gap}} year = 2020}}\n@misc{{menon2021, title = {{Alder}}, note = {{Other}}}}"
    )
    imported = import_entries(project, text)
    told = {outcome: [one.key for one in problems] for outcome, problems in imported.by_outcome.items()}
    assert told == {"refused": ["broken"], "repaired": ["gap"], "kept": ["menon2021"]}
    refused = import_entries(project, "[3, {}]").by_outcome["refused"]
    assert [(problem.line, problem.message[:12]) for problem in refused] == [(1, "This item is"), (2, "This work ha")]


def test_another_thesis_is_not_looked_at(project: Project, outsider: User) -> None:
    other = Project.objects.create_for(outsider, title="Another")
    import_entries(other, ALDER)
    assert import_entries(project, ALDER).added == ["menon2021"]


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        ("@misc{%s, title={T}}" % ("k" * 201), "key"),
        ("@misc{a, title={T}, doi={10.1/%s}}" % ("d" * 500), "DOI"),
        ("@misc{a, title={T}, pmid={%s}}" % ("1" * 51), "PMID"),
        ("@misc{a, title={%s}}" % ("T" * MAX_IMPORTED), "entry"),
        ("@misc{a, title={%s}}" % ("T" * 2_001), "title"),
        ("@misc{a, title={T}, author={{%s}}}" % ("A" * 1_001), "list of authors"),
        ("@misc{a, title={T}, url={https://%s}}" % ("u" * 2_000), "address"),
    ],
)
def test_what_is_too_long_is_left_out_alone(project: Project, entry: str, name: str) -> None:
    imported = import_entries(project, f"{entry}\n{BIRCH}")
    assert imported.added == ["lund2020"]
    assert name in imported.problems[0].message
    assert "longer than" in imported.problems[0].message


def test_more_entries_and_more_bytes_than_come_in_at_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_import, "MAX_ENTRIES", 600)
    imported = import_entries(project, json.dumps([{"id": f"k{number}", "title": "T"} for number in range(601)]))
    assert len(imported.added) == 600
    assert [(problem.line, problem.outcome) for problem in imported.problems] == [(601, "refused")]
    with pytest.raises(Refused, match="25 MB"):
        import_entries(project, "x" * (MAX_BYTES + 1))


def test_an_import_takes_as_many_queries_for_many_entries_as_for_few(project: Project) -> None:
    def queries(text: str) -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            import_entries(project, text)
        return len(captured)

    import_entries(project, ALDER)
    assert queries(entries(3)) == queries(entries(60).replace("{k", "{m"))


@pytest.mark.parametrize("text", ["", "  \n", "\ufeff"])
def test_nothing_is_refused_kindly(project: Project, text: str) -> None:
    with pytest.raises(Refused, match="nothing to import"):
        import_entries(project, text)


@pytest.mark.parametrize("text", ["just some words", "{]", "@comment{only}", "\x00@"])
def test_something_else_adds_nothing_and_says_so(project: Project, text: str) -> None:
    imported = import_entries(project, text)
    assert imported.added == []
    assert len(imported.problems) == 1


def test_any_usual_encoding_is_read() -> None:
    text = "@misc{a, title = {Ångström}}"
    for data in (text.encode(), text.encode("utf-8-sig"), text.encode("latin-1"), text.encode("utf-16")):
        assert decode(data) == text


def test_a_file_brought_on_the_page(owner: User, project: Project) -> None:
    file = SimpleUploadedFile("refs.bib", f"{ALDER}\n{BROKEN}".encode())
    response = signed_in(owner).post(reverse("citations:import", args=[project.pk]), {"file": file, "text": ""})
    page = response.content.decode()
    assert response.status_code == 200
    assert "<html" in page
    assert "1 added, 0 updated, 0 unchanged." in page
    assert "<code>broken</code>" in page
    assert "menon2021" in page


def test_pasted_entries_answer_htmx_with_the_list_alone(editor: User, project: Project) -> None:
    address = reverse("citations:import", args=[project.pk])
    page = signed_in(editor).post(address, {"text": BIRCH}, headers={"HX-Request": "true"}).content.decode()
    assert 'id="citations"' in page
    assert "<html" not in page
    assert "lund2020" in page


def test_a_refused_import_keeps_what_was_typed(owner: User, project: Project) -> None:
    address = reverse("citations:import", args=[project.pk])
    response = signed_in(owner).post(address, {"text": " "}, headers={"HX-Request": "true"})
    assert response.status_code == 422
    assert response.headers["HX-Retarget"] == "#import-form"
    assert "nothing to import" in response.content.decode()
    assert signed_in(owner).post(address, {"text": ""}).status_code == 422


def test_markup_in_an_entry_stays_text(owner: User, project: Project) -> None:
    text = "@misc{<b>k, title = {<script>x</script>}}\n@misc{<i>z\n title={}}"
    page = signed_in(owner).post(reverse("citations:import", args=[project.pk]), {"text": text}).content.decode()
    assert "<script>x" not in page
    assert "<b>k" not in page
    assert "<i>z" not in page


@pytest.mark.parametrize("who", ["reader", "supervisor"])
def test_who_may_only_read_cannot_import(who: str, project: Project, request: Any) -> None:
    client = signed_in(request.getfixturevalue(who))
    assert client.post(reverse("citations:import", args=[project.pk]), {"text": ALDER}).status_code == 403
    assert not Citation.objects.exists()


def test_strangers_and_wrong_methods(project: Project, owner: User, outsider: User, client: Any) -> None:
    address = reverse("citations:import", args=[project.pk])
    assert signed_in(outsider).post(address, {"text": ALDER}).status_code == 404
    assert client.post(address, {"text": ALDER}).status_code == 302
    assert signed_in(owner).get(address).status_code == 405


def test_the_api_imports_and_tells_problems(project: Project, owner: User, outsider: User, client: Any) -> None:
    address = f"/api/projects/{project.pk}/citations/import"
    data = {"text": f"{ALDER}\n{BROKEN}"}
    response = signed_in(owner).post(address, data, content_type="application/json")
    assert response.status_code == 200
    answer = response.json()
    assert {name: answer[name] for name in ("added", "updated", "unchanged")} == {
        "added": 1,
        "updated": 0,
        "unchanged": 0,
    }
    assert [problem["key"] for problem in answer["problems"]] == ["broken"]
    refused = signed_in(owner).post(address, {"text": ""}, content_type="application/json")
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "text")
    assert signed_in(outsider).post(address, data, content_type="application/json").status_code == 404
    assert client.post(address, data, content_type="application/json").status_code == 401
    assert signed_in(owner).put(address, data, content_type="application/json").status_code == 405


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"", 422),
        (b"[" * 100_000, 400),
        (b'{"text": "\xff"}', 400),
        (b'{"text": 3}', 422),
        (b'{"text": NaN}', 422),
        (b'{"text": "\\ud800\\u0000"}', 422),
        (b'{"text": "x", "format": "odd"}', 422),
    ],
)
def test_a_request_that_cannot_be_decoded_is_answered_in_words(
    project: Project, owner: User, body: bytes, status: int
) -> None:
    address = f"/api/projects/{project.pk}/citations/import"
    response = signed_in(owner).post(address, body, content_type="application/json")
    assert response.status_code == status
    assert response.json()["error"]["message"]


@pytest.mark.parametrize("text", ["[" * 100_000, "[{", '[{"title": "T", "volume": 1e999}]', r"@misc{a, title={\verb}}"])
def test_text_that_cannot_be_read_is_a_problem(project: Project, owner: User, text: str) -> None:
    """SPEC C10, by both doors."""
    client = signed_in(owner)
    data = {"text": text}
    answer = client.post(f"/api/projects/{project.pk}/citations/import", data, content_type="application/json")
    assert (answer.status_code, answer.json()["added"], len(answer.json()["problems"])) == (200, 0, 1)
    page = client.post(reverse("citations:import", args=[project.pk]), data)
    assert page.status_code == 200
    assert "0 added" in page.content.decode()


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"text=%ff%fe", "application/x-www-form-urlencoded", 200),
        (b"text=x", "application/x-www-form-urlencoded; charset=utf-16", 400),
        (b"x", "multipart/form-data", 400),
        (b"x", "multipart/form-data; boundary=a", 422),
        (b"{", "application/json", 422),
    ],
)
def test_a_form_that_cannot_be_decoded_gets_a_page(
    project: Project, owner: User, body: bytes, kind: str, status: int
) -> None:
    client = signed_in(owner)
    response = client.generic("POST", reverse("citations:import", args=[project.pk]), body, content_type=kind)
    assert response.status_code == status
    assert "<h1" in response.content.decode()
    assert not Citation.objects.exists()
