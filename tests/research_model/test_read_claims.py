"""R11: the report and its claims page show each claim's verdict, the very passage, and what became of it."""

import html
import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from projects.models import Project, User
from research.models import Run
from tests.people import her_thesis, signed_in
from tests.research.finished_run import for_all_tests, forest, owner, project, run
from tests.research_model.conftest import serving_alone
from tests.research_model.planted_claims import planted, serve, written
from tests.research_model.test_planted_claims import ALL, right
from tests.servers.messages import Service

__all__ = ["forest", "owner", "project", "run"]

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def finished(django_db_setup: None, django_db_blocker: Any) -> Iterator[UUID]:
    with for_all_tests(django_db_blocker) as owner, serving_alone() as service:
        serve(service, repair=right)
        yield written(planted(her_thesis(owner), owner, service)).pk


def page_of(user: User, run: Run, **asked: str) -> str:
    answer = signed_in(user).get(reverse("research:claims", args=[run.pk]), asked)
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def shown(page: str) -> list[str]:
    return re.findall(r'<li id="(C\d+)"', page)


def test_every_claim_with_its_passage(run: Run, owner: User) -> None:
    page = page_of(owner, run)
    assert len(shown(page)) == 40
    assert len(re.findall(r"<mark>[^<]+</mark>", page)) == 40
    assert "Every claim was checked." in page
    assert f"Fidelity {run.fidelity['after']:.2f}, {run.fidelity['before']:.2f} before repair" in page


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("asked", "number"),
    [
        ({"verdict": "UNSUPPORTED"}, 12 + 6),
        ({"verdict": "CONTRADICTED"}, 1),
        ({"outcome": "removed"}, 1),
        ({"outcome": "repaired"}, 5),
        ({"outcome": "changed"}, 1 + 5 + 6 + 12),
        ({"type": "negative", "verdict": "SUPPORTED"}, 5),
        ({"verdict": "nonsense"}, 40),
    ],
)
def test_filters(run: Run, owner: User, asked: dict[str, str], number: int) -> None:
    page = page_of(owner, run, **asked)
    assert len(shown(page)) == number
    if asked != {"verdict": "nonsense"}:
        assert f"{number} of 40 sentences {'matches' if number == 1 else 'match'}." in page


def test_no_sentence_fits(run: Run, owner: User) -> None:
    assert "No sentence matches this filter." in page_of(owner, run, verdict="PARTIALLY")


def test_what_was_there_before_is_shown(run: Run, owner: User) -> None:
    page = page_of(owner, run, outcome="changed")
    for text in ALL["MISQUOTED"]:
        assert f"Was: <del>{text}</del> Unsupported. The quoted words" in page
    claim = run.claims.filter(outcome="repaired").first()
    assert claim is not None
    evidence = reverse("research:evidence", args=[run.pk, claim.claim_id])
    fragment = signed_in(owner).get(evidence, headers={"HX-Request": "true"}).content.decode()
    assert f"Was: <del>{claim.before['text']}</del>" in html.unescape(fragment)
    assert "Corrected" in fragment
    assert "<html" not in fragment


def test_a_claim_that_was_taken_out_keeps_its_evidence(run: Run, owner: User) -> None:
    claim = run.claims.get(outcome="removed")
    assert f"<del>{claim.text}</del>" in page_of(owner, run, outcome="removed")
    fragment = signed_in(owner).get(reverse("research:evidence", args=[run.pk, claim.claim_id])).content.decode()
    assert "Removed from the report" in fragment


def test_the_margin_of_the_report(run: Run, owner: User) -> None:
    page = signed_in(owner).get(reverse("research:report", args=[run.pk])).content.decode()
    assert "<b>21 of 39</b> checked claims in the text" in page
    assert "<b>5</b> corrected, <b>18</b> marked, <b>1</b> removed" in page
    assert "?verdict=UNSUPPORTED" in page
    assert page.count("unsupported: show evidence") == 18


def test_strangers_and_other_methods(run: Run, outsider: User, owner: User) -> None:
    address = reverse("research:claims", args=[run.pk])
    assert signed_in(outsider).get(address).status_code == 404
    assert signed_in(owner).post(address).status_code == 405


def test_queries_do_not_grow_with_claims(run: Run, owner: User) -> None:
    client, address = signed_in(owner), reverse("research:claims", args=[run.pk])
    with CaptureQueriesContext(connection) as few:
        assert len(shown(client.get(address, {"outcome": "removed"}).content.decode())) == 1
    with CaptureQueriesContext(connection) as many:
        assert len(shown(client.get(address).content.decode())) == 40
    assert len(many) == len(few)


def test_a_run_that_leaves_the_check_out(project: Project, owner: User, service: Service) -> None:
    serve(service)
    run = written(planted(project, owner, service), is_checked=False)
    Run.objects.filter(pk=run.pk).update(profile_config={**run.profile_config, "enable_claim_verification": False})
    assert "The claim check is turned off in this profile." in page_of(owner, run)
