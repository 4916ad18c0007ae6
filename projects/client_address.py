"""Which client a request comes from, also behind a proxy (docs/settings.md, TRUSTED_PROXIES)."""

import logging
from collections.abc import Iterable, Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from django.conf import settings
from django.http import HttpRequest

UNKNOWN = "unknown"  # the server said nothing of who asks, or what is no address
SOCKET = "unix"  # in TRUSTED_PROXIES: a proxy that comes through a socket file has no address
ONE_CLIENT = 64  # bits of an IPv6 address: what one household or one server is given
WIDE = 48  # what anybody can have for the asking: 65,536 clients

Address = IPv4Address | IPv6Address
log = logging.getLogger("scholium.accounts")


def client_of(request: HttpRequest) -> str:
    """The client to count limits by: its IPv4 address, or the network of 64 bits its IPv6 address is in."""
    found = client_address(request.META)
    if isinstance(found, IPv6Address):
        return str(IPv6Network((found, ONE_CLIENT), strict=False))
    return str(found or UNKNOWN)


def wide_network_of(request: HttpRequest) -> str:
    """The IPv6 network of 48 bits that the client is in; "" for an IPv4 address, of which nobody has many for nothing."""
    found = client_address(request.META)
    return str(IPv6Network((found, WIDE), strict=False)) if isinstance(found, IPv6Address) else ""


def client_address(meta: Mapping[str, str]) -> Address | None:
    """The address of the client; None where it is not known.

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
    """An address as servers and proxies write it: with a port, in brackets, with a zone, IPv4 within IPv6."""
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
