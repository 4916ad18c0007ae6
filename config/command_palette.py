"""Where the palette (Ctrl+K) leads: sections, references, pages, actions, research, data, and what you used last."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet
from django.urls import reverse

from analysis.models import Analysis
from citations.cite_dialog.cite_dialog import search_references
from contextfiles.models import ContextFile
from projects.access import Act, may, may_open_data
from projects.models import Project, User
from research.models import Run
from sections.models import Section, SectionVersion

MOST = 6  # entries of a kind
MOST_RECENT = 5
MOST_WORDS = 8

# Label, URL name, permission needed; other words people look for it by
PAGES: tuple[tuple[str, str, Act, str], ...] = (
    ("Write", "sections:workspace", "write", "editor text sections"),
    ("Read", "thesis:manuscript", "read", "manuscript"),
    ("Citations", "citations:list", "read", "references bibliography sources"),
    ("Citation audit", "citations:audit", "read", "unproven missing references"),
    ("Duplicate references", "citations:duplicates", "read", "merge citations"),
    ("Files", "contextfiles:list", "read", "uploads documents"),
    ("Research", "research:list", "read", "literature search runs"),
    ("Analyses", "analysis:index", "read", "statistics data results"),
    ("Build", "thesis:build", "read", "pdf word export latex"),
    ("PDF", "thesis:pdf", "read", "view newest"),
    ("Title pages and layout", "thesis:layout", "read", "front matter template print"),
    ("Find and replace", "sections:find", "read", "search words text"),
    ("Saved versions of the thesis", "sections:snapshots", "read", "snapshots history"),
    ("Use of AI", "thesis:ai_use", "read", "statement declaration drafts"),
    ("Settings and members", "projects:settings", "read", "invite supervisor style title"),
)
ACTIONS: tuple[tuple[str, str, Act, str], ...] = (
    ("Add a reference", "citations:add", "write", "cite doi pmid bibtex"),
    ("Import references", "citations:import", "write", "zotero mendeley endnote bibtex ris"),
    ("Add PDFs of references", "thesis:pdf_batches", "write", "attach upload papers articles"),
    ("Import sections", "thesis:bring_into", "write", "word latex markdown upload"),
    ("Add data", "analysis:add_data", "write", "upload csv excel dataset"),
    ("New analysis", "analysis:wizard", "write", "statistics test t table"),
    ("Sample size", "analysis:sample_size", "write", "power calculation"),
)
OWN_PAGES: tuple[tuple[str, str, str], ...] = (
    ("Your theses", "projects:home", "home start"),
    ("New thesis", "projects:create", "create start template"),
    ("Import a thesis", "thesis:bring", "word latex upload overleaf"),
    ("Your account", "projects:account", "name password token sign out"),
)


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """A place to go to: how it is called, its address, and which thesis or kind of thing it belongs to."""

    label: str
    address: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class PaletteGroup:
    """Entries of one kind under their heading."""

    title: str
    entries: Sequence[PaletteEntry]


def palette(user: User, project: Project | None, words: str = "") -> list[PaletteGroup]:
    """Return the groups for `words`, each with at most six entries; without words what you used last, and the pages.

    `project` is the thesis that is open; it comes from `get_project`, which sets the user's role.
    """
    asked = words.casefold().split()[:MOST_WORDS]
    groups: list[tuple[str, Iterator[PaletteEntry]]] = []
    if not asked:
        groups.append(("Recent", _recent(user, project)))
    if project:
        groups.append(("Sections", _sections(project, asked)))
        if asked:
            groups += [("Citations", _citations(project, words)), *_rows(project, asked)]
        groups += [("Pages", _listed(project, PAGES, asked)), ("Actions", _listed(project, ACTIONS, asked))]
    groups += [("Theses", _theses(user, project, asked)), ("Scholium", _own_pages(asked))]
    found = ((title, list(entries)) for title, entries in groups)
    return [PaletteGroup(title, entries) for title, entries in found if entries]


def _recent(user: User, here: Project | None) -> Iterator[PaletteEntry]:
    """The sections that `user` saved last and the runs they started last, newest first; elsewhere with the thesis."""

    def entry(label: str, project: Project, view: str, *args: Any) -> PaletteEntry:
        return PaletteEntry(label, _at(view, *args), "" if here and here.pk == project.pk else project.title)

    mine = Project.objects.mine(user)
    versions = SectionVersion.objects.filter(saved_by=user, section__project__in=mine, section__removed_at=None)
    newest: dict[Any, PaletteEntry] = {}
    for row in versions.select_related("section__project").order_by("-pk")[: 20 * MOST_RECENT]:
        section = row.section
        place = ("sections:section", section.project_id, section.slug)
        newest.setdefault(section.pk, entry(section.title, section.project, *place))
        if len(newest) == MOST_RECENT:
            break
    yield from newest.values()
    runs = Run.objects.filter(project__in=mine, created_by=user).select_related("project").order_by("-created_at")
    yield from (entry(row.question[:120], row.project, "research:run", row.pk) for row in runs[:2])


def _sections(project: Project, words: Sequence[str]) -> Iterator[PaletteEntry]:
    view = "sections:section" if may(project.role, "write") else ""  # type: ignore[attr-defined]
    found = _with_words(Section.objects.filter(project=project), "title", words).order_by("number")
    for section in found if not words else found[:MOST]:
        read = f"{reverse('thesis:manuscript', args=[project.pk])}#s-{section.slug}"
        yield PaletteEntry(section.title, reverse(view, args=[project.pk, section.slug]) if view else read)


def _citations(project: Project, words: str) -> Iterator[PaletteEntry]:
    for one in search_references(project, words)[0][:MOST]:
        yield PaletteEntry(one.title or one.cite_key, _at("citations:detail", project.pk, one.pk), one.cite_key)


def _rows(project: Project, words: Sequence[str]) -> Iterator[tuple[str, Iterator[PaletteEntry]]]:
    """Runs and analyses by what was asked; files by name, for those who may open them."""
    runs = _with_words(Run.objects.filter(project=project), "question", words).order_by("-created_at")
    yield "Research", (PaletteEntry(row.question[:120], _at("research:run", row.pk)) for row in runs[:MOST])
    analyses = _with_words(Analysis.objects.filter(project=project), "title", words).order_by("-number")
    yield "Analyses", (PaletteEntry(row.title, _at("analysis:result", project.pk, row.pk)) for row in analyses[:MOST])
    if not may_open_data(project):
        return
    files = _with_words(ContextFile.objects.filter(project=project), "name", words).order_by("name")
    yield "Files", (PaletteEntry(row.name, _at("contextfiles:file", project.pk, row.pk)) for row in files[:MOST])


def _listed(
    project: Project, places: Sequence[tuple[str, str, Act, str]], words: Sequence[str]
) -> Iterator[PaletteEntry]:
    for label, view, act, others in places:
        if may(project.role, act) and _matches(f"{label} {others}", words):  # type: ignore[attr-defined]
            yield PaletteEntry(label, _at(view, project.pk))


def _theses(user: User, project: Project | None, words: Sequence[str]) -> Iterator[PaletteEntry]:
    found = _with_words(Project.objects.mine(user), "title", words).order_by("-updated_at")
    for row in found[: MOST + 1]:
        if project is None or row.pk != project.pk:
            yield PaletteEntry(row.title, _at("sections:workspace", row.pk))


def _own_pages(words: Sequence[str]) -> Iterator[PaletteEntry]:
    for label, view, others in OWN_PAGES:
        if _matches(f"{label} {others}", words):
            yield PaletteEntry(label, reverse(view))


def _with_words(rows: "QuerySet[Any]", field: str, words: Sequence[str]) -> "QuerySet[Any]":
    return rows.filter(*(Q(**{f"{field}__icontains": word}) for word in words))


def _matches(text: str, words: Sequence[str]) -> bool:
    """Return whether each of `words` begins a word of `text`."""
    known = text.casefold().split()
    return all(any(one.startswith(word) for one in known) for word in words)


def _at(view: str, *args: Any) -> str:
    return reverse(view, args=args)
