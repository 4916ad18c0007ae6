"""A review of one's own files: no title, no header row and no entry of a list is quoted,
and every statement is whole."""

import re
from io import StringIO
from pathlib import Path

import openpyxl
import pytest
from django.core.management import CommandError, call_command

from claims.quotes import Span
from projects.models import Project, User
from research.models import Run, Source
from research.supervision.record_findings import stated
from tests.contextfiles.make_files import pdf
from text.sentences import sentences

QUESTION = "Does dexamethasone lower 28-day mortality in critically ill adults with COVID-19?"
MADE_UP = "Weight-banded dexamethasone and 28-day mortality in ventilated COVID-19 patients: results of DEXAWEIGHT-7"
BIB = f"""@article{{moss2022dexa,
  title = {{{MADE_UP}}}, author = {{Moss, D. R.}}, year = {{2022}}, doi = {{10.99999/avm.2022.77}},
  abstract = {{Dexamethasone cut mortality by 87% in COVID-19.}}
}}
"""
ROWS = [
    ["trial", "drug", "n_steroid", "deaths_steroid", "n_control", "deaths_control", "remark"],
    ["RECOVERY", "dexamethasone", 324, 95, 683, 283, ""],
    ["CoDEX", "dexamethasone", 128, 69, 128, 76, ""],
]
PAGES = [
    [
        "Dexamethasone in critically ill adults with COVID-19", "",
        (
            "In ventilated adults, dexamethasone lowered 28-day mortality. The "
            "odds ratio was 0.66 \\\\(95% confidence interval"
        ),
        "0.53 to 0.82; p = .001\\\\), i.e. mortality fell by a third. Dr. Hagen et al. saw the same with dexamethasone",
        "",
        "1",
    ],
    [
        "in 2020 \\\\(cf. Fig. 2\\\\). Mortality of adults who are not ventilated is unclear.", "",
        "References", "",
        "[1] Angus DC, Derde L, et al. Effect of Hydrocortisone on Mortality in Patients With Severe COVID-19.",
        "JAMA. 2020;324:1317-1329.", "",
        f"[2] Moss DR. {MADE_UP}. Ann Vent Med. 2022;3:77-91.", "",
        "2",
    ],
]  # fmt: skip


@pytest.fixture
def review(db: None, tmp_path: Path) -> Run:
    book = openpyxl.Workbook()
    for row in ROWS:
        book.active.append(row)
    book.save(tmp_path / "trials.xlsx")
    (tmp_path / "works.bib").write_text(BIB)
    (tmp_path / "paper.pdf").write_bytes(pdf(*[[line.replace("\\\\", "\\") for line in page] for page in PAGES]))
    files = [word for name in ("works.bib", "trials.xlsx", "paper.pdf") for word in ("--file", str(tmp_path / name))]
    words = ["research", QUESTION, "--profile", "local-only", "--set", "synthesis_template=literature_review", *files]
    call_command(*words, stdout=StringIO(), stderr=StringIO())
    return Run.objects.get()


def test_every_statement_of_a_review_is_whole(review: Run) -> None:
    body = review.report.partition("## Executive Summary")[2].rpartition("## References")[0]
    statements = re.findall(r"(?:^|\] |\n)([^\[\n#]+?) \[\d+\]", body)
    said = {" ".join(one.split()) for one in statements}
    assert any(one.startswith("The odds ratio") for one in said)
    assert any(one.startswith("Dr. Hagen") for one in said)
    assert any(one.startswith("trial: RECOVERY") for one in said)
    assert said <= {
        "In ventilated adults, dexamethasone lowered 28-day mortality.",
        "The odds ratio was 0.66 (95% confidence interval 0.53 to 0.82; p = .001), i.e. mortality fell by a third.",
        "Dr. Hagen et al. saw the same with dexamethasone in 2020 (cf. Fig. 2).",
        "Mortality of adults who are not ventilated is unclear.",
        "trial: RECOVERY; drug: dexamethasone; n_steroid: 324; deaths_steroid: 95; n_control: 683; deaths_control: 283",
        "trial: CoDEX; drug: dexamethasone; n_steroid: 128; deaths_steroid: 69; n_control: 128; deaths_control: 76",
    }
    for one in ("DEXAWEIGHT", "87%", "Effect of Hydrocortisone", "n_steroid |"):
        assert one not in review.report
    assert not review.claims.filter(source__is_lead=True).exists()
    assert "works.bib" not in review.report.rpartition("## References")[2]


def test_leads_are_listed_and_count_for_nothing(review: Run) -> None:
    leads = review.sources.filter(is_lead=True)
    assert any(one.document == "works.bib" for one in leads)
    assert not leads.filter(findings__isnull=False).exists()
    assert review.context is not None
    assert not any("works.bib" in source for item in review.context.aggregate_digest for source in item["sources"])


def test_nothing_but_references_is_nothing_to_search(db: None, tmp_path: Path) -> None:
    (tmp_path / "works.bib").write_text(BIB)
    with pytest.raises(CommandError, match="has text besides references"):
        call_command("research", QUESTION, "--profile", "local-only", "--file", str(tmp_path / "works.bib"))


def test_a_source_that_was_kept_before_leads_were_told_apart(project: Project, owner: User) -> None:
    """Its title, its file's name and its form say what it is."""
    work = Source(
        kind=Source.Kind.WORK,
        title="Alder doubles nitrogen.",
        text="Alder doubles nitrogen.\n\nIt rose in\nall plots. The beech grew as well.",
    )
    assert stated(work, Span(0, 23)) is None
    at = work.text.index("rose")
    assert stated(work, Span(at, at + 4)) == Span(25, 46), "the whole sentence"
    assert stated(work, Span(at, len(work.text))) == Span(25, len(work.text))
    entry = Source(kind=Source.Kind.FILE, title="a.bib", document="a.bib", text="Alder doubles nitrogen.")
    assert stated(entry, Span(0, 5)) is None
    row = Source(kind=Source.Kind.FILE, title="a.csv", document="a.csv", text="plot | n\nP1 | 3")
    assert stated(row, Span(0, 8)) is None
    listed = Source(
        kind=Source.Kind.FILE, title="a.md", document="a.md", text="Moss DR. It fell by 87%. Ann Trees. 2022;3:77-91."
    )
    assert all(stated(listed, Span(one.start, one.end)) is None for one in sentences(listed.text) if "Ann" in one.text)
