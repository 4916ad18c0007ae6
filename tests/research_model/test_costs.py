"""R16: what a run will cost is said before it starts, a budget is there unless it is taken away, and one too small says
what would do: on the page, through the API, on the command line."""

import json
import re
from collections import Counter
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
from jobs.models import State
from llm.budget import tokens_in
from llm.models import Usage
from llm.prices import PRICES
from llm.routing import model_for
from projects.models import Project, User
from research.models import Run
from research.report.draft import partial_label
from research.search import researcher
from research.settings_checks import check_budget
from research.setup import cost_estimate
from research.setup.budget import Budget
from research.setup.cost_estimate import Calls, calls_of, costs_of, estimate_for
from research.setup.limits import MAX_CHILDREN
from research.setup.profiles import BUILT_IN, ResearchProfile
from research.supervision import next_questions
from tests.people import signed_in
from tests.research.forest_thesis import QUESTION, researched
from tests.research_model.script import role_of
from tests.servers.messages import Answer, Request, Service
from tests.servers.thinking_model import thinking, thought
from tests.start_run import start_run

pytestmark = pytest.mark.django_db

GENERAL, ACADEMIC = BUILT_IN["general"], BUILT_IN["academic"]


@pytest.fixture
def elsewhere(settings: Settings) -> None:
    """A model elsewhere is on; nothing in these tests asks it."""
    settings.ANTHROPIC_API_KEY = "any"


@pytest.fixture
def here(settings: Settings) -> None:
    """A model on this machine, which is not asked either."""
    settings.ANTHROPIC_API_KEY = "any"
    settings.ANTHROPIC_BASE_URL = "http://127.0.0.1:9"


def page(user: User, project: Project, **asked: Any) -> str:
    return signed_in(user).get(reverse("research:list", args=[project.pk]), asked).content.decode()


def post(user: User, project: Project, where: str = "", **body: Any) -> Any:
    address = f"/api/projects/{project.pk}/runs{where}"
    return signed_in(user).post(address, {"question": QUESTION, **body}, content_type="application/json")


def send(user: User, project: Project, **typed: str) -> Any:
    body = {"question": QUESTION, "profile": "general", **typed}
    return signed_in(user).post(reverse("research:start", args=[project.pk]), body)


def command(project: Project, *words: str) -> str:
    out = StringIO()
    call_command("research", QUESTION, "--project", str(project.pk), *words, stdout=out, stderr=StringIO())
    return out.getvalue()


# A default budget


@pytest.mark.usefixtures("elsewhere")
def test_a_budget_is_there_unless_it_is_taken_away(project: Project, owner: User, settings: Settings) -> None:
    settings.RESEARCH_DEFAULT_BUDGET_USD = "3.50"
    assert re.search(r'<input type="text" name="budget" value="3.50"', page(owner, project))
    for body, usd in (
        ({}, "3.5"),
        ({"budget": None}, "3.5"),
        ({"budget": {"minutes": 30}}, "3.5"),
        ({"budget": {"usd": None}}, None),
        ({"budget": 2}, "2"),
    ):
        assert post(owner, project, profile="general", **body).status_code == 201
        assert Run.objects.latest("created_at").budget_usd == (usd and Decimal(usd)), body
    assert send(owner, project, budget="").status_code == 302, "a person took it away"
    assert Run.objects.latest("created_at").budget_usd is None
    assert start_run(project, owner, QUESTION, enqueue=False).budget_usd == Decimal("3.5")


@pytest.mark.usefixtures("here")
def test_nobody_is_paid_for_a_model_on_this_machine(project: Project, owner: User) -> None:
    assert re.search(r'<input type="text" name="budget"(?! value)', page(owner, project))
    assert post(owner, project, profile="general").json()["budget"]["usd"] is None
    said = post(owner, project, "/estimate", profile="general").json()
    assert said["sentence"] == "The model runs on this machine, so no cost is estimated."
    assert (said["usd"], said["budget"]) == (None, None)


def test_the_offline_engine_costs_nothing(project: Project, owner: User) -> None:
    said = post(owner, project, "/estimate").json()
    assert said["sentence"] == "The offline engine is used: the run is free."
    assert said["usd"] is None
    assert post(owner, project).json()["budget"]["usd"] is None


@pytest.mark.usefixtures("elsewhere")
def test_a_run_that_stays_here_is_not_limited_by_what_the_form_fills_in(project: Project, owner: User) -> None:
    assert send(owner, project, profile="local-only", budget="5.00").status_code == 302
    assert Run.objects.get().budget_usd is None


@pytest.mark.parametrize("wrong", ["lots", "0", "-1", "NaN", "Infinity", "1e9", ""])
def test_a_default_that_is_none_is_said_at_the_start(settings: Settings, wrong: str) -> None:
    assert check_budget() == []
    settings.RESEARCH_DEFAULT_BUDGET_USD = wrong
    (fault,) = check_budget()
    assert "RESEARCH_DEFAULT_BUDGET_USD must be an amount between 0.01 and 100,000 USD" in fault.msg


# The estimate


@pytest.mark.usefixtures("elsewhere")
def test_page_api_and_command_say_the_same(project: Project, owner: User) -> None:
    sentence = costs_of(ACADEMIC, (), Budget()).sentence
    assert re.fullmatch(
        r"Estimated cost: about \d+\.\d\d to \d+\.\d\d USD\. At most 5\.00 USD, your budget\.", sentence
    )
    said = post(owner, project, "/estimate", profile="academic").json()
    assert said["sentence"] == sentence
    assert said["usd"]["low"] == pytest.approx(float(estimate_for(ACADEMIC).usd[0]), abs=0.01)
    assert command(project, "--profile", "academic", "--estimate").strip() == sentence
    assert sentence in page(owner, project, part="reach", profile="academic", budget="5.00")
    assert sentence in page(owner, project, profile="academic")
    assert not Run.objects.exists()


@pytest.mark.usefixtures("elsewhere")
def test_it_follows_what_is_chosen(forest: Project, owner: User) -> None:
    def cost(**asked: Any) -> str:
        found = re.search(r"about (.*?) USD", page(owner, forest, part="reach", **asked))
        assert found
        return found[1]

    general, academic = cost(profile="general"), cost(profile="academic")
    assert general != academic
    assert (
        cost(profile="general", choices_of="general", source_quality_mode="academic", enable_claim_verification="on")
        == academic
    )
    files = [str(file.pk) for file in forest.context_files.all()]
    assert cost(profile="academic", files=files) != academic
    shown = page(owner, forest, part="reach", profile="academic", budget="2")
    assert (
        "At most 2.00 USD, your budget: if it is used up, the report is written from what was found until then."
        in shown
    )
    assert "Without a budget there is no limit." in page(owner, forest, part="reach", profile="academic", budget="")


@pytest.mark.usefixtures("elsewhere")
def test_the_command_says_it_before_the_run(project: Project) -> None:
    said = StringIO()
    words = ["--project", str(project.pk), "--profile", "general", "--set", "providers="]
    with pytest.raises(CommandError, match="nothing to search"):
        call_command("research", QUESTION, *words, stdout=StringIO(), stderr=said)
    assert said.getvalue().startswith("Estimated cost: about ")


@pytest.mark.usefixtures("elsewhere")
def test_a_price_that_nobody_knows_is_said(project: Project, owner: User, settings: Settings) -> None:
    known = estimate_for(GENERAL)
    settings.LLM_MODELS = {**settings.LLM_MODELS, "condense": "oracle-9", "verify": "oracle-9"}
    said = post(owner, project, "/estimate", profile="general").json()
    assert said["unknown_prices"] == ["oracle-9"]
    assert said["sentence"].count("The price of oracle-9 is unknown") == 1
    assert said["usd"]["low"] > known.usd[0] > 0


@given(st.fixed_dictionaries({role: st.sampled_from([*PRICES, "unknown-1"]) for role in ("brief", "research",
    "condense", "synthesize", "verify")}))  # fmt: skip
def test_no_estimate_is_nothing(models: dict[str, str]) -> None:
    from django.test import override_settings

    before = {role: model_for(role) for role in ("decompose", "sufficiency", "route", "digest", "assist", "draft",
        "draft_plain")}  # fmt: skip
    with override_settings(LLM_MODELS={**before, **models}):
        for profile in BUILT_IN.values():
            found = estimate_for(profile)
            assert 0 < found.usd[0] < found.usd[1]
            assert 0 < found.least.report_usd < found.least.usd
            assert 0 < found.tokens.low < found.tokens.high
            assert bool(found.unknown) == ("unknown-1" in models.values())


@pytest.mark.sample(1)
@pytest.mark.parametrize(("profile", "rounds"), [(GENERAL, 1), (ACADEMIC, 1), (ACADEMIC, 6)])
def test_a_run_stays_within_its_estimate(
    forest: Project, owner: User, settings: Settings, profile: ResearchProfile, rounds: int
) -> None:
    """What is asked in each role, how often and how long, of a model that answers as one does."""
    with thinking(0, 0, rounds) as model:
        for name, value in model.settings.items():
            setattr(settings, name, json.loads(value) if name == "SOURCE_PACE" else value)
        run = researched(forest, owner, profile=profile.name)
    assert run.job.state == State.DONE, run.job.reason
    calls: Counter[str] = Counter(Usage.objects.filter(subject=run.pk).values_list("role", flat=True))
    sent: Counter[str] = Counter()
    for one in model.asked:
        request = json.loads(one.content)
        if isinstance(request, dict) and "messages" in request:
            sent[_routed_role(role_of(request))] += tokens_in(json.dumps([request.get("system"), request["messages"]]))
    sizes = tuple(forest.context_files.values_list("size", flat=True))
    for role, (most_calls, most_sent) in _most(calls_of(profile, sizes)).items():
        assert calls[role] <= most_calls, role
        assert sent[role] <= most_sent, role
    assert sum(calls.values()) <= estimate_for(profile, sizes).calls.high


def _routed_role(role: str) -> str:
    """The role as it is routed."""
    return {"assess": "condense", "aggregate": "digest", "repair": "synthesize"}.get(role, role)


def _most(asked: Any) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    one: Calls
    for one in asked:
        calls, sent = found.get(one.role, (0, 0))
        found[one.role] = (calls + one.calls.high, sent + one.calls.high * (one.sent.high + one.cached.high))
    return found


# Too small


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize("profile", ["general", "academic"])
def test_too_small_a_budget_says_what_would_do(project: Project, owner: User, profile: str) -> None:
    least = estimate_for(BUILT_IN[profile]).least
    less = least.usd - Decimal("0.01")
    words = f"A budget of {less} USD is too small for this run: a short one needs {least.usd} USD."

    answer = send(owner, project, profile=profile, budget=str(less))
    assert answer.status_code == 422
    shown = answer.content.decode()
    error = shown[shown.index('id="id_budget_error"') :]
    assert words in error[: error.index("</div>")]
    assert words in page(owner, project, part="reach", profile=profile, budget=str(less)), "before Start"

    refused = post(owner, project, profile=profile, budget=float(less))
    assert refused.status_code == 422
    assert refused.json()["error"] | {"field": "budget", "code": "budget_too_small"} == refused.json()["error"]
    assert refused.json()["error"]["message"].startswith(words)
    said = post(owner, project, "/estimate", profile=profile, budget=float(less))
    assert said.status_code == 200
    assert said.json()["too_small"].startswith(words)
    assert said.json()["least"]["usd"] == float(least.usd)

    for more in ([], ["--estimate"]):
        with pytest.raises(CommandError, match="is too small for this run") as error:
            command(project, "--profile", profile, "--budget", str(less), *more)
        assert error.value.returncode == 2
    with pytest.raises(Refused, match="is too small"):
        start_run(project, owner, QUESTION, profile=profile, budget=less)
    assert not Run.objects.exists()
    assert post(owner, project, profile=profile, budget=float(least.usd)).status_code == 201


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize("what", ["tokens", "calls"])
def test_the_other_limits_do_too(project: Project, owner: User, what: str) -> None:
    fewest = getattr(estimate_for(GENERAL).least, what)
    words = f"is too small for this run: a short one needs {fewest:,}."
    refused = post(owner, project, profile="general", budget={what: fewest - 1})
    assert refused.status_code == 422
    assert words in refused.json()["error"]["message"]
    assert words in send(owner, project, **{f"budget_{what}": str(fewest - 1)}).content.decode()
    assert not Run.objects.exists()
    assert post(owner, project, profile="general", budget={what: fewest}).status_code == 201


@pytest.mark.usefixtures("elsewhere")
def test_a_default_that_is_too_small_is_refused_like_one_that_was_typed(
    project: Project, owner: User, settings: Settings
) -> None:
    settings.RESEARCH_DEFAULT_BUDGET_USD = "0.10"
    refused = post(owner, project, profile="general")
    assert refused.status_code == 422
    assert "A budget of 0.10 USD is too small" in refused.json()["error"]["message"]


@pytest.mark.sample(1)
@pytest.mark.parametrize("profile", [GENERAL, ACADEMIC], ids=lambda profile: profile.name)
def test_what_would_do_does(
    forest: Project, owner: User, service: Service, profile: ResearchProfile, settings: Settings
) -> None:
    """A run of a model that uses what the lower end of the estimate says, with the least that it is started with."""
    each = {one.role: (one.sent.low + one.cached.low, one.answered.low) for one in calls_of(profile, (1,))}

    def answer(request: Request) -> Answer:
        reply = thought(request)
        sent, answered = each.get(_routed_role(role_of(request)), (500, 300))
        reply.usage = {"input_tokens": max(sent, 500), "output_tokens": max(answered, 300)}
        return reply

    service.otherwise = answer
    ids = [file.pk for file in forest.context_files.all()]
    sizes = tuple(forest.context_files.values_list("size", flat=True))
    run = researched(
        forest, owner, profile=profile.name, overrides={"providers": []}, file_ids=ids,
        budget=estimate_for(profile, sizes).least.usd,
    )  # fmt: skip
    assert run.job.state == State.DONE, run.job.reason
    assert partial_label(run.report) == ""
    assert "The budget" not in run.report
    assert run.spent_usd <= (run.budget_usd or 0)


def test_the_questions_are_those_that_a_run_has() -> None:
    """The estimate reckons with the same limits that end a run's rounds; whoever changes one of them comes here."""
    assert next_questions.MOST == cost_estimate.MORE
    assert cost_estimate.PARTS["academic"][1] == MAX_CHILDREN
    assert researcher.MAX_TURNS > 4, "turns of a question at the upper end"


def test_strangers_are_told_nothing(project: Project, outsider: User) -> None:
    assert post(outsider, project, "/estimate").status_code == 404
