"""Saving the layout of a thesis, and advice on the text of its title page and forms (SPEC T5)."""

from dataclasses import dataclass

from core.grouping import grouped
from latex.printable_characters import unprintable_characters
from projects.models import Project
from thesis.front_matter.page_fields import (
    BY_NAME,
    TITLES,
    facts_of,
    unusual,
    values,
)
from thesis.manuscript import LayoutValues, Manuscript
from thesis.models import Layout


def save_layout(project: Project, layout: LayoutValues) -> None:
    """Save `layout` for `project`. Check it by LayoutForm before."""
    Layout.objects.update_or_create(project=project, defaults=layout._asdict())
    project.save(update_fields=["updated_at"])


@dataclass(frozen=True)
class Advice:
    """Advice on a field, which blocks nothing: the name of the `field`, and a sentence."""

    field: str
    said: str


def advice(manuscript: Manuscript) -> list[Advice]:
    """Return advice on the fields of the forms: characters that LaTeX cannot print, numbers of an unusual form."""
    layout, have = manuscript.layout, values(manuscript)
    texts = [
        ("", "The title of this thesis", manuscript.title),
        *((fact.name, fact.label, have[fact.name]) for fact in facts_of(layout.template)),
        ("acknowledgements", "Acknowledgements", layout.acknowledgements),
        ("abbreviations", "Abbreviations", layout.abbreviations),
        ("ai_use", TITLES["ai_use"], manuscript.ai_use.statement),
    ]
    found = []
    for name, label, text in texts:
        lines = grouped((odd.line, odd.called) for odd in unprintable_characters(text)[:12])
        for line, letters in lines.items():
            where = f"{label}, line {line}" if "\n" in text else label
            found.append(Advice(name, f"{where}: LaTeX cannot print {', '.join(letters)}. Use Latin letters."))
        if name in BY_NAME and (strange := unusual(BY_NAME[name], text)):
            found.append(Advice(name, f"{label}: {strange}"))
    return found
