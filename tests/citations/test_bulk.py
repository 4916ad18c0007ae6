"""One action on several references: look up, tag, delete, export (SPEC C5, C9)."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from citations.library.bulk import change_several
from citations.models import Citation, Tag
from core.errors import Refused
from jobs.models import Job
from projects.models import Project, User
from sections.models import Section
from tests.citations.checked_rows import cite, unchecked_row
from tests.people import signed_in

WORK = {"type": "article-journal", "title": "Alder and soil", "author": [{"family": "Menon"}]}


@pytest.fixture
def rows(project: Project) -> dict[str, Citation]:
    """Three works: "cited" is cited, "free" is not, "sworn" is attested."""
    made = {
        key: unchecked_row(project, key, {**WORK, "title": f"Alder and {key}"}, check_due_at=None)
        for key in ("cited", "free", "sworn")
    }
    Citation.objects.filter(cite_key="sworn").update(status="attested", tier="C")
    cite(project, "Introduction", "cited")
    return made


def post(user: User, project: Project, **values: Any) -> Any:
    return signed_in(user).post(reverse("citations:bulk", args=[project.pk]), values)


def keys(project: Project) -> set[str]:
    return set(project.citations.values_list("cite_key", flat=True))


def ids(rows: dict[str, Citation]) -> list[str]:
    return [str(row.pk) for row in rows.values()]


def test_several_are_looked_up_and_what_cannot_be_is_named(
    owner: User, project: Project, rows: dict[str, Citation]
) -> None:
    page = post(owner, project, do="check", citation=ids(rows)).content.decode()
    assert "2 works are being looked up." in page
    assert "<code>sworn</code>: It is attested. Withdraw the attestation to look it up." in page
    assert Job.objects.filter(project=project, kind="check").count() == 1
    assert set(project.citations.filter(check_due_at__isnull=False).values_list("cite_key", flat=True)) == {
        "cited",
        "free",
    }


def test_all_attested_are_left_and_no_job_begins(owner: User, project: Project, rows: dict[str, Citation]) -> None:
    result = change_several(project, owner, "check", [rows["sworn"].pk])
    assert (result.done, result.job, [one.key for one in result.not_done]) == ([], None, ["sworn"])


def test_before_several_are_deleted_the_page_says_which_are_cited(
    owner: User, project: Project, rows: dict[str, Citation]
) -> None:
    page = post(owner, project, do="delete", citation=ids(rows)).content.decode()
    assert "Delete 3 works?" in page
    assert "1 of them is cited in your text" in page
    assert "Delete only the 2 uncited" in page
    assert keys(project) == {"cited", "free", "sworn"}, "nothing is deleted before the answer"


def test_those_not_cited_are_deleted_and_the_cited_one_is_named(
    owner: User, project: Project, rows: dict[str, Citation]
) -> None:
    page = post(owner, project, do="delete", confirmed="1", chosen=" ".join(ids(rows))).content.decode()
    assert "2 works were deleted." in page
    assert "<code>cited</code>: It is cited in" in page
    assert keys(project) == {"cited"}


def test_cited_ones_are_deleted_when_asked_for_and_the_text_stays(
    owner: User, project: Project, rows: dict[str, Citation]
) -> None:
    before = list(Section.objects.filter(project=project).values_list("latex", flat=True))
    post(owner, project, do="delete", confirmed="1", cited="1", chosen=" ".join(ids(rows)))
    assert keys(project) == set()
    assert list(Section.objects.filter(project=project).values_list("latex", flat=True)) == before


def test_all_that_the_list_shows(owner: User, project: Project, rows: dict[str, Citation]) -> None:
    response = post(owner, project, do="tag", names="Soil, To read", all="1", q="free")
    assert response["Location"].endswith("?q=free")
    assert set(project.tags.values_list("name", "taggings__citation__cite_key")) == {
        ("Soil", "free"),
        ("To read", "free"),
    }


def test_tags_are_added_and_removed(owner: User, project: Project, rows: dict[str, Citation]) -> None:
    post(owner, project, do="tag", names="Soil", citation=ids(rows))
    post(owner, project, do="tag", names="soil", citation=ids(rows))
    assert Tag.objects.get().taggings.count() == 3, "capitals do not make another tag"
    post(owner, project, do="untag", names="SOIL", citation=ids(rows)[:2])
    assert [one.citation.cite_key for one in Tag.objects.get().taggings.all()] == ["sworn"]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"do": "check"}, "Select at least one reference."),
        ({"do": "nothing"}, "Choose what to do with the selected works."),
        ({"do": "tag", "names": " , "}, "Write a tag."),
        ({"do": "untag", "names": "Nowhere"}, "There is no tag “Nowhere”."),
        ({"do": "check", "citation": "no-id"}, "Select at least one reference."),
    ],
)
def test_what_cannot_be_done_is_said(
    owner: User, project: Project, rows: dict[str, Citation], values: dict[str, str], says: str
) -> None:
    chosen = {} if values["do"] == "check" else {"citation": ids(rows)}
    response = signed_in(owner).post(reverse("citations:bulk", args=[project.pk]), {**chosen, **values}, follow=True)
    assert says in response.content.decode()
    assert keys(project) == {"cited", "free", "sworn"}


def test_the_selected_are_exported_with_their_tags_as_keywords(
    owner: User, reader: User, project: Project, rows: dict[str, Citation]
) -> None:
    change_several(project, owner, "tag", [rows["free"].pk], tags=["Soil"])
    address = reverse("citations:export_selected", args=[project.pk])
    given = {"citation": [str(rows["free"].pk)], "format": "bibtex"}
    file = signed_in(reader).post(address, given).content.decode()
    assert "free," in file
    assert "sworn" not in file
    assert "keywords" in file
    assert "Soil" in file
    assert "keyword" not in Citation.objects.get(cite_key="free").csl, "the stored entry stays"
    ris = signed_in(reader).post(address, given | {"format": "ris"}).content.decode()
    assert "KW  - Soil" in ris
    assert signed_in(reader).post(address, {}).status_code == 302


def test_the_api_does_the_same(owner: User, project: Project, rows: dict[str, Citation]) -> None:
    client, gone = signed_in(owner), str(uuid4())
    address = f"/api/projects/{project.pk}/citations/bulk"
    body = {"action": "delete", "citations": [*ids(rows), gone]}
    answer = client.post(address, body, content_type="application/json").json()
    assert answer["done"] == [str(rows["free"].pk), str(rows["sworn"].pk)]
    assert [(one["citation"], one["key"]) for one in answer["not_done"]] == [
        (str(rows["cited"].pk), "cited"),
        (gone, ""),
    ]
    tagged = {"action": "tag", "citations": [str(rows["cited"].pk)], "tags": ["Soil"]}
    assert client.post(address, tagged, content_type="application/json").status_code == 200
    assert client.get(f"/api/projects/{project.pk}/citations").json()[0]["tags"] == ["Soil"]
    export = client.post(
        f"/api/projects/{project.pk}/citations/export/selected",
        {"citations": [str(rows["cited"].pk)], "format": "csl"},
        content_type="application/json",
    )
    assert export.json()[0]["keyword"] == "Soil"


def test_works_of_another_thesis_are_left(owner: User, project: Project, rows: dict[str, Citation]) -> None:
    other = Project.objects.create_for(owner, title="Beech", discipline="Forestry", degree="MSc")
    result = change_several(other, owner, "delete", [row.pk for row in rows.values()], delete_cited=True)
    assert result.done == []
    assert len(result.not_done) == 3
    assert keys(project) == {"cited", "free", "sworn"}


def test_too_many_at_once(owner: User, project: Project) -> None:
    with pytest.raises(Refused, match="at most 5,000"):
        change_several(project, owner, "check", [uuid4() for _ in range(5_001)])


def test_as_many_queries_for_many_as_for_few(owner: User, project: Project) -> None:
    def queries(count: int) -> list[int]:
        Citation.objects.filter(project=project).delete()
        for number in range(count):
            unchecked_row(project, f"k{number}", {**WORK, "title": f"Work {number}"}, check_due_at=None)
        chosen = list(project.citations.values_list("pk", flat=True))
        counted = []
        for action in ("tag", "check", "delete"):
            fresh = Project.objects.get(pk=project.pk)
            with CaptureQueriesContext(
                connection,
            ) as captured:
                change_several(fresh, owner, action, chosen, tags=["Soil"])
            counted.append(len(captured))
            Job.objects.filter(project=project).delete()
            Tag.objects.all().delete()
        return counted

    assert queries(3) == queries(60)


def test_the_list_has_as_many_queries_for_many_tags(owner: User, project: Project, rows: dict[str, Citation]) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            signed_in(owner).get(reverse("citations:list", args=[project.pk]))
        return len(captured)

    before = queries()
    change_several(project, owner, "tag", [row.pk for row in rows.values()], tags=["Soil", "To read", "Alder"])
    assert queries() == before


def test_who_may(
    owner: User, reader: User, supervisor: User, outsider: User, project: Project, rows: dict[str, Citation]
) -> None:
    for person, status in ((reader, 403), (supervisor, 403), (outsider, 404)):
        assert post(person, project, do="delete", confirmed="1", citation=ids(rows)).status_code == status
        body = {"action": "delete", "citations": ids(rows)}
        api = f"/api/projects/{project.pk}/citations/bulk"
        assert signed_in(person).post(api, body, content_type="application/json").status_code == status
    assert keys(project) == {"cited", "free", "sworn"}
    for name in ("bulk", "export_selected"):
        assert signed_in(owner).get(reverse(f"citations:{name}", args=[project.pk])).status_code == 405
    selected = reverse("citations:export_selected", args=[project.pk])
    assert signed_in(outsider).post(selected, {"citation": ids(rows)}).status_code == 404
    page = signed_in(reader).get(reverse("citations:list", args=[project.pk])).content.decode()
    assert 'value="delete"' not in page, "a reader is offered the export only"
    assert 'value="bibtex"' in page
