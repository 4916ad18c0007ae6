"""The brief: exactly the general prompt in general mode, what the profile fixes in an academic one (R3)."""

from typing import Any

import pytest

from jobs.models import State
from llm.roles import Brief, BriefAsked
from projects.models import Project, User
from research.run import with_fixed
from tests.research.forest_thesis import researched
from tests.research_model.script import role_of
from tests.servers.messages import Request, Service

pytestmark = pytest.mark.django_db

FIXED = {
    "disciplinary_scope": "forestry, soil science",
    "time_period": "2015 to 2025",
    "methodology_preferences": "field trials",
    "source_type_hierarchy": "books",
}


def briefs(service: Service) -> list[Request]:
    return [request for request in service.requests if role_of(request) == "brief"]


def system_and_messages(request: Request) -> tuple[Any, Any]:
    return request["system"], request["messages"]


@pytest.mark.long
def test_in_general_mode_nothing_academic_changes_a_word(forest: Project, owner: User, service: Service) -> None:
    plain: dict[str, Any] = {"profile": "general", "overrides": {"providers": []}}
    assert researched(forest, owner, **plain).job.state == State.DONE
    fixed: dict[str, Any] = {
        "profile": "academic",
        "overrides": {"providers": [], "source_quality_mode": "general", **FIXED},
    }
    assert researched(forest, owner, **fixed).job.state == State.DONE
    general, scoped = briefs(service)
    assert system_and_messages(scoped) == system_and_messages(general)


def test_what_the_profile_fixes_is_there_from_the_start(forest: Project, owner: User, service: Service) -> None:
    run = researched(forest, owner, profile="academic", overrides={"providers": [], **FIXED})
    assert run.job.state == State.DONE, run.job.reason
    (request,) = briefs(service)
    text = str(request["messages"])
    assert "Fixed by the person" in text
    for value in ("forestry", "soil science", "2015 to 2025", "field trials", "books"):
        assert value in text
    assert run.brief["scope_boundaries"] == [
        "Red alder only.", "Disciplines: forestry, soil science", "Time period: 2015 to 2025", "Methods: field trials",
    ]  # fmt: skip
    details = run.provenance.get(event_type="brief_generated").details
    assert details["scope_boundaries"] == run.brief["scope_boundaries"], "a model that left it out is put right"


def test_what_the_brief_settles_already_is_not_said_twice() -> None:
    asked = BriefAsked(
        question="q", academic=True, scope={"time_period": ["2015 to 2025"], "source_type_hierarchy": ["books"]}
    )
    brief = Brief(text="I am looking for trials of 2015 TO 2025.", source_preferences=["Field trials."])
    assert with_fixed(brief, asked) == brief
    assert with_fixed(Brief(text="x"), asked).source_preferences == ["books"]
    assert with_fixed(Brief(text="x"), asked.model_copy(update={"academic": False})) == Brief(text="x")
