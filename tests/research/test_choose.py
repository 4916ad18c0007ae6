"""More choices: what a run does otherwise than its profile, chosen in the form (R1, R2)."""

import re
from typing import Any

import pytest
from django.urls import reverse
from pytest_django import Settings

from citations.styles.formatting import search_styles
from projects.models import Project, User
from research.models import Run
from research.setup.profiles import BUILT_IN
from tests.people import signed_in
from tests.research.forest_thesis import QUESTION

pytestmark = pytest.mark.django_db

ACADEMIC: dict[str, Any] = {
    "choices_of": "academic", "citation_style": "apa", "source_quality_mode": "academic",
    "providers": ["semantic_scholar", "openalex", "tavily"], "enable_citation_tools": "on",
    "enable_claim_verification": "on",
}  # fmt: skip


def send(user: User, project: Project, **typed: Any) -> Any:
    body = {"question": QUESTION, "profile": "academic", **typed}
    return signed_in(user).post(reverse("research:start", args=[project.pk]), body)


def part(user: User, project: Project, name: str, **asked: Any) -> str:
    address = reverse("research:list", args=[project.pk])
    return signed_in(user).get(address, {"part": name, **asked}).content.decode()


def config() -> dict[str, Any]:
    return dict(Run.objects.get().profile_config)


def test_what_is_not_touched_is_as_the_profile_has_it(project: Project, owner: User) -> None:
    assert send(owner, project, **ACADEMIC).status_code == 302
    assert config() == BUILT_IN["academic"].model_dump(mode="json")


def test_each_choice_is_an_override(project: Project, owner: User) -> None:
    changed = {
        "citation_style": " ieee ", "synthesis_template": "comparison", "source_quality_mode": "technical",
        "providers": ["pubmed", "crossref", "openalex"], "enable_citation_tools": "",
        "enable_methodology_assessment": "on", "enable_pdf_extraction": "on", "disciplinary_scope": "forestry,  soil",
        "time_period": "2015 to 2025", "methodology_preferences": "field trials",
    }  # fmt: skip
    assert send(owner, project, **{**ACADEMIC, **changed}).status_code == 302
    now = config()
    differs = {key: value for key, value in now.items() if value != BUILT_IN["academic"].model_dump(mode="json")[key]}
    assert differs == {
        "citation_style": "ieee", "synthesis_template": "comparison", "source_quality_mode": "technical",
        "providers": ["openalex", "pubmed", "crossref"], "enable_citation_tools": False,
        "enable_methodology_assessment": True, "enable_pdf_extraction": True,
        "disciplinary_scope": ["forestry", "soil"],
        "time_period": "2015 to 2025", "methodology_preferences": ["field trials"],
    }  # fmt: skip


def test_choices_stay_when_another_profile_is_taken_for_them(project: Project, owner: User) -> None:
    """Without a script the form still shows the choices of the first profile: only what was changed counts."""
    assert send(owner, project, **{**ACADEMIC, "citation_style": "ieee"}, profile="bibliometric").status_code == 302
    assert config() == {**BUILT_IN["bibliometric"].model_dump(mode="json"), "citation_style": "ieee"}


def test_another_profile_shows_its_own_with_what_was_changed(project: Project, owner: User) -> None:
    asked = {**ACADEMIC, "time_period": "2015 to 2025"}
    shown = part(owner, project, "choices", profile="systematic-review", **asked)
    assert "<html" not in shown
    assert 'name="choices_of" value="systematic-review"' in shown
    assert 'value="2015 to 2025"' in shown
    assert re.findall(r'name="providers" value="(\w+)"[^>]* checked', shown) == [
        "pubmed", "semantic_scholar", "openalex", "tavily",
    ]  # fmt: skip
    assert re.search(r'name="enable_methodology_assessment"[^>]* checked', shown)


def test_what_it_sends_away_follows_the_choices(project: Project, owner: User, settings: Settings) -> None:
    settings.ANTHROPIC_API_KEY = "any"
    asked = {**ACADEMIC, "providers": ["pubmed", "crossref"]}
    assert "go to PubMed and Crossref." in part(owner, project, "reach", profile="academic", **asked)
    nobody = {**ACADEMIC, "providers": []}
    assert "no catalogue is searched" in part(owner, project, "reach", profile="academic", **nobody)
    gone = {**ACADEMIC, "choices_of": "gone"}
    assert "go to Semantic Scholar" in part(owner, project, "reach", profile="academic", **gone)
    wrong = {**ACADEMIC, "citation_style": "nope"}
    assert "go to Semantic Scholar" in part(owner, project, "reach", profile="academic", **wrong)


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ({"citation_style": "vancuver"}, "Did you mean vancouver"),
        ({"providers": ["bing"]}, "bing"),
        ({"time_period": "x" * 201}, "200"),
        ({"disciplinary_scope": "x" * 201}, "disciplinary_scope"),
        ({"choices_of": "gone"}, "no longer exists"),
        ({"citation_style": "a\0b"}, "NUL"),
        ({"source_quality_mode": "sloppy"}, "sloppy"),
    ],
)
def test_what_is_wrong_is_said_and_everything_stays(
    project: Project, owner: User, typed: dict[str, Any], says: str
) -> None:
    answer = send(owner, project, **{**ACADEMIC, "methodology_preferences": "field trials", **typed})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert says in page
    assert QUESTION in page
    if typed.get("choices_of") != "gone":
        assert 'value="field trials"' in page
        assert '<details class="lid" id="more" open>' in page
    assert not Run.objects.exists()


def test_styles_are_found_by_a_few_letters(project: Project, owner: User, outsider: User) -> None:
    assert '<option value="vancouver">' in part(owner, project, "styles", citation_style="vanc")
    assert "<option" not in part(owner, project, "styles", citation_style="no such style")
    assert len(search_styles("", 5)) == 5
    assert "chicago-author-date" in search_styles("Chicago author date", 5)
    address = reverse("research:list", args=[project.pk])
    assert signed_in(outsider).get(address, {"part": "styles"}).status_code == 404
    assert signed_in(owner).get(address, {"part": "nonsense", "profile": "general"}).status_code == 404
    assert signed_in(owner).get(address, {"part": "choices", "profile": "nope"}).status_code == 404


def test_every_profile_says_what_it_does(project: Project, owner: User) -> None:
    page = signed_in(owner).get(reverse("research:list", args=[project.pk])).content.decode()
    assert set(BUILT_IN) <= set(re.findall(r'<option value="([\w-]+)"[^>]*>[^:<]+: [^<]+<', page))
