"""The researcher of one node: searches, reads and thinks until it has enough, or a stop rule ends it (SPEC R5).

A model gets tools and uses them in a conversation; the offline engine only says what to search for next. Both lead to
the same calls, which are counted, made and journaled here. Each turn's request follows from the answers to earlier
turns and from nothing else, so an interrupted run makes the same requests again.
"""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from core.concurrency import gather_all
from core.fast_sql import change
from llm.prompt import fenced
from llm.roles import Act, ResearchAsked
from llm.tools import Message, Reply, ToolCall, results
from research.models import Node
from research.prompts.build import glances
from research.prompts.build import research as research_prompt
from research.run_context.ask_engine import AskableEngine, PaidEngine
from research.run_context.excerpts import passages_for_model, question_narrower
from research.run_context.run_context import RunContext
from research.search.catalogues import CITED_BY, LIKE, related, search_catalogue
from research.search.hits import Answer, FoundPassages
from research.search.question_search import search_for_question
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
from research.setup.budget import BUDGET, TIME, ResearchOver
from sources.semantic_scholar import paper_id

MAX_CALLS = 10  # calls per node; each query of a batch counts, thinking and completing do not
MAX_TURNS = 12  # turns of a conversation, so that it always ends
FUTILE = 5  # queries without adequate sources after which a node stops and names the gap
BARREN = 2  # searches in a row with nothing new after which a node stops
ADEQUATE = 2  # works with text that make the sources adequate
PLENTY = 40  # works with text after which no more are searched for


async def research(inquiry: RunContext, node: Node, first: Sequence[str] = ()) -> "ResearcherState":
    """Search for sources on `node` with the tools of the run's profile; return the finished search.

    The `first` queries, which were suggested for the node, are made before anything else.
    """
    desk = ResearcherState(inquiry, node)
    if suggested := list(dict.fromkeys(query[:400] for query in first if query.strip()))[: FUTILE - 1]:
        await desk.act(_as_reply(Act(tool="web_search", queries=suggested), 0))
    for turn in range(1, MAX_TURNS + 1):
        is_last = await desk.act(await desk.turn(turn))
        if turn == 1 and not desk.over:
            await desk.add_answers_to_question()
        # Checked in the last turn too: a search can be futile even if the researcher ends it.
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
class ResearcherState:
    """The state of one researcher: what it has asked and found, and the calls that it has left.

    `stopped` is the sentence of the rule that ended the search, "" when the researcher ended it.
    """

    inquiry: RunContext
    node: Node
    left: int = MAX_CALLS
    queries: list[str] = field(default_factory=list)
    haul: FoundPassages = field(default_factory=FoundPassages)
    history: list[Message] = field(default_factory=list)
    brought: list[dict[str, str]] = field(default_factory=list)  # results of each turn, by call
    failures: list[str] = field(default_factory=list)  # the reason of each failed request
    answered: int = 0  # requests that were answered
    extracts: int = 0
    lookups: int = 0
    barren: int = 0
    new: int = 0  # new passages of the last search
    over: str = ""  # the limit that ended the research: BUDGET, TIME or ""
    is_read: bool = False  # whether everything in the library was returned
    stopped: str = ""

    @property
    def all_failed(self) -> bool:
        """Whether every request failed and nothing was found."""
        return bool(self.failures) and not self.answered and not self.haul.passages()

    @property
    def has_all(self) -> bool:
        """Whether narrower questions are useless: queries go to the library only, and all of it was returned."""
        return self.is_read and not self.catalogues

    @property
    def catalogues(self) -> list[str]:
        """The catalogues that get the researcher's queries.

        None from the offline engine, whose queries hold words of files: it gets what they have for the whole question
        (question_search.py).
        """
        return self.inquiry.catalogues if self.inquiry.uses_model else []

    def stop_rule(self, is_last: bool) -> str:
        """Return the sentence of the rule that ends the search now, or "".

        `is_last` means that the researcher has just ended the search itself.
        """
        adequate = self.haul.documents()
        if self.has_all:
            also = " and all that the catalogues sent has" if self.inquiry.catalogues else " has"
            return f"The library{also} been read through."
        if len(self.queries) >= FUTILE and adequate < ADEQUATE:
            return f"{len(self.queries)} searches without adequate sources."
        if self.barren >= BARREN:
            return f"{BARREN} searches in a row brought nothing new."
        if adequate >= PLENTY:
            return f"{adequate} sources are plenty."
        # The offline engine ends the search itself; asking it costs nothing.
        goes_on = self.left > 0 or is_last or not self.inquiry.uses_model
        return "" if goes_on else "The calls of this question are used up."

    # Asking the researcher

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
        tools = tools_for(self.inquiry.profile, self.catalogues)

        async def question(engine: AskableEngine) -> Any:
            if isinstance(engine, PaidEngine) and self.inquiry.uses_model:
                shown = await question_narrower(self.inquiry, asked)
                prompt = research_prompt(
                    # The first message must not change between turns, so that it is cached.
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
        """Return the reply, or a first search where a model wants to stop without ever having searched.

        Without a search there is no gap either.
        """
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

    # Making the calls

    async def act(self, reply: Reply) -> bool:
        """Make the calls of `reply` that are allowed; return whether the search ends with them."""
        plans = {call.id: self._plan(call) for call in reply.calls if not call.error}
        answers = await gather_all(gather_all(plan.asked) for plan in plans.values())
        before, seen = len(self.haul.passages()), len(self.haul.seen)
        # Results are processed in the order of the requests, not of the answers.
        outcomes = await asyncio.to_thread(self._all_told, plans, answers)  # in a thread: texts are compared
        if any(plan.is_search for plan in plans.values()):
            self.new = max(0, len(self.haul.passages()) - before)
            # A work without a text counts as new too: its page may be read later.
            self.barren = 0 if len(self.haul.seen) > seen else self.barren + 1
        self.brought.append({call.id: call.error or outcomes[call.id].brought for call in reply.calls})
        self.history.append(reply.message)
        if reply.calls:
            shown = {
                id: f"Calls left: {self.left}.\n{fenced('what came back', told.shown)}" for id, told in outcomes.items()
            }
            self.history.append(results(reply, shown))
        return _ends(reply)

    async def add_answers_to_question(self) -> None:
        """Add what the catalogues have for the question of the run, where no model chooses queries for them."""
        answers = await search_for_question(self.inquiry, self.node.prefix)
        self.failures += [answer.failed for answer in answers if answer.failed]
        self.answered += sum(not answer.failed for answer in answers)
        hits = [hit for answer in answers for hit in answer.hits]
        if new := await asyncio.to_thread(self.haul.add, hits):  # in a thread: texts are compared
            self.new += len(new)
            self.barren = 0

    def _all_told(self, plans: dict[str, "_Plan"], answers: list[list[Answer]]) -> dict[str, "_CallResult"]:
        return {id: self._told(plan, came) for (id, plan), came in zip(plans.items(), answers, strict=True)}

    def _told(self, plan: "_Plan", answers: list[Answer]) -> "_CallResult":
        """Store the results of one call; return what the researcher is told about them.

        Of a passage of a file, a model is shown one piece (X6).
        """
        said, new, looked = list(plan.said), [], not any(answer.failed for answer in answers)
        for answer in answers:
            said += answer.remarks
            if answer.failed:
                self.failures.append(answer.failed)
                said.append(f"Failed: {answer.failed}")
            else:
                self.answered += answer.is_reply
                self.is_read = self.is_read or answer.is_read
                if not self.catalogues:
                    self.left += answer.repeats  # repeated queries cost nothing
                looked = looked or answer.is_reply
                new += self.haul.add(answer.hits)
        if not plan.asked or not (new or looked):  # when all requests failed, nothing was searched
            return _CallResult(*["\n".join(dict.fromkeys(said))] * 2)
        looks = list(self.haul.glances(new))
        both = (
            glances(of) or "Nothing new was found."
            for of in (looks, passages_for_model(self.inquiry, looks, plan.near, 1))
        )
        return _CallResult(*("\n".join(dict.fromkeys([*said, seen])) for seen in both))

    def _plan(self, call: ToolCall) -> "_Plan":
        """Return the requests that a call leads to; its cost is charged here, before any of them is made."""
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
        """Return the requests of a search: the library gets all queries at once, every catalogue gets each of them."""
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
                for name in self.catalogues
            ),
        ]
        dropped = len(fresh) - len(granted)
        said = [f"{dropped} of these queries were not made: no calls are left for them."] if dropped else []
        return _Plan(said, asked, is_search=True, near="\n".join([node.question, *granted]))

    def _plan_extract(self, urls: list[str]) -> "_Plan":
        if self.left <= 0:
            return _Plan(["No calls are left, so nothing was read."])
        found = {url: self.haul.at(url) for url in urls}
        # The address is fetched as the search returned it. A model's own spelling could leak data (R18).
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
    """What one call leads to: remarks made beforehand, and the requests."""

    said: list[str]
    asked: list[Awaitable[Answer]] = field(default_factory=list)
    is_search: bool = False
    near: str = ""  # the node's question and the queries, to choose pieces of files


class _CallResult(NamedTuple):
    """The result of one call: in full, to determine what follows, and as it is shown to a model."""

    brought: str
    shown: str


def _ends(reply: Reply) -> bool:
    """Return whether the researcher ends its search with this turn."""
    return not reply.calls or any(call.name == COMPLETE.name and not call.error for call in reply.calls)


async def _no_more(over: ResearchOver) -> Any:
    """Return the turn that ends the search when the whole research is over."""
    message = {"role": "assistant", "content": [{"type": "text", "text": over.why}]}
    reply = Reply(text="", calls=[], message=message, stop_reason=over.decision)
    return reply.model_dump(mode="json", exclude={"usages", "redacted"})


def _as_reply(act: Act, number: int) -> Reply:
    """Return a decision of the offline engine, or of code in place of a model, in the form of a model's turn."""
    arguments = WebSearch(queries=act.queries).model_dump() if act.tool == "web_search" else {"reason": act.thought}
    call = ToolCall(id=f"own_{number}", name=act.tool, arguments=arguments)
    block = {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments}
    return Reply(
        text=act.thought,
        calls=[call],
        message={"role": "assistant", "content": [block]},
        stop_reason="tool_use",
    )
