"""From a report to the files it rests on:
summaries beside it, references and evidence that open at the passage (X6)."""

import re
from html import unescape
from io import BytesIO

import openpyxl
import pytest
from django.urls import reverse

from contextfiles.models import ContextFile
from projects.models import Project, User
from research.models import Run
from tests.contextfiles.make_files import pdf, stored
from tests.people import signed_in
from tests.research.files_of_run import bundled, chosen, page_of
from tests.research.finished_run import finished, forest, owner, run
from tests.research.forest_thesis import ALDER, researched

__all__ = ["chosen", "finished", "forest", "owner", "run"]

pytestmark = pytest.mark.django_db


def test_the_report_page_carries_a_summary_of_each_file(run: Run, owner: User) -> None:
    """X6; beside the report, whose own words are those that were checked."""
    bundled(run, {run.files[1]["id"]: "It is <empty>."})
    page = page_of(run, owner, "report")
    part = page[page.index('id="your-files"') :]
    part = part[: part.index('id="follow-ups"')]
    assert [f"alder.md says {n}." in part for n in (1, 2, 3, 4)] == [True, True, True, False]
    alder = ContextFile.objects.get(name="alder.md")
    at = reverse("contextfiles:file", args=[run.project_id, alder.pk])
    assert f'<a href="{at}?passage=S2#passage">alder.md::S2</a>' in part
    assert "Could not be read. It is &lt;empty&gt;." in part
    assert "says 1" not in run.report


def test_references_to_files_open_at_the_passage(run: Run, owner: User) -> None:
    """From the list at the end of a report to the marked words; the words are those that are stored."""
    page = page_of(run, owner, "report")
    cited = list(run.sources.filter(kind="file").exclude(number=None))
    assert cited
    for source in cited:
        entry = re.search(rf'id="ref-{source.number}">.*?</p>', page)
        assert entry
        link = re.search(r'<a href="([^"]+)">Open the passage</a>', entry[0])
        assert link
        opened = signed_in(owner).get(link[1].replace("&amp;", "&")).content.decode()
        marked = "".join(re.findall(r"<mark[^>]*>([^<]+)</mark>", opened))
        assert marked.replace("&#x27;", "'") == source.text.replace("\n", "")
    listed = page_of(run, owner, "sources")
    assert (
        f'?passage={cited[0].source_id.rpartition("::")[2]}#passage" rel="noopener noreferrer">Open the passage</a>'
        in listed
    )
    ContextFile.objects.get(name=cited[0].document).delete()
    entry = re.search(rf'id="ref-{cited[0].number}">.*?</p>', page_of(run, owner, "report"))
    assert entry
    assert "Open the passage" not in entry[0]


def test_the_note_of_the_report_says_which_files_were_read(run: Run) -> None:
    note = run.report.partition("\n## ")[0]
    assert "Read of your files: alder.md; nitrate.md." in note


def workbook() -> bytes:
    """An Excel workbook whose second sheet speaks of red alder."""
    book = openpyxl.Workbook()
    assert book.active
    book.active.append(["Plot", "Height"])
    book.active.append([1, 9.8])
    book.create_sheet("Soil").append(["Species", "What was seen"])
    book["Soil"].append(["Red alder", "Soil nitrogen under red alder rose from 0.21% to 0.34% within 12 years."])
    made = BytesIO()
    book.save(made)
    return made.getvalue()


def test_a_finding_on_a_file_cites_it_and_opens_there(project: Project, owner: User) -> None:
    """From a sentence of the report over its evidence to the marked words in the file, with their page or sheet."""
    papers = {
        "[1] a_b *c*.md": ALDER.encode(),
        "trial.pdf": pdf(["Methods are told here."],
            ["Red alder raised soil nitrogen by 40 kg per hectare.", "Douglas-fir grew faster."]),
        "soil.xlsx": workbook(),
    }  # fmt: skip
    for name, data in papers.items():
        stored(project, name, data)
    run = researched(project, owner)
    assert run.has_report, run.job.reason
    page = page_of(run, owner, "report")
    assert "Read of your files: [1] a_b *c*.md; trial.pdf; soil.xlsx." in page
    claims = list(run.claims.select_related("source").exclude(outcome="removed"))
    assert page.count('class="marker"') == len(claims)
    stands = {"[1] a_b *c*.md": "", "trial.pdf": "page 2", "soil.xlsx": "sheet 2"}
    assert {claim.cited.document for claim in claims} == set(stands)
    for claim in claims:
        place = stands[claim.cited.document]
        evidence = page_of(run, owner, "evidence", claim.claim_id)
        assert place in evidence
        link = re.search(r'href="([^"]+)">[^<]*<svg[^>]*>.*?</svg>Show in context', evidence)
        assert link
        opened = signed_in(owner).get(link[1].replace("&amp;", "&")).content.decode()
        marked = "".join(unescape(words) for words in re.findall(r"<mark[^>]*>([^<]+)</mark>", opened))
        quoted = claim.cited.text[claim.start : claim.end]
        assert "".join(marked.split()) == "".join(quoted.split())  # a page breaks lines as it likes
        assert f"{claim.cited.source_id.rpartition('::')[2]}, {place}</a>" in opened or not place
        assert (
            f"Uploaded file, passage {claim.cited.source_id.rpartition('::')[2]}{place and ', ' + place}" in run.report
        )
