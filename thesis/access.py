"""Access to proposals and to support for a sentence (docs/privacy.md).

All members see a proposal. If research read uploaded files for it, only those see it who may open the files. If the
text of such a file is deleted, the text of proposals made from it is deleted too.
"""

from collections.abc import Collection, Iterable
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from jobs.models import Job, JobEvent
from projects.access import Act, check_open_data, get_in_project, may_open_data
from projects.models import Project
from research.access import is_closed
from research.models import Run
from thesis.models import Draft, Support


def get_draft(user: Any, rows: "QuerySet[Draft]", draft_id: UUID, act: Act = "read") -> Draft:
    """Return a draft among `rows` if `user` may `act` on it. Raises Http404 and PermissionDenied."""
    draft: Draft = get_in_project(user, rows, act, pk=draft_id)
    if not may_open_data(draft.project) and _drafts_from_uploads([draft]):
        check_open_data(draft.project)
    return draft


def get_support(user: Any, rows: "QuerySet[Support]", support_id: UUID, act: Act = "read") -> Support:
    """Return a search for support among `rows` if `user` may `act` on it. Raises Http404 and PermissionDenied."""
    found: Support = get_in_project(user, rows, act, pk=support_id)
    if found.run.reads_uploads:
        check_open_data(found.project)
    return found


def visible_drafts(drafts: Iterable[Draft], project: Project) -> list[Draft]:
    """Return the `drafts` that may be shown to the person whose role `project` has. Takes at most two queries."""
    rows = list(drafts)
    closed = set() if may_open_data(project) else _drafts_from_uploads(rows)
    return [draft for draft in rows if draft.pk not in closed]


def visible_supports(supports: Iterable[Support], project: Project) -> list[Support]:
    """Return the `supports` that may be shown to the person whose role `project` has. `run` must be loaded."""
    return [one for one in supports if not is_closed(one.run, project)]


def holds_uploads(job: Job) -> bool:
    """Return whether the draft of `job` uses findings from uploaded files. True if the draft was deleted."""
    draft = Draft.objects.filter(job=job).only("project_id", "conversation", "findings").first()
    return draft is None or bool(_drafts_from_uploads([draft]))


def _drafts_from_uploads(drafts: Iterable[Draft]) -> set[UUID]:
    """Return the ids of the drafts whose conversation uses findings of a run that read uploaded files."""
    rows = list(drafts)
    talks = Draft.objects.filter(
        project__in={row.project_id for row in rows}, conversation__in={row.conversation for row in rows}
    )
    runs: dict[UUID, set[str]] = {}
    for conversation, findings in talks.values_list("conversation", "findings"):
        runs.setdefault(conversation, set()).update(one["run"] for one in findings if "run" in one)
    asked = Run.objects.filter(pk__in=set().union(*runs.values())).only("files")
    reading = {str(run.pk) for run in asked if run.reads_uploads}
    return {row.pk for row in rows if runs.get(row.conversation, set()) & reading}


NOTE = "The text of this proposal was deleted together with the file that it was made from."


def delete_drafts_text(sender: Any, run: Run, findings: Collection[str], **_: Any) -> None:
    """Delete the text of proposals made from deleted findings. Receiver of the signal run_text_deleted.

    Proposals accepted in part or whole keep their text: it is part of the thesis now, and the record of which words a
    model wrote must stay.
    """
    gone = {(str(run.pk), finding) for finding in findings}
    drafts = Draft.objects.filter(project=run.project_id)
    talks = {
        conversation
        for conversation, named in drafts.values_list("conversation", "findings")
        if gone & {(one.get("run"), one.get("finding_id")) for one in named}
    }
    drafts = drafts.filter(conversation__in=talks)
    told = JobEvent.objects.filter(job__in=drafts.exclude(job=None).values("job"))
    told.exclude(Q(kind__startswith="job_") | Q(text="")).update(text=NOTE, details={})
    drafts.filter(taken=[]).update(
        answer="", latex="", bibtex="", blocks=[], keys=[], redacted=[], notes=[NOTE], outcome=Draft.Outcome.DISCARDED
    )
