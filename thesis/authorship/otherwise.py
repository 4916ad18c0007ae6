"""What else language models did for a thesis, as counts from the records (SPEC T9)."""

from dataclasses import asdict, dataclass, field
from typing import Any

from django.db.models import Count, Q, Sum

from llm.models import Usage
from llm.offline import OfflineEngine
from projects.models import Project
from research.models import Claim, FollowUp, Node, Run
from research.words import counted
from thesis.models import Draft


@dataclass(frozen=True)
class OtherUse:
    """Counts of what models did besides text that was taken; `models` are those that were asked for any of it."""

    runs: int = 0
    searches: int = 0
    claims: int = 0
    answers: int = 0
    support: int = 0
    files: int = 0
    drafts: int = 0
    models: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Each count as a clause for people; nothing that is 0."""
        said = [
            (self.runs, f"{counted(self.runs, 'research run')}, which searched, read and summed up sources"),
            (self.searches, f"{self.searches:,} search{'' if self.searches == 1 else 'es'} in them"),
            (self.claims, f"{counted(self.claims, 'claim')} of reports checked against their sources"),
            (self.answers, f"{counted(self.answers, 'question')} about finished research answered"),
            (self.support, f"{counted(self.support, 'sentence')} for which supporting works were looked for"),
            (self.files, f"{counted(self.files, 'part')} of uploaded files read and noted"),
            (self.drafts, f"{counted(self.drafts, 'draft')} of text of which nothing was taken"),
        ]
        return [words for number, words in said if number]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def other_use(project: Project) -> OtherUse:
    """What models did for `project` besides text that was taken from their drafts. Six queries."""
    by_model = Q(run__project=project) & ~Q(run__engine=OfflineEngine.label)
    runs = Run.objects.filter(project=project).exclude(engine=OfflineEngine.label)
    counts = runs.aggregate(all=Count("pk"), support=Count("support"))
    drafts = Draft.objects.filter(project=project, kind__in=Draft.ASKED, taken=[]).exclude(model="")
    used = Usage.objects.filter(project=project).order_by("model")
    roles = list(used.values_list("model", "role").annotate(calls=Count("pk")))
    return OtherUse(
        runs=counts["all"] - counts["support"],
        searches=Node.objects.filter(by_model).aggregate(n=Sum("searches"))["n"] or 0,
        claims=Claim.objects.filter(by_model).exclude(verdict="UNCHECKED").count(),
        answers=FollowUp.objects.filter(by_model, kind=FollowUp.Kind.ASK).exclude(answered_at=None).count(),
        support=counts["support"],
        files=sum(calls for _, role, calls in roles if role == "digest"),
        drafts=drafts.count(),
        models=list(dict.fromkeys(model for model, role, _ in roles)),
    )
