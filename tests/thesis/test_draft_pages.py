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
from jobs.models import State
from projects.models import Project, User
from sections.models import Section, SectionVersion
from tests.people import signed_in
from tests.thesis.proposals import NEW, TEXT, job_for, proposed, references, run_with
from thesis.models import Draft

HTMX = {"HX-Request": "true"}


@pytest.fixture
def results(project: Project, owner: User) -> Section:
    section: Section = project.sections.get(slug="results")
    return section.write(TEXT, based_on=0, by=owner)


@pytest.fixture
def draft(results: Section, owner: User) -> Draft:
    references(results.project)
    return proposed(results, owner)


def at(section: Section, path: str = "") -> str:
    return f"/projects/{section.project_id}/sections/{section.slug}/draft/{path}"


def panel(user: User, section: Section, query: str = "") -> str:
    response = signed_in(user).get(at(section) + query, headers=HTMX)
    assert response.status_code == 200
    return str(response.content.decode())


def visible_text(html: str | Any) -> str:
    """What a page says, without its marks."""
    html = html if isinstance(html, str) else html.content.decode()
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def ask(user: User, section: Section, *, htmx: bool = True, **data: Any) -> Any:
    return signed_in(user).post(at(section, "start/"), data, headers=HTMX if htmx else {})


def take(user: User, draft: Draft, **data: Any) -> Any:
    return signed_in(user).post(f"/drafts/{draft.pk}/take/", data)


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
            "Take",
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


# A proposal


def test_it_shows_what_changes_and_how_each_work_is_proven(results: Section, draft: Draft, owner: User) -> None:
    page = panel(owner, results)
    assert "<del>roots</del>" in page
    assert "<ins>Litter returns it " in page
    assert "Offline engine: it quotes your findings" in page
    assert "It cites 3 works; 2 are left out unless you tick them" in visible_text(page)
    chips = re.findall(r'<span class="cite" data-tier="(\w+)" data-key="(\w+)"( data-out)?>', page)
    assert chips == [("a", "menon2021", ""), ("conflict", "lund2020", " data-out"), ("d", "berg2019", " data-out")]
    badges = page.split('data-part="cited"')[1].split('data-part="blocks"')[0]
    assert re.findall(r'class="tier" data-tier="(\w+)"', badges) == ["conflict", "d", "a"]
    assert re.findall(r'name="insist" value="(\w+)"', badges) == ["lund2020", "berg2019"]


def test_what_it_says_is_text_and_no_page(results: Section, owner: User) -> None:
    evil = "<script>alert(1)</script> \\cite{<b>}"
    block = {"number": 1, "start": 0, "end": 0, "was": "", "latex": evil}
    proposed(results, owner, blocks=[block], keys=["<b>"], notes=[evil], instructions=evil, engine=evil)
    page = panel(owner, results)
    assert "<script>" not in page
    assert "<b>}" not in page
    assert "Not in your references" not in page.split("<ins>")[0]
    assert "not in your references" in page


def test_a_long_one_is_shown_and_not_compared(results: Section, owner: User) -> None:
    long = "Word and word. " * 5_000
    block = {"number": 1, "start": 0, "end": 5, "was": "Alder", "latex": long}
    proposed(results, owner, blocks=[block], keys=[])
    page = panel(owner, results)
    assert f"<ins>{long}</ins>" in page


def test_what_was_not_sent(results: Section, draft: Draft, owner: User) -> None:
    draft.redacted = [
        {"kind": "email", "value": "asha@example.org"},
        {"kind": "phone", "value": "+44 20 7946 0958"},
        {"kind": "phone", "value": "020 7946 0959"},
    ]
    draft.save()
    page = panel(owner, results)
    assert "3 private details were not sent: 2 telephone numbers and 1 e-mail address." in visible_text(page)
    assert "<dt>+44 20 7946 0958</dt>" in page
    assert f'href="/projects/{results.project_id}/settings/#private"' in page


@pytest.mark.parametrize(
    ("state", "fields", "words"),
    [
        (State.CANCELLED, {"stop_reason": "cancelled"}, "This draft is incomplete: somebody stopped it."),
        (
            State.FAILED,
            {},
            "This draft is incomplete. The model was asked to stop. The text written until then is below.",
        ),
        (State.DONE, {"stop_reason": "max_tokens"}, "This draft is incomplete: it reached its token limit."),
        (State.CANCELLED, {"blocks": [], "latex": "", "keys": []}, "Stopped before anything was written."),
        (State.FAILED, {"blocks": [], "latex": "", "keys": []}, "No draft was made."),
        (State.DONE, {"blocks": [], "latex": "", "keys": []}, "This draft proposes no change."),
    ],
)
def test_one_that_did_not_come_to_its_end(
    results: Section, owner: User, state: State, fields: dict[str, Any], words: str
) -> None:
    made = job_for(proposed(results, owner, **fields), state, "The model was asked to stop.")
    page = visible_text(signed_in(owner).get(f"/drafts/{made.pk}/"))
    assert words in page
    assert ("Take all" in page) == bool(made.blocks)
    assert made.blocks or "The model was asked to stop." in page


def test_while_it_is_written_the_page_asks_until_it_is_there(results: Section, draft: Draft, owner: User) -> None:
    job_for(draft, State.RUNNING)
    page = panel(owner, results)
    assert f'hx-get="/drafts/{draft.pk}/?seen=running" hx-trigger="every 2s"' in page
    assert 'data-part="writing"' in page
    assert "Litter returns it" not in page
    client = signed_in(owner)
    assert client.get(f"/drafts/{draft.pk}/?seen=running", headers=HTMX).status_code == 204
    assert draft.job is not None
    type(draft.job).objects.filter(pk=draft.job.pk).update(state=State.DONE)
    there = client.get(f"/drafts/{draft.pk}/?seen=running", headers=HTMX).content.decode()
    assert there.strip().startswith("<draft-proposal")
    assert "Litter returns it" in there


def test_earlier_ones_are_listed_and_opened(results: Section, owner: User) -> None:
    first = proposed(results, owner, outcome="discarded", instructions="The first try")
    second = proposed(results, owner, follows=first, conversation=first.conversation, instructions="Shorter")
    proposed(results, owner, outcome="taken", instructions="Of another conversation")
    words = visible_text(panel(owner, results))
    assert "Earlier proposals, 2" in words
    assert "The first try" in words
    assert f'hx-get="/drafts/{first.pk}/"' in panel(owner, results)
    page = visible_text(signed_in(owner).get(f"/drafts/{second.pk}/"))
    assert page.index("The first try") < page.rindex("Shorter")
    assert "Of another conversation" not in page
    goes_on = panel(owner, results, f"?follows={second.pk}")
    assert f'<option value="{second.pk}" selected>' in goes_on


# Taking


def test_taking_one_block(results: Section, draft: Draft, owner: User) -> None:
    response = take(owner, draft, numbers="2")
    assert (response.status_code, response.url) == (
        302,
        f"/projects/{results.project_id}/sections/results/?beside=draft",
    )
    results.refresh_from_db()
    assert results.latex.startswith("Alder fixes nitrogen in its roots.")
    assert "Litter returns it" in results.latex
    assert "\\cite{berg2019}" not in results.latex
    newest = results.versions.first()
    assert newest is not None
    assert newest.kind == SectionVersion.Kind.PROPOSED
    assert results.versions.filter(latex=TEXT).exists()
    draft.refresh_from_db()
    assert (draft.outcome, draft.taken) == ("partly", [2])
    page = panel(owner, results)
    assert "Take the rest" in page
    assert re.findall(r'name="numbers" value="(\d)"', page) == ["1"]


def test_taking_all_and_insisting(results: Section, draft: Draft, owner: User) -> None:
    take(owner, draft, insist=["lund2020", "berg2019"])
    results.refresh_from_db()
    assert results.latex == NEW
    draft.refresh_from_db()
    assert draft.outcome == "taken"
    assert "Earlier proposals, 1" in visible_text(panel(owner, results))


def test_taking_all_leaves_out_what_nobody_vouches_for(results: Section, draft: Draft, owner: User) -> None:
    take(owner, draft, insist="berg2019")
    results.refresh_from_db()
    assert "\\cite{menon2021}" in results.latex
    assert "\\cite{berg2019}" in results.latex
    assert "lund2020}" not in results.latex


def test_a_text_that_changed_meanwhile_is_not_overwritten(results: Section, draft: Draft, owner: User) -> None:
    results.write("Something else stands here.", based_on=results.version, by=owner)
    response = take(owner, draft, numbers="1")
    assert response.status_code == 409
    assert "was edited in the meantime, so nothing was changed" in visible_text(response)
    assert "Take this block" in visible_text(response)
    results.refresh_from_db()
    assert results.latex == "Something else stands here."


def test_leaving_it_and_thinking_again(results: Section, draft: Draft, owner: User) -> None:
    response: Any = signed_in(owner).post(f"/drafts/{draft.pk}/leave/")
    assert (response.status_code, response.url) == (302, at(results))
    results.refresh_from_db()
    assert results.latex == TEXT
    page = visible_text(signed_in(owner).get(f"/drafts/{draft.pk}/"))
    assert "Not taken" in page
    assert "Take it anyway" in page
    htmx = signed_in(owner).post(f"/drafts/{draft.pk}/leave/", headers=HTMX)
    assert "Earlier proposals, 1" in visible_text(htmx)


def test_stopping_one_that_is_written(results: Section, draft: Draft, owner: User) -> None:
    job_for(draft, State.RUNNING)
    assert signed_in(owner).post(f"/drafts/{draft.pk}/stop/", headers=HTMX).status_code == 200
    assert draft.job is not None
    draft.job.refresh_from_db()
    assert draft.job.wanted == "cancel"


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
    addresses = [at(results), f"/drafts/{draft.pk}/", f"/projects/{results.project_id}/drafting/"]

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
