"""The use of AI as the page, the API and the command tell it, and the statement in a person's own words (SPEC T9)."""

import json
from io import StringIO
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.errors import Refused
from llm.models import Usage
from projects.models import Project, User
from research.models import Run
from sections.models import Section
from tests.people import editor, outsider, reader, signed_in, supervisor
from tests.thesis.accepted_drafts import DRAFTED, MODEL, OWN, SECOND, accepted_draft, offline, proposal, text, written
from tests.thesis.minimal_latex import quick_thesis
from tests.thesis.proposals import references, run_with
from thesis.authorship.statement import authorship_of, save_statement
from thesis.drafting.accept import accept_blocks
from thesis.models import AiStatement
from thesis.preflight import Finding, check_project

__all__ = ["editor", "outsider", "reader", "supervisor"]
pytestmark = pytest.mark.django_db

MINE = "I had a model draft the first lines of the introduction & checked each of them."


@pytest.fixture
def section(project: Project, owner: User) -> Section:
    references(project)
    return written(project.sections.get(slug="introduction"), f"{OWN}\n", owner)


def page(project: Project) -> str:
    return reverse("thesis:ai_use", args=[project.pk])


def api(project: Project, end: str = "") -> str:
    return f"/api/projects/{project.pk}/ai-use{end}"


def put(client: Client, project: Project, **values: Any) -> Any:
    return client.put(api(project, "/statement"), json.dumps(values), content_type="application/json")


def warned(project: Project) -> list[Finding]:
    return [one for one in check_project(project) if one.kind == "ai_use"]


# The statement


def test_a_thesis_without_drafts_has_nothing_to_state(section: Section, project: Project) -> None:
    found = authorship_of(project)
    assert (found.state, found.words, found.facts) == ("none", "", {})
    assert warned(project) == []


def test_what_the_records_say(section: Section, project: Project, owner: User) -> None:
    accepted_draft(section, owner, f"{DRAFTED}\n\n{SECOND}")
    written(section, text(section).replace(SECOND, "My own words on barley and its shade in the hills."), owner)
    accept_blocks(
        offline(project.sections.get(slug="discussion"), owner, "Barley yields more in the shade of alder."), owner
    )
    found = authorship_of(project)
    assert found.state == "unsaved"
    lines = found.suggested.split("\n")
    assert lines[0].startswith("Parts of this thesis were drafted with the help of a language model.")
    assert lines[1].startswith(f"“Introduction”: 52 words by {MODEL} (draft; ")
    assert lines[1].endswith("; about 70% stand as drafted.")
    assert lines[2].startswith("Sentences of the cited works were put together by software")
    assert lines[3].startswith("“Discussion”: 8 words (draft; ")
    assert "pasted from elsewhere" in lines[-1]
    (finding,) = warned(project)
    assert (finding.level, finding.href) == ("warns", page(project))
    assert "has not been saved" in finding.title


def test_what_was_undone_or_moved_is_said_as_it_is(section: Section, project: Project, owner: User) -> None:
    accepted_draft(section, owner)
    written(section, f"{OWN}\n", owner)
    first, row, *_ = authorship_of(project).suggested.split("\n")
    assert first.startswith(
        "Text drafted by a language model was taken into this thesis and has since been changed or removed."
    )
    assert row.endswith("; none stands as drafted.")
    written(project.sections.get(slug="discussion"), DRAFTED, owner)
    assert authorship_of(project).suggested.split("\n")[1].endswith("; all stand as drafted, now in “Discussion”.")
    half = DRAFTED.partition(" Stands")[0]
    written(section, f"{OWN}\n\n{half}\n", owner)
    written(project.sections.get(slug="discussion"), DRAFTED.removeprefix(half), owner)
    assert (
        authorship_of(project)
        .suggested.split("\n")[1]
        .endswith("; all stand as drafted, some of them now in “Discussion”.")
    )


def test_models_are_named_for_what_they_did(section: Section, project: Project, owner: User) -> None:
    def used(model: str, subject: UUID, role: str) -> None:
        Usage.objects.create(project=project, subject=subject, role=role, model=model, at=timezone.now())

    draft = accepted_draft(section, owner)
    used(MODEL, draft.pk, "draft")
    assert authorship_of(project).other.lines() == authorship_of(project).other.models == []
    run = run_with(project, owner, 1)
    Run.objects.update(engine="Claude (haiku)")
    assert authorship_of(project).other.runs == 0  # no model was asked yet
    used("haiku", run.pk, "research")
    assert (
        "Language models (haiku) were also used for: research in the literature (1 run"
        in authorship_of(project).suggested
    )
    draft = proposal(section, owner, SECOND)
    assert authorship_of(project).other.drafts == 1
    written(section, f"{text(section)}\n{SECOND}\n", owner)  # pasted: it is listed, and not told of twice
    assert authorship_of(project).other.drafts == 0
    assert "found in the text, not recorded as taken" in authorship_of(project).suggested


def test_a_saved_statement_is_not_called_true(section: Section, project: Project, owner: User) -> None:
    accepted_draft(section, owner)
    save_statement(project, owner, "No AI was used.")
    html = signed_in(owner).get(page(project)).content.decode()
    assert "The records have not changed since." in html
    assert "agree" not in html


def test_own_words_stay_when_the_records_change(section: Section, project: Project, owner: User) -> None:
    accepted_draft(section, owner)
    found = save_statement(project, owner, f"\r\n {MINE}\r\n")
    assert (found.words, found.state, found.changes) == (MINE, "saved", [])
    assert warned(project) == []
    accepted_draft(project.sections.get(slug="discussion"), owner, SECOND)
    found = authorship_of(project)
    assert (found.words, found.state) == (MINE, "older")
    (change,) = found.changes
    assert (change.what, change.line[:12]) == ("new", "“Discussion”")
    assert "Discussion" in found.suggested
    (finding,) = warned(project)
    assert "out of date" in finding.title
    save_statement(project, owner, MINE)
    assert authorship_of(project).state == "saved"


def test_a_comma_does_not_make_it_older_but_a_rewriting_does(section: Section, project: Project, owner: User) -> None:
    accepted_draft(section, owner, f"{DRAFTED}\n\n{SECOND}")
    save_statement(project, owner, MINE)
    written(section, text(section).replace("poor soils", "poor, thin soils"), owner)
    assert authorship_of(project).state == "saved"  # all of it stands
    written(section, text(section).replace("thin soils", "thin ground"), owner)
    assert authorship_of(project).state == "older"  # no more
    save_statement(project, owner, MINE)
    written(section, text(section).replace("poor, thin", "cold"), owner)
    assert authorship_of(project).state == "saved"
    written(section, f"{OWN}\n", owner)
    assert authorship_of(project).state == "older"
    assert authorship_of(project).printed.stands == ()


def test_what_cannot_be_a_statement(section: Section, project: Project, owner: User) -> None:
    save_statement(project, owner, "अ" * 20_000)
    for words, said in (("x" * 20_001, "20,001. Shorten it"), ("a\0b", "character")):
        with pytest.raises(Refused, match=said):
            save_statement(project, owner, words)
    assert authorship_of(project).words == "अ" * 20_000
    save_statement(project, owner, " \n ")
    assert not AiStatement.objects.exists()


def test_one_that_was_written_over_older_records_is_not_saved(section: Section, project: Project, owner: User) -> None:
    seen = authorship_of(project).seen
    accepted_draft(section, owner)
    with pytest.raises(Refused, match="changed since you opened"):
        save_statement(project, owner, "No AI was used.", seen=seen)
    assert not AiStatement.objects.exists()
    save_statement(project, owner, MINE, seen=authorship_of(project).seen)


def test_a_thesis_with_its_own_preamble(project: Project, owner: User) -> None:
    section, other = quick_thesis(project, "Words.", "More words.")
    accepted_draft(section, owner, SECOND)
    assert [one.title for one in warned(project)][-1] == "The statement on the use of AI is not in the text"
    save_statement(project, owner, "A model drafted 50% of part 1_a: see \\input{/etc/passwd}.")
    html = signed_in(owner).get(page(project)).content.decode()
    assert r"drafted 50\% of part 1\_a: see \textbackslash{}input\{/etc/passwd\}." in html
    assert "own preamble" in html
    written(other, r"A model drafted 50\% of part 1\_a: see \textbackslash{}input\{/etc/passwd\}.", owner)
    assert warned(project) == []


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("declared", "warns"),
    [
        ("\\chapter*{Declaration}\nI wrote all of it.", True),
        ("\\chapter*{Declaration}\nI wrote all of it but for what a language model drafted.", False),
        ("This is to certify that it is the\n\\emph{bona fide} work of Asha Menon.", True),
        ("It is my own work. % except what AI drafted", True),
        ("It is my own work, except for text drafted with AI.", False),
        ("It is the own work of the candidate.\n\nAI is named in another paragraph.", True),
        ("The soil was her own.", False),
    ],
)
def test_a_declaration_that_came_with_a_thesis(project: Project, owner: User, declared: str, warns: bool) -> None:
    section, other = quick_thesis(project, "Words.", declared)
    accepted_draft(section, owner, SECOND)
    assert (
        "Your own declaration may claim more than the records show" in [one.title for one in warned(project)]
    ) == warns
    written(section, "Words.", owner)
    assert not [one for one in warned(project) if "declaration" in one.title]  # nothing stands any more


def test_letters_that_cannot_be_printed_are_told_before_a_build(
    section: Section, project: Project, owner: User
) -> None:
    accepted_draft(section, owner)
    save_statement(project, owner, "Drafted with a model.\nमैंने जाँचा।")
    told = [one for one in check_project(project) if "LaTeX cannot print" in one.said]
    assert [(one.level, one.href) for one in told] == [("warns", page(project))]
    assert "line 2" in told[0].said


# Pages, API and command


def test_the_page(section: Section, project: Project, owner: User) -> None:
    accepted_draft(section, owner)
    client = signed_in(owner)
    html = client.get(page(project)).content.decode()
    assert "34 of 34 words" in html
    assert MODEL in html
    assert "by Asha Menon" in html
    assert "Pasted text is not detected" in html
    assert "except for text drafted with the help of a language model" in html
    seen = authorship_of(project).seen
    assert client.post(page(project), {"words": MINE, "seen": seen}).status_code == 302
    assert MINE.replace("&", "&amp;") in client.get(page(project)).content.decode()
    assert client.post(page(project), {"words": "x" * 20_001, "seen": seen}).status_code == 422
    answer = client.post(page(project), {"words": "Typed for an hour", "seen": "another"})
    assert answer.status_code == 409
    assert "Typed for an hour" in answer.content.decode()  # nothing is lost
    assert client.post(page(project), {"act": "suggested", "seen": seen}).status_code == 302
    assert AiStatement.objects.get().words == authorship_of(project).suggested
    assert client.put(page(project)).status_code == 405


@pytest.mark.parametrize(
    "name", ["thesis:build", "thesis:preflight", "thesis:layout", "projects:settings", "sections:workspace"]
)
def test_a_stranger_finds_the_page(section: Section, project: Project, owner: User, name: str) -> None:
    assert page(project) in signed_in(owner).get(reverse(name, args=[project.pk])).content.decode()


def test_hostile_words_are_words(section: Section, project: Project, owner: User) -> None:
    hostile = "<script>alert(1)</script> \\input{/etc/passwd} </textarea>"
    save_statement(project, owner, hostile)
    html = signed_in(owner).get(page(project)).content.decode()
    assert "<script>alert" not in html
    assert "&lt;/textarea&gt;" in html


def test_who_reads_and_who_writes(
    section: Section, project: Project, owner: User, editor: User, reader: User, supervisor: User, outsider: User
) -> None:
    accepted_draft(section, owner)
    for user, read, write in ((editor, 200, 200), (supervisor, 200, 403), (reader, 200, 403), (outsider, 404, 404)):
        client = signed_in(user)
        assert client.get(page(project)).status_code == read
        assert client.get(api(project)).status_code == read
        assert put(client, project, words=MINE).status_code == write
        posted = client.post(page(project), {"words": MINE})
        assert posted.status_code == (302 if write == 200 else write)
    assert signed_in(owner).delete(api(project)).status_code == 405


def test_the_api(section: Section, project: Project, owner: User) -> None:
    draft = accepted_draft(section, owner)
    client = signed_in(owner)
    out = client.get(api(project)).json()
    (use,) = out["sections"]
    (entry,) = use["entries"]
    assert (use["slug"], use["words"], use["stands"]) == ("introduction", 34, 34)
    assert (entry["draft"], entry["by"], entry["models"], entry["who"]) == (
        str(draft.pk),
        "model",
        [MODEL],
        "Asha Menon",
    )
    assert (out["statement"]["state"], out["drafting_off"]) == ("unsaved", "")
    assert out["statement"]["words"] == out["statement"]["suggested"]
    assert put(client, project, words=MINE, seen="another").json()["error"]["code"] == "older"
    out = put(client, project, words=MINE, seen=out["statement"]["seen"]).json()
    assert (out["statement"]["words"], out["statement"]["state"]) == (MINE, "saved")
    assert out["statement"]["changed_by"] == "Asha Menon"
    assert put(client, project, words="x" * 20_001).json()["error"]["field"] == "words"


def command(*arguments: Any) -> str:
    out = StringIO()
    call_command("ai_use", *map(str, arguments), stdout=out, stderr=StringIO())
    return out.getvalue()


def test_the_command(section: Section, project: Project, owner: User, outsider: User) -> None:
    assert "Nothing was accepted from drafts." in command(project.pk)
    accepted_draft(section, owner)
    said = command(project.pk)
    assert f"Draft by {MODEL}, accepted by Asha Menon: 34 of 34 words unchanged (all)" in said
    assert "Nobody has saved a statement yet." in said
    out = json.loads(command(project.pk, "--format", "json"))
    assert out["sections"][0]["entries"][0]["words"] == 34
    for arguments in (("no-such-thesis",), (project.pk, "--user", outsider.email)):
        with pytest.raises(CommandError, match="There is no thesis") as error:
            command(*arguments)
        assert error.value.returncode == 2
