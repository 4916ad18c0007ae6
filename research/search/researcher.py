"""The researcher of one node: searches, reads and thinks until it has enough, or a stop rule ends it (SPEC R5).

A model is offered tools and works with them in a conversation; the offline engine says what to search for next. Both
come down to the same calls, which are counted, made and journaled here. What a turn is asked follows from the answers
to the turns before it and from nothing else, so a run that was interrupted asks the same again.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from core.concurrency import together
from core.fast_sql import change
from llm.prompt import fenced
from llm.roles import Act, ResearchAsked
from llm.tools import Message, Reply, ToolCall, results
from research.models import Node
from research.prompts import glances
from research.prompts import research as opening
from research.run_context.ask_engine import Asks, Paying
from research.run_context.excerpts import as_shown, for_model
from research.run_context.run_context import Inquiry
from research.search.catalogues import CITED_BY, LIKE, related, search_catalogue
from research.search.hits import Answer, Haul
from research.search.read_pages import extract, read_papers
from research.search.search_library import search_library
from research.search.tools import (
    CITATIONS,
    COMPLETE,
    EXTRACT,
    PAGES,
    RELATED,
    THINK,
    WEB_SEARCH,
    WebSearch,
    tools_for,
)
from research.setup.budget import BUDGET, TIME, Over
from sources.semantic_scholar import paper_id

MAX_CALLS = 10  # of a node; each query of a batch counts, thinking and completing do not
MAX_TURNS = 12  # of the conversation, so that one that never ends ends
FUTILE = 5  # queries without adequate sources after which a node stops and names the gap
BARREN = 2  # searches in a row with nothing new after which a node stops
ADEQUATE = 2  # works with something to read in them
PLENTY = 40  # works with something to read in them: more are not looked for


async def research(inquiry: Inquiry, node: Node, first: Sequence[str] = ()) -> "Desk":
    """Work on `node` with the tools of the run's profile; queries suggested for it, the `first`, are searched for at once."""
    desk = Desk(inquiry, node)
    if suggested := list(dict.fromkeys(query[:400] for query in first if query.strip()))[: FUTILE - 1]:
        await desk.act(_as_reply(Act(tool="web_search", queries=suggested), 0))
    for turn in range(1, MAX_TURNS + 1):
        is_last = await desk.act(await desk.turn(turn))
        # Looked at in the last turn too: a futile search is one, whoever ends it.
        desk.stopped = desk.stop_rule(is_last)
        if desk.stopped or is_last:
            break
    else:
        desk.stopped = f"The search was ended after {MAX_TURNS} turns."
    if desk.over:
        desk.stopped = f"{desk.over.capitalize()}."
    else:
        for answer in await read_papers(inquiry, node, desk.haul):
            desk.haul.add(answer.hits)
    return desk


@dataclass
class Desk:
    """What one researcher has asked for, found, and may still ask for.

    `stopped` is the sentence of the rule that ended the search, "" when the researcher did.
    """

    inquiry: Inquiry
    node: Node
    left: int = MAX_CALLS
    queries: list[str] = field(default_factory=list)
    haul: Haul = field(default_factory=Haul)
    history: list[Message] = field(default_factory=list)
    brought: list[dict[str, str]] = field(default_factory=list)  # by each turn's calls
    failures: list[str] = field(default_factory=list)  # why, for each request that was not answered
    answered: int = 0  # requests that were
    extracts: int = 0
    lookups: int = 0
    barren: int = 0
    new: int = 0  # with the last search
    over: str = ""  # why nothing more is asked of the research, as a decision
    is_read: bool = False  # all that the library holds is here
    stopped: str = ""

    @property
    def all_failed(self) -> bool:
        return bool(self.failures) and not self.answered and not self.haul.passages()

    @property
    def has_all(self) -> bool:
        """Whether a narrower question finds nothing more: nothing but the library is asked, and that is here."""
        return self.is_read and not self.inquiry.catalogues

    def stop_rule(self, is_last: bool) -> str:
        """Return the sentence of the rule that ends the search now, or "". `is_last`: the researcher has just ended it."""
        adequate = self.haul.documents()
        if self.has_all:
            return "The library has been read through."
        if len(self.queries) >= FUTILE and adequate < ADEQUATE:
            return f"{len(self.queries)} searches without adequate sources."
        if self.barren >= BARREN:
            return f"{BARREN} searches in a row brought nothing new."
        if adequate >= PLENTY:
            return f"{adequate} sources are plenty."
        # The offline engine says itself, at no cost, whether it would have gone on.
        goes_on = self.left > 0 or is_last or not self.inquiry.uses_model
        return "" if goes_on else "The calls of this question are used up."

    # Saying what to do

    async def turn(self, number: int) -> Reply:
        """Return what the researcher wants to do next."""
        asked = ResearchAsked(
            question=self.inquiry.run.question,
            node_question=self.node.question,
            perspective=self.node.perspective,
            evidence_needed=self.node.evidence_needed if self.inquiry.academic else "",
            key_terms=self.inquiry.run.brief.get("key_terms", []),
            asked_before=self.queries,
            found=self.haul.passages(),
            new_last_turn=self.new,
            calls_left=self.left,
        )
        tools = tools_for(self.inquiry.profile, self.inquiry.catalogues)

        async def question(engine: Asks) -> Any:
            if isinstance(engine, Paying) and self.inquiry.uses_model:
                shown = await as_shown(self.inquiry, asked)
                prompt = opening(
                    # What the opening says stays as it was, so it is cached.
                    shown(asked).model_copy(update={"calls_left": MAX_CALLS}),
                    mode=self.inquiry.profile.source_quality_mode,
                    has_citations=CITATIONS in tools,
                    today=self.inquiry.today,
                )
                reply = await engine.converse("research", prompt, self.history, tools)
            else:
                reply = _as_reply((await engine.ask(asked)).answer, number)
            return reply.model_dump(mode="json", exclude={"usages", "redacted"})

        request = {
            "role": "research",
            "asked": asked.model_dump(mode="json", exclude={"found"}),
            "tools": [tool.name for tool in tools],
            "brought": self.brought,
        }
        key = self.node.key(f"research/{number}")
        reply = Reply.model_validate(await self.inquiry.put(key, request, question, self._said, instead=_no_more))
        self.over = reply.stop_reason if reply.stop_reason in (BUDGET, TIME) else ""
        return reply if self.over else self._kept_at_it(reply, number)

    def _kept_at_it(self, reply: Reply, number: int) -> Reply:
        """Return a model that would stop before it ever searched is not let off: without a search there is no gap either."""
        searches = any(call.name == WEB_SEARCH.name and not call.error for call in reply.calls)
        goes_on = number < MAX_TURNS and not _ends(reply)
        if searches or goes_on or self.queries or not self.inquiry.uses_model:
            return reply
        return _as_reply(Act(tool="web_search", queries=[self.node.question[:400]]), number)

    def _said(self, answer: Any) -> None:
        reply = Reply.model_validate(answer)
        searching = any(call.name not in (THINK.name, COMPLETE.name) for call in reply.calls)
        self.node.state, self.node.said = Node.State.WORKING, "Searching" if searching else "Reading"
        change(Node, self.node.pk, {"state": self.node.state, "said": self.node.said})
        thoughts = [call.arguments["thought"] for call in reply.calls if call.name == THINK.name and not call.error]
        for said in filter(None, (" ".join(thought.split()) for thought in [reply.text, *thoughts])):
            self.inquiry.tell("thought", said[:2000], node=self.node)

    # Doing it

    async def act(self, reply: Reply) -> bool:
        """Make the calls of `reply`, as far as they are allowed; whether the search ends with them."""
        plans = {call.id: self._plan(call) for call in reply.calls if not call.error}
        answers = await together(together(plan.asked) for plan in plans.values())
        before, seen = len(self.haul.passages()), len(self.haul.seen)
        # What came back is looked at in the order in which it was asked for, whoever answered first.
        outcomes = await asyncio.to_thread(self._all_told, plans, answers)  # texts are compared
        if any(plan.is_search for plan in plans.values()):
            self.new = max(0, len(self.haul.passages()) - before)
            # A work without a text is something new too: it may be read.
            self.barren = 0 if len(self.haul.seen) > seen else self.barren + 1
        self.brought.append({call.id: call.error or outcomes[call.id].brought for call in reply.calls})
        self.history.append(reply.message)
        if reply.calls:
            shown = {
                id: f"Calls left: {self.left}.\n{fenced('what came back', told.shown)}" for id, told in outcomes.items()
            }
            self.history.append(results(reply, shown))
        return _ends(reply)

    def _all_told(self, plans: dict[str, "_Plan"], answers: list[list[Answer]]) -> dict[str, "_Told"]:
        return {id: self._told(plan, came) for (id, plan), came in zip(plans.items(), answers, strict=True)}

    def _told(self, plan: "_Plan", answers: list[Answer]) -> "_Told":
        """Keep what `answers` brought; what the researcher is told of it, of each passage of a file one piece (X6)."""
        said, new, looked = list(plan.said), [], not any(answer.failed for answer in answers)
        for answer in answers:
            said += answer.remarks
            if answer.failed:
                self.failures.append(answer.failed)
                said.append(f"Failed: {answer.failed}")
            else:
                self.answered += answer.is_reply
                self.is_read = self.is_read or answer.is_read
                if not self.inquiry.catalogues:
                    self.left += answer.repeats  # nothing was asked
                looked = looked or answer.is_reply
                new += self.haul.add(answer.hits)
        if not plan.asked or not (new or looked):  # nobody has looked where all that can fail did
            return _Told(*["\n".join(dict.fromkeys(said))] * 2)
        looks = list(self.haul.glances(new))
        both = (glances(of) or "Nothing new was found." for of in (looks, for_model(self.inquiry, looks, plan.near, 1)))
        return _Told(*("\n".join(dict.fromkeys([*said, seen])) for seen in both))

    def _plan(self, call: ToolCall) -> "_Plan":
        """Return what a call comes to; what it costs is charged here, before anything of it is done."""
        given = call.arguments
        match call.name:
            case WEB_SEARCH.name:
                return self._plan_search(WebSearch.model_validate(given).all())
            case EXTRACT.name:
                return self._plan_extract(list(dict.fromkeys(given["urls"][:PAGES])))
            case CITATIONS.name | RELATED.name:
                kind = CITED_BY if call.name == CITATIONS.name else LIKE
                return self._plan_related(kind, given["paper_id"], given["max_results"])
            case THINK.name:
                return _Plan(["Kept."])
            case _:
                return _Plan(["The search ends."])

    def _plan_search(self, wanted: list[str]) -> "_Plan":
        """Return the library is asked for all queries at once, every catalogue for each of them."""
        fresh = [query for query in wanted if query not in self.queries]
        if not fresh:
            return _Plan(["Every one of these queries was made before."])
        granted = fresh[: max(0, self.left)]
        if not granted:
            return _Plan(["No calls are left, so nothing was searched."])
        self.left -= len(granted)
        first = len(self.queries) + 1
        self.queries += granted
        inquiry, node = self.inquiry, self.node
        asked: list[Awaitable[Answer]] = [
            search_library(inquiry, node, first, granted),
            *(
                search_catalogue(inquiry, node, position, name, query)
                for position, query in enumerate(granted, start=first)
                for name in inquiry.catalogues
            ),
        ]
        dropped = len(fresh) - len(granted)
        said = [f"{dropped} of these queries were not made: no calls are left for them."] if dropped else []
        return _Plan(said, asked, is_search=True, near="\n".join([node.question, *granted]))

    def _plan_extract(self, urls: list[str]) -> "_Plan":
        if self.left <= 0:
            return _Plan(["No calls are left, so nothing was read."])
        found = {url: self.haul.at(url) for url in urls}
        # Read is the address as the search brought it. A model's own spelling of it could carry something out (R18).
        known = dict(one for one in found.values() if one and one[1].is_evidence)
        said = [
            f"Not read, since {'the work was retracted' if one else 'no search has brought it'}: {url}"
            for url, one in found.items()
            if not one or one[0] not in known
        ]
        if not known:
            return _Plan([*said, "Only addresses that a search has brought can be read."])
        self.left -= 1
        first = self.extracts + 1
        self.extracts += len(known)
        pages = enumerate(known.items(), start=first)
        return _Plan(
            said, [extract(self.inquiry, self.node, f"extract/{number}", url, hit) for number, (url, hit) in pages]
        )

    def _plan_related(self, kind: str, paper: str, most: int) -> "_Plan":
        if self.left <= 0:
            return _Plan(["No calls are left, so nothing was looked up."])
        if (known := paper_id(self.haul.paper(paper))) is None:
            return _Plan(
                [f"“{paper}” is neither a DOI, PMID, arXiv id or Semantic Scholar id nor one of a passage with such."]
            )
        self.left -= 1
        self.lookups += 1
        return _Plan([], [related(self.inquiry, self.node, self.lookups, kind, known, most)])


@dataclass
class _Plan:
    """What one call comes to: what is said of it beforehand, and what is asked of whom."""

    said: list[str]
    asked: list[Awaitable[Answer]] = field(default_factory=list)
    is_search: bool = False
    near: str = ""  # what the researcher looks for with it


class _Told(NamedTuple):
    """What came of one call: as it was brought, which says what follows, and as it is shown to a model."""

    brought: str
    shown: str


def _ends(reply: Reply) -> bool:
    """Return whether the researcher ends its search with this turn."""
    return not reply.calls or any(call.name == COMPLETE.name and not call.error for call in reply.calls)


async def _no_more(over: Over) -> Any:
    """Return the end of the search, where the whole research is over."""
    message = {"role": "assistant", "content": [{"type": "text", "text": over.why}]}
    reply = Reply(text="", calls=[], message=message, stop_reason=over.decision)
    return reply.model_dump(mode="json", exclude={"usages", "redacted"})


def _as_reply(act: Act, number: int) -> Reply:
    """Return what the offline engine decided, or code in a model's place, in the shape of a model's turn."""
    arguments = WebSearch(queries=act.queries).model_dump() if act.tool == "web_search" else {"reason": act.thought}
    call = ToolCall(id=f"own_{number}", name=act.tool, arguments=arguments)
    block = {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments}
    return Reply(
        text=act.thought,
        calls=[call],
        message={"role": "assistant", "content": [block]},
        stop_reason="tool_use",
    )
