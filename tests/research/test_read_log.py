"""R12: the log of a run can be read, filtered and searched in the page, and its chain checked there."""

import html
import json
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from core.fast_sql import insert
from projects.models import Project, User
from research.models import ProvenanceEntry, Run
from research.pages.log_and_sources import AT_ONCE, PER_PAGE, facts_of
from tests.people import open_data, signed_in
from tests.research.finished_run import finished, forest, owner, project, run
from tests.start_run import start_run

__all__ = ["finished", "forest", "owner", "project", "run"]

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def page_of(client: Client, run: Run, headers: dict[str, str] | None = None, **asked: Any) -> str:
    answer = client.get(reverse("research:provenance", args=[run.pk]), asked, headers=headers)
    assert answer.status_code == 200
    return str(answer.content.decode())


def shown(page: str) -> list[int]:
    """The numbers of the entries on a page."""
    return [int(number) for number in re.findall(r'<li id="e(\d+)"', page)]


def write(run: Run, count: int, **fields: Any) -> None:
    """Entries after those of `run`, not chained."""
    first = run.provenance.count() + 1
    given: dict[str, Any] = {
        "phase": "supervision",
        "event_type": "provider_query",
        "summary": "Asked OpenAlex.",
        "details": {"query": "alder"},
        **fields,
    }
    row = (run.pk, timezone.now(), *given.values(), "0" * 64, "0" * 64)
    columns = ("seq", "run_id", "at", *given, "previous_hash", "hash")
    insert(ProvenanceEntry, columns, ((seq, *row) for seq in range(first, first + count)))


def test_every_entry_has_its_place_and_its_details_in_words(run: Run, owner: User) -> None:
    page = page_of(signed_in(owner), run)
    assert shown(page) == list(run.provenance.values_list("seq", flat=True))[:PER_PAGE]
    entry = run.provenance.get(event_type="brief_generated")
    assert "<dt>Brief text</dt>" in page
    assert html.escape(entry.details["brief_text"]) in page
    assert "The log is valid." in page
    assert f"{run.provenance_length} of {run.provenance_length} entries chain." in page
    assert run.provenance_head in page, "to be noted elsewhere"
    assert f"manage.py verify_provenance {run.pk}" in page
    assert f"manage.py replay {run.pk}" in page
    assert reverse("research:export", args=[run.pk, "provenance"]) in page


def test_filters_go_together(run: Run, owner: User) -> None:
    client = signed_in(owner)
    assert shown(page_of(client, run, phase="brief")) == list(
        run.provenance.filter(phase="brief").values_list("seq", flat=True)
    )
    queries = list(run.provenance.filter(event_type="provider_query").values_list("seq", flat=True))
    assert shown(page_of(client, run, event="provider_query")) == queries[:PER_PAGE]
    assert shown(page_of(client, run, event="provider_query", phase="brief")) == []
    page = page_of(client, run, event="provider_query")
    assert f'<option value="provider_query" selected>Provider query ({len(queries)})</option>' in page
    assert f"{len(queries)} of {run.provenance.count()} entries" in page
    nothing = page_of(client, run, q="zeppelin")
    assert "No matches" in nothing
    assert "0 of" in nothing


@pytest.mark.parametrize(
    "words",
    [
        "Erlenwälder",
        "erlenwälder",
        "ERLENWÄLDER",
        "“quoted”",
        'a"b',
        "c\\d",
        "100%",
        "under_score",
        "赤杨",
        "alder Erlen",
    ],
)
def test_words_are_found_in_sentences_and_details(run: Run, owner: User, words: str) -> None:
    """However the database writes them; signs that mean something to a search in it mean themselves."""
    told = 'Of alder and Erlenwälder: “quoted” a"b c\\d 100% under_score 赤杨'
    first = run.provenance.count() + 1
    write(run, 1, details={"deep": [{"down": told}]})
    write(run, 1, summary=told, details={})
    write(run, 1, details={"why": "100 X underXscore"}, summary="Nothing of it.")
    assert shown(page_of(signed_in(owner), run, q=words)) == [first, first + 1]


def test_htmx_gets_the_entries_alone(run: Run, owner: User) -> None:
    client = signed_in(owner)
    fragment = page_of(client, run, HTMX, event="brief_generated")
    assert "<html" not in fragment
    assert fragment.count('id="log"') == 1
    assert len(shown(fragment)) == 1
    assert 'id="log"' in page_of(client, run, event="brief_generated")
    checked = page_of(client, run, HTMX, check="1")
    assert "<html" not in checked
    assert "The log is valid." in checked
    assert 'id="verdict"' not in checked, "it goes into that element"


def test_a_bad_entry_is_named_and_linked(run: Run, owner: User) -> None:
    run.provenance.filter(seq=3).update(summary="Something else.")
    page = page_of(signed_in(owner), run)
    assert "The log is not valid." in page
    assert "Row 3: edited after it was written" in page
    assert 'href="?at=3#e3">Show entry 3</a>' in page


def test_a_log_that_is_cut_short_links_to_its_last_entry(run: Run, owner: User) -> None:
    last = run.provenance.last()
    assert last is not None
    last.delete()
    page = page_of(signed_in(owner), run)
    assert "The log is not valid." in page
    assert f'href="?at={last.seq - 1}#e{last.seq - 1}">' in page


@pytest.mark.long
def test_an_entry_is_found_by_its_number(run: Run, owner: User) -> None:
    write(run, 3 * PER_PAGE)
    client = signed_in(owner)
    for number in (1, PER_PAGE, PER_PAGE + 1, 2 * PER_PAGE + 7):
        assert number in shown(page_of(client, run, at=number))
    last = run.provenance.count()
    assert last in shown(page_of(client, run, at=10**8))
    assert last in shown(page_of(client, run, at=last, event="provider_query"))
    for odd in ("x", "-1", "²", "9" * 40, ""):
        assert shown(page_of(client, run, at=odd))[0] == 1
    assert shown(page_of(client, run, page=2, q="alder"))


@pytest.mark.long
def test_ten_thousand_entries_take_as_many_queries_as_ten(run: Run, owner: User) -> None:
    client = signed_in(owner)

    def queries(**asked: Any) -> int:
        with CaptureQueriesContext(connection) as seen:
            page_of(client, run, **asked)
        return len(seen)

    asked: list[dict[str, Any]] = [
        {}, {"page": 1, "q": "alder"}, {"phase": "supervision", "event": "provider_query"}, {"at": 5}, {"check": 1},
    ]  # fmt: skip
    few = [queries(**one) for one in asked]
    write(run, 10_000)
    # The check of a log that does not hold ends with its first bad entry.
    assert all(queries(**one) <= before for one, before in zip(asked, few, strict=True))
    assert max(few) <= 20
    Run.objects.filter(pk=run.pk).update(provenance_length=10_000 + run.provenance_length)
    page = page_of(client, run)
    assert "Not verified yet" in page, "a long log is checked when it is asked for"
    assert len(shown(page)) == PER_PAGE
    assert run.provenance.count() > AT_ONCE
    assert "The log is not valid." in page_of(client, run, check=1)


def test_a_run_that_has_not_begun(forest: Project, owner: User) -> None:
    run = start_run(forest, owner, "What of alder?", profile="local-only", enqueue=False)
    page = page_of(signed_in(owner), run)
    assert "No entries yet" in page
    assert "<search>" not in page


def test_what_a_log_holds_is_text(run: Run, owner: User) -> None:
    """R18"""
    evil = "<script>alert(1)</script>"
    write(run, 1, summary=evil, details={evil: [evil, {evil: evil}]}, event_type="x<b>", phase="y<b>")
    page = page_of(signed_in(owner), run, at=run.provenance.count())
    assert evil not in page
    assert html.escape(evil) in page
    assert "<b>x" not in page


def test_strangers_see_nothing_and_readers_what_is_open(run: Run, outsider: User, reader: User) -> None:
    address = reverse("research:provenance", args=[run.pk])
    for headers in ({}, HTMX):
        assert signed_in(outsider).get(address, {"check": 1}, headers=headers).status_code == 404
        assert Client().get(address, headers=headers).status_code in {302, 401, 403}
    assert signed_in(reader).get(address).status_code == 403, "it read uploaded files"
    open_data(run.project)
    assert signed_in(reader).get(address).status_code == 200
    assert signed_in(reader).post(address).status_code == 405


def test_details_in_words() -> None:
    details = {
        "scores": {"source_adequacy": 0.5, "strong": True},
        "directives": [{"topic": "Shade", "priority": 1}, "x"],
        "source_ids": [f"S{n}" for n in range(40)],
        "gone": None,
        "nothing": [],
        "result_count": 0,
    }
    found = {fact.label: fact for fact in facts_of(json.loads(json.dumps(details)))}
    assert found["Scores"].values == ["Source adequacy: 0.5", "Strong: yes"]
    assert found["Directives"].values == ["Topic: Shade; Priority: 1", "x"]
    assert (len(found["Source ids"].values), found["Source ids"].more) == (12, 28)
    assert (found["Gone"].values, found["Nothing"].values, found["Result count"].values) == (["none"], ["none"], ["0"])
