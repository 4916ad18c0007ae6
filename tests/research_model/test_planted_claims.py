"""R10, R11: of 40 claims 12 are unsupported, 6 contradicted and 6 misquoted, and each of them is found."""

import re
from typing import Any

import pytest

from jobs.models import State
from llm.roles import SynthesizeAsked
from projects.models import Project, User
from research.journal.provenance import log_of
from research.models import Claim, Run
from research.pages.report_html import report_html
from research.prompts.build import prompt_for
from research.replay import replay
from tests.research.forest_thesis import researched
from tests.research_model.planted_claims import (
    CONTRADICTED,
    IS,
    MISQUOTED,
    PLANTED,
    UNSUPPORTED,
    finding_id,
    planted,
    sentence,
    serve,
    written,
    yes,
)
from tests.research_model.script import material, reply, role_of
from tests.servers.messages import Answer, Request, Service, model_answer

pytestmark = pytest.mark.django_db

ALL = {what: [text for text, known in IS.items() if known == what] for what in IS.values()}


def numbers(report: str) -> list[int]:
    return [int(n) for n in re.findall(r"(?<!\\)\[(\d+)\]", report.partition("\n## Sources")[0])]


def holds_together(run: Run) -> None:
    """Markers, references, numbers of sources and claims are of one piece."""
    listed = re.findall(r"^\[(\d+)\] \[(.+?)\]", run.report.partition("\n## Sources")[2], re.MULTILINE)
    kept = sorted(run.claims.exclude(outcome="removed").exclude(source=None), key=lambda claim: claim.position)
    assert list(dict.fromkeys(numbers(run.report))) == list(range(1, len(listed) + 1)), "by first appearance"
    assert [claim.cited.number for claim in kept] == numbers(run.report)
    assert {title: int(n) for n, title in listed} == dict(
        run.sources.filter(number__isnull=False).values_list("title", "number")
    )
    assert report_html(run, list(run.claims.all())).count("evidence/C") == 2 * len(kept), "each leads to its own words"


def test_the_planted_report() -> None:
    assert (len(PLANTED), len(UNSUPPORTED), len(CONTRADICTED), len(MISQUOTED)) == (40, 12, 6, 6)
    assert {what: len(texts) for what, texts in ALL.items()} == {
        "SUPPORTED": 16, "UNSUPPORTED": 12, "CONTRADICTED": 6, "MISQUOTED": 6,
    }  # fmt: skip


def test_misquotes_are_caught_by_code_alone(project: Project, owner: User, service: Service) -> None:
    """With a model that says SUPPORTED to everything."""
    serve(service, verify=yes)
    run = written(planted(project, owner, service))
    first = [one for request in service.requests[:-2] for one in material(request, "claims")]
    assert not {one["text"] for one in first} & set(ALL["MISQUOTED"]), "no model is asked"
    changed = {claim.before["text"]: claim for claim in run.claims.exclude(before={})}
    assert set(changed) == set(ALL["MISQUOTED"])
    for text, claim in changed.items():
        assert "do not stand in the cited source" in claim.before["reason"]
        assert claim.text == text.replace("“", "").replace("”", "")
        assert claim.text[:-1] in run.report
        assert text[:-1] not in run.report
    true = run.claims.filter(quotes_hold=True)
    assert {claim.text for claim in true} == {text for text in ALL["SUPPORTED"] if "“" in text}
    assert all(claim.cited.text[claim.start : claim.end].endswith("along the river") for claim in true)
    assert run.fidelity["misquoted"] == 6
    assert run.provenance.filter(event_type="claim_repaired").count() == 6
    holds_together(run)


def test_a_source_that_was_never_retrieved_cannot_be_cited(project: Project, owner: User, service: Service) -> None:
    serve(service, verify=yes, extra="\n- Made up [[F9-9]]. And [[doi:10.5555/never::openalex-1]]. Also [F1-99, F7-1].")
    run = written(planted(project, owner, service))
    mark = " *(without a source)*."
    assert f"Made up{mark} And{mark} Also{mark}" in run.report, "without their markers they are claims without a source"
    assert run.provenance.get(event_type="synthesis_completed").details["orphans_dropped"] == 4
    assert len(numbers(run.report)) == 40
    holds_together(run)


def test_what_does_not_hold_is_marked_or_removed(project: Project, owner: User, service: Service) -> None:
    """A model that checks honestly and can put nothing right."""
    serve(service)
    run = written(planted(project, owner, service))
    assert run.fidelity["before"] == pytest.approx((16 - 3) / 40, abs=0.001)
    assert run.fidelity["verdicts_before"] == {
        "SUPPORTED": 16, "PARTIALLY": 0, "UNSUPPORTED": 18, "CONTRADICTED": 6,
    }  # fmt: skip
    assert run.fidelity["after"] > run.fidelity["before"]
    removed = run.claims.filter(outcome="removed")
    assert {claim.text for claim in removed} == set(ALL["CONTRADICTED"])
    assert not any(text[:-1] in run.report for text in ALL["CONTRADICTED"])
    for text in ALL["UNSUPPORTED"]:
        assert re.search(rf"{re.escape(text[:-1])} \[\d\] \*\(not borne out by the passage cited\)\*\.", run.report)
    assert not re.search(r"^- *$", run.report, re.MULTILINE), "no empty item is left"
    logged = run.provenance.get(event_type="claims_checked").details
    assert logged["removed"] == 6
    assert run.provenance.filter(event_type="claim_removed").count() == 6
    spans = {one["claim_id"]: one["spans"] for one in logged["claims_checked"]}
    claim = run.claims.get(claim_id="C5")
    assert spans["C5"] == [
        {"source_id": claim.cited.source_id, "text_hash": claim.cited.text_hash, "page": None,
         "start": claim.start, "end": claim.end}
    ]  # fmt: skip
    holds_together(run)


def test_a_reference_goes_with_the_last_claim_that_cites_it(project: Project, owner: User, service: Service) -> None:
    serve(service, verify=lambda request: {"verdicts": [
        {"id": one["id"], "verdict": "CONTRADICTED" if "Larch" in one["text"] else "SUPPORTED"}
        for one in material(request, "claims")
    ]})  # fmt: skip
    inquiry = planted(project, owner, service)
    assert "On Larch" in written(inquiry, is_checked=False).report
    run = written(inquiry)
    assert "On Larch" not in run.report
    assert run.sources.filter(number=None).get().title == "On Larch"
    holds_together(run)


def right(faulty: dict[str, Any]) -> str:
    """The sentence as its passage has it, with a marker and a heading it should not have."""
    w, n = next(place for text, place, _ in PLANTED if text == faulty["text"])
    return f"# {sentence(w, n)[:-1]} [[F9-9]] [3]."


def test_five_at_most_are_put_right(project: Project, owner: User, service: Service) -> None:
    serve(service, repair=right)
    run = written(planted(project, owner, service))
    asked = [one for request in service.requests for one in material(request, "sentences")]
    assert [IS[one["text"]] for one in asked] == ["CONTRADICTED"] * 5, "the worst come first"
    repaired = [claim for claim in run.claims.filter(outcome="repaired") if IS[claim.before["text"]] == "CONTRADICTED"]
    assert len(repaired) == run.provenance.filter(event_type="claim_repaired").count() == 5
    for claim in repaired:
        assert claim.verdict == "SUPPORTED"
        assert re.search(rf"(?<!# ){re.escape(claim.text[:-1])} \[\d\]\.", run.report), "marker and full stop as before"
    assert run.claims.filter(outcome="removed").count() == 1
    assert (run.fidelity["tried"], run.fidelity["repaired"]) == (5, 5)
    holds_together(run)


def test_a_correction_that_is_no_better_is_rolled_back(project: Project, owner: User, service: Service) -> None:
    serve(service, repair=lambda faulty: "The authors wrote “nothing of the kind”.")
    run = written(planted(project, owner, service))
    assert "nothing of the kind" not in run.report
    assert (run.fidelity["tried"], run.fidelity["rolled_back"]) == (5, 5)
    assert run.claims.filter(outcome="removed").count() == 6
    holds_together(run)


def test_when_nothing_holds_the_report_is_kept_and_marked(project: Project, owner: User, service: Service) -> None:
    serve(service, verify=lambda request: {"verdicts": [
        {"id": one["id"], "verdict": "CONTRADICTED"} for one in material(request, "claims")
    ]})  # fmt: skip
    run = written(planted(project, owner, service))
    assert run.fidelity["after"] == 0
    assert run.report.count("*(the passage cited says otherwise)*") == 28
    assert run.report.count("*(not borne out by the passage cited)*") == 12, "code had found these"
    holds_together(run)


def test_figures_that_stand_nowhere_are_unsupported_whatever_a_model_says(
    project: Project, owner: User, service: Service
) -> None:
    serve(service, verify=yes)
    run = written(planted(project, owner, service))
    asked = {one["text"] for request in service.requests for one in material(request, "claims")}
    assert not asked & set(ALL["UNSUPPORTED"]), "no model is asked"
    for text in ALL["UNSUPPORTED"]:
        claim = run.claims.get(text=text)
        assert (claim.verdict, claim.outcome) == ("UNSUPPORTED", "marked")
        assert "stands in no passage that it cites" in claim.reason


def test_a_second_report_takes_the_place_of_the_first(project: Project, owner: User, service: Service) -> None:
    """R17: under new keys, without what a node had found before it was run again."""
    serve(service)
    inquiry = planted(project, owner, service)
    first = written(inquiry).report
    inquiry.run.findings.filter(source__title="On Oak").update(is_superseded=True)
    run = written(inquiry, "again/")
    assert run.report != first
    assert "On Oak" not in run.report
    assert not Claim.objects.filter(run=run, source__title="On Oak").exists()
    assert run.sources.get(title="On Oak").number is None
    assert run.provenance.filter(event_type="synthesis_completed").count() == 2
    holds_together(run)
    keys = set(run.steps.values_list("key", flat=True))
    assert {key for key in keys if key.startswith("again/")} >= {"again/synthesis/1", "again/verification/end"}


def test_going_on_asks_nothing_again(project: Project, owner: User, service: Service) -> None:
    """R16: what was stored is not asked again, and the same report comes out."""
    serve(service, repair=right)
    inquiry = planted(project, owner, service)
    run = written(inquiry)
    asked = len(service.requests)
    again = written(inquiry)
    assert (again.report, len(service.requests)) == (run.report, asked)
    assert list(again.claims.values_list("id", flat=True)) == list(run.claims.values_list("id", flat=True))


def test_less_material_when_it_is_too_long(project: Project, owner: User, service: Service) -> None:
    """R9: three times a tenth less, the least confident findings first."""
    service.fails(400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum", times=2)
    serve(service)
    run = written(planted(project, owner, service), is_checked=False)
    given = [len(material(request, "findings")) for request in service.requests if role_of(request) == "synthesize"]
    assert given == [40, 36, 32]
    left_out = run.provenance.get(event_type="synthesis_shortened").details["left_out"]
    assert left_out == [finding_id(6, n) for n in (2, 3, 4)] + [finding_id(7, n) for n in range(5)]
    assert "The material was too long for the model: 8 findings left out." in run.report


def test_the_prompt_of_a_review_has_its_rules() -> None:
    """R9; in general mode the others stay as they are."""
    asked = SynthesizeAsked(question="q", brief="b", query_type="explanation", headings=[], findings=[])
    review = asked.model_copy(update={"query_type": "literature_review"})
    assert prompt_for(review).system[:-1] == prompt_for(asked).system
    assert "author, year and a note on its method" in prompt_for(review).system[-1]


def test_a_report_that_was_mended_is_replayed(forest: Project, owner: User, service: Service) -> None:
    """R12: byte for byte, as it was after the check."""

    def answer(request: Request) -> Answer:
        if role_of(request) == "verify":
            claims = material(request, "claims")
            verdicts = [(one["id"], "SUPPORTED" if "alders" in one["text"] else "CONTRADICTED") for one in claims]
            return model_answer(answer={"verdicts": [{"id": id, "verdict": verdict} for id, verdict in verdicts]})
        if role_of(request) == "repair":
            first, *_ = material(request, "sentences")
            return model_answer(answer={"corrections": [{"id": first["id"], "text": "There were alders."}]})
        return reply(request)

    service.otherwise = answer
    run = researched(forest, owner)
    assert run.job.state == State.DONE, run.job.reason
    assert "There were alders [1]." in run.report or "There were alders. [1]" in run.report
    assert run.provenance.filter(event_type="claim_removed").exists()
    assert replay(log_of(run)).same
