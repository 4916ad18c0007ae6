"""The pattern by which a thesis makes the keys of new references (SPEC C5). Keys that exist are never changed."""

from typing import NamedTuple

from citations.formats.csl import KEY_PATTERNS, make_key
from citations.formats.reading import Csl
from citations.matching import has_title_or_people
from citations.models import Citation, KeyPattern
from core.errors import Refused
from projects.models import Project

_LABELS = {
    "surname-year": "Surname and year",
    "surname-year-word": "Surname, year and first word of the title",
    "surname_word_year": "Surname, first word of the title and year, as Zotero writes it",
    "Surname:year": "Surname, colon and year",
}
_SAMPLE: Csl = {
    "title": "Oxygen after cardiac arrest",
    "author": [{"family": "Smith"}],
    "issued": {"date-parts": [[2020]]},
}


class PatternExample(NamedTuple):
    """A pattern with its name for people and the key that a reference would get."""

    pattern: str
    label: str
    example: str


def pattern_of(project: Project) -> str:
    """Return the pattern of a thesis."""
    return KeyPattern.objects.of(project) or KEY_PATTERNS[0]


def save_pattern(project: Project, pattern: str) -> None:
    """Save the pattern of a thesis. Raises Refused for an unknown one."""
    if pattern not in KEY_PATTERNS:
        raise Refused("Choose a pattern from the list.", field="pattern", code="unknown", choices=KEY_PATTERNS)
    KeyPattern.objects.update_or_create(project=project, defaults={"pattern": pattern})


def examples(project: Project) -> list[PatternExample]:
    """Return all patterns, each with the key of the thesis's first reference with author and year, else of a sample."""
    first = Citation.objects.filter(project=project, year__isnull=False).exclude(authors="").exclude(title="").first()
    csl = first.csl if first and has_title_or_people(first.csl) else _SAMPLE
    return [PatternExample(pattern, _LABELS[pattern], make_key(csl, (), pattern)) for pattern in KEY_PATTERNS]
