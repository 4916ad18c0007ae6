"""Rate limits, counted in the database for all processes together (docs/decisions/accounts-and-members.md).

A limit allows a number of attempts at once, and one more after each interval (GCRA, a leaky bucket). Per subject one
number is stored: the time until which the attempts so far use up the allowance. A row whose time has passed is
deleted. Behind a proxy, the client address comes from X-Forwarded-For (docs/settings.md, TRUSTED_PROXIES).
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

UNKNOWN = "unknown"  # the server gave no client address, or an invalid one
SOCKET = "unix"  # in TRUSTED_PROXIES: a proxy that connects through a Unix socket has no address
ONE_CLIENT = 64  # IPv6 prefix length that one household or server usually gets
WIDE = 48  # IPv6 prefix length that anybody can get easily: 65,536 clients

Address = IPv4Address | IPv6Address
log = logging.getLogger("scholium.accounts")


def client_of(request: HttpRequest) -> str:
    """Return the client that limits are counted for: its IPv4 address, or the /64 network of its IPv6 address."""
    found = client_address(request.META)
    if isinstance(found, IPv6Address):
        return str(IPv6Network((found, ONE_CLIENT), strict=False))
    return str(found or UNKNOWN)


def wide_network_of(request: HttpRequest) -> str:
    """Return the client's IPv6 /48 network; "" for IPv4, where addresses are too scarce to switch at will."""
    found = client_address(request.META)
    return str(IPv6Network((found, WIDE), strict=False)) if isinstance(found, IPv6Address) else ""


def client_address(meta: Mapping[str, str]) -> Address | None:
    """Return the address of the client, or None if unknown.

    X-Forwarded-For is read from the right, one entry per trusted proxy: the first address that is not a trusted proxy
    is the client. Entries further left were written by the client and are ignored. An invalid entry ends the search
    at the proxy that wrote it.
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
    """Return whether `address` (None: a Unix socket) is a proxy in TRUSTED_PROXIES."""
    proxies: Iterable[object] = settings.TRUSTED_PROXIES
    if address is None:
        return SOCKET in proxies
    return any(address in network for network in proxies if not isinstance(network, str))  # type: ignore[operator]


def parsed(written: str) -> Address | None:
    """Return the address in `written`, or None. Accepts a port, brackets, a zone and IPv4-mapped IPv6."""
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
    """Log once, not for each request, that X-Forwarded-For from `near` is ignored."""
    log.warning(
        "X-Forwarded-For from %s is ignored, since it is not in TRUSTED_PROXIES. If this is your proxy, add it: "
        "until then all its visitors are counted as one client.",
        near,
    )


SWEEP = 200  # expired rows deleted at most when a new one is created
MINUTE, HOUR, DAY = 60, 3600, 86_400


@dataclass(frozen=True)
class Limit:
    """A limit of `most` attempts at once, and one more every `every` seconds."""

    name: str
    most: int
    every: float


class Allowance(models.Model):
    """The time (seconds since 1970) until which one subject's attempts use up a limit."""

    key = models.CharField(max_length=64, primary_key=True)
    used_until = models.FloatField(db_index=True)

    def __str__(self) -> str:
        return self.key


# Sign-in: docs/decisions/accounts-and-members.md explains why there are so many.
SIGN_IN = Limit("sign-in: a client at an account", 5, MINUTE)
SIGN_IN_CLIENT = Limit("sign-in: a client", 30, 20)
SIGN_IN_ACCOUNT = Limit("sign-in: an account, by unknown clients", 30, MINUTE)
SIGN_IN_PRESSED = Limit("sign-in: a client at an account under attack", 1, 15 * MINUTE)
SIGN_IN_WIDE = Limit("sign-in: a wide IPv6 network", 300, 2)
SIGN_IN_WIDE_PRESSED = Limit("sign-in: a wide IPv6 network at an account under attack", 30, MINUTE)
SIGN_IN_DEVICE = Limit("sign-in: a device that signed in before", 10, 30)
# Account mails, by recipient.
ADDRESS_MAILS = Limit("mails to an address", 3, 10 * MINUTE)
TOKEN_TRIES = Limit("wrong API tokens of a client", 30, 2)
TOKENS_MADE = Limit("API tokens of a person", 60, 15 * MINUTE)
INVITATIONS = Limit("invitations of a person", 60, DAY / 60)
INVITATIONS_TO = Limit("invitations of a person to an address", 5, 6 * HOUR)

# Account pages by URL name: the limit of POST requests, and the subject it is counted for (client or user).
PAGES: dict[str, tuple[Limit, Callable[[HttpRequest], str]]] = {
    "account_signup": (Limit("sign-up", 30, 10), client_of),
    "account_reset_password": (Limit("password reset", 20, 30), client_of),
    "account_reset_password_from_key": (Limit("reset link", 20, 10), client_of),
    "account_confirm_email": (Limit("confirmation link", 20, 10), client_of),
    "account_change_password": (Limit("password change", 10, MINUTE), lambda request: str(request.user.pk)),
    "account_set_password": (Limit("password set", 10, MINUTE), lambda request: str(request.user.pk)),
    "account_email": (Limit("changes of addresses", 10, 5 * MINUTE), lambda request: str(request.user.pk)),
}


def seconds_to_wait(limit: Limit, *who: Any) -> float:
    """Return the seconds until `who` has another attempt, 0.0 if there is one now. Counts nothing."""
    used_until = Allowance.objects.filter(pk=_key(limit, who)).values_list("used_until", flat=True).first()
    return max(0.0, (used_until or 0.0) - _latest(limit, time.time()))


def count_attempt(limit: Limit, *who: Any) -> float:
    """Count an attempt by `who` and return 0.0; if the limit is reached, count nothing and return the seconds to wait.

    A refused attempt only reads, so that a flood of refused attempts writes nothing.
    """
    key, rows = _key(limit, who), Allowance.objects
    for _ in range(3):  # another process may change the row in between
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


def refund_attempt(limit: Limit, *who: Any) -> None:
    """Refund an attempt that was counted but should not be, such as a sign-in with the right password."""
    Allowance.objects.filter(pk=_key(limit, who)).update(used_until=F("used_until") - limit.every)


def check(limit: Limit, *who: Any, said: str, field: str = "") -> None:
    """Count an attempt by `who`. Raises Refused with `said` and the time to wait if the limit is reached."""
    if wait := count_attempt(limit, *who):
        raise Refused(f"{said} Try again in {in_words(wait)}.", field=field, code="too_many", status=429)


def in_words(seconds: float) -> str:
    """Return a waiting time in words, rounded up: "40 seconds", "3 minutes", "2 hours"."""
    size, name = next((unit for unit in ((HOUR, "hour"), (MINUTE, "minute")) if seconds > unit[0]), (1, "second"))
    number = max(1, math.ceil(seconds / size))
    return f"{number} {name}" if number == 1 else f"{number} {name}s"


def _latest(limit: Limit, now: float) -> float:
    """Return the latest `used_until` that still leaves one attempt."""
    return now + (limit.most - 1) * limit.every


def _key(limit: Limit, who: tuple[Any, ...]) -> str:
    """Return the hashed key of a row, so that neither client addresses nor e-mail addresses are stored."""
    return hashlib.sha256("\0".join([limit.name, *map(str, who)]).encode()).hexdigest()


def _sweep(now: float) -> None:
    """Delete expired rows, at most SWEEP at a time and none that another process has locked."""
    with transaction.atomic():
        ended = Allowance.objects.select_for_update(skip_locked=True).filter(used_until__lt=now)
        Allowance.objects.filter(pk__in=list(ended.values_list("pk", flat=True)[:SWEEP]), used_until__lt=now).delete()
