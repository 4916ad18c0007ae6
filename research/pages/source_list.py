"""The sources of a run as people look through them: described in words, searched and filtered (SPEC R8, R13)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from django.urls import reverse

from citations.formats.csl import short_authors, year_of
from research.export.bibliography import is_academic
from research.export.structured import sources_of
from research.files.bundling import reading_of
from research.models import Run, Source
from research.same.copies import copies_of, known_of
from sources.providers import PROVIDERS

_KINDS = {
    "file": "Uploaded file",
    "article-journal": "Journal article",
    "article-magazine": "Magazine article",
    "article-newspaper": "Newspaper article",
    "article": "Preprint",
    "paper-conference": "Conference paper",
    "post-weblog": "Blog post",
    "webpage": "Web page",
    "entry-encyclopedia": "Encyclopedia entry",
    "document": "Other",
}
SHOWN = {
    "": "Everything found",
    "cited": "Cited in the report",
    "uncited": "Found, not cited",
    "academic": "Academic works",
    "retracted": "Retracted works",
}
_LONGEST = 200  # characters of what is searched for


@dataclass(frozen=True)
class Copy:
    """The record of a work that another provider has."""

    provider: str
    title: str
    address: str


@dataclass(frozen=True)
class Row:
    """One source: `addresses` are (label, address) pairs that are safe to follow, `copies` its other records."""

    source: Source
    authors: str
    year: int | None
    venue: str
    kind: str
    provider: str
    addresses: list[tuple[str, str]]
    copies: list[Copy]

    @property
    def all_providers(self) -> list[str]:
        return list(dict.fromkeys([self.provider, *(copy.provider for copy in self.copies)]))

    @property
    def providers(self) -> str:
        """ "OpenAlex and Crossref": the other providers that have it."""
        names = self.all_providers[1:] or [self.provider]
        return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


@dataclass(frozen=True)
class Asked:
    """What a person looks for: words, and which sources (a key of SHOWN), of which kind, from which provider."""

    words: str = ""
    show: str = ""
    kind: str = ""
    provider: str = ""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> "Asked":
        """From a form; what it does not know is as if it were not there."""
        words = " ".join(given.get("q", "").replace("\0", "").split())[:_LONGEST]
        show = given.get("show", "")
        kind, provider = (given.get(name, "")[:_LONGEST] for name in ("kind", "from"))
        return cls(words, show if show in SHOWN else "", kind, provider)

    def query(self) -> str:
        """The same as part of an address: "q=alder&show=cited"."""
        given = {"q": self.words, "show": self.show, "kind": self.kind, "from": self.provider}
        return "&".join(f"{name}={quote(value)}" for name, value in given.items() if value)

    def fits(self, row: Row) -> bool:
        source = row.source
        is_shown = {
            "cited": source.number is not None,
            "uncited": source.number is None,
            "academic": source.kind != Source.Kind.FILE and is_academic(source),
            "retracted": source.retracted,
        }
        is_of = self.kind in ("", row.kind) and self.provider in {"", *row.all_providers}
        return is_of and is_shown.get(self.show, True) and (not self.words or self._finds(row))

    def _finds(self, row: Row) -> bool:
        people = (" ".join(str(part) for part in name.values()) for name in row.source.csl.get("author", []))
        told = (
            row.source.title,
            row.source.heading,
            row.venue,
            row.year,
            row.source.public_id,
            row.source.url,
            *people,
        )
        text = " ".join(str(one) for one in told if one).casefold()
        return all(word in text for word in self.words.casefold().split())


@dataclass(frozen=True)
class SourceList:
    """The rows that fit, of `total`; `kinds` and `providers` are what can be chosen, each with how many it has."""

    rows: list[Row]
    total: int
    kinds: dict[str, int]
    providers: dict[str, int]


def source_list(run: Run, asked: Asked) -> SourceList:
    """The sources of `run` that fit what is asked. Two queries, however many there are."""
    copies = copies_of(run)
    rows = [_row(source, copies.get(source.pk, ())) for source in sources_of(run)]
    return SourceList(
        rows=[row for row in rows if asked.fits(row)],
        total=len(rows),
        kinds=dict(sorted(Counter(row.kind for row in rows).items())),
        providers=dict(sorted(Counter(name for row in rows for name in row.all_providers).items())),
    )


def provider_name(name: str) -> str:
    """What people call a provider."""
    if name == "library":
        return "Your library"
    return PROVIDERS[name].label if name in PROVIDERS else name.replace("_", " ").capitalize()


def _row(source: Source, copies: Sequence[Source]) -> Row:
    csl = source.csl
    return Row(
        source=source,
        authors=short_authors(csl),
        year=year_of(csl),
        venue=str(csl.get("container-title") or csl.get("publisher") or ""),
        kind=_KINDS.get(source.source_type, source.source_type.replace("-", " ").replace("_", " ").capitalize()),
        provider=provider_name(source.provider),
        addresses=_addresses(source, copies),
        copies=[Copy(provider_name(copy.provider), copy.title, _safe(copy.url)) for copy in copies],
    )


def _addresses(source: Source, copies: Sequence[Source]) -> list[tuple[str, str]]:
    doi, pmid = (str(source.csl.get(name) or "") for name in ("DOI", "PMID"))
    named = {
        f"doi:{doi}": f"https://doi.org/{quote(doi, safe='/:;()<>')}" if doi else "",
        f"PMID {pmid}": f"https://pubmed.ncbi.nlm.nih.gov/{quote(pmid)}/" if pmid else "",
        "Open access": _safe(str(known_of(source, copies, "open_access_url"))),
        source.url: _safe(source.url),
    }
    if source.file_id:
        at = reverse("contextfiles:file", args=[source.run.project_id, source.file_id])
        passage = f"passage={quote(source.source_id.rpartition('::')[2])}{reading_of(source.run)}"
        named["Open the passage"] = f"{at}?{passage}#passage"
    found: dict[str, str] = {}  # by address, since a catalogue's link often is the DOI's
    for label, address in named.items():
        found.setdefault(address, label)
    return [(label, address) for address, label in found.items() if address]


def _safe(address: str) -> str:
    """An address that a page may link to; "" for any other scheme than the web's."""
    return address if address.lower().startswith(("https://", "http://")) else ""
