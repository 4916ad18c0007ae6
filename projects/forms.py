"""Forms for accounts and theses. The JSON API validates with the same forms."""

import unicodedata
from typing import Any

from allauth.account.forms import SignupForm as AllauthSignupForm
from allauth.account.internal.userkit import filter_users_by_email
from django import forms
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.core.validators import RegexValidator
from django.http import HttpRequest

from core.errors import Refused
from core.storable_text import check_storable
from projects import mail
from projects.citation_styles import STYLES
from projects.models import ApiToken, Membership, Project, User
from projects.password_validators import HardToGuess
from projects.section_templates import ORIGINAL, find_outline


class StorableField(forms.CharField):
    """Text that the database can store (no NUL or lone surrogates), with line ends normalised to a newline."""

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")

    def run_validators(self, value: str) -> None:
        try:
            check_storable(value, "")
        except Refused as refused:
            raise ValidationError(refused.message) from refused
        super().run_validators(value)


class LineField(StorableField):
    """One line of text: white space is collapsed, and text without a visible character counts as empty."""

    def to_python(self, value: Any) -> str:
        line = " ".join(super().to_python(value).split())
        return line if any(unicodedata.category(letter)[0] not in "CZ" for letter in line) else ""


class SignupForm(AllauthSignupForm):  # type: ignore[misc]
    """Sign-up asks for a name, an e-mail address and one password."""

    name = LineField(
        max_length=150, label="Your name", widget=forms.TextInput(attrs={"autocomplete": "name", "autofocus": True})
    )
    field_order = ["name", "email", "password1"]

    def validate_unique_email(self, value: str) -> str:
        """Return the address. With mail set up, one that has an account is accepted; its owner gets a mail about it."""
        if not mail.is_set_up():
            return str(super().validate_unique_email(value))
        self.account_already_exists = bool(filter_users_by_email(value))
        return value

    def clean(self) -> dict[str, Any]:
        """Validate as allauth does, and check the password against the name too."""
        super().clean()
        password, name = self.cleaned_data.get("password1"), self.cleaned_data.get("name", "")
        if password and "password1" not in self.errors:
            try:
                HardToGuess().validate(password, User(name=name, email=self.cleaned_data.get("email", "")))
            except ValidationError as error:
                self.add_error("password1", error)
        return dict(self.cleaned_data)

    def try_save(self, request: HttpRequest) -> Any:
        """Save as allauth does. If the account exists, hash a password anyway, so that both cases take equally long."""
        if self.account_already_exists:
            User().set_password(self.cleaned_data["password1"])
        return super().try_save(request)

    def custom_signup(self, request: HttpRequest, user: User) -> None:
        """Save the name. allauth calls this once the account is saved."""
        super().custom_signup(request, user)
        user.name = self.cleaned_data["name"]
        user.save(update_fields=["name"])


class ProjectForm(forms.ModelForm):  # type: ignore[type-arg]
    """The facts of a thesis. Any CSL style id is taken; the page offers the common ones."""

    class Meta:
        model = Project
        fields = ["title", "discipline", "degree", "study_design", "question", "citation_style"]
        field_classes = {
            **dict.fromkeys(["title", "discipline", "degree", "study_design"], LineField),
            "question": StorableField,
        }
        widgets = {"question": forms.Textarea(attrs={"rows": 3})}
        labels = {"study_design": "Study design", "question": "Research question", "citation_style": "Citation style"}
        help_texts = {
            "discipline": "Such as Critical care or Forestry.",
            "degree": "Such as MD, MSc or PhD.",
            "study_design": "Such as Systematic review or Cohort study. Optional.",
            "question": "The question your thesis answers, in a sentence or two. Research suggests it first.",
            "citation_style": "How references are formatted. You can change it at any time.",
        }
        error_messages = {
            "title": {
                "required": "Give your thesis a title. You can change it later.",
                "max_length": "A title has at most %(limit_value)d characters; this one has %(show_value)d.",
            },
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        style = self.fields["citation_style"]
        style.validators.append(
            RegexValidator(r"^[a-z0-9]+(-[a-z0-9]+)*\Z", "Use the CSL id of a style, such as apa or ieee.")
        )
        kept = self.instance.citation_style
        style.widget = forms.Select(choices=STYLES + ([] if kept in dict(STYLES) else [(kept, kept)]))


class NewProjectForm(ProjectForm):
    """The details of a new thesis and the outline for its first sections; "" gives the usual sections, empty."""

    outline = forms.CharField(required=False, initial=ORIGINAL.slug, label="Sections to start with")

    class Meta(ProjectForm.Meta):
        fields = [*ProjectForm.Meta.fields, "outline"]

    def clean_outline(self) -> str:
        """Return the slug of the outline, or raise ValidationError if it is unknown."""
        try:
            return find_outline(self.cleaned_data["outline"]).slug
        except Refused as refused:
            raise ValidationError(refused.message) from refused


class PrivateForm(forms.ModelForm):  # type: ignore[type-arg]
    """Names and words not shared with AI, one per line (SPEC T4). Empty and duplicate lines are removed."""

    MOST = 20_000  # characters
    LINES = 1_000

    class Meta:
        model = Project
        fields = ["kept_private"]
        field_classes = {"kept_private": StorableField}
        widgets = {"kept_private": forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "autocomplete": "off"})}
        labels = {"kept_private": "Private names and words"}
        help_texts = {
            "kept_private": "One per line: people you write about, a hospital, a project. A name is matched as you "
            "write it here, in upper or lower case. To remove a surname on its own too, add it on a separate line."
        }

    def clean_kept_private(self) -> str:
        """Return the list without empty and duplicate lines, or raise ValidationError if it is too long."""
        written: str = self.cleaned_data["kept_private"]
        if len(written) > self.MOST:
            raise ValidationError(
                f"This has {len(written):,} characters; the limit is {self.MOST:,}. Shorten the list."
            )
        lines: dict[str, None] = {}
        for number, line in enumerate(written.splitlines(), start=1):
            kept = " ".join(line.split())
            if kept and sum(sign.isalnum() for sign in kept) < 2:
                raise ValidationError(
                    f"Line {number} has fewer than two letters or digits, so it would match everywhere. "
                    "Write the whole name or word."
                )
            if kept:
                lines[kept] = None
        if len(lines) > self.LINES:
            raise ValidationError(f"This has {len(lines):,} lines; the limit is {self.LINES:,}. Remove some.")
        return "\n".join(lines)


# Who can open datasets and uploaded files; only the owner can change it.
DataForm = forms.modelform_factory(
    Project,
    fields=["data_open_to"],
    labels={"data_open_to": "Who can open them"},
    error_messages={"data_open_to": {"invalid_choice": "Choose one of: writers, supervisors, members."}},
)


class MemberForm(forms.Form):
    """An invitation: an e-mail address and a role."""

    email = forms.EmailField(
        label="E-mail address", max_length=254, widget=forms.EmailInput(attrs={"autocomplete": "off"})
    )
    role = forms.ChoiceField(choices=Membership.GRANTED, initial=Membership.Role.EDITOR, label="Role")


NameForm = forms.modelform_factory(
    User,
    fields=["name", "comment_mails"],
    field_classes={"name": LineField},
    labels={"name": "Your name", "comment_mails": "Mail me about new comments"},
    help_texts={
        "name": "Shown to the people you share a thesis with.",
        "comment_mails": "About your theses, and answers to your comments; at most one mail an hour for each thesis.",
    },
)
TokenForm = forms.modelform_factory(
    ApiToken,
    fields=["name"],
    field_classes={"name": LineField},
    labels={"name": "What is it for?"},
    help_texts={"name": "Such as Backup script. It helps you recognise the token later."},
)


def clean_or_refuse(form: forms.BaseForm) -> dict[str, Any]:
    """Return the cleaned data of `form`. Raises Refused with its first error, for callers without a page (the API)."""
    if form.is_valid():
        return dict(form.cleaned_data)
    field, errors = next(iter(form.errors.items()))
    raise Refused(str(errors[0]), field="" if field == NON_FIELD_ERRORS else field)
