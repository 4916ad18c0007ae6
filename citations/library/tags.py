"""Tags of references: adding, removing, renaming, deleting, and making them of imported keywords (SPEC C9, C10).

Two names that differ only in capitals are one tag, with the capitals of the first.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from uuid import UUID

from django.db.models import Count, QuerySet

from citations.library.names import clean_name, shortened
from citations.models import Citation, Tag, Tagging
from citations.resolution.check_job import batched
from core.errors import Refused
from core.grouping import grouped
from projects.models import Project

MOST_AT_ONCE = 20  # tags added in one step
MOST = 1_000  # tags of a thesis
_BETWEEN = re.compile(r"[,;]")
_BETWEEN_KEYWORDS = re.compile(r"[,;\r\n]")


class Keyword(NamedTuple):
    """A keyword of imported entries that is no tag yet, and how many references have it."""

    name: str
    works: int


def split_names(text: str) -> list[str]:
    """Return the names in a typed text, which are separated by commas. Raises Refused as `clean_tag` and for none."""
    parts = [one for one in _BETWEEN.split(text) if one.strip()]
    if not parts:
        raise Refused("Write a tag.", field="tag", code="empty")
    return _checked_count(list({(name := clean_tag(one)).casefold(): name for one in parts}.values()))


def clean_tag(text: str) -> str:
    """Return the name of a tag. Raises Refused as `clean_name`, and for a comma or semicolon, which separate tags."""
    name = clean_name(text, Tag.LONGEST, "tag")
    if _BETWEEN.search(name):
        raise Refused("A tag cannot contain commas or semicolons.", field="tag")
    return name


def tags_named(project: Project, names: Sequence[str]) -> list[Tag]:
    """Return the tags of these names, making those that do not exist. Raises Refused for an invalid name."""
    wanted = {name.casefold(): name for name in reversed([clean_tag(one) for one in names])}
    here = {tag.folded: tag for tag in Tag.objects.filter(project=project, folded__in=wanted)}
    new = [Tag(project=project, name=name, folded=folded) for folded, name in wanted.items() if folded not in here]
    if new and Tag.objects.filter(project=project).count() + len(new) > MOST:
        raise Refused(f"A thesis can have at most {MOST:,} tags. Delete some first.", field="tag", code="too_many")
    Tag.objects.bulk_create(new)
    return [*here.values(), *new]


def add_tags(project: Project, citations: Iterable[UUID], names: Sequence[str]) -> None:
    """Give tags to references of `project`. Raises Refused for an invalid name."""
    with Project.objects.held(project.pk):
        tags = tags_named(project, _checked_count(names))
        for some in batched(list(citations)):
            Tagging.objects.bulk_create(
                (Tagging(tag=tag, citation_id=pk) for tag in tags for pk in some), ignore_conflicts=True, batch_size=500
            )


def remove_tags(project: Project, citations: Iterable[UUID], names: Sequence[str]) -> None:
    """Take tags off references of `project`; the tags stay. Raises Refused for a tag that does not exist."""
    folded = {clean_tag(name).casefold(): name for name in names}
    tags = Tag.objects.filter(project=project, folded__in=folded)
    if missing := folded.keys() - {tag.folded for tag in tags}:
        raise Refused(f"There is no tag “{shortened(folded[min(missing)])}”.", field="tag", code="unknown")
    for some in batched(list(citations)):
        Tagging.objects.filter(tag__in=tags, citation__in=some).delete()


def set_tags(citation: Citation, names: Sequence[str]) -> None:
    """Give a reference exactly these tags. Raises Refused for an invalid name."""
    with Project.objects.held(citation.project_id):
        tags = tags_named(citation.project, _checked_count(names))
        citation.taggings.exclude(tag__in=tags).delete()
        Tagging.objects.bulk_create([Tagging(tag=tag, citation=citation) for tag in tags], ignore_conflicts=True)


def tags_of_project(project: Project) -> QuerySet[Tag]:
    """Return the tags of a thesis by name, each with the number of its references as `count`."""
    return Tag.objects.filter(project=project).annotate(count=Count("taggings"))


def tags_by_citation(citations: Iterable[UUID]) -> dict[UUID, list[tuple[int, str]]]:
    """Return id and name of the tags of references, by the reference's id; one query for 500 references."""
    return grouped(
        (citation, (tag, name))
        for some in batched(list(citations))
        for citation, tag, name in Tagging.objects.filter(citation__in=some).values_list("citation", "tag", "tag__name")
    )


def rename_tag(tag: Tag, name: str) -> Tag:
    """Rename a tag on all its references. Raises Refused for an invalid name and one that another tag has."""
    name = clean_tag(name)
    with Project.objects.held(tag.project_id):
        if other := Tag.objects.filter(project=tag.project_id, folded=name.casefold()).exclude(pk=tag.pk).first():
            raise Refused(f"There is already a tag “{shortened(other.name)}”.", field="tag", code="taken", status=409)
        tag.name, tag.folded = name, name.casefold()
        tag.save(update_fields=["name", "folded"])
    return tag


def keywords_of(project: Project) -> list[Keyword]:
    """Return the keywords of the references' entries that are no tags yet, the most frequent first.

    Those that cannot be a tag, such as very long ones, are left out.
    """
    tags = set(Tag.objects.filter(project=project).values_list("folded", flat=True))
    names: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for _, keyword in _keywords(project):
        folded = keyword.casefold()
        if folded not in tags:
            names.setdefault(folded, keyword)
            counts[folded] += 1
    return [Keyword(names[folded], count) for folded, count in sorted(counts.items(), key=lambda one: (-one[1], one))]


def make_tags_of_keywords(project: Project, names: Iterable[str]) -> int:
    """Make tags of the keywords `names` for all references that have them; return the number of tags.

    The entries keep their keywords. Raises Refused when there are no such keywords.
    """
    wanted = {name.casefold() for name in names}
    with Project.objects.held(project.pk):
        found = [(pk, keyword) for pk, keyword in _keywords(project) if keyword.casefold() in wanted]
        if not found:
            raise Refused("Choose at least one keyword.", field="keyword", code="empty")
        tags = {tag.folded: tag for tag in tags_named(project, [keyword for _, keyword in found])}
        Tagging.objects.bulk_create(
            (Tagging(tag=tags[keyword.casefold()], citation_id=pk) for pk, keyword in found),
            ignore_conflicts=True,
            batch_size=500,
        )
    return len(tags)


def _keywords(project: Project) -> Iterator[tuple[UUID, str]]:
    """Yield each reference with each of its keywords that can be a tag, once."""
    rows = Citation.objects.filter(project=project, csl__has_key="keyword").order_by("serial")
    for pk, keywords in rows.values_list("pk", "csl__keyword"):
        seen = set()
        for part in _BETWEEN_KEYWORDS.split(str(keywords)):
            try:
                name = clean_tag(part)
            except Refused:
                continue
            if name.casefold() not in seen:
                seen.add(name.casefold())
                yield pk, name


def _checked_count(names: Sequence[str]) -> list[str]:
    if len(names) > MOST_AT_ONCE:
        raise Refused(f"Give at most {MOST_AT_ONCE} tags at once.", field="tag", code="too_many")
    return list(names)
