"""Runs of one researcher over one catalogue, for tests."""

from typing import Any

from jobs.models import State
from projects.models import Project, User
from research.models import Run
from tests.research.forest_thesis import researched
from tests.research_model.script import QUOTES, reply, role_of
from tests.servers.catalogues import S2_PAPER, Answer, ReceivedRequest, changed
from tests.servers.messages import Request, model_answer

SEARCH = "/graph/v1/paper/search"


def run_of(project: Project, owner: User, **options: Any) -> Run:
    """A run that asks Semantic Scholar, and the library for what is in references."""
    options = {"profile": "general", "file_ids": [], "overrides": {"providers": "semantic_scholar"}, **options}
    run = researched(project, owner, **options)
    assert run.job.state == State.DONE, run.job.reason
    return run


def papers(*numbers: int) -> dict[str, Any]:
    """An answer of Semantic Scholar with a paper for each of `numbers`."""
    found = [
        changed(
            S2_PAPER,
            paperId=f"{n:040x}",
            externalIds={"DOI": f"10.5555/paper.{n}"},
            title=f"Paper {n} on what alder does to soils",
            abstract=f"Nitrogen rose by {n} kg. {QUOTES[2]}",
            url=f"https://papers.example/{n}",
            openAccessPdf=None,
        )
        for n in numbers
    ]
    return {"total": len(found), "data": found}


def nothing(asked: ReceivedRequest) -> Answer:
    return Answer({"total": 0})


def found_for(asked: ReceivedRequest) -> Answer:
    """A paper for each query, with the number that is in it."""
    return Answer(papers(int("".join(filter(str.isdigit, asked.query["query"])) or 0)))


# When it has to stop


def satisfied(request: Request) -> Any:
    """A model that finds one thing in the first passage and calls that enough."""
    if role_of(request) == "sufficiency":
        return model_answer(answer={"is_sufficient": True, "reasoning": "It is all there.", "gaps": []})
    return reply(request)
