"""R17 on the pages and over the API: who may ask what, and how the answer is shown."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from jobs.models import Job, State
from projects.models import User
from research.follow_ups.start import ask, rerun
from research.models import Gap, Run
from tests.people import open_data, signed_in
from tests.research.finished_run import finished, forest, owner, project, run
from tests.research.follow_up_run import worked

__all__ = ["finished", "forest", "owner", "project", "run"]

pytestmark = pytest.mark.django_db

TALL = "How tall was Douglas-fir next to red alder?"


@pytest.fixture
def gap(run: Run) -> Gap:
    return Gap.objects.create(
        run=run,
        node=run.nodes.get(number="1.1"),
        gap_id="G1.1-7",
        description="<b>Roots</b>",
        suggested_queries=["roots"],
    )


def page(user: User, name: str, *args: object, **query: str) -> str:
    return signed_in(user).get(reverse(f"research:{name}", args=args), query).content.decode()


def test_ask_on_the_report_and_read_the_answer_there(run: Run, owner: User) -> None:
    client = signed_in(owner)
    assert "Follow-up questions" in page(owner, "report", run.pk)
    answer = client.post(reverse("research:follow_up_ask", args=[run.pk]), {"question": f"{TALL} <script>"})
    assert answer["Location"] == reverse("research:report", args=[run.pk]) + "#more-1"
    waiting = page(owner, "report", run.pk)
    assert 'hx-trigger="every 3s"' in waiting
    assert "In the queue." in waiting
    assert "follow-up in progress" in waiting
    asked = worked(run.follow_ups.get())
    shown = page(owner, "report", run.pk)
    assert "11.4 m" in shown
    assert "&lt;script&gt;" in shown
    assert "<script>" not in shown.partition('id="follow-ups"')[2].partition("</section>")[0]
    assert 'hx-trigger="every' not in shown
    for number in re.findall(r'href="#more-1-(\d+)"', shown):
        assert f'id="more-1-{number}"' in shown
    words = page(owner, "follow_up", run.pk, asked.number)
    assert ">Evidence<" in words
    assert "<mark>Mean height of Douglas-fir was 11.4 m" in words


def test_the_list_alone_for_htmx(run: Run, owner: User) -> None:
    asked = rerun(run, owner, "1.1")
    address = reverse("research:follow_ups", args=[run.pk])
    client = signed_in(owner)
    part = client.get(address, headers={"HX-Request": "true"}).content.decode()
    assert 'id="follow-up-list"' in part
    assert "<html" not in part
    assert "Research question 1.1 again" in part
    assert "<html" in client.get(address).content.decode()
    worked(asked)
    part = client.get(address, headers={"HX-Request": "true"}).content.decode()
    assert "The report was rewritten." in part
    assert "every 3s" not in part


def test_the_report_before_can_still_be_read(run: Run, owner: User) -> None:
    heading = re.search(r"^# (.+)$", run.report, re.MULTILINE)
    assert heading is not None
    Run.objects.filter(pk=run.pk).update(report=run.report.replace(heading[1], "An earlier title"))
    asked = worked(rerun(run, owner, "1.1"))
    assert "An earlier title" not in page(owner, "report", run.pk)
    earlier = page(owner, "follow_up", run.pk, asked.number)
    assert "An earlier title" in earlier
    assert 'id="ref-1"' in earlier


def test_extend_a_gap_and_run_a_question_again_from_their_places(run: Run, owner: User, gap: Gap) -> None:
    client = signed_in(owner)
    for name in ("findings", "report"):
        shown = page(owner, name, run.pk)
        assert f'form="extend" name="gap_id" value="{gap.gap_id}"' in shown
        assert 'id="extend"' in shown
    assert 'form="run-again" name="node" value="1.1"' in page(owner, "run", run.pk)
    assert 'name="node" value="1.1"' in page(owner, "tree", run.pk)
    address = reverse("research:follow_up_ask", args=[run.pk])
    answer = client.post(address, {"gap_id": gap.gap_id})
    assert answer["Location"] == reverse("research:run", args=[run.pk])
    assert client.post(address, {"node": "1.1"}).status_code == 302
    working = page(owner, "run", run.pk)
    assert 'name="node" value="1.1"' not in working  # one after the other: while it works, nothing is offered
    assert " over>" not in working  # the stream goes on
    assert "The report" in working
    worked(run.follow_ups.get(number=1))
    assert " over>" in page(owner, "run", run.pk)


def test_what_is_wrong_is_said_where_it_was_asked(run: Run, owner: User) -> None:
    client = signed_in(owner)
    address = reverse("research:follow_up_ask", args=[run.pk])
    for sent, said in (
        ({"question": " "}, "Please write a question first."),
        ({}, "Please write a question first."),
        ({"gap_id": "G9-9"}, "There is no such gap in this run."),
        ({"node": "9.9"}, "There is no such question in this run."),
        ({"node": "9" * 30}, "There is no such question in this run."),
        ({"node": "1\x00"}, "Null characters are not allowed."),
    ):
        answer = client.post(address, sent)
        assert answer.status_code == 422, sent
        assert said in answer.content.decode(), sent
    assert client.get(address).status_code == 405
    assert client.post(reverse("research:follow_ups", args=[run.pk])).status_code == 405
    assert client.get(reverse("research:follow_up", args=[run.pk, 99])).status_code == 404
    assert not run.follow_ups.exists()


def test_a_spent_budget_is_said_and_can_be_raised(run: Run, owner: User) -> None:
    Run.objects.filter(pk=run.pk).update(
        budget_calls=5, spent_calls=5, budget_usd="1.50", spent_usd="0.2", engine="Claude"
    )
    client, address = signed_in(owner), reverse("research:follow_up_ask", args=[run.pk])
    answer = client.post(address, {"question": TALL})
    assert answer.status_code == 422
    said = answer.content.decode()
    assert "The budget of this run is spent: 5 calls." in said
    assert 'name="more_calls"' in said
    assert 'name="more_usd"' not in said
    assert TALL in said
    assert client.post(address, {"question": TALL, "more_calls": "-3"}).status_code == 422
    assert client.post(address, {"question": TALL, "more_calls": "x"}).status_code == 422
    assert client.post(address, {"question": TALL, "more_calls": "20"}).status_code == 302
    run.refresh_from_db()
    assert (run.budget_calls, str(run.budget_usd)) == (25, "1.50000000")
    assert run.provenance.get(event_type="budget_raised").details == {"calls": "25"}
    assert run.follow_ups.count() == 1


def test_readers_read_and_strangers_find_nothing(
    run: Run, owner: User, reader: User, editor: User, outsider: User, gap: Gap
) -> None:
    worked(ask(run, owner, TALL))
    open_data(run.project)
    address = reverse("research:follow_up_ask", args=[run.pk])
    shown = page(reader, "report", run.pk)
    assert "11.4 m" in shown
    assert address not in shown
    assert "Run again" not in page(reader, "run", run.pk)
    assert signed_in(reader).post(address, {"question": TALL}).status_code == 403
    assert signed_in(editor).post(address, {"question": "And nitrate?"}).status_code == 302
    stranger = signed_in(outsider)
    assert stranger.post(address, {"question": TALL}).status_code == 404
    for name, args in (("follow_ups", [run.pk]), ("follow_up", [run.pk, 1])):
        assert stranger.get(reverse(f"research:{name}", args=args)).status_code == 404
    for path, body in (("ask", {"question": TALL}), ("extend", {"gap_id": "G1-1"}), ("rerun", {"node": "1"})):
        where = f"/api/runs/{run.pk}/{path}"
        assert stranger.post(where, body, content_type="application/json").status_code == 404
        assert signed_in(reader).post(where, body, content_type="application/json").status_code == 403
    assert stranger.get(f"/api/runs/{run.pk}/follow-ups").status_code == 404
    assert len(signed_in(reader).get(f"/api/runs/{run.pk}/follow-ups").json()) == 2


def test_the_number_of_queries_does_not_grow(run: Run, owner: User) -> None:
    client, address = signed_in(owner), reverse("research:report", args=[run.pk])

    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert client.get(address).status_code == 200
        return len(asked)

    worked(ask(run, owner, TALL))
    queries()
    few = queries()
    for n in range(5):
        ask(run, owner, f"{TALL} {n}")
    worked(run.follow_ups.get(number=1))
    assert queries() == few


def test_over_the_api(run: Run, owner: User, gap: Gap) -> None:
    client = signed_in(owner)

    def post(path: str, **body: object) -> tuple[int, dict[str, object]]:
        answer = client.post(f"/api/runs/{run.pk}/{path}", body, content_type="application/json")
        return answer.status_code, answer.json()

    status, asked = post("ask", question=TALL)
    assert (status, asked["state"], asked["number"]) == (201, "waiting", 1)
    assert post("extend", gap_id=gap.gap_id)[0] == 201
    assert post("rerun", node="1.1")[0] == 201
    assert client.get(f"/api/runs/{run.pk}").json()["state"] == "queued"
    worked(run.follow_ups.get(number=1))
    rows = client.get(f"/api/runs/{run.pk}/follow-ups").json()
    assert [row["kind"] for row in rows] == ["ask", "extend", "rerun"]
    assert {row["state"] for row in rows} == {"answered"}
    assert "11.4 m" in rows[0]["answer"]
    assert rows[2]["report_before"]
    for path, body, wanted, field in (
        ("ask", {"question": " "}, 422, "question"),
        ("ask", {}, 422, "question"),
        ("ask", {"question": "More?", "add_to_budget": 2}, 422, "budget.usd"),
        ("extend", {"gap_id": "G1"}, 404, "gap_id"),
        ("rerun", {"node": "5"}, 404, "node"),
    ):
        status, said = post(path, **body)
        assert status == wanted, (path, body, said)
        assert field in said["error"]["field"], said  # type: ignore[index]
    Job.objects.filter(pk=run.job_id).update(state=State.PAUSED)
    assert post("ask", question="While it rests?")[0] == 201
    run.steps.filter(key="phase/done").delete()
    status, said = post("ask", question="Too early?")
    assert (status, said["error"]["code"]) == (409, "not_finished")  # type: ignore[index]
