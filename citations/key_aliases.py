"""One work under several keys: which reference of a thesis a key stands for (docs/decisions/key-aliases.md).

A key is that of a row, an other key of a row, or one that only BibTeX beside the text has: a trailer of a section, a
.bib file that was uploaded with the thesis. Of the last the entry tells whether it is a work that the table has.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from citations.formats.bibtex import read_bibtex, trailers_in
from citations.formats.reading import Csl, Entry, decode, under_all_keys
from citations.matching import Work, Works, claimed_work
from citations.models import Citation, OtherKey
from latex.cite_keys import EVERYTHING
from projects.models import Project
from sections.models import Section, ThesisFile
from sections.thesis_files import bytes_of

_ENTRY = re.compile(r"(?<![^\s})])@([A-Za-z]+)[ \t]*[{(]\s*([^\s,{}()]*)")

_IDS = re.compile(r"\bids[ \t]*=\s*[{\"]([^{}\"]*)", re.IGNORECASE)


class Table:
    """The works of a thesis, asked which of them an entry is. `works` are (key, CSL, tier)."""

    def __init__(self, works: Iterable[tuple[str, Mapping[str, Any], str]]) -> None:
        self._works = Works()
        self._disproven: dict[str, str] = {}  # keys of tier D by DOI: under another title one must not come back either
        for key, csl, tier in works:
            work = self.add(key, csl)
            if tier == "D" and work.doi:
                self._disproven.setdefault(work.doi.casefold(), key)

    def add(self, key: str, csl: Mapping[str, Any]) -> Work:
        work = claimed_work(dict(csl), key)
        self._works.add(work)
        return work

    def key_of(self, csl: Csl) -> str:
        """Return the key of the work that `csl` is; empty for none.

        One DOI or PMID with one title, or one title, year and first author with no identifier against it.
        """
        work = claimed_work(csl)
        match = self._works.find(work)
        return match.work.key if match and match.is_sure else self._disproven.get(work.doi.casefold(), "")


def find_other_keys(project: Project, keys: Collection[str]) -> dict[str, str]:
    """Return which of `keys`, that no row of `project` has as its own, stand for a row: {key: the row's cite key}.

    One query for other keys of rows; more only where some are left, for what stands in BibTeX beside the text.
    """
    wanted = set(keys) - {EVERYTHING}
    if not wanted:
        return {}
    stored = OtherKey.objects.by_key(project)
    same = {key: stored[key] for key in wanted if key in stored}
    entries = list(_entries_beside(project, wanted - same.keys()))
    if entries:
        table = Table(
            Citation.objects.filter(project=project)
            .order_by("serial", "created_at")
            .values_list("cite_key", "csl", "tier")
        )
        for entry in entries:
            if key := table.key_of(entry.csl):
                same.setdefault(entry.key, key)
    return same


def rows_cited(rows: Any, project: Project, keys: Collection[str]) -> dict[str, Citation]:
    """Of the query `rows` of `project` those that `keys` cite, each by the key that is written."""
    found: dict[str, Citation] = {row.cite_key: row for row in rows.filter(cite_key__in=keys)}
    same = find_other_keys(project, set(keys) - found.keys())
    more = set(same.values()) - found.keys()
    by_key = found | ({row.cite_key: row for row in rows.filter(cite_key__in=more)} if more else {})
    return found | {key: by_key[main] for key, main in same.items() if main in by_key}


def under_main_keys(cited: Mapping[str, int], same: Mapping[str, str]) -> Mapping[str, int]:
    """`cited`, as `latex.cite_keys.count_cited` gives it, with the key of the row for each of its other keys."""
    if not same:
        return cited
    counts: dict[str, int] = {}
    for keys, count in cited.items():
        main = ",".join(same.get(key, key) for key in keys.split(","))
        counts[main] = counts.get(main, 0) + count
    return counts


def entries_under(text: str, keys: Collection[str]) -> list[Entry]:
    """Return the entries of a BibTeX file that have one of `keys`, also among their `ids`, each under that key.

    Nothing else of the file is read but its @strings.
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


def _entries_beside(project: Project, keys: set[str]) -> Iterator[Entry]:
    """Yield the entries for `keys` in trailers of sections, then in uploaded .bib files."""
    if not keys:
        return
    for latex in (
        Section.objects.filter(project=project, latex__contains="@")
        .order_by("number", "pk")
        .values_list("latex", flat=True)
    ):
        for trailer in trailers_in(latex):
            found = entries_under(trailer.bibtex, keys)
            yield from found
            keys = keys - {entry.key for entry in found}
    if not keys:
        return
    for file in ThesisFile.objects.filter(project=project, path__iendswith=".bib").exclude(blob=""):
        try:
            text = decode(bytes_of(file))
        except OSError:
            continue
        yield from entries_under(text, keys)
