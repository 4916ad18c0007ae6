"""The e-mail address at which catalogues can reach the site's owner: the setting, or what the owner entered (SPEC C1).

It is read whenever a client is opened, so that workers use a change without a restart, and not for every request.
"""

from contextlib import suppress
from contextvars import ContextVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from core.errors import Refused
from sources.models import ContactAddress

MOST = 254  # characters of an address, as in the mail standards
_of_open_client: ContextVar[str] = ContextVar("contact_address", default="")


def contact_address() -> str:
    """Return the address that requests of the open client send, or ""; without asking the database."""
    return str(settings.CROSSREF_MAILTO) or _of_open_client.get()


def stored_address() -> str | None:
    """Return the address that the owner entered, "" if they declined or removed it, None if they were never asked."""
    return ContactAddress.objects.filter(pk=1).values_list("address", flat=True).first()


def address_in_use() -> str:
    """Return the address that a client opened now would send, or ""."""
    return str(settings.CROSSREF_MAILTO) or stored_address() or ""


def use_contact_address(address: str) -> None:
    """Send `address` with the requests that this task and those it starts make from now on."""
    _of_open_client.set(address)


def save_address(address: str) -> None:
    """Store the address for all processes; "" means that the owner wants none. Raises Refused for a bad address."""
    address = address.strip()
    if settings.CROSSREF_MAILTO:
        raise Refused(
            "The contact address is set by CROSSREF_MAILTO and can only be changed there.", code="set_elsewhere"
        )
    if address and not _can_be_sent(address):
        raise Refused(
            "Enter an e-mail address such as name@example.org, without umlauts or accents, in at most 254 characters.",
            field="address",
        )
    ContactAddress.objects.update_or_create(pk=1, defaults={"address": address})


def _can_be_sent(address: str) -> bool:
    """Return whether `address` is an e-mail address that fits into the header of a request."""
    with suppress(ValidationError):
        validate_email(address)
        return address.isascii() and len(address) <= MOST
    return False
