"""Profiles of the site come from settings; one that is wrong is said at start, and no page fails for it (R1, R2)."""

import json
from typing import Any

import pytest
from django.urls import reverse
from pytest_django import Settings

from core.errors import Refused
from projects.models import Project, User
from research.settings_checks import check_profiles
from research.setup.profile_registry import known_profiles, resolve, site_profiles
from tests.people import signed_in

pytestmark = pytest.mark.django_db


def test_a_new_one_begins_as_general(settings: Settings) -> None:
    settings.RESEARCH_PROFILES = json.dumps({"Rapid evidence": {"providers": ["crossref"], "citation_style": "ieee"}})
    profile = resolve(profile="Rapid evidence")[0]
    assert (profile.providers, profile.citation_style, profile.enable_citation_tools) == (("crossref",), "ieee", False)
    assert check_profiles() == []
    with pytest.raises(Refused, match="local-only; on this site: Rapid evidence"):
        resolve(profile="rapid")


def test_a_built_in_one_keeps_what_is_not_changed(settings: Settings) -> None:
    settings.RESEARCH_PROFILES = json.dumps({"academic": {"citation_style": "vancouver"}})
    profile = resolve(mode="academic")[0]
    assert (profile.name, profile.citation_style, profile.enable_citation_tools) == ("academic", "vancouver", True)


def test_the_style_of_the_site_is_for_those_that_name_none(settings: Settings) -> None:
    settings.RESEARCH_CITATION_STYLE = "vancouver"
    settings.RESEARCH_PROFILES = json.dumps({"rapid": {}})
    styles = {name: resolve(profile=name)[0].citation_style for name in ("general", "technical", "academic", "rapid")}
    assert styles == {"general": "vancouver", "technical": "vancouver", "academic": "apa", "rapid": "vancouver"}
    assert resolve(profile="general", overrides={"citation_style": "default"})[0].citation_style == "default"


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("RESEARCH_PROFILES", "{nonsense", "RESEARCH_PROFILES is not JSON"),
        ("RESEARCH_PROFILES", "[]", "JSON object of names"),
        ("RESEARCH_PROFILES", {"rapid": []}, "“rapid”: Its keys must be a JSON object"),
        ("RESEARCH_PROFILES", {"rapid": {"stile": "apa"}}, "“rapid”: Unknown profile key “stile”"),
        ("RESEARCH_PROFILES", {"rapid": {"name": "x"}}, "“rapid”: Unknown profile key “name”"),
        ("RESEARCH_PROFILES", {"rapid": {"citation_style": "nope"}}, "“rapid”: No citation style is called “nope”"),
        ("RESEARCH_PROFILES", {"rapid": {"providers": ["bing"]}}, "“rapid”: providers"),
        ("RESEARCH_PROFILES", {"a/b": {}}, "“a/b”: A profile name"),
        (
            "RESEARCH_PROFILES",
            {"local-only": {"providers": ["openalex"]}},
            "“local-only”: providers: local-only contacts no other",
        ),
        ("RESEARCH_CITATION_STYLE", "nope", "RESEARCH_CITATION_STYLE: no citation style is called “nope”"),
        ("RESEARCH_DEFAULT_PROFILE", "nope", "RESEARCH_DEFAULT_PROFILE: unknown profile “nope”"),
    ],
)
def test_what_is_wrong_is_said_at_start_and_left_out(
    project: Project, owner: User, settings: Settings, name: str, value: Any, says: str
) -> None:
    setattr(settings, name, value if isinstance(value, str) else json.dumps({**value, "good": {}}))
    (error,) = check_profiles()
    assert says in error.msg
    page = signed_in(owner).get(reverse("research:list", args=[project.pk]))
    assert page.status_code == 200
    if not isinstance(value, str):
        assert list(site_profiles().site) == ["good"], "its good neighbours are kept"
    assert resolve(profile="local-only")[0].is_local_only


def test_the_default_may_be_the_sites_own(settings: Settings) -> None:
    settings.RESEARCH_PROFILES = json.dumps({"rapid": {}})
    settings.RESEARCH_DEFAULT_PROFILE = "rapid"
    assert check_profiles() == []
    assert resolve()[0].name == "rapid"


def test_the_form_offers_them(project: Project, owner: User, settings: Settings) -> None:
    settings.RESEARCH_PROFILES = json.dumps({"rapid": {"providers": ["crossref"]}})
    page = signed_in(owner).get(reverse("research:list", args=[project.pk])).content.decode()
    assert '<optgroup label="This site">' in page
    assert "Rapid: general sources; crossref" in page
    assert [profile.name for profile in known_profiles()][-1] == "rapid"
