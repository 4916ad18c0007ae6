"""Reading what a run left: report, evidence, sources, findings, log, downloads (R10 to R14)."""

import json
import re

import pytest
from bibtexparser.entrypoint import parse_string
from django.urls import reverse

from projects.models import Project, User
from research.models import Run
from tests.cast import signed_in
from tests.research.forest import researched

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(forest: Project, owner: User) -> Run:
    return researched(forest, owner)


def test_every_marker_opens_the_words_it_rests_on(run: Run, owner: User) -> None:
    client = signed_in(owner)
    page = client.get(reverse("research:report", args=[run.pk])).content.decode()
    links = re.findall(r'<a class="marker"[^>]*href="([^"]+)"', page)
    assert len(links) == run.claims.count() > 3
    for link, claim in zip(links, run.claims.select_related("source"), strict=True):
        fragment = client.get(link, headers={"HX-Request": "true"}).content.decode()
        assert "<html" not in fragment
        marked = re.search(r"<mark>(.*?)</mark>", fragment, re.DOTALL)
        assert marked is not None
        assert marked[1] == claim.source.text[claim.start : claim.end].replace("&", "&amp;").replace(
            "<", "&lt;"
        ).replace("'", "&#x27;")
        whole = client.get(link).content.decode()
        assert "<html" in whole
        assert marked[0] in whole
        there = re.search(r'href="([^"]+)#passage"', fragment)
        assert there is not None
        place = client.get(there[1].replace("&amp;", "&")).content.decode()
        assert '<mark id="passage"' in place, there[1]


def test_each_number_has_its_reference_to_go_to(run: Run, owner: User) -> None:
    page = signed_in(owner).get(reverse("research:report", args=[run.pk])).content.decode()
    for source in run.sources.filter(number__isnull=False):
        assert f'id="ref-{source.number}"' in page


def test_a_run_without_a_report_shows_its_stream_instead(project: Project, owner: User) -> None:
    run = researched(project, owner)
    answer = signed_in(owner).get(reverse("research:report", args=[run.pk]))
    assert answer["Location"] == reverse("research:run", args=[run.pk])
    page = signed_in(owner).get(reverse("research:run", args=[run.pk])).content.decode()
    assert "There is nothing to search" in page


def test_sources_findings_and_log_are_listed(run: Run, owner: User) -> None:
    client = signed_in(owner)
    assert b"alder.md::S1" in client.get(reverse("research:sources", args=[run.pk])).content
    assert b"0.34%" in client.get(reverse("research:findings", args=[run.pk])).content
    log = client.get(reverse("research:provenance", args=[run.pk])).content.decode()
    assert "The log holds." in log
    assert "brief_generated" in log


def test_downloads_are_what_they_say(run: Run, owner: User) -> None:
    client = signed_in(owner)

    def download(name: str) -> str:
        answer = client.get(reverse("research:export", args=[run.pk, name]))
        assert answer.status_code == 200
        assert answer["Content-Disposition"].startswith("attachment")
        return str(answer.content.decode())

    assert download("md") == run.report
    library = parse_string(download("bibtex"))
    assert not library.failed_blocks
    assert [entry.key for entry in library.entries] == ["binkley2003"]
    assert json.loads(download("provenance"))["header"]["session_id"] == str(run.pk)
    whole = json.loads(download("json"))
    assert set(whole) >= {
        "run_id", "question", "profile", "query_type", "report", "sources", "findings", "gaps", "contradictions",
        "usage", "bibtex", "provenance_url", "context_processing",
    }  # fmt: skip
    assert json.loads(download("structured"))["findings"]
    assert client.get(reverse("research:export", args=[run.pk, "exe"])).status_code == 404


def test_the_api_gives_report_structured_and_provenance(run: Run, owner: User) -> None:
    client = signed_in(owner)
    whole = client.get(f"/api/runs/{run.pk}/report").json()
    assert whole["structured"]["sources"]
    assert whole["provenance"]["entries"]
    assert "provenance" not in client.get(f"/api/runs/{run.pk}/report?include_provenance=0").json()
    snapshot = client.get(f"/api/runs/{run.pk}").json()
    assert snapshot["state"] == "done"
    assert [node["number"] for node in snapshot["nodes"]][0] == "1"
    assert snapshot["context_processing"]["files_ready"] == 2
    assert client.get(f"/api/runs/{run.pk}/structured").json()["query_type"] == "explanation"
    assert client.get(f"/api/runs/{run.pk}/provenance").json()["header"]
    assert client.get(f"/api/runs/{run.pk}/export?format=bibtex").content.decode().startswith("@article{binkley2003")
    assert client.get(f"/api/runs/{run.pk}/export?format=exe").status_code == 400


def test_a_run_without_report_says_so_over_the_api(project: Project, owner: User) -> None:
    run = researched(project, owner)
    answer = signed_in(owner).get(f"/api/runs/{run.pk}/report")
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "no_report"


def test_the_evidence_outlives_its_file(run: Run, owner: User) -> None:
    claim = run.claims.filter(source__kind="file").select_related("source__file").first()
    assert claim is not None
    assert claim.source.file is not None
    claim.source.file.delete()
    page = signed_in(owner).get(reverse("research:evidence", args=[run.pk, claim.claim_id])).content.decode()
    assert "its words are kept here" in page
    assert "<mark>" in page


def test_unknown_claim_is_404(run: Run, owner: User) -> None:
    assert signed_in(owner).get(reverse("research:evidence", args=[run.pk, "C999"])).status_code == 404
