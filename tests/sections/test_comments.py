"""SPEC T2: comments on places in the text, in threads; the supervisor's main act."""

import json
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from projects.models import Project, User
from sections import comments as comment_actions
from sections.comment_anchors import Anchor, anchor_at
from sections.models import Comment, Section
from sections.side_panels import THREADS_AT_ONCE
from tests.people import signed_in

HX = {"HX-Request": "true"}
TEXT = "Seven trials were pooled. By day 28, 222 of 678 patients had died.\n\nNo harm was seen."


@pytest.fixture
def results(project: Project, owner: User) -> Section:
    section: Section = project.sections.get(slug="results")
    return section.write(TEXT, based_on=0, by=owner)


@pytest.fixture
def remark(results: Section, supervisor: User) -> Comment:
    """Ravi, the supervisor, asks about the deaths."""
    start = TEXT.index("222 of 678")
    return comment_actions.add(results, "Which trials?", anchor_at(TEXT, start, start + 10), by=supervisor)


def at(section: Section, path: str = "") -> str:
    return f"/projects/{section.project_id}/sections/{section.slug}/comments/{path}"


def send(user: User, address: str, **data: Any) -> Any:
    return signed_in(user).post(address, data, headers=HX)


def api(user: User, method: str, path: str, **data: Any) -> Any:
    return signed_in(user).generic(method, f"/api/{path}", json.dumps(data), content_type="application/json")


def test_commenting_on_selected_words(results: Section, supervisor: User) -> None:
    start = TEXT.index("Seven trials")
    place = {"quote": "Seven trials", "before": "", "after": TEXT[12:60], "start": start}
    page = send(supervisor, at(results), body="Which?\r\nName them.", **place).content.decode()
    made = results.comments.get()
    assert (made.body, made.quote, made.author, made.version) == ("Which?\nName them.", "Seven trials", supervisor, 1)
    assert "Which?" in page
    assert f'data-focus="{made.pk}"' in page
    assert 'data-words="Seven trials"' in page


def test_a_comment_without_words_is_about_the_section(results: Section, owner: User) -> None:
    send(owner, at(results), body="Shorten this.")
    thread = comment_actions.threads_of(results)[0]
    assert (thread.comment.quote, thread.place, thread.lost) == ("", None, False)


def test_threads_stand_in_the_order_of_the_text(results: Section, remark: Comment, owner: User) -> None:
    comment_actions.add(results, "First", anchor_at(TEXT, 0, 5), by=owner)
    comment_actions.add(results, "All of it", comment_actions.WHOLE_SECTION, by=owner)
    bodies = [thread.comment.body for thread in comment_actions.threads_of(results)]
    assert bodies == ["First", "Which trials?", "All of it"]


def test_it_stays_at_its_words_in_a_text_that_moved(results: Section, remark: Comment, owner: User) -> None:
    moved = results.write(f"A new first paragraph.\n\n{TEXT}", based_on=1, by=owner)
    [thread] = comment_actions.threads_of(moved)
    assert thread.place is not None
    assert moved.latex[slice(*thread.place)] == "222 of 678"
    assert not thread.changed


def test_words_that_were_edited_are_shown_with_those_it_was_about(
    results: Section, remark: Comment, owner: User
) -> None:
    results.write(TEXT.replace("222 of 678", "223 of 679"), based_on=1, by=owner)
    page = signed_in(owner).get(at(results)).content.decode()
    was, now = page.index("222 of 678"), page.index(">223 of 679<")
    assert page.index("The words have changed. This comment was about:") < was < page.index("They are now:") < now
    assert api(owner, "GET", f"sections/{results.pk}/comments").json()[0]["changed"] is True


def test_when_its_words_are_gone_it_is_still_there(results: Section, remark: Comment, owner: User) -> None:
    results.write("Something else stands here.", based_on=1, by=owner)
    page = signed_in(owner).get(at(results), headers=HX).content.decode()
    assert "The text has changed. This comment was about:" in page
    assert "222 of 678" in page
    assert "Which trials?" in page


def test_replies_and_resolving(results: Section, remark: Comment, owner: User) -> None:
    page = send(owner, at(results, f"{remark.pk}/reply/"), body="All seven.").content.decode()
    assert page.index("Which trials?") < page.index("All seven.")
    page = send(owner, at(results, f"{remark.pk}/resolve/")).content.decode()
    assert "Resolved, 1" in page
    assert "Resolved by Asha Menon" in page
    assert comment_actions.open_threads(results) == 0
    send(owner, at(results, f"{remark.pk}/resolve/"), again="1")
    assert comment_actions.open_threads(results) == 1


def test_a_reply_to_a_reply_is_in_the_same_thread(results: Section, remark: Comment, owner: User) -> None:
    first = comment_actions.reply(remark, "One", by=owner)
    assert comment_actions.reply(first, "Two", by=owner).replies_to == remark


def test_one_edits_and_deletes_what_is_ones_own(
    results: Section, remark: Comment, owner: User, supervisor: User
) -> None:
    send(supervisor, at(results, f"{remark.pk}/edit/"), body="Which of them?")
    remark.refresh_from_db()
    assert (remark.body, remark.edited_at is not None) == ("Which of them?", True)
    for act in ("edit/", "delete/"):
        assert send(owner, at(results, f"{remark.pk}/{act}"), body="Not mine").status_code == 403
    assert "Edit" not in signed_in(owner).get(at(results), headers=HX).content.decode()
    send(supervisor, at(results, f"{remark.pk}/delete/"))
    assert not Comment.objects.exists()


def test_a_deleted_comment_with_replies_keeps_its_place(
    results: Section, remark: Comment, owner: User, supervisor: User
) -> None:
    answer = comment_actions.reply(remark, "All seven.", by=owner)
    page = send(supervisor, at(results, f"{remark.pk}/delete/")).content.decode()
    assert "Which trials?" not in page
    assert "This comment was deleted." in page
    assert "All seven." in page
    assert send(supervisor, at(results, f"{remark.pk}/edit/"), body="Back").status_code == 422
    send(owner, at(results, f"{answer.pk}/delete/"))
    assert not Comment.objects.exists()


@pytest.mark.parametrize("body", ["", "  \n ", "x" * 10_001, "nul \x00"])
def test_what_cannot_be_said_is_refused_and_stays_in_the_box(results: Section, owner: User, body: str) -> None:
    answer = send(owner, at(results), body=body, quote="Seven", start=0)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert 'role="alert"' in page
    assert 'value="Seven"' in page
    assert not Comment.objects.exists()
    refused = api(owner, "POST", f"sections/{results.pk}/comments", body=body)
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "body")


@pytest.mark.parametrize("start", ["-4", "x", "9" * 40, "", "²"])
def test_a_place_that_is_none_is_taken_as_the_start(results: Section, owner: User, start: str) -> None:
    assert send(owner, at(results), body="Here", quote="Seven", start=start).status_code == 200
    assert comment_actions.threads_of(results)[0].place == (0, 5)


@pytest.mark.long
def test_too_many_are_refused(results: Section, remark: Comment, owner: User) -> None:
    most = comment_actions.MOST_OF_SECTION - 1
    rows = [Comment(section=results, author=owner, body="Again", replies_to=remark) for _ in range(most)]
    Comment.objects.bulk_create(rows)
    assert "at most 2,000 comments" in send(owner, at(results), body="One more").content.decode()


def test_what_people_write_is_shown_and_not_run(results: Section, owner: User) -> None:
    send(owner, at(results), body="<script>alert(1)</script>", quote='"><img src=x>')
    page = signed_in(owner).get(at(results), headers=HX).content.decode()
    assert "<script>alert" not in page
    assert "<img" not in page


def test_the_panel_is_sent_again_only_when_something_is_new(results: Section, remark: Comment, owner: User) -> None:
    client = signed_in(owner)
    page = client.get(at(results), headers=HX).content.decode()
    again = page.split("?seen=")[1].split('"')[0]
    assert client.get(at(results, f"?seen={again}"), headers=HX).status_code == 204
    comment_actions.reply(remark, "New", by=owner)
    assert client.get(at(results, f"?seen={again}"), headers=HX).status_code == 200


def test_counts_stand_in_the_outline_and_in_the_rail(results: Section, remark: Comment, owner: User) -> None:
    page = signed_in(owner).get(f"/projects/{results.project_id}/sections/results/").content.decode()
    assert "<span data-number>1</span>" in page
    elsewhere = signed_in(owner).get(f"/projects/{results.project_id}/sections/abstract/").content.decode()
    assert f'data-comments-of="{results.pk}"' in elsewhere
    comment_actions.resolve(remark, by=owner)
    elsewhere = signed_in(owner).get(f"/projects/{results.project_id}/sections/abstract/").content.decode()
    assert f'data-comments-of="{results.pk}"' not in elsewhere


def test_many_comments_cost_as_many_queries_as_few(
    results: Section, remark: Comment, owner: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client = signed_in(owner)

    def asked() -> int:
        from django.db import connection
        from django.test.utils import CaptureQueriesContext

        with CaptureQueriesContext(connection) as queries:
            client.get(at(results), headers=HX)
            client.get(f"/projects/{results.project_id}/sections/results/")
        return len(queries)

    comment_actions.resolve(comment_actions.add(results, "Done", Anchor("trials"), by=owner), by=owner)
    asked()  # the numbers of the text are read once
    few = asked()
    for n in range(30):
        made = comment_actions.add(results, f"Remark {n}", Anchor("trials", "", "", n), by=owner)
        comment_actions.resolve(comment_actions.reply(made, "Yes", by=owner), by=owner)
    assert asked() == few


def test_by_the_api(results: Section, supervisor: User, owner: User, reader: User) -> None:
    here = f"sections/{results.pk}/comments"
    start = TEXT.index("No harm")
    made = api(supervisor, "POST", here, body="None at all?", start=start, end=start + 7)
    assert (made.status_code, made.json()["quote"], made.json()["start"]) == (201, "No harm", start)
    one = f"comments/{made.json()['id']}"
    assert api(owner, "POST", f"{one}/replies", body="None reported.").status_code == 201
    assert api(supervisor, "PATCH", one, body="None?").json()["body"] == "None?"
    assert api(owner, "POST", f"{one}/resolve").json()["resolved_by"] == owner.email
    assert api(owner, "POST", f"{one}/reopen").json()["resolved_at"] is None
    [thread] = api(reader, "GET", here).json()
    assert [thread["author"], thread["replies"][0]["author"]] == [supervisor.email, owner.email]
    assert [reply["body"] for reply in thread["replies"]] == ["None reported."]
    assert api(supervisor, "DELETE", one).status_code == 204
    assert api(reader, "GET", here).json()[0]["body"] == ""
    assert api(supervisor, "POST", here, body="x", start=50_000, end=50_001).status_code == 422


def test_offsets_are_characters_and_not_bytes(results: Section, owner: User) -> None:
    results.write("😀 étude: Seven trials", based_on=1, by=owner)
    made = api(owner, "POST", f"sections/{results.pk}/comments", body="x", start=9, end=14).json()
    assert made["quote"] == "Seven"


def test_who_may(results: Section, remark: Comment, owner: User, reader: User, outsider: User) -> None:
    acts = [f"{remark.pk}/{act}/" for act in ("reply", "edit", "delete", "resolve")]
    one = f"comments/{remark.pk}"
    for person, reads, comments in ((reader, 200, 403), (outsider, 404, 404)):
        assert signed_in(person).get(at(results)).status_code == reads
        assert api(person, "GET", f"sections/{results.pk}/comments").status_code == reads
        for path in ("", *acts):
            assert send(person, at(results, path), body="Mine").status_code == comments
        assert api(person, "POST", f"sections/{results.pk}/comments", body="x").status_code == comments
        for method, path in (("PATCH", one), ("DELETE", one), ("POST", f"{one}/replies"), ("POST", f"{one}/resolve")):
            assert api(person, method, path, body="x").status_code == comments
    for path in acts:
        assert signed_in(owner).get(at(results, path)).status_code == 405
    assert signed_in(owner).put(at(results)).status_code == 405
    assert Client().get(at(results))["Location"].startswith("/accounts/login/")
    remark.refresh_from_db()
    assert (remark.body, Comment.objects.count()) == ("Which trials?", 1)


def test_a_comment_is_found_in_its_own_section_only(results: Section, remark: Comment, owner: User) -> None:
    elsewhere = results.project.sections.get(slug="abstract")
    assert send(owner, at(elsewhere, f"{remark.pk}/reply/"), body="Here?").status_code == 404
    Section.objects.filter(pk=results.pk).update(removed_at=remark.made_at)
    assert send(owner, at(results, f"{remark.pk}/reply/"), body="Here?").status_code == 404
    assert api(owner, "PATCH", f"comments/{remark.pk}", body="Here?").status_code == 404


@pytest.mark.long
def test_of_very_many_comments_a_part_is_shown_and_the_rest_on_request(results: Section, owner: User) -> None:
    Comment.objects.bulk_create(
        Comment(section=results, author=owner, body=f"Remark {number}.", quote="trials", start=6, version=1)
        for number in range(THREADS_AT_ONCE + 20)
    )
    client = signed_in(owner)
    first = client.get(at(results), headers=HX).content.decode()
    assert first.count('class="thread"') == THREADS_AT_ONCE
    assert "Show 20 more comments" in first
    assert f"{THREADS_AT_ONCE + 20} open" in first
    every = client.get(at(results, "?all=1"), headers=HX).content.decode()
    assert every.count('class="thread"') == THREADS_AT_ONCE + 20
    assert "more comments" not in every
    answered = send(owner, at(results), body="One more about all of it.").content.decode()
    assert "One more about all of it." in answered
