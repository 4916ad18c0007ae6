"""Forms of sections and saved versions."""

from django import forms

from projects.forms import LineField
from sections.models import Section, Snapshot

_TOO_LONG = "A %s can have at most %%(limit_value)d characters; this one has %%(show_value)d."

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
        "name": {"required": "Give this version a name, such as Sent to Dr Iyer.", "max_length": _TOO_LONG % "name"}
    },
)


class SaveForm(forms.Form):
    """The versions that a save refers to. The text is read from the request, because a form field would strip it."""

    version = forms.IntegerField(min_value=0)  # the version that was edited
    over = forms.IntegerField(min_value=0, required=False)  # in a conflict: the version shown next to the text
    settle = forms.ChoiceField(choices=[("mine", "Keep mine"), ("theirs", "Keep theirs")], required=False)
