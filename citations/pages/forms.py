"""What a person brings: a file or pasted entries."""

from typing import Any

from django import forms

from citations.arriving.importing import MAX_BYTES
from citations.formats.decoding import decode


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
