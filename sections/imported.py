"""Sections that come in with their text: each is the first version of its history (SPEC T2)."""

from collections.abc import Sequence

from django.db.models import Max

from latex.word_count import count_words
from projects.models import Project, User
from sections.models import Section, SectionVersion, _free_slug


def add_sections(project: Project, texts: Sequence[tuple[str, str]], user: User) -> list[Section]:
    """Sections of (title, LaTeX) behind those that `project` has. To be called in a transaction that locks the project."""
    there = Section.everything.filter(project=project)
    slugs = set(there.values_list("slug", flat=True))
    last = there.filter(removed_at=None).aggregate(last=Max("number"))["last"]
    sections = []
    for number, (title, latex) in enumerate(texts, 0 if last is None else last + 1):
        slug = _free_slug(title, slugs)
        slugs.add(slug)
        words = count_words(latex)
        sections.append(
            Section(project=project, number=number, slug=slug, title=title, latex=latex, words=words, version=1)
        )
    Section.objects.bulk_create(sections, batch_size=50)
    kind = SectionVersion.Kind.IMPORTED
    rows = [SectionVersion(section=one, version=1, latex=one.latex, saved_by=user, kind=kind) for one in sections]
    SectionVersion.objects.bulk_create(rows, batch_size=50)
    return sections
