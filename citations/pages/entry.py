"""One entry as its page shows it."""

from dataclasses import dataclass

from django.utils.safestring import SafeString

from citations.formats.markdown import as_html
from citations.models import Citation
from citations.printing.printed import print_references
from core.errors import Refused
from projects.files import has_file

MOST_PEOPLE = 60
_DETAILS = {
    "Journal or book": "container-title",
    "Volume": "volume",
    "Issue": "issue",
    "Pages": "page",
    "Number": "number",
    "Edition": "edition",
    "Publisher": "publisher",
    "Place": "publisher-place",
    "Series": "collection-title",
    "ISBN": "ISBN",
    "ISSN": "ISSN",
    "Keywords": "keyword",
}


_S = Citation.Status
WHY = {
    "A": "Why tier A?",
    "B": "Why tier B?",
    "C": "Why tier C?",
    _S.CONFLICT: "Two works under one entry",
    _S.REVIEW: "What you are asked to confirm",
    _S.NOT_FOUND: "Why tier D?",
    _S.FILE: "Your own file",
}
# What becomes of it in a build (SPEC C2), and what to do.
SO = {
    _S.CONFLICT: "It is left out of the PDF, and the final export waits, until you choose the work you mean.",
    _S.REVIEW: "It stays in your text. The final export waits until you say whether this is the work.",
    _S.NOT_FOUND: (
        "It is left out of the PDF until it is proven. Compare its title and year with the work itself, add a DOI, PMID"
        " or ISBN, or attest it with a reason."
    ),
    _S.UNRESOLVED: "It stays in your text, and nothing is held against it. The final export waits until it is looked up.",
    _S.FILE: "It stays in your text, and does not hold up the final export. It has no tier: no registry knows your files.",
}


@dataclass(frozen=True)
class Passage:
    """A paragraph of the title or the note, cut where evidence begins and ends. The `first` mark is the anchor."""

    before: str
    marked: str
    after: str
    first: bool = False


def marked(citation: Citation, start: str, end: str) -> dict[str, list[Passage]]:
    """Title and note with the characters `start` to `end` of `text_for_search` marked; nonsense marks nothing."""
    first, last = (int(place) if place.isdecimal() and len(place) < 8 else 0 for place in (start, end))
    shown: list[Passage] = []
    position, anchored = 0, False
    for paragraph in citation.text_for_search.split("\n"):
        begin, stop = (min(max(place - position, 0), len(paragraph)) for place in (first, max(first, last)))
        shown.append(Passage(paragraph[:begin], paragraph[begin:stop], paragraph[stop:], begin < stop and not anchored))
        anchored = anchored or begin < stop
        position += len(paragraph) + 1
    titled = citation.title.count("\n") + 1
    return {"title": shown[:titled], "note": [one for one in shown[titled:] if one.before or one.marked or one.after]}


def printed(citation: Citation) -> SafeString | str:
    """The entry as the thesis prints it; empty when its style is none that citeproc knows."""
    try:
        lines = print_references([citation.csl], citation.project.citation_style)
    except Refused:
        return ""
    return as_html(lines[0])


def details(citation: Citation) -> list[tuple[str, str]]:
    """What is known about the entry besides title, names and identifiers: (label, value)."""
    return [(label, str(value)) for label, variable in _DETAILS.items() if (value := citation.csl.get(variable))]


def people(citation: Citation) -> list[str]:
    """The authors in full, editors where there are none; a very long list says how many more there are."""
    found = citation.csl.get("author") or citation.csl.get("editor") or []
    parts = ("given", "dropping-particle", "non-dropping-particle", "family", "suffix")
    names = [name.get("literal") or " ".join(filter(None, (name.get(part) for part in parts))) for name in found]
    if len(names) > MOST_PEOPLE:
        return [*names[:MOST_PEOPLE], f"and {len(names) - MOST_PEOPLE} more"]
    return names


def file_of(citation: Citation) -> dict[str, str]:
    """The uploaded file that the entry stands for: {name, id}, with an empty id once it is deleted (SPEC T7)."""
    if not citation.file_name:
        return {}
    is_here = citation.file_id is not None and has_file(citation.project, citation.file_id)
    return {"name": citation.file_name, "id": str(citation.file_id) if is_here else ""}


def link(citation: Citation) -> str:
    """The entry's web address, if it is one (an import may bring any text) and not just the DOI again."""
    is_address = citation.url.lower().startswith(("https://", "http://"))
    is_doi = bool(citation.doi) and citation.url.casefold().endswith(f"doi.org/{citation.doi.casefold()}")
    return citation.url if is_address and not is_doi else ""
