"""The forms of references: import, add, attest, edit BibTeX (SPEC C5, C9)."""

from typing import Any

from django import forms

from citations.editing.edit import LONGEST_EVIDENCE
from citations.formats.reading import decode
from citations.importing.file_import import MAX_BYTES
from citations.models import LONGEST_REASON, Citation
from core.errors import Refused
from projects.forms import StorableField


class ImportForm(forms.Form):
    """A file or a pasted text to import; the file takes precedence.

    `cleaned_data` gets `content`, the text to import, and `name`, the name of the file.
    """

    file = forms.FileField(
        required=False,
        label="File",
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
        """Return the file. Raises ValidationError for one that is too large."""
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


LONGEST_PASTE = 1_000_000  # characters; larger texts are imported as files


class AddForm(forms.Form):
    """One text field for identifiers, BibTeX or titles."""

    text = StorableField(
        label="DOI, PMID, ISBN, web address, BibTeX or title",
        help_text="One work, or several, each on its own line.",
        max_length=LONGEST_PASTE,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false", "autofocus": True}),
        error_messages={"required": "There is nothing to add yet. Paste a DOI, a BibTeX entry or a title."},
    )


class AttestForm(forms.Form):
    """The reason and the evidence of an attestation."""

    reason = StorableField(
        label="Why is this reference right?",
        help_text="A sentence for anyone who reads it later: what you have seen, and where."
        " Your name and the date are saved with it.",
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 4}),
        error_messages={"required": "Explain why this reference is right, for anyone who reads it later."},
    )
    evidence_type = forms.ChoiceField(
        label="Evidence",
        choices=[
            (Citation.Evidence.MANUAL, "Your own word (tier C)"),
            (Citation.Evidence.ISBN, "An ISBN (tier B)"),
            (Citation.Evidence.URL, "A web address (tier B)"),
        ],
        initial=Citation.Evidence.MANUAL,
        widget=forms.RadioSelect,
    )
    evidence_value = StorableField(
        label="ISBN or web address",
        help_text="Only if that is your evidence.",
        max_length=LONGEST_EVIDENCE,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


class EditForm(forms.Form):
    """The BibTeX of an entry. The typed text stays in the form when it cannot be read."""

    bibtex = forms.CharField(
        label="BibTeX",
        strip=False,
        help_text="If you change title, authors, year or an identifier, the reference is checked again.",
        widget=forms.Textarea(attrs={"rows": 16, "spellcheck": "false", "class": "code"}),
        error_messages={"required": "The BibTeX cannot be empty. To remove the reference, delete it on its page."},
    )


def add_refused(form: forms.Form, refused: Refused) -> None:
    """Add the message of a Refused to the field that it is about, or else to the first field."""
    named = refused.field if refused.field in form.fields else None
    form.add_error(named or next(iter(form.fields)), refused.message)
