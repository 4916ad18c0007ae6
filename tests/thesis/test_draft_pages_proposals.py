"""The pages of a proposal: what it shows, accepting and discarding it, stopping one that is written (SPEC T3, T4)."""

import re
from typing import Any

import pytest

from jobs.models import State
from projects.models import User
from sections.models import Section, SectionVersion
from tests.people import signed_in
from tests.thesis.draft_pages import HTMX, at, draft, panel, results, take, visible_text
from tests.thesis.proposals import NEW, TEXT, job_for, proposed
from thesis.models import Draft

__all__ = ["draft", "results"]


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
    page = visible_text(signed_in(owner).get(f"/drafts/{made.pk}/?conversation=1"))
    assert words in page
    assert ("Accept all" in page) == bool(made.blocks)
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
    page = visible_text(signed_in(owner).get(f"/drafts/{second.pk}/?conversation=1"))
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
    assert "Accept the rest" in page
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
    assert "Accept this block" in visible_text(response)
    results.refresh_from_db()
    assert results.latex == "Something else stands here."


def test_its_address_leads_to_it_beside_its_section(
    results: Section, draft: Draft, owner: User, supervisor: User, outsider: User
) -> None:
    old = proposed(results, owner, outcome="discarded", instructions="An older one")
    for _ in range(3):
        proposed(results, owner)
    there: Any = signed_in(owner).get(f"/drafts/{old.pk}/")
    assert (there.status_code, there.url) == (
        302,
        f"/projects/{results.project_id}/sections/results/?beside=draft&draft={old.pk}",
    )
    page = signed_in(owner).get(there.url).content.decode()
    assert page.count(f"/draft/?draft={old.pk}") == 2  # for the panel, and without scripts
    shown = panel(owner, results, f"?draft={old.pk}")
    assert shown.index(f'id="proposal-{old.pk}"') < shown.index('id="draft-earlier"')
    assert panel(owner, results, "?draft=none").count("<draft-proposal") == 1
    assert signed_in(supervisor).get(f"/drafts/{old.pk}/").status_code == 200
    assert signed_in(outsider).get(f"/drafts/{old.pk}/").status_code == 404


def test_leaving_it_and_thinking_again(results: Section, draft: Draft, owner: User) -> None:
    response: Any = signed_in(owner).post(f"/drafts/{draft.pk}/leave/")
    assert (response.status_code, response.url) == (302, at(results))
    results.refresh_from_db()
    assert results.latex == TEXT
    page = visible_text(signed_in(owner).get(f"/drafts/{draft.pk}/?conversation=1"))
    assert "Discarded" in page
    assert "Accept anyway" in page
    htmx = signed_in(owner).post(f"/drafts/{draft.pk}/leave/", headers=HTMX)
    assert "Earlier proposals, 1" in visible_text(htmx)


def test_stopping_one_that_is_written(results: Section, draft: Draft, owner: User) -> None:
    job_for(draft, State.RUNNING)
    assert signed_in(owner).post(f"/drafts/{draft.pk}/stop/", headers=HTMX).status_code == 200
    assert draft.job is not None
    draft.job.refresh_from_db()
    assert draft.job.wanted == "cancel"
