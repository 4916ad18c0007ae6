"""A budget is named when a run is started (R16)."""

from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from core.errors import Refused
from projects.models import Project, User
from research.models import Run
from tests.people import signed_in
from tests.start_run import start_run

pytestmark = pytest.mark.django_db


def start(user: User, project: Project, budget: Any) -> Any:
    body = {"question": "Does alder help?", "budget": budget}
    return signed_in(user).post(f"/api/projects/{project.pk}/runs", body, content_type="application/json")


@pytest.mark.parametrize("budget", [2.5, "2.5"])
def test_through_the_api(project: Project, owner: User, budget: Any) -> None:
    assert start(owner, project, budget).status_code == 201
    assert Run.objects.get().budget_usd == Decimal("2.5")


@pytest.mark.parametrize("budget", [0, -1, 0.001, 1e9, "NaN", "lots"])
def test_no_real_budget(project: Project, owner: User, budget: Any) -> None:
    assert start(owner, project, budget).status_code == 422
    assert not Run.objects.exists()


def test_an_outsider_starts_nothing(project: Project, outsider: User) -> None:
    assert start(outsider, project, 1).status_code == 404


def test_infinity_is_no_limit_to_name(project: Project, owner: User) -> None:
    with pytest.raises(Refused, match=r"between 0\.01 and 100,000 USD"):
        start_run(project, owner, "Does alder help?", budget=Decimal("Infinity"))


@pytest.mark.parametrize("typed", ["lots", "0", "NaN"])
def test_on_the_command_line(project: Project, owner: User, typed: str) -> None:
    with pytest.raises(CommandError) as error:
        call_command("research", "Does alder help?", "--budget", typed, stdout=StringIO(), stderr=StringIO())
    assert error.value.returncode == 2
