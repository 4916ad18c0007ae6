"""SPEC T4: a whole run tells the model nothing private, and its report says what the sources said."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from jobs.models import State
from projects.models import Project, User
from research.journal.provenance import log_of, verify_run
from research.replay import replay
from tests.research.forest_thesis import researched, write
from tests.research_model import script
from tests.servers.catalogues import Site
from tests.servers.messages import Request, Service, model_answer

pytestmark = pytest.mark.django_db

SENTENCE = "Ravi Iyer saw soil nitrogen rise by 12 kg under red alder beside Ward 7B, see MRN 0042317."
PLOTS = f"# Plots of R. Iyer\n\n{SENTENCE} He answers at 061 265 25 25.\n"
QUESTION = "What did Ravi Iyer (061 265 25 25, MRN 0042317) see of soil nitrogen under red alder beside Ward 7B?"
PRIVATE = ("Ravi", "Iyer", "Ward 7B", "0042317", "061 265 25 25", "265 25")


def quoting(request: Request) -> dict[str, Any]:
    """A finding in the very words that the model was shown, of each sentence that hides somebody."""
    found = []
    for passage in script.material(request, "passages"):
        for quote in re.findall(r"PRIVATE-NAME-\w+ PRIVATE-NAME-\w+ saw [^.]*\.", passage["text"]):
            finding = {"content": quote, "source_id": passage["source_id"], "quote": quote, "confidence": 0.9}
            found.append({**finding, "category": "outcome"})
    return {"findings": found, "contradictions": [], "gaps": [], "summary": ""}


def model(request: Request) -> Any:
    """Its search words are the question as it was told."""
    role = script.role_of(request)
    if role == "research" and len(request["messages"]) == 1:
        asked = re.search(r"What did PRIVATE.*?\?", script.text_of(request))
        assert asked
        return model_answer(calls=[{"name": "web_search", "input": {"queries": [asked[0][:400]]}}])
    return model_answer(answer=quoting(request)) if role == "condense" else script.reply(request)


def test_a_run_tells_nothing_and_its_report_says_it(
    forest: Project, owner: User, supervisor: User, service: Service, shelves: Site, tmp_path: Path
) -> None:
    Project.objects.filter(pk=forest.pk).update(kept_private="Ward 7B")
    write(tmp_path, forest, owner, "plots.md", PLOTS)
    service.otherwise = model
    run = researched(forest, owner, QUESTION, profile="general")
    assert run.job.state == State.DONE, run.job.reason

    sent = json.dumps([service.requests, service.headers], ensure_ascii=False)
    assert [words for words in PRIVATE if words in sent] == []
    assert "PRIVATE-NAME-" in sent
    asked = json.dumps([[one.path, one.query, one.body] for one in shelves.asked])
    assert "nitrogen" in asked
    assert [words for words in [*PRIVATE, "PRIVATE"] if words in asked] == [], "nor do catalogues"

    findings = [finding.content for finding in run.findings.all()]
    assert SENTENCE in findings, "the quote was found in the stored text, letter by letter"
    assert SENTENCE.rstrip(".") in run.report
    assert "PRIVATE-" not in run.report + str(run.brief)
    assert "PRIVATE-" not in json.dumps(list(run.job.events.values_list("text", "details")))
    assert not run.provenance.filter(event_type="stand_in").exists()
    assert all("redacted" not in json.dumps(step.response) for step in run.steps.all())
    assert verify_run(run).ok
    again = replay(log_of(run))
    assert (again.same, again.report) == (True, run.report)
