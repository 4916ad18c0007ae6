"""How often something may be done, counted in the database for all processes together (docs/decisions/accounts-and-members.md).

A limit is a number of tries at once, and the seconds after which there is one more. Of each who is limited one number is
kept: the moment up to which the tries made so far use the allowance up. It lies in the past once all are free again, and
the row goes. Behind a proxy (docs/settings.md, TRUSTED_PROXIES), who asks is told by what the proxy says.
"""

import hashlib
import logging
import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.db.models import F, Value
from django.db.models.functions import Greatest
from django.http import HttpRequest

from core.errors import Refused

UNKNOWN = "unknown"  # the server said nothing of who asks, or what is no address
SOCKET = "unix"  # in TRUSTED_PROXIES: a proxy that comes through a socket file has no address
ONE_CLIENT = 64  # bits of an IPv6 address: what one household or one server is given
WIDE = 48  # what anybody can have for the asking: 65,536 clients

Address = IPv4Address | IPv6Address
log = logging.getLogger("scholium.accounts")


def client_of(request: HttpRequest) -> str:
    """Return the client to count limits by: its IPv4 address, or the network of 64 bits its IPv6 address is in."""
    found = client_address(request.META)
    if isinstance(found, IPv6Address):
        return str(IPv6Network((found, ONE_CLIENT), strict=False))
    return str(found or UNKNOWN)


def wide_network_of(request: HttpRequest) -> str:
    """Return the IPv6 network of 48 bits that the client is in; "" for an IPv4 address, of which nobody has many for nothing."""
    found = client_address(request.META)
    return str(IPv6Network((found, WIDE), strict=False)) if isinstance(found, IPv6Address) else ""


def client_address(meta: Mapping[str, str]) -> Address | None:
    """Return the address of the client; None where it is not known.

    X-Forwarded-For is read from the right, one entry for each trusted proxy: the first address that is none of them is
    the client. What stands further left was written by that client, and is not looked at. An entry that is no address
    ends the search at the proxy that wrote it.
    """
    near = parsed(meta.get("REMOTE_ADDR", ""))
    forwarded = meta.get("HTTP_X_FORWARDED_FOR", "")
    if forwarded and not is_trusted(near):
        warn_once(str(near or UNKNOWN))
    hops = forwarded.split(",") if forwarded else []
    while hops and is_trusted(near):
        further = parsed(hops.pop())
        if further is None:
            break
        near = further
    return near


def is_trusted(address: Address | None) -> bool:
    proxies: Iterable[object] = settings.TRUSTED_PROXIES
    if address is None:
        return SOCKET in proxies
    return any(address in network for network in proxies if not isinstance(network, str))  # type: ignore[operator]


def parsed(written: str) -> Address | None:
    """Return an address as servers and proxies write it: with a port, in brackets, with a zone, IPv4 within IPv6."""
    text = written.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found


@lru_cache(maxsize=64)
def warn_once(near: str) -> None:
    """One line in the log, not one for each request: a proxy nobody named makes all its visitors one client."""
    log.warning(
        "X-Forwarded-For from %s is ignored, since TRUSTED_PROXIES does not name it. If this is your proxy, name it: "
        "until then all who come through it are counted as one client.",
        near,
    )


SWEEP = 200  # rows that ended, taken out when a new one is made
MINUTE, HOUR, DAY = 60, 3600, 86_400


@dataclass(frozen=True)
class Limit:
    """`most` at once, and one more every `every` seconds."""

    name: str
    most: int
    every: float


class Allowance(models.Model):
    """Up to when, in seconds since 1970, the tries of one who is limited use up what is allowed."""

    key = models.CharField(max_length=64, primary_key=True)
    used_until = models.FloatField(db_index=True)

    def __str__(self) -> str:
        return self.key


# Signing in: docs/decisions/accounts-and-members.md says why there are so many.
SIGN_IN = Limit("sign-in: a client at an account", 5, MINUTE)
SIGN_IN_CLIENT = Limit("sign-in: a client", 30, 20)
SIGN_IN_ACCOUNT = Limit("sign-in: an account, by unknown clients", 30, MINUTE)
SIGN_IN_PRESSED = Limit("sign-in: a client at an account under attack", 1, 15 * MINUTE)
SIGN_IN_WIDE = Limit("sign-in: a wide IPv6 network", 300, 2)
SIGN_IN_WIDE_PRESSED = Limit("sign-in: a wide IPv6 network at an account under attack", 30, MINUTE)
SIGN_IN_DEVICE = Limit("sign-in: a device that signed in before", 10, 30)
# Mails about an account, by the address they go to.
ADDRESS_MAILS = Limit("mails to an address", 3, 10 * MINUTE)
TOKEN_TRIES = Limit("wrong API tokens of a client", 30, 2)
TOKENS_MADE = Limit("API tokens of a person", 60, 15 * MINUTE)
INVITATIONS = Limit("invitations of a person", 60, DAY / 60)
INVITATIONS_TO = Limit("invitations of a person to an address", 5, 6 * HOUR)

# Pages of accounts by the name of their address: what may be posted to them, and whether by client or by person.
PAGES: dict[str, tuple[Limit, Callable[[HttpRequest], str]]] = {
    "account_signup": (Limit("sign-up", 30, 10), client_of),
    "account_reset_password": (Limit("password reset", 20, 30), client_of),
    "account_reset_password_from_key": (Limit("reset link", 20, 10), client_of),
    "account_confirm_email": (Limit("confirmation link", 20, 10), client_of),
    "account_change_password": (Limit("password change", 10, MINUTE), lambda request: str(request.user.pk)),
    "account_set_password": (Limit("password set", 10, MINUTE), lambda request: str(request.user.pk)),
    "account_email": (Limit("changes of addresses", 10, 5 * MINUTE), lambda request: str(request.user.pk)),
}


def wait_for(limit: Limit, *who: Any) -> float:
    """Return the seconds until `who` has one more; 0.0 when there is one now. Nothing is counted."""
    used_until = Allowance.objects.filter(pk=_key(limit, who)).values_list("used_until", flat=True).first()
    return max(0.0, (used_until or 0.0) - _latest(limit, time.time()))


def take(limit: Limit, *who: Any) -> float:
    """Count one more for `who`. 0.0 when it is allowed, else the seconds until it is, and then nothing was counted.

    What is refused is only read, so that a storm of refused tries writes nothing.
    """
    key, rows = _key(limit, who), Allowance.objects
    for _ in range(3):  # somebody else may come between the question and the answer
        now = time.time()
        latest = _latest(limit, now)
        used_until = rows.filter(pk=key).values_list("used_until", flat=True).first()
        if used_until is None:
            if rows.get_or_create(key=key, defaults={"used_until": now + limit.every})[1]:
                _sweep(now)
                return 0.0
        elif used_until > latest:
            return float(used_until) - latest
        else:
            one_more = Greatest(F("used_until"), Value(now)) + limit.every
            if rows.filter(pk=key, used_until__lte=latest).update(used_until=one_more):
                return 0.0
    return limit.every


def give_back(limit: Limit, *who: Any) -> None:
    """Take back one that was counted, which turned out not to be what is limited."""
    Allowance.objects.filter(pk=_key(limit, who)).update(used_until=F("used_until") - limit.every)


def check(limit: Limit, *who: Any, said: str, field: str = "") -> None:
    """Count one more for `who`. Raises Refused with `said` and when to try again."""
    if wait := take(limit, *who):
        raise Refused(f"{said} Try again in {in_words(wait)}.", field=field, code="too_many", status=429)


def in_words(seconds: float) -> str:
    """Return a wait, rounded up: "40 seconds", "3 minutes", "2 hours"."""
    size, name = next((unit for unit in ((HOUR, "hour"), (MINUTE, "minute")) if seconds > unit[0]), (1, "second"))
    number = max(1, math.ceil(seconds / size))
    return f"{number} {name}" if number == 1 else f"{number} {name}s"


def _latest(limit: Limit, now: float) -> float:
    """Up to when an allowance may be used up for one more to be left."""
    return now + (limit.most - 1) * limit.every


def _key(limit: Limit, who: tuple[Any, ...]) -> str:
    """Return a hash: neither addresses of clients nor those of people are kept."""
    return hashlib.sha256("\0".join([limit.name, *map(str, who)]).encode()).hexdigest()


def _sweep(now: float) -> None:
    """Take out rows that ended, a few at a time and none that another process is at."""
    with transaction.atomic():
        ended = Allowance.objects.select_for_update(skip_locked=True).filter(used_until__lt=now)
        Allowance.objects.filter(pk__in=list(ended.values_list("pk", flat=True)[:SWEEP]), used_until__lt=now).delete()
