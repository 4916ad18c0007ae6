"""Sending mail, and what became of it: pages say it as it is (SPEC P3)."""

import logging
from queue import Empty, SimpleQueue
from smtplib import SMTPServerDisconnected
from threading import Thread
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import models

PATIENCE = 5.0  # seconds a page waits for the mail server, and the server has for each answer
_NOWHERE = ("console", "dummy", "filebased")  # backends that bring nothing to anybody

log = logging.getLogger("scholium.mail")


class Outcome(models.TextChoices):
    """What became of a mail."""

    SENT = "sent", "The mail server took it"
    FAILED = "failed", "The mail server did not take it"
    UNSURE = "unsure", "The mail server did not say in time whether it took it"
    NOT_SET_UP = "not_set_up", "This server sends no mail"
    WAITS = "waits", "It goes out once the sender's address is confirmed"
    ENOUGH = "enough", "Several went to this address just before, so no other was sent"


def is_set_up() -> bool:
    """Return whether mail reaches people from here (EMAIL_URL)."""
    return not settings.EMAIL_BACKEND.rpartition(".")[0].endswith(_NOWHERE)


def send(message: EmailMessage) -> Outcome:
    """Hand `message` to the mail server. Never raises for what a mail server, or an address, can do.

    A server may be slow with each of its answers, so all is done in a thread that is left to itself after PATIENCE.
    """
    if not is_set_up():
        return Outcome.NOT_SET_UP
    outcome: SimpleQueue[Outcome] = SimpleQueue()
    Thread(target=lambda: outcome.put(_hand_over(message)), name="mail", daemon=True).start()
    try:
        return outcome.get(timeout=PATIENCE)
    except Empty:
        return Outcome.UNSURE


def _hand_over(message: EmailMessage) -> Outcome:
    patience: dict[str, Any] = {"timeout": PATIENCE} if "smtp" in settings.EMAIL_BACKEND else {}
    try:
        message.connection = get_connection(**patience)
        return Outcome.SENT if message.send() else Outcome.FAILED
    except (OSError, ValueError) as error:  # smtplib's own errors are OSErrors; ValueError: no address a mail can have
        log.warning("A mail did not go out (%s): %s", message.subject.partition(":")[0], type(error).__name__)
        return Outcome.UNSURE if isinstance(error, TimeoutError | SMTPServerDisconnected) else Outcome.FAILED
