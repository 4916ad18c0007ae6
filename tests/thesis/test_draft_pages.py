"""The Draft panel and the pages of proposals: asking, taking, leaving, stopping, and how much is left (SPEC T3, T4)."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from citations.models import Citation
from projects.models import User
from sections.models import Section
from tests.people import signed_in
from tests.thesis.draft_pages import HTMX, ask, at, draft, panel, results, visible_text
from tests.thesis.proposals import TEXT, proposed, references, run_with
from thesis.models import Draft

__all__ = ["draft", "results"]


# The panel


def test_only_who_writes_has_the_tab(results: Section, owner: User, supervisor: User, reader: User) -> None:
    page = f"/projects/{results.project_id}/sections/results/"
    assert f'hx-get="{at(results)}" hx-trigger="beside-shown once"' in signed_in(owner).get(page).content.decode()
    for user in (supervisor, reader):
        assert "beside-draft" not in signed_in(user).get(page).content.decode()


def test_without_script_the_panel_is_a_page(results: Section, owner: User) -> None:
    page = signed_in(owner).get(at(results)).content.decode()
    assert "<html" in page
    assert "What should it say?" in page
    assert "<html" not in panel(owner, results)


def test_with_nothing_to_rest_on_it_says_where_to_begin(results: Section, owner: User) -> None:
    words = panel(owner, results)
    assert f'No findings yet: <a href="/projects/{results.project_id}/research/">start a research run</a>' in words
    assert f'No references yet: <a href="/projects/{results.project_id}/citations/">add some first</a>' in words
    assert "0 of 100,000 tokens used in this section" in words
    assert "0 of 10 drafts this hour" in words
    assert "Offline engine: it quotes" in words


def test_who_only_reads_sees_proposals_and_nothing_to_press(results: Section, draft: Draft, reader: User) -> None:
    draft.redacted = [{"kind": "email", "value": "asha@example.org"}]
    draft.save()
    for page in (panel(reader, results), signed_in(reader).get(f"/drafts/{draft.pk}/").content.decode()):
        assert "Litter returns it" in page
        assert "1 private detail was not sent" in page
        for absent in (
            "<button",
            "Accept",
            "insist",
            "What should it say?",
            "tokens used in this section",
            "asha@example.org",
        ):
            assert absent not in page.split("<main")[-1].split("</main>")[0], absent


def test_a_place_of_the_text_opens_the_form_about_it(results: Section, owner: User) -> None:
    page = panel(owner, results, f"?way=shorten&start=0&end=34&based_on={results.version}")
    assert '<blockquote class="quote" data-quote>Alder fixes nitrogen in its roots.</blockquote>' in page
    assert 'value="shorten" checked' in page
    assert 'name="start" value="0"' in page
    assert "Continue from here" not in page  # nothing is chosen to go on from, but words
    caret = panel(owner, results, f"?way=continue&start=34&end=34&based_on={results.version}")
    assert 'value="continue" checked' in caret
    assert "Shorten the selection" not in caret


@pytest.mark.parametrize(
    "query", ["?way=shorten", "?way=rewrite&start=9&end=3&based_on=1", "?way=x&start=-1&based_on=y"]
)
def test_a_place_that_is_none_opens_the_form_as_it_is(results: Section, owner: User, query: str) -> None:
    page = panel(owner, results, query)
    assert 'value="end" checked' in page
    assert "data-quote" not in page


# Choosing what it rests on


def test_findings_stand_by_run_and_the_newest_run_is_first(results: Section, owner: User) -> None:
    run_with(results.project, owner, 2)
    run_with(results.project, owner, 1, "Which shrubs follow?")
    words = visible_text(panel(owner, results))
    assert words.index("Which shrubs follow?") < words.index("How does alder change the soil?")
    assert words.count("kg of nitrogen per hectare") == 3


def test_what_is_ticked_stays_whatever_is_looked_for(results: Section, owner: User) -> None:
    run = run_with(results.project, owner, 70)
    references(results.project)
    chosen = {"finding": f"{run.pk}:F1.1-7", "work": "lund2020", "finding_words": "plot 66", "work_words": "litter"}
    answer = signed_in(owner).post(at(results, "choices/"), chosen, headers=HTMX).content.decode()
    assert re.findall(r'value="([^"]+)" checked', answer) == [f"{run.pk}:F1.1-7", "lund2020"]
    assert re.findall(r"Plot \d+", answer) == ["Plot 7", "Plot 66"]
    assert "Nitrogen in alder roots</span> <span" not in answer.split('id="draft-works"')[1]
    assert 'hx-swap-oob="true"' in answer
    nothing = signed_in(owner).post(at(results, "choices/"), {"finding_words": "otter"}, headers=HTMX)
    assert "No finding contains these words" in visible_text(nothing)


def test_searching_without_script_keeps_the_form(results: Section, owner: User) -> None:
    run_with(results.project, owner, 3)
    page = visible_text(ask(owner, results, htmx=False, look="1", instructions="Say why.", finding_words="Plot 2"))
    assert "Say why." in page
    assert "Plot 2 held" in page
    assert "Plot 3 held" not in page
    assert not Draft.objects.exists()


def test_fifty_are_shown_and_how_many_there_are(results: Section, owner: User) -> None:
    run_with(results.project, owner, 60)
    Citation.objects.bulk_create(
        Citation(project=results.project, cite_key=f"k{n}", title=f"Work {n}", serial=n) for n in range(60)
    )
    page = panel(owner, results)
    assert page.count('name="finding"') == page.count('name="work"') == 50
    assert page.count("50 of 60. Search to see others.") == 2


# Asking


def with_a_model(settings: Settings) -> None:
    """A model is set up; nothing is asked of it, since no worker runs."""
    settings.LLM_ENGINE, settings.ANTHROPIC_API_KEY = "anthropic", "none"
    settings.ANTHROPIC_BASE_URL = "http://127.0.0.1:9"


def test_the_offline_engine_drafts_the_whole_without_rewriting(results: Section, owner: User) -> None:
    ask(owner, results, way="whole", instructions="Say why.")
    made = Draft.objects.get()
    assert (made.kind, made.place) == ("draft", "whole")


def test_asking_for_a_draft(results: Section, owner: User, settings: Settings) -> None:
    with_a_model(settings)
    run = run_with(results.project, owner, 2)
    references(results.project)
    earlier = proposed(results, owner, outcome="discarded")
    page = ask(
        owner,
        results,
        way="whole",
        instructions="Say why.\r\nBriefly.",
        finding=f"{run.pk}:F1.1-2",
        work="menon2021",
        follows=str(earlier.pk),
    ).content.decode()
    made = Draft.objects.first()
    assert made is not None
    assert (made.kind, made.place, made.instructions) == ("rewrite", "whole", "Say why.\nBriefly.")
    assert made.findings == [{"run": str(run.pk), "finding_id": "F1.1-2"}]
    assert "menon2021" in made.cite_keys
    assert (made.follows, made.conversation, made.created_by) == (earlier, earlier.conversation, owner)
    assert made.job is not None
    assert f'draft="{made.pk}" job="{made.job.pk}" src="/api/drafts/{made.pk}" state="queued"' in page
    assert "Waiting in the queue. You can close this page; it will be here." in visible_text(page)


def test_asking_about_a_place(results: Section, owner: User, settings: Settings) -> None:
    sent: dict[str, Any] = {"way": "shorten", "start": "0", "end": "34", "based_on": str(results.version)}
    refused = ask(owner, results, **sent)
    assert refused.status_code == 422
    assert "it cannot rewrite or shorten" in visible_text(refused)
    assert 'value="shorten" checked' in refused.content.decode()
    with_a_model(settings)
    ask(owner, results, **sent)
    made = Draft.objects.get()
    assert (made.kind, made.place, made.start, made.end) == ("shorten", "range", 0, 34)


def test_asking_without_script_leads_to_the_panel(results: Section, owner: User) -> None:
    response = ask(owner, results, htmx=False, way="end", instructions="Say why.")
    assert (response.status_code, response.url) == (302, at(results))
    assert Draft.objects.get().place == "end"


def test_the_hour_is_over_and_the_form_stays_as_it_was(results: Section, owner: User) -> None:
    run = run_with(results.project, owner, 2)
    for _ in range(10):
        proposed(results, owner, outcome="taken", created_at=timezone.now() - timedelta(minutes=20))
    response = ask(owner, results, instructions="Say why.", finding=f"{run.pk}:F1.1-2")
    page = response.content.decode()
    assert response.status_code == 429
    assert "You have reached the limit of 10 drafts per hour." in page
    assert '<p class="wrong" id="draft-wrong" role="alert">' in page
    assert ">Say why.</textarea>" in page
    assert f'value="{run.pk}:F1.1-2" checked' in page
    assert re.search(r"10 of 10 drafts this hour; next one at \d\d:\d\d", visible_text(page))


def test_a_place_in_a_text_that_moved_is_refused(results: Section, owner: User) -> None:
    version = results.version
    results.write("Something else.", based_on=version, by=owner)
    response = ask(owner, results, way="rewrite", start="0", end="34", based_on=str(version), instructions="Say why.")
    assert response.status_code == 409
    assert "The text was edited in the meantime" in visible_text(response)
    assert "Say why." in visible_text(response)
    assert not Draft.objects.exists()


# How much is left


def test_the_allowance_has_a_row_for_each_section(results: Section, draft: Draft, owner: User, reader: User) -> None:
    Draft.objects.filter(pk=draft.pk).update(output_tokens=17_200, reserved_tokens=1_000)
    intro = results.project.sections.get(slug="introduction")
    proposed(intro, owner, output_tokens=500, outcome="taken")
    page = signed_in(owner).get(f"/projects/{results.project_id}/drafting/").content.decode()
    words = visible_text(page)
    assert "18,700 of 1,200,000 tokens" in words
    assert "18,200 of 100,000" in words
    assert 'value="500"' in page
    assert page.count("<meter") == 1 + results.project.sections.count()
    assert "1 open of 1" in words
    assert "2 of 10 drafts this hour" in words
    assert "drafts this hour" not in visible_text(signed_in(reader).get(f"/projects/{results.project_id}/drafting/"))


# Who may, and how often the database is asked


def test_strangers_readers_and_other_methods(
    results: Section, draft: Draft, outsider: User, reader: User, supervisor: User, owner: User
) -> None:
    one = f"/drafts/{draft.pk}/"
    pages = [at(results), one, f"/projects/{results.project_id}/drafting/"]
    posts = [at(results, "start/"), at(results, "choices/"), f"{one}take/", f"{one}leave/", f"{one}stop/"]
    for address in pages:
        assert signed_in(outsider).get(address).status_code == 404, address
        assert signed_in(supervisor).get(address).status_code == 200, address
        assert signed_in(owner).post(address).status_code == 405, address
    for address in posts:
        assert signed_in(outsider).post(address).status_code == 404, address
        assert signed_in(reader).post(address).status_code == 403, address
        assert signed_in(supervisor).post(address).status_code == 403, address
        assert signed_in(owner).get(address).status_code == 405, address
    results.refresh_from_db()
    assert results.latex == TEXT


def test_as_many_questions_for_much_as_for_little(results: Section, draft: Draft, owner: User) -> None:
    run_with(results.project, owner, 3)
    client = signed_in(owner)
    addresses = [at(results), f"/drafts/{draft.pk}/?conversation=1", f"/projects/{results.project_id}/drafting/"]

    def asked() -> list[int]:
        counts = []
        for address in addresses:
            with CaptureQueriesContext(
                connection,
            ) as queries:
                assert client.get(address).status_code == 200
            counts.append(len(queries))
        return counts

    proposed(results, owner, outcome="taken")
    before = asked()
    for n in range(4):
        run_with(results.project, owner, 20, f"Question {n}")
        proposed(results, owner, outcome="discarded", conversation=draft.conversation)
        proposed(results.project.sections.get(slug="introduction"), owner)
    Citation.objects.bulk_create(Citation(project=results.project, cite_key=f"k{n}", serial=n) for n in range(60))
    assert asked() == before
    assert max(before) < 30
