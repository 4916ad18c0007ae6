import re
from typing import Any

from django import forms

from projects.errors import Refused
from research.budget import columns_for
from research.profiles import BUILT_IN
from research.start import LONGEST_QUESTION

_SAID = {
    "local-only": "Local only: your files and references; nothing leaves this machine",
    "academic": "Academic: scholarly structure, APA style",
    "general": "General: a short report, plain sources",
    "technical": "Technical: a short report, web pages first",
}

LIMITS = {"budget": "usd", "budget_tokens": "tokens", "budget_calls": "calls"}
_GROUPING = re.compile(r"(?<=\d)[,\s](?=\d{3}(?!\d))")


class WholeNumberField(forms.IntegerField):
    """Takes a number as people write it, too: 200,000 or 200 000."""

    def to_python(self, value: Any) -> int | None:
        return super().to_python(_GROUPING.sub("", value) if isinstance(value, str) else value)


def _typed(mode: str) -> forms.TextInput:
    """An input for a number. Not of the type number: that one is sent back empty when what was typed is none."""
    return forms.TextInput(attrs={"inputmode": mode, "autocomplete": "off"})


class StartForm(forms.Form):
    """A question, how to work on it, and what that may cost. The files are chosen in the panel beside it."""

    question = forms.CharField(
        label="What do you want to know?",
        max_length=LONGEST_QUESTION,
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={
            "required": "Please write a question first.",
            "max_length": "The question has %(show_value)s characters; %(limit_value)s is the most. "
            "Keep the question short and upload the rest as a file.",
        },
    )
    profile = forms.ChoiceField(
        label="How",
        required=False,
        choices=[(name, said) for name, said in _SAID.items() if name in BUILT_IN],
        # What stands beside it is about the choice the server knows of, so browsers shall restore no other.
        widget=forms.Select(attrs={"autocomplete": "off", "aria-describedby": "reach"}),
    )
    budget = forms.DecimalField(
        label="Budget in USD",
        required=False,
        widget=_typed("decimal"),
        help_text="Before each call to the model, the most it can cost is set aside. When that is more than is left, the "
        "run stops and keeps what it found. Empty is no limit.",
        error_messages={"invalid": "Write the budget as a number of USD, for example 2.50."},
    )
    budget_tokens = WholeNumberField(
        label="Tokens at most",
        required=False,
        widget=_typed("numeric"),
        error_messages={"invalid": "Write the tokens as a whole number, for example 200000."},
    )
    budget_calls = WholeNumberField(
        label="Calls at most",
        required=False,
        widget=_typed("numeric"),
        error_messages={"invalid": "Write the calls as a whole number, for example 100."},
    )

    def __init__(self, *args: Any, has_budget: bool, **kwargs: Any) -> None:
        """Without `has_budget`, no model is asked and there is nothing to limit."""
        super().__init__(*args, **kwargs)
        if not has_budget:
            for name in LIMITS:
                del self.fields[name]

    def clean(self) -> None:
        for name, limit in LIMITS.items():
            try:
                columns_for(**{limit: self.cleaned_data.get(name)})
            except Refused as refused:
                self.add_error(name, refused.message)
