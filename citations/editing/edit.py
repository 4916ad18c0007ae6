"""Changes that a person makes to an entry (SPEC C2, C4 to C6).

Editing its BibTeX or key, accepting the work that a check suggests, attesting; for a cited file: its authors, title and
year, and the published work that it is.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from citations.audit.key_uses import uses_by_key
from citations.formats.bibtex import MAX_ENTRY, MAX_IMPORTED, read_bibtex, write_bibtex
from citations.formats.csl import columns_of, length_error, usable_key
from citations.formats.names_and_dates import read_names, write_names
from citations.formats.reading import Csl, Entry, clean_text, text_in
from citations.identity.grade import join_names
from citations.identity.reference import reference_from_csl
from citations.models import Citation, OtherKey, clean_reason, locked_citation
from citations.pasted_text import find_identifier, parse_pasted
from citations.resolution.apply_verdict import reset_claim
from citations.resolution.check_job import start_check
from core.errors import Refused
from core.storable_text import check_storable
from projects.models import Project, User
from sources.identifiers import clean_isbn

_SECTIONS_LISTED = 3
_NO_KEY = re.compile(r"(@\w+\s*[{(]\s*),")


def bibtex_for_editing(citation: Citation) -> str:
    """Return the BibTeX of an entry for editing: as imported, with its key, unless the claim has changed since."""
    entry = _only_entry(citation.bibtex)
    if entry and reference_from_csl(entry.csl) == reference_from_csl(citation.claim):
        return citation.bibtex if entry.key else _NO_KEY.sub(rf"\g<1>{citation.cite_key},", citation.bibtex, count=1)
    return write_bibtex({**citation.csl, "note": citation.note}, citation.cite_key, reference_manager=True)


def edit(citation: Citation, bibtex: str, user: User) -> Citation:
    """Replace the entry by the one in `bibtex`: at most 10,000 characters, or more where it was imported longer.

    A change to identifying fields queues a new check and ends an attestation; other changes keep the proof. Another key
    in the BibTeX renames the entry. Raises Refused with the line and the error.
    """
    entry = _parse_entry(clean_text(bibtex), max_bibtex_length(citation))
    columns = columns_of(entry)
    if wrong := length_error(columns):
        raise Refused(wrong, field="bibtex_entry", code="too_long")
    with locked_citation(citation) as row:
        before = _only_entry(row.bibtex)
        if entry.key and entry.key not in {row.cite_key, before.key if before else ""}:
            _rename(row, entry.key)
        is_same = reference_from_csl(entry.csl) in [reference_from_csl(one) for one in (row.claim, row.csl)]
        row.bibtex, row.note = bibtex, entry.note or row.note
        if not is_same:
            clear_attestation(row)
            reset_claim(row, entry.csl)
        elif not row.claimed:
            row.csl = entry.csl
            for name in ("title", "authors", "year", "url"):
                setattr(row, name, columns[name])
    start_check(row.project, user)
    return row


def rename(citation: Citation, key: str) -> Citation:
    """Change the key of an entry. Raises Refused for a key that is taken or unusable, or while the old one is cited."""
    with locked_citation(citation) as row:
        if key != row.cite_key:
            _rename(row, key)
    return row


def apply_repair(citation: Citation, user: User) -> Citation:
    """Replace the entry by the work that the last check suggests, or a preprint's published version, and check it.

    The imported BibTeX stays. Raises Refused when there is no suggestion.
    """
    with locked_citation(citation) as row:
        if row.status == Citation.Status.ATTESTED:
            raise Refused("This reference is attested. Withdraw the attestation first.", code="attested")
        claim = _suggested_csl(row)
        if not claim:
            raise Refused(f"There is no suggested work for {row.cite_key}.", code="nothing_offered")
        reset_claim(row, claim)
    start_check(row.project, user)
    return row


def _suggested_csl(row: Citation) -> Csl:
    """Return the CSL of the suggested work; empty for none."""
    if row.repair:
        return dict(row.repair.get("csl") or {})
    if not row.published_doi:
        return {}
    # The published version's fields are not known yet; year and venue are those of the preprint.
    kept = {name: row.csl[name] for name in ("title", "author", "custom") if name in row.csl}
    kept.get("custom", {}).pop("bibtex", None)
    return {**kept, "type": "document", "DOI": row.published_doi}


def _rename(row: Citation, key: str) -> None:
    if key != usable_key(key) or len(key) > 200:
        raise Refused(
            "A key can have at most 200 letters, digits and signs such as - . : but no spaces, commas or braces.",
            field="cite_key",
            code="unusable",
        )
    others = Citation.objects.filter(project=row.project_id).exclude(pk=row.pk)
    other_keys = OtherKey.objects.filter(project=row.project_id, key__iexact=key)
    if others.filter(cite_key__iexact=key).exists() or other_keys.exclude(citation=row).exists():
        raise Refused(f"Another reference already has the key {key}.", field="cite_key", code="taken")
    if own := other_keys.filter(key=key).first():  # swap key and alias; the text may go on citing either
        OtherKey.objects.filter(pk=own.pk).update(key=row.cite_key)
    elif where := citing_sections(row):
        raise Refused(
            f"{row.cite_key} is cited in {where}. Change the key there first.", field="cite_key", code="in_use"
        )
    row.cite_key = key


def citing_sections(row: Citation) -> str:
    """Return the titles of the sections that cite an entry, for a sentence; empty when none does."""
    where = [f"“{use.title}”" for use in uses_by_key(row.project).get(row.cite_key, ())]
    more = [f"{len(where) - _SECTIONS_LISTED} more sections"] if len(where) > _SECTIONS_LISTED else []
    return join_names([*where[:_SECTIONS_LISTED], *more]) if where else ""


def max_bibtex_length(citation: Citation) -> int:
    """Return how many characters the BibTeX of an entry may have; one imported longer may stay longer (SPEC C5)."""
    return (
        MAX_IMPORTED if len(citation.bibtex) > MAX_ENTRY or len(bibtex_for_editing(citation)) > MAX_ENTRY else MAX_ENTRY
    )


def _parse_entry(bibtex: str, longest: int) -> Entry:
    if len(bibtex) > longest:
        raise Refused(f"An entry can have at most {longest:,} characters.", field="bibtex_entry", code="too_long")
    reading = read_bibtex(bibtex)
    if len(reading.entries) == 1 and not reading.unreadable:
        return reading.entries[0]
    if len(reading.entries) > 1:
        said = "This contains more than one entry. Keep only one."
    elif reading.problems:
        said = f"Line {reading.problems[0].line}: {reading.problems[0].message}"
    else:
        said = "No BibTeX entry was found. An entry starts like @article{key,"
    raise Refused(said, field="bibtex_entry", code="unreadable")


def _only_entry(bibtex: str) -> Entry | None:
    entries = read_bibtex(bibtex).entries if bibtex else []
    return entries[0] if len(entries) == 1 else None


def apply_record(citation: Citation, user: User) -> Citation:
    """Replace the entry by the registry record that the check found, and check it; the imported BibTeX stays.

    Raises Refused where no record was found, and as `apply_repair`.
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
        return apply_repair(row, user)


LONGEST_EVIDENCE = 1_000  # characters
_ADDRESS = re.compile(r"https?://[^\s/?#]+\.[^\s]+", re.IGNORECASE)
_TIER_BY_EVIDENCE = {Citation.Evidence.MANUAL: "C", Citation.Evidence.ISBN: "B", Citation.Evidence.URL: "B"}


def attest(
    citation: Citation, user: User, reason: str, evidence_type: str = "manual", evidence_value: str = ""
) -> Citation:
    """Attest `citation`: tier C, or B where an ISBN or an address is the evidence. Replaces its verdict.

    `reason` has at most 2,000 characters and is saved with the user and the time. Raises Refused without one, for
    evidence that is no ISBN or address, and for an entry that is proven already. The caller checks whether `user` may
    do this.
    """
    value = _clean_evidence(evidence_type, evidence_value)
    reason = clean_reason(reason, "Explain why this reference is right, for anyone who reads it later.")
    with locked_citation(citation) as row:
        if row.status == Citation.Status.VERIFIED:
            raise Refused(f"{row.cite_key} is already proven and needs no attestation.", code="verified")
        row.status, row.tier = Citation.Status.ATTESTED, _TIER_BY_EVIDENCE[Citation.Evidence(evidence_type)]
        row.evidence_type, row.evidence_value = evidence_type, value
        row.attested_by, row.attested_at, row.attestation = user, timezone.now(), reason
        row.check_due_at, row.failures = None, 0
    return row


def withdraw_attestation(citation: Citation, user: User) -> Citation:
    """Withdraw an attestation and check the entry. Raises Refused where it is not attested."""
    with locked_citation(citation) as row:
        if row.status != Citation.Status.ATTESTED:
            raise Refused(f"{row.cite_key} is not attested.", code="not_attested")
        clear_attestation(row)
        reset_claim(row, row.claim)
    start_check(row.project, user)
    return row


def clear_attestation(citation: Citation) -> None:
    """Clear the attestation of an entry. Not saved."""
    citation.attested_by, citation.attested_at, citation.attestation = None, None, ""


def _clean_evidence(kind: str, value: str) -> str:
    """Return the evidence, normalised. Raises Refused for evidence that is not valid."""
    value = value.strip()
    check_storable(value, "evidence_value")
    if len(value) > LONGEST_EVIDENCE:
        raise Refused(
            f"Evidence can have at most {LONGEST_EVIDENCE:,} characters. Put the rest into the reason.",
            field="evidence_value",
            code="too_long",
        )
    known = clean_isbn(value) if kind == Citation.Evidence.ISBN else value
    if known is None:
        raise Refused("This is not a valid ISBN. Check its digits.", field="evidence_value")
    if kind == Citation.Evidence.URL and not _ADDRESS.fullmatch(value):
        raise Refused("A web address must start with https:// or http:// and have no spaces.", field="evidence_value")
    if kind not in _TIER_BY_EVIDENCE:
        raise Refused(
            "Evidence can be an ISBN, a web address, or your own word. For a DOI or PMID, run a check instead.",
            field="evidence_type",
        )
    return known


LONGEST_TITLE = 2_000  # characters
LONGEST_AUTHORS = 5_000
_BETWEEN_AUTHORS = re.compile(r"[;\n]")
_VARIABLES = {"doi": "DOI", "pmid": "PMID", "pmcid": "PMCID", "isbn": "ISBN", "url": "URL"}


class Description(NamedTuple):
    """Authors, title and year that a cited file is printed with: "Okafor, Ngozi; World Health Organization", ..."""

    authors: str = ""
    title: str = ""
    year: str = ""


def description_of(citation: Citation) -> Description:
    """Return the authors, title and year that the entry of a file is printed with now."""
    return Description(
        "; ".join(write_names([name]) for name in citation.csl.get("author") or []),
        citation.title,
        str(citation.year or ""),
    )


def describe_file(citation: Citation, description: Description) -> Citation:
    """Set the authors, title and year of the cited file `citation`; without a title the file's name is used.

    Raises Refused for an entry that is no file, for values that are too long, and for an invalid year.
    """
    with _changing_file(citation) as row:
        reset_claim(row, _csl_with_description(row, description))
    return row


def describe_files(project: Project, descriptions: dict[UUID, Description]) -> None:
    """Set authors, title and year of the cited files of `project` with these ids. Raises Refused as `describe_file`."""
    for row in Citation.objects.filter(project=project, status=Citation.Status.FILE, file_id__in=descriptions.keys()):
        if row.file_id is not None:
            describe_file(row, descriptions[row.file_id])


def identify_file(citation: Citation, text: str, user: User) -> Citation:
    """Cite the file as a published work, given by a DOI, PMID, PMCID, ISBN, arXiv id or address, and check it.

    Its title counts as claimed only where a person gave one, not where it is the file's name. Raises Refused for an
    entry that is no file and a text without an identifier.
    """
    check_storable(text, "identifier")
    found = find_identifier(text[:1_000]) or next(
        (one for one in parse_pasted(text[:1_000]) if one.kind == "url"), None
    )
    if found is None:
        raise Refused(
            "No DOI, PMID, ISBN, arXiv id or web address was found here.", field="identifier", code="no_identifier"
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
        reset_claim(row, claim)
    start_check(row.project, user)
    row.refresh_from_db()
    return row


def cite_as_file(citation: Citation) -> Citation:
    """Cite the uploaded file as a file again; the verdict and any attestation are cleared.

    Raises Refused for an entry that has no file, or is proven.
    """
    with locked_citation(citation) as row:
        if not row.file_name or row.status in (Citation.Status.VERIFIED, Citation.Status.FILE):
            raise Refused(f"{row.cite_key} cannot be cited as a file.", code="not_a_file")
        claim = row.claim
        kept: Csl = {name: claim[name] for name in ("type", "title", "author", "issued", "custom") if name in claim}
        clear_attestation(row)
        reset_claim(row, {"title": row.file_name, **kept})
    return row


@contextmanager
def _changing_file(citation: Citation) -> Iterator[Citation]:
    with locked_citation(citation) as row:
        if row.status != Citation.Status.FILE:
            raise Refused(f"{row.cite_key} is not cited as an uploaded file.", code="not_a_file")
        yield row


def _csl_with_description(row: Citation, description: Description) -> Csl:
    authors, title, year = (value.strip() for value in description)
    for name, value in zip(Description._fields, description, strict=True):
        check_storable(value, name)
    if len(title) > LONGEST_TITLE or len(authors) > LONGEST_AUTHORS:
        name, longest = ("title", LONGEST_TITLE) if len(title) > LONGEST_TITLE else ("authors", LONGEST_AUTHORS)
        raise Refused(f"At most {longest:,} characters are allowed here.", field=name, code="too_long")
    if year and (not year.isdecimal() or len(year) != 4 or int(year) not in range(1000, 2200)):
        raise Refused("Enter a year of four digits.", field="year", code="invalid")
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
    if wrong := length_error(columns_of(Entry("", "", csl))):
        raise Refused(wrong, field="title", code="too_long")
    return csl
