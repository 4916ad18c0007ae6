"""Adding references by DOI, PMID, BibTeX or pasted text, and from a text drafted by a model (SPEC C5, C6).

A work that already exists is found again, not added. New references are queued for a check; where the registries answer
within a second, the verdict is saved at once, together with the title and authors that the key is made of. A draft
never overwrites a proven or attested entry. An entry of a draft whose key belongs to another work gets a new key, and
the draft's text is changed accordingly.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from asgiref.sync import async_to_sync

from citations.formats.bibtex import MAX_ENTRY, read_bibtex, split_draft
from citations.formats.csl import read_csl, usable_key
from citations.formats.reading import Csl, Entry, Problem, Reading, clean_text
from citations.formats.ris_reader import read_ris
from citations.identity.reference import reference_from_csl
from citations.identity.verdict_types import Verdict
from citations.importing.upsert import Upsert, UpsertResult
from citations.matching import ReferenceIndex
from citations.models import Citation
from citations.pasted_text import PastedItem, doi_in, parse_pasted, pmid_in
from citations.resolution.check_job import start_check, start_free_copies
from citations.resolution.resolve import resolve
from core.errors import Refused
from jobs.models import Job
from latex.cite_edits import replace_keys
from projects.models import Project, User
from sources.http_client import Client
from sources.identifiers import clean_doi, clean_pmid

REGISTRY_TIMEOUT = 1.0  # seconds a request waits for registries; later answers are saved by the check job
MOST_LOOKUPS = 20  # entries that a request looks up
MOST = 200  # entries of one text
LONGEST = {"doi": 500, "pmid": 50, "bibtex_entry": MAX_ENTRY, "text": 500_000}  # characters (SPEC C5)
_CALLED = {"doi": "A DOI", "pmid": "A PMID", "bibtex_entry": "An entry", "text": "A pasted text"}


@dataclass(frozen=True)
class Added:
    """A reference that was added, or already existed (`existing`); `note` is a sentence for people about its key."""

    citation: Citation
    existing: bool = False
    note: str = ""


class Additions(list[Added]):
    """The references added or found, in the order of the text. `problems` are the entries that were left out."""

    def __init__(self) -> None:
        super().__init__()
        self.problems: list[Problem] = []


def add(
    project: Project,
    user: User,
    *,
    doi: str = "",
    pmid: str = "",
    bibtex_entry: str = "",
    text: str = "",
    keep_key: bool = False,
) -> Additions:
    """Add the works of exactly one of a DOI, a PMID, BibTeX, or a pasted `text` of any kind.

    With `keep_key` keys are final, so that they can be cited at once; otherwise an entry without a title gets a new key
    once its title is known, unless a text cites it. Raises Refused, with the name of the field, when nothing was added.
    """
    given = {"doi": doi, "pmid": pmid, "bibtex_entry": bibtex_entry, "text": text}
    named = [name for name, value in given.items() if value]
    if len(named) != 1:
        raise Refused(
            "Give exactly one of doi, pmid, bibtex_entry and text.",
            field=named[1] if named else "text",
            code="invalid" if named else "empty",
        )
    name = named[0]
    reading = _read(name, given[name])
    if not reading.entries:
        raise Refused(_nothing_read_message(reading, name), field=name, code="unreadable")
    if len(reading.entries) > MOST:
        raise Refused(
            f"These are {len(reading.entries):,} references. To add more than {MOST}, import a file.",
            field=name,
            code="too_many",
        )
    added = _add(project, reading.entries, keep_key=keep_key)
    added.problems = [*reading.problems, *added.problems]
    if not added:
        raise Refused(added.problems[0].message, field=name, code="too_long")
    if start_check(project, user) is None:  # a check would start this at its end
        start_free_copies(project, user)
    return added


def _read(name: str, value: str) -> Reading:
    """Return the entries of one of the fields. Raises Refused for a text that is too long or not an identifier."""
    value = clean_text(value)
    if len(value) > LONGEST[name]:
        raise Refused(f"{_CALLED[name]} can have at most {LONGEST[name]:,} characters.", field=name, code="too_long")
    if name == "bibtex_entry":
        return read_bibtex(value)
    if name != "text":
        found = (
            PastedItem("doi", clean_doi(value.strip()) or doi_in(value) or "")
            if name == "doi"
            else PastedItem("pmid", clean_pmid("".join(value.split())) or pmid_in(value) or "")
        )
        if not found.value:
            what = {"doi": "a DOI. A DOI starts with 10. and has a slash", "pmid": "a PMID, which is a number"}[name]
            raise Refused(f"“{value.strip()[:80]}” is not {what}.", field=name)
        return Reading([_entry(found)])
    pasted = parse_pasted(value)
    if len(pasted) == 1 and pasted[0].kind in ("bibtex", "ris", "csl"):
        return {"bibtex": read_bibtex, "ris": read_ris, "csl": read_csl}[pasted[0].kind](value)
    return Reading([_entry(one) for one in pasted])


def _entry(one: PastedItem) -> Entry:
    """Return an entry that claims only the pasted identifier, address or title."""
    known: dict[str, Csl] = {
        "doi": {"type": "document", "DOI": one.value},
        "pmid": {"type": "document", "PMID": one.value},
        "pmcid": {"type": "document", "PMCID": one.value},
        "arxiv": {
            "type": "article",
            "URL": f"https://arxiv.org/abs/{one.value}",
            "custom": {"bibtex": {"eprint": one.value, "archiveprefix": "arXiv"}},
        },
        "isbn": {"type": "book", "ISBN": one.value},
        "url": {"type": "webpage", "URL": one.value},
    }
    return Entry("", "", known.get(one.kind, {"type": "document", "title": one.value}), line=one.line)


def _nothing_read_message(reading: Reading, name: str) -> str:
    if reading.problems:
        return f"Line {reading.problems[0].line}: {reading.problems[0].message}"
    if name == "bibtex_entry":
        return "No BibTeX entry was found. An entry starts like @article{key,"
    return "There is nothing to add yet. Paste a DOI, a PMID, BibTeX, a web address or a title."


def _add(project: Project, entries: list[Entry], *, keep_key: bool) -> Additions:
    known = ReferenceIndex(project)
    asked = {
        str(number): entry.csl
        for number, entry in enumerate(entries)
        if _is_identified(entry.csl) and known.find(entry.csl, entry.key) is None
    }
    verdicts = _quick_verdicts(asked) if 0 < len(asked) <= MOST_LOOKUPS else {}
    with Project.objects.held(project.pk):
        upsert, added = Upsert(project, lasting=keep_key), Additions()
        usable = [replace(entry, key=usable_key(entry.key)) for entry in entries]
        taken = upsert.take(usable, {int(number): verdict for number, verdict in verdicts.items()})
        for entry, one in zip(entries, taken, strict=True):
            if one.wrong:
                added.problems.append(Problem(entry.line, entry.key[:200], f"{one.wrong} It was left out."))
            else:
                added.append(_outcome_of(upsert, entry.key, one))
        upsert.write()
        return added


def _outcome_of(upsert: Upsert, key: str, one: UpsertResult) -> Added:
    row = one.row
    upsert.add_ids_aliases(one)
    if one.outcome == "added":
        return Added(row, note=f"Added as {row.cite_key}." if key not in ("", row.cite_key) else "")
    if one.outcome == "updated":
        return Added(row, existing=True, note=f"{row.cite_key} was updated.")
    also = f" The text may cite it as {key} too." if key != row.cite_key and upsert.know_as(one) else ""
    return Added(row, existing=True, note=f"Already in your references as {row.cite_key}.{also}")


def _is_identified(csl: Csl) -> bool:
    return any(csl.get(name) for name in ("DOI", "PMID", "PMCID", "ISBN")) or bool(reference_from_csl(csl).arxiv)


def _quick_verdicts(claims: Mapping[str, Csl]) -> dict[str, Verdict]:
    """Return the verdicts that are reached within REGISTRY_TIMEOUT."""
    told: dict[str, Verdict] = {}

    async def ask() -> None:
        try:
            async with asyncio.timeout(REGISTRY_TIMEOUT), Client() as client:
                async for key, verdict in resolve(claims, client):
                    if verdict.status != "unresolved":
                        told[key] = verdict
        except TimeoutError:
            pass

    async_to_sync(ask)()
    return told


MOST_DRAFTED = 500  # entries of a trailer
LONGEST_DRAFT = 2_000_000  # characters of a draft with its trailer


@dataclass
class DraftImport:
    """The result of importing a draft. `latex` is its text without the BibTeX trailer, with the keys of this thesis.

    `keys` maps the draft's keys that were changed to the new ones. `added`, `updated` and `kept` are keys of this
    thesis; `kept` are entries that already existed. `job` checks the new entries.
    """

    latex: str
    keys: dict[str, str] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    job: Job | None = None


def import_draft(project: Project, user: User, draft: str) -> DraftImport:
    """Split a draft, import the entries of its BibTeX trailer into `project`, and start a check of the new ones.

    Existing entries stay unchanged if they are proven or attested; others are updated if they have the same key. Raises
    Refused for a draft longer than 2,000,000 characters.
    """
    if len(draft) > LONGEST_DRAFT:
        raise Refused(f"A draft can have at most {LONGEST_DRAFT:,} characters.", field="draft", code="too_long")
    latex, bibtex = split_draft(clean_text(draft))
    reading = read_bibtex(bibtex)
    drafted = DraftImport(latex, problems=reading.problems)
    if len(reading.entries) > MOST_DRAFTED:
        drafted.problems.append(
            Problem(
                reading.entries[MOST_DRAFTED].line,
                "",
                f"Only the first {MOST_DRAFTED} entries of this draft were imported.",
            )
        )
    with Project.objects.held(project.pk):
        upsert = Upsert(project)
        entries = reading.entries[:MOST_DRAFTED]
        usable = [replace(entry, key=usable_key(entry.key)) for entry in entries]
        for entry, one in zip(entries, upsert.take(usable), strict=True):
            if one.outcome == "refused":
                drafted.problems.append(Problem(entry.line, entry.key[:200], f"{one.wrong} It was left out."))
            else:
                getattr(drafted, one.outcome).append(one.row.cite_key)
                if entry.key not in ("", one.row.cite_key):
                    drafted.keys[entry.key] = one.row.cite_key
        upsert.write()
    drafted.latex = replace_keys(latex, drafted.keys)
    drafted.job = start_check(project, user)
    return drafted
