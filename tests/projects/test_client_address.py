"""Behind a proxy the client is counted, and nobody chooses by a header as whom they count."""

from ipaddress import ip_address, ip_network
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from config.environment import networks
from projects.rate_limits import client_address, client_of, parsed

PROXIES = [ip_network("127.0.0.1"), ip_network("10.0.0.0/8"), ip_network("fd00::/8")]


@pytest.fixture(autouse=True)
def _proxies(settings: Any) -> None:
    settings.TRUSTED_PROXIES = PROXIES


def client(near: str, forwarded: str | None = None) -> str:
    headers = {} if forwarded is None else {"x-forwarded-for": forwarded}
    return client_of(RequestFactory().get("/", headers=headers, REMOTE_ADDR=near))


@pytest.mark.parametrize(
    ("near", "forwarded", "counted"),
    [
        ("203.0.113.7", None, "203.0.113.7"),
        ("127.0.0.1", None, "127.0.0.1"),
        ("203.0.113.7", "198.51.100.1", "203.0.113.7"),  # no proxy
        ("203.0.113.7", "198.51.100.1, 127.0.0.1", "203.0.113.7"),
        ("127.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("127.0.0.1", "198.51.100.1, 203.0.113.7", "203.0.113.7"),  # the left one is the client's own word
        ("127.0.0.1", "10.0.0.9, 203.0.113.7", "203.0.113.7"),
        ("127.0.0.1", "198.51.100.1, 203.0.113.7, 10.1.2.3", "203.0.113.7"),  # through two proxies
        ("127.0.0.1", "10.4.4.4, 10.1.2.3", "10.4.4.4"),  # from within
        ("127.0.0.1", "203.0.113.7:4711", "203.0.113.7"),
        ("127.0.0.1", '"[2001:db8:1:2:3::9]:443"', "2001:db8:1:2::/64"),
        ("127.0.0.1", "2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("::ffff:127.0.0.1", "::ffff:203.0.113.7", "203.0.113.7"),
        ("fd00::1", "203.0.113.7", "203.0.113.7"),
        ("fe80::1%eth0", None, "fe80::/64"),
        ("127.0.0.1", "unknown", "127.0.0.1"),
        ("127.0.0.1", "203.0.113.7, <script>", "127.0.0.1"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("127.0.0.1", ",,,", "127.0.0.1"),
        ("", "203.0.113.7", "unknown"),
    ],
)
def test_who_is_counted(near: str, forwarded: str | None, counted: str) -> None:
    assert client(near, forwarded) == counted


def test_a_proxy_that_comes_through_a_socket_file(settings: Any) -> None:
    settings.TRUSTED_PROXIES = ["unix"]
    assert client("", "203.0.113.7") == "203.0.113.7"
    assert client("203.0.113.9", "198.51.100.1") == "203.0.113.9"


@given(st.text(), st.ip_addresses())
def test_whatever_a_client_writes_before_the_proxy_it_is_counted_by_its_address(forged: str, own: Any) -> None:
    meta = {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": f"{forged}, {own}"}
    if any(own in network for network in PROXIES):
        return
    assert client_address(meta) == (getattr(own, "ipv4_mapped", None) or own)


@given(st.text(), st.text())
def test_nothing_a_client_writes_breaks_it(near: str, forwarded: str) -> None:
    found = client_address({"REMOTE_ADDR": near, "HTTP_X_FORWARDED_FOR": forwarded})
    assert found is None or found == ip_address(str(found))


@given(st.ip_addresses(), st.integers(1, 65535))
def test_a_port_is_no_part_of_an_address(address: Any, port: int) -> None:
    written = f"[{address}]:{port}" if address.version == 6 else f"{address}:{port}"
    assert parsed(written) == parsed(str(address)) is not None


def test_what_is_no_network_is_said_at_start() -> None:
    assert networks([" 10.0.0.1", "", "unix", "fd00::/8 "]) == [ip_network("10.0.0.1"), "unix", ip_network("fd00::/8")]
    with pytest.raises(ImproperlyConfigured, match="TRUSTED_PROXIES contains 'nginx'"):
        networks(["10.0.0.1", "nginx"])
