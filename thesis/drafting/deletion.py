"""What a run found in a file was taken out of it: proposals that were made from that follow (docs/privacy.md)."""

from collections.abc import Collection
from typing import Any

from django.db.models import Q

from jobs.models import JobEvent
from research.models import Run
from thesis.models import Draft

NOTE = "The text of this proposal was deleted with the file that it was made from."


def delete_drafts_text(sender: Any, run: Run, findings: Collection[str], **_: Any) -> None:
    """Receiver of run_text_deleted: proposals that nobody took lose their text. What was taken is the writer's own text by
    now, and what was taken of a model's words must stay known.
    """
    gone = {(str(run.pk), finding) for finding in findings}
    rows = Draft.objects.filter(project=run.project_id).only("findings", "taken", "job", "conversation")
    talks = {
        row.conversation for row in rows if gone & {(one.get("run"), one.get("finding_id")) for one in row.findings}
    }
    drafts = Draft.objects.filter(project=run.project_id, conversation__in=talks)
    told = JobEvent.objects.filter(job__in=drafts.exclude(job=None).values("job"))
    told.exclude(Q(kind__startswith="job_") | Q(text="")).update(text=NOTE, details={})
    drafts.filter(taken=[]).update(
        answer="", latex="", bibtex="", blocks=[], keys=[], redacted=[], notes=[NOTE], outcome=Draft.Outcome.DISCARDED
    )
