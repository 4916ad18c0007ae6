"""A model that rests findings on what states nothing is refused by code (SPEC R11)."""

from pathlib import Path
from typing import Any

import pytest

from contextfiles.models import Digest
from contextfiles.upload import store_path
from projects.models import Project, User
from research.journal.provenance import log_of
from research.models import Run, Source
from research.replay import replay
from tests.contextfiles.make_files import pdf
from tests.research.forest_thesis import researched
from tests.research_model.script import material, reply, role_of
from tests.servers.messages import Request, Service, model_answer
from text.sentences import sentences

MADE_UP = "Red alder doubles soil nitrogen: results of ALNUS-7"
BIB = (
    f"@article{{alnus7, title={{{MADE_UP}.}}, author={{Moss, D.}}, year={{2022}}, doi={{10.99999/a.7}}, abstract={{Red "
    "alder raised soil nitrogen by 87%.}}"
)
ENTRY = f"[1] Moss DR, Ferreira L. {MADE_UP}. Ann Trees. 2022;3:77-91. doi:10.99999/a.7"
SENTENCE = "Red alder raised soil nitrogen from 0.21% to 0.34% (95% CI 0.30 to 0.38)."
FILES = {
    "works.bib": BIB.encode(),
    "paper.pdf": pdf([SENTENCE, "", "References", "", ENTRY[:60], ENTRY[60:]]),
    "notes.md": (
        "# Red alder and soil nitrogen in 12 plots.\n\nRed alder fixes\nsoil nitrogen, "
        f"and\nnobody knows why.\n\n## References\n\n{ENTRY}\n"
    ).encode(),
    "plots.csv": b"plot,species,soil nitrogen\nP1,red alder,0.34\n",
}


def run_of(project: Project, owner: User) -> Run:
    files = [file.pk for file in project.context_files.all()]
    return researched(project, owner, profile="general", file_ids=files)


@pytest.fixture
def grove(project: Project, owner: User, tmp_path: Path) -> Project:
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
        store_path(project, owner, tmp_path / name)
    return project


@pytest.mark.long
def test_a_finding_on_a_lead_is_refused(grove: Project, owner: User, service: Service) -> None:
    """Whatever the model was shown: it points at every source of the run, with the words of a title,
    a head and a list."""
    wanted = {
        "works.bib": (f"{MADE_UP}.", "Red alder raised soil nitrogen by 87%."),
        "paper.pdf": (f"{MADE_UP}.", "References", "from 0.21% to 0.34%"),
        "notes.md": ("Red alder and soil nitrogen in 12 plots.", f"{MADE_UP}.", "soil nitrogen, and"),
        "plots.csv": ("plot | species | soil nitrogen", "soil nitrogen: 0.34"),
    }

    def answer(request: Request) -> Any:
        if role_of(request) == "digest":
            note = {"kind": "fact", "text": "It doubled.", "why_relevant": ""}
            return model_answer(answer={"items": [{**note, "sources": [f"S{number}"]} for number in range(1, 9)]})
        if role_of(request) != "condense":
            return reply(request)
        shown = [passage["source_id"] for passage in material(request, "passages")]
        assert not any(one.startswith("works.bib") for one in shown), "it is not even given"
        found = [
            {"content": "Alder helps.", "quote": quote, "source_id": f"{name}::S{at}", "confidence": 0.9,
             "category": "outcome"}
            for name, quotes in wanted.items()
            for quote in quotes
            for at in range(1, 9)
        ]  # fmt: skip
        return model_answer(answer={"findings": found, "contradictions": [], "gaps": [], "summary": ""})

    service.otherwise = answer
    run = run_of(grove, owner)
    rested = {finding.quote for finding in run.findings.select_related("source")}
    assert {" ".join(quote.split()) for quote in rested} == {
        SENTENCE,
        "Red alder fixes soil nitrogen, and nobody knows why.",
        "plot: P1; species: red alder; soil nitrogen: 0.34",
    }
    leads = run.sources.filter(kind=Source.Kind.FILE, is_lead=True)
    assert leads, "they are listed all the same"
    assert not leads.exclude(number=None).exists(), "and none has a number in the report"
    assert "states nothing" in run.job.events.filter(kind="findings_condensed")[0].text
    assert MADE_UP not in run.report
    assert replay(log_of(run)).same


def test_a_note_on_a_lead_is_one(grove: Project, owner: User, service: Service) -> None:
    def answer(request: Request) -> Any:
        if role_of(request) != "digest":
            return reply(request)
        note = {"kind": "fact", "text": "It doubled.", "why_relevant": ""}
        return model_answer(answer={"items": [{**note, "sources": ["S1"]}]})

    service.otherwise = answer
    run = run_of(grove, owner)
    assert run.context is not None
    kinds = {item["sources"][0]: item["kind"] for item in run.context.aggregate_digest}
    assert kinds["works.bib::S1"] == "lead"
    assert kinds["plots.csv::S1"] == "lead", "the names of columns"
    assert kinds["paper.pdf::S1"] == "fact"
    assert Digest.objects.count() == len(FILES)


def test_every_finding_is_whole(grove: Project, owner: User, service: Service) -> None:
    run = run_of(grove, owner)
    for finding in run.findings.select_related("source"):
        whole = [one for one in sentences(finding.source.text) if one.is_whole]
        assert any((one.start, one.end) == (finding.start, finding.end) for one in whole)
