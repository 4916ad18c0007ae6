"""The rows of a thesis as a manuscript, whole or as far as its forms need it, its layout written, and its numbers
for sections.printed (SPEC T2, T5).

What people type and tick for the title page and the forms: the JSON API validates with the same form.
"""

from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.forms import BoundField
from django.utils.datastructures import MultiValueDict

from citations.models import Citation, OtherKey
from latex.letters import odd_letters
from latex.numbering import Numbered
from projects.forms import LineField, StorableField
from projects.models import Project
from sections.models import Section, ThesisFile
from sections.printed import Printed
from sections.thesis_files import bytes_of
from thesis.authorship.statement import ai_use_of
from thesis.front.facts import (
    BY_NAME,
    FACTS,
    GROUPS,
    LONGEST_FACT,
    LONGEST_TEXT,
    NOT,
    PAGES,
    TITLES,
    facts_of,
    read_abbreviations,
    unusual,
    values,
)
from thesis.front.pages import is_appendix
from thesis.manuscript import AiUse, Chapter, File, LayoutOf, Manuscript, Work
from thesis.models import Layout
from thesis.numbering import Counted, counted


def laid(project: Project, ai_use: AiUse | None = None) -> Manuscript:
    """`project` as far as its title page and forms need it: the text and the layout, no works and no file's bytes.

    `ai_use` is what is said about the use of AI, where the caller has it already.
    """
    chapters = _chapters(project)
    mains = ThesisFile.objects.filter(project=project, is_main=True, pieces__isnull=False)
    return Manuscript(
        title=project.title,
        author=project.owner.name,
        style=project.citation_style,
        chapters=chapters,
        files=[
            File(path, kind, is_main=True, pieces=pieces)
            for path, kind, pieces in mains.values_list("path", "kind", "pieces")
        ],
        layout=layout_of(project, chapters),
        discipline=project.discipline,
        degree=project.degree,
        ai_use=ai_use_of(project) if ai_use is None else ai_use,
    )


def layout_of(project: Project, chapters: list[Chapter]) -> LayoutOf:
    """What somebody chose for `project`, else a report with the sections behind the references whose titles say so."""
    row = Layout.objects.filter(project=project).first()
    if row is None:
        return LayoutOf(appendices=[chapter.id for chapter in chapters if is_appendix(chapter.title)])
    appendices = [str(one) for one in row.appendices]
    return LayoutOf(row.template, dict(row.facts), dict(row.pages), row.acknowledgements, row.abbreviations, appendices)


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
    """What is odd about the words of the forms: letters that LaTeX cannot set, with field and line; numbers of another shape."""
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


def manuscript_of(project: Project, *, whole: bool = True) -> Manuscript:
    """`project` as it stands, without what is in the bin, in a constant number of queries; no file is read yet.

    `whole` False is for what prints no title page and forms: what is said there about the use of AI is left out.
    """
    works = Citation.objects.filter(project=project).values_list("cite_key", "csl", "tier", "status")
    return replace(
        text_of(project),
        style=project.citation_style,
        works=[Work(*columns) for columns in works],
        other_keys=OtherKey.objects.by_key(project),
        discipline=project.discipline,
        degree=project.degree,
        ai_use=ai_use_of(project) if whole else AiUse(),
    )


def text_of(project: Project) -> Manuscript:
    """The text of `project` and how it is laid out, without its references and what its forms say."""
    chapters = _chapters(project)
    files = [
        File(
            row.path,
            row.kind,
            row.is_main,
            row.pieces,
            row.encoding,
            row.media_type,
            partial(bytes_of, row) if row.blob else bytes,
        )
        for row in ThesisFile.objects.filter(project=project).order_by("path")
    ]
    return Manuscript(
        project.title, project.owner.name, chapters=chapters, files=files, layout=layout_of(project, chapters)
    )


def _chapters(project: Project) -> list[Chapter]:
    sections = Section.objects.filter(project=project).order_by("number", "pk")
    columns = sections.values_list("pk", "number", "slug", "title", "latex", "words")
    return [Chapter(str(pk), *rest) for pk, *rest in columns]


_MOST = 64  # theses whose numbers a process keeps

_kept: OrderedDict[UUID, tuple[object, dict[str, str], dict[str, list[Numbered]]]] = OrderedDict()


def printed(project: Project, opened: Section | None) -> Printed:
    """The number before the title of each section, and what has one in `opened`. Texts are read again once one has changed."""
    rows = Section.objects.filter(project=project).order_by("number", "pk")
    layout = Layout.objects.filter(project=project).values_list("appendices", flat=True).first()
    files = ThesisFile.objects.filter(project=project, kind=ThesisFile.Kind.TEX).values_list("pk", "sha256")
    state = [list(rows.values_list("pk", "version", "number", "title")), layout, list(files)]
    found = _kept.get(project.pk)
    if found is None or found[0] != state:
        manuscript = text_of(project)
        sections = counted(manuscript)
        numbers = {chapter.id: _own(chapter, sections.get(chapter.id)) for chapter in manuscript.chapters}
        found = _kept[project.pk] = state, numbers, {key: one.numbered for key, one in sections.items()}
        if len(_kept) > _MOST:
            _kept.popitem(last=False)
    _, numbers, within = found
    return Printed(numbers, within.get(str(opened.pk), []) if opened else [])


def _own(chapter: Chapter, section: Counted | None) -> str:
    """The number over a section: that of the heading it begins with, where Scholium prints none over it."""
    if section is None or section.heading:
        return section.heading if section else ""
    first = next((one for one in section.numbered if one.kind == "heading"), None)
    return first.number if first is not None and not chapter.latex[: first.start].strip() else ""


_MOST_TOLD = 10  # lines of the abbreviations that are told at once


class LayoutForm(forms.Form):
    """The layout of `manuscript`. Fields that only another template asks for are not shown, and keep what they have."""

    template = forms.ChoiceField(label="Template", choices=Layout.Template.choices, widget=forms.RadioSelect)

    def __init__(self, manuscript: Manuscript, data: Any = None, *, template: str = "") -> None:
        """Bound to `data` where that is given; else as the layout stands, or as it would with `template`."""
        self.base = layout = manuscript.layout
        shown = template or (data.get("template") if data else "") or layout.template
        self.shown = shown if shown in Layout.Template.values else layout.template
        super().__init__(data, initial=initial(layout._replace(template=self.shown)), label_suffix="")
        known = {"author": manuscript.author, "degree": manuscript.degree, "discipline": manuscript.discipline}
        for fact in FACTS:
            field = LineField(label=fact.label, help_text=fact.hint, max_length=LONGEST_FACT, required=False)
            field.error_messages["max_length"] = f"{fact.label} has at most {LONGEST_FACT} characters. Shorten it."
            field.widget.attrs.update({"autocomplete": "off", "placeholder": known.get(fact.name, "")})
            self.fields[fact.name] = field
        for page in PAGES:
            self.fields[f"page_{page.name}"] = forms.BooleanField(label=page.title, help_text=page.hint, required=False)
        self.fields["acknowledgements"] = _text(
            "Acknowledgements", "Each line becomes a paragraph. None are printed while this is empty.", 8
        )
        self.fields["abbreviations"] = _text(
            "Abbreviations", "One a line: ICU = intensive care unit. They are put into order by themselves.", 8
        )
        self.fields["appendices"] = forms.MultipleChoiceField(
            label="Appendices",
            help_text="These sections are printed behind the references, in the order of the outline.",
            choices=[(chapter.id, chapter.title) for chapter in manuscript.chapters],
            widget=forms.CheckboxSelectMultiple,
            error_messages={
                "invalid_choice": "A section that is ticked is not in this thesis any more. Look at the list again."
            },
            required=False,
        )

    @property
    def groups(self) -> list[tuple[str, list[BoundField]]]:
        """The facts, as they stand together on the page: the heading and the fields of each group."""
        return [
            (group, fields)
            for group in GROUPS
            if (fields := [self[fact.name] for fact in facts_of(self.shown) if fact.group == group])
        ]

    @property
    def shown_name(self) -> str:
        """What people call the template that is shown."""
        return Layout.Template(self.shown).label

    @property
    def pages(self) -> list[BoundField]:
        """The boxes of the pages, in their order."""
        return [self[f"page_{page.name}"] for page in PAGES]

    def clean_abbreviations(self) -> str:
        text: str = self.cleaned_data["abbreviations"]
        if wrong := read_abbreviations(text)[1]:
            more = [f"{len(wrong) - _MOST_TOLD} more lines are like these."] if len(wrong) > _MOST_TOLD else []
            raise ValidationError([*(one.said for one in wrong[:_MOST_TOLD]), *more])
        return text

    def layout(self) -> LayoutOf:
        """What is chosen, of a valid form or of what can be read of one that is not."""
        cleaned = self.cleaned_data
        asked = {fact.name for fact in facts_of(self.shown)}
        facts = {
            fact.name: word
            for fact in FACTS
            if (
                word := cleaned.get(fact.name)
                if fact.name in asked or fact.name in self.data
                else self.base.facts.get(fact.name)
            )
        }
        usual = {page.name: page.printed[self.shown] != NOT for page in PAGES}
        ticked = {page.name: bool(cleaned.get(f"page_{page.name}")) for page in PAGES}
        if self.data.get("shown", self.shown) != self.shown:  # the boxes were those of another template
            ticked = usual
        return LayoutOf(
            template=self.shown,
            facts=facts,
            pages={name: is_on for name, is_on in ticked.items() if is_on != usual[name]},
            acknowledgements=cleaned.get("acknowledgements", ""),
            abbreviations=cleaned.get("abbreviations", ""),
            appendices=list(cleaned.get("appendices", [])),
        )


def initial(layout: LayoutOf) -> dict[str, Any]:
    """`layout` as the fields of LayoutForm have it."""
    return {
        "template": layout.template,
        **layout.facts,
        **{f"page_{page.name}": layout.pages.get(page.name, page.printed[layout.template] != NOT) for page in PAGES},
        "acknowledgements": layout.acknowledgements,
        "abbreviations": layout.abbreviations,
        "appendices": list(layout.appendices),
    }


def with_template(form: LayoutForm, manuscript: Manuscript) -> LayoutForm:
    """`form` with what was typed into it, as the template that is chosen in it asks: its fields, and the pages it prints."""
    form.is_valid()
    layout = form.layout()._replace(pages=manuscript.layout.pages if form.shown == manuscript.layout.template else {})
    typed = {name: form.data.get(name, "") for name in ("acknowledgements", "abbreviations")}
    fresh = LayoutForm(manuscript, template=form.shown)
    fresh.initial = {**initial(layout), **typed}
    return fresh


def as_posted(values: dict[str, Any]) -> MultiValueDict[str, Any]:
    """`values`, as `initial` gives them, the way a browser posts them: a box that is not ticked is not there."""
    ticked = ((name, value) for name, value in values.items() if value is not False)
    return MultiValueDict({name: value if isinstance(value, list) else [value] for name, value in ticked})


def _text(label: str, hint: str, rows: int) -> StorableField:
    field = StorableField(label=label, help_text=hint, max_length=LONGEST_TEXT, required=False)
    field.widget = forms.Textarea(attrs={"autocomplete": "off", "rows": rows})
    field.error_messages["max_length"] = f"{label} have at most {LONGEST_TEXT:,} characters. Shorten them."
    return field
