"""R2, R6, R10, R12, R13, R16: a question of one's own files and references becomes a cited report."""

import re
from pathlib import Path

import pytest

from jobs.models import State
from projects.models import Project, User
from research.export.structured import structured
from research.journal.provenance import verify_run
from research.models import Node, Run
from research.pages.report_html import report_html
from research.report.synthesis import distinct_findings
from tests.research.finished_run import finished, forest, owner, run
from tests.research.forest_thesis import ALDER, researched, write

__all__ = ["finished", "forest", "owner", "run"]

pytestmark = pytest.mark.django_db


def markers(run: Run) -> list[int]:
    body = run.report.rpartition("\n## References")[0]
    return [int(n) for n in re.findall(r"(?<!\\)\[(\d+)\]", body)]


@pytest.mark.postgres
def test_the_report_carries_the_figures_and_every_marker_resolves(run: Run) -> None:
    assert run.job.state == State.DONE, run.job.reason
    for figure in ("0.21%", "0.34%", "0.22%", "11.4 m", "18 kg", "0.30%", "20%"):
        assert figure in run.report
    assert markers(run)
    listed = dict(re.findall(r"^\[(\d+)\] (.+)$", run.report.rpartition("\n## References")[2], re.MULTILINE))
    assert sorted(set(markers(run))) == sorted(int(n) for n in listed)
    assert list(dict.fromkeys(markers(run))) == list(range(1, len(listed) + 1)), "numbered by first appearance"
    assert any("Binkley, D." in entry for entry in listed.values()), "APA, from metadata"
    assert any(entry.startswith("alder.md. Uploaded file, passage S") for entry in listed.values())


def test_nothing_is_written_that_was_not_found(run: Run) -> None:
    """P7: extractive. Each finding is its span, each claim stands in its source."""
    for finding in run.findings.select_related("source"):
        assert " ".join(finding.source.text[finding.start : finding.end].split()) == finding.content
    assert set(run.claims.values_list("verdict", flat=True)) == {"SUPPORTED"}
    assert "Offline engine" in run.report


def test_the_tree_is_numbered_and_worked_to_the_end(run: Run) -> None:
    numbers = list(run.nodes.values_list("number", flat=True))
    assert numbers[0] == "1"
    assert set(numbers[1:]) >= {"1.1", "1.2"}
    assert not run.nodes.filter(state__in=[Node.State.WAITING, Node.State.WORKING]).exists()


def test_the_structured_output_has_every_field(run: Run) -> None:
    data = structured(run)
    assert data["query_type"] == "explanation"
    assert data["profile"] == "local-only"
    ids = {source["id"] for source in data["sources"]}
    assert {"alder.md::S1", "binkley2003"} <= ids
    for source in data["sources"]:
        assert set(source) >= {"id", "title", "url", "source_type", "authors", "year", "venue", "doi", "citation_count"}
    for finding in data["findings"]:
        fields = {"id", "content", "confidence", "source_ids", "category", "question", "quote", "page", "offset"}
        assert set(finding) == fields
        assert set(finding["source_ids"]) <= ids
    fields = {"id", "description", "priority", "suggested_queries", "question", "round"}
    assert all(set(gap) == fields for gap in data["gaps"])
    cited = [source["number"] for source in data["sources"] if source["number"]]
    assert cited == list(range(1, len(cited) + 1)), "source n is marker [n]"


def test_the_log_tells_each_step_with_the_details_of_r12(run: Run) -> None:
    keys = {entry.event_type: set(entry.details) for entry in run.provenance.all()}
    assert keys["brief_generated"] == {"brief_text", "scope_boundaries", "source_preferences"}
    assert keys["decomposition"] == {"directives", "rationale"}
    assert keys["provider_query"] == {"provider", "query", "result_count", "source_ids"}
    assert keys["source_discovered"] == {"source_id", "title", "provider", "source_type", "url"}
    assert keys["coverage_assessment"] == {"scores", "decision"}
    assert keys["iteration_complete"] == {"iteration", "round", "total_sources", "total_findings"}
    assert keys["synthesis_query_type"] == {"query_type", "detection_reason"}
    assert keys["synthesis_completed"] >= {"report_length", "source_count", "citation_count"}
    assert verify_run(run).ok
    assert run.provenance.last().event_type == "run_completed"  # type: ignore[union-attr]


@pytest.mark.postgres
def test_two_runs_write_the_same_report(run: Run, forest: Project, owner: User) -> None:
    """The offline engine is deterministic, whichever sibling was quicker."""
    assert researched(forest, owner).report == run.report


@pytest.mark.long
def test_a_literature_review_is_set_in_apa_whatever_the_default(forest: Project, owner: User) -> None:
    """R10: literature reviews use APA unless the profile names another style; `default` counts as none."""
    question = "A literature review of red alder, soil nitrogen and the growth of Douglas-fir"
    run = researched(forest, owner, question, profile="general", overrides={"providers": "library"})
    assert "## References" in run.report
    assert "Binkley, D., & Senock, R. (2003)." in run.report
    run = researched(
        forest, owner, question, profile="general", overrides={"citation_style": "ieee", "providers": "library"}
    )
    assert "D. Binkley and R. Senock" in run.report


def test_brackets_in_the_question_are_no_markers(forest: Project, owner: User) -> None:
    run = researched(forest, owner, "How does red alder [2] change soil nitrogen [see](http://x.example)?")
    assert len(re.findall(r"(?<!\\)\[\d+\]", run.report.rpartition("\n## References")[0])) == run.claims.count()
    html = report_html(run, list(run.claims.all()))
    assert html.count('class="marker"') == run.claims.count()
    assert 'x.example"' not in html


def test_markers_in_a_note_are_only_words(project: Project, owner: User, tmp_path: Path) -> None:
    write(tmp_path, project, owner, "alder.md", ALDER)
    fraud = "Red alder raises soil nitrogen by 99.0% beside Douglas-fir [[F1-1]] [1] &#91;2&#93; [3\\]."
    write(tmp_path, project, owner, "fraud.md", f"# Red alder and soil nitrogen\n\n{fraud}\n")
    run = researched(project, owner)
    html = report_html(run, list(run.claims.all()))
    assert html.count('class="marker"') == run.claims.count() == len(re.findall(r"evidence/C\d+/", html)) / 2
    assert any("99.0%" in claim.text and claim.cited.document == "fraud.md" for claim in run.claims.all())


def test_a_file_name_cannot_make_links(project: Project, owner: User, tmp_path: Path) -> None:
    write(tmp_path, project, owner, "a](http:x.example) [1] *x*.md", ALDER)
    run = researched(project, owner)
    html = report_html(run, list(run.claims.all()))
    assert "a](http:x.example) [1] *x*.md" in html
    assert html.count("<a ") == run.claims.count()


def test_the_claim_check_can_be_left_out(forest: Project, owner: User) -> None:
    run = researched(forest, owner, overrides={"enable_claim_verification": "false"})
    assert run.job.state == State.DONE
    assert not run.claims.exists()
    assert 'href="#ref-1"' in report_html(run, [])


def test_gaps_that_the_parts_answered_are_closed(run: Run) -> None:
    root = run.nodes.get(number="1")
    closed = run.provenance.filter(event_type="gap_resolved")
    if root.state == "enough":
        assert not run.gaps.filter(node=root, resolution_notes="").exists()
        assert closed.count() == run.gaps.filter(node=root).count()
    else:
        assert "open:" in root.said


def test_academic_makes_a_literature_review(forest: Project, owner: User) -> None:
    """R9: academic mode leans to a literature review; the headings are written by code, in order."""
    run = researched(forest, owner, profile="academic", overrides={"providers": "library"})
    assert re.findall(r"^##? .+$", run.report, re.MULTILINE) == [
        f"# Literature Review: {run.title.removeprefix('Literature Review: ')}",
        "## Executive Summary",
        "## Introduction & Scope",
        "## Theoretical Foundations",
        "## Thematic Analysis",
        "## Methodological Approaches",
        "## Key Debates & Contradictions",
        "## Research Gaps & Future Directions",
        "## Conclusions",
        "## References",
    ]


def test_general_lists_plain_sources(forest: Project, owner: User) -> None:
    """R10: the default style is `[N] [Title](URL)` under "Sources"."""
    run = researched(forest, owner, profile="general", overrides={"providers": "library"})
    sources = run.report.rpartition("\n## Sources\n")[2]
    assert "[Red alder and Douglas-fir in mixture](https://doi.org/10.5555/alder.1)" in sources


def test_what_was_retracted_later_is_no_evidence(run: Run) -> None:
    """Another question of the run may learn of a retraction after this one has drawn its findings."""
    document = distinct_findings(run)[0].source.document
    run.sources.filter(document=document).update(retracted=True)
    left = distinct_findings(run)
    assert left
    assert document not in {finding.source.document for finding in left}
