"""The references of a text that a model drafted: its BibTeX trailer is split off, taken in and checked (SPEC C6).

Nothing that is proven or that a person vouches for is overwritten, and a key that another work has here is no way to
pass for that work: the entry gets a key of its own, and the text is changed with it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from citations.arriving.columns import columns_of, too_long
from citations.arriving.importing import cleaned
from citations.arriving.shelf import Shelf
from citations.check.checking import start_check
from citations.check.settling import claim_of, forget
from citations.formats.bibtex import read_bibtex
from citations.formats.entries import Entry, Problem
from citations.models import Citation
from citations.proof.reference import claimed
from core.errors import Refused
from jobs.models import Job
from latex.cite_edits import Change, all_macros, changed, is_own, key_groups, spelt_out
from latex.cite_macros import NONE, Macros
from latex.keys import CiteCommand, cite_commands
from projects.models import Project, User

MOST = 500  # entries of a trailer
LONGEST = 2_000_000  # characters of a draft with its trailer

_TAGGED = re.compile(r"<bibtex>(.*?)(?:</bibtex>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(
    r"^[ \t]*```[ \t]*(?:bibtex|bib)[ \t]*$(.*?)(?:^[ \t]*```[ \t]*$|\Z)", re.DOTALL | re.MULTILINE | re.I
)
_MARKED = re.compile(
    r"^[ \t]*%%%[ \t]*BIBTEX[ \t]*%%%[ \t]*$(.*?)(?:^[ \t]*%%%[ \t]*(?:END|/)[^\n]*$|\Z)",
    re.DOTALL | re.MULTILINE | re.I,
)
_BARE = re.compile(r"^@[a-z]{3,20}[ \t]*\{[ \t]*[^\s,{}]{1,200},", re.MULTILINE | re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*```[^\n]*$", re.MULTILINE)
_LINE = re.compile(r"[\r\n%]")
_GROUP = re.compile(r"\[[^\[\]]*\]|\{([^{}]*)\}")


@dataclass
class Drafted:
    """What became of a draft. `latex` is its text without the trailer, citing by the keys that its entries have here.

    `keys` maps those of the draft's keys that are others here. `added`, `updated` and `kept` are keys here; `kept` was
    here already. `job` checks what is new.
    """

    latex: str
    keys: dict[str, str] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    job: Job | None = None


class Trailer(NamedTuple):
    """BibTeX in a draft, which takes its characters `start` to `end` with the marks around it."""

    start: int
    end: int
    bibtex: str


def split(draft: str) -> tuple[str, str]:
    """The LaTeX of a draft and its BibTeX, which is empty where there is none.

    The trailer stands in `<bibtex>` tags, behind a line `%%% BIBTEX %%%`, in a ```bibtex fence, or bare at the end.
    """
    found = trailers_in(draft)
    if not found:
        return draft, ""
    bibtex = "\n".join(_FENCE.sub("", one.bibtex).strip() for one in found)
    return _without(draft, [(one.start, one.end) for one in found]), bibtex


def trailers_in(draft: str) -> list[Trailer]:
    """The BibTeX trailers of a draft in their order; a bare one goes to its end."""
    for pattern in (_TAGGED, _MARKED, _FENCED):
        if found := list(pattern.finditer(draft)):
            return [Trailer(*one.span(), one[1]) for one in found]
    bare = _BARE.search(draft)
    return [Trailer(bare.start(), len(draft), draft[bare.start() :])] if bare else []


def take_in(project: Project, user: User, draft: str) -> Drafted:
    """Split a draft, take the entries of its trailer into `project` and have the new ones checked by a job.

    Entries that are here stay as they are if they are proven or attested; others take the draft's words if they have
    its key. Raises Refused for a draft longer than 2,000,000 characters.
    """
    if len(draft) > LONGEST:
        raise Refused(f"A draft has at most {LONGEST:,} characters.", field="draft", code="too_long")
    latex, bibtex = split(cleaned(draft))
    reading = read_bibtex(bibtex)
    drafted = Drafted(latex, problems=reading.problems)
    if len(reading.entries) > MOST:
        said = f"Only the first {MOST} entries of this draft were taken in."
        drafted.problems.append(Problem(reading.entries[MOST].line, "", said))
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        desk = _Desk(project, drafted)
        for entry in reading.entries[:MOST]:
            desk.take(entry)
    drafted.latex = with_keys(latex, drafted.keys)
    drafted.job = start_check(project, user)
    return drafted


def with_keys(latex: str, keys: Mapping[str, str], macros: Macros = NONE) -> str:
    """`latex` with other keys in its cite commands; all else, comments and verbatim too, stays byte for byte.

    Where a command that the thesis defines makes its keys, what it stands for takes its place.
    """
    if not keys:
        return latex
    latex = _with_own_keys(latex, keys, macros)
    every = all_macros(latex, macros)
    parts: list[str] = []
    done = 0
    for command in cite_commands(latex):
        if keys.keys() & set(command.keys) and not is_own(latex, command, every):
            cited = latex[command.start : command.end]
            parts += [latex[done : command.start], _GROUP.sub(lambda group: _renamed(group, keys), cited)]
            done = command.end
    return "".join([*parts, latex[done:]])


def _with_own_keys(latex: str, keys: Mapping[str, str], macros: Macros) -> str:
    """Other keys in the braces of the commands that the thesis defines, and the words of those that make their keys."""

    def makes_keys(command: CiteCommand) -> bool:
        return not keys.keys().isdisjoint(command.keys) and not key_groups(latex, command, macros)

    latex = spelt_out(latex, macros, makes_keys)
    every = all_macros(latex, macros)
    changes = []
    for command in cite_commands(latex, macros):
        if keys.keys().isdisjoint(command.keys) or not is_own(latex, command, every):
            continue
        for start, end in key_groups(latex, command, macros):
            changes.append(Change(start, end, _in_braces(latex[start:end], keys)))
    return changed(latex, changes)


def _renamed(group: "re.Match[str]", keys: Mapping[str, str]) -> str:
    if group[1] is None:  # a note, as in \\citep[p.~3]{...}
        return group[0]
    return f"{{{_in_braces(group[1], keys)}}}"


def _in_braces(inner: str, keys: Mapping[str, str]) -> str:
    """The keys between two braces by their other names; one that two of them have now stands there once."""
    parts: list[str] = []
    seen: dict[str, bool] = {}  # whether it has another name
    for part in inner.split(","):
        key = " ".join(part.split())
        name = keys.get(key, key)
        is_double = name in seen and (seen[name] or name != key) and not _LINE.search(part)
        seen[name] = seen.get(name, False) or name != key
        if not is_double:
            parts.append(part.replace(part.strip(), name) if name != key else part)
    return ",".join(parts)


def _without(draft: str, spans: list[tuple[int, int]]) -> str:
    parts, done = [], 0
    for start, end in spans:
        parts.append(draft[done:start])
        done = end
    parts.append(draft[done:])
    kept = [part.rstrip() if number < len(parts) - 1 else part.strip() for number, part in enumerate(parts)]
    text = "\n".join(part for part in kept if part.strip())
    return f"{text}\n" if text else ""


class _Desk:
    """Takes entries in, one after the other, while the thesis's row is locked."""

    def __init__(self, project: Project, drafted: Drafted) -> None:
        self.project, self.drafted = project, drafted
        self.shelf = Shelf(project)
        self.serial = Citation.objects.next_serial(project)
        self.now = timezone.now()

    def take(self, entry: Entry) -> None:
        if wrong := too_long(columns_of(entry)):
            self.drafted.problems.append(Problem(entry.line, entry.key[:200], f"{wrong} It was left out."))
            return
        here = self.shelf.find(entry.csl, entry.key)
        row = Citation.objects.get(pk=here) if here else self._added(entry)
        if here:
            self._found(row, entry)
        if entry.key and entry.key != row.cite_key:
            self.drafted.keys[entry.key] = row.cite_key

    def _added(self, entry: Entry) -> Citation:
        row = Citation(project=self.project, bibtex=entry.bibtex, note=entry.note, serial=self.serial)
        forget(row, entry.csl, self.now)
        row.cite_key = self.shelf.key_for(entry.csl, entry.key, serial=self.serial, lasting=True)
        row.save()
        self.serial += 1
        self.shelf.add(row)
        self.drafted.added.append(row.cite_key)
        return row

    def _found(self, row: Citation, entry: Entry) -> None:
        """A draft's words count where the entry has its key and nobody has proven it or vouched for it."""
        is_free = row.cite_key == entry.key and not row.is_settled and row.cite_key not in self.drafted.added
        if not is_free or claimed(entry.csl) == claimed(claim_of(row)):
            self.drafted.kept.append(row.cite_key)
            return
        row.bibtex, row.note = entry.bibtex, entry.note or row.note
        forget(row, entry.csl, self.now)
        row.save()
        self.drafted.updated.append(row.cite_key)
