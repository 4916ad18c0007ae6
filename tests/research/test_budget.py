"""A budget is set when a run is started, and what was spent of it is seen: page, API, command (R16, T4)."""

import re
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from core.errors import Refused
from projects.models import Project, User
from research.models import Run
from research.setup.budget import money
from research.setup.forms import WholeNumberField
from tests.people import signed_in
from tests.research.forest_thesis import QUESTION, researched
from tests.research_model.conftest import service
from tests.servers.messages import Service
from tests.start_run import start_run

__all__ = ["service"]

pytestmark = pytest.mark.django_db

FIELDS = ["budget", "budget_minutes", "budget_tokens", "budget_calls"]


@pytest.fixture
def _model(settings: Settings) -> None:
    """A model elsewhere is on; nothing in these tests asks it."""
    settings.ANTHROPIC_API_KEY = "any"


def listed(user: User, project: Project, **asked: str) -> str:
    return signed_in(user).get(reverse("research:list", args=[project.pk]), asked).content.decode()


def send(user: User, project: Project, **typed: str) -> Any:
    body = {"question": QUESTION, "profile": "general", **typed}
    return signed_in(user).post(reverse("research:start", args=[project.pk]), body)


def inputs(page: str) -> dict[str, str]:
    """The fields for limits that a page has, with what stands in them."""
    tags = re.findall(r'<input type="text" name="(budget\w*)"([^>]*)>', page)
    return {name: (re.findall(r'value="([^"]*)"', rest) or [""])[0] for name, rest in tags}


# The form


def test_without_a_model_there_is_nothing_to_limit(project: Project, owner: User) -> None:
    assert inputs(listed(owner, project)) == {}
    assert send(owner, project, budget="lots").status_code == 302, "what the form does not have is not read"
    assert Run.objects.get().budget_usd is None


@pytest.mark.usefixtures("_model")
def test_a_model_may_be_given_limits(project: Project, owner: User) -> None:
    assert list(inputs(listed(owner, project))) == FIELDS
    typed = {"budget": " 2.50 ", "budget_tokens": "200,000", "budget_calls": "100", "budget_minutes": "30"}
    assert send(owner, project, **typed).status_code == 302
    run = Run.objects.get()
    assert (run.budget_usd, run.budget_tokens, run.budget_calls) == (Decimal("2.5"), 200_000, 100)
    assert run.budget_seconds == 1800


@pytest.mark.usefixtures("_model")
def test_an_empty_field_is_no_limit(project: Project, owner: User) -> None:
    assert send(owner, project, budget="", budget_tokens="").status_code == 302
    run = Run.objects.get()
    assert (run.budget_usd, run.budget_tokens, run.budget_calls) == (None, None, None)


@pytest.mark.sample(3)
@pytest.mark.usefixtures("_model")
@pytest.mark.parametrize(
    ("field", "typed", "says"),
    [
        ("budget", "2,50", "a number of USD, for example 2.50"),
        ("budget", "NaN", "a number of USD"),
        ("budget", "0", "between 0.01 and 100,000 USD"),
        ("budget", "1e9", "between 0.01 and 100,000 USD"),
        ("budget_tokens", "many", "a whole number, for example 200000"),
        ("budget_tokens", "999", "between 1,000 and 1,000,000,000"),
        ("budget_calls", "1,5", "a whole number, for example 100"),
        ("budget_calls", "0", "between 1 and 100,000"),
        ("budget_minutes", "half an hour", "a whole number, for example 30"),
        ("budget_minutes", "0", "between 1 and 10,000"),
    ],
)
def test_what_is_wrong_is_said_at_its_field_and_kept(
    project: Project, owner: User, field: str, typed: str, says: str
) -> None:
    answer = send(owner, project, **{field: typed})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert QUESTION in page
    assert inputs(page)[field] == typed
    error = page[page.index(f'id="id_{field}_error"') :]
    assert says in error[: error.index("</div>")]
    assert re.search(rf'<input[^>]* name="{field}"[^>]*aria-describedby="[^"]*id_{field}_error', page)
    assert ("<details open>" in page) == (field != "budget"), "nothing wrong stands behind a closed lid"
    assert not Run.objects.exists()


@pytest.mark.usefixtures("_model")
def test_all_that_is_wrong_is_said_at_once(project: Project, owner: User) -> None:
    page = send(owner, project, budget="0", budget_tokens="5", budget_calls="many").content.decode()
    assert page.count('aria-invalid="true"') == 3


@given(st.integers(0, 10**12), st.sampled_from([",", " ", "\u202f", ""]))
def test_numbers_are_taken_as_people_write_them(number: int, between: str) -> None:
    assert WholeNumberField().clean(f"{number:,}".replace(",", between)) == number


def reach(user: User, project: Project, profile: str) -> str:
    """The line on what a run of `profile` sends where, as the form asks for it."""
    return listed(user, project, part="reach", profile=profile)


def test_the_form_says_who_is_asked(project: Project, owner: User, settings: Settings) -> None:
    """R1: catalogues that get the question, those left out for want of a key, or nobody at all."""
    settings.ANTHROPIC_API_KEY = "any"
    said = reach(owner, project, "academic")
    assert "Academic: your question and search words go to Semantic Scholar." in said
    assert "no key is set</a>: OpenAlex, Tavily." in said
    settings.OPENALEX_API_KEY = settings.TAVILY_API_KEY = "key-of-ours"
    said = reach(owner, project, "academic")
    assert "go to Semantic Scholar, OpenAlex and Tavily." in said
    assert "no key is set" not in said
    assert "key-of-ours" not in said
    assert "<html" not in said
    assert "Local-only: nothing leaves this machine; the offline engine" in reach(owner, project, "local-only")
    settings.ANTHROPIC_BASE_URL = "http://127.0.0.1:9"
    assert "Local-only: nothing leaves this machine.</p>" in reach(owner, project, "local-only")


def test_the_form_says_that_no_catalogue_has_its_key(project: Project, owner: User, settings: Settings) -> None:
    settings.ANTHROPIC_API_KEY = "any"
    said = reach(owner, project, "technical")
    assert "Technical: no catalogue is searched." in said
    assert "no key is set</a>: Tavily, Google." in said


def test_the_form_says_that_the_engine_cannot_be_used(project: Project, owner: User, settings: Settings) -> None:
    settings.LLM_ENGINE = "oracle"
    assert "General: Unknown LLM_ENGINE=oracle" in reach(owner, project, "general")


@pytest.mark.usefixtures("_model")
def test_the_line_knows_who_asks_a_model(project: Project, owner: User, settings: Settings) -> None:
    assert "data-no-budget" not in reach(owner, project, "general")
    assert "data-no-budget" in reach(owner, project, "local-only")
    settings.ANTHROPIC_BASE_URL = "http://127.0.0.1:9"
    assert "data-no-budget" not in reach(owner, project, "local-only"), "a model on this machine"
    settings.LLM_ENGINE = "offline"
    assert "data-no-budget" in reach(owner, project, "general")


@pytest.mark.usefixtures("_model")
def test_the_form_opens_with_the_line_of_its_profile(project: Project, owner: User) -> None:
    assert "General: your question" in listed(owner, project), "the site's default"
    Project.objects.filter(pk=project.pk).update(default_profile="local-only")
    assert "Local-only: nothing leaves" in listed(owner, project)
    assert "Academic: your question" in send(owner, project, question="", profile="academic").content.decode()


def test_the_line_is_for_those_who_see_the_thesis(project: Project, owner: User, outsider: User) -> None:
    address = reverse("research:list", args=[project.pk])
    asked = {"part": "reach", "profile": "general"}
    assert signed_in(outsider).get(address, asked).status_code == 404
    assert signed_in(owner).post(address, asked).status_code == 405
    assert signed_in(owner).get(address, {**asked, "profile": "secret"}).status_code == 404


# The page of a run


def spent_by(project: Project, user: User, **limits: Any) -> Run:
    """A run that a model conducts, with 12,345 tokens used in 14 calls so far."""
    run = start_run(project, user, QUESTION, profile="general", enqueue=False, **limits)
    Run.objects.filter(pk=run.pk).update(spent_usd=Decimal("0.03121"), spent_tokens=12_345, spent_calls=14)
    return run


def readout(user: User, run: Run) -> tuple[str, str]:
    """What the header of the run says under “Spent”, as words, and its markup."""
    head = signed_in(user).get(reverse("research:head", args=[run.pk])).content.decode()
    found = re.search(r"<dt>Spent</dt><dd>(.*?)</dd>", head, re.DOTALL)
    return (re.sub(r"<[^>]+>", "", found[1]), found[1]) if found else ("", "")


@pytest.mark.usefixtures("_model")
def test_the_page_shows_what_was_spent_of_what_may_be(project: Project, owner: User) -> None:
    run = spent_by(project, owner, budget=Decimal(2))
    words, markup = readout(owner, run)
    assert words == "0.0312 of 2.00 USD · 12,345 tokens · 14 calls"
    [meter] = re.findall(r"<meter ([^>]+)>", markup)
    assert 'max="2.00" low="1.6' in meter
    assert 'value="0.0312" data-counter="spent_usd" aria-label=' in meter
    run = spent_by(project, owner, budget=None, budget_tokens=300_000, budget_calls=100)
    assert readout(owner, run)[0] == ("0.0312 USD · 12,345 of 300,000 tokens · 14 of 100 calls")


@pytest.mark.usefixtures("_model")
def test_without_a_budget_just_what_was_spent(project: Project, owner: User) -> None:
    words, markup = readout(owner, spent_by(project, owner, budget=None))
    assert words == "0.0312 USD · 12,345 tokens · 14 calls"
    assert "<meter" not in markup


def test_the_offline_engine_costs_nothing_to_show(project: Project, owner: User) -> None:
    assert readout(owner, spent_by(project, owner, budget=Decimal(2))) == ("", "")


@pytest.mark.django_db(transaction=True)  # what was used is settled when the answer is really stored
def test_the_stream_keeps_the_page_up_to_date(forest: Project, owner: User, service: Service) -> None:
    """The counters that the page has places for are those that the events bring."""
    run = researched(forest, owner, budget=Decimal(5))
    words, markup = readout(owner, run)
    places = dict.fromkeys(re.findall(r'data-counter="(\w+)"', markup))
    last = run.job.events.exclude(counters={}).last()
    assert last is not None
    assert [last.counters[name] for name in places] == [f"{run.spent_usd:.4f}", run.spent_tokens, run.spent_calls]
    assert words.startswith(f"{run.spent_usd:.4f} of 5.00 USD")


def test_what_is_spent_is_not_for_strangers(project: Project, owner: User, outsider: User) -> None:
    address = reverse("research:head", args=[spent_by(project, owner).pk])
    assert signed_in(outsider).get(address).status_code == 404
    assert signed_in(owner).post(address).status_code == 405


@pytest.mark.parametrize(
    ("usd", "shown"), [("2", "2.00"), ("2.50000000", "2.50"), ("0.015", "0.015"), ("100000", "100000.00")]
)
def test_money_has_two_places_and_more_where_it_has_them(usd: str, shown: str) -> None:
    assert money(Decimal(usd)) == shown


# The API


def post(user: User, project: Project, budget: Any) -> Any:
    body = {"question": QUESTION, "budget": budget}
    return signed_in(user).post(f"/api/projects/{project.pk}/runs", body, content_type="application/json")


@pytest.mark.parametrize(
    ("budget", "limits"),
    [
        (2.5, {"usd": 2.5}),
        (
            {"usd": 2.5, "tokens": 200_000, "calls": 100, "minutes": 30},
            {"usd": 2.5, "tokens": 200_000, "calls": 100, "minutes": 30},
        ),
        ({"calls": 100}, {"calls": 100}),
        ({}, {}),
        (None, {}),
    ],
)
def test_the_api_takes_and_gives_limits(project: Project, owner: User, budget: Any, limits: dict[str, Any]) -> None:
    answer = post(owner, project, budget)
    assert answer.status_code == 201
    run = Run.objects.get()
    limits = {"usd": None, "tokens": None, "calls": None, "minutes": None, **limits}
    seconds = limits["minutes"] and limits["minutes"] * 60
    assert (run.budget_usd, run.budget_tokens, run.budget_calls) == tuple(limits.values())[:3]
    assert run.budget_seconds == seconds
    assert answer.json()["budget"] == limits
    Run.objects.update(spent_usd=Decimal("0.03121"), spent_tokens=12_345, spent_calls=14)
    snapshot = signed_in(owner).get(f"/api/runs/{run.pk}").json()
    assert snapshot["budget"] == limits
    assert snapshot["spent"] == {"usd": 0.03121, "tokens": 12_345, "calls": 14}


@pytest.mark.parametrize(
    ("budget", "field"),
    [
        ("lots", "budget.usd"),
        ([1], "budget.usd"),
        (0, "budget"),
        ({"usd": 1e9}, "budget"),
        ({"usd": "NaN"}, "budget.usd"),
        ({"tokens": 999}, "budget.tokens"),
        ({"tokens": 10**30}, "budget.tokens"),
        ({"tokens": 1000.5}, "budget.tokens"),
        ({"calls": 0}, "budget.calls"),
        ({"calls": 100_001}, "budget.calls"),
        ({"minutes": 0}, "budget.minutes"),
        ({"euros": 5}, "budget.euros"),
    ],
)
def test_the_api_names_what_is_wrong(project: Project, owner: User, budget: Any, field: str) -> None:
    answer = post(owner, project, budget)
    assert answer.status_code == 422
    assert answer.json()["error"]["field"] == field
    assert answer.json()["error"]["message"]
    assert not Run.objects.exists()


def test_the_api_keeps_budgets_from_strangers(project: Project, owner: User, outsider: User) -> None:
    assert post(outsider, project, {"usd": 1}).status_code == 404
    run = spent_by(project, owner)
    assert signed_in(outsider).get(f"/api/runs/{run.pk}").status_code == 404
    assert signed_in(owner).put(f"/api/runs/{run.pk}").status_code == 405


def test_the_api_documents_both_forms(owner: User) -> None:
    schema = signed_in(owner).get("/api/openapi.json").json()["components"]["schemas"]
    given = schema["StartIn"]["properties"]["budget"]["anyOf"]
    assert {"type": "number"} in given
    assert {"$ref": "#/components/schemas/BudgetIn"} in given


# The command


@pytest.mark.django_db(transaction=True)  # the events are told from a thread with a connection of its own
def test_the_command_says_what_it_spends(forest: Project, service: Service) -> None:
    said = StringIO()
    words = ["--profile", "local-only", "--budget", "5", "--budget-tokens", "1000000", "--budget-calls", "100"]
    call_command("research", QUESTION, "--project", str(forest.pk), *words, stdout=StringIO(), stderr=said)
    run = Run.objects.get()
    assert (run.budget_usd, run.budget_tokens, run.budget_calls) == (Decimal(5), 1_000_000, 100)
    assert run.spent_calls == len(service.requests) > 0
    spent = f"{run.spent_usd:.4f}"
    assert f"Spent {spent} of 5.00 USD, {run.spent_tokens:,} of 1,000,000 tokens, {run.spent_calls} of 100 calls." in (
        said.getvalue()
    )
    assert f" ({spent} USD so far)" in said.getvalue(), "as it goes"


@pytest.mark.django_db(transaction=True)  # otherwise that thread waits ten seconds for the lock of the test's own
def test_the_command_says_nothing_of_it_offline(forest: Project) -> None:
    said = StringIO()
    to_nobody = ["--profile", "local-only"]
    call_command("research", QUESTION, "--project", str(forest.pk), *to_nobody, stdout=StringIO(), stderr=said)
    assert "Spent" not in said.getvalue()
    assert "USD" not in said.getvalue()


@pytest.mark.parametrize(
    "typed",
    [
        ["--budget", "lots"],
        ["--budget-tokens", "many"],
        ["--budget-tokens", "999"],
        ["--budget-calls", "1.5"],
        ["--budget-calls", "0"],
        ["--budget-minutes", "soon"],
        ["--budget-minutes", "0"],
    ],
)
def test_the_command_refuses_with_exit_code_2(project: Project, typed: list[str]) -> None:
    with pytest.raises(CommandError) as refused:
        call_command("research", QUESTION, "--project", str(project.pk), *typed)
    assert refused.value.returncode == 2
    assert not Run.objects.exists()


# What they all call


@pytest.mark.parametrize(
    "limits",
    [
        {"budget": Decimal("0.009")},
        {"budget": Decimal("100000.01")},
        {"budget_tokens": 999},
        {"budget_tokens": 1_000_000_001},
        {"budget_calls": 0},
        {"budget_calls": 100_001},
        {"budget_minutes": 0},
        {"budget_minutes": 10_001},
    ],
)
def test_no_run_is_made_with_a_budget_it_could_not_keep(project: Project, owner: User, limits: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="must be between"):
        start_run(project, owner, QUESTION, **limits)
    assert not Run.objects.exists()
