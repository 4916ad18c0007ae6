"""Forms of sections and saved versions."""

from typing import Any

from django import forms

from latex.find_words import Search
from projects.forms import LineField, StorableField
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


class SearchForm(forms.Form):
    """Words to find in the thesis, as a person typed them."""

    words = StorableField(
        max_length=200,
        error_messages={
            "required": "Type the words to find.",
            "max_length": "At most %(limit_value)d characters can be searched for; these are %(show_value)d.",
        },
    )
    match_case = forms.BooleanField(required=False)
    whole_words = forms.BooleanField(required=False)
    in_source = forms.BooleanField(required=False)


class ReplaceForm(SearchForm):
    """Words to find, and those to put in their place. Empty ones remove the matches."""

    new = StorableField(
        max_length=500,
        required=False,
        strip=False,
        error_messages={"max_length": "A replacement can have at most %(limit_value)d characters."},
    )


def search_of(cleaned: dict[str, Any]) -> Search:
    """Return the search that a form asks for."""
    return Search(*(cleaned[name] for name in Search._fields))
