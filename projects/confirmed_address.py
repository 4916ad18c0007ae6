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

        Signing up then looks the same whether or not there was an account. Who was let in before mail was set up, or
        whose account was made on the command line, signs in as before.
        """
        user = self.login.user
        if mail.is_set_up() and (user is None or _never_entered(user)):
            self.login.email_verification = EmailVerificationMethod.MANDATORY
        return super().handle()


def _never_entered(user: User) -> bool:
    return user.last_login is None and EmailAddress.objects.filter(user=user).exists()
