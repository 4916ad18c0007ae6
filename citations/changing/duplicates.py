"""References that may be one work: stored while registries were down, or typed once by DOI and once by PMID (SPEC C5)."""

from collections.abc import Iterable
from typing import NamedTuple
from uuid import UUID

from citations.formats.csl import ascii_word
from citations.matching import Work, have_one_title, title_words
from citations.models import Citation
from projects.models import Project

MOST = 500  # pairs that are looked for at once
_MOST_TRIES = 20  # comparisons of one reference with others of the same title or identifier
_READ = (
    *("id", "project", "cite_key", "serial", "title", "authors", "year", "doi", "pmid", "url", "status", "tier"),
    *("source_doi", "source_pmid", "retracted", "csl", "evidence_type", "check_due_at"),
)
_S = Citation.Status
_PROOF = {_S.VERIFIED: 0, _S.ATTESTED: 1, _S.REVIEW: 2, _S.UNRESOLVED: 3, _S.NOT_FOUND: 4, _S.CONFLICT: 5, _S.FILE: 6}


class Pair(NamedTuple):
    """Two references that may be one work: `kept` is the better proven one; `evidence` says why, in sentences."""

    kept: Citation
    merged: Citation
    evidence: list[str]


def find_duplicates(project: Project) -> list[Pair]:
    """The pairs of references of `project` that may be one work, in the order of the list; one query, linear time.

    Two with different DOIs or PMIDs are never a pair, nor are two under one identifier that have different titles.
    """
    rows = Citation.objects.filter(project=project).order_by("serial", "created_at").only(*_READ)
    groups: dict[tuple[str, ...], list[Citation]] = {}
    for row in rows:
        for mark in _marks(row):
            groups.setdefault(mark, []).append(row)
    found: dict[tuple[UUID, ...], Pair] = {}
    for group in groups.values():
        for one, other in _matches(group):
            found.setdefault(tuple(sorted((one.pk, other.pk))), pair_of(one, other))
            if len(found) == MOST:
                return list(found.values())
    return list(found.values())


def _matches(group: list[Citation]) -> Iterable[tuple[Citation, Citation]]:
    """Each row of a group with the first one before it that may be the same work."""
    seen: list[Citation] = []
    for row in group:
        match = next((one for one in seen if evidence_for(one, row)), None)
        if match is not None:
            yield match, row
        elif len(seen) < _MOST_TRIES:
            seen.append(row)


def pair_of(one: Citation, other: Citation) -> Pair:
    """The two as a pair: the one with the better proof is kept, else the one that says more, else the older one."""
    kept, merged = sorted(
        (one, other), key=lambda row: (_PROOF[_S(row.status)], row.tier or "E", -len(row.csl), row.serial)
    )
    return Pair(kept, merged, evidence_for(kept, merged))


def evidence_for(one: Citation, other: Citation) -> list[str]:
    """Why two references may be one work, in sentences; nothing where they are two, or nothing says that they are one.

    An uploaded file that is cited as such is no work yet (citations/changing/own_files.py).
    """
    if _S.FILE in (one.status, other.status):
        return []
    for claimed, proven in (("doi", "source_doi"), ("pmid", "source_pmid")):
        mine, theirs = ({_folded(row, claimed), _folded(row, proven)} - {""} for row in (one, other))
        if mine and theirs and not mine & theirs:
            return []
    if one.title and other.title and not have_one_title(one.title, other.title):
        return []
    shared = set(_marks(one)) & set(_marks(other))
    return [_EVIDENCE[mark[0]].format(mark[1]) for mark in sorted(shared)]


_EVIDENCE = {
    "doi": "Both have the DOI {}.",
    "pmid": "Both have the PMID {}.",
    "title": "Title, year and first author are the same.",
}


def _marks(row: Citation) -> list[tuple[str, ...]]:
    """What tells the work of a reference: DOIs, PMIDs, and its title with year and first author."""
    marks: list[tuple[str, ...]] = []
    for name, claimed, proven in (("doi", "doi", "source_doi"), ("pmid", "pmid", "source_pmid")):
        # Of an entry in conflict the identifier is another work's.
        own = {_folded(row, proven)} | ({_folded(row, claimed)} if row.status != _S.CONFLICT else set())
        marks += [(name, value) for value in sorted(own - {""})]
    work = Work(row.cite_key, row.title, row.authors, row.year, "", "")
    if work.is_telling and row.year:
        first = ascii_word(row.authors.replace(" and ", ",").split(",")[0])
        marks.append(("title", title_words(row.title), str(row.year), first))
    return marks


def _folded(row: Citation, name: str) -> str:
    return str(getattr(row, name)).casefold()
