"""What a person does to an entry (SPEC C2, C4 to C6): its BibTeX, its key, taking the work that a check offers, vouching for it;
and to an uploaded file that is cited: who wrote it, what it is called, and which published work it is.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from citations.audit.key_uses import uses
from citations.formats.bibtex import MAX_ENTRY, MAX_IMPORTED, read_bibtex, write_bibtex
from citations.formats.csl import columns_of, too_long, usable_key
from citations.formats.names_and_dates import read_names, write_names
from citations.formats.reading import Csl, Entry, cleaned, text_in
from citations.identity.grade import listed
from citations.identity.reference import claimed
from citations.models import Citation, OtherKey, changing, checked_reason
from citations.pasted_text import identifier, what_is
from citations.resolution.apply_verdict import forget
from citations.resolution.check_job import start_check
from core.errors import Refused
from core.storable_text import check_storable
from projects.models import Project, User
from sources.field_values import clean_isbn

_SECTIONS_TOLD = 3


def editable(citation: Citation) -> str:
    """Return the BibTeX of an entry to edit: as it was brought in, unless what it claims was changed since."""
    entry = _only_entry(citation.bibtex)
    if entry and claimed(entry.csl) == claimed(citation.claim):
        return citation.bibtex
    return write_bibtex({**citation.csl, "note": citation.note}, citation.cite_key, reference_manager=True)


def edit(citation: Citation, bibtex: str, user: User) -> Citation:
    """Replace the entry by the one that `bibtex` holds, at most 10,000 characters, or as long as imported ones may be
    where it is longer already.

    Whatever tells which work is meant sends it back to be checked, and an attestation of the old words ends; anything
    else leaves its proof alone. Another key in the BibTeX renames it. Raises Refused with what is wrong in which line.
    """
    entry = _read(cleaned(bibtex), longest_of(citation))
    columns = columns_of(entry)
    if wrong := too_long(columns):
        raise Refused(wrong, field="bibtex_entry", code="too_long")
    with changing(citation) as row:
        before = _only_entry(row.bibtex)
        if entry.key and entry.key not in {row.cite_key, before.key if before else ""}:
            _rename(row, entry.key)
        is_same = claimed(entry.csl) in [claimed(one) for one in (row.claim, row.csl)]
        row.bibtex, row.note = bibtex, entry.note or row.note
        if not is_same:
            unattest(row)
            forget(row, entry.csl)
        elif not row.claimed:
            row.csl = entry.csl
            for name in ("title", "authors", "year", "url"):
                setattr(row, name, columns[name])
    start_check(row.project, user)
    return row


def rename(citation: Citation, key: str) -> Citation:
    """Give the entry another key. Raises Refused for one that is taken, cannot be cited, or while the old one is cited."""
    with changing(citation) as row:
        if key != row.cite_key:
            _rename(row, key)
    return row


def take_repair(citation: Citation, user: User) -> Citation:
    """Cite the work that the last check offers instead, or a preprint's published version, and have it checked.

    The BibTeX that was brought in is kept. Raises Refused when nothing is offered.
    """
    with changing(citation) as row:
        if row.status == Citation.Status.ATTESTED:
            raise Refused("A person vouches for this reference. Withdraw the attestation first.", code="attested")
        claim = _offered(row)
        if not claim:
            raise Refused(f"There is no other work on offer for {row.cite_key}.", code="nothing_offered")
        forget(row, claim)
    start_check(row.project, user)
    return row


def _offered(row: Citation) -> Csl:
    """Return what a person claims who takes the offer: that very work, with its words until the registry's come again."""
    if row.repair:
        return dict(row.repair.get("csl") or {})
    if not row.published_doi:
        return {}
    # Its words are not known yet; year and place are those of the preprint.
    kept = {name: row.csl[name] for name in ("title", "author", "custom") if name in row.csl}
    kept.get("custom", {}).pop("bibtex", None)
    return {**kept, "type": "document", "DOI": row.published_doi}


def _rename(row: Citation, key: str) -> None:
    if key != usable_key(key) or len(key) > 200:
        raise Refused(
            "A key has at most 200 letters, digits and marks such as - . : and no spaces, commas or braces.",
            field="cite_key",
            code="unusable",
        )
    others = Citation.objects.filter(project=row.project_id).exclude(pk=row.pk)
    other_keys = OtherKey.objects.filter(project=row.project_id, key__iexact=key)
    if others.filter(cite_key__iexact=key).exists() or other_keys.exclude(citation=row).exists():
        raise Refused(f"Another reference has the key {key}.", field="cite_key", code="taken")
    if own := other_keys.filter(key=key).first():  # the two change places, and the text may go on citing either
        OtherKey.objects.filter(pk=own.pk).update(key=row.cite_key)
    elif where := cited_in(row):
        raise Refused(
            f"{row.cite_key} is cited in {where}. Change the key there first.", field="cite_key", code="in_use"
        )
    row.cite_key = key


def cited_in(row: Citation) -> str:
    """Return the sections that cite an entry, for a sentence; empty when none does."""
    where = [f"“{use.title}”" for use in uses(row.project).get(row.cite_key, ())]
    more = [f"{len(where) - _SECTIONS_TOLD} more sections"] if len(where) > _SECTIONS_TOLD else []
    return listed([*where[:_SECTIONS_TOLD], *more]) if where else ""


def longest_of(citation: Citation) -> int:
    """Return how many characters the BibTeX of an entry may have: an imported one that is long may stay so (SPEC C5)."""
    return MAX_IMPORTED if len(citation.bibtex) > MAX_ENTRY or len(editable(citation)) > MAX_ENTRY else MAX_ENTRY


def _read(bibtex: str, longest: int) -> Entry:
    if len(bibtex) > longest:
        raise Refused(f"An entry has at most {longest:,} characters.", field="bibtex_entry", code="too_long")
    reading = read_bibtex(bibtex)
    if len(reading.entries) == 1 and not reading.unreadable:
        return reading.entries[0]
    if len(reading.entries) > 1:
        said = "This holds more than one entry. Leave the one that is meant."
    elif reading.problems:
        said = f"Line {reading.problems[0].line}: {reading.problems[0].message}"
    else:
        said = "There is no BibTeX entry in this. One starts with @article{key, or the like."
    raise Refused(said, field="bibtex_entry", code="unreadable")


def _only_entry(bibtex: str) -> Entry | None:
    entries = read_bibtex(bibtex).entries if bibtex else []
    return entries[0] if len(entries) == 1 else None


def take_record(citation: Citation, user: User) -> Citation:
    """Cite the very work that the registry's record tells of, and have it checked; the BibTeX that came in is kept.

    Raises Refused where no record was found, and as `take_repair`.
    """
    with transaction.atomic():
        row: Citation = Citation.objects.select_for_update().get(pk=citation.pk)
        if not row.record:
            raise Refused(f"No record was found for {row.cite_key}.", code="nothing_offered")
        if row.status in (Citation.Status.CONFLICT, Citation.Status.REVIEW):
            row.repair = {
                "doi": text_in(row.record, "DOI"),
                "title": text_in(row.record, "title"),
                "csl": row.record,
            }
            row.save(update_fields=["repair"])
        return take_repair(row, user)


LONGEST_EVIDENCE = 1_000  # characters
_ADDRESS = re.compile(r"https?://[^\s/?#]+\.[^\s]+", re.IGNORECASE)
_GIVEN = {Citation.Evidence.MANUAL: "C", Citation.Evidence.ISBN: "B", Citation.Evidence.URL: "B"}


def attest(
    citation: Citation, user: User, reason: str, evidence_type: str = "manual", evidence_value: str = ""
) -> Citation:
    """Vouch for `citation`: tier C, or B where an ISBN or an address is the evidence. Lifts whatever verdict it had.

    `reason` has at most 2,000 characters and is kept with who and when. Raises Refused without one, for evidence that
    is no ISBN or address, and for an entry that is proven already. Whether `user` may is the caller's to ask.
    """
    value = _checked(evidence_type, evidence_value)
    reason = checked_reason(reason, "Say why this reference is right, for whoever reads it later.")
    with changing(citation) as row:
        if row.status == Citation.Status.VERIFIED:
            raise Refused(f"{row.cite_key} is proven already. There is nothing to vouch for.", code="verified")
        row.status, row.tier = Citation.Status.ATTESTED, _GIVEN[Citation.Evidence(evidence_type)]
        row.evidence_type, row.evidence_value = evidence_type, value
        row.attested_by, row.attested_at, row.attestation = user, timezone.now(), reason
        row.check_due_at, row.failures = None, 0
    return row


def withdraw_attestation(citation: Citation, user: User) -> Citation:
    """Take an attestation back and have the entry checked. Raises Refused where nobody vouches for it."""
    with changing(citation) as row:
        if row.status != Citation.Status.ATTESTED:
            raise Refused(f"Nobody vouches for {row.cite_key}.", code="not_attested")
        unattest(row)
        forget(row, row.claim)
    start_check(row.project, user)
    return row


def unattest(citation: Citation) -> None:
    """Forget who vouched for the entry and why. Not saved."""
    citation.attested_by, citation.attested_at, citation.attestation = None, None, ""


def _checked(kind: str, value: str) -> str:
    """Return the evidence in its one spelling. Raises Refused."""
    value = value.strip()
    check_storable(value, "evidence_value")
    if len(value) > LONGEST_EVIDENCE:
        raise Refused(
            f"Evidence has at most {LONGEST_EVIDENCE:,} characters. Write the rest into the reason.",
            field="evidence_value",
            code="too_long",
        )
    known = clean_isbn(value) if kind == Citation.Evidence.ISBN else value
    if known is None:
        raise Refused("This is not an ISBN: its last digit does not fit the others.", field="evidence_value")
    if kind == Citation.Evidence.URL and not _ADDRESS.fullmatch(value):
        raise Refused("An address starts with https:// or http:// and has no spaces.", field="evidence_value")
    if kind not in _GIVEN:
        raise Refused(
            "The evidence is an ISBN, an address, or your word. A DOI or PMID is proven by checking it.",
            field="evidence_type",
        )
    return known


LONGEST_TITLE = 2_000  # characters
LONGEST_AUTHORS = 5_000
_BETWEEN_AUTHORS = re.compile(r"[;\n]")
_VARIABLES = {"doi": "DOI", "pmid": "PMID", "pmcid": "PMCID", "isbn": "ISBN", "url": "URL"}


class Description(NamedTuple):
    """How a file is printed: "Okafor, Ngozi; World Health Organization", its title, "2024" or nothing."""

    authors: str = ""
    title: str = ""
    year: str = ""


def described(citation: Citation) -> Description:
    """Return how the entry of a file is printed now."""
    return Description(
        "; ".join(write_names([name]) for name in citation.csl.get("author") or []),
        citation.title,
        str(citation.year or ""),
    )


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
        claim |= (
            {"URL": f"https://arxiv.org/abs/{found.value}"}
            if found.kind == "arxiv"
            else {_VARIABLES[found.kind]: found.value}
        )
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
    if year and (not year.isdecimal() or len(year) != 4 or int(year) not in range(1000, 2200)):
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
