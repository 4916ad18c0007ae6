from allauth.account.forms import SignupForm as AllauthSignupForm
from django import forms


class SignupForm(AllauthSignupForm):  # type: ignore[misc]
    """Sign-up asks for a name, an e-mail address and one password."""

    name = forms.CharField(max_length=150, label="Your name")
