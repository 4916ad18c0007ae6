"""Adding the entries of a typed list to the references of a thesis, where each is looked up (SPEC C5)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from citations.formats.csl import make_key
from citations.formats.reading import Entry
from citations.formats.typed_reference import csl_of_typed
from citations.importing.upsert import Upsert
from citations.matching import claimed_work
from projects.models import Project
from sections.models import Section
from thesis.importing.typed_list.entries import find_list


def with_key(entry: Entry, keys: dict[str, None]) -> Entry:
    """Return an entry with a key where its title and authors do not identify it, so that it is taken for no other."""
    if entry.key or claimed_work(entry.csl).is_distinctive:
        return entry
    made = make_key(entry.csl, keys)
    keys[made] = None
    return replace(entry, key=made)


def add_typed_entries(project: Project, sections: Sequence[Section]) -> list[dict[str, Any]]:
    """Add the entries of the typed lists in `sections` to the references; return each with its text and reference.

    To be called in a transaction that locks the project. The text is not changed: marks are linked when a person
    confirms it (`link`).
    """
    lists = [(section, found) for section in sections if (found := find_list(section.latex))]
    texts = list(dict.fromkeys(entry.text for _, found in lists for entry in found.entries))
    if not texts:
        return []
    keys = dict[str, None]()
    upsert = Upsert(project, unseen=True)
    entries = [with_key(Entry("", "", csl_of_typed(text)), keys) for text in texts]
    taken = upsert.take(entries)
    upsert.write()
    return [
        {"text": text, "citation": "" if one.wrong else str(one.reference[0])}
        for text, one in zip(texts, taken, strict=True)
    ]
