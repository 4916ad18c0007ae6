"""What people type about themselves and their theses. The JSON API validates with the same forms."""

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
from projects.models import ApiToken, Membership, Project, User
from projects.outlines import ORIGINAL, find_outline
from projects.passwords import HardToGuess

STYLES = [
    ("apa", "APA 7"),
    ("vancouver", "Vancouver"),
    ("ieee", "IEEE"),
    ("harvard-cite-them-right", "Harvard (Cite Them Right)"),
    ("chicago-author-date", "Chicago, author and date"),
    ("american-medical-association", "AMA"),
    ("default", "Plain: number, title and link"),
]


class StorableField(forms.CharField):
    """Text without what no database can store; a line ends with one newline, however the browser sent it."""

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")

    def run_validators(self, value: str) -> None:
        try:
            check_storable(value, "")
        except Refused as refused:
            raise ValidationError(refused.message) from refused
        super().run_validators(value)


class LineField(StorableField):
    """One line of text: each run of white space becomes one space, and nothing visible counts as empty."""

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
        """Return where mail is set up, an address that has an account goes on like any other; its owner gets a mail that says so."""
        if not mail.is_set_up():
            return str(super().validate_unique_email(value))
        self.account_already_exists = bool(filter_users_by_email(value))
        return value

    def clean(self) -> dict[str, Any]:
        """allauth's, and the password is looked at beside the name too."""
        super().clean()
        password, name = self.cleaned_data.get("password1"), self.cleaned_data.get("name", "")
        if password and "password1" not in self.errors:
            try:
                HardToGuess().validate(password, User(name=name, email=self.cleaned_data.get("email", "")))
            except ValidationError as error:
                self.add_error("password1", error)
        return dict(self.cleaned_data)

    def try_save(self, request: HttpRequest) -> Any:
        """As allauth does. Where there is an account already, a password is hashed as for a new one, so that both take as long."""
        if self.account_already_exists:
            User().set_password(self.cleaned_data["password1"])
        return super().try_save(request)

    def custom_signup(self, request: HttpRequest, user: User) -> None:
        """Called by allauth once the account is saved: keep the name too."""
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
            "study_design": "Such as Systematic review or Cohort study. You can leave this open.",
            "question": "What the thesis asks, in a sentence or two. Research offers it first.",
            "citation_style": "How references are set. You can change it at any time.",
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
            RegexValidator(r"^[a-z0-9]+(-[a-z0-9]+)*\Z", "A style is named by its CSL id, such as apa or ieee.")
        )
        kept = self.instance.citation_style
        style.widget = forms.Select(choices=STYLES + ([] if kept in dict(STYLES) else [(kept, kept)]))


class NewProjectForm(ProjectForm):
    """The facts of a new thesis, and which outline gives it its first sections; "" gives the usual ones, empty."""

    outline = forms.CharField(required=False, initial=ORIGINAL.slug, label="Sections to start with")

    class Meta(ProjectForm.Meta):
        fields = [*ProjectForm.Meta.fields, "outline"]

    def clean_outline(self) -> str:
        try:
            return find_outline(self.cleaned_data["outline"]).slug
        except Refused as refused:
            raise ValidationError(refused.message) from refused


class PrivateForm(forms.ModelForm):  # type: ignore[type-arg]
    """Names and words that no model is told, one a line (SPEC T4). What is saved has no empty line, and none twice."""

    MOST = 20_000  # characters
    LINES = 1_000

    class Meta:
        model = Project
        fields = ["kept_private"]
        field_classes = {"kept_private": StorableField}
        widgets = {"kept_private": forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "autocomplete": "off"})}
        labels = {"kept_private": "Names and words kept private"}
        help_texts = {
            "kept_private": "One a line: people you write about, a hospital, a project. A name is found as you write it here, in "
            "capitals or small letters; write a surname on a line of its own to keep it back alone, too."
        }

    def clean_kept_private(self) -> str:
        written: str = self.cleaned_data["kept_private"]
        if len(written) > self.MOST:
            raise ValidationError(f"This has {len(written):,} characters; {self.MOST:,} is the most. Shorten the list.")
        lines: dict[str, None] = {}
        for number, line in enumerate(written.splitlines(), start=1):
            kept = " ".join(line.split())
            if kept and sum(sign.isalnum() for sign in kept) < 2:
                raise ValidationError(
                    f"Line {number} has fewer than two letters or figures, which stand everywhere. Write the whole name or word."
                )
            if kept:
                lines[kept] = None
        if len(lines) > self.LINES:
            raise ValidationError(f"These are {len(lines):,} lines; {self.LINES:,} is the most. Take some out.")
        return "\n".join(lines)


# Who opens datasets and uploaded files; the owner says it.
DataForm = forms.modelform_factory(
    Project,
    fields=["data_open_to"],
    labels={"data_open_to": "Who can open them"},
    error_messages={"data_open_to": {"invalid_choice": "Choose one of: writers, supervisors, members."}},
)


class MemberForm(forms.Form):
    email = forms.EmailField(
        label="E-mail address", max_length=254, widget=forms.EmailInput(attrs={"autocomplete": "off"})
    )
    role = forms.ChoiceField(choices=Membership.GRANTED, initial=Membership.Role.EDITOR, label="Role")


NameForm = forms.modelform_factory(
    User,
    fields=["name"],
    field_classes={"name": LineField},
    labels={"name": "Your name"},
    help_texts={"name": "The people you share a thesis with see it."},
)
TokenForm = forms.modelform_factory(
    ApiToken,
    fields=["name"],
    field_classes={"name": LineField},
    labels={"name": "What is it for?"},
    help_texts={"name": "Such as Backup script. It helps you find the right one to remove."},
)


def checked(form: forms.BaseForm) -> dict[str, Any]:
    """Return what `form` holds, checked. Raises Refused with its first error, for those who have no page to show all on."""
    if form.is_valid():
        return dict(form.cleaned_data)
    field, errors = next(iter(form.errors.items()))
    raise Refused(str(errors[0]), field="" if field == NON_FIELD_ERRORS else field)
