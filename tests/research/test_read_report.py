"""Reading what a run left: report, evidence, sources, findings, log, downloads (R10 to R14)."""

import html
import json
import re

import pytest
from bibtexparser.entrypoint import parse_string
from django.urls import reverse

from projects.models import Project, User
from research.models import Run
from research.query_type import QUERY_TYPES
from tests.people import signed_in
from tests.research.finished_run import finished, owner, run
from tests.research.forest_thesis import researched

__all__ = ["finished", "owner", "run"]

pytestmark = pytest.mark.django_db


def test_every_marker_opens_the_words_it_rests_on(run: Run, owner: User) -> None:
    client = signed_in(owner)
    page = client.get(reverse("research:report", args=[run.pk])).content.decode()
    links = re.findall(r'<a class="marker"[^>]*href="([^"]+)"', page)
    claims = sorted(run.claims.select_related("source"), key=lambda claim: claim.position)
    assert len(links) == len(claims) > 3
    for link, claim in zip(links, claims, strict=True):
        fragment = client.get(link, headers={"HX-Request": "true"}).content.decode()
        assert "<html" not in fragment
        marked = re.search(r"<mark>(.*?)</mark>", fragment, re.DOTALL)
        assert marked is not None
        assert marked[1] == claim.cited.text[claim.start : claim.end].replace("&", "&amp;").replace(
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
    assert "The log is valid." in log
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
    assert claim.cited.file is not None
    claim.cited.file.delete()
    page = signed_in(owner).get(reverse("research:evidence", args=[run.pk, claim.claim_id])).content.decode()
    assert "Its text is kept here" in page
    assert "<mark>" in page


def test_unknown_claim_is_404(run: Run, owner: User) -> None:
    assert signed_in(owner).get(reverse("research:evidence", args=[run.pk, "C999"])).status_code == 404


@pytest.mark.parametrize("query_type", QUERY_TYPES)
def test_the_kind_of_report_is_said_in_words(run: Run, owner: User, query_type: str) -> None:
    Run.objects.filter(pk=run.pk).update(query_type=query_type)
    page = signed_in(owner).get(reverse("research:report", args=[run.pk])).content.decode()
    kind = re.search(r'<p class="rubric">([A-Z][a-z ]+), <time', page)
    assert kind is not None
    assert "_" not in kind[1]


def test_the_findings_of_one_question_and_its_parts(run: Run, owner: User) -> None:
    client = signed_in(owner)
    address = reverse("research:findings", args=[run.pk])

    def spans(number: str) -> set[tuple[int, int, int]]:
        page = client.get(address, {"node": number}).content.decode()
        assert f"On question {number}" in page
        assert f'href="{address}">All findings' in page
        shown = run.findings.filter(finding_id__in=re.findall(r'<tr id="(F[^"]+)"', page))
        rows = list(shown.values_list("source_id", "start", "end"))
        assert len(rows) == len(set(rows)), "each span once"
        return set(rows)

    for node in run.nodes.all():
        below = [
            row for row in run.findings.select_related("node") if f"{row.node.number}.".startswith(f"{node.number}.")
        ]
        assert spans(node.number) == {(row.source_id, row.start, row.end) for row in below}
    assert any(spans(node.number) for node in run.nodes.exclude(number="1"))
    assert client.get(address, {"node": "1.99"}).status_code == 404
    assert client.get(address, {"node": ""}).status_code == 404


def test_the_log_shows_details_as_they_are_stored(run: Run, owner: User) -> None:
    entry = run.provenance.exclude(details={}).first()
    assert entry is not None
    run.provenance.filter(pk=entry.pk).update(details={"why": "Erlenwälder", "kept": True, "cut": None})
    log = signed_in(owner).get(reverse("research:provenance", args=[run.pk])).content.decode()
    shown = html.unescape(log)
    assert '{\n  "why": "Erlenwälder",\n  "kept": true,\n  "cut": null\n}' in shown
    assert f'{entry.summary} <span class="small faint">{entry.event_type}</span>' in shown


@pytest.mark.parametrize("name", ["run", "report", "findings", "sources", "provenance"])
def test_the_first_heading_is_that_of_the_page(run: Run, owner: User, name: str) -> None:
    """P8"""
    page = signed_in(owner).get(reverse(f"research:{name}", args=[run.pk])).content.decode()
    assert re.findall(r"<(h\d)", page)[0] == "h1"
    assert page.count("<h1") == 1
