"""Protection against SSRF: which addresses may be reached, and requests pinned to a checked address (SPEC R18).

We resolve the name, check every address it has, and connect to the very address that was checked. The name is not
resolved again, so DNS rebinding cannot redirect the connection.
"""

import asyncio
import ipaddress
import re
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import cache, partial

import httpx
from django.conf import settings

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_PORTS = {"http": 80, "https": 443}
# IPv4 addresses in any spelling that inet_aton accepts ("2130706433", "0177.0.0.1", "0x7f.1", "127.1").
_NUMERIC = re.compile(r"(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+))*\.?", re.IGNORECASE)
_CARRIES_IPV4 = [ipaddress.ip_network(net) for net in ("64:ff9b::/96", "64:ff9b:1::/48", "::/96", "::ffff:0:0:0/96")]
_RELAY = ipaddress.ip_network("192.88.99.0/24")


class Unsafe(Exception):
    """An address that must not be reached; the message is a sentence for the user."""


class Unresolved(Exception):
    """A host name that does not exist or, with `is_passing`, that the resolver could not look up this time."""

    def __init__(self, host: str, *, is_passing: bool = False) -> None:
        super().__init__(host)
        self.host, self.is_passing = host, is_passing


# A look-up cannot be cancelled, so that slow ones would take the threads that other work waits for.
_look_ups = ThreadPoolExecutor(16, thread_name_prefix="look-up")


async def system_resolve(host: str, port: int) -> list[str]:
    """Return every address of `host`, using the system's resolver. Raises Unresolved."""
    ask = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    try:
        found = await asyncio.get_running_loop().run_in_executor(_look_ups, ask)
    except (OSError, UnicodeError) as error:
        raise Unresolved(host, is_passing=getattr(error, "errno", None) == socket.EAI_AGAIN) from error
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def parse(address: str) -> httpx.URL:
    """Parse `address` as a URL: http or https, without user name and fragment. Raises Unsafe.

    It is parsed once, by the library that connects, so that no two parsers can disagree about the host.
    """
    if len(address) > 4000 or re.search(r"[\x00-\x20\x7f\\]", address.strip()):
        raise Unsafe("This address has characters that are not allowed in a web address.")
    try:
        url = httpx.URL(address.strip())
        host = url.host  # raises for an invalid name such as "xn--a"
    except (httpx.InvalidURL, ValueError, UnicodeError) as error:
        raise Unsafe("This is not a web address.") from error
    if url.scheme not in _PORTS:
        raise Unsafe("Only http and https addresses are opened.")
    if not host:
        raise Unsafe("This address has no host name.")
    if url.userinfo:
        raise Unsafe("Addresses with a user name in them are not opened.")
    return url.copy_with(fragment=None)


def port_of(url: httpx.URL) -> int:
    """Return the port of `url`, also if it is the default."""
    return url.port or _PORTS[url.scheme]


def is_excepted(url: httpx.URL) -> bool:
    """Return whether FETCH_ALLOW_PRIVATE lists this host and port; `true` allows every loopback address."""
    excepted = {entry.strip().lower() for entry in settings.FETCH_ALLOW_PRIVATE}
    if f"{_name(url)}:{port_of(url)}" in excepted:
        return True
    return bool(excepted & {"true", "1", "yes", "on"}) and _name(url) in {"127.0.0.1", "localhost", "::1"}


async def safe_address(url: httpx.URL, resolve: Resolve, *, excepted: bool = False) -> str:
    """Return the IP address to connect to for `url`. Raises Unsafe or Unresolved.

    `excepted` skips the check of port and address, for hosts in FETCH_ALLOW_PRIVATE.
    """
    host = _name(url)
    if not excepted and port_of(url) not in _PORTS.values():
        raise Unsafe("Only ports 80 and 443 are opened.")
    literal = _literal(host)
    if literal is None and _NUMERIC.fullmatch(host):
        raise Unsafe("The host of this address is a number in an unusual format.")
    found = [str(literal)] if literal else list(await resolve(host, port_of(url)))
    if not found:
        raise Unresolved(host)
    if not excepted and not all(map(is_public, found)):
        raise Unsafe("This address leads into a private network and was not opened.")
    return found[0]


def is_public(address: str) -> bool:
    """Return whether `address` is on the public internet. Also checks an IPv4 address embedded in an IPv6 address."""
    ip = _literal(address)
    if ip is None:
        return False
    if isinstance(ip, ipaddress.IPv4Address):
        return _is_open(ip) and ip not in _RELAY
    if inner := _inner(ip):
        # A translator or tunnel would forward this to an IPv4 address; no honest page needs that.
        return ip.ipv4_mapped is not None and is_public(str(inner))
    return _is_open(ip) and not ip.is_site_local


def _is_open(ip: Address) -> bool:
    return ip.is_global and not (
        ip.is_private or ip.is_loopback or ip.is_link_local or ip.is_multicast or ip.is_reserved or ip.is_unspecified
    )


def _inner(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address embedded in a mapped, 6to4, Teredo, NAT64 or compatible address, or None."""
    if ip.ipv4_mapped or ip.sixtofour:
        return ip.ipv4_mapped or ip.sixtofour
    if ip.teredo:
        return ip.teredo[1]
    return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF) if any(ip in net for net in _CARRIES_IPV4) else None


def _literal(host: str) -> Address | None:
    """Return `host` as an IP address, or None if it is a name or has a zone ("fe80::1%eth0")."""
    try:
        return None if "%" in host else ipaddress.ip_address(host)
    except ValueError:
        return None


def _name(url: httpx.URL) -> str:
    """Return the host name for resolving: ASCII, without brackets."""
    return url.raw_host.decode("ascii").strip("[]").lower()


@cache
def authorities() -> ssl.SSLContext:
    """Return the TLS context with the certificate authorities, loaded once since that takes longer than a request."""
    return httpx.create_ssl_context(trust_env=False)


@asynccontextmanager
async def pinned_get(
    url: httpx.URL, address: str, headers: Mapping[str, str], timeout: float
) -> AsyncIterator[httpx.Response]:
    """Yield the response to GET `url` over a connection to `address`; TLS is verified against the host name.

    Each request uses a new connection, since a pooled one was verified only for the name it was opened with. No proxy
    is used, since a proxy would resolve the name again. `timeout` is in seconds.
    """
    request = httpx.Request(
        "GET",
        url.copy_with(host=f"[{address}]" if ":" in address else address),
        headers={**headers, "Host": url.netloc.decode("ascii")},
        extensions={"timeout": httpx.Timeout(timeout).as_dict(), "sni_hostname": _name(url)},
    )
    async with httpx.AsyncHTTPTransport(verify=authorities(), trust_env=False) as transport:
        response = await transport.handle_async_request(request)
        try:
            yield response
        finally:
            await response.aclose()
