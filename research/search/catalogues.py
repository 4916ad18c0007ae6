"""Searching the catalogues: each request is a step of the journal, and its results become sources (SPEC R5, R12).

A catalogue that fails is reported, in the events and in the report; a failure is never taken for an empty result.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from research.deduplication.works import RecordRow
from research.journal.journal import Response
from research.models import Node
from research.plurals import counted
from research.run_context.run_context import RunContext
from research.search.hits import Answer, hit_of
from sources import semantic_scholar
from sources.providers import PROVIDERS
from sources.work import Failed, FailureKind, Found, Outcome, Skipped, Work

PER_QUERY = 8  # works of one catalogue for one query
CITED_BY, LIKE = "citations", "related"  # kinds of look-ups about one paper


async def search_catalogue(inquiry: RunContext, node: Node, number: int, name: str, query: str) -> Answer:
    """Return the works that the catalogue `name` has for `query`, the node's query with that `number`."""
    provider = PROVIDERS[name]

    async def ask() -> Outcome:
        words = await inquiry.gate.words_for_others(query)
        if words != query and not any(sign.isalnum() for sign in words):
            return Skipped("This query consists of private details only, so it was not sent.")
        return await provider.search(inquiry.client, words, PER_QUERY)

    return await _answer_from(
        inquiry,
        node,
        node.key(f"search/{number}/{name}"),
        f"“{query}”",
        {"provider": name, "query": query, "limit": PER_QUERY},
        ask,
    )


async def related(inquiry: RunContext, node: Node, number: int, kind: str, paper: str, most: int) -> Answer:
    """Return at most `most` papers that cite `paper` (kind CITED_BY) or are similar to it (LIKE)."""
    look_up = semantic_scholar.citations if kind == CITED_BY else semantic_scholar.recommendations
    return await _answer_from(
        inquiry,
        node,
        node.key(f"{kind}/{number}"),
        f"papers {'that cite' if kind == CITED_BY else 'like'} {paper}",
        {"provider": semantic_scholar.NAME, "kind": kind, "paper": paper, "limit": most},
        partial(look_up, inquiry.client, paper, most),
    )


async def _answer_from(
    inquiry: RunContext,
    node: Node,
    key: str,
    about: str,
    request: dict[str, Any],
    ask: Callable[[], Awaitable[Outcome]],
) -> Answer:
    works: list[Work] = []

    def record(response: Response) -> None:
        works.extend(_works_of(response))
        _record(inquiry, node, request["provider"], about, request.get("query", about), response, works)

    response = await ask_once(inquiry, key, request, ask, record)
    works = works or _works_of(response)  # already filled when `record` ran just now
    return Answer([hit_of(work) for work in works], response["failed"], response["remarks"])


async def ask_once(
    inquiry: RunContext,
    key: str,
    request: dict[str, Any],
    ask: Callable[[], Awaitable[Outcome]],
    record: Callable[[Response], None],
) -> Response:
    """Return the response of `ask()` under `key` of the journal; `request` names the catalogue.

    `repeats` in the response means that the person was already told that the catalogue rests or is given up.
    """
    name = request["provider"]

    async def call() -> Response:
        outcome, is_known = await inquiry.unanswered.ask(name, ask)
        return {**as_json(outcome), "repeats": True} if is_known else as_json(outcome)

    response = await inquiry.journal.step(key, "search", request, call, record, takes_places=True)
    inquiry.unanswered.note(name, response)
    return response


def is_unanswered(
    inquiry: RunContext, name: str, about: str, query: str, response: Response, node: Node | None = None
) -> bool:
    """Return whether the catalogue `name` failed to answer, and report it.

    That it rests or is given up is reported only the first time.
    """
    why, repeats = response["failed"], response.get("repeats")
    if not why or (response["kind"] == FailureKind.GIVEN_UP and repeats):
        return bool(why)
    if not repeats:
        inquiry.tell("provider_failed", f"{PROVIDERS[name].label} was asked {about}. {why}", node=node, provider=name)
    inquiry.log(
        "supervision",
        "provider_failed",
        f"{node.number if node else 'Citation network'}: {why}",
        {"provider": name, "query": query, "why": why, "kind": response["kind"]},
    )
    return True


def _works_of(response: Response) -> list[Work]:
    return [Work.model_validate(work) for work in response["works"]]


def as_json(outcome: Outcome) -> Response:
    """Return an outcome as it is stored in the journal."""
    works = outcome.works if isinstance(outcome, Found) else ()
    return {
        "works": [work.model_dump(mode="json", exclude_defaults=True) for work in works],
        "failed": outcome.why if isinstance(outcome, Failed | Skipped) else "",
        "kind": outcome.kind if isinstance(outcome, Failed) else "",
        "remarks": [] if isinstance(outcome, Failed | Skipped) else list(outcome.remarks),
    }


def _record(
    inquiry: RunContext, node: Node, name: str, about: str, query: str, response: Response, works: list[Work]
) -> None:
    if is_unanswered(inquiry, name, f"for {about}", query, response, node):
        return
    label = PROVIDERS[name].label
    kept = inquiry.works.keep(works, name)
    ids = list(dict.fromkeys(one.source.source_id for one in kept))
    details = {"provider": name, "query": query, "result_count": len(ids), "source_ids": ids}
    if remarks := response["remarks"]:
        details["remarks"] = remarks
    inquiry.log("supervision", "provider_query", f"{node.number}: asked {label} for {about}.", details)
    new = [one for one in kept if one.is_new]
    for one in new:
        log_discovery(inquiry, one)
    first = [one.source.title for one in new if one.same is None]
    inquiry.tell(
        "search_completed",
        " ".join([f"Asked {label} for {about}: {counted(len(ids), 'work')}, {len(first)} of them new.", *remarks]),
        node=node,
        summary="New works",
        lines=first,
        provider=name,
    )


def log_discovery(inquiry: RunContext, kept: RecordRow) -> None:
    """Log a source that is new to the run, and which other source it duplicates."""
    source = kept.source
    details = {name: getattr(source, name) for name in ("source_id", "title", "provider", "source_type", "url")}
    inquiry.log("supervision", "source_discovered", f"Found {source.title}.", details)
    if same := kept.same:
        for duplicate in (source.source_id, *same.joined):
            if duplicate != same.of:
                details = {"source_id": duplicate, "duplicate_of": same.of, "reason": same.reason}
                inquiry.log("supervision", "source_deduplicated", f"{source.title}: {same.reason}", details)
