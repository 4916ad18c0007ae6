"""Which engine is on can be seen: on the account page and on a page of its own (P7)."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from config.views import ROLES
from projects.models import User
from tests.people import signed_in

pytestmark = pytest.mark.django_db

KEYS = ("ANTHROPIC_API_KEY", "PUBMED_API_KEY", "S2_API_KEY", "OPENALEX_API_KEY", "TAVILY_API_KEY", "GOOGLE_API_KEY")


def shown(user: User) -> str:
    return signed_in(user).get(reverse("engine")).content.decode()


def rows(page: str) -> dict[str, list[str]]:
    """The tables of the page: what stands in the first cell of a row without its settings, and the rest of it."""
    found = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', page)
    return {first.partition(" <code")[0]: re.findall("<td>(.*?)</td>", rest) for first, rest in found}


def test_the_offline_engine(owner: User) -> None:
    page = shown(owner)
    assert "Offline engine" in page
    assert "offline-1" in page
    assert (
        "No model is asked, and no API key is needed. Research sends words of your question to the catalogues" in page
    )
    assert "The profile “Local only” sends nothing." in page
    assert "LLM_MODEL_" not in page, "it has no models"
    assert all(name in page for name in ("LLM_ENGINE", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"))


def test_a_model_elsewhere(owner: User, settings: Settings) -> None:
    settings.ANTHROPIC_API_KEY = "sk-ant-never-to-be-seen"
    settings.ANTHROPIC_BASE_URL = "https://user:password@model.example/v1?token=secret"
    page = shown(owner)
    assert "messages-1" in page
    assert "Requests leave this machine" in page
    assert "are sent to model.example. " in page
    assert "uses the offline engine instead, and sends nothing" in page
    assert "password" not in page
    assert "secret" not in page


def test_a_model_on_this_machine(owner: User, settings: Settings) -> None:
    settings.ANTHROPIC_API_KEY = "any"
    settings.ANTHROPIC_BASE_URL = "http://127.0.0.1:8080"
    assert "Requests stay on this machine, at 127.0.0.1:8080." in shown(owner)


def test_every_role_names_its_model_and_setting(owner: User, settings: Settings) -> None:
    settings.ANTHROPIC_API_KEY = "any"
    settings.LLM_MODELS = {role: f"model-for-{role}" for role in settings.LLM_MODELS}
    page = shown(owner)
    assert set(ROLES) == set(settings.LLM_MODELS)
    table = rows(page)
    for role, does in ROLES.items():
        assert table[does] == [f"model-for-{role}"]
        assert f"LLM_MODEL_{role.upper()}<" in page


def test_catalogues_say_whether_they_have_a_key(owner: User, settings: Settings) -> None:
    table = rows(shown(owner))
    assert table["Crossref"] == ["none needed", "yes"]
    assert table["PubMed"] == table["Semantic Scholar"] == ["no", "yes"]
    assert table["OpenAlex"] == table["Tavily"] == table["Google"] == ["no", "no"]
    settings.PUBMED_API_KEY = settings.OPENALEX_API_KEY = settings.GOOGLE_API_KEY = "any"
    page = shown(owner)
    table = rows(page)
    assert table["PubMed"] == table["OpenAlex"] == ["yes", "yes"]
    assert table["Google"] == ["no", "no"], "it needs GOOGLE_CX too"
    assert all(f"{name}<" in page for name in (*KEYS, "GOOGLE_CX"))


@pytest.mark.parametrize("address", ["/engine/", "/account/"])
def test_no_part_of_a_key_is_shown(owner: User, settings: Settings, address: str) -> None:
    for name in KEYS:
        setattr(settings, name, f"{name.lower().replace('_', '')}qzx0123456789")
    page = signed_in(owner).get(address).content.decode()
    assert "qzx" not in page
    assert "6789" not in page
    assert not re.search(r"(anthropic|pubmed|s2|openalex|tavily|google)apikey", page)


def test_an_engine_that_cannot_be_used_says_how_to_change_that(owner: User, settings: Settings) -> None:
    settings.LLM_ENGINE = "anthropic"
    assert "LLM_ENGINE=anthropic needs ANTHROPIC_API_KEY" in shown(owner)
    settings.LLM_ENGINE = "oracle"
    assert "set it to auto, anthropic or offline" in shown(owner)


def test_the_account_page_shows_it_in_place(owner: User) -> None:
    client = signed_in(owner)
    account = client.get("/account/").content.decode()
    assert 'hx-get="/engine/"' in account
    assert '<a href="/engine/">' in account, "also where no script runs"
    part = client.get("/engine/", headers={"HX-Request": "true"}).content.decode()
    assert "Offline engine" in part
    assert "<html" not in part
    assert "<h1" not in part


def test_it_is_for_people_who_are_signed_in_and_only_read(owner: User) -> None:
    assert Client().get("/engine/")["Location"] == "/accounts/login/?next=/engine/"
    assert signed_in(owner).post("/engine/").status_code == 405
