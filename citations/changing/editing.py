"""What a person does to an entry (SPEC C2, C4 to C6): its BibTeX, its key, taking the work that a check offers, vouching for it."""

import re

from django.db import transaction
from django.utils import timezone

from citations.audit.uses import uses
from citations.check.checking import start_check
from citations.check.settling import forget
from citations.formats.bibtex import MAX_ENTRY, MAX_IMPORTED, read_bibtex, write_bibtex
from citations.formats.csl import columns_of, too_long, usable_key
from citations.formats.entries import Csl, Entry, cleaned, text_in
from citations.models import Citation, OtherKey, changing
from citations.proof.grading import listed
from citations.proof.reference import claimed
from citations.retraction import checked_reason
from core.errors import Refused
from core.storable import check_storable
from projects.models import User
from sources.identifiers import clean_isbn

_SECTIONS_TOLD = 3


def editable(citation: Citation) -> str:
    """The BibTeX of an entry to edit: as it was brought in, unless what it claims was changed since."""
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
    """What a person claims who takes the offer: that very work, with its words until the registry's come again."""
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
        said = "A key has at most 200 letters, digits and marks such as - . : and no spaces, commas or braces."
        raise Refused(said, field="cite_key", code="unusable")
    others = Citation.objects.filter(project=row.project_id).exclude(pk=row.pk)
    other_keys = OtherKey.objects.filter(project=row.project_id, key__iexact=key)
    if others.filter(cite_key__iexact=key).exists() or other_keys.exclude(citation=row).exists():
        raise Refused(f"Another reference has the key {key}.", field="cite_key", code="taken")
    if own := other_keys.filter(key=key).first():  # the two change places, and the text may go on citing either
        OtherKey.objects.filter(pk=own.pk).update(key=row.cite_key)
    elif where := cited_in(row):
        said = f"{row.cite_key} is cited in {where}. Change the key there first."
        raise Refused(said, field="cite_key", code="in_use")
    row.cite_key = key


def cited_in(row: Citation) -> str:
    """The sections that cite an entry, for a sentence; empty when none does."""
    where = [f"“{use.title}”" for use in uses(row.project).get(row.cite_key, ())]
    more = [f"{len(where) - _SECTIONS_TOLD} more sections"] if len(where) > _SECTIONS_TOLD else []
    return listed([*where[:_SECTIONS_TOLD], *more]) if where else ""


def longest_of(citation: Citation) -> int:
    """How many characters the BibTeX of an entry may have: an imported one that is long may stay so (SPEC C5)."""
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
    """The evidence in its one spelling. Raises Refused."""
    value = value.strip()
    check_storable(value, "evidence_value")
    if len(value) > LONGEST_EVIDENCE:
        said = f"Evidence has at most {LONGEST_EVIDENCE:,} characters. Write the rest into the reason."
        raise Refused(said, field="evidence_value", code="too_long")
    known = clean_isbn(value) if kind == Citation.Evidence.ISBN else value
    if known is None:
        raise Refused("This is not an ISBN: its last digit does not fit the others.", field="evidence_value")
    if kind == Citation.Evidence.URL and not _ADDRESS.fullmatch(value):
        raise Refused("An address starts with https:// or http:// and has no spaces.", field="evidence_value")
    if kind not in _GIVEN:
        said = "The evidence is an ISBN, an address, or your word. A DOI or PMID is proven by checking it."
        raise Refused(said, field="evidence_type")
    return known
