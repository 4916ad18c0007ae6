"""R9, R11: what was found is never lost. A report that could not be finished says so, and what is missing."""

import re
from decimal import Decimal

import pytest

from projects.models import Project, User
from research.models import Run
from research.report.draft import PARTIAL, partial_label
from tests.people import signed_in
from tests.research_model.planted_claims import finding_id, honest, planted, sentence, serve, written
from tests.research_model.script import role_of
from tests.servers.messages import Service, model_answer

pytestmark = pytest.mark.django_db


def limited(run: Run, **limits: object) -> None:
    Run.objects.filter(pk=run.pk).update(**limits)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("limits", "why"),
    [
        ({"budget_calls": 0}, "The budget of 0 calls does not allow another call"),
        ({"budget_usd": Decimal("0.0001")}, "The budget of 0.0001 USD does not allow another call"),
        ({"budget_seconds": 60, "spent_seconds": 60}, "The time of this run, 1 minute, is used up"),
    ],
)
def test_a_budget_that_ends_before_the_report(
    project: Project, owner: User, service: Service, limits: dict[str, object], why: str
) -> None:
    serve(service)
    inquiry = planted(project, owner, service)
    limited(inquiry.run, **limits)
    run = written(inquiry)
    assert not service.requests
    head = run.report.split("\n\n")
    assert head[0].startswith("# ")
    assert head[1].startswith(f"> {PARTIAL} It could not be written as it should be. {why}"), "under its title"
    label = partial_label(run.report)
    assert "The offline engine has set 40 findings under the headings" in label
    assert "Missing is what weighs them" in label
    assert all(sentence(w, n) in run.report for w in range(8) for n in range(5)), "every finding is there"
    assert run.provenance.get(event_type="synthesis_completed").details["missing"]
    assert run.provenance.filter(event_type="stand_in", phase="synthesis").exists()
    assert run.fidelity["verdicts"]["SUPPORTED"] == run.fidelity["checked"], "word for word in their sources"
    page = signed_in(owner).get(f"/runs/{run.pk}/report/").content.decode()
    assert "<b>Partial report.</b>" in page
    assert why in page


def test_a_budget_that_ends_in_the_claim_check(project: Project, owner: User, service: Service) -> None:
    serve(service, extra=f"\n- Some kinds do well near nitrogen fixers [[{finding_id(7, 4)}]].")
    inquiry = planted(project, owner, service)
    limited(inquiry.run, budget_calls=2)
    run = written(inquiry)
    assert [role_of(request) for request in service.requests] == ["synthesize", "verify"]
    label = partial_label(run.report)
    assert label.startswith("The claim check could not be finished. The budget of 2 calls does not allow another call")
    unchecked = run.claims.filter(verdict="UNCHECKED")
    assert re.search(rf" {unchecked.count()} of {run.fidelity['left']} claims left unchecked\.", label)
    assert label.count("The budget of") == 1
    assert re.search(r"near nitrogen fixers \[\d\] \*\(not checked\)\*\.", run.report)
    assert run.fidelity["misquoted"] == 6, "what costs nothing was done"
    assert not run.claims.filter(text__contains="willow", text__icontains="“").exists()
    page = signed_in(owner).get(f"/runs/{run.pk}/report/").content.decode()
    assert "?verdict=UNCHECKED" in page


def test_a_model_that_cannot_write(project: Project, owner: User, service: Service) -> None:
    serve(service)
    service.otherwise = lambda request: (
        model_answer("{") if role_of(request) == "synthesize" else model_answer(answer=honest(request))
    )
    run = written(planted(project, owner, service))
    assert "The answer in the role synthesize could not be used" in partial_label(run.report)
    assert sentence(7, 4) in run.report


def test_a_whole_report_has_no_label(project: Project, owner: User, service: Service) -> None:
    serve(service)
    run = written(planted(project, owner, service))
    assert partial_label(run.report) == ""
    assert "Partial report" not in signed_in(owner).get(f"/runs/{run.pk}/report/").content.decode()


def test_words_of_a_source_are_no_label() -> None:
    assert partial_label(f"# T\n\n> note\n\n## Summary\n\n> {PARTIAL} No.") == ""
