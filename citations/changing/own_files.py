"""An uploaded file that is cited: who wrote it, what it is called, and which published work it is (SPEC C2)."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from uuid import UUID

from citations.changing.editing import unattest
from citations.check.checking import start_check
from citations.check.settling import forget
from citations.formats.csl import columns_of, too_long
from citations.formats.entries import Csl, Entry
from citations.formats.names_and_dates import read_names, write_names
from citations.models import Citation, changing
from citations.pasted import identifier, what_is
from core.errors import Refused
from core.storable import check_storable
from projects.models import Project, User

LONGEST_TITLE = 2_000  # characters
LONGEST_AUTHORS = 5_000
_BETWEEN_AUTHORS = re.compile(r"[;\n]")
_YEARS = range(1000, 2200)
_VARIABLES = {"doi": "DOI", "pmid": "PMID", "pmcid": "PMCID", "isbn": "ISBN", "url": "URL"}


class Description(NamedTuple):
    """How a file is printed: "Okafor, Ngozi; World Health Organization", its title, "2024" or nothing."""

    authors: str = ""
    title: str = ""
    year: str = ""


def described(citation: Citation) -> Description:
    """How the entry of a file is printed now."""
    authors = "; ".join(write_names([name]) for name in citation.csl.get("author") or [])
    return Description(authors, citation.title, str(citation.year or ""))


def describe_file(citation: Citation, description: Description) -> Citation:
    """Print the file that `citation` stands for as `description` says; without a title its name stands for one.

    Raises Refused for an entry that is no file, words that are too long, and a year that is none.
    """
    with _changing_file(citation) as row:
        forget(row, _csl_of(row, description))
    return row


def describe_files(project: Project, descriptions: dict[UUID, Description]) -> None:
    """Describe the files of `project` with these ids as they are cited. Raises Refused as `describe_file`."""
    for row in Citation.objects.filter(project=project, status=Citation.Status.FILE, file_id__in=descriptions.keys()):
        if row.file_id is not None:
            describe_file(row, descriptions[row.file_id])


def identify_file(citation: Citation, text: str, user: User) -> Citation:
    """Say which published work the file is, by a DOI, PMID, PMCID, ISBN, arXiv id or address; it is then looked up.

    Its title counts as claimed only where a person gave one: a file's name tells nothing of the work. Raises Refused for
    an entry that is no file and a text without an identifier.
    """
    check_storable(text, "identifier")
    found = identifier(text[:1_000]) or next((one for one in what_is(text[:1_000]) if one.kind == "url"), None)
    if found is None:
        raise Refused(
            "There is no DOI, PMID, ISBN, arXiv id or address in this.", field="identifier", code="no_identifier"
        )
    with _changing_file(citation) as row:
        claim = {name: value for name, value in row.claim.items() if name != "genre"}
        if row.title == row.file_name:
            claim.pop("title", None)
        arxiv = {"URL": f"https://arxiv.org/abs/{found.value}"}
        claim |= arxiv if found.kind == "arxiv" else {_VARIABLES[found.kind]: found.value}
        forget(row, claim)
    start_check(row.project, user)
    row.refresh_from_db()
    return row


def cite_as_file(citation: Citation) -> Citation:
    """Cite the uploaded file as such again: what was looked up for it, and any attestation, is forgotten.

    Raises Refused for an entry that stands for no file, or is proven.
    """
    with changing(citation) as row:
        if not row.file_name or row.status in (Citation.Status.VERIFIED, Citation.Status.FILE):
            raise Refused(f"{row.cite_key} is no file that could be cited as such.", code="not_a_file")
        claim = row.claim
        kept: Csl = {name: claim[name] for name in ("type", "title", "author", "issued", "custom") if name in claim}
        unattest(row)
        forget(row, {"title": row.file_name, **kept})
    return row


@contextmanager
def _changing_file(citation: Citation) -> Iterator[Citation]:
    with changing(citation) as row:
        if row.status != Citation.Status.FILE:
            raise Refused(f"{row.cite_key} is not cited as a file of yours.", code="not_a_file")
        yield row


def _csl_of(row: Citation, description: Description) -> Csl:
    authors, title, year = (value.strip() for value in description)
    for name, value in zip(Description._fields, description, strict=True):
        check_storable(value, name)
    if len(title) > LONGEST_TITLE or len(authors) > LONGEST_AUTHORS:
        name, longest = ("title", LONGEST_TITLE) if len(title) > LONGEST_TITLE else ("authors", LONGEST_AUTHORS)
        raise Refused(f"This has at most {longest:,} characters.", field=name, code="too_long")
    if year and (not year.isdecimal() or len(year) != 4 or int(year) not in _YEARS):
        raise Refused("A year has four digits.", field="year", code="invalid")
    names, others = read_names(" and ".join(one for one in _BETWEEN_AUTHORS.split(authors) if one.strip()))
    kept = {name: value for name, value in row.csl.items() if name not in ("author", "title", "issued", "genre")}
    custom: dict[str, Any] = {
        name: value for name, value in (kept.pop("custom", None) or {}).items() if name != "others"
    }
    said: Csl = {
        "title": " ".join(title.split()) or row.file_name,
        "author": names,
        "issued": {"date-parts": [[int(year)]]} if year else {},
        "custom": {**custom, **({"others": True} if others else {})},
    }
    csl = {**kept, **{name: value for name, value in said.items() if value}}
    if wrong := too_long(columns_of(Entry("", "", csl))):
        raise Refused(wrong, field="title", code="too_long")
    return csl
