"""The form in which something is asked of a finished run (SPEC R17)."""

from typing import Any

from django import forms

from core.errors import Refused
from projects.models import User
from research.after.start_follow_up import More, ask, extend, rerun, spent_limits
from research.models import FollowUp, Run
from research.setup.forms import WholeNumberField

_LIMITS: dict[str, tuple[type[forms.Field], str]] = {
    "usd": (forms.DecimalField, "Add to the budget, in USD"),
    "tokens": (WholeNumberField, "Add to the tokens"),
    "calls": (WholeNumberField, "Add to the calls"),
    "minutes": (WholeNumberField, "Add to the minutes"),
}


class FollowUpForm(forms.Form):
    """A question, or in its place the gap or the node that it is about; and what is added to limits that are used up."""

    question = forms.CharField(
        label="Your question", required=False, widget=forms.Textarea(attrs={"rows": 2, "autocomplete": "off"})
    )
    gap_id = forms.CharField(required=False, widget=forms.HiddenInput)
    node = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, run: Run, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.run = run
        self.limits = list(spent_limits(run))
        for name in self.limits:
            kind, label = _LIMITS[name]
            typed = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})
            self.fields[f"more_{name}"] = kind(label=label, required=False, widget=typed)

    @property
    def more(self) -> list[forms.BoundField]:
        """The fields for limits that are used up."""
        return [self[f"more_{name}"] for name in self.limits]

    def send(self, user: User) -> FollowUp | None:
        """What is asked now; None when it is refused, which the form says then."""
        given = self.cleaned_data
        more = More(**{name: given.get(f"more_{name}") for name in self.limits})
        try:
            if given["gap_id"]:
                return extend(self.run, user, given["gap_id"], more)
            if given["node"]:
                return rerun(self.run, user, given["node"], more)
            return ask(self.run, user, given["question"], more)
        except Refused as refused:
            field = refused.field.replace("budget.", "more_")
            is_shown = field in self.fields and not isinstance(self.fields[field].widget, forms.HiddenInput)
            self.add_error(field if is_shown else None, refused.message)
            return None
