from django import forms

from research.profiles import BUILT_IN
from research.start import LONGEST_QUESTION

_SAID = {
    "local-only": "Local only: your files and references; nothing leaves this machine",
    "academic": "Academic: scholarly structure, APA style",
    "general": "General: a short report, plain sources",
}


class StartForm(forms.Form):
    """A question and how to work on it. The files are chosen in the panel beside it."""

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
        choices=[(name, _SAID.get(name, name)) for name in ("local-only", "academic", "general") if name in BUILT_IN],
    )
