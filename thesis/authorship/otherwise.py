"""What else language models did for a thesis, as counts from the records (SPEC T9)."""

from collections.abc import Collection
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import Count, Q, Sum

from llm.models import Usage
from llm.offline import OfflineEngine
from projects.models import Project
from research.models import Claim, FollowUp, Node, Run
from research.words import counted
from thesis.models import Draft


@dataclass(frozen=True)
class OtherUse:
    """What `models` did besides text that was taken: counts of runs, searches in them, claims checked, questions answered,
    sentences for which support was looked for, parts of files read, drafts of which nothing was taken, changes that added no
    words (taken)."""

    runs: int = 0
    searches: int = 0
    claims: int = 0
    answers: int = 0
    support: int = 0
    files: int = 0
    drafts: int = 0
    changes: int = 0
    models: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Each count as what models were used for, to stand behind "used for"; nothing that is 0."""
        searches = f", {self.searches:,} search{'' if self.searches == 1 else 'es'}" if self.searches else ""
        said = [
            (self.runs, f"research in the literature ({counted(self.runs, 'run')}{searches})"),
            (self.claims, f"checking {counted(self.claims, 'claim')} of research reports against their sources"),
            (self.answers, f"answering {counted(self.answers, 'question')} about finished research"),
            (self.support, f"finding works that support {counted(self.support, 'sentence')}"),
            (self.files, f"reading {counted(self.files, 'part')} of uploaded files and taking notes"),
            (self.drafts, f"{counted(self.drafts, 'draft')} of text, of which nothing was taken"),
            (self.changes, f"{counted(self.changes, 'change')} of the text that added no words"),
        ]
        return [words for number, words in said if number]


def other_use(project: Project, listed: Collection[UUID] = ()) -> OtherUse:
    """What models did for `project` besides text that was taken from the drafts `listed`. Six queries.

    A run counts once a model was asked for it, so that one that was stopped before is not told of.
    """
    used = Usage.objects.filter(project=project).exclude(subject__in=listed).order_by("model")
    roles = list(used.values_list("model", "role").annotate(calls=Count("pk")))
    by_model = Q(pk__in=used.values("subject")) & ~Q(engine=OfflineEngine.label)
    runs = Run.objects.filter(by_model, project=project)
    counts = runs.aggregate(all=Count("pk"), support=Count("support"))
    drafts = Draft.objects.filter(project=project, kind__in=Draft.ASKED).exclude(model="").exclude(pk__in=listed)
    taken = drafts.aggregate(no=Count("pk", filter=Q(taken=[])), all=Count("pk"))
    return OtherUse(
        runs=counts["all"] - counts["support"],
        searches=Node.objects.filter(run__in=runs.filter(support=None)).aggregate(n=Sum("searches"))["n"] or 0,
        claims=Claim.objects.filter(run__in=runs).exclude(verdict="UNCHECKED").count(),
        answers=FollowUp.objects.filter(run__in=runs, kind=FollowUp.Kind.ASK).exclude(answered_at=None).count(),
        support=counts["support"],
        files=sum(calls for _, role, calls in roles if role == "digest"),
        drafts=taken["no"],
        changes=taken["all"] - taken["no"],
        models=list(dict.fromkeys(model for model, _, _ in roles)),
    )
