"""How often a thesis cites each key, for somebody who types and waits for nothing (SPEC C8)."""

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from citations.audit.uses import count_keys, section_texts
from citations.models import OtherKey
from citations.other_keys import under_main_keys
from latex.cite_macros import NONE, Macros
from latex.keys import count_cited
from projects.models import Project
from sections.models import Section, ThesisFile

_KEPT = 64  # theses whose counts this process remembers


class _Known(NamedTuple):
    """How often each key is cited, and what each section may use to cite, by its id."""

    counted: Counter[str]
    macros: dict[UUID | None, Macros]


def times_cited(project: Project) -> Mapping[str, int]:
    """How often each reference is cited in the saved text of `project`, by its key or another of its keys.

    The text is read once and remembered by its versions.
    """
    return Counter(under_main_keys(_known(project).counted, OtherKey.objects.by_key(project)))


def macros_of(project: Project, section: UUID) -> Macros:
    """The citing commands that the thesis defines for the section with the id `section`."""
    return _known(project).macros.get(section, NONE)


def _known(project: Project) -> _Known:
    versions = Section.objects.filter(project=project).order_by("pk").values_list("pk", "version", "number")
    files = ThesisFile.objects.filter(project=project).order_by("pk").values_list("pk", "path", "sha256")
    return _in_thesis(project.pk, tuple(versions), tuple(files))


@lru_cache(_KEPT)
def _in_thesis(pk: UUID, versions: tuple[Any, ...], files: tuple[Any, ...]) -> _Known:
    # Saved again in this very moment, the newer text is counted under the older version, which nobody asks for again.
    counted: Counter[str] = Counter()
    texts = section_texts(Project(pk=pk))
    for text in texts:
        counted.update(count_keys(count_cited(text.latex, text.macros)))
    return _Known(counted, {text.id: text.macros for text in texts})
