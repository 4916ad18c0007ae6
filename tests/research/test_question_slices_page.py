"""What each question of a run was given of the files, and the pane that follows it (SPEC X3, X4, X9)."""

import json
import re
from html import unescape
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from contextfiles.models import ContextFile, NodeContextSlice
from projects.models import User
from research.models import Run
from tests.contextfiles.make_files import text_of
from tests.people import signed_in
from tests.research.files_of_run import ITEMS, bundled, chosen, page_of, question, started
from tests.research.finished_run import finished, forest, owner, run

__all__ = ["chosen", "finished", "forest", "owner", "run"]

pytestmark = pytest.mark.django_db


def test_a_question_shows_what_it_was_given(chosen: Run, owner: User) -> None:
    bundled(chosen)
    question(
        chosen, "1.2", mode="routed", selection_reason="They speak of soil.", dropped_items_count=9,
        coverage_note="Nothing on growth.",
    )  # fmt: skip
    alder = ContextFile.objects.get(name="alder.md")
    at = reverse("contextfiles:file", args=[chosen.project_id, alder.pk])
    page = page_of(chosen, owner, "given", "1.2")
    for said in (
        "Notes from your files for this question", "What of 1.2?", "Chosen for this question: 2 items, 9 left out.",
        "They speak of soil.",
        "Nothing on growth.", ">Fact</span>", ">Constraint</span>", "Soil nitrogen rose &lt;b&gt;by half&lt;/b&gt;.",
        "It is asked.",
        f'<a href="{at}?passage=S1#passage">alder.md::S1</a>', "nitrate.md::S1</a>",
    ):  # fmt: skip
        assert said in page, said
    address = reverse("research:given", args=[chosen.pk, "1.2"])
    slip = signed_in(owner).get(address, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in slip
    assert "They speak of soil." in slip


@pytest.mark.parametrize("mode", NodeContextSlice.Mode.values)
def test_every_mode_has_words(chosen: Run, owner: User, mode: str) -> None:
    bundled(chosen)
    question(chosen, "1", mode=mode)
    assert f"{NodeContextSlice.Mode(mode).label}: 2 items." in page_of(chosen, owner, "given", "1")


def test_the_passage_it_names_opens_marked(chosen: Run, owner: User) -> None:
    bundled(chosen)
    question(chosen, "1", mode="root")
    alder = ContextFile.objects.get(name="alder.md")
    text = text_of(alder)
    link = re.search(r'href="([^"]+passage=S3#passage)"', page_of(chosen, owner, "given", "1"))
    assert link
    page = signed_in(owner).get(link[1]).content.decode()
    row = next(row for row in text.segments if row["id"] == "S3")
    marked = "".join(re.findall(r"<mark[^>]*>([^<]+)</mark>", page))
    assert marked == text.text[row["start"] : row["end"]].replace("\n", "")
    assert 'id="passage"' in page
    assert "<mark" not in signed_in(owner).get(link[1].replace("S3", "S999")).content.decode()


def test_the_tree_leads_there_where_something_was_given(chosen: Run, owner: User) -> None:
    bundled(chosen)
    question(chosen, "1", mode="root")
    question(chosen, "1.1")
    tree = page_of(chosen, owner, "tree")
    assert f'id="given-1" href="{reverse("research:given", args=[chosen.pk, "1"])}"' in tree
    assert 'id="given-1.1"' not in tree
    assert "There are no notes from your files for this question yet." in page_of(chosen, owner, "given", "1.1")
    assert reverse("research:given", args=[chosen.pk, "1"]) in signed_in(owner).get(
        reverse("research:findings", args=[chosen.pk]), {"node": "1"}
    ).content.decode()  # fmt: skip


def test_the_number_of_queries_does_not_grow(chosen: Run, owner: User) -> None:
    bundled(chosen)
    question(chosen, "1", mode="root")
    client = signed_in(owner)
    addresses = [
        reverse("research:run", args=[chosen.pk]),
        reverse("research:tree", args=[chosen.pk]),
        reverse("research:files", args=[chosen.pk]),
        reverse("research:given", args=[chosen.pk, "1"]),
        f"/api/runs/{chosen.pk}",
    ]

    def queries() -> list[int]:
        counted = []
        for address in addresses:
            with CaptureQueriesContext(
                connection,
            ) as asked:
                assert client.get(address).status_code == 200
            counted.append(len(asked))
        return counted

    before = queries()
    for n in range(1, 40):
        question(chosen, f"1.{n}", mode="routed")
    NodeContextSlice.objects.filter(node_id="1").update(selected_items=ITEMS * 20)
    Run.objects.filter(pk=chosen.pk).update(
        files=[*chosen.files, *({**chosen.files[0], "id": str(uuid4()), "name": f"{n}.md"} for n in range(18))]
    )
    assert queries() == before
    assert max(before) <= 16


# The debug pane


def test_without_ui_debug_there_is_no_pane(chosen: Run, owner: User) -> None:
    bundled(chosen)
    question(chosen, "1", mode="root")
    started(chosen, "1", "root")
    assert "debug" not in page_of(chosen, owner).lower()
    assert "given-json" not in page_of(chosen, owner, "given", "1")
    assert signed_in(owner).get(reverse("research:debug", args=[chosen.pk])).status_code == 404


@pytest.mark.long
def test_with_ui_debug_it_follows_the_run(chosen: Run, owner: User, settings: Settings) -> None:
    """X9: parsing counters, then the slice of the node that has just started, then that the report got everything."""
    settings.UI_DEBUG = True
    Run.objects.filter(pk=chosen.pk).update(
        context_processing={"status": "parsing", "files_total": 2, "files_ready": 1, "files_error": 1}
    )

    def pane() -> str:
        page, part = page_of(chosen, owner), page_of(chosen, owner, "debug")
        assert "<html" not in part
        assert part.split() == page[page.index('id="run-debug"') :].partition(">")[2].split()[: len(part.split())]
        return part

    assert "Files: parsing. 1 of 2 ready, 1 with errors." in pane()
    assert "No question was given any notes yet." in pane()
    bundled(chosen)
    for number, mode in (("1", "root"), ("1.2", "routed")):
        question(chosen, number, mode=mode, dropped_items_count=7)
        started(chosen, number, mode)
        assert f"Debug: context of {number}</h2>" in pane()
        assert f"<code>{mode}</code>" in pane()
        assert "2 items, 7 left out" in pane()
        assert "Plots were not randomised." in pane()
        shown = unescape(pane().partition('aria-labelledby="debug-json">')[2].partition("</pre>")[0])
        assert (json.loads(shown)["mode"], json.loads(shown)["dropped_items_count"]) == (mode, 7)
    assert ">1</a> root 2." in pane(), "what started before, or with it, is there too"
    chosen.job.emit("report_context_attached", "Full context attached.", details={"selected_items_count": 2})
    assert "Full context attached" in pane()
    assert "The report has all 2 items from your files." in pane()
    assert "Plots were not" not in pane()
    assert f'href="{reverse("research:given", args=[chosen.pk, "1.2"])}"' in pane()
    notes = unescape(page_of(chosen, owner, "given", "1.2").partition('aria-labelledby="given-json">')[2])
    assert json.loads(notes.partition("</pre>")[0])["mode"] == "routed", "also of an earlier question"
    started(chosen, "1", "root")
    assert "Debug: context of 1</h2>" in pane(), "what is asked later begins again"
