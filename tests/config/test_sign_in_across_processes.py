"""Two web processes behind a proxy count together and by client, whatever headers say;
and the victim gets in (SPEC P3).

Clients have addresses of their own: all of 127.0.0.0/8 is this machine. SIGN_IN_ATTACKERS and SIGN_IN_ROUNDS make
the attack larger: with 1000 and 10 it is 10,000 tries.
"""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from itertools import product
from pathlib import Path
from urllib.parse import urlencode

import pytest

from projects.models import User
from projects.rate_limits import Allowance
from tests.people import person
from tests.servers.processes import ROOT, answers, end, environment, free_port, own_database, until
from tests.servers.proxy import proxy

ATTACKERS = int(os.environ.get("SIGN_IN_ATTACKERS", "60"))
ROUNDS = int(os.environ.get("SIGN_IN_ROUNDS", "3"))
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]


class Browser:
    """Signs in from `address` through whatever listens on `port`, with `forged` as its own X-Forwarded-For."""

    def __init__(self, port: int, address: str, forged: str = "") -> None:
        self.port, self.address, self.forged, self.cookies = port, address, forged, {}  # type: ignore[var-annotated]

    def ask(self, method: str, path: str, form: dict[str, str] | None = None) -> tuple[int, str]:
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        headers |= {"Content-Type": "application/x-www-form-urlencoded"} if form else {}
        headers |= {"X-Forwarded-For": self.forged} if self.forged else {}
        line = HTTPConnection("127.0.0.1", self.port, timeout=60, source_address=(self.address, 0))
        with closing(line):
            line.request(method, path, urlencode(form) if form else None, headers)
            answer = line.getresponse()
            for cookie in answer.headers.get_all("Set-Cookie", []):
                name, _, value = cookie.partition(";")[0].partition("=")
                self.cookies[name] = value
            return answer.status, answer.read().decode()

    def sign_in(self, email: str, password: str) -> str:
        """ "in", "wrong", "wait", or the status of anything else."""
        if "csrftoken" not in self.cookies:
            self.ask("GET", "/accounts/login/")
        form = {"login": email, "password": password, "csrfmiddlewaretoken": self.cookies["csrftoken"]}
        status, page = self.ask("POST", "/accounts/login/", form)
        if status == 302:
            return "in"
        said = re.search("Wrong e-mail address|Too many attempts in a row", page)
        return {"Wr": "wrong", "To": "wait"}[said[0][:2]] if said else str(status)


@pytest.fixture
def web(tmp_path: Path) -> Iterator[tuple[int, list[int]]]:
    """The port of the proxy, and those of the two web processes behind it."""
    ports = [free_port(), free_port()]
    env = environment(
        own_database(),
        tmp_path,
        DJANGO_SETTINGS_MODULE="tests.servers.fast_settings",
        TRUSTED_PROXIES="127.0.0.1",
        SCHOLIUM_TEST_STATIC=str(tmp_path / "static"),
    )
    with ExitStack() as stack:
        for port in ports:
            command = [sys.executable, "-m", "daphne", "-v", "0", "-p", str(port), "config.asgi:application"]
            process = subprocess.Popen(command, cwd=ROOT, env=env, start_new_session=True)
            stack.callback(end, process)
        for port in ports:
            until(lambda port=port: answers(port, "/healthz"), 60, "a web process")  # type: ignore[misc]
        yield stack.enter_context(proxy(ports)), ports


def test_the_two_count_together(web: tuple[int, list[int]]) -> None:
    front, _ = web
    victim = person("victim@example.org", "Vera")
    client = Browser(front, "127.0.1.1")
    assert [client.sign_in(victim.email, "wrong") for _ in range(8)] == ["wrong"] * 5 + ["wait"] * 3
    assert Browser(front, "127.0.1.2").sign_in(victim.email, "correct horse") == "in"


def test_a_forged_header_makes_nobody_another(web: tuple[int, list[int]]) -> None:
    front, (behind, _) = web
    victim = person("victim@example.org", "Vera")
    tries: list[Callable[[int], Browser]] = [
        lambda number: Browser(front, "127.0.2.1", f"203.0.113.{number}"),  # through the proxy
        lambda number: Browser(front, "127.0.2.2", f"203.0.113.{number}, 127.0.0.1"),
        lambda number: Browser(behind, "127.0.2.3", f"203.0.113.{number}"),  # past it
    ]
    for browser in tries:
        assert [browser(number).sign_in(victim.email, "wrong") for number in range(7)] == ["wrong"] * 5 + ["wait"] * 2
    for address in ("203.0.113.1", "127.0.2.1"):  # nor is anybody else held to account for it
        assert Browser(front, "127.0.2.9", address).sign_in(victim.email, "correct horse") == "in"


def test_many_tries_from_many_addresses_keep_nobody_out(web: tuple[int, list[int]]) -> None:
    front, _ = web
    victim = person("victim@example.org", "Vera")
    at_home = Browser(front, "127.0.3.1")
    assert at_home.sign_in(victim.email, "correct horse") == "in"
    at_home.cookies.pop("sessionid")

    first = Browser(front, "127.0.3.2")
    first.ask("GET", "/accounts/login/")

    def attack(place: tuple[int, int]) -> str:
        turn, number = place
        attacker = Browser(front, f"127.{1 + number // 250}.7.{number % 250 + 1}")
        attacker.cookies = dict(first.cookies)
        return attacker.sign_in(victim.email, f"guess {turn}-{number}")

    with ThreadPoolExecutor(8) as pool:
        seen = Counter(pool.map(attack, product(range(ROUNDS), range(ATTACKERS))))
    print(f"\n{ROUNDS * ATTACKERS} tries from {ATTACKERS} addresses: {dict(seen)}; {Allowance.objects.count()} rows")  # noqa: T201

    assert set(seen) <= {"wrong", "wait"}
    # One each, the first thirty, and what time gives back meanwhile.
    assert ATTACKERS <= seen["wrong"] <= ATTACKERS + 60 + ROUNDS * ATTACKERS // 50
    assert Browser(front, "127.0.4.1").sign_in(victim.email, "correct horse") == "in"  # from where nobody tried
    assert [at_home.sign_in(victim.email, "mistyped") for _ in range(3)] == ["wrong"] * 3
    assert at_home.sign_in(victim.email, "correct horse") == "in"
    at_the_attackers = Browser(front, "127.1.7.1")
    at_the_attackers.cookies = {name: value for name, value in at_home.cookies.items() if name != "sessionid"}
    assert at_the_attackers.sign_in(victim.email, "correct horse") == "in"  # a known browser beside an attacker
    assert User.objects.get(pk=victim.pk).is_active
