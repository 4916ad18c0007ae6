"""Finding and merging duplicate references (SPEC C5; docs/decisions/key-aliases.md). No section's text is changed."""

from collections.abc import Iterable
from typing import NamedTuple
from uuid import UUID

from django.utils import timezone

from citations.formats.csl import ascii_word, columns_of
from citations.formats.reading import Csl, Entry, custom_of
from citations.identity.reference import reference_from_csl
from citations.matching import ClaimedWork, title_words, titles_match
from citations.models import REASON_COLUMNS, Citation, OtherKey
from citations.resolution.apply_verdict import reset_claim
from citations.resolution.check_job import start_check
from core.errors import Refused
from core.grouping import grouped
from projects.models import Project, User

MAX_PAIRS = 500  # pairs returned at once
_MOST_TRIES = 20  # comparisons of one reference with others of the same title or identifier
_READ = (
    *("id", "project", "cite_key", "serial", "title", "authors", "year", "doi", "pmid", "url", "status", "tier"),
    *("source_doi", "source_pmid", "retracted", "csl", "evidence_type", "check_due_at"),
)
_S = Citation.Status
_PROOF = {_S.VERIFIED: 0, _S.ATTESTED: 1, _S.REVIEW: 2, _S.UNRESOLVED: 3, _S.NOT_FOUND: 4, _S.CONFLICT: 5, _S.FILE: 6}


class Pair(NamedTuple):
    """Two references that may be one work. `kept` is the better proven one; `evidence` are sentences that say why."""

    kept: Citation
    merged: Citation
    evidence: list[str]


def find_duplicates(project: Project) -> list[Pair]:
    """Return the pairs of references of `project` that may be one work, in list order; one query, linear time.

    References with different DOIs or PMIDs are never a pair, nor are two with one identifier but different titles.
    """
    rows = Citation.objects.filter(project=project).order_by("serial", "created_at").only(*_READ)
    groups = grouped((mark, row) for row in rows for mark in _identity_marks(row))
    found: dict[tuple[UUID, ...], Pair] = {}
    for group in groups.values():
        for one, other in _duplicates_in(group):
            found.setdefault(tuple(sorted((one.pk, other.pk))), make_pair(one, other))
            if len(found) == MAX_PAIRS:
                return list(found.values())
    return list(found.values())


def _duplicates_in(group: list[Citation]) -> Iterable[tuple[Citation, Citation]]:
    """Yield each row of a group with the first row before it that may be the same work."""
    seen: list[Citation] = []
    for row in group:
        match = next((one for one in seen if evidence_for(one, row)), None)
        if match is not None:
            yield match, row
        elif len(seen) < _MOST_TRIES:
            seen.append(row)


def make_pair(one: Citation, other: Citation) -> Pair:
    """Return two references as a pair: kept is the better proven one, else the more complete, else the older one."""
    kept, merged = sorted(
        (one, other), key=lambda row: (_PROOF[_S(row.status)], row.tier or "E", -len(row.csl), row.serial)
    )
    return Pair(kept, merged, evidence_for(kept, merged))


def evidence_for(one: Citation, other: Citation) -> list[str]:
    """Return sentences that say why two references may be one work; an empty list where nothing suggests it.

    A reference cited as an uploaded file never matches (citations/editing/edit.py).
    """
    if _S.FILE in (one.status, other.status):
        return []
    for said, proven in (("doi", "source_doi"), ("pmid", "source_pmid")):
        mine, theirs = ({_folded(row, said), _folded(row, proven)} - {""} for row in (one, other))
        if mine and theirs and not mine & theirs:
            return []
    if one.title and other.title and not titles_match(one.title, other.title):
        return []
    return [
        _EVIDENCE[mark[0]].format(mark[1]) for mark in sorted(set(_identity_marks(one)) & set(_identity_marks(other)))
    ]


_EVIDENCE = {
    "doi": "Both have the DOI {}.",
    "pmid": "Both have the PMID {}.",
    "title": "Title, year and first author are the same.",
}


def _identity_marks(row: Citation) -> list[tuple[str, ...]]:
    """Return the marks that identify the work of a reference: DOIs, PMIDs, and its title with year and first author."""
    marks: list[tuple[str, ...]] = []
    for name, said, proven in (("doi", "doi", "source_doi"), ("pmid", "pmid", "source_pmid")):
        # In a conflict the claimed identifier belongs to another work.
        own = {_folded(row, proven)} | ({_folded(row, said)} if row.status != _S.CONFLICT else set())
        marks += [(name, value) for value in sorted(own - {""})]
    if ClaimedWork(row.cite_key, row.title, row.authors, row.year, "", "").is_distinctive and row.year:
        marks.append(
            (
                "title",
                title_words(row.title),
                str(row.year),
                ascii_word(row.authors.replace(" and ", ",").split(",")[0]),
            )
        )
    return marks


def _folded(row: Citation, name: str) -> str:
    return str(getattr(row, name)).casefold()


_LONGEST_NOTE = 200_000
# The values of a merged row that are saved with its key
_SAVED_VALUES = (
    *("csl", "claimed", "status", "tier", "reason", "evidence_type", "evidence_value", "source_doi", "source_pmid"),
    *("note", "attestation", "serial"),
)


def merge(project: Project, user: User, one: UUID, other: UUID) -> Citation:
    """Merge two references of `project` that may be one work: the better proven one stays, with the keys of both.

    It takes over missing values, notices and relations of the other, whose old values are saved with its key. An
    unproven work with new values is checked. Raises Refused where nothing suggests that they are one work.
    """
    if one == other:
        raise Refused("These are the same reference. Choose two.", code="same")
    with Project.objects.held(project.pk):
        rows = list(Citation.objects.select_for_update(of=("self",)).filter(project=project, pk__in={one, other}))
        if len(rows) != 2:
            raise Refused("One of the two references was deleted.", code="gone", status=404)
        kept, merged, evidence = make_pair(*rows)
        if not evidence:
            raise Refused(
                f"{kept.cite_key} and {merged.cite_key} do not look like the same work.",
                code="not_one_work",
                status=409,
            )
        before = {
            **{name: getattr(merged, name) for name in _SAVED_VALUES},
            "attested_by": str(merged.attested_by) if merged.attested_by else "",
            "attested_at": merged.attested_at.isoformat() if merged.attested_at else "",
        }
        _fill_missing(kept, merged)
        kept.save()
        _move_all(merged, kept)
        merged.delete()
        OtherKey.objects.create(
            project=project, citation=kept, key=merged.cite_key, bibtex=merged.bibtex, merged=before
        )
    start_check(project, user)
    return kept


def _fill_missing(kept: Citation, merged: Citation) -> None:
    """Copy the values that only `merged` has into `kept`. Not saved."""
    retracted = kept.retracted or merged.retracted
    csl = _filled(kept, merged)
    if kept.is_settled or reference_from_csl(csl) == reference_from_csl(kept.claim):
        kept.csl = csl
        columns = columns_of(Entry("", "", csl))
        for name in ("title", "authors", "year", "doi", "pmid", "url"):
            setattr(kept, name, getattr(kept, name) or columns[name])
    else:
        reset_claim(kept, csl, timezone.now())
    kept.retracted = retracted
    if merged.note and merged.note not in kept.note:
        note = "\n\n".join(filter(None, [kept.note, merged.note]))
        kept.note = note if len(note) <= _LONGEST_NOTE else kept.note
    for name in ("bibtex", "published_doi", "open_access_url"):
        setattr(kept, name, getattr(kept, name) or getattr(merged, name))
    for told, names in (
        ("attested_at", ("attested_by", "attested_at", "attestation")),
        ("retraction_reason", REASON_COLUMNS),
    ):
        if getattr(merged, told) and not getattr(kept, told):
            for name in names:
                setattr(kept, name, getattr(merged, name))


def _filled(kept: Citation, merged: Citation) -> Csl:
    """Return the CSL of `kept` with the variables that only `merged` has.

    An attested entry stays as it is, and a proven work takes over no unproven identifier.
    """
    if kept.status == Citation.Status.ATTESTED:
        return dict(kept.csl)
    is_proof = merged.status == Citation.Status.VERIFIED or not kept.is_settled
    more = {
        name: value
        for name, value in merged.csl.items()
        if is_proof or name not in ("DOI", "PMID", "PMCID", "ISBN", "ISSN")
    }
    csl = {**more, **kept.csl}
    if kept.csl.get("type") in (None, "document"):
        csl["type"] = merged.csl.get("type") or "document"
    custom = {**custom_of(more), **custom_of(kept.csl)}
    if kept.csl.get("author") and not custom_of(kept.csl).get("others"):
        custom.pop("others", None)
    fields = {**custom_of(more).get("bibtex", {}), **custom_of(kept.csl).get("bibtex", {})}
    csl["custom"] = {**custom, **({"bibtex": fields} if fields else {})}
    return {name: value for name, value in csl.items() if value not in (None, "", [], {})}


def _move_all(merged: Citation, kept: Citation) -> None:
    """Point all relations of `merged` to `kept`: notices, keys, sources of runs, and those of other apps."""
    merged.taggings.filter(tag__in=kept.taggings.values("tag")).delete()  # both have these tags
    for relation in Citation._meta.related_objects:
        name = relation.field.name
        relation.related_model._base_manager.filter(**{name: merged.pk}).update(**{name: kept.pk})
    seen = set()
    for notice in kept.notices.order_by("pk"):
        told = (notice.type, notice.doi, notice.pmid, notice.source, notice.year)
        if told in seen:
            notice.delete()
        seen.add(told)
