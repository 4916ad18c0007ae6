"""The context of one attempt at a run: its rows, engine, journal and limits, and the reporting of events."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from django.conf import settings
from django.db import connection, transaction
from pydantic import BaseModel

from contextfiles.question_slices import Slice
from core.fast_sql import change
from jobs.models import Job, LeaseLost, LockedJob, NewEvent
from jobs.work import set_progress
from llm.budget import BudgetSpent
from llm.engine import Engine, Offline
from llm.offline import OfflineEngine
from llm.redaction_gate import Gate
from llm.result import CallUsage, EngineResult
from llm.roles import Decomposition, DigestItem, RoleRequest
from research.deduplication.works import Works
from research.journal.journal import Journal, Response
from research.journal.provenance import Entry, Head, chain
from research.models import Node, Phase, Run
from research.run_context.ask_engine import PHASES, AskableEngine, PaidEngine, as_json, failure_sentence, get
from research.run_context.copied_text import RepeatedTextIndex
from research.run_context.excerpts import prompt_shown
from research.run_context.failing_catalogues import CatalogueFailures
from research.run_context.library_answers import LibraryAnswers
from research.setup.budget import Limits, ResearchOver, RunBudget, spending
from research.setup.profiles import ResearchProfile
from sources.http_client import Client

A = TypeVar("A", bound=BaseModel)
COUNT_EVERY = 0.2  # seconds between two reads of the counters; each phase and the end send them in any case


# Written by hand: it runs with every event, and building it with the ORM takes longer than running it.
_COUNTS = """
SELECT (SELECT count(*) FROM research_node WHERE run_id = %s) AS nodes,
 (SELECT count(*) FROM research_node WHERE run_id = %s AND state IN ('enough', 'gap', 'failed')) AS nodes_done,
 (SELECT count(*) FROM research_gap WHERE run_id = %s AND resolution_notes = '') AS gaps,
 (SELECT count(DISTINCT document) FROM research_source
  WHERE run_id = %s AND duplicate_of_id IS NULL AND NOT is_passage) AS sources,
 (SELECT count(DISTINCT s.document) FROM research_finding f JOIN research_source s ON s.id = f.source_id
  WHERE f.run_id = %s AND NOT f.is_superseded) AS kept,
 (SELECT count(*) FROM research_finding WHERE run_id = %s AND NOT is_superseded) AS findings,
 (SELECT count(*) FROM research_step WHERE run_id = %s AND kind <> 'note') AS calls
"""


class BoundFile(NamedTuple):
    """A file as it was chosen when the run was made; it may have been deleted since.

    `error` says why it is not a file of the thesis although it was chosen: it was refused or no longer exists.
    """

    id: str
    name: str
    sha256: str
    format: str
    error: str = ""


@dataclass
class RunContext:
    """One attempt at one run. All of its state is in the database, so another attempt can take over."""

    run: Run
    job: Job
    engine: Engine
    journal: Journal
    profile: ResearchProfile
    files: list[BoundFile]
    purse: RunBudget
    client: Client
    works: Works
    catalogues: list[str] = field(default_factory=list)  # catalogues that are asked, in order of preference
    skipped: list[str] = field(default_factory=list)  # a sentence on each provider that is not asked
    digest: list[DigestItem] = field(default_factory=list)  # notes on all files that were read; filled by binding
    left_out: dict[str, str] = field(default_factory=dict)  # files a person left out: name, reason (X2)
    bodies: RepeatedTextIndex | None = None  # stored text of the files; loaded once a prompt could repeat it
    slices: dict[str, Slice] = field(default_factory=dict)  # notes that each question was given, by its number (X3)
    approved: Decomposition | None = None  # the plan as a person approved it; None without approval
    limits: Limits = field(default_factory=Limits)
    shelf: LibraryAnswers = field(default_factory=LibraryAnswers)
    unanswered: CatalogueFailures = field(default_factory=CatalogueFailures)
    # What catalogues have for the question itself, by prefix of the journal (research/search/question_search.py)
    question_answers: dict[str, list[Any]] = field(default_factory=dict)
    question_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _told: list[NewEvent] = field(default_factory=list)
    _logged: list[Entry] = field(default_factory=list)
    _head: Head | None = None  # head of the log; nobody else appends while this attempt holds the lease
    _counted_at: float = -COUNT_EVERY  # when the counters were last sent, by the monotonic clock

    def __post_init__(self) -> None:
        self.journal.before_commit = self._write

    @classmethod
    def of(cls, job: Job, engine: Engine) -> "RunContext":
        """Return the context for an attempt at the run of `job`."""
        run = Run.objects.select_related("project", "context").get(job=job)
        profile = ResearchProfile.model_validate(run.profile_config)
        journal = Journal(run, job, settings.RESEARCH_CONCURRENCY)
        files = [BoundFile(**file) for file in run.files]
        client = Client(place=journal.place, still_wanted=journal.still_wanted, holds_back=True)
        limits, works, shelf = Limits(run), Works.of(run), LibraryAnswers.of(run)
        return cls(run, job, engine, journal, profile, files, RunBudget(run), client, works, limits=limits, shelf=shelf)

    @property
    def academic(self) -> bool:
        """Whether the run is in academic mode."""
        return self.profile.source_quality_mode == "academic"

    @property
    def uses_model(self) -> bool:
        """Whether a model answers, which writes its own sentences; the offline engine only quotes."""
        return self.engine.name != OfflineEngine.name

    @property
    def reads_beyond_abstracts(self) -> bool:
        """Whether pages may be fetched and catalogues asked about single works.

        Never for the offline engine: its runs send words of the question, and nothing else.
        """
        return self.uses_model and bool(self.catalogues)

    @cached_property
    def gate(self) -> Gate:
        """The gate that keeps private details from catalogues; the engine has its own."""
        return Gate.of(self.run.project)

    @property
    def today(self) -> date:
        """The day on which the run was created. "Recent" is counted from it, also when the run is repeated later."""
        return self.run.created_at.date()

    async def ask(
        self,
        key: str,
        asked: RoleRequest[A],
        record: Any = None,
        fault: Callable[[A], str] | None = None,
        *,
        instead: Callable[[ResearchOver], A] | None = None,
        even_late: bool = False,
    ) -> A:
        """Ask the engine through the journal and return its answer; `record(answer)` stores what follows from it, once.

        `fault(answer)` returns why a model's answer of the right shape cannot be used, or "". Raises
        jobs.work.WaitsForUser or Stopped when a model cannot be asked. When an answer cannot be used, the offline
        engine answers instead, and the event stream and the log say so.

        `instead` is for questions of the research phase: it gives the answer once research is over, because money or
        time ran out (research/setup/budget.py). With `even_late` the question is asked although the time is up; without
        money the offline engine answers it.
        """
        answer_type: type[A] = asked.answer  # type: ignore[assignment]

        async def question(engine: AskableEngine) -> Any:
            prompt = await prompt_shown(self, asked) if isinstance(engine, PaidEngine) and self.uses_model else None
            answered: EngineResult[A] = await engine.ask(asked, prompt=prompt)
            return answered.answer.model_dump(mode="json")

        def write(answer: Any) -> None:
            if record is not None:
                record(answer_type.model_validate(answer))

        async def end(over: ResearchOver) -> Any:
            return instead(over).model_dump(mode="json") if instead else await question(Offline())

        request = {"role": asked.role, "asked": asked.model_dump(mode="json")}
        ends = end if instead or even_late else None
        answer = await self.put(key, request, question, write, fault, instead=ends, even_late=even_late)
        return answer_type.model_validate(answer)

    async def put(
        self,
        key: str,
        request: dict[str, Any],
        question: Callable[[AskableEngine], Awaitable[Any]],
        record: Callable[[Any], None] | None = None,
        fault: Callable[[Any], str] | None = None,
        *,
        instead: Callable[[ResearchOver], Awaitable[Any]] | None = None,
        even_late: bool = False,
    ) -> Any:
        """Return the answer of `question(engine)` as JSON, stored in the journal with its usage.

        `request` is what the journal knows the question by: the role and what is asked. For `instead` and `even_late`
        see `ask`.
        """

        async def ended(over: ResearchOver, usages: Iterable[CallUsage] = ()) -> Response:
            assert instead is not None
            return {"answer": await instead(over), "usages": as_json(usages), "over": over._asdict()}

        async def call() -> Response:
            if instead is not None and (over := self.limits.over(even_late=even_late)):
                return await ended(over)
            as_is = (BudgetSpent,) if instead is not None else ()
            try:
                return await get(self.engine, self.purse, question, fault if self.uses_model else None, as_is=as_is)
            except BudgetSpent as spent:
                return await ended(self.limits.spend(spent), spent.usages)

        def write(response: Response) -> None:
            self.purse.write(CallUsage.model_validate(usage) for usage in response["usages"])
            if response.get("stand_in"):
                self._stood_in(key, request["role"], response["stand_in"])
            if response.get("over"):
                self._came_to_an_end(ResearchOver(**response["over"]))
            if record is not None:
                record(response["answer"])

        return (await self.journal.step(key, "model", {"engine": self.engine.name, **request}, call, write))["answer"]

    def _stood_in(self, key: str, role: str, why: str) -> None:
        said = f"{failure_sentence(why)} The offline engine answered in its place."
        self.say(PHASES[role], "stand_in", said, {"role": role, "step": key, "reason": why}, role=role, step=key)

    def _came_to_an_end(self, over: ResearchOver) -> None:
        """Report that research is over, the first time that a question is skipped for it."""
        event_type = "limit_reached"
        is_logged = any(one.event_type == event_type for one in self._logged)
        if not is_logged and not self.run.provenance.filter(event_type=event_type).exists():
            said = f"{over.why} The report is written from what was found so far."
            self.say("supervision", event_type, said, over._asdict(), trouble=True)

    async def once(self, key: str, record: Any) -> None:
        """Call `record()` once in the life of the run, however often it is resumed."""
        await self.fix(key, {}, lambda _: record())

    async def fix(self, key: str, now: Response, record: Callable[[Response], None] | None = None) -> Response:
        """Return `now` as it was stored under `key` the first time; later attempts get the stored value."""

        async def call() -> Response:
            return now

        return await self.journal.step(key, "note", {}, call, record)

    # Events and log entries of a record function are written together, at the end of its transaction.

    def tell(self, kind: str, text: str, *, node: Node | None = None, **details: Any) -> None:
        """Add an event to the stream. The current counters go with the last event of a step."""
        self._told.append(NewEvent(kind, text, node.number if node else "", self.run.phase, {}, details))

    def log(self, phase: str, event_type: str, summary: str, details: dict[str, Any]) -> None:
        """Add an entry to the provenance log. `phase` is binding, brief, supervision, synthesis or verification."""
        self._logged.append(Entry(phase, event_type, summary, details))

    def say(self, phase: str, event_type: str, text: str, details: dict[str, Any], **told: Any) -> None:
        """Add the same sentence as an event of the stream, with `told`, and as an entry of the log, with `details`."""
        self.tell(event_type, text, **told)
        self.log(phase, event_type, text, details)

    def _write(self, held: LockedJob) -> None:
        told, self._told = self._told, []
        logged, self._logged = self._logged, []
        self.client.write()
        changed, used = self.limits.columns(), self.purse.columns()
        if logged:
            self._head = self._head or Head.of(self.run)
            changed |= chain(self.run, self._head, logged)
        if changed or used:
            change(Run, self.run.pk, changed, added=used)
        if told:
            if monotonic() - self._counted_at > COUNT_EVERY:
                told[-1] = told[-1]._replace(counters=self.counters())
            self.job.tell(told, held)

    def put_down(self) -> None:
        """Store the usage of calls whose answers were not stored, and the counters, at the end of an attempt."""
        self.purse.write_rest()
        with suppress(LeaseLost), transaction.atomic():
            self.job.hold(sure_of_lease=self.job.lease_by)
            self.limits.put_down()
            Job.objects.filter(pk=self.job.pk).update(counters=self.job.counters | self.counters())

    def counters(self) -> dict[str, Any]:
        """Return the counters of the run's page by name; what was spent is included only where a model is used."""
        self._counted_at = monotonic()
        with connection.cursor() as cursor:
            cursor.execute(_COUNTS, [Run._meta.pk.get_db_prep_value(self.run.pk, connection)] * _COUNTS.count("%s"))
            row = dict(zip((column[0] for column in cursor.description), cursor.fetchone(), strict=True))
        run = self.run
        return (spending(run.spent_usd, run.spent_tokens, run.spent_calls) if self.uses_model else {}) | {
            **row,
            "set_aside": max(0, row["sources"] - row["kept"]),
            "files_ready": self.run.context_processing.get("files_ready", 0),
            "files_error": self.run.context_processing.get("files_error", 0),
        }

    async def enter(self, phase: Phase, text: str) -> None:
        """Begin a phase. It is reported once, even when the run is resumed in the middle of it."""

        def record() -> None:
            change(Run, self.run.pk, {"phase": phase})
            set_progress(self.job, list(Phase).index(phase), len(Phase) - 1)
            self._counted_at = -COUNT_EVERY
            self.tell(f"phase_{phase}", text)

        self.run.phase = phase
        await self.once(f"phase/{phase}", record)
