"""Sending mail, with an outcome that pages can report truthfully (SPEC P3)."""

import logging
from queue import Empty, SimpleQueue
from smtplib import SMTPServerDisconnected
from threading import Thread
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import models

PATIENCE = 5.0  # seconds a page waits for the mail server, and the timeout of each of its answers
_NOWHERE = ("console", "dummy", "filebased")  # backends that deliver nothing

log = logging.getLogger("scholium.mail")


class MailOutcome(models.TextChoices):
    """The outcome of sending a mail."""

    SENT = "sent", "Accepted by the mail server"
    FAILED = "failed", "Rejected by the mail server"
    UNSURE = "unsure", "The mail server did not answer in time"
    NOT_SET_UP = "not_set_up", "This server sends no mail"
    WAITS = "waits", "Will be sent once the sender has confirmed their address"
    ENOUGH = "enough", "Not sent, since this address received several mails just before"


def is_set_up() -> bool:
    """Return whether this site can deliver mail (EMAIL_URL)."""
    return not settings.EMAIL_BACKEND.rpartition(".")[0].endswith(_NOWHERE)


def send(message: EmailMessage) -> MailOutcome:
    """Send `message` and return the outcome. Never raises for errors of the mail server or the address.

    A server may be slow with each answer, so sending runs in a thread that is no longer waited for after PATIENCE.
    """
    if not is_set_up():
        return MailOutcome.NOT_SET_UP
    outcome: SimpleQueue[MailOutcome] = SimpleQueue()
    Thread(target=lambda: outcome.put(_hand_over(message)), name="mail", daemon=True).start()
    try:
        return outcome.get(timeout=PATIENCE)
    except Empty:
        return MailOutcome.UNSURE


def _hand_over(message: EmailMessage) -> MailOutcome:
    patience: dict[str, Any] = {"timeout": PATIENCE} if "smtp" in settings.EMAIL_BACKEND else {}
    try:
        message.connection = get_connection(**patience)
        return MailOutcome.SENT if message.send() else MailOutcome.FAILED
    except (OSError, ValueError) as error:  # smtplib's own errors are OSErrors; ValueError: no address a mail can have
        log.warning("A mail was not sent (%s): %s", message.subject.partition(":")[0], type(error).__name__)
        return MailOutcome.UNSURE if isinstance(error, TimeoutError | SMTPServerDisconnected) else MailOutcome.FAILED
