"""What a person brings, and says of one reference: entries, the work to add, its BibTeX, why it is right (SPEC C5, C9)."""

from typing import Any

from django import forms

from citations.editing.edit import LONGEST_EVIDENCE
from citations.formats.reading import decode
from citations.importing.file_import import MAX_BYTES
from citations.models import LONGEST_REASON, Citation
from core.errors import Refused
from projects.forms import StorableField


class ImportForm(forms.Form):
    """One of the two; the file wins. `content` is the text to import, `name` the file's."""

    file = forms.FileField(
        required=False,
        label="A file",
        help_text=f"BibTeX (.bib), RIS (.ris) or CSL-JSON (.json), up to {MAX_BYTES // 1_000_000} MB.",
        widget=forms.FileInput(attrs={"accept": ".bib,.bibtex,.ris,.json,.txt"}),
    )
    text = forms.CharField(
        required=False,
        strip=False,
        label="Or paste entries",
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "class": "code"}),
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file and file.size > MAX_BYTES:
            raise forms.ValidationError(f"This file is larger than {MAX_BYTES // 1_000_000} MB. Import it in parts.")
        return file

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        file = cleaned.get("file")
        cleaned["name"] = file.name if file else ""
        cleaned["content"] = decode(file.read()) if file else cleaned.get("text", "")
        if not cleaned["content"].strip() and not self.errors:
            self.add_error("text", "There is nothing to import yet. Choose a file or paste entries.")
        return cleaned


LONGEST_PASTE = 1_000_000  # characters; whole files have the import


class AddForm(forms.Form):
    """One box for whatever identifies a work."""

    text = StorableField(
        label="DOI, PMID, ISBN, address, BibTeX or a title",
        help_text="One work, or several with each on a line of its own.",
        max_length=LONGEST_PASTE,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false", "autofocus": True}),
        error_messages={"required": "There is nothing to add yet. Paste a DOI, an entry or a title."},
    )


class AttestForm(forms.Form):
    """Why a person vouches for an entry, and by what."""

    reason = StorableField(
        label="Why is this reference right?",
        help_text="A sentence for whoever reads it later: what you hold, and where. Your name and the day are kept with it.",
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 4}),
        error_messages={"required": "Say why this reference is right, for whoever reads it later."},
    )
    evidence_type = forms.ChoiceField(
        label="What it rests on",
        choices=[
            (Citation.Evidence.MANUAL, "Your word: tier C"),
            (Citation.Evidence.ISBN, "An ISBN: tier B"),
            (Citation.Evidence.URL, "A web address: tier B"),
        ],
        initial=Citation.Evidence.MANUAL,
        widget=forms.RadioSelect,
    )
    evidence_value = StorableField(
        label="The ISBN or address",
        help_text="Only where it rests on one.",
        max_length=LONGEST_EVIDENCE,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


class EditForm(forms.Form):
    """The entry as BibTeX. Nothing of what was typed is lost when it cannot be read."""

    bibtex = forms.CharField(
        label="BibTeX",
        strip=False,
        help_text="Another title, author, year or identifier has it checked again. The rest leaves its proof alone.",
        widget=forms.Textarea(attrs={"rows": 16, "spellcheck": "false", "class": "code"}),
        error_messages={"required": "An entry needs its BibTeX. To be rid of the entry, delete it."},
    )


def put(form: forms.Form, refused: Refused) -> None:
    """Say what was refused at the field that it is about."""
    named = refused.field if refused.field in form.fields else None
    form.add_error(named or next(iter(form.fields)), refused.message)
