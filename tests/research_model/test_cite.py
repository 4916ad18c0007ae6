"""R10: however a model writes down what it cites, it becomes numbers of what was retrieved."""

import json
import re
from typing import Any

import pytest

from jobs.models import State
from projects.models import Project, User
from tests.research.forest_thesis import researched
from tests.research_model.catalogue_works import ASKED, hold, quoting
from tests.research_model.conversation import done, plays, search
from tests.research_model.script import material, role_of
from tests.servers.catalogues import Site
from tests.servers.messages import Answer, Request, Service, model_answer

pytestmark = pytest.mark.django_db


def test_spellings_of_a_citation(project: Project, owner: User, service: Service, shelves: Site) -> None:
    def answer(request: Request) -> Any:
        prepared = quoting(request)
        if role_of(request) != "synthesize":
            return prepared
        assert isinstance(prepared, Answer)
        one, two, three, _ = material(request, "findings")
        report = json.loads(prepared.content[0]["text"])
        report["sections"][0]["body"] = (
            f"Plain [[{one['id']}]]. Bare [{two['id']}]. Both [[{one['id']}, {two['id']}]]. "
            f"Again [{one['id']}; {three['id']}]. By its source [[{three['source_id']}]]. Made up [[F9-9, F8-8]]."
        )
        return model_answer(answer=report)

    hold(shelves)
    plays(service, [search("alder")], [done()], then=answer)
    run = researched(project, owner, profile="general", overrides=ASKED)
    assert run.job.state == State.DONE, run.job.reason
    assert re.sub(r" \*\(.*?\)\*", "", run.report).count(
        "Plain [1]. Bare [2]. Both [1] [2]. Again [1] [3]. By its source [3]. Made up."
    ), "but for the marks of the claim check"
    assert run.provenance.get(event_type="synthesis_completed").details["orphans_dropped"] == 2
