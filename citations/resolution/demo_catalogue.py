"""Verdicts on the references of the demo by the identity gate and the demo catalogue (decisions/demo-catalogue.md).

The demo catalogue is a list of works that comes with Scholium. No registry is asked: each verdict says so, and a
look-up by a registry replaces it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from django.utils import timezone

from citations.formats.reading import Csl, text_of
from citations.identity.reference import Reference, reference_from_csl
from citations.identity.tiers import PROOF
from citations.identity.title_similarity import likeness
from citations.identity.verdict import CANDIDATES, judge
from citations.identity.verdict_types import Kind, Lookup, Search, Verdict
from citations.models import Citation
from citations.resolution.apply_verdict import VERDICT_COLUMNS, apply_verdict, write_notices
from projects.models import Project
from sources.retractions import Update
from sources.work import Person, Work

PROVIDER = "demo"
_ONLY = "Checked with the demo catalogue only; no registry was asked."


def work_from_csl(item: Csl) -> Work:
    """Return a CSL item of the demo catalogue as the record of a catalogue."""
    issued = item.get("issued") or {}
    is_retracted = bool((item.get("custom") or {}).get("retracted"))
    return Work(
        provider=PROVIDER,
        provider_id=text_of(item.get("id")),
        title=text_of(item.get("title")),
        authors=tuple(Person(**name) for name in item.get("author") or ()),
        year=issued["date-parts"][0][0] if issued else None,
        venue=item.get("container-title"),
        volume=item.get("volume"),
        issue=item.get("issue"),
        pages=item.get("page"),
        publisher=item.get("publisher"),
        doi=item.get("DOI"),
        pmid=item.get("PMID"),
        url=item.get("URL"),
        type=text_of(item.get("type")),
        is_retracted=is_retracted,
        updates=(Update(type="retraction", source=PROVIDER),) if is_retracted else (),
    )


def demo_verdict(csl: Csl, catalogue: Sequence[Work]) -> Verdict:
    """Return the verdict on a claim by the records of `catalogue` alone; its reason says so."""
    claim = reference_from_csl(csl)
    lookups = [Lookup(kind, value, _with(catalogue, kind, value)) for kind in PROOF if (value := getattr(claim, kind))]
    verdict = _judged(claim, lookups, None)
    if verdict.status != "verified":
        search = Search(_nearest(claim, catalogue))
        verdict = _judged(claim, lookups, search)
        if verdict.status == "not_found" and claim.url:
            page = Lookup("url", claim.url, tuple(work for work in catalogue if work.url == claim.url))
            verdict = _judged(claim, [*lookups, page], search)
    reason = f"{verdict.reason[:1].upper()}{verdict.reason[1:]}"
    return replace(verdict, reason=f"{_ONLY} {reason}")


def check_with_demo_catalogue(project: Project, catalogue: Sequence[Work], unchecked: Iterable[str] = ()) -> int:
    """Save the verdicts of the demo catalogue on the references of `project` and return how many there are.

    Only references that were never looked up, and are not waiting for it, get one; those with the keys `unchecked`
    stay as they are.
    """
    now = timezone.now()
    with Project.objects.held(project.pk):
        rows = Citation.objects.select_for_update().filter(project=project, status=Citation.Status.UNRESOLVED)
        rows = rows.filter(check_due_at=None, checked_at=None).exclude(cite_key__in=list(unchecked))
        settled = []
        for row in rows:
            verdict = demo_verdict(row.claim, catalogue)
            apply_verdict(row, verdict, now)
            row.evidence_type, row.evidence_value = Citation.Evidence.DEMO, verdict.evidence_value[:1_000]
            row.checked_at = row.verified_at = None  # the times at which a registry answered
            row.save(update_fields=VERDICT_COLUMNS)
            settled.append((row, verdict))
        write_notices(settled)
    return len(settled)


def _judged(claim: Reference, lookups: Sequence[Lookup], search: Search | None) -> Verdict:
    return judge(claim, lookups, search, nobody="The demo catalogue does not know")


def _with(catalogue: Sequence[Work], kind: Kind, value: str) -> tuple[Work, ...]:
    """Return the records with this identifier."""
    return tuple(work for work in catalogue if (getattr(work, kind) or "").casefold() == value.casefold())


def _nearest(claim: Reference, catalogue: Sequence[Work]) -> tuple[Work, ...]:
    """Return the records with the most similar titles, as a search would."""
    return tuple(sorted(catalogue, key=lambda work: -likeness(claim.title, work.title).similarity)[:CANDIDATES])
