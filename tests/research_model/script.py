"""A model that knows its part: an answer for each role, made from what the request holds."""

import json
import re
from collections.abc import Callable
from typing import Any

from contextfiles.prompts import AGGREGATE, RULES
from research.prompts import instructions
from tests.servers.messages import Answer, Request, model_answer

KEY = "sk-ant-never-to-be-seen"
QUOTES = (
    "Mean height of Douglas-fir was 11.4 m next to red alder and 9.8 m without red alder.",
    "Soil nitrogen did not rise under red alder on the driest site.",
    "Soil nitrogen under red alder was 0.30% after 50 years.",
)
ROLES = {
    RULES: "digest",
    AGGREGATE: "aggregate",
    instructions.BRIEF: "brief",
    instructions.DECOMPOSE: "decompose",
    instructions.ROUTE: "route",
    instructions.RESEARCH: "research",
    instructions.CONDENSE: "condense",
    instructions.ASSESS: "assess",
    instructions.SUFFICIENCY: "sufficiency",
    instructions.SYNTHESIZE: "synthesize",
    instructions.REPAIR: "repair",
    instructions.VERIFY: "verify",
    instructions.ASSIST: "assist",
}


def role_of(request: Request) -> str:
    return next(ROLES[block["text"]] for block in request["system"] if block["text"] in ROLES)


def text_of(request: Request) -> str:
    return "\n".join(block["text"] for block in request["messages"][0]["content"])


def material(request: Request, label: str) -> list[Any]:
    """The JSON lines of the fenced material with that label."""
    found = re.search(
        rf"material \({re.escape(label)}\).*?\n<<<begin \w+>>>\n(.*?)\n<<<end", text_of(request), re.DOTALL
    )
    return [json.loads(line) for line in found[1].splitlines() if line.startswith("{")] if found else []


def digest(request: Request) -> dict[str, Any]:
    note = {"kind": "fact", "text": "Alder was planted.", "sources": ["S1"], "why_relevant": "It names the treatment."}
    return {"items": [note]}


def aggregate(request: Request) -> dict[str, Any]:
    """The first five notes as they are."""
    return {"notes": [{"items": [note["number"]], "conflict": ""} for note in notes(request)[:5]]}


def notes(request: Request) -> list[Any]:
    """The notes from the person's files that a request shows."""
    return material(request, "notes from the person's files")


def brief(request: Request) -> dict[str, Any]:
    return {
        "text": "I am looking for what red alder does to soil nitrogen.",
        "scope_boundaries": ["Red alder only."],
        "source_preferences": ["Field trials."],
        "key_terms": ["red alder", "soil nitrogen"],
    }


def decompose(request: Request) -> dict[str, Any]:
    """A question that is best researched as it stands."""
    return {"directives": [], "rationale": "It asks one thing."}


def route(request: Request) -> dict[str, Any]:
    """The first note for each question."""
    children = [child["node_id"] for child in material(request, "its parts")]
    return {
        "slices": [{"node_id": id, "items": [1], "reason": "It is on this.", "coverage_note": ""} for id in children]
    }


def research(request: Request) -> list[dict[str, Any]]:
    """The tool calls of a turn: one search in a batch, then the end."""
    if len(request["messages"]) == 1:
        thought = {"name": "think", "input": {"thought": "I look for alder."}}
        return [thought, {"name": "web_search", "input": {"queries": ["red alder nitrogen", "Douglas-fir"]}}]
    return [{"name": "research_complete", "input": {"reason": "That is enough."}}]


def condense(request: Request) -> dict[str, Any]:
    found = [
        {"content": quote, "source_id": passage["source_id"], "quote": quote, "confidence": 0.9, "category": "outcome"}
        for passage in material(request, "passages")
        for quote in QUOTES
        if quote in passage["text"]
    ]
    return {"findings": found, "contradictions": [], "gaps": [], "summary": "Alder helps."}


def assess(request: Request) -> dict[str, Any]:
    """One note on the design, with words that stand in the text, and one whose words do not."""
    text = text_of(request).partition("<<<begin")[2].partition("<<<begin")[2].partition(">>>\n")[2]
    words = text.partition("\n<<<end")[0].splitlines()[0]
    return {
        "notes": [
            {"field": "study_design", "said": "field trial", "quote": words},
            {"field": "sample_size", "said": "40 plots", "quote": "on 40 plots that nobody saw"},
        ],
        "confidence": "high",
    }


def sufficiency(request: Request) -> dict[str, Any]:
    return {"is_sufficient": True, "reasoning": "Three sources answer it.", "gaps": []}


def synthesize(request: Request) -> dict[str, Any]:
    findings = material(request, "findings")
    cited = " ".join(f"{finding['content']} [[{finding['id']}]]" for finding in findings)
    keys = re.findall(r'{"key": "(\w+)"', text_of(request))
    sections = [{"key": key, "body": f"## Loud\n\n{cited}" if key == "summary" else ""} for key in keys]
    return {"title": "Alder and\nnitrogen", "sections": sections}


def repair(request: Request) -> dict[str, Any]:
    """No sentence can be put right."""
    return {"corrections": []}


def verify(request: Request) -> dict[str, Any]:
    given = {"verdict": "SUPPORTED", "source_id": "", "quote": "", "reason": "It says so."}
    return {"verdicts": [{"id": claim["id"], **given} for claim in material(request, "claims")]}


def assist(request: Request) -> dict[str, Any]:
    """The first of the findings, in words of its own."""
    first = material(request, "findings")[0]
    said = {"text": f"As was found: {first['text']}", "source_id": first["source_id"]}
    return {"sentences": [said], "note": "Nothing was found on roots."}


ANSWERS: dict[str, Callable[[Request], dict[str, Any]]] = {
    "digest": digest,
    "aggregate": aggregate,
    "brief": brief,
    "decompose": decompose,
    "route": route,
    "condense": condense,
    "assess": assess,
    "sufficiency": sufficiency,
    "synthesize": synthesize,
    "repair": repair,
    "verify": verify,
    "assist": assist,
}


def reply(request: Request, **how: Any) -> Answer:
    """What the service says to any request of a run."""
    role = role_of(request)
    if role == "research":
        return model_answer(calls=research(request), **how)
    return model_answer(answer=ANSWERS[role](request), **how)
