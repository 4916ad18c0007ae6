"""The list while a check runs: rows and counts turn, nothing else is sent, and a person can start and stop it
(SPEC C3, C9)."""

import json
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from citations.editing.edit import attest
from citations.models import Citation
from jobs.models import Job, State
from projects.models import Project, User
from tests.citations.checked_rows import CODEX, RECOVERY, check, four, unchecked_row
from tests.citations.real_works import WORKS
from tests.people import signed_in
from tests.servers.registry_works import Holdings

HTMX = {"HX-Request": "true"}


@pytest.fixture
def browser(owner: User) -> Client:
    return signed_in(owner)


def address(project: Project, name: str = "list") -> str:
    return reverse(f"citations:{name}", args=[project.pk])


def opened(browser: Client, project: Project) -> str:
    return browser.get(address(project)).content.decode()


def asked_next(page: str) -> tuple[str, list[str]]:
    """What the page asks, and with which rows."""
    found = re.search(r'id="check-now" hx-get="([^"]+)"', page)
    assert found, "the page asks for nothing"
    return found[1], re.findall(r'name="row" value="([^"]+)"', page)


def answered(browser: Client, page: str) -> tuple[Any, str]:
    to, rows = asked_next(page)
    response = (
        browser.get(to, {"row": rows}, headers=HTMX)
        if "?" not in to
        else browser.get(f"{to}&{'&'.join(f'row={row}' for row in rows)}", headers=HTMX)
    )
    assert response.status_code == 200
    return response, response.content.decode()


def turned(answer: str) -> set[str]:
    return set(
        re.findall(
            r'<template><tr id="row-[^"]+"[^>]* hx-swap-oob="true"[^>]*>.*?<code>(.*?)</code>', answer, re.DOTALL
        )
    )


def test_nobody_asked_yet(browser: Client, project: Project) -> None:
    unchecked_row(project, "one", CODEX.csl(), check_due_at=None)
    page = opened(browser, project)
    assert "1 work has not been looked up yet." in page
    assert "Look it up" in page
    assert 'hx-trigger="every' not in page


def test_look_them_all_up(browser: Client, project: Project) -> None:
    for key, name in (("one", "codex"), ("two", "recovery")):
        unchecked_row(project, key, WORKS[name].csl(), check_due_at=None)
    response = browser.post(address(project, "check"), {"all": "unchecked"}, headers=HTMX)
    answer = response.content.decode()
    job = Job.objects.get(kind="check")
    assert job.state == State.QUEUED
    assert "Waiting to start" in answer
    assert "2 being looked up" in answer
    assert turned(answer) == {"one", "two"}
    assert response["HX-Retarget"] == "#check"
    assert browser.post(address(project, "check"), {"all": "unchecked"}).status_code == 302, "without script"


def test_one_row(browser: Client, project: Project, owner: User, holdings: Holdings) -> None:
    rows = four(project, owner)
    answer = browser.post(
        address(project, "check"), {"citation": str(rows["missing"].pk)}, headers=HTMX
    ).content.decode()
    assert turned(answer) == {"missing"}
    assert "Being looked up</span>" in answer
    assert "No work with this title" not in answer, "that was the verdict before"
    assert re.search(r'<button [^>]*id="act-[^"]+" type="button" aria-disabled="true">Looking up<', answer)
    assert Citation.objects.due().count() == 1


def test_rows_and_counts_turn_as_verdicts_come(
    browser: Client, project: Project, owner: User, holdings: Holdings
) -> None:
    unchecked_row(project, "one", CODEX.csl())
    check(project, owner)
    unchecked_row(project, "two", RECOVERY.csl())
    unchecked_row(project, "three", {**WORKS["jaynes1"].csl(), "title": "Alder in mixed stands", "DOI": ""})
    Job.objects.start(project=project, kind="check", subject=project.pk, user=owner)
    page = opened(browser, project)
    assert len(asked_next(page)[1]) == 2
    _, answer = answered(browser, page)
    assert turned(answer) == set()
    assert 'id="told"' not in answer, "what has not changed is not sent"
    assert 'id="filters"' not in answer
    assert answer.lstrip().startswith('<div id="check-now"')

    Citation.objects.filter(cite_key="three").update(status="not_found", tier="D", check_due_at=None)
    response, answer = answered(browser, page)
    assert turned(answer) == {"three"}
    assert "1 proven, " in answer
    assert ">D 1<" in answer
    assert "HX-Retarget" not in response, "the strip with its button stays as it is"

    Job.objects.update(state=State.DONE)
    Citation.objects.filter(cite_key="two").update(status="verified", tier="A", check_due_at=None)
    response, answer = answered(browser, page)
    assert response["HX-Retarget"] == "#check"
    assert "The check has ended. 2 of 3 are proven, 1 to look at." in answer
    assert "citations-changed" in json.loads(response["HX-Trigger"])
    assert 'id="check-heard" hx-swap-oob="innerHTML"' in answer
    assert 'hx-trigger="every' not in answer


def test_a_service_that_fails_is_asked_again(
    browser: Client, project: Project, owner: User, holdings: Holdings
) -> None:
    unchecked_row(project, "one", CODEX.csl())
    page = opened(browser, project)
    holdings.down = True
    check(project, owner)
    _, answer = answered(browser, page)
    assert turned(answer) == {"one"}, "there is news of it although it still waits"
    assert "Next try at <time" in answer
    page = opened(browser, project)
    assert "1 lookup failed because a catalogue did not answer. It will be repeated at <time" in page
    assert 'hx-trigger="every 15s"' in page
    assert "Try again now" in page
    assert "Not found" not in page
    browser.post(address(project, "check"), {"all": "waiting"}, headers=HTMX)
    assert Citation.objects.due().count() == 1


def test_stop(browser: Client, project: Project, owner: User) -> None:
    unchecked_row(project, "one", CODEX.csl())
    Job.objects.start(project=project, kind="check", subject=project.pk, user=owner)
    page = opened(browser, project)
    assert address(project, "check_stop") in page
    response = browser.post(address(project, "check_stop"), {"row": asked_next(page)[1]}, headers=HTMX)
    answer = response.content.decode()
    assert Job.objects.get().state == State.CANCELLED
    assert turned(answer) == {"one"}
    assert "1 work has not been looked up yet." in answer
    assert browser.post(address(project, "check_stop")).status_code == 302, "there is nothing left to stop"


def test_a_check_that_is_being_stopped_says_so(browser: Client, project: Project, owner: User) -> None:
    unchecked_row(project, "one", CODEX.csl())
    Job.objects.start(project=project, kind="check", subject=project.pk, user=owner)
    Job.objects.update(state=State.RUNNING, progress=3, progress_total=9)
    assert "Checking, 3 of 9 done" in opened(browser, project)
    answer = browser.post(address(project, "check_stop"), headers=HTMX).content.decode()
    assert "Stopping" in answer


def test_what_cannot_be_checked_is_said(browser: Client, project: Project, owner: User) -> None:
    row = attest(unchecked_row(project, "one", CODEX.csl()), owner, "I hold it.")
    for data in ({"citation": str(row.pk)}, {}, {"citation": "nonsense"}, {"all": "nonsense"}):
        response = browser.post(address(project, "check"), data, headers=HTMX)
        assert response["HX-Reswap"] == "none"
        assert json.loads(response["HX-Trigger"])["toast"]["text"]
        assert browser.post(address(project, "check"), data).status_code == 302
    row.refresh_from_db()
    assert (row.status, row.check_due_at) == ("attested", None)


def test_another_thesis_is_left_alone(browser: Client, project: Project, outsider: User) -> None:
    theirs = unchecked_row(Project.objects.create_for(outsider, title="Another"), "x", CODEX.csl(), check_due_at=None)
    unchecked_row(project, "one", CODEX.csl(), check_due_at=None)
    answer = browser.get(address(project, "progress"), {"row": f"{theirs.pk}.0"}, headers=HTMX).content.decode()
    assert turned(answer) == set()
    browser.post(address(project, "check"), {"citation": str(theirs.pk)}, headers=HTMX)
    theirs.refresh_from_db()
    assert theirs.check_due_at is None


def test_nonsense_asks_for_nothing(browser: Client, project: Project) -> None:
    unchecked_row(project, "one", CODEX.csl())
    odd = {"row": ["", "x", ".", "1.2.3", "\0"] * 100, "seen": "running-", "show": "zz", "q": "\0" * 300}
    assert browser.get(address(project, "progress"), odd, headers=HTMX).status_code == 200


def test_many_rows_take_as_many_queries_as_few(browser: Client, project: Project, owner: User) -> None:
    def queries() -> int:
        page = opened(browser, project)
        with CaptureQueriesContext(connection) as captured:
            Citation.objects.update(status="verified", tier="A", check_due_at=None, attested_by=owner)
            _, answer = answered(browser, page)
        assert len(turned(answer)) == Citation.objects.count()
        Citation.objects.all().delete()
        return len(captured)

    found = []
    for count in (2, 50):
        for number in range(count):
            unchecked_row(project, f"k{number}", CODEX.csl())
        found.append(queries())
    assert found[0] == found[1]


def test_many_rows_turn_a_few_at_a_time_and_all_at_the_end(browser: Client, project: Project, owner: User) -> None:
    for number in range(14):
        unchecked_row(project, f"k{number}", CODEX.csl())
    job = Job.objects.start(project=project, kind="check", subject=project.pk, user=owner)
    page = opened(browser, project)
    Citation.objects.update(status="verified", tier="A", check_due_at=None, attested_by=owner)
    _, answer = answered(browser, page)
    assert len(turned(answer)) == 10
    job.change_state(State.DONE)
    _, answer = answered(browser, page)
    assert len(turned(answer)) == 14


def test_strangers_readers_and_wrong_methods(
    owner: User, outsider: User, reader: User, supervisor: User, project: Project, client: Any
) -> None:
    unchecked_row(project, "one", CODEX.csl(), check_due_at=None)
    Job.objects.start(project=project, kind="check", subject=project.pk, user=owner)
    for name in ("check", "check_stop"):
        to = address(project, name)
        assert signed_in(outsider).post(to).status_code == 404
        assert signed_in(owner).get(to).status_code == 405
        assert [signed_in(who).post(to).status_code for who in (reader, supervisor)] == [403, 403]
        assert client.post(to).status_code == 302
    to = address(project, "progress")
    assert signed_in(outsider).get(to).status_code == 404
    assert signed_in(owner).post(to).status_code == 405
    page = signed_in(reader).get(address(project)).content.decode()
    assert 'id="check-now" hx-get' in page, "a reader sees how far it is"
    for words in ("check-act", 'form="look"', "act-"):
        assert words not in page, words
    assert Job.objects.get().state == State.QUEUED
