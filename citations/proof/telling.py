"""Works, services and differences in sentences for people, as verdicts tell them."""

from collections.abc import Iterable, Sequence

from citations.proof.gate import Compared
from citations.proof.venues import is_preprint_doi
from sources.work import Work

_FIELDS = {"type": "kind"}
NAMED = {"doi": "DOI", "pmid": "PMID", "arxiv": "arXiv id", "isbn": "ISBN", "url": "address"}
_SERVICES = {
    **{"crossref": "Crossref", "pubmed": "PubMed", "openalex": "OpenAlex", "semantic_scholar": "Semantic Scholar"},
    **{"datacite": "DataCite", "doi": "doi.org", "arxiv": "arXiv", "openlibrary": "Open Library"},
}
_LONGEST = 120  # characters of a title


def told(work: Work) -> str:
    """A work for a sentence: “Title” by Munch and others, 2021."""
    title = work.title if len(work.title) <= _LONGEST else f"{work.title[: _LONGEST - 1].rstrip()}…"
    people = [one.family or one.literal or "" for one in work.authors or work.editors]
    by = f" by {people[0]}{' and others' if len(people) > 1 else ''}" if people else ""
    place = " (preprint)" if work.type == "article" or is_preprint_doi(work.doi) else ""
    return f"“{title or 'a work without a title'}”{by}{f', {work.year}' if work.year else ''}{place}"


def service(work: Work) -> str:
    """The registry a record is from."""
    return _SERVICES.get(work.provider, work.provider)


def listed(names: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def joined(sentences: Iterable[str]) -> str:
    return " ".join(sentences)


def agreement(rows: Sequence[Compared]) -> str:
    """That title, authors and year agree, as far as they are claimed; empty where anything at all differs."""
    if any(row.agrees is False for row in rows):
        return ""
    fields = [row.field for row in rows if row.agrees and row.field in ("title", "authors", "year")]
    if not fields:
        claims = [row.agrees for row in rows if row.claimed and row.field not in (*NAMED, "type")]
        return ("what can be compared agrees" if any(claims) else "") if claims else "the entry claims nothing else"
    return f"{listed(fields)} {'agrees' if fields in (['title'], ['year']) else 'agree'}"


def differences(rows: Iterable[Compared], authors: Sequence[str], *, is_taken: bool) -> str:
    """What differs from the claim in a record that proves it all the same; empty when nothing does.

    `authors` says how theirs differ. `is_taken`: the record's words take the place of those that were claimed.
    """
    fields = [_FIELDS.get(row.field) or NAMED.get(row.field, row.field) for row in rows if row.agrees is False]
    if not fields:
        return ""
    verb = "differs" if len(fields) == 1 and not fields[0].endswith("s") else "differ"
    said = listed(fields)
    whose = "record's" if is_taken else "entry's"
    of_authors = f" Of the authors, {'; '.join(authors)}." if authors else ""
    return f"{said[0].upper()}{said[1:]} {verb} from what was claimed; the {whose} {'is' if verb == 'differs' else 'are'} used.{of_authors}"
