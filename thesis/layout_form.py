"""The form for the title page and the forms of a thesis. The JSON API validates with it, too (SPEC T5)."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms import BoundField
from django.utils.datastructures import MultiValueDict

from projects.forms import LineField, StorableField
from thesis.front_matter.page_fields import (
    FACTS,
    GROUPS,
    LONGEST_FACT,
    LONGEST_TEXT,
    NOT,
    PAGES,
    facts_of,
    read_abbreviations,
)
from thesis.manuscript import LayoutValues, Manuscript
from thesis.models import Layout

_MOST_TOLD = 10  # errors of the abbreviations that are shown at once


class LayoutForm(forms.Form):
    """The layout of `manuscript`. Fields that only other templates have are not shown and keep their values."""

    template = forms.ChoiceField(label="Template", choices=Layout.Template.choices, widget=forms.RadioSelect)

    def __init__(self, manuscript: Manuscript, data: Any = None, *, template: str = "") -> None:
        """Bind the form to `data`, if given; else show the saved layout, or what it would be with `template`."""
        self.base = layout = manuscript.layout
        shown = template or (data.get("template") if data else "") or layout.template
        self.shown = shown if shown in Layout.Template.values else layout.template
        super().__init__(data, initial=initial(layout._replace(template=self.shown)), label_suffix="")
        known = {"author": manuscript.author, "degree": manuscript.degree, "discipline": manuscript.discipline}
        for fact in FACTS:
            field = LineField(label=fact.label, help_text=fact.hint, max_length=LONGEST_FACT, required=False)
            field.error_messages["max_length"] = f"{fact.label} can have at most {LONGEST_FACT} characters. Shorten it."
            field.widget.attrs.update({"autocomplete": "off", "placeholder": known.get(fact.name, "")})
            self.fields[fact.name] = field
        for page in PAGES:
            self.fields[f"page_{page.name}"] = forms.BooleanField(label=page.title, help_text=page.hint, required=False)
        self.fields["acknowledgements"] = _text(
            "Acknowledgements", "Each line becomes a paragraph. Leave it empty to print none.", 8
        )
        self.fields["abbreviations"] = _text(
            "Abbreviations", "One per line: ICU = intensive care unit. They are sorted automatically.", 8
        )
        self.fields["appendices"] = forms.MultipleChoiceField(
            label="Appendices",
            help_text="These sections are printed after the references, in the order of the outline.",
            choices=[(chapter.id, chapter.title) for chapter in manuscript.chapters],
            widget=forms.CheckboxSelectMultiple,
            error_messages={"invalid_choice": "A selected section is no longer in this thesis. Check the list again."},
            required=False,
        )

    @property
    def groups(self) -> list[tuple[str, list[BoundField]]]:
        """Return the fields in groups as on the page: the heading and the fields of each group."""
        return [
            (group, fields)
            for group in GROUPS
            if (fields := [self[fact.name] for fact in facts_of(self.shown) if fact.group == group])
        ]

    @property
    def shown_name(self) -> str:
        """Return the name of the shown template."""
        return Layout.Template(self.shown).label

    @property
    def pages(self) -> list[BoundField]:
        """Return the checkboxes of the pages, in their order."""
        return [self[f"page_{page.name}"] for page in PAGES]

    def clean_abbreviations(self) -> str:
        """Return the abbreviations; a wrong line is an error."""
        text: str = self.cleaned_data["abbreviations"]
        if wrong := read_abbreviations(text)[1]:
            more = [f"{len(wrong) - _MOST_TOLD} more lines have errors."] if len(wrong) > _MOST_TOLD else []
            raise ValidationError([*wrong[:_MOST_TOLD], *more])
        return text

    def layout(self) -> LayoutValues:
        """Return the layout in the form; of an invalid form, as far as its fields are valid."""
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
        if self.data.get("shown", self.shown) != self.shown:  # the checkboxes were those of another template
            ticked = usual
        return LayoutValues(
            template=self.shown,
            facts=facts,
            pages={name: is_on for name, is_on in ticked.items() if is_on != usual[name]},
            acknowledgements=cleaned.get("acknowledgements", ""),
            abbreviations=cleaned.get("abbreviations", ""),
            appendices=list(cleaned.get("appendices", [])),
        )


def initial(layout: LayoutValues) -> dict[str, Any]:
    """Return `layout` as initial data of LayoutForm."""
    return {
        "template": layout.template,
        **layout.facts,
        **{f"page_{page.name}": layout.pages.get(page.name, page.printed[layout.template] != NOT) for page in PAGES},
        "acknowledgements": layout.acknowledgements,
        "abbreviations": layout.abbreviations,
        "appendices": list(layout.appendices),
    }


def with_template(form: LayoutForm, manuscript: Manuscript) -> LayoutForm:
    """Return `form` with its values for the template chosen in it: with the fields and pages of that template."""
    form.is_valid()
    layout = form.layout()._replace(pages=manuscript.layout.pages if form.shown == manuscript.layout.template else {})
    typed = {name: form.data.get(name, "") for name in ("acknowledgements", "abbreviations")}
    fresh = LayoutForm(manuscript, template=form.shown)
    fresh.initial = {**initial(layout), **typed}
    return fresh


def as_posted(values: dict[str, Any]) -> MultiValueDict[str, Any]:
    """Return `values` (as from `initial`) as a browser posts them: without checkboxes that are not checked."""
    ticked = ((name, value) for name, value in values.items() if value is not False)
    return MultiValueDict({name: value if isinstance(value, list) else [value] for name, value in ticked})


def _text(label: str, hint: str, rows: int) -> StorableField:
    field = StorableField(label=label, help_text=hint, max_length=LONGEST_TEXT, required=False)
    field.widget = forms.Textarea(attrs={"autocomplete": "off", "rows": rows})
    field.error_messages["max_length"] = f"{label} can have at most {LONGEST_TEXT:,} characters. Shorten them."
    return field
