"""A person keeps profiles of their own: on the page, over the API, on the command line (R2)."""

import json
import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from pytest_django import Settings

from projects.models import Project, User
from research.models import Run, SavedProfile
from research.setup.profile_registry import MOST
from research.setup.profiles import BUILT_IN
from tests.people import signed_in
from tests.research.forest_thesis import QUESTION

pytestmark = pytest.mark.django_db

API = "/api/research-profiles"


def save(user: User, name: str, profile: str = "academic", **overrides: Any) -> Any:
    body = {"name": name, "profile": profile, "overrides": overrides}
    return signed_in(user).post(API, json.dumps(body), content_type="application/json")


def names(user: User) -> dict[str, str]:
    return {row["name"]: row["of"] for row in signed_in(user).get(API).json()}


# Over the API


def test_save_list_change_and_delete(owner: User, outsider: User) -> None:
    made = save(owner, "  My  reviews ", providers=["pubmed", "crossref"], time_period="2015 to 2025")
    assert made.status_code == 201
    assert (made.json()["name"], made.json()["of"]) == ("My reviews", "own")
    assert made.json()["keys"]["providers"] == ["pubmed", "crossref"]
    assert set(made.json()["keys"]) == set(BUILT_IN["academic"].model_dump()) - {"name"}
    assert names(owner) == {**dict.fromkeys(BUILT_IN, "built-in"), "My reviews": "own"}
    assert "My reviews" not in names(outsider)
    changed = save(owner, "My reviews", "My reviews", citation_style="ieee")
    assert changed.status_code == 200
    assert (changed.json()["keys"]["citation_style"], changed.json()["keys"]["time_period"]) == ("ieee", "2015 to 2025")
    assert signed_in(outsider).delete(f"{API}/My reviews").status_code == 404
    assert signed_in(owner).delete(f"{API}/My reviews").status_code == 204
    assert signed_in(owner).delete(f"{API}/academic").status_code == 404
    assert not SavedProfile.objects.exists()


@pytest.mark.parametrize(
    ("name", "profile", "overrides", "field"),
    [
        ("", "general", {}, "name"),
        ("Academic", "general", {}, "name"),
        ("local-only", "general", {}, "name"),
        ("a/b", "general", {}, "name"),
        ("x" * 61, "general", {}, "name"),
        ("a\0b", "general", {}, "name"),
        ("mine", "nope", {}, "profile"),
        ("mine", "general", {"colour": "red"}, "overrides"),
        ("mine", "general", {"citation_style": "nope"}, "overrides"),
        ("mine", "local-only", {"providers": ["openalex"]}, "providers"),
    ],
)
def test_what_cannot_be_saved(owner: User, name: str, profile: str, overrides: dict[str, Any], field: str) -> None:
    answer = save(owner, name, profile, **overrides)
    assert answer.status_code == 422
    assert answer.json()["error"]["field"] == field
    assert not SavedProfile.objects.exists()


def test_the_sites_names_are_taken_too(owner: User, settings: Settings) -> None:
    settings.RESEARCH_PROFILES = json.dumps({"Rapid": {}})
    assert "Choose another name" in save(owner, "rapid").json()["error"]["message"]


def test_there_is_an_end_to_them(owner: User) -> None:
    SavedProfile.objects.bulk_create(SavedProfile(user=owner, name=f"p{n}", config={}) for n in range(MOST))
    assert "Delete one first" in save(owner, "one more").json()["error"]["message"]
    assert save(owner, "p3").status_code == 200


def test_what_was_made_from_local_only_stays_here(owner: User, project: Project, settings: Settings) -> None:
    """R1: by any name, and with any override, nothing leaves the machine."""
    settings.ANTHROPIC_API_KEY = "any"
    alike: list[dict[str, Any]] = [{}, {"providers": []}]
    for overrides in alike:
        save(owner, "quiet", "local-only", **overrides)
        assert SavedProfile.objects.get().config["providers"] == ["library"]
    body = {"question": QUESTION, "profile": "quiet", "overrides": {"providers": ["openalex"]}}
    started = signed_in(owner).post(
        f"/api/projects/{project.pk}/runs", json.dumps(body), content_type="application/json"
    )
    assert started.status_code == 201
    run = Run.objects.get()
    assert run.engine.startswith("Offline engine")
    assert run.profile_config["providers"] == ["library"]
    assert "contacts no other services" in run.warnings[0]


def test_used_by_name_by_its_owner_alone(owner: User, editor: User, project: Project) -> None:
    save(owner, "mine", citation_style="ieee")
    body = json.dumps({"question": QUESTION, "profile": "mine"})
    address = f"/api/projects/{project.pk}/runs"
    refused = signed_in(editor).post(address, body, content_type="application/json")
    assert refused.status_code == 422
    assert "local-only." in refused.json()["error"]["message"], "nobody learns of another's profiles"
    assert signed_in(owner).post(address, body, content_type="application/json").status_code == 201
    run = Run.objects.get()
    assert (run.profile, run.profile_config["citation_style"]) == ("mine", "ieee")
    save(owner, "mine", citation_style="apa")
    run.refresh_from_db()
    assert run.profile_config["citation_style"] == "ieee", "frozen with the run"


def test_one_that_cannot_be_read_any_more_is_left_out(owner: User, project: Project) -> None:
    saved = SavedProfile.objects.create(user=owner, name="old", config={"colour": "red"})
    assert "old" not in names(owner)
    assert signed_in(owner).get(reverse("research:list", args=[project.pk])).status_code == 200
    assert b"can no longer be used" in signed_in(owner).get(reverse("research:profiles")).content
    assert signed_in(owner).get(reverse("research:profile", args=[saved.pk])).status_code == 302


# On the command line


def test_the_command_takes_it_for_its_person(owner: User, outsider: User, forest: Project) -> None:
    save(owner, "mine", "local-only", citation_style="ieee")
    words = ["research", QUESTION, "--project", str(forest.pk), "--profile", "mine", "--set", "time_period=2020"]
    words += ["--budget-minutes", "5"]
    call_command(*words, "--user", owner.email, stdout=StringIO(), stderr=StringIO())
    run = Run.objects.get()
    assert (run.profile, run.profile_config["citation_style"], run.profile_config["time_period"]) == (
        "mine",
        "ieee",
        "2020",
    )
    assert (run.budget_seconds, run.wants_approval) == (300, False)
    with pytest.raises(CommandError) as error:
        call_command("research", QUESTION, "--user", outsider.email, "--profile", "mine")
    assert (error.value.returncode, "Unknown profile “mine”" in str(error.value)) == (2, True)


# On the pages


def test_saved_from_the_form_with_nothing_lost(owner: User, forest: Project) -> None:
    file = forest.context_files.first()
    assert file is not None
    typed = {
        "question": "Half a quest", "profile": "academic", "files": [str(file.pk)], "choices_of": "academic",
        "citation_style": "ieee", "source_quality_mode": "academic", "providers": ["crossref", "semantic_scholar"],
        "enable_claim_verification": "on", "save_as": "Mine", "do": "save", "wants_approval": "on",
    }  # fmt: skip
    answer = signed_in(owner).post(reverse("research:start", args=[forest.pk]), typed)
    page = answer.content.decode()
    assert (answer.status_code, Run.objects.exists()) == (200, False)
    saved = SavedProfile.objects.get()
    assert (saved.name, saved.user) == ("Mine", owner)
    assert saved.config["providers"] == ["semantic_scholar", "crossref"], "what stays keeps its order"
    assert (saved.config["citation_style"], saved.config["enable_citation_tools"]) == ("ieee", False)
    assert '<option value="Mine" selected>' in page
    assert "Half a quest" in page
    assert f'value="{file.pk}" checked' in page
    assert re.search(r'<input[^>]* name="wants_approval"[^>]* checked', page)


@pytest.mark.parametrize(("name", "says"), [("", "Give the profile a name"), ("general", "Choose another name")])
def test_a_name_that_will_not_do_is_said_and_everything_stays(
    owner: User, forest: Project, name: str, says: str
) -> None:
    typed = {"question": "Half a quest", "profile": "academic", "save_as": name, "do": "save", "budget": "lots"}
    answer = signed_in(owner).post(reverse("research:start", args=[forest.pk]), typed)
    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert "Half a quest" in answer.content.decode()
    assert not SavedProfile.objects.exists()


def test_the_page_of_ones_own(owner: User, outsider: User) -> None:
    save(owner, "mine", providers=["crossref"])
    saved = SavedProfile.objects.get()
    pages = [reverse("research:profile", args=[saved.pk]), reverse("research:profile_delete", args=[saved.pk])]
    assert b"mine" in signed_in(owner).get(reverse("research:profiles")).content
    assert b"mine" not in signed_in(outsider).get(reverse("research:profiles")).content
    assert signed_in(outsider).get(pages[0]).status_code == 404
    assert [signed_in(outsider).post(page).status_code for page in pages] == [404, 404]
    assert signed_in(owner).get(pages[1]).status_code == 405
    assert 'value="crossref"' in signed_in(owner).get(pages[0]).content.decode()
    typed = {
        "name": "ours", "choices_of": "mine", "citation_style": "vancouver", "source_quality_mode": "academic",
        "providers": ["crossref"], "enable_claim_verification": "on", "enable_citation_tools": "on",
    }  # fmt: skip
    assert signed_in(owner).post(pages[0], typed).status_code == 302
    saved.refresh_from_db()
    assert (saved.name, saved.config["citation_style"], saved.config["providers"]) == (
        "ours",
        "vancouver",
        ["crossref"],
    )
    for wrong, says in (({"name": "general"}, "Choose another"), ({"citation_style": "apq"}, "Did you mean")):
        answer = signed_in(owner).post(pages[0], {**typed, **wrong})
        assert (answer.status_code, says in answer.content.decode()) == (422, True)
    assert signed_in(owner).post(pages[1]).status_code == 302
    assert not SavedProfile.objects.exists()


def test_a_name_of_ones_own_is_not_taken_twice(owner: User) -> None:
    save(owner, "mine")
    save(owner, "other")
    typed = {"name": "mine", "choices_of": "other", "citation_style": "apa", "source_quality_mode": "academic"}
    answer = signed_in(owner).post(reverse("research:profile", args=[SavedProfile.objects.get(name="other").pk]), typed)
    assert (answer.status_code, "already" in answer.content.decode()) == (422, True)
