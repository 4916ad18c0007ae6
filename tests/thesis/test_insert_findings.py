"""Findings of a run go into a section with their sources as references (SPEC T7, flow 18)."""

from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from citations.editing.edit import attest
from citations.formats.export import as_bibtex
from citations.models import Citation
from contextfiles.models import ContextFile
from core.errors import Refused
from latex.cite_keys import cite_commands
from projects.models import Project, User
from research.models import Run, Source
from research.report.finding_list import finding_list
from sections.models import Section
from tests.people import editor, outsider, reader, signed_in, supervisor
from tests.research.finished_run import finished, forest, owner, project, run
from tests.research.forest_thesis import write
from thesis.drafting.limits import drafting_usage
from thesis.drafting.proposal import Placement, insert_as_proposal
from thesis.insert.findings import findings_insertion
from thesis.models import Draft
from thesis.run_references import expected_references, keys_for

__all__ = ["editor", "finished", "forest", "outsider", "owner", "project", "reader", "run", "supervisor"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def section(project: Project) -> Section:
    return project.sections.get(slug="introduction")


def found(run: Run, words: str) -> dict[str, str]:
    finding = run.findings.filter(content__contains=words, is_superseded=False).first()
    assert finding
    return {"run": str(run.pk), "finding_id": finding.finding_id}


def of_the_library(run: Run, **values: Any) -> Source:
    """A source of the run as a catalogue would have brought it."""
    given: dict[str, Any] = {
        "kind": Source.Kind.WORK,
        "provider": "crossref",
        "source_type": "article-journal",
        "text": "Words.",
    }
    given |= {"retrieved_at": run.created_at, "text_hash": "x", **values}
    return Source.objects.create(run=run, **given)


def test_findings_become_a_proposal_that_cites_their_sources(run: Run, owner: User, section: Section) -> None:
    before = section.latex
    chosen = [found(run, "20% faster"), found(run, "11.4 m")]
    draft = insert_as_proposal(section, owner, findings_insertion(section.project, chosen))
    assert draft.kind == Draft.Kind.FINDINGS
    assert draft.job is None
    assert draft.keys == draft.cite_keys == ["binkley2003", "alder"]
    first, second = draft.latex.strip().split("\n\n")
    assert first.startswith(
        r"``Growth of Douglas-fir beside red alder was 20\% faster on poor sites''~\cite{binkley2003}."
    )
    assert f"(run {run.pk}), finding " in first
    assert first.endswith(", https://doi.org/10.5555/alder.1")
    assert second.endswith(", uploaded file alder.md::S2")
    assert all(
        line.startswith(("``", "% From research “How does planting red alder"))
        for line in (first + "\n" + second).splitlines()
    )
    assert any("words of the sources" in note for note in draft.notes)
    assert draft.findings == chosen
    section.refresh_from_db()
    assert section.latex == before, "a proposal changes no text"
    assert drafting_usage(section, owner).hour_used == 0, "no engine was asked"


def test_an_uploaded_file_becomes_a_reference_that_opens_it(run: Run, owner: User, section: Section) -> None:
    insert_as_proposal(section, owner, findings_insertion(section.project, [found(run, "11.4 m")]))
    row = Citation.objects.get(cite_key="alder")
    assert (row.status, row.tier, row.check_due_at) == (Citation.Status.FILE, "", None), (
        "nobody was asked, nothing is claimed"
    )
    file = ContextFile.objects.get(name="alder.md")
    assert (row.file_name, row.file_id) == ("alder.md", file.pk)
    page = signed_in(owner).get(reverse("citations:detail", args=[section.project_id, row.pk])).content.decode()
    assert reverse("contextfiles:file", args=[section.project_id, file.pk]) in page
    assert f"fileid = {{{file.pk}}}" in as_bibtex(section.project.citations.all())
    attest(row, owner, "My own field notes.")
    insert_as_proposal(section, owner, findings_insertion(section.project, [found(run, "14 plots")]))
    row.refresh_from_db()
    assert row.tier == "C", "the same file again leaves the entry as a person left it"


def test_the_same_findings_again_add_nothing(run: Run, owner: User, section: Section) -> None:
    chosen = [found(run, "20% faster"), found(run, "11.4 m"), found(run, "driest site")]
    first = insert_as_proposal(section, owner, findings_insertion(section.project, chosen))
    rows = set(Citation.objects.values_list("pk", flat=True))
    assert insert_as_proposal(section, owner, findings_insertion(section.project, chosen)).latex == first.latex
    assert set(Citation.objects.values_list("pk", flat=True)) == rows
    assert Citation.objects.filter(project=section.project).count() == 4, "two were here, two files came"
    section.write(section.latex + first.latex, based_on=section.version, by=owner)
    again = insert_as_proposal(section, owner, findings_insertion(section.project, chosen[:1]))
    assert any(note.startswith("Already in this section: ") for note in again.notes)


def test_works_are_found_again_by_what_identifies_them(run: Run, owner: User, project: Project) -> None:
    proven = Citation.objects.get(cite_key="binkley2003")
    Citation.objects.filter(pk=proven.pk).update(status="verified", tier="A")
    same = of_the_library(
        run,
        source_id="w1",
        document="doi:10.5555/alder.1",
        title="Another spelling",
        csl={"DOI": "10.5555/ALDER.1", "title": "Red alder and Douglas fir in mixture", "type": "article-journal"},
    )
    by_pmid = of_the_library(
        run, source_id="w2", document="pmid:123456", title="Roots", csl={"PMID": "123456", "title": "Roots of alder"}
    )
    page = of_the_library(
        run,
        source_id="w3",
        document="web:1",
        kind="page",
        source_type="webpage",
        title="Alder",
        url="https://example.org/alder/",
        csl={"type": "webpage", "title": "Alder"},
    )
    bare = of_the_library(run, source_id="w4", document="web:2", title="No author, no year", csl={})
    passage = of_the_library(run, source_id="w5", document="web:1", kind="page", title="Alder", is_passage=True)
    sources = [same, by_pmid, page, bare, passage]
    would = expected_references(project, sources)
    assert project.citations.count() == 2, "looking changes nothing"
    assert [would[source.pk].is_new for source in sources] == [False, True, True, True, True]
    keys = keys_for(project, owner, sources)
    assert keys == {pk: one.citation.cite_key for pk, one in would.items()}, "what was shown is what came"
    assert keys[same.pk] == "binkley2003"
    assert keys[passage.pk] == keys[page.pk]
    rows = project.citations.count()
    assert rows == 5
    project.citations.filter(cite_key=keys[page.pk]).update(status="conflict", title="Alder of today")
    assert keys_for(project, owner, reversed(sources)) == keys
    assert project.citations.count() == rows
    proven.refresh_from_db()
    assert (proven.tier, proven.title) == ("A", "Red alder and Douglas-fir in mixture")
    new = project.citations.get(cite_key=keys[by_pmid.pk])
    assert new.status == "unresolved"
    assert new.check_due_at is not None, "what is new is looked up"


def test_an_entry_of_an_uploaded_list_is_its_work(run: Run, owner: User, project: Project, tmp_path: Path) -> None:
    file = write(
        tmp_path,
        project,
        owner,
        "mine.bib",
        (
            "@book{rossi1999, title={Mixed stands}, author={Rossi, Anna}, year=1999}\n@article{x1, title={New work}, "
            "author={Lee, Ann}, year=2001}"
        ),
    )
    old, new = (
        of_the_library(
            run, source_id=f"mine.bib::S{n}", document="mine.bib", kind="file", title="mine.bib", heading=key, file=file
        )
        for n, key in ((1, "rossi1999"), (2, "x1"))
    )
    assert keys_for(project, owner, [old, new]) == {old.pk: "rossi1999", new.pk: "x1"}
    assert project.citations.get(cite_key="x1").authors == "Lee"
    assert keys_for(project, owner, [new]) == {new.pk: "x1"}


def test_a_finding_that_is_a_table_comes_as_one(run: Run, owner: User, section: Section) -> None:
    asked = found(run, "11.4 m")
    run.findings.filter(content__contains="11.4 m").update(content="| plot | height |\n|---|---|\n| alder | 11.4 m |\n")
    latex = insert_as_proposal(section, owner, findings_insertion(section.project, [asked])).latex
    assert "alder & 11.4 m" in latex
    assert "Source: \\cite{alder}." in latex


def test_words_of_a_source_are_no_latex_and_no_comment(run: Run, owner: User, section: Section) -> None:
    run.question = "One\n\\input{x} % two"
    run.save()
    asked = found(run, "11.4 m")
    run.findings.filter(content__contains="11.4 m").update(content="A \\input{/etc/passwd} {5% & $1\nnext")
    draft = insert_as_proposal(section, owner, findings_insertion(section.project, [asked]))
    text, comment = draft.latex.strip().split("\n")
    assert r"\input" not in text
    assert r"5\% \& \$1 next" in text
    assert comment.startswith("% From research “One \\input{x} % two”")
    assert [command.keys for command in cite_commands(draft.latex)] == [("alder",)]


@pytest.mark.parametrize(
    ("chosen", "code"),
    [
        ([], "empty"),
        ([{"run": "nonsense", "finding_id": "F1-1"}], "unknown"),
        ([{"run": "", "finding_id": "F9-9"}], "unknown"),
        ([{"run": "", "finding_id": str(n)} for n in range(201)], "too_many"),
    ],
)
def test_what_cannot_be_put_in_is_said(
    run: Run, owner: User, section: Section, chosen: list[dict[str, str]], code: str
) -> None:
    rows = [{**one, "run": one["run"] or str(run.pk)} for one in chosen]
    with pytest.raises(Refused) as refused:
        insert_as_proposal(section, owner, findings_insertion(section.project, rows))
    assert refused.value.code == code
    assert not Draft.objects.exists()


def test_a_place_in_a_text_that_has_moved_on_is_refused(run: Run, owner: User, section: Section) -> None:
    version = section.version
    section.write("One. Two.", based_on=version, by=owner)
    with pytest.raises(Refused) as refused:
        insert_as_proposal(
            section,
            owner,
            findings_insertion(section.project, [found(run, "11.4 m")]),
            Placement(place="range", start=4, based_on=version),
        )
    assert (refused.value.code, refused.value.status) == ("stale", 409)


def test_the_page_shows_what_would_come_and_puts_it_in(run: Run, owner: User, section: Section) -> None:
    client = signed_in(owner)
    listed = client.get(reverse("research:findings", args=[run.pk])).content.decode()
    at = reverse("thesis:put_findings", args=[run.pk])
    assert f'action="{at}"' in listed
    asked = next(row.finding.finding_id for row in finding_list(run) if "20% faster" in row.finding.content)
    page = client.get(at, {"finding": asked, "section": section.slug}).content.decode()
    assert f'value="{asked}" checked' in page
    assert r"\cite{binkley2003}" in page
    assert "in your references as <code>binkley2003</code>" in page
    assert Draft.objects.count() == 0
    part = client.get(at, {"finding": asked, "section": section.slug}, headers={"HX-Request": "true"}).content.decode()
    assert part.strip().startswith("<section")
    answer = client.post(at, {"finding": asked, "section": section.slug})
    assert answer.status_code == 302
    assert answer["Location"] == f"{reverse('sections:section', args=[section.project_id, section.slug])}?beside=draft"
    assert Draft.objects.get().section == section
    nothing = client.post(at, {"section": section.slug})
    assert nothing.status_code == 422
    assert "Choose a finding first." in nothing.content.decode()


def test_the_api(run: Run, owner: User, section: Section) -> None:
    at = f"/api/sections/{section.pk}/findings"
    answer = signed_in(owner).post(at, {"findings": [found(run, "20% faster")]}, content_type="application/json")
    assert answer.status_code == 201, answer.content
    made = answer.json()
    assert (made["kind"], made["state"], made["place"]) == ("findings", "done", "end")
    assert [one["key"] for one in made["citations"]] == ["binkley2003"]
    assert len(made["blocks"]) == 1
    unknown = signed_in(owner).post(
        at, {"findings": [{"run": str(run.pk), "finding_id": "F9-9"}]}, content_type="application/json"
    )
    assert unknown.status_code == 422
    assert unknown.json()["error"]["code"] == "unknown"


def test_who_may(run: Run, section: Section, outsider: User, reader: User, supervisor: User, editor: User) -> None:
    page, at = reverse("thesis:put_findings", args=[run.pk]), f"/api/sections/{section.pk}/findings"
    for person, status in ((outsider, 404), (reader, 403), (supervisor, 403), (editor, 422)):
        client = signed_in(person)
        assert client.post(page, {}).status_code == status
        assert client.post(at, {"findings": []}, content_type="application/json").status_code == status
    assert signed_in(editor).put(page).status_code == 405
    assert signed_in(editor).get(at).status_code == 405
    assert 'id="put"' not in signed_in(reader).get(reverse("research:findings", args=[run.pk])).content.decode()


def test_a_file_cited_for_the_first_time_asks_how_it_is_printed(run: Run, owner: User, section: Section) -> None:
    """Author, title and year can be said there and then; nothing has to be."""
    client = signed_in(owner)
    at = reverse("thesis:put_findings", args=[run.pk])
    file = ContextFile.objects.get(name="alder.md")
    asked = {"finding": found(run, "11.4 m")["finding_id"], "section": section.slug}
    page = client.get(at, asked).content.decode()
    assert "This is your own file" in page
    assert f'name="title-{file.pk}" value="alder"' in page, "its name is where a title begins"
    assert Citation.objects.filter(status="file").count() == 0, "nothing is changed before it is put in"
    given = {f"authors-{file.pk}": "Okafor, Ngozi", f"title-{file.pk}": "Plots of alder", f"year-{file.pk}": "20x4"}
    wrong = client.post(at, asked | given)
    assert wrong.status_code == 422
    assert 'value="Okafor, Ngozi"' in wrong.content.decode(), "what was typed stays"
    assert Draft.objects.count() == Citation.objects.filter(status="file").count() == 0
    assert client.post(at, asked | given | {f"year-{file.pk}": "2024", "title-x": "no file"}).status_code == 302
    row = Citation.objects.get(status="file")
    assert (row.cite_key, row.title, row.authors, row.year) == ("alder", "Plots of alder", "Okafor", 2024)
    assert "This is your own file" not in client.get(at, asked).content.decode(), "it is asked once"
    insert_as_proposal(section, owner, findings_insertion(section.project, [found(run, "14 plots")]))
    assert Citation.objects.get(status="file").title == "Plots of alder", (
        "the same file again is found, and left as it is"
    )


def test_the_api_describes_a_file_with_the_finding(run: Run, owner: User, section: Section) -> None:
    file = ContextFile.objects.get(name="alder.md")
    described = {"file_id": str(file.pk), "authors": "Okafor, Ngozi", "title": "Plots of alder"}
    payload = {"findings": [found(run, "11.4 m")], "files": [described]}
    at = f"/api/sections/{section.pk}/findings"
    made = signed_in(owner).post(at, payload, content_type="application/json").json()
    assert [(one["status"], one["title"], one["bad"]) for one in made["citations"]] == [
        ("file", "Plots of alder", False)
    ]
