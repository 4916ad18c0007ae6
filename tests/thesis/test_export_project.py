"""A thesis taken away as a LaTeX project: draft, final, source; by command and by API (SPEC T5, C2)."""

from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from citations.models import Citation
from projects.models import Project, User
from sections.models import Section
from tests.people import signed_in
from tests.thesis.make_thesis import unzipped
from tests.thesis.test_commands import refused, run
from thesis.manuscript_data import manuscript_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def cited(project: Project) -> Project:
    """A thesis that cites one proven work, one that is another than was said, and one that no row has."""
    write(project, "Introduction", "Known \\cite{good2020,bad2021}.\n\\begin{itemize}\\item a\\end{itemize}\n")
    for key, status, tier in (("good2020", "verified", "A"), ("bad2021", "conflict", "D")):
        csl = {
            "type": "article-journal",
            "title": f"About {key}",
            "issued": {"date-parts": [[2020]]},
            "DOI": "10.1/x_y",
        }
        Citation.objects.create(project=project, cite_key=key, status=status, tier=tier, csl=csl, title=f"About {key}")
    return project


def write(project: Project, title: str, latex: str) -> None:
    section = Section.objects.get(project=project, title=title)
    section.write(latex, based_on=section.version, by=project.owner)


def test_the_draft_is_never_refused_and_says_what_it_left_out(cited: Project, tmp_path: Path) -> None:
    out = tmp_path / "t.zip"
    write(cited, "Results", "\\cite{nobody} \\includegraphics{figures/none.png} \\begin{table}")
    printed, told = run("export_thesis", cited.pk, "--output", out)
    assert printed == f"{out}\n"
    files = unzipped(out.read_bytes())
    assert "bad2021" not in files["references.bib"].decode()
    assert "\\cite{good2020}% UNRESOLVED: bad2021" in files["chapters/02-introduction.tex"].decode()
    for words in (
        "bad2021 was left out: its work could not be found, or differs from what was cited (Introduction).",
        "nobody is cited but is not in the references (Results, line 1).",
        "figures/none.png: There is no such picture",
        "The environment table is not closed (Results, line 1).",
    ):
        assert words in told, told


def test_the_final_one_waits_and_lists_every_reason(cited: Project, tmp_path: Path) -> None:
    out = tmp_path / "t.zip"
    out.write_bytes(b"the one before")
    write(cited, "Results", "\\cite{nobody}\n\\includegraphics{figures/none.png}")
    code, said = refused("export_thesis", cited.pk, "--final", "--output", out)
    assert code == 1
    assert out.read_bytes() == b"the one before"
    assert "The final export is blocked. Fix these 3 problems first:" in said
    for words in ("bad2021", "nobody", "figures/none.png"):
        assert words in said, said
    write(cited, "Results", "Fine.")
    Citation.objects.filter(cite_key="bad2021").update(status="verified", tier="A")
    run("export_thesis", cited.pk, "--final", "--output", out)
    assert "bad2021" in unzipped(out.read_bytes())["references.bib"].decode()


def test_by_the_api(cited: Project, owner: User, outsider: User, reader: User) -> None:
    address = f"/api/projects/{cited.pk}/export"
    client = signed_in(owner)
    draft = client.get(address)
    assert (draft.status_code, draft["Content-Type"]) == (200, "application/zip")
    assert "attachment" in draft["Content-Disposition"]
    files = archive(draft)
    assert {"main.tex", "README.txt", "references.bib"} <= files.keys()
    source = archive(client.get(address, {"form": "source"}))
    assert b"bad2021" in source["chapters/02-introduction.tex"]
    final = client.get(address, {"form": "final"})
    assert (final.status_code, final.json()["error"]["code"]) == (409, "blocked")
    assert "bad2021" in final.json()["error"]["message"]
    assert client.get(address, {"form": "exe"}).status_code in (400, 422)
    assert client.post(address).status_code == 405
    assert signed_in(outsider).get(address).status_code == 404
    assert "main.tex" in archive(signed_in(reader).get(address, {"form": "draft"}))


def archive(response: Any) -> dict[str, bytes]:
    assert response.status_code == 200
    files = unzipped(b"".join(response.streaming_content))
    return files


def test_a_thesis_is_gathered_in_as_many_queries_whatever_its_length(cited: Project) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            manuscript_of(Project.objects.get(pk=cited.pk))
        return len(seen)

    few = queries()
    for number in range(30):
        Section.objects.add(cited, f"Section {number}")
        Citation.objects.create(project=cited, cite_key=f"k{number}", csl={"title": "T"})
    assert queries() == few


def test_the_final_one_waits_until_somebody_says_why_a_retracted_work_is_cited(
    cited: Project, owner: User, tmp_path: Path
) -> None:
    Citation.objects.filter(cite_key="bad2021").delete()
    write(cited, "Introduction", "Known \\cite{good2020}.")
    row = Citation.objects.get()
    Citation.objects.update(retracted=True)
    out, browser = tmp_path / "t.zip", signed_in(owner)
    code, said = refused("export_thesis", cited.pk, "--final", "--output", out)
    assert code == 1
    assert "good2020 is retracted. Cited in “Introduction”. Give a reason for citing it" in said
    assert browser.get(f"/api/projects/{cited.pk}/export", {"form": "final"}).status_code == 409
    listed = browser.get(reverse("thesis:preflight", args=[cited.pk])).content.decode()
    assert f'href="{reverse("citations:detail", args=[cited.pk, row.pk])}#retraction">Give a reason' in listed
    assert "Final export</a>" not in listed
    reason = {"reason": "It shows what a retraction costs."}
    put = f"/api/projects/{cited.pk}/citations/{row.pk}/retraction"
    assert browser.put(put, reason, content_type="application/json").status_code == 200
    run("export_thesis", cited.pk, "--final", "--output", out)
    assert "good2020" in unzipped(out.read_bytes())["references.bib"].decode()
    listed = browser.get(reverse("thesis:preflight", args=[cited.pk])).content.decode()
    assert "good2020 is retracted, and cited for a reason" in listed
    assert "It shows what a retraction costs." in listed
    assert "1 of 1 citation in the text is proven." in listed
    assert "Final export</a>" in listed


def test_an_own_file_goes_into_the_final_one(cited: Project, owner: User, tmp_path: Path) -> None:
    Citation.objects.update(status="file", tier="", file_name="ward.pdf", authors="")
    write(cited, "Introduction", "Known \\cite{good2020}.")
    run("export_thesis", cited.pk, "--final", "--output", tmp_path / "t.zip")
    files = unzipped((tmp_path / "t.zip").read_bytes())
    assert "good2020" in files["references.bib"].decode()
    listed = signed_in(owner).get(reverse("thesis:preflight", args=[cited.pk])).content.decode()
    assert "good2020 has no author" in listed
    assert "1 citation in the text, to your own file. Files are not looked up." in listed
    assert "Every citation is proven" not in listed


def test_a_thesis_that_cites_nothing_is_not_called_proven(project: Project, owner: User) -> None:
    listed = signed_in(owner).get(reverse("thesis:preflight", args=[project.pk])).content.decode()
    assert "Nothing cited yet." in listed
    assert "Every citation is proven" not in listed
