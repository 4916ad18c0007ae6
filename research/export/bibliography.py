"""The works of a run for reference managers: BibTeX, RIS and CSL-JSON (SPEC R14).

A cite key consists of the first author, the year and words of the title. It depends on the run's works alone, never on
their order or on which are exported: if two works would have the same key, both get a few hash characters of their id.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from citations.formats.bibtex import write_bibtex
from citations.formats.csl import is_marked, key_word, surname_of, year_of
from citations.formats.export import csl_list
from citations.formats.reading import Csl, text_of
from citations.formats.ris_writer import write_ris
from research.deduplication.works import copies_of, known_of
from research.models import Run, Source

# CSL types of academic publications. Other types count as academic if they have a DOI, PMID or PMCID.
_ACADEMIC = frozenset(
    {"article-journal", "article", "paper-conference", "book", "chapter", "thesis", "report", "dataset", "review"}
    | {"manuscript", "monograph", "standard", "software", "review-book", "periodical", "proceedings"}
)
_WORDS = 2  # words of the title in a key
_SIGNS = 4  # hash characters to tell equal keys apart; more only if these are equal too
# Words that do not characterise a title.
_SMALL = frozenset(
    {"a", "an", "the", "of", "in", "on", "and", "or", "for", "to", "with", "from", "by", "at", "is", "are", "as", "do"}
    | {"does", "how", "what", "why", "der", "die", "das", "le", "la"}
)


@dataclass(frozen=True)
class Choice:
    """Which works to export: those the report cites or, with `everything`, all found; `academic` excludes others."""

    everything: bool = False
    academic: bool = False


CITED = Choice()


def is_academic(source: Source) -> bool:
    """Return whether it is an academic work: no web page, newspaper, blog or wiki, unless it has a DOI or PubMed id."""
    return source.source_type in _ACADEMIC or any(source.csl.get(name) for name in ("DOI", "PMID", "PMCID"))


def works_of(run: Run, choice: Choice = CITED) -> list[tuple[str, Csl]]:
    """Return the works of `run` with their keys: the cited ones by number, then the others by key.

    Uploaded files are not publications and are left out.
    """
    rows = list(run.sources.distinct_works().exclude(kind=Source.Kind.FILE).defer("text").order_by("id"))
    keys = keys_of(rows)
    chosen = sorted(
        (
            row
            for row in rows
            if (choice.everything or row.number is not None) and (not choice.academic or is_academic(row))
        ),
        key=lambda row: (row.number is None, row.number or 0, keys[row.document]),
    )
    copies = copies_of(run)
    return [(keys[row.document], csl_of_work(row, copies.get(row.pk, ()))) for row in chosen]


def bibtex_of(run: Run, choice: Choice = CITED) -> str:
    """Return the works as BibTeX for a reference manager, with doi, pmid and url."""
    return "\n".join(write_bibtex(csl, key, reference_manager=True) for key, csl in works_of(run, choice))


def ris_of(run: Run, choice: Choice = CITED) -> str:
    """Return the works as RIS."""
    return "\n".join(write_ris(csl, key) for key, csl in works_of(run, choice))


def csl_of(run: Run, choice: Choice = CITED) -> str:
    """Return the works as CSL-JSON."""
    return csl_list(works_of(run, choice))


def csl_of_work(row: Source, copies: Sequence[Source]) -> Csl:
    """Return the work that `row` represents as a CSL item, with its retraction and its arXiv id, if any."""
    csl = {"type": row.source_type, "title": row.title, **row.csl}
    if row.url and not csl.get("URL"):
        csl["URL"] = row.url
    custom = dict(csl.get("custom") or {})
    if row.retracted and not is_marked(csl, "retracted"):
        custom["retracted"] = True
    if (arxiv := known_of(row, copies, "arxiv")) and "eprint" not in (custom.get("bibtex") or {}):
        custom["bibtex"] = {**(custom.get("bibtex") or {}), "eprint": arxiv, "archiveprefix": "arXiv"}
    return {**csl, "custom": custom} if custom else csl


def keys_of(sources: Iterable[Source]) -> dict[str, str]:
    """Return the cite key of each of the works, by document. The thesis's own references keep theirs."""
    rows = {source.document: source for source in sources}
    keys = {document: document for document, source in rows.items() if source.kind == Source.Kind.REFERENCE}
    stems = {document: _stem(source.csl) for document, source in rows.items() if document not in keys}
    counted = Counter(stems.values())
    taken = {key.casefold() for key in keys}
    for document, stem in sorted(stems.items()):
        key, signs = stem, _SIGNS
        if counted[stem] > 1 or stem in taken:
            while (key := f"{stem}-{sha256(document.encode()).hexdigest()[:signs]}") in taken:
                signs += 1
        keys[document] = key
        taken.add(key)
    return keys


def _stem(csl: Csl) -> str:
    surname = key_word(surname_of(csl)) or "ref"
    words = (key_word(word) for word in re.findall(r"\w+", text_of(csl.get("title"))))
    telling = [word for word in words if word and word not in _SMALL][:_WORDS]
    return f"{surname}{year_of(csl) or 'nd'}{''.join(telling)}"
