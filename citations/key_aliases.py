"""Several keys for one work: the reference of a thesis that a key stands for (docs/decisions/key-aliases.md).

A key is the cite key of a row, an alias of a row, or a key that only BibTeX outside the table has: a trailer of a
section or a .bib file uploaded with the thesis. For the last, the entry under the key is matched with the table.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from citations.formats.bibtex import read_bibtex, trailers_in
from citations.formats.reading import Csl, Entry, decode, under_all_keys
from citations.matching import ClaimedWork, WorkIndex, claimed_work
from citations.models import Citation, OtherKey
from latex.cite_keys import EVERYTHING
from projects.models import Project
from sections.models import Section, ThesisFile
from sections.thesis_files import bytes_of

_ENTRY = re.compile(r"(?<![^\s})])@([A-Za-z]+)[ \t]*[{(]\s*([^\s,{}()]*)")

_IDS = re.compile(r"\bids[ \t]*=\s*[{\"]([^{}\"]*)", re.IGNORECASE)


class ReferenceLookup:
    """A lookup of the references of a thesis by entry. `works` are tuples of key, CSL and tier."""

    def __init__(self, works: Iterable[tuple[str, Mapping[str, Any], str]]) -> None:
        self._works = WorkIndex()
        # Keys of tier D by DOI: these works must not come back under another title.
        self._disproven: dict[str, str] = {}
        for key, csl, tier in works:
            work = self.add(key, csl)
            if tier == "D" and work.doi:
                self._disproven.setdefault(work.doi.casefold(), key)

    def add(self, key: str, csl: Mapping[str, Any]) -> ClaimedWork:
        """Add a reference and return the work that it claims."""
        work = claimed_work(dict(csl), key)
        self._works.add(work)
        return work

    def key_of(self, csl: Csl) -> str:
        """Return the key of the reference of the same work as `csl`; empty for none.

        The DOI or PMID and the title must agree, or title, year and first author without a contradicting identifier.
        """
        work = claimed_work(csl)
        match = self._works.find(work)
        return match.work.key if match and match.is_sure else self._disproven.get(work.doi.casefold(), "")


def resolve_aliases(project: Project, keys: Collection[str]) -> dict[str, str]:
    """Return the keys among `keys` that are aliases of rows of `project`: {key: the row's cite key}.

    `keys` are keys that no row has as its cite key. One query for stored aliases; more queries only for the rest, to
    search the BibTeX in sections and uploaded files.
    """
    wanted = set(keys) - {EVERYTHING}
    if not wanted:
        return {}
    stored = OtherKey.objects.by_key(project)
    same = {key: stored[key] for key in wanted if key in stored}
    entries = list(_entries_outside_table(project, wanted - same.keys()))
    if entries:
        table = ReferenceLookup(
            Citation.objects.filter(project=project)
            .order_by("serial", "created_at")
            .values_list("cite_key", "csl", "tier")
        )
        for entry in entries:
            if key := table.key_of(entry.csl):
                same.setdefault(entry.key, key)
    return same


def references_by_key(rows: Any, project: Project, keys: Collection[str]) -> dict[str, Citation]:
    """Return the references of `project` in the query `rows` that `keys` cite, by the key as written in the text."""
    found: dict[str, Citation] = {row.cite_key: row for row in rows.filter(cite_key__in=keys)}
    same = resolve_aliases(project, set(keys) - found.keys())
    more = set(same.values()) - found.keys()
    by_key = found | ({row.cite_key: row for row in rows.filter(cite_key__in=more)} if more else {})
    return found | {key: by_key[main] for key, main in same.items() if main in by_key}


def replace_aliases(cited: Mapping[str, int], same: Mapping[str, str]) -> Mapping[str, int]:
    """Replace aliases by the row's cite key in counts from `latex.cite_keys.count_cited`."""
    if not same:
        return cited
    counts: dict[str, int] = {}
    for keys, count in cited.items():
        main = ",".join(same.get(key, key) for key in keys.split(","))
        counts[main] = counts.get(main, 0) + count
    return counts


def entries_with_keys(text: str, keys: Collection[str]) -> list[Entry]:
    """Return the entries of a BibTeX file whose key, or one of their `ids`, is in `keys`, each under that key.

    Only these entries and the @string definitions are parsed.
    """
    found = list(_ENTRY.finditer(text))
    parts = []
    for place, one in enumerate(found):
        part = text[one.start() : found[place + 1].start() if place + 1 < len(found) else len(text)]
        ids = _IDS.search(part)
        others = {key.strip() for key in ids[1].split(",")} if ids else set()
        if one[2] in keys or one[1].lower() == "string" or not others.isdisjoint(keys):
            parts.append(part)
    entries = read_bibtex("".join(parts)).entries if parts else []
    return [one for entry in entries for one in under_all_keys(entry) if one.key in keys]


def _entries_outside_table(project: Project, keys: set[str]) -> Iterator[Entry]:
    """Yield the entries for `keys` in trailers of sections, then in uploaded .bib files."""
    if not keys:
        return
    for latex in (
        Section.objects.filter(project=project, latex__contains="@")
        .order_by("number", "pk")
        .values_list("latex", flat=True)
    ):
        for trailer in trailers_in(latex):
            found = entries_with_keys(trailer.bibtex, keys)
            yield from found
            keys = keys - {entry.key for entry in found}
    if not keys:
        return
    for file in ThesisFile.objects.filter(project=project, path__iendswith=".bib").exclude(blob=""):
        try:
            text = decode(bytes_of(file))
        except OSError:
            continue
        yield from entries_with_keys(text, keys)
