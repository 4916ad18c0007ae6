"""What the phases of one run share: its rows, its engine, its journal, and how it tells what happens."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple, TypeVar

from asgiref.sync import sync_to_async
from django.conf import settings
from pydantic import BaseModel

from jobs.models import Job
from jobs.work import set_progress
from llm.answered import Answered
from llm.budget import Purse
from llm.engine import Engine
from llm.offline import OfflineEngine
from llm.roles import Asked, DigestItem
from research.asking import PHASES, Asks, get, sentence
from research.journal import Journal, Response
from research.models import Node, Phase, Run
from research.profiles import ResearchProfile
from research.prompts import prompt_for
from research.provenance import append
from research.purse import RunPurse

A = TypeVar("A", bound=BaseModel)


class BoundFile(NamedTuple):
    """A file as it was chosen when the run was made; it may have been deleted since."""

    id: str
    name: str
    sha256: str
    format: str


@dataclass
class Inquiry:
    """One attempt at one run. It holds nothing that is not in rows, so another attempt can take over."""

    run: Run
    job: Job
    engine: Engine
    journal: Journal
    profile: ResearchProfile
    files: list[BoundFile]
    purse: Purse | None = None
    digest: list[DigestItem] = field(default_factory=list)  # of all files that were read; filled by binding

    @classmethod
    def of(cls, job: Job, engine: Engine) -> "Inquiry":
        run = Run.objects.select_related("project").get(job=job)
        profile = ResearchProfile.model_validate(run.profile_config)
        journal = Journal(run, job, settings.RESEARCH_CONCURRENCY)
        files = [BoundFile(**file) for file in run.files]
        return cls(run, job, engine, journal, profile, files, RunPurse(run, job))

    @property
    def academic(self) -> bool:
        return self.profile.source_quality_mode == "academic"

    @property
    def uses_model(self) -> bool:
        """Whether a model answers, which writes sentences of its own; the offline engine only quotes."""
        return self.engine.name != OfflineEngine.name

    @property
    def skipped(self) -> str:
        """A sentence on the providers of the profile that are not asked; "" when there are none."""
        names = [name for name in self.profile.providers if name != "library"]
        return f"Not searched: {', '.join(names)}; this version asks no catalogue." if names else ""

    async def ask(self, key: str, asked: Asked[A], record: Any = None, fault: Callable[[A], str] | None = None) -> A:
        """Ask the engine through the journal. `record(answer)` writes what follows, once, with the answer.

        `fault(answer)` says why the answer of a model is of no use although its shape is right, or "".
        Raises jobs.work.Stopped when a model cannot be asked; an answer that cannot be used is given by the offline
        engine instead, and the stream and the log say so.
        """
        answer_type: type[A] = asked.answer  # type: ignore[assignment]
        prompt = prompt_for(asked, academic=self.academic)

        async def question(engine: Asks) -> Any:
            answered: Answered[A] = await engine.ask(asked, prompt=prompt)
            return answered.answer.model_dump(mode="json")

        def write(answer: Any) -> None:
            if record is not None:
                record(answer_type.model_validate(answer))

        request = {"engine": self.engine.name, "role": asked.role, "asked": asked.model_dump(mode="json")}
        return answer_type.model_validate(await self.put(key, asked.role, request, question, write, fault))

    async def put(
        self,
        key: str,
        role: str,
        request: Any,
        question: Callable[[Asks], Awaitable[Any]],
        record: Callable[[Any], None] | None = None,
        fault: Callable[[Any], str] | None = None,
    ) -> Any:
        """What `question(engine)` gives, as JSON, through the journal, where it is kept with what it has used."""

        async def call() -> Response:
            got = await get(self.engine, self.purse, question, fault if self.uses_model else None)
            usages = [usage.model_dump(mode="json") for usage in got.usages]
            response = {"answer": got.answer, "usages": usages}
            return {**response, "stand_in": got.stand_in} if got.stand_in else response

        def write(response: Response) -> None:
            if response.get("stand_in"):
                self._stood_in(key, role, response["stand_in"])
            if record is not None:
                record(response["answer"])

        return (await self.journal.step(key, "model", request, call, write))["answer"]

    def _stood_in(self, key: str, role: str, why: str) -> None:
        said = f"{sentence(why)} The offline engine answered in its place."
        self.tell("stand_in", said, role=role, step=key)
        self.log(PHASES[role], "stand_in", said, {"role": role, "step": key, "reason": why})

    async def once(self, key: str, record: Any) -> None:
        """Do `record()` once in the life of the run, however often it is resumed."""

        async def call() -> Response:
            return {}

        await self.journal.step(key, "note", {}, call, lambda _: record())

    # The following write rows; they are called inside a record function, so in its transaction.

    def tell(self, kind: str, text: str, *, node: Node | None = None, **details: Any) -> None:
        """One event of the thought stream, with the counters as they stand now."""
        self.job.emit(
            kind,
            text,
            node=node.number if node else "",
            phase=self.run.phase,
            counters=self.counters(),
            details=details,
            sure_of_lease=self.job.lease_by,
        )

    def log(self, phase: str, event_type: str, summary: str, details: dict[str, Any]) -> None:
        """One entry of the provenance log. `phase` is binding, brief, supervision, synthesis or verification."""
        append(self.run, phase, event_type, summary, details)

    def counters(self) -> dict[str, Any]:
        """The numbers on the run's page, by their names there; money only where a service is paid for."""
        states = list(self.run.nodes.values_list("state", flat=True))
        settled = (Node.State.ENOUGH, Node.State.GAP, Node.State.FAILED)
        cited = self.run.findings.values("source").distinct().count()
        found = self.run.sources.count()
        return self._spending() | {
            "nodes": len(states),
            "nodes_done": sum(state in settled for state in states),
            "gaps": self.run.gaps.open().count(),
            "sources": found,
            "kept": cited,
            "set_aside": found - cited,
            "findings": self.run.findings.count(),
            "calls": self.run.steps.exclude(kind="note").count(),
            "files_ready": self.run.context_processing.get("files_ready", 0),
            "files_error": self.run.context_processing.get("files_error", 0),
        }

    def _spending(self) -> dict[str, Any]:
        if not self.engine.is_remote:
            return {}
        spent = Run.objects.values("spent_usd", "spent_tokens").get(pk=self.run.pk)
        return spending(spent["spent_usd"], spent["spent_tokens"])

    async def enter(self, phase: Phase, text: str) -> None:
        """Begin a phase: told once, even when the run is resumed in the middle of it."""

        def record() -> None:
            self.tell(f"phase_{phase}", text)
            set_progress(self.job, list(Phase).index(phase), len(Phase) - 1)

        self.run.phase = phase
        await sync_to_async(Run.objects.filter(pk=self.run.pk).update)(phase=phase)
        await self.once(f"phase/{phase}", record)


def spending(usd: Decimal, tokens: int) -> dict[str, Any]:
    """The counters of what a run has used: USD as people read it, and tokens of every kind."""
    return {"spent_usd": f"{usd:.4f}", "tokens": tokens}
