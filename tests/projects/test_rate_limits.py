"""How often something may be done is counted for all processes together, and nothing is left behind."""

import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from projects import rate_limits
from projects.rate_limits import Allowance, Limit

FIVE = Limit("five an hour", 5, 720)


def earlier(seconds: float) -> None:
    """As if all that was counted had been counted `seconds` before."""
    for row in Allowance.objects.all():
        Allowance.objects.filter(pk=row.pk).update(used_until=row.used_until - seconds)


@pytest.mark.django_db
def test_so_many_at_once_and_then_one_after_the_other() -> None:
    assert [rate_limits.count_attempt(FIVE, "a") for _ in range(5)] == [0.0] * 5
    assert 0 < rate_limits.count_attempt(FIVE, "a") <= 720
    assert rate_limits.count_attempt(FIVE, "b") == 0.0
    earlier(721)
    assert rate_limits.count_attempt(FIVE, "a") == 0.0
    assert rate_limits.count_attempt(FIVE, "a") > 0
    earlier(10 * 720)
    assert [rate_limits.count_attempt(FIVE, "a") for _ in range(5)] == [0.0] * 5
    assert rate_limits.count_attempt(FIVE, "a") > 0


@pytest.mark.django_db
def test_what_is_given_back_is_there_again() -> None:
    for _ in range(5):
        rate_limits.count_attempt(FIVE, "a")
    rate_limits.refund_attempt(FIVE, "a")
    assert rate_limits.count_attempt(FIVE, "a") == 0.0
    assert rate_limits.count_attempt(FIVE, "a") > 0


@pytest.mark.django_db
def test_what_is_refused_writes_nothing() -> None:
    for _ in range(5):
        rate_limits.count_attempt(FIVE, "a")
    with CaptureQueriesContext(connection) as queries:
        assert rate_limits.count_attempt(FIVE, "a") > 0
    assert [query["sql"].split()[0] for query in queries] == ["SELECT"]


@pytest.mark.django_db
def test_rows_that_ended_go() -> None:
    for number in range(20):
        rate_limits.count_attempt(FIVE, number)
    earlier(721)
    rate_limits.count_attempt(FIVE, "new")
    assert Allowance.objects.count() == 1
    assert Allowance.objects.get().used_until > time.time()


@pytest.mark.django_db
def test_neither_clients_nor_addresses_of_people_are_kept() -> None:
    rate_limits.count_attempt(FIVE, "203.0.113.7", "asha@example.org")
    assert re.fullmatch("[0-9a-f]{64}", Allowance.objects.get().key)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_many_at_once_are_not_more_than_allowed() -> None:
    def one(_: int) -> float:
        try:
            return rate_limits.count_attempt(FIVE, "a")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        assert sum(wait == 0.0 for wait in pool.map(one, range(40))) == 5


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.2, "1 second"), (59.5, "60 seconds"), (61, "2 minutes"), (3600, "60 minutes"), (7300, "3 hours")],
)
def test_a_wait_is_said_in_words(seconds: float, said: str) -> None:
    words: Callable[[float], str] = rate_limits.in_words
    assert words(seconds) == said
