"""Whether an account is entered before its address is confirmed (docs/decisions/people.md)."""

from typing import Any

from allauth.account.app_settings import EmailVerificationMethod
from allauth.account.models import EmailAddress
from allauth.account.stages import EmailVerificationStage

from projects import mail
from projects.models import User


class ConfirmedAddress(EmailVerificationStage):  # type: ignore[misc]
    """Where mail is set up, an account that signed up is entered once its address is confirmed."""

    def handle(self) -> Any:
        """Ask for the confirmation, or let the person in.

        Signing up then looks the same whether or not there was an account.
        """
        user = self.login.user
        if confirms_first(user) if user else mail.is_set_up():
            self.login.email_verification = EmailVerificationMethod.MANDATORY
        return super().handle()


def confirms_first(user: User) -> bool:
    """Whether `user` signed up, has never been let in, and has not confirmed the address, where mail is set up.

    Who was let in before mail was set up, or whose account was made on the command line, signs in as before: only
    signing up gives an account a first address that is not confirmed.
    """
    if not mail.is_set_up() or user.last_login is not None:
        return False
    return bool(EmailAddress.objects.filter(user=user, primary=True, verified=False).exists())
