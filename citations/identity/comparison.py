"""The comparison of an entry with a registry record, field by field, for the pages and the API (SPEC C4, C9)."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from citations.formats.csl import columns_of
from citations.formats.reading import Entry, dicts_of
from citations.models import Citation

_FIELDS = {
    "title": "Title",
    "authors": "Authors",
    "year": "Year",
    "venue": "Journal or book",
    "volume": "Volume",
    "pages": "Pages",
    "issue": "Issue",
    "editors": "Editors",
    "doi": "DOI",
    "pmid": "PMID",
    "arxiv": "arXiv id",
    "isbn": "ISBN",
    "type": "Kind",
}
_KINDS = {
    "article-journal": "Journal article",
    "article": "Preprint or article",
    "article-magazine": "Magazine article",
    "article-newspaper": "Newspaper article",
    "paper-conference": "Conference paper",
    "post-weblog": "Blog post",
    "webpage": "Web page",
    "document": "Not given",
    "entry-encyclopedia": "Encyclopedia entry",
    "entry-dictionary": "Dictionary entry",
}
_AGREEMENT = {True: ("same", "check", "Agrees"), False: ("differs", "differ", "Differs")}


class Field(NamedTuple):
    """One row of the comparison. `state` is "same", "differs" or "unsaid"; `words` is its text on the page."""

    label: str
    claimed: str
    found: str
    state: str
    icon: str
    words: str


def comparison_fields(citation: Citation) -> list[Field]:
    """Return the comparison field by field, as it was stored when the entry was checked."""
    rows = []
    for row in dicts_of(citation.diff):
        label = _FIELDS.get(row.get("field", ""), str(row.get("field", "")).capitalize())
        claimed, found = str(row.get("claimed") or ""), str(row.get("found") or "")
        if row.get("field") == "type":
            claimed, found = type_name(claimed), type_name(found)
        agrees = row.get("agrees")
        words = "Cannot be compared" if claimed and found else "Not in the record" if claimed else "Not claimed"
        said = _AGREEMENT[agrees] if isinstance(agrees, bool) else ("unsaid", "", words)
        rows.append(Field(label, claimed, found, *said))
    return rows


def type_name(csl_type: str) -> str:
    """Return the name of a CSL type for people: "Journal article" of "article-journal"."""
    return _KINDS.get(csl_type, csl_type.replace("-", " ").replace("_", " ").capitalize())


def unsaved_reference(csl: Mapping[str, Any]) -> Citation | None:
    """Return an unsaved reference built from a CSL item, for one side of a comparison; None for an empty item."""
    return Citation(**columns_of(Entry("", "", dict(csl)))) if csl else None


def suggested_reference(citation: Citation) -> Citation | None:
    """Return the suggested correction of a reference, unsaved; None where there is none."""
    repair = citation.repair
    doi = {"DOI": repair["doi"]} if repair.get("doi") else {}
    return unsaved_reference({"title": repair.get("title", ""), **(repair.get("csl") or {}), **doi}) if repair else None


def correction_note(citation: Citation) -> str:
    """Return a sentence about what the registry corrected in a proven entry; empty where nothing differs."""
    wrong = [row for row in comparison_fields(citation) if row.state == "differs"]
    if not wrong:
        return ""
    first = wrong[0]
    if first.label in ("Year", "Volume", "Issue", "Pages"):
        said = f"{first.label} corrected from {first.claimed[:40]} by the registry."
    else:
        said = f"{first.label} as the registry has {'them' if first.label in ('Authors', 'Editors') else 'it'}."
    return said if len(wrong) == 1 else f"{said[:-1]}, and {len(wrong) - 1} more."
