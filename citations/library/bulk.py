"""One action on several references of a thesis: look up, tag, delete (SPEC C5, C9).

What cannot be done for one reference is reported with its key and the reason, and done for the others.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple
from uuid import UUID

from citations.audit.key_uses import uses_by_key
from citations.identity.grade import join_names
from citations.library.tags import add_tags, remove_tags
from citations.models import Citation
from citations.resolution.check_job import batched, check_again
from core.errors import Refused
from jobs.models import Job
from projects.models import Project, User

Action = Literal["check", "tag", "untag", "delete"]
MOST = 5_000  # references in one step
_SECTIONS_NAMED = 2


class NotDone(NamedTuple):
    """A reference that an action left as it was, and why. `key` is empty for one that does not exist."""

    citation: UUID
    key: str
    reason: str


@dataclass
class BulkResult:
    """The references that an action was done for, those it was not done for, and the job that looks them up."""

    done: list[UUID] = field(default_factory=list)
    not_done: list[NotDone] = field(default_factory=list)
    job: Job | None = None


class CitedReference(NamedTuple):
    """A reference that the text cites, and where, for a sentence: "“Methods” and 2 more sections"."""

    citation: Citation
    where: str


def change_several(
    project: Project,
    user: User,
    action: Action,
    ids: Iterable[UUID],
    *,
    tags: Sequence[str] = (),
    delete_cited: bool = False,
) -> BulkResult:
    """Do `action` for the references of `project` with these ids.

    References that the text cites are only deleted with `delete_cited`; the text is never changed. Raises Refused when
    no reference is given, for more than 5,000, and for invalid tags; then nothing is changed.
    """
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        raise Refused("Select at least one reference.", field="citations", code="empty")
    if len(wanted) > MOST:
        raise Refused(f"Select at most {MOST:,} references at once.", field="citations", code="too_many")
    if action in ("tag", "untag") and not tags:
        raise Refused("Write a tag.", field="tag", code="empty")
    rows = chosen_rows(project, wanted)
    here = {row.pk for row in rows}
    gone = [NotDone(pk, "", "This reference is no longer in the thesis.") for pk in wanted if pk not in here]
    result = _ACTIONS[action](project, user, rows, tags, delete_cited) if rows else BulkResult()
    result.not_done.extend(gone)
    return result


def chosen_rows(project: Project, ids: Sequence[UUID]) -> list[Citation]:
    """Return the references of `project` with these ids, with the columns that actions need."""
    everything = Citation.objects.filter(project=project).only("cite_key", "title", "status", "serial")
    return sorted(
        (row for some in batched(ids) for row in everything.filter(pk__in=some)), key=lambda row: (row.serial, row.pk)
    )


def cited_references(project: Project, rows: Iterable[Citation]) -> list[CitedReference]:
    """Return those of `rows` that the text cites."""
    used = uses_by_key(project)
    found = []
    for row in rows:
        if names := [use.name for use in used.get(row.cite_key, ())]:
            left = len(names) - _SECTIONS_NAMED
            more = [f"{left} more section{'s' if left > 1 else ''}"] if left > 0 else []
            found.append(CitedReference(row, join_names([*names[:_SECTIONS_NAMED], *more])))
    return found


def _check(project: Project, user: User, rows: list[Citation], _: Sequence[str], __: bool) -> BulkResult:
    why = {
        Citation.Status.ATTESTED: "It is attested. Withdraw the attestation to look it up.",
        Citation.Status.FILE: "It is your own file. Files are not looked up.",
    }
    not_done = [
        NotDone(row.pk, row.cite_key, reason) for row in rows if (reason := why.get(Citation.Status(row.status)))
    ]
    others = [row for row in rows if row.status not in why]
    return BulkResult([row.pk for row in others], not_done, check_again(project, others, user) if others else None)


def _tag(project: Project, _: User, rows: list[Citation], tags: Sequence[str], __: bool) -> BulkResult:
    done = [row.pk for row in rows]
    add_tags(project, done, tags)
    return BulkResult(done)


def _untag(project: Project, _: User, rows: list[Citation], tags: Sequence[str], __: bool) -> BulkResult:
    done = [row.pk for row in rows]
    remove_tags(project, done, tags)
    return BulkResult(done)


def _delete(project: Project, _: User, rows: list[Citation], __: Sequence[str], delete_cited: bool) -> BulkResult:
    with Project.objects.held(project.pk):  # no run indexes them meanwhile
        cited = [] if delete_cited else cited_references(project, rows)
        kept = {one.citation.pk for one in cited}
        done = [row.pk for row in rows if row.pk not in kept]
        for some in batched(done):
            Citation.objects.filter(project=project, pk__in=some).delete()
    return BulkResult(done, [NotDone(row.pk, row.cite_key, f"It is cited in {where}.") for row, where in cited])


_ACTIONS: dict[Action, Callable[[Project, User, list[Citation], Sequence[str], bool], BulkResult]] = {
    "check": _check,
    "tag": _tag,
    "untag": _untag,
    "delete": _delete,
}
