"""Forms of the research pages: starting a run, changing and saving a profile, and approving a brief."""

import re
from collections.abc import Mapping
from typing import Any

from django import forms

from citations.styles.formatting import format_references
from core.errors import Refused
from projects.forms import LineField, StorableField
from research.models import Run
from research.query_type import QUERY_TYPES
from research.setup.budget import columns_for, money
from research.setup.limits import LONGEST_QUESTION
from research.setup.profile_registry import Profiles
from research.setup.profiles import BUILT_IN, LONGEST_NAME, ResearchProfile, sentence_of
from sources.providers import PROVIDERS

_GROUPING = re.compile(r"(?<=\d)[,\s](?=\d{3}(?!\d))")


class WholeNumberField(forms.IntegerField):
    """A number field that accepts grouped digits, too: 200,000 or 200 000."""

    def to_python(self, value: Any) -> int | None:
        return super().to_python(_GROUPING.sub("", value) if isinstance(value, str) else value)


def typed_number(mode: str) -> forms.TextInput:
    """Return a text input for a number.

    Not of type number: browsers submit that one empty when its content is not a number.
    """
    return forms.TextInput(attrs={"inputmode": mode, "autocomplete": "off"})


_FIRST = ("local-only", "academic")  # first in the list of profiles: most people want one of these
LIMITS = {"budget": "usd", "budget_minutes": "minutes", "budget_tokens": "tokens", "budget_calls": "calls"}

_REPORTS = {
    "literature_review": "Literature review",
    "comparison": "Comparison",
    "enumeration": "Overview",
    "howto": "Guide",
    "explanation": "Explanation",
}


def profile_choices(known: Profiles) -> list[Any]:
    """Return the profiles as choices with a description each, grouped by owner."""
    names = sorted(known.built_in, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))
    groups = {"This site": known.site, "Your profiles": known.own}
    return [
        *((name, _line(known.built_in[name])) for name in names),
        *((label, [(name, _line(one)) for name, one in group.items()]) for label, group in groups.items() if group),
    ]


def _line(profile: ResearchProfile) -> str:
    name = profile.name.replace("-", " ") if profile.name in BUILT_IN else profile.name
    return f"{name[0].upper()}{name[1:]}: {sentence_of(profile)}"


class StartForm(forms.Form):
    """A question, how to work on it, and what it may cost. The files are chosen in the panel next to it."""

    question = forms.CharField(
        label="What do you want to know?",
        max_length=LONGEST_QUESTION,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={
            "required": "Please write a question first.",
            "max_length": "The question has %(show_value)s characters; the maximum is %(limit_value)s. "
            "Keep the question short and upload the rest as a file.",
        },
    )
    profile = forms.ChoiceField(
        label="Profile",
        required=False,
        # The text next to it describes the choice that the server knows, so browsers must not restore another one.
        widget=forms.Select(attrs={"autocomplete": "off", "aria-describedby": "reach"}),
    )
    wants_approval = forms.BooleanField(label="Review the plan before the search starts", required=False)
    budget = forms.DecimalField(
        label="Budget in USD",
        required=False,
        widget=typed_number("decimal"),
        help_text="Before each call to the model, the most it can cost is reserved. If that is more than what is left, "
        "the run stops and keeps what it found. Leave empty for no limit.",
        error_messages={"invalid": "Enter the budget as a number of USD, for example 2.50."},
    )
    budget_minutes = WholeNumberField(
        label="Time limit in minutes",
        required=False,
        widget=typed_number("numeric"),
        error_messages={"invalid": "Enter the minutes as a whole number, for example 30."},
    )
    budget_tokens = WholeNumberField(
        label="Token limit",
        required=False,
        widget=typed_number("numeric"),
        error_messages={"invalid": "Enter the tokens as a whole number, for example 200000."},
    )
    budget_calls = WholeNumberField(
        label="Limit of calls to models",
        required=False,
        widget=typed_number("numeric"),
        error_messages={"invalid": "Enter the calls as a whole number, for example 100."},
    )

    def __init__(self, *args: Any, known: Profiles, has_budget: bool, **kwargs: Any) -> None:
        """Set up the form. `known` are the profiles to choose from; without `has_budget` there are no limits to set."""
        super().__init__(*args, **kwargs)
        self.fields["profile"].choices = profile_choices(known)  # type: ignore[attr-defined]
        if not has_budget:
            for name in LIMITS:
                del self.fields[name]

    @property
    def opens_limits(self) -> bool:
        """Whether one of the collapsed limits is filled in."""
        return any(self[name].value() for name in LIMITS if name in self.fields and name != "budget")

    def clean(self) -> None:
        for name, limit in LIMITS.items():
            try:
                columns_for(**{limit: self.cleaned_data.get(name)})
            except Refused as refused:
                self.add_error(name, refused.message)


class ChoicesForm(forms.Form):
    """The settings of a profile that a person may change, starting from the profile named by `choices_of`.

    Only differences from that profile count as choices, so they are kept when another profile is selected.
    """

    choices_of = forms.CharField(widget=forms.HiddenInput, required=False)
    citation_style = LineField(
        label="Citation style",
        required=False,
        help_text="Type a few letters to search; default is a plain list.",
        widget=forms.TextInput(attrs={"list": "styles", "autocomplete": "off", "spellcheck": "false"}),
    )
    synthesis_template = forms.ChoiceField(
        label="Kind of report",
        required=False,
        choices=[("", "Automatic, from the question"), *((kind, _REPORTS[kind]) for kind in QUERY_TYPES)],
    )
    source_quality_mode = forms.ChoiceField(
        label="Sources",
        choices=[
            ("general", "All kinds of sources"),
            ("academic", "Scholarly sources first"),
            ("technical", "Specifications and manuals first"),
        ],
    )
    providers = forms.MultipleChoiceField(
        label="Catalogues to search",
        required=False,
        choices=[(name, provider.label) for name, provider in PROVIDERS.items()],
        widget=forms.CheckboxSelectMultiple,
    )
    disciplinary_scope = LineField(
        label="Disciplines", required=False, help_text="Separated by commas. For scholarly sources."
    )
    time_period = LineField(
        label="Time period",
        required=False,
        max_length=200,
        help_text="For example 2015 to 2025. For scholarly sources.",
    )
    methodology_preferences = LineField(
        label="Methods",
        required=False,
        help_text="For example field trials. For scholarly sources.",
    )
    enable_citation_tools = forms.BooleanField(
        label="Follow citations: papers that cite a paper, similar papers", required=False
    )
    enable_methodology_assessment = forms.BooleanField(label="Assess each study’s methods", required=False)
    enable_citation_network = forms.BooleanField(label="Draw the citation network", required=False)
    enable_pdf_extraction = forms.BooleanField(label="Read full texts as PDF, page by page", required=False)
    enable_claim_verification = forms.BooleanField(
        label="Check each claim of the report against its source", required=False
    )

    def __init__(self, data: Any = None, *, of: ResearchProfile, changed: Mapping[str, Any] | None = None) -> None:
        """Set up the form for the profile `of`, with what a person has `changed` of it so far."""
        super().__init__(data)
        self.of = of
        self.initial = {**shown(of), **(changed or {}), "choices_of": of.name}
        self.changed_at_first = bool(changed)

    @property
    def switches(self) -> list[forms.BoundField]:
        """The fields that turn a feature on or off."""
        return [field for field in self if field.name.startswith("enable_")]

    @property
    def opens(self) -> bool:
        """Whether the section opens: something was changed in it, or has an error."""
        return self.changed_at_first or (self.is_bound and (bool(self.errors) or bool(self.overrides())))

    def clean_citation_style(self) -> str:
        style: str = self.cleaned_data["citation_style"] or "default"
        if style not in ("default", self.of.citation_style):
            try:
                format_references([], style)
            except Refused as refused:
                raise forms.ValidationError(refused.message) from refused
        return style

    def changes(self) -> dict[str, Any]:
        """Return what differs from the profile, by field. The form must be bound and valid."""
        before = shown(self.of)
        return {
            name: value
            for name, value in self.cleaned_data.items()
            if name in before and (set(value) != set(before[name]) if name == "providers" else value != before[name])
        }

    def overrides(self) -> dict[str, Any]:
        """Return the changes as keys of a profile; providers that stay keep their order, new ones follow."""
        changes = self.changes()
        if "providers" in changes:
            kept = [name for name in self.of.catalogues if name in changes["providers"]]
            changes["providers"] = [*kept, *(name for name in changes["providers"] if name not in kept)]
        if changes.get("synthesis_template") == "":
            changes["synthesis_template"] = None
        return changes


def shown(profile: ResearchProfile) -> dict[str, Any]:
    """Return the values of `profile` as the fields show them."""
    values = profile.model_dump(mode="json", include=set(ChoicesForm.base_fields))
    in_words = {name: ", ".join(values[name]) for name in ("disciplinary_scope", "methodology_preferences")}
    others = {"providers": list(profile.catalogues), "synthesis_template": values["synthesis_template"] or ""}
    return values | in_words | others


class SaveForm(forms.Form):
    """The name under which to save the choices as a profile."""

    save_as = LineField(
        label="Save these choices as a profile",
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "maxlength": 60}),
    )


class NameForm(forms.Form):
    """The name of a saved profile."""

    name = LineField(
        label="Name",
        max_length=LONGEST_NAME,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": "Give the profile a name."},
    )


class BriefForm(forms.Form):
    """The brief of a plan (SPEC R3); lists are typed with one entry per line."""

    text = StorableField(label="What the run searches for", widget=forms.Textarea(attrs={"rows": 6}))
    scope_boundaries = StorableField(
        label="What is in scope, and what is not",
        required=False,
        help_text="One per line.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    source_preferences = StorableField(
        label="Types of sources, most preferred first",
        required=False,
        help_text="One per line.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    key_terms = StorableField(
        label="Key terms to search for",
        required=False,
        help_text="One per line.",
        widget=forms.Textarea(attrs={"rows": 4}),
    )


def initial_from_run(run: Run, known: Profiles) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """Return what the start form needs to ask the question of `run` again.

    These are the initial values of the form, the choices that differ from the profile, and the ids of the files.
    Choices and limits that no longer exist are left out; a run without a limit in USD gets the default one.
    """
    limits = {
        "budget": run.budget_usd and money(run.budget_usd),
        "budget_minutes": run.budget_seconds and run.budget_seconds // 60,
        "budget_tokens": run.budget_tokens,
        "budget_calls": run.budget_calls,
    }
    typed = {
        "question": run.question,
        "wants_approval": run.wants_approval,
        **{name: limit for name, limit in limits.items() if limit is not None},
    }
    changed = {}
    if profile := known.get(run.profile):
        typed["profile"] = run.profile
        was, now = shown(ResearchProfile.model_validate(run.profile_config)), shown(profile)
        changed = {name: value for name, value in was.items() if value != now[name]}
    return typed, changed, [file["id"] for file in run.files]
