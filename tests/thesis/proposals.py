"""Rows for the pages of drafting: findings, references with their proof, proposals as an engine leaves them."""

from typing import Any
from uuid import uuid4

from django.utils import timezone

from citations.models import Citation
from jobs.models import Job, State
from projects.models import Project, User
from research.models import Finding, Node, Run, Source
from sections.models import Section
from thesis.models import Draft

LABEL = "Offline engine: it quotes your findings, and writes nothing new"
TEXT = "Alder fixes nitrogen in its roots.\n\nThe soil is old.\n"
NEW = (
    "Alder fixes nitrogen in its root nodules \\cite{menon2021,lund2020}.\n\nThe "
    "soil is old.\n\nLitter returns it \\cite{berg2019}.\n"
)


def references(project: Project) -> None:
    """One that is proven, one whose identifier leads elsewhere, one that was not found."""
    rows = [
        ("menon2021", "Nitrogen in alder roots", "verified", "A", "doi"),
        ("lund2020", "Soils of the coast", "conflict", "D", ""),
        ("berg2019", "Litter fall and decay", "not_found", "D", ""),
    ]
    for serial, (key, title, status, tier, evidence) in enumerate(rows, 1):
        Citation.objects.create(
            project=project,
            cite_key=key,
            serial=serial,
            title=title,
            authors=f"{key[:-4].capitalize()} and others",
            year=int(key[-4:]),
            status=status,
            tier=tier,
            evidence_type=evidence,
        )


def run_with(project: Project, user: User, number: int, question: str = "How does alder change the soil?") -> Run:
    """A finished run with `number` findings F1.1-1, F1.1-2, ..."""
    job = Job.objects.create(project=project, kind="research", subject=uuid4(), created_by=user, state=State.DONE)
    run = Run.objects.create(
        project=project, job=job, question=question, profile="quick", engine="offline-1", phase="done"
    )
    node = Node.objects.create(run=run, number="1.1", depth=1, question=question, state="enough")
    source = Source.objects.create(
        run=run,
        source_id="doi:10.1/alder",
        kind="work",
        provider="crossref",
        source_type="article-journal",
        document="doi:10.1/alder",
        title="Nitrogen in alder roots",
        text="Nodules fix nitrogen.",
        text_hash="0" * 64,
        retrieved_at=timezone.now(),
    )
    Finding.objects.bulk_create(
        Finding(
            run=run,
            node=node,
            source=source,
            finding_id=f"F1.1-{n}",
            content=f"Plot {n} held {n} kg of nitrogen per hectare.",
            start=0,
            end=21,
            confidence=0.9,
            category="result",
        )
        for n in range(1, number + 1)
    )
    return run


def proposed(section: Section, user: User, **fields: Any) -> Draft:
    """A proposal for TEXT that changes a paragraph and adds one; the two places can be taken each for itself."""
    end = TEXT.index(".") + 1
    first = NEW[: NEW.index(".\n") + 1]
    last = NEW[NEW.index("\n\nLitter") : -1]
    draft: Draft = Draft.objects.create(
        **{
            "project": section.project,
            "section": section,
            "created_by": user,
            "kind": "rewrite",
            "place": "whole",
            "instructions": "Say where the nitrogen comes from.",
            "base_version": section.version,
            "base_latex": TEXT,
            "engine": LABEL,
            "latex": NEW,
            "stop_reason": "end_turn",
            "blocks": [
                {"number": 1, "start": 0, "end": end, "was": TEXT[:end], "latex": first},
                {"number": 2, "start": len(TEXT) - 1, "end": len(TEXT) - 1, "was": "", "latex": last},
            ],
            "keys": ["menon2021", "lund2020", "berg2019"],
            **fields,
        }
    )
    return draft


def job_for(draft: Draft, state: State, reason: str = "") -> Draft:
    """`draft` with a job in `state`."""
    draft.job = Job.objects.create(
        project=draft.project, kind="draft", subject=draft.pk, created_by=draft.created_by, state=state, reason=reason
    )
    draft.save()
    return draft
