"""What the columns of a reference hold for an entry, and how long each may be (SPEC C5)."""

from typing import Any

from citations.formats.csl import is_marked, short_authors, year_of
from citations.formats.entries import Entry

_LIMITS = {"cite_key": 200, "doi": 500, "pmid": 50, "title": 2_000, "authors": 1_000, "url": 2_000, "note": 200_000}
_CALLED = {"cite_key": "key", "doi": "DOI", "pmid": "PMID", "authors": "list of authors", "url": "address"}


def columns_of(entry: Entry) -> dict[str, Any]:
    """What the columns of a row hold for this entry."""
    csl = entry.csl
    texts = {
        name: str(csl.get(variable) or "")
        for name, variable in (("title", "title"), ("doi", "DOI"), ("pmid", "PMID"), ("url", "URL"))
    }
    return {
        "cite_key": entry.key,
        "bibtex": entry.bibtex,
        "csl": csl,
        "authors": short_authors(csl),
        "year": year_of(csl),
        "note": entry.note,
        "retracted": is_marked(csl, "retracted"),
        **texts,
    }


def too_long(columns: dict[str, Any]) -> str:
    """Which column of an entry is longer than it may be, in a sentence; empty when none is."""
    for name, limit in _LIMITS.items():
        if len(columns[name]) > limit:
            return f"The {_CALLED.get(name, name)} is longer than {limit:,} characters."
    return ""
