"""What a section cites, beside its text: what needs a look, what is proven, what is being checked (SPEC C8)."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from citations.models import Citation
from jobs.models import Job
from projects.models import Project, User
from sections.models import Section
from tests.people import signed_in

HTMX = {"HX-Request": "true"}


@pytest.fixture
def results(project: Project, owner: User) -> Section:
    section: Section = project.sections.get(slug="results")
    return section.write(
        "Soil \\cite{menon2021,lund2020} and \\citep[p.~3]{gone1999}. % \\cite{not}", based_on=0, by=owner
    )


def entry(project: Project, key: str, **fields: Any) -> Citation:
    made: Citation = Citation.objects.create(
        **{
            "project": project,
            "cite_key": key,
            "title": f"Work of {key}",
            "authors": "Menon and Lund",
            "year": 2021,
            **fields,
        }
    )
    return made


def panel(user: User, section: Section, **query: str) -> Any:
    return signed_in(user).get(f"/projects/{section.project_id}/sections/{section.slug}/cited/", query, headers=HTMX)


def text_of(response: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def test_the_page_asks_for_the_panel_and_offers_to_cite(owner: User, results: Section) -> None:
    page = signed_in(owner).get(f"/projects/{results.project_id}/sections/results/").content.decode()
    assert f'hx-get="/projects/{results.project_id}/sections/results/cited/" hx-trigger="load"' in page
    assert "data-cites" in page
    assert f'look="/api/projects/{results.project_id}/citations/look"' in page
    assert f'search="/api/citations/search?project={results.project_id}"' in page
    assert f'add="/api/projects/{results.project_id}/citations"' in page


def test_a_reader_sees_the_panel_and_no_dialog(reader: User, results: Section) -> None:
    page = signed_in(reader).get(f"/projects/{results.project_id}/sections/results/?view=source").content.decode()
    assert "cite-dialog" not in page
    assert 'id="cited"' in page
    assert panel(reader, results).status_code == 200


def test_what_is_cited_stands_there_and_what_is_not_does_not(owner: User, project: Project, results: Section) -> None:
    entry(project, "menon2021", status="verified", tier="A", evidence_type="doi")
    entry(project, "lund2020", authors="Lund", year=2020, status="verified", tier="B", evidence_type="isbn")
    entry(project, "not", title="In a comment alone")
    response = panel(owner, results)
    said = text_of(response)
    assert "<html" not in response.content.decode()
    assert "2 works" in said
    assert "Menon 2021" in said
    assert "Lund 2020" in said
    assert "In a comment alone" not in said
    assert "gone1999 is cited here but is not in your references" in said
    assert "1 of them needs your attention. Your text is not changed; the PDF leaves it out" in said


def test_an_empty_section_says_so(owner: User, project: Project) -> None:
    assert "Nothing cited yet. The Cite button (Ctrl+Shift+C)" in text_of(
        panel(owner, project.sections.get(slug="discussion"))
    )


@pytest.mark.parametrize(
    ("fields", "says", "offers"),
    [
        ({"status": "conflict", "tier": "D", "reason": "The DOI leads to another work."}, "Conflict", "Compare"),
        ({"status": "not_found", "tier": "D", "reason": "Not found."}, "Not found", "Look up again"),
        ({"status": "review", "reason": "Probably."}, "To confirm", "Compare"),
        ({"status": "verified", "tier": "A", "retracted": True}, "Retracted", "Give a reason"),
    ],
)
def test_trouble_comes_first_with_what_to_do(
    owner: User, project: Project, results: Section, fields: dict[str, Any], says: str, offers: str
) -> None:
    entry(project, "menon2021", status="verified", tier="A", title="Proven")
    entry(project, "lund2020", authors="Lund", **fields)
    said = text_of(panel(owner, results))
    assert says in said
    assert offers in said
    assert said.index("lund2020") < said.index("Menon 2021")


def test_a_reader_is_offered_nothing_he_may_not_do(reader: User, project: Project, results: Section) -> None:
    entry(project, "lund2020", status="not_found", tier="D")
    said = text_of(panel(reader, results))
    assert "Look up again" not in said
    assert "Attest" not in said


def test_what_is_inserted_and_not_saved_stands_there_too(owner: User, project: Project, results: Section) -> None:
    entry(project, "new2024", title="New", authors="Vidal", year=2024)
    assert "Vidal 2024" in text_of(panel(owner, results, also="new2024, ,menon2021"))
    assert "Vidal 2024" not in text_of(panel(owner, results))


def test_it_asks_often_while_something_is_checked_seldom_while_it_waits_and_else_not(
    owner: User, project: Project, results: Section
) -> None:
    row = entry(project, "menon2021")
    assert "every" not in panel(owner, results).content.decode()
    for due, every in ((timezone.now(), "every 2s"), (timezone.now() + timedelta(minutes=5), "every 30s")):
        row.check_due_at = due
        row.save()
        assert every in panel(owner, results).content.decode()


def test_nothing_is_sent_until_something_has_changed(owner: User, project: Project, results: Section) -> None:
    row = entry(project, "menon2021", check_due_at=timezone.now())
    seen = re.search(r"seen=(\w+)", panel(owner, results).content.decode())
    assert seen is not None
    assert panel(owner, results, seen=seen[1]).status_code == 204
    row.status, row.tier, row.evidence_type, row.check_due_at = "verified", "A", "doi", None
    row.save()
    response = panel(owner, results, seen=seen[1])
    assert response.status_code == 200
    assert "DOI and title" in text_of(response)


def test_looking_again_has_the_work_checked(owner: User, project: Project, results: Section) -> None:
    row = entry(project, "lund2020", status="not_found", tier="D")
    address = f"/projects/{project.pk}/sections/results/cited/"
    response = signed_in(owner).post(address, {"citation": str(row.pk)}, headers=HTMX)
    assert response.status_code == 200
    row.refresh_from_db()
    assert row.status == "unresolved"
    assert row.check_due_at is not None
    assert Job.objects.filter(project=project, kind="check").count() == 1
    assert signed_in(owner).post(address, {"citation": "nonsense"}, headers=HTMX).status_code == 200


def test_the_questions_to_the_database_do_not_grow_with_the_works(owner: User, project: Project) -> None:
    section = project.sections.get(slug="results")
    counts = []
    for number in (3, 60):
        for n in range(number):
            Citation.objects.get_or_create(
                project=project, cite_key=f"k{n}", defaults={"status": "conflict", "title": "T"}
            )
        section = section.write(" ".join(f"\\cite{{k{n}}}" for n in range(number)), based_on=section.version, by=owner)
        with CaptureQueriesContext(connection) as queries:
            assert panel(owner, section).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_titles_are_texts(owner: User, project: Project, results: Section) -> None:
    entry(project, "menon2021", title="<script>alert(1)</script>", status="conflict", reason="<b>x</b>")
    page = panel(owner, results).content.decode()
    assert "<script>" not in page
    assert "<b>x" not in page


def test_strangers_readers_and_other_methods(owner: User, outsider: User, reader: User, results: Section) -> None:
    address = f"/projects/{results.project_id}/sections/results/cited/"
    assert panel(outsider, results).status_code == 404
    assert signed_in(outsider).post(address).status_code == 404
    assert signed_in(reader).post(address).status_code == 403
    assert signed_in(owner).delete(address).status_code == 405
    assert signed_in(owner).get(address.replace("results", "nothing")).status_code == 404
