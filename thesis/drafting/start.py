"""Asking for a draft (SPEC T3, T4)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from core.errors import Refused
from core.storable import check_storable
from jobs.models import Job
from llm.engine import EngineUnavailable, choose_engine
from llm.offline import OfflineEngine
from llm.routing import ROUTES
from projects.access import check_drafting
from projects.models import Project, User
from research.models import Source
from sections.models import Section
from thesis.drafting.choosing import check_findings, check_keys, findings_of, refuse_data
from thesis.drafting.purse import check_hour, check_tokens
from thesis.models import Draft
from thesis.prompts import role_for
from thesis.run_references import keys_for

KIND = "draft"  # of the job; its subject is the draft
LONGEST = 4_000  # characters of instructions
_CHANGES = (Draft.Kind.REWRITE, Draft.Kind.SHORTEN)  # what stands there


@dataclass(frozen=True)
class DraftRequest:
    """What is to be drafted.

    `findings` are [{"run", "finding_id"}] of runs of the thesis, `cite_keys` keys of its references; the works behind the
    findings become references. `start` and `end` (code points) count in the text of version `based_on`, which must be the
    present one. A draft that `follows` another of this section is told what was said before.
    """

    kind: str = Draft.Kind.DRAFT
    instructions: str = ""
    findings: Iterable[Mapping[str, Any]] = ()
    cite_keys: Iterable[str] = ()
    place: str = Draft.Place.END
    start: int = 0
    end: int = 0
    based_on: int | None = None
    follows: Draft | None = None


def start_draft(section: Section, user: User, asked: DraftRequest, *, enqueue: bool = True) -> Draft:
    """A draft for `section`, and the job that writes it. The caller has seen to it that `user` may write there.

    `enqueue` False is for commands. Raises Refused: 403 drafting_off (projects/access.py), 429 section_limit,
    thesis_limit or hourly_limit with the numbers, 409 stale for another version, and for anything wrong with what was asked.
    """
    check_drafting(section.project)
    text = asked.instructions.strip()
    check_storable(text, "instructions")
    if len(text) > LONGEST:
        raise Refused(
            f"Instructions have at most {LONGEST:,} characters; these have {len(text):,}.", field="instructions"
        )
    project = section.project
    is_offline = drafts_offline(project)
    follows = asked.follows
    if follows is not None and follows.section_id != section.pk:
        raise Refused("A draft goes on from one of the same section.", field="follows")
    refs, keys = check_findings(project, asked.findings), check_keys(project, asked.cite_keys)
    if not is_offline:
        earlier = Draft.objects.filter(conversation=follows.conversation) if follows else Draft.objects.none()
        told = [ref for findings_of_it in earlier.values_list("findings", flat=True) for ref in findings_of_it]
        refuse_data(project, [*refs, *(ref for ref in told if "run" in ref)])
    with Project.objects.held(project.pk):
        # The thesis's row, so that two who ask at once are counted one after the other, and the person's for the hour.
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        now: Section = Section.objects.get(pk=section.pk)
        if asked.based_on not in (None, now.version):
            raise Refused(
                "The text was edited in the meantime, so the place you chose may be another. Choose it again.",
                code="stale",
                status=409,
            )
        _check_place(now, asked, is_offline)
        check_hour(user)
        reserved = 0 if is_offline else min(ROUTES[role_for(section, asked.kind)].max_tokens, check_tokens(now))
        sources = list(Source.objects.filter(findings__in=[row.pk for row in findings_of(project, refs)]).distinct())
        keys += list(keys_for(project, user, sources).values()) if sources else []
        draft = Draft(
            project=project,
            section=now,
            kind=asked.kind,
            instructions=text,
            findings=refs,
            cite_keys=list(dict.fromkeys(keys)),
            place=asked.place,
            start=asked.start if asked.place == Draft.Place.RANGE else 0,
            end=asked.end if asked.place == Draft.Place.RANGE else 0,
            base_version=now.version,
            base_latex=now.latex,
            follows=follows,
            reserved_tokens=reserved,
            created_by=user,
        )
        if follows is not None:
            draft.conversation = follows.conversation
        draft.job = Job.objects.start(project=project, kind=KIND, subject=draft.pk, user=user, enqueue=enqueue)
        draft.save()
    return draft


def drafts_offline(project: Project) -> bool:
    """Whether the offline engine would write a draft of `project`. Raises Refused when no engine can be used."""
    try:
        return choose_engine(project).name == OfflineEngine.name
    except EngineUnavailable as error:
        raise Refused(str(error), code="no_engine") from None


def _check_place(section: Section, asked: DraftRequest, is_offline: bool) -> None:
    place, start, end = asked.place, asked.start, asked.end
    if asked.kind not in Draft.ASKED:
        raise Refused(f"A draft is one of {', '.join(Draft.ASKED)}.", field="kind")
    if place not in Draft.Place.values:
        raise Refused(f"A draft stands at one of {', '.join(Draft.Place.values)}.", field="place")
    if place == Draft.Place.RANGE and not 0 <= start <= end <= len(section.latex):
        raise Refused(
            f"The text has {len(section.latex):,} characters; {start:,} to {end:,} is no part of it.", field="end"
        )
    if asked.kind not in _CHANGES:
        return
    if is_offline:
        raise Refused(
            "The offline engine only puts sentences of findings and references together; it cannot rewrite or shorten. "
            + ("" if settings.LLM_ENGINE == "offline" else "With ANTHROPIC_API_KEY set, a model can."),
            field="kind",
            code="offline",
        )
    chosen = section.latex[start:end] if place == Draft.Place.RANGE else section.latex
    if place == Draft.Place.END or not chosen.strip():
        raise Refused("Choose the text that is to be written anew.", field="place")
