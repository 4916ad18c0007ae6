"""The references of a text that a model drafted: its BibTeX trailer is split off, taken in and checked (SPEC C6).

Nothing that is proven or that a person vouches for is overwritten, and a key that another work has here is no way to
pass for that work: the entry gets a key of its own, and the text is changed with it.
"""

from dataclasses import dataclass, field, replace

from citations.arriving.upsert import Upsert
from citations.check.checking import start_check
from citations.formats.bibtex import read_bibtex
from citations.formats.csl import usable_key
from citations.formats.entries import Problem, cleaned
from citations.formats.trailer import split
from core.errors import Refused
from jobs.models import Job
from latex.rename_keys import with_keys
from projects.models import Project, User

MOST = 500  # entries of a trailer
LONGEST = 2_000_000  # characters of a draft with its trailer


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
    with Project.objects.held(project.pk):
        upsert = Upsert(project)
        became = {"added": drafted.added, "updated": drafted.updated, "kept": drafted.kept}
        entries = reading.entries[:MOST]
        usable = [replace(entry, key=usable_key(entry.key)) for entry in entries]
        for entry, one in zip(entries, upsert.take(usable), strict=True):
            if one.outcome == "refused":
                drafted.problems.append(Problem(entry.line, entry.key[:200], f"{one.wrong} It was left out."))
                continue
            became[one.outcome].append(one.row.cite_key)
            if entry.key not in ("", one.row.cite_key):
                drafted.keys[entry.key] = one.row.cite_key
        upsert.write()
    drafted.latex = with_keys(latex, drafted.keys)
    drafted.job = start_check(project, user)
    return drafted
