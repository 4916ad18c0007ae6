from django import forms

from projects.forms import LineField
from sections.models import Section, Snapshot

_TOO_LONG = "A %s has at most %%(limit_value)d characters; this one has %%(show_value)d."

TitleForm = forms.modelform_factory(
    Section,
    fields=["title"],
    field_classes={"title": LineField},
    error_messages={"title": {"required": "Give the section a title.", "max_length": _TOO_LONG % "title"}},
)
SnapshotForm = forms.modelform_factory(
    Snapshot,
    fields=["name"],
    field_classes={"name": LineField},
    error_messages={
        "name": {"required": "Give this state a name, such as Sent to Dr Iyer.", "max_length": _TOO_LONG % "name"}
    },
)


class SaveForm(forms.Form):
    """What is saved over what. The text itself is read as it is: a form field would strip or refuse it."""

    version = forms.IntegerField(min_value=0)  # the version that was on the page
    over = forms.IntegerField(min_value=0, required=False)  # in a conflict: the version shown beside the text
    settle = forms.ChoiceField(choices=[("mine", "Keep mine"), ("theirs", "Keep theirs")], required=False)
