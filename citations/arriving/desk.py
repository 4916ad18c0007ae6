"""Where entries that are brought in meet the references that are there: new, changed or known (SPEC C3, C6, C10)."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from django.utils import timezone

from citations.check.settling import WRITTEN, forget
from citations.columns import columns_of, too_long
from citations.formats.csl import make_key, unused
from citations.formats.entries import Entry, Outcome, Problem, said_of, under_all_keys
from citations.matching import Work, have_one_title
from citations.models import Citation, OtherKey, RetractionNotice
from core.fast_sql import insert
from projects.models import Project

UNCITABLE = re.compile(r"[\s,{}()\\%#~\"=]+")  # what ends or breaks a \cite in LaTeX
_CONTENT = ("bibtex", "csl", "title", "authors", "year", "doi", "pmid", "url", "note", "retracted")
_NOTED = ("note", "retracted")  # what an entry says besides its CSL, from which its other columns follow
_COLUMNS = [str(field.column) for field in Citation._meta.concrete_fields]
MOST_TOLD = 5_000  # problems that are kept of one import
_SHOWN_KEY = 200  # characters of a key in a report


@dataclass
class Imported:
    """Cite keys by what became of them, in the order of the file, and what a person should look at.

    `counted` says what the `line` of a problem counts: lines of a file, or works of a JSON list.
    """

    added: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    counted: Literal["line", "work"] = "line"

    def add(self, part: "Imported") -> None:
        """Put what became of further entries to it; problems stay in the order of the file, and are not endless."""
        self.added += part.added
        self.updated += part.updated
        self.unchanged += part.unchanged
        self.problems = sorted([*self.problems, *part.problems], key=lambda problem: problem.line)[:MOST_TOLD]

    def those(self, outcome: Outcome) -> list[Problem]:
        """The problems of what was refused, repaired or kept as it was."""
        return [problem for problem in self.problems if problem.outcome == outcome]

    @property
    def refused(self) -> list[Problem]:
        return self.those("refused")

    @property
    def repaired(self) -> list[Problem]:
        return self.those("repaired")

    @property
    def kept(self) -> list[Problem]:
        return self.those("kept")


class Desk:
    """Sorts entries into new, changed and known against one look at the project's rows; writes in bulk.

    To be used inside a transaction. What becomes of the entries is written down in `result`. `reserved` are keys of
    entries that are still to come, `check` has all that is new or changed looked up (SPEC C2).
    """

    def __init__(
        self, project: Project, result: Imported, *, check: bool = False, reserved: Collection[str] = ()
    ) -> None:
        # Two imports at once: one after the other.
        Project.objects.select_for_update(no_key=True).filter(pk=project.pk).first()
        self.project, self.result = project, result
        self.now = timezone.now()
        self.due = self.now if check else None
        self.serial = Citation.objects.next_serial(project)
        columns = ("cite_key", "title", "authors", "year", "doi", "pmid")
        works = Citation.objects.filter(project=project).order_by("serial", "created_at").values_list(*columns)
        self.known: dict[str, Work] = {}
        self.by_id: dict[str, str] = {}  # by DOI in small letters, and by PMID
        for work in works:
            self._index(Work(*work))
        self.other_keys: dict[str, str] = OtherKey.objects.by_key(project)
        self.taken = {key.casefold() for key in (*self.known, *self.other_keys, *reserved)}
        self.rows: dict[str, Citation] = {}
        self.new: list[Citation] = []
        self.changed: list[Citation] = []
        self.also: dict[str, tuple[str, str]] = {}  # further keys: the key of the work that is here, and the BibTeX

    def take(self, entries: Iterable[Entry]) -> None:
        """Keys that entries bring are theirs; only then are keys made for entries without one."""
        entries = list(entries)
        self.taken |= {entry.key.casefold() for entry in entries}
        made = [(entry, Citation(project=self.project, **columns_of(entry))) for entry in entries]
        keys = {entry.key if _is_citable(entry.key) else self.by_content.get(_content_of(row)) for entry, row in made}
        rows = Citation.objects.filter(project=self.project, cite_key__in=keys & self.known.keys())
        for old in rows:
            old.project = self.project
            self.rows[old.cite_key] = old
        for entry, row in made:
            self._take(entry, row)
            for other in under_all_keys(entry)[1:]:
                if row.cite_key in self.known and other.key.casefold() not in self.taken:
                    self.know_as(other, row.cite_key)
        for row in self.new:
            row.created_at = row.updated_at = self.now
        insert(Citation, _COLUMNS, ([getattr(row, name) for name in _COLUMNS] for row in self.new))
        if self.changed:
            Citation.objects.bulk_update(self.changed, [*WRITTEN, "bibtex", "note"], batch_size=200)
            RetractionNotice.objects.filter(citation__in=[row.pk for row in self.changed]).delete()
        self._keep_other_keys()
        self.new, self.changed = [], []

    def _keep_other_keys(self) -> None:
        """The keys of entries whose work is here under another, so that a text may cite it by either."""
        ids = dict(Citation.objects.filter(project=self.project).values_list("cite_key", "pk")) if self.also else {}
        OtherKey.objects.bulk_create(
            OtherKey(project=self.project, citation_id=ids[here], key=key, bibtex=bibtex)
            for key, (here, bibtex) in self.also.items()
            if here in ids and key not in ids
        )
        self.other_keys |= {key: here for key, (here, _) in self.also.items()}
        self.also = {}

    def know_as(self, entry: Entry, here: str) -> bool:
        """Make the key of `entry` a further one of the work under `here`; False for one that is gone or cannot be cited."""
        key = entry.key
        if not _is_citable(key) or len(key) > _SHOWN_KEY or key in self.known or key in self.also:
            return False
        if key in self.other_keys:
            return self.other_keys[key] == here
        self.also[key] = here, entry.bibtex
        self.taken.add(key.casefold())
        return True

    def _take(self, entry: Entry, row: Citation) -> None:
        row.cite_key = self._key_for(entry, row)
        long = too_long({name: getattr(row, name) for name in (*_CONTENT, "cite_key")})
        if long:
            return self._tell(entry, row, "refused", f"{long} It was left out.")
        if here := self._same_work(entry, row):
            also = " The text may cite it by this key too." if self.know_as(entry, here) else ""
            return self._tell(
                entry, row, "kept", f"The same work is already here as {here}. It was left out.{also}", entry.key
            )
        if entry.key in self.other_keys:
            other, row.cite_key = row.cite_key, unused(entry.key[:190], _Folded(self.taken))
            said = f"This key is one of {self.other_keys[other]}, which is another work. It came in as {row.cite_key}."
            self._tell(entry, row, "repaired", said, entry.key)
            return self._add(row)
        old = self.rows.get(row.cite_key)
        if old is None:
            if entry.key and entry.key != row.cite_key:
                said = f"A text cannot cite this key. It came in as {row.cite_key}."
                self._tell(entry, row, "repaired", said, entry.key)
            return self._add(row)
        _keep_what_is_missing(row, old)
        if said_of(row.csl) in (said_of(old.csl), said_of(old.claimed)) and all(
            getattr(old, name) == getattr(row, name) for name in _NOTED
        ):
            self.result.unchanged.append(row.cite_key)
        elif old.is_settled:
            self.result.unchanged.append(row.cite_key)
            held = "your own file" if old.status == Citation.Status.FILE else "already proven"
            self._tell(entry, row, "kept", f"This entry is {held} here. It was kept as it is.")
        else:
            self._change(old, row)
        return None

    def _same_work(self, entry: Entry, row: Citation) -> str:
        """The key under which the work of an entry is here already, if it is another than its own."""
        if (known := self.other_keys.get(entry.key)) and have_one_title(self.known[known].title, row.title):
            return known
        for name, value in (("DOI", row.doi.casefold()), ("PMID", row.pmid)):
            key = self.by_id.get(value, row.cite_key)
            if key == row.cite_key:
                continue
            if have_one_title(self.known[key].title, row.title):
                return key
            said = f"Its {name} is that of {key}, a work with another title. One of the two is wrong."
            self._tell(entry, row, "repaired", said)
        return ""

    def _tell(self, entry: Entry, row: Citation, outcome: Outcome, message: str, key: str = "") -> None:
        self.result.problems.append(Problem(entry.line, (key or row.cite_key)[:_SHOWN_KEY], message, outcome=outcome))

    def _key_for(self, entry: Entry, row: Citation) -> str:
        """Its own key. Without one that a text can cite: that of the same work here already, so that a second import
        of a file adds nothing; else a new one.
        """
        if _is_citable(entry.key):
            return entry.key
        citable = UNCITABLE.sub("", entry.key)
        here = self.by_content.get(_content_of(row))
        return here or (unused(citable, _Folded(self.taken)) if citable else make_key(row.csl, self.taken))

    @cached_property
    def by_content(self) -> dict[tuple[object, ...], str]:
        """Keys by what the works say. Only entries without a key ask for it, which most files have none of."""
        return {_content_of(work): work.key for work in reversed(self.known.values())}

    def _index(self, work: Work) -> None:
        self.known[work.key] = work
        if "by_content" in self.__dict__:
            self.by_content.setdefault(_content_of(work), work.key)
        for value in filter(None, (work.doi.casefold(), work.pmid)):
            self.by_id.setdefault(value, work.key)

    def _add(self, row: Citation) -> None:
        row.serial, row.check_due_at = self.serial, self.due
        self.serial += 1
        self.rows[row.cite_key] = row
        self.taken.add(row.cite_key.casefold())
        self._index(Work(row.cite_key, row.title, row.authors, row.year, row.doi, row.pmid))
        self.new.append(row)
        self.result.added.append(row.cite_key)

    def _change(self, old: Citation, row: Citation) -> None:
        """New words make an old verdict worthless."""
        forget(old, row.csl, self.now)
        old.retracted, old.note, old.bibtex, old.check_due_at = row.retracted, row.note, row.bibtex, self.due
        self._index(Work(old.cite_key, old.title, old.authors, old.year, old.doi, old.pmid))
        if not old._state.adding:
            self.changed.append(old)
        self.result.updated.append(old.cite_key)


class _Folded:
    """Keys in small letters, asked in any."""

    def __init__(self, keys: Collection[str]) -> None:
        self.keys = keys

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key.casefold() in self.keys


def _is_citable(key: str) -> bool:
    return bool(key) and not UNCITABLE.search(key)


def _keep_what_is_missing(row: Citation, old: Citation) -> None:
    """An import adds to an entry: the note and the BibTeX that came earlier are lost only to newer ones (SPEC C3)."""
    row.note, row.bibtex = row.note or old.note, row.bibtex or old.bibtex
    row.retracted = row.retracted or old.retracted


def _content_of(row: Citation | Work) -> tuple[object, ...]:
    return " ".join(row.title.casefold().split()), row.authors, row.year, row.doi.casefold()
