"""The layout of a thesis: keeping it, and what is odd about the words of its title page and forms (SPEC T5)."""

from dataclasses import dataclass

from latex.characters import odd_letters
from projects.models import Project
from thesis.front_matter.title_page_facts import (
    BY_NAME,
    TITLES,
    facts_of,
    unusual,
    values,
)
from thesis.manuscript import LayoutOf, Manuscript
from thesis.models import Layout


def lay(project: Project, layout: LayoutOf) -> None:
    """Keep `layout` for `project`. It was checked by LayoutForm."""
    Layout.objects.update_or_create(project=project, defaults=layout._asdict())
    project.save(update_fields=["updated_at"])


@dataclass(frozen=True)
class Advice:
    """Something about a field that is worth a look and stops nothing; `field` by name, `said` as a sentence."""

    field: str
    said: str


def advice(manuscript: Manuscript) -> list[Advice]:
    """Return what is odd about the words of the forms: letters that LaTeX cannot set, with field and line; numbers of another shape."""
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
        lines: dict[int, list[str]] = {}
        for odd in odd_letters(text)[:12]:
            lines.setdefault(odd.line, []).append(odd.called)
        for line, letters in lines.items():
            where = f"{label}, line {line}" if "\n" in text else label
            found.append(Advice(name, f"{where}: LaTeX cannot set {', '.join(letters)}. Write it in Latin letters."))
        if name in BY_NAME and (strange := unusual(BY_NAME[name], text)):
            found.append(Advice(name, f"{label}: {strange}"))
    return found
