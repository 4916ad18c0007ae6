"""SPEC T2: words are found in the whole thesis and replaced as one change, which can be undone."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from core.errors import Refused
from latex.find_words import Search
from projects.models import Project, User
from sections.find_and_replace import MOST, find_in_thesis, replace_in_thesis, undo_replacement
from sections.models import Replacement, Section, SectionVersion
from tests.people import signed_in

RESULTS = "Hypertension was common \\cite{hypertension}.\n\n\\textbf{Hyper}tension fell by 95\\%.\n"
DISCUSSION = "% hypertension\nWe saw hypertension in $hypertension$.\n"


@pytest.fixture
def written(project: Project, owner: User) -> Project:
    section(project, "results").write(RESULTS, based_on=0, by=owner)
    section(project, "discussion").write(DISCUSSION, based_on=0, by=owner)
    return project


def section(project: Project, slug: str) -> Section:
    found: Section = project.sections.get(slug=slug)
    return found


def text_of(project: Project, slug: str) -> str:
    return section(project, slug).latex


def at(project: Project, rest: str = "") -> str:
    return f"/projects/{project.pk}/find/{rest}"


def form_of(page: str) -> dict[str, Any]:
    """What a browser sends of the form for replacing."""
    sent: dict[str, Any] = {"seen": re.findall(r'name="seen" value="([^"]*)"', page)}
    sent["match"] = re.findall(r'name="match" value="([^"]*)"', page)
    sent["listed"] = re.findall(r'name="listed" value="([^"]*)"', page)[0]
    return sent


def api(client: Client, method: str, path: str, **data: Any) -> Any:
    body = json.dumps(data) if data else ""
    return client.generic(method, f"/api/projects/{path}", body, content_type="application/json")


def test_matches_are_listed_by_section_and_lead_to_their_place(written: Project, owner: User) -> None:
    page = signed_in(owner).get(at(written), {"words": "hypertension"}).content.decode()
    assert "<b>3</b> matches in 2 sections" in page
    assert "Replace 3 in 2 sections" in page
    assert page.count("<mark>") == 3
    start = RESULTS.index("Hyper}")
    assert f'href="/projects/{written.pk}/sections/results/?at={start}"' in page


@pytest.mark.parametrize(
    ("asked", "number"),
    [
        ({"words": "hypertension", "match_case": "1"}, 1),
        ({"words": "hyper", "whole_words": "1"}, 0),
        ({"words": "hypertension", "in_source": "1"}, 5),
        ({"words": "95%"}, 1),
        ({"words": "h.*n"}, 0),
        ({"words": "\\cite{hypertension}"}, 0),
        ({"words": "\\cite{hypertension}", "in_source": "1"}, 1),
    ],
)
def test_what_is_searched(written: Project, owner: User, asked: dict[str, str], number: int) -> None:
    page = signed_in(owner).get(at(written), asked).content.decode()
    assert page.count("<mark>") == number
    assert ("No matches" in page) is not number


def test_nothing_to_search_shows_the_form_and_too_much_is_refused(written: Project, owner: User) -> None:
    client = signed_in(owner)
    for words in ("", "   "):
        answer = client.get(at(written), {"words": words})
        assert answer.status_code == 200
        assert "match" not in answer.content.decode().partition("</form>")[2]
    assert client.get(at(written), {"words": "a" * 201}).status_code == 422
    assert client.get(at(written), {"words": "a\0b"}).status_code == 422


def test_all_is_replaced_as_one_change_and_undone(written: Project, owner: User) -> None:
    client = signed_in(owner)
    page = client.get(at(written), {"words": "hypertension"}).content.decode()
    sent = {**form_of(page), "words": "hypertension", "new": "R&D 50%"}
    answer = client.post(at(written, "replace/"), sent, follow=True).content.decode()
    assert "3 matches in 2 sections were replaced." in answer
    assert text_of(written, "results") == (
        "R\\&D 50\\% was common \\cite{hypertension}.\n\n\\textbf{R\\&D 50\\%} fell by 95\\%.\n"
    )
    assert text_of(written, "discussion") == DISCUSSION.replace("saw hypertension", "saw R\\&D 50\\%")
    kinds = list(section(written, "results").versions.values_list("kind", flat=True))
    assert kinds == [SectionVersion.Kind.REPLACED, SectionVersion.Kind.TYPED]

    row = Replacement.objects.get()
    answer = client.post(at(written, f"{row.pk}/undo/"), follow=True).content.decode()
    assert "3 matches in 2 sections were put back." in answer
    assert (text_of(written, "results"), text_of(written, "discussion")) == (RESULTS, DISCUSSION)
    assert "undone already" in client.post(at(written, f"{row.pk}/undo/"), follow=True).content.decode()


def test_a_match_without_a_tick_stays(written: Project, owner: User) -> None:
    client = signed_in(owner)
    sent = {**form_of(client.get(at(written), {"words": "hypertension"}).content.decode())}
    sent |= {"words": "hypertension", "new": "BP", "match": sent["match"][1:]}
    client.post(at(written, "replace/"), sent)
    assert (
        text_of(written, "results") == "Hypertension was common \\cite{hypertension}.\n\n\\textbf{BP} fell by 95\\%.\n"
    )
    client.post(at(written, "replace/"), sent | {"match": []})
    assert Replacement.objects.count() == 1


def test_a_section_saved_since_the_search_is_searched_again(written: Project, owner: User) -> None:
    client = signed_in(owner)
    sent = {**form_of(client.get(at(written), {"words": "hypertension"}).content.decode())}
    results = section(written, "results")
    newer = (
        "New first. Hypertension.\n\n" + RESULTS.replace("Hyper}tension fell", "BP} fell") + "More hypertension here.\n"
    )
    results.write(newer, based_on=results.version, by=owner)
    answer = client.post(
        at(written, "replace/"), sent | {"words": "hypertension", "new": "BP"}, follow=True
    ).content.decode()
    assert "Results: 1 match was changed since you searched, and not replaced." in answer
    # What was not there when she searched stays, and so does what changed.
    assert text_of(written, "results") == newer.replace("Hypertension was", "BP was")


def test_undoing_keeps_what_was_typed_since_and_names_what_changed(written: Project, owner: User) -> None:
    made = replace_in_thesis(written, Search("hypertension"), "BP", None, by=owner)
    results = section(written, "results")
    typed = results.latex.replace("BP was", "BPX was") + "\nTyped later.\n"
    results.write(typed, based_on=results.version, by=owner)
    assert made.replacement is not None
    undone = undo_replacement(made.replacement, by=owner)
    assert undone.left == ["Results: 1 match was changed since, and not undone."]
    assert (undone.number, len(undone.sections)) == (2, 2)
    assert text_of(written, "results") == typed.replace("\\textbf{BP}", "\\textbf{Hyper}tension")
    assert text_of(written, "discussion") == DISCUSSION


@pytest.mark.long
def test_more_matches_than_are_listed_are_replaced_too(project: Project, owner: User) -> None:
    section(project, "results").write("word " * 5_000, based_on=0, by=owner)
    client = signed_in(owner)
    page = client.get(at(project), {"words": "word"}).content.decode()
    assert page.count("<mark>") == 500
    assert "The first 500 are listed; those after them are replaced too." in page
    sent = form_of(page)
    sent |= {"words": "word", "new": "x", "match": sent["match"][1:]}
    assert "4,999 matches in 1 section were" in client.post(at(project, "replace/"), sent, follow=True).content.decode()
    assert text_of(project, "results") == "word " + "x " * 4_999
    section(project, "abstract").write("a" * (MOST + 1), based_on=0, by=owner)
    assert "too many matches" in client.get(at(project), {"words": "a"}).content.decode()


def test_a_replacement_with_the_words_themselves(written: Project, owner: User) -> None:
    made = replace_in_thesis(written, Search("hypertension"), "arterial hypertension", None, by=owner)
    assert made.number == 3
    assert find_in_thesis(written, Search("arterial hypertension")).total == 3
    assert made.replacement is not None
    undo_replacement(made.replacement, by=owner)
    assert text_of(written, "results") == RESULTS


def test_a_section_in_the_bin_is_neither_searched_nor_forgotten_by_undo(written: Project, owner: User) -> None:
    made = replace_in_thesis(written, Search("hypertension"), "BP", None, by=owner)
    signed_in(owner).post(f"/projects/{written.pk}/sections/results/remove/")
    assert find_in_thesis(written, Search("BP")).total == 1
    assert made.replacement is not None
    undo_replacement(made.replacement, by=owner)
    assert Section.everything.get(project=written, slug="results").latex == RESULTS
    with pytest.raises(Refused):
        undo_replacement(made.replacement, by=owner)


def test_a_reader_finds_but_does_not_replace(written: Project, supervisor: User) -> None:
    client = signed_in(supervisor)
    page = client.get(at(written), {"words": "hypertension"}).content.decode()
    assert page.count("<mark>") == 3
    assert "Replace" not in page
    read = reverse("thesis:manuscript", args=[written.pk])
    assert f'href="{read}?section=results&amp;at=0#s-results"' in page
    row = Replacement.objects.create(project=written, words="a", new="b")
    assert client.post(at(written, "replace/"), {"words": "hypertension"}).status_code == 403
    assert client.post(at(written, f"{row.pk}/undo/")).status_code == 403
    assert api(client, "POST", f"{written.pk}/replace", words="a", new="b").status_code == 403
    assert api(client, "POST", f"{written.pk}/replacements/{row.pk}/undo").status_code == 403
    assert text_of(written, "results") == RESULTS


def test_an_outsider_gets_nothing_and_methods_are_kept(written: Project, owner: User, outsider: User) -> None:
    row = Replacement.objects.create(project=written, words="a", new="b")
    stranger, client = signed_in(outsider), signed_in(owner)
    assert stranger.get(at(written), {"words": "hypertension"}).status_code == 404
    assert stranger.post(at(written, "replace/"), {"words": "hypertension"}).status_code == 404
    assert stranger.post(at(written, f"{row.pk}/undo/")).status_code == 404
    assert api(stranger, "GET", f"{written.pk}/find?words=a").status_code == 404
    assert api(stranger, "GET", f"{written.pk}/replacements").status_code == 404
    assert api(stranger, "POST", f"{written.pk}/replace", words="a", new="b").status_code == 404
    assert api(stranger, "POST", f"{written.pk}/replacements/{row.pk}/undo").status_code == 404
    other = Project.objects.create_for(outsider, title="Another")
    assert stranger.post(f"/projects/{other.pk}/find/{row.pk}/undo/").status_code == 404
    assert client.post(at(written)).status_code == 405
    assert client.get(at(written, "replace/")).status_code == 405
    assert client.get(at(written, f"{row.pk}/undo/")).status_code == 405


def test_bad_forms_change_nothing(written: Project, owner: User) -> None:
    client = signed_in(owner)
    for sent in (
        {"words": "", "new": "x"},
        {"words": "hypertension", "new": "x" * 501},
        {"words": "hypertension", "new": "x", "seen": ["nonsense 1-a"]},
    ):
        assert client.post(at(written, "replace/"), sent).status_code == 422
    client.post(at(written, "replace/"), {"words": "hypertension", "new": "x"})
    client.post(at(written, "replace/"), {"words": "hypertension", "new": "x", "seen": [""], "listed": "-1"})
    assert text_of(written, "results") == RESULTS


def test_the_api(written: Project, owner: User) -> None:
    client = signed_in(owner)
    found = api(client, "GET", f"{written.pk}/find?words=hypertension").json()
    assert (found["total"], found["is_cut"], len(found["sections"])) == (3, False, 2)
    first = found["sections"][0]
    assert first["slug"] == "results"
    assert RESULTS[first["matches"][1]["start"] : first["matches"][1]["end"]] == "Hyper}tension"
    chosen = {first["section_id"]: [first["matches"][1]["key"]]}
    made = api(client, "POST", f"{written.pk}/replace", words="hypertension", new="BP", matches=chosen).json()
    assert (made["number"], made["left"]) == (1, [])
    assert made["sections"] == [{"id": first["section_id"], "version": section(written, "results").version}]
    [row] = api(client, "GET", f"{written.pk}/replacements").json()
    assert (row["id"], row["words"], row["new"], row["made_by"]) == (
        *(made["replacement"]["id"], "hypertension", "BP", owner.email),
    )
    assert api(client, "POST", f"{written.pk}/replacements/{row['id']}/undo").json()["number"] == 1
    assert text_of(written, "results") == RESULTS
    assert api(client, "POST", f"{written.pk}/replacements/{row['id']}/undo").status_code == 409
    assert api(client, "GET", f"{written.pk}/find?words=").status_code == 422
    assert api(client, "GET", f"{written.pk}/find").status_code == 422
    none = api(client, "POST", f"{written.pk}/replace", words="nowhere", new="x").json()
    assert none == {"replacement": None, "number": 0, "sections": [], "left": []}
