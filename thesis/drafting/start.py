"""Starting a draft: checks of the request, the limits, and the findings and references it uses (SPEC T3, T4)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings

from analysis.datasets.uploaded_copies import files_that_are_data
from citations.key_aliases import references_by_key
from citations.models import Citation
from core.errors import Refused
from core.storable_text import check_storable
from jobs.models import Job, State
from llm.engine import EngineUnavailable, choose_engine
from llm.offline import OfflineEngine
from llm.routing import ROUTES
from projects.access import check_drafting
from projects.models import Project, User
from research.models import Finding, Run, Source
from research.nearest_texts import nearest, nearness
from sections.models import Section
from thesis.drafting.limits import check_hourly_limit, check_tokens
from thesis.models import Draft
from thesis.prompts import role_for
from thesis.run_references import keys_for

KIND = "draft"  # kind of the job; its subject is the draft
LONGEST = 4_000  # characters of instructions


@dataclass(frozen=True)
class DraftRequest:
    """A request for a draft.

    `findings` are [{"run", "finding_id"}] of runs of the thesis, `cite_keys` keys of its references. The sources of the
    findings become references. `start` and `end` (code points) count in the text of version `based_on`, which must be
    the present one. A draft that `follows` another draft of the section continues its conversation.
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
    """Create a draft for `section` and the job that writes it, and return the draft.

    The caller has checked that `user` may write. Commands pass `enqueue` False and run the job themselves. Raises
    Refused: 403 drafting_off (projects/access.py), 429 section_limit, thesis_limit or hourly_limit with the numbers,
    409 stale for another version, and 422 for any mistake in the request.
    """
    check_drafting(section.project)
    text = asked.instructions.strip()
    check_storable(text, "instructions")
    if len(text) > LONGEST:
        raise Refused(
            f"Instructions can have at most {LONGEST:,} characters; these have {len(text):,}.", field="instructions"
        )
    project = section.project
    is_offline = drafts_offline(project)
    follows = asked.follows
    if follows is not None and follows.section_id != section.pk:
        raise Refused("A draft can only continue a draft of the same section.", field="follows")
    refs, keys = check_findings(project, asked.findings), check_keys(project, asked.cite_keys)
    if not is_offline:
        earlier = Draft.objects.filter(conversation=follows.conversation) if follows else Draft.objects.none()
        told = (ref for findings in earlier.values_list("findings", flat=True) for ref in findings if "run" in ref)
        check_no_data_quotes(project, [*refs, *told])
    with Project.objects.held(project.pk):
        # Two requests at once are counted one after the other: by the project row for tokens, by the user row for the
        # hour
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        now: Section = Section.objects.get(pk=section.pk)
        if asked.based_on not in (None, now.version):
            raise Refused(
                "The text was edited in the meantime, so the place you chose may have moved. Choose it again.",
                code="stale",
                status=409,
            )
        _check_place(now, asked, is_offline)
        check_hourly_limit(user)
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
    """Return whether the offline engine would write a draft of `project`. Raises Refused if no engine is available."""
    try:
        return choose_engine(project).name == OfflineEngine.name
    except EngineUnavailable as error:
        raise Refused(str(error), code="no_engine") from None


def _check_place(section: Section, asked: DraftRequest, is_offline: bool) -> None:
    place, start, end = asked.place, asked.start, asked.end
    if asked.kind not in Draft.ASKED:
        raise Refused(f"`kind` must be one of {', '.join(Draft.ASKED)}.", field="kind")
    if place not in Draft.Place.values:
        raise Refused(f"`place` must be one of {', '.join(Draft.Place.values)}.", field="place")
    if place == Draft.Place.RANGE and not 0 <= start <= end <= len(section.latex):
        raise Refused(
            f"The text has {len(section.latex):,} characters, so {start:,} to {end:,} is not a part of it.", field="end"
        )
    if asked.kind not in (Draft.Kind.REWRITE, Draft.Kind.SHORTEN):  # only these two need existing text
        return
    if is_offline:
        raise Refused(
            "The offline engine only puts sentences of findings and references together; it cannot rewrite or shorten. "
            + ("" if settings.LLM_ENGINE == "offline" else "A model can, if ANTHROPIC_API_KEY is set."),
            field="kind",
            code="offline",
        )
    if (
        place == Draft.Place.END
        or not (section.latex[start:end] if place == Draft.Place.RANGE else section.latex).strip()
    ):
        raise Refused("Select the text to rewrite or shorten.", field="place")


MOST_FINDINGS = 200  # per draft
MOST_KEYS = 300
MOST_RUNS = 5  # the latest finished runs whose findings are considered
FITTING = 40  # findings chosen automatically

Ref = dict[str, str]  # {"run": id, "finding_id": "F3"}


def check_findings(project: Project, wanted: Iterable[Mapping[str, Any]]) -> list[Ref]:
    """Return the `wanted` findings as a draft stores them, each once. Raises Refused for an unknown finding."""
    try:
        refs = [{"run": str(UUID(str(one["run"]))), "finding_id": str(one["finding_id"])} for one in wanted]
    except (KeyError, TypeError, ValueError):
        raise Refused("Name each finding by its run and its id, such as F1.2-3.", field="findings") from None
    refs = list({(ref["run"], ref["finding_id"]): ref for ref in refs}.values())
    if len(refs) > MOST_FINDINGS:
        raise Refused(
            f"Choose at most {MOST_FINDINGS} findings for one draft; you chose {len(refs)}.", field="findings"
        )
    there = {(str(one.run_id), one.finding_id) for one in findings_of(project, refs)}
    if gone := next((ref for ref in refs if (ref["run"], ref["finding_id"]) not in there), None):
        raise Refused(f"There is no finding {gone['finding_id'][:20]} in that run of this thesis.", field="findings")
    return refs


def findings_of(project: Project, refs: Sequence[Mapping[str, str]]) -> list[Finding]:
    """Return the findings that `refs` name, in that order, with run, question and source. Deleted ones are left out."""
    rows = Finding.objects.filter(
        run__project=project,
        run__in={ref["run"] for ref in refs},
        finding_id__in={ref["finding_id"] for ref in refs},
    ).select_related("run", "node", "source__file")
    by_ref = {(str(row.run_id), row.finding_id): row for row in rows}
    return [by_ref[named] for ref in refs if (named := (ref["run"], ref["finding_id"])) in by_ref]


def without_data_quotes(project: Project, findings: Sequence[Finding]) -> list[Finding]:
    """Return the `findings` that do not quote rows of a data set of the thesis, because no model may see those.

    The caller has loaded `source.file` of each. Takes one query.
    """
    files = {row.source.file for row in findings if row.source.file is not None}
    data = files_that_are_data(
        project, [{"name": file.name, "sha256": file.sha256, "format": file.format} for file in files]
    )
    return [row for row in findings if row.source.file is None or row.source.file.name not in data]


def check_no_data_quotes(project: Project, refs: Sequence[Mapping[str, str]]) -> None:
    """Raise Refused if a finding in `refs` quotes rows of a data set of the thesis, which a model would then see."""
    rows = findings_of(project, refs)
    shown = {row.pk for row in without_data_quotes(project, rows)}
    if quoting := next((row for row in rows if row.pk not in shown), None):
        raise Refused(
            f"Finding {quoting.finding_id} quotes rows of {quoting.source.document}, which is also a data set of this "
            "thesis. Rows of data are never sent to a model. Remove this finding, and insert the result of an analysis "
            "instead.",
            field="findings",
            code="is_data",
            status=409,
        )


def check_keys(project: Project, wanted: Iterable[str]) -> list[str]:
    """Return the `wanted` cite keys, each once, with aliases replaced. Raises Refused for an unknown key."""
    keys = list(dict.fromkeys(key.strip() for key in wanted if key.strip()))
    if len(keys) > MOST_KEYS:
        raise Refused(f"Choose at most {MOST_KEYS} references for one draft; you chose {len(keys)}.", field="cite_keys")
    there = references_by_key(Citation.objects.filter(project=project).only("cite_key"), project, keys)
    if unknown := next((key for key in keys if key not in there), None):
        raise Refused(f"This thesis has no reference {unknown[:200]}.", field="cite_keys")
    return list(dict.fromkeys(there[key].cite_key for key in keys))


def fitting_findings(section: Section, instructions: str = "", most: int = FITTING) -> list[Ref]:
    """Return findings of the latest finished runs that are nearest to the section's title and `instructions`.

    Findings that share no word with them are left out. If none shares a word, as with the title "Discussion", the
    research question of the thesis decides.
    """
    runs = Run.objects.filter(project=section.project_id, job__state=State.DONE).order_by("-created_at")[:MOST_RUNS]
    rows = Finding.objects.filter(run__in=[run.pk for run in runs], is_superseded=False)
    rows = rows.select_related("node", "source__file").order_by("-run__created_at", "id")
    findings = without_data_quotes(section.project, list(rows))
    findings = list({" ".join(row.content.split()).casefold(): row for row in reversed(findings)}.values())[::-1]
    if not findings:
        return []
    asked = f"{section.title}. {instructions}".strip()
    texts = [f"{row.node.question}\n{row.content}" for row in findings]
    scores = nearness(asked, texts)
    if any(scores):
        best = sorted(range(len(texts)), key=lambda place: -scores[place])[:most]
        places = [place for place in sorted(best) if scores[place]]
    else:
        places = nearest(section.project.question or asked, texts, most)
    return [{"run": str(findings[place].run_id), "finding_id": findings[place].finding_id} for place in places]
