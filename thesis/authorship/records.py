"""The record of AI use in a thesis: text accepted from drafts, by section, and other uses of models (SPEC T9)."""

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property, partial
from typing import Any, Final, Literal, cast
from uuid import UUID

from django.core.cache import cache
from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from core.grouping import grouped
from llm.models import Usage
from llm.offline import OfflineEngine
from projects.models import Project
from research.models import Claim, FollowUp, Node, Run
from research.plurals import counted
from sections.models import Section, SectionVersion
from thesis.authorship.alignment import Alignment, Piece, align_drafts
from thesis.authorship.words import without_quotations
from thesis.models import Draft
from thesis.run_references import FROM_RUN


@dataclass(frozen=True)
class OtherUse:
    """What `models` did other than drafting text that was accepted.

    Counts of research runs and their searches, claims checked, questions answered, sentences for which support was
    searched, parts of files read, drafts of which nothing was accepted, and accepted changes that added no words.
    """

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
        """Return each count above 0 in words that complete "Language models were used for"."""
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
    """Return what models did for `project` besides the text accepted from the drafts `listed`. Six queries.

    A run counts from its first request to a model, so one that was cancelled before does not count.
    """
    used = Usage.objects.filter(project=project).exclude(subject__in=listed).order_by("model")
    roles = list(used.values_list("model", "role").annotate(calls=Count("pk")))
    by_model = Q(pk__in=used.values("subject")) & ~Q(engine__in=OfflineEngine.labels)
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


# Who wrote the words: a language model, or the authors of cited works, whom the offline engine quotes
MODEL: Final = "model"
QUOTED: Final = "quoted"
_RUN = re.compile(rf"{re.escape(FROM_RUN)}([0-9a-f-]{{36}})\)")
_NEAR = timedelta(seconds=10)  # between the acceptance of a draft and the version that was saved with it


@dataclass(frozen=True)
class Elsewhere:
    """Another section, and how many words of the draft are there now."""

    title: str
    words: int


@dataclass(frozen=True)
class DraftUse:
    """The text accepted from one draft. `by`: model, or quoted (by the offline engine, from cited works).

    `words` is the number of words the draft added; `stands` of them are still in the thesis unchanged, some of them
    `elsewhere`. `who` accepted it; with `took_it` False that was not recorded, and `who` requested the draft.
    `is_recorded` False: no acceptance is recorded, but its text is in the thesis word for word.
    """

    draft: UUID
    kind: str
    by: Literal["model", "quoted"]
    models: list[str]
    at: datetime
    who: str
    took_it: bool
    words: int
    stands: int
    elsewhere: list[Elsewhere]
    is_recorded: bool = True


@dataclass(frozen=True)
class SectionUse:
    """A section with the drafts accepted into it, oldest first. `is_removed`: the section was deleted."""

    id: UUID
    slug: str
    number: int
    title: str
    is_removed: bool
    entries: list[DraftUse]
    words: int
    stands: int


def draft_use_by_section(project: Project) -> list[SectionUse]:
    """Return what was accepted from drafts by section, in the order of the outline, deleted sections last.

    Uses a constant number of queries. The comparison is cached for an hour, by the compared texts.
    """
    every = Section.everything.filter(project=project).order_by("number", "pk")
    sections = list(every.values("pk", "slug", "number", "title", "removed_at", "latex"))
    rows = _rows(project)
    runs = _Runs(project, rows)
    pieces = [piece for row in rows for piece in _pieces(row, runs)]
    found = _compared(pieces, {str(one["pk"]): one["latex"] for one in sections if one["removed_at"] is None})
    titles = {str(one["pk"]): one["title"] for one in sections}
    took = _Takers(project, rows)
    by_section: dict[Any, list[DraftUse]] = {}
    for row in rows:
        for by in (MODEL, QUOTED):
            if (stood := found.get(f"{row['pk']} {by}")) and (entry := _entry(row, by, stood, runs, took, titles)):
                by_section.setdefault(row["section"], []).append(entry)
    uses = [
        SectionUse(
            one["pk"],
            one["slug"],
            one["number"],
            one["title"],
            one["removed_at"] is not None,
            entries,
            sum(entry.words for entry in entries),
            sum(entry.stands for entry in entries),
        )
        for one in sections
        if (entries := by_section.get(one["pk"]))
    ]
    return sorted(uses, key=lambda use: use.is_removed)


def _rows(project: Project) -> list[dict[str, Any]]:
    """Return the drafts with a proposal, in the order of acceptance."""
    rows: Any = _proposed(project).order_by("created_at", "pk").values(
        "pk", "section", "kind", "engine", "model", "blocks", "taken", "taken_at", "settled_at", "created_at",
        "findings", "taken_by__name", "taken_by__email", "created_by__name", "created_by__email",
    )  # fmt: skip
    return sorted(rows, key=lambda row: (not row["taken"], _at(row)))


def _proposed(project: Project) -> "QuerySet[Draft]":
    return Draft.objects.filter(project=project).exclude(kind=Draft.Kind.RESULT).exclude(blocks=[])


def _at(row: Mapping[str, Any]) -> datetime:
    return cast(datetime, row["taken_at"] or row["settled_at"] or row["created_at"])


def _compared(pieces: Sequence[Piece], texts: Mapping[str, str]) -> dict[str, Alignment]:
    seen = json.dumps(
        [[(one.key, one.home, one.latex, one.was, one.is_taken) for one in pieces], texts], sort_keys=True
    )
    key = f"authorship-2-{hashlib.sha256(seen.encode('utf-8', 'surrogatepass')).hexdigest()}"
    found: dict[str, Alignment] | None = cache.get(key)
    if found is None:
        found = align_drafts(pieces, texts)
        cache.set(key, found, 3600)  # seconds
    return found


def _pieces(row: Mapping[str, Any], runs: "_Runs") -> Iterable[Piece]:
    """Yield the blocks of a draft to compare: the accepted ones, and all blocks that a model wrote."""
    by = runs.writer(row)
    for block in row["blocks"]:
        is_taken = block["number"] in row["taken"]
        writer, latex = by, block["latex"]
        if row["kind"] == Draft.Kind.FINDINGS:
            writer, latex = runs.writer_of(latex, by), without_quotations(latex)
        if is_taken or (writer == MODEL and row["kind"] in Draft.ASKED):
            yield Piece(
                f"{row['pk']} {writer}",
                str(row["section"]),
                latex,
                block["was"],
                partial(runs.base_of, row["pk"]),
                is_taken,
            )


class _Runs:
    """The engines of the research runs whose findings and reports were inserted, and the models that worded them."""

    def __init__(self, project: Project, rows: Sequence[Mapping[str, Any]]) -> None:
        self.project = project
        self.named = {row["pk"]: _runs_of(row) for row in rows if not row["model"]}
        wanted = {UUID(run) for runs in self.named.values() for run in runs}
        self.quotes = {str(run.pk): run.only_quotes for run in Run.objects.filter(project=project, pk__in=wanted)}
        # The roles in which a model words findings and reports
        used = Usage.objects.filter(subject__in=wanted, role__in=("synthesize", "condense", "research"))
        models = used.order_by("model").values_list("subject", "model").distinct()
        self.models = grouped((str(subject), model) for subject, model in models)

    @cached_property
    def bases(self) -> dict[UUID, str]:
        """Return the texts that drafts were based on, by draft; read in one query when first needed."""
        return dict(_proposed(self.project).values_list("pk", "base_latex"))

    def base_of(self, draft: UUID) -> str:
        """Return the text that a draft was based on."""
        return self.bases.get(draft, "")

    def writer(self, row: Mapping[str, Any]) -> str:
        """Return QUOTED when the words are known to be those of cited works, else MODEL.

        The offline engine quotes; but from a run that a model conducted it uses the model's words.
        """
        runs = self.named.get(row["pk"], [])
        if row["kind"] in Draft.ASKED:
            is_offline = not row["model"] and Draft(engine=row["engine"]).is_offline
            return QUOTED if is_offline and (not runs or self._all_quote(runs) == QUOTED) else MODEL
        return self._all_quote(runs)

    def writer_of(self, latex: str, else_: str) -> str:
        """Return the writer of a block by the runs that it names, or `else_` when it names none."""
        named = _RUN.findall(latex)
        return self._all_quote(named) if named else else_

    def _all_quote(self, runs: Sequence[str]) -> str:
        return QUOTED if runs and all(self.quotes.get(run, False) for run in runs) else MODEL

    def models_of(self, row: Mapping[str, Any]) -> list[str]:
        """Return the models that wrote a draft."""
        if row["model"]:
            return [row["model"]]
        return list(dict.fromkeys(model for run in self.named[row["pk"]] for model in self.models.get(run, [])))


def _runs_of(row: Mapping[str, Any]) -> list[str]:
    """Return the runs whose findings or report are in a draft: named in its comments, or chosen for it."""
    named = [run for block in row["blocks"] for run in _RUN.findall(block["latex"])]
    return list(dict.fromkeys([*named, *(one["run"] for one in row["findings"] if "run" in one)]))


class _Takers:
    """Who accepted each draft: as recorded, else the person who saved a version with a proposal at that moment."""

    def __init__(self, project: Project, rows: Sequence[Mapping[str, Any]]) -> None:
        self.saved: dict[Any, list[tuple[datetime, str]]] = {}
        if any(row["taken"] and row["taken_at"] is None for row in rows):  # accepted before this was recorded
            versions = SectionVersion.objects.filter(section__project=project, kind=SectionVersion.Kind.PROPOSED)
            for section, at, name, email in versions.values_list(
                "section", "saved_at", "saved_by__name", "saved_by__email"
            ):
                self.saved.setdefault(section, []).append((at, name or email or ""))

    def who(self, row: Mapping[str, Any]) -> tuple[str, bool]:
        """Return the name of a person, and whether they accepted the draft (else they only requested it)."""
        if name := row["taken_by__name"] or row["taken_by__email"]:
            return name, True
        at = _at(row)
        near = [(abs(when - at), name) for when, name in self.saved.get(row["section"], []) if abs(when - at) <= _NEAR]
        if row["taken"] and near and min(near)[1]:
            return min(near)[1], True
        return row["created_by__name"] or row["created_by__email"] or "", False


def _entry(
    row: Mapping[str, Any],
    by: Literal["model", "quoted"],
    stood: Alignment,
    runs: _Runs,
    took: _Takers,
    titles: Mapping[str, str],
) -> DraftUse | None:
    """Return the entry of a draft; None when it added no words, or was not accepted and is not in the text."""
    if not stood.words:
        return None
    is_recorded = bool(row["taken"])
    elsewhere = [Elsewhere(titles[key], number) for key, number in stood.stands.items() if key != str(row["section"])]
    who, took_it = took.who(row) if is_recorded else ("", False)
    is_report = row["kind"] == Draft.Kind.FINDINGS and not row["findings"]
    return DraftUse(
        row["pk"],
        "Report" if is_report else Draft.Kind(row["kind"]).label,
        by,
        runs.models_of(row) if by == MODEL else [],
        timezone.localtime(_at(row)),
        who,
        took_it,
        stood.words,
        sum(stood.stands.values()),
        elsewhere,
        is_recorded,
    )
