"""What a person says of one reference: the work to add, the entry's BibTeX, why it is right (SPEC C5, C9)."""

from django import forms

from citations.changing.attesting import LONGEST_EVIDENCE, LONGEST_REASON
from citations.models import Citation
from core.errors import Refused
from projects.forms import StorableField

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
