"""What a person brings: a file, and for a new thesis a title."""

from typing import Any

from django import forms

from projects.forms import LineField
from thesis.brought import FORMATS


class BringForm(forms.Form):
    """A file whose text becomes sections of a thesis that is there."""

    file = forms.FileField(
        label="The file",
        help_text="Word (.docx), Markdown (.md) or one LaTeX file (.tex).",
        error_messages={"required": "Choose a file first.", "empty": "This file is empty."},
        widget=forms.FileInput(attrs={"accept": ",".join(ending for ending in FORMATS if ending != ".zip")}),
    )


class BringThesisForm(BringForm):
    """A file that becomes a thesis."""

    title = LineField(
        required=False,
        max_length=300,
        label="Title",
        help_text="Leave it empty to take the one in the file.",
        error_messages={"max_length": "A title has at most %(limit_value)d characters; this one has %(show_value)d."},
    )
    main = forms.CharField(required=False, strip=False)  # of several documents the one that is the thesis

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields[
            "file"
        ].help_text = "A LaTeX project as a ZIP archive, one LaTeX file (.tex), Word (.docx) or Markdown (.md)."
        self.fields["file"].widget.attrs["accept"] = ",".join(FORMATS)
