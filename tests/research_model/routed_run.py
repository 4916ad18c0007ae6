"""A model that takes notes of its own, splits a question, leaves a gap for a second round, and routes by words.

The plan has two parts. The first is split again; the second stays open and becomes the question of round 2.
"""

from collections.abc import Callable
from typing import Any

from contextfiles.models import NodeContextSlice
from projects.models import Project, User
from research.models import Run
from research.prompts.build import NOTES
from tests.research.forest_thesis import researched
from tests.research_model.script import material, reply, role_of, text_of
from tests.servers.messages import Answer, Failure, Request, Service, model_answer

Other = Callable[[Request], Answer | Failure | None]

SOIL, LEACHING = "What is known of soil nitrogen?", "What is known of nitrate leaching?"
DRY, WET = "What of soil nitrogen on dry sites?", "What of soil nitrogen on wet sites?"
RULE = "Only plots older than ten years count."
TAKEN = {  # of each file
    "alder.md": [
        ("fact", "Soil nitrogen rose to 0.34%."),
        ("constraint", RULE),
        ("fact", "Douglas-fir was 11.4 m high beside red alder."),
    ],
    "nitrate.md": [("fact", "Nitrate leaching reached 18 kg per hectare."), ("lead", "Soil nitrogen on dry sites.")],
}
OPEN: dict[str, Any] = {
    "description": "Streams are not told of.",
    "priority": 1,
    "suggested_queries": ["alder streams"],
}
PROFILE: dict[str, Any] = {"profile": "general", "overrides": {"providers": []}}


def digest(request: Request) -> dict[str, Any]:
    name = next(name for name in TAKEN if name in text_of(request))
    items = [{"kind": kind, "text": text, "sources": ["S1"], "why_relevant": ""} for kind, text in TAKEN[name]]
    return {"items": items}


def decompose(request: Request) -> dict[str, Any]:
    current = current_of(request)
    parts = [DRY, WET] if current == SOIL else [] if current in (LEACHING, DRY, WET) else [SOIL, LEACHING]
    made = [
        {"topic": part[-14:], "question": part, "perspective": "soil", "priority": 1, "evidence_needed": ""}
        for part in parts
    ]
    return {"directives": made, "rationale": "Because."}


def sufficiency(request: Request) -> dict[str, Any]:
    enough = current_of(request) not in (SOIL, LEACHING)
    gaps = [] if enough else [OPEN]
    return {"is_sufficient": enough, "reasoning": "So it is.", "gaps": gaps}


def route(request: Request) -> dict[str, Any]:
    """Each question has the notes that share one of its longer words, constraints never."""
    chosen = []
    for child in material(request, "its parts"):
        words = {word.strip("?").lower() for word in child["node_question"].split() if len(word) > 6}
        items = [
            note["number"]
            for note in material(request, NOTES)
            if note["kind"] != "constraint" and words & set(note["text"].strip(".").lower().split())
        ]
        chosen.append(
            {"node_id": child["node_id"], "items": items, "reason": "Its words.", "coverage_note": "Not all."}
        )
    return {"slices": chosen}


ANSWERS = {"digest": digest, "decompose": decompose, "sufficiency": sufficiency, "route": route}


def thinks(service: Service, but: Other = lambda _: None) -> None:
    """Let the service be that model, `but` where that answers something else."""

    def answer(request: Request) -> Answer | Failure:
        other = but(request)
        if other is not None:
            return other
        made = ANSWERS.get(role_of(request))
        return model_answer(answer=made(request)) if made else reply(request)

    service.otherwise = answer


def routed(forest: Project, owner: User, service: Service, but: Other = lambda _: None, **options: Any) -> Run:
    """A run that this model has conducted to its end, with every catalogue left out."""
    thinks(service, but)
    return researched(forest, owner, **{**PROFILE, **options})


def current_of(request: Request) -> str:
    """The question that a request is about."""
    lines = text_of(request).splitlines()
    return next((line.partition(": ")[2] for line in lines if line.startswith("Current question: ")), "")


def requests_of_role(service: Service, role: str) -> list[Request]:
    return [request for request in service.requests if role_of(request) == role]


def parts_of(request: Request) -> list[str]:
    """The numbers of the questions that a routing call is for."""
    return [child["node_id"] for child in material(request, "its parts")]


def seen(request: Request) -> list[str]:
    """The texts of the notes that a request has."""
    return [note["text"] for note in material(request, NOTES)]


def slices_of(run: Run) -> dict[str, NodeContextSlice]:
    assert run.context is not None
    return {row.node_id: row for row in run.context.slices.all()}


def texts(row: NodeContextSlice) -> list[str]:
    return [item["text"] for item in row.selected_items]


def events(run: Run) -> list[tuple[str, str]]:
    """The kinds of X7, and the questions they are about."""
    kinds = ("context_binding_", "context_for_", "context_routing_", "report_context_")
    return [(event.kind, event.node) for event in run.job.events.all() if event.kind.startswith(kinds)]
