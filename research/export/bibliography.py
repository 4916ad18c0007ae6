"""The works of a run for reference managers: BibTeX, RIS and CSL-JSON (SPEC R14)."""

from collections.abc import Sequence
from dataclasses import dataclass

from citations.formats.bibtex import write_bibtex
from citations.formats.csl import is_marked
from citations.formats.entries import Csl
from citations.formats.exporting import csl_list
from citations.formats.ris import write_ris
from research.export.keys import keys_of
from research.models import Run, Source
from research.same.copies import copies_of, known_of

# What scholars publish, as CSL calls it; any other type is academic when a registry of scholars has numbered it.
_ACADEMIC = frozenset(
    {"article-journal", "article", "paper-conference", "book", "chapter", "thesis", "report", "dataset", "review"}
    | {"manuscript", "monograph", "standard", "software", "review-book", "periodical", "proceedings"}
)


@dataclass(frozen=True)
class Choice:
    """Which works go out: those the report cites, or with `everything` all that were found; `academic` ones only."""

    everything: bool = False
    academic: bool = False


CITED = Choice()


def is_academic(source: Source) -> bool:
    """Whether a scholar published it: no web page, newspaper, blog or wiki, unless it has a DOI or a PMID."""
    return source.source_type in _ACADEMIC or any(source.csl.get(name) for name in ("DOI", "PMID", "PMCID"))


def works_of(run: Run, choice: Choice = CITED) -> list[tuple[str, Csl]]:
    """The published works of `run` with their keys: the cited ones by number, then the others by key.

    Passages of uploaded files are no publications and left out.
    """
    rows = list(run.sources.distinct_works().exclude(kind=Source.Kind.FILE).defer("text").order_by("id"))
    keys = keys_of(rows)
    chosen = [
        row
        for row in rows
        if (choice.everything or row.number is not None) and (not choice.academic or is_academic(row))
    ]
    chosen.sort(key=lambda row: (row.number is None, row.number or 0, keys[row.document]))
    copies = copies_of(run)
    return [(keys[row.document], csl_of_work(row, copies.get(row.pk, ()))) for row in chosen]


def bibtex_of(run: Run, choice: Choice = CITED) -> str:
    """BibTeX for a reference manager, with doi, pmid and url."""
    return "\n".join(write_bibtex(csl, key, reference_manager=True) for key, csl in works_of(run, choice))


def ris_of(run: Run, choice: Choice = CITED) -> str:
    return "\n".join(write_ris(csl, key) for key, csl in works_of(run, choice))


def csl_of(run: Run, choice: Choice = CITED) -> str:
    return csl_list(works_of(run, choice))


def csl_of_work(row: Source, copies: Sequence[Source]) -> Csl:
    """The work that `row` stands for as a CSL item, a retraction and its arXiv id with it."""
    csl = {"type": row.source_type, "title": row.title, **row.csl}
    if row.url and not csl.get("URL"):
        csl["URL"] = row.url
    custom = dict(csl.get("custom") or {})
    if row.retracted and not is_marked(csl, "retracted"):
        custom["retracted"] = True
    if (arxiv := known_of(row, copies, "arxiv")) and "eprint" not in (custom.get("bibtex") or {}):
        custom["bibtex"] = {**(custom.get("bibtex") or {}), "eprint": arxiv, "archiveprefix": "arXiv"}
    return {**csl, "custom": custom} if custom else csl
