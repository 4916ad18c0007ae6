"""The uses of cite keys in a thesis: in which sections each key is cited, and how often (SPEC C7 to C9, "used in")."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from citations.key_aliases import replace_aliases, resolve_aliases
from citations.models import Citation, OtherKey
from core.grouping import grouped
from latex.cite_keys import EVERYTHING, count_cited
from latex.cite_macros import NONE, Macros
from projects.models import Project
from sections.citing_text import citing_texts, stored_text, tex_files
from sections.models import Section, ThesisFile


class SectionText(NamedTuple):
    """The values of a section that are needed to find its citations."""

    id: UUID | None  # None: a file outside the sections, whose path is its title
    slug: str
    number: int
    title: str
    latex: str
    macros: Macros = NONE


@dataclass(frozen=True, slots=True)
class Use:
    """The use of a key in one section, which cites it `count` times. `number` counts from 0, the front matter.

    For a file outside the sections, such as a preamble, the id is null, the slug empty and the title its path.
    """

    section_id: UUID | None
    slug: str
    number: int
    title: str
    count: int

    @property
    def name(self) -> str:
        """The title in quotation marks, or the path of a file. `number` is internal: no page shows it."""
        return f"“{self.title}”" if self.slug else self.title


def uses_by_key(project: Project) -> dict[str, list[Use]]:
    r"""Return each cited key of `project` with the sections that cite it, in order; two queries.

    Aliases count as the cite key of their reference. `\\nocite{*}` has the key `latex.cite_keys.EVERYTHING`. The result
    is cached on the `project` object, that is for one request; code that keeps the object longer and writes sections
    must use a new one.
    """
    kept: dict[str, list[Use]] | None = project.__dict__.get("_uses")
    if kept is None:
        kept = uses_in_texts(section_texts(project), project)
        project.__dict__["_uses"] = kept
    return kept


def section_texts(project: Project) -> list[SectionText]:
    """Return the sections of `project` in order with their text, then the files outside the sections."""
    sections = {
        str(row[0]): row
        for row in Section.objects.filter(project=project)
        .order_by("number", "pk")
        .values_list("pk", "slug", "number", "title", "latex")
    }
    texts = citing_texts([(pk, row[4]) for pk, row in sections.items()], tex_files(project.pk), stored_text)
    macros = {text.section: text.macros for text in texts if text.section}
    between = [SectionText(None, "", 0, text.path, text.latex, text.macros) for text in texts if not text.section]
    return [*(SectionText(*row)._replace(macros=macros[pk]) for pk, row in sections.items()), *between]


def uses_in_texts(sections: Iterable[SectionText], project: Project | None = None) -> dict[str, list[Use]]:
    """Return what `uses` returns, from texts; without a `project` aliases are not resolved. Linear in their length."""
    scanned = [(section, count_cited(section.latex, section.macros)) for section in sections]
    same: Mapping[str, str] = {}
    if project is not None:
        written = {key for _, cited in scanned for keys in cited for key in keys.split(",")} - {EVERYTHING}
        same = resolve_aliases(
            project,
            written.difference(Citation.objects.filter(project=project).order_by().values_list("cite_key", flat=True)),
        )
    return grouped(
        named
        for section, cited in scanned
        for named in uses_in_section(section, count_keys(replace_aliases(cited, same)))
    )


def count_keys(cited: Mapping[str, int]) -> dict[str, int]:
    """Return how often each key is cited; `cited` is a result of `latex.cite_keys.count_cited`."""
    counts = Counter(",".join(cited).split(",")) if cited else Counter()  # each list once, then the repeated ones
    for keys, count in cited.items():
        if count > 1:
            for key in keys.split(","):
                counts[key] += count - 1
    return counts


def uses_in_section(section: SectionText, counts: Mapping[str, int]) -> Iterator[tuple[str, Use]]:
    """Yield each key of `counts` with its use in `section`."""
    # Keys that are cited equally often in a section share one object: a long thesis has a hundred thousand uses.
    made = {count: Use(*section[:4], count) for count in set(counts.values())}
    return ((key, made[count]) for key, count in counts.items())


_CACHED_THESES = 64  # theses whose counts this process caches


class _CitationCounts(NamedTuple):
    """The cached counts of a thesis: how often each key is cited, and the citing macros of each section, by its id."""

    counted: Counter[str]
    macros: dict[UUID | None, Macros]


def times_cited(project: Project) -> Mapping[str, int]:
    """Return how often each reference is cited in the saved text of `project`, by its key or an alias.

    The counts are cached by the versions of the text.
    """
    return Counter(replace_aliases(_cached_counts(project).counted, OtherKey.objects.by_key(project)))


def macros_of(project: Project, section: UUID) -> Macros:
    """Return the citing commands that the thesis defines for the section with the id `section`."""
    return _cached_counts(project).macros.get(section, NONE)


def _cached_counts(project: Project) -> _CitationCounts:
    versions = Section.objects.filter(project=project).order_by("pk").values_list("pk", "version", "number")
    files = ThesisFile.objects.filter(project=project).order_by("pk").values_list("pk", "path", "sha256")
    return _count_thesis(project.pk, tuple(versions), tuple(files))


@lru_cache(_CACHED_THESES)
def _count_thesis(pk: UUID, versions: tuple[Any, ...], files: tuple[Any, ...]) -> _CitationCounts:
    # If a text is saved meanwhile, its counts are cached under the older version, which is not asked for again.
    counted: Counter[str] = Counter()
    texts = section_texts(Project(pk=pk))
    for text in texts:
        counted.update(count_keys(count_cited(text.latex, text.macros)))
    return _CitationCounts(counted, {text.id: text.macros for text in texts})
