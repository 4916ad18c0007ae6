"""What the phases of one run share: its rows, its engine, its journal, and how it tells what happens."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from asgiref.sync import sync_to_async
from django.conf import settings
from pydantic import BaseModel

from jobs.models import Job
from jobs.work import set_progress
from llm.engine import Engine
from llm.roles import Asked, DigestItem
from research.journal import Journal, Response
from research.models import Node, Phase, Run
from research.profiles import ResearchProfile
from research.provenance import append

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
    digest: list[DigestItem] = field(default_factory=list)  # of all files that were read; filled by binding

    @classmethod
    def of(cls, job: Job, engine: Engine) -> "Inquiry":
        run = Run.objects.select_related("project").get(job=job)
        profile = ResearchProfile.model_validate(run.profile_config)
        journal = Journal(run, job, settings.RESEARCH_CONCURRENCY)
        return cls(run, job, engine, journal, profile, [BoundFile(**file) for file in run.files])

    @property
    def academic(self) -> bool:
        return self.profile.source_quality_mode == "academic"

    @property
    def skipped(self) -> str:
        """A sentence on the providers of the profile that are not asked; "" when there are none."""
        names = [name for name in self.profile.providers if name != "library"]
        return f"Not searched: {', '.join(names)}; the offline engine asks no service on the network." if names else ""

    async def ask(self, key: str, asked: Asked[A], record: Any = None) -> A:
        """Ask the engine through the journal. `record(answer)` writes what follows, once, with the answer."""
        answer_type: type[A] = asked.answer  # type: ignore[assignment]

        async def call() -> Response:
            return (await self.engine.ask(asked)).model_dump(mode="json")

        def write(response: Response) -> None:
            record(answer_type.model_validate(response))

        request = {"engine": self.engine.name, "role": asked.role, "asked": asked.model_dump(mode="json")}
        response = await self.journal.step(key, "model", request, call, write if record else None)
        return answer_type.model_validate(response)

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

    def counters(self) -> dict[str, int]:
        """The numbers on the run's page, by their names there."""
        states = list(self.run.nodes.values_list("state", flat=True))
        settled = (Node.State.ENOUGH, Node.State.GAP, Node.State.FAILED)
        cited = self.run.findings.values("source").distinct().count()
        found = self.run.sources.count()
        return {
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

    async def enter(self, phase: Phase, text: str) -> None:
        """Begin a phase: told once, even when the run is resumed in the middle of it."""

        def record() -> None:
            self.tell(f"phase_{phase}", text)
            set_progress(self.job, list(Phase).index(phase), len(Phase) - 1)

        self.run.phase = phase
        await sync_to_async(Run.objects.filter(pk=self.run.pk).update)(phase=phase)
        await self.once(f"phase/{phase}", record)
