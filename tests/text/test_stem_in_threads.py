"""The offline engine answers several questions at once, each in a thread: words are stemmed the same in all."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from text.stemming import stem

WORDS = [f"{start}{middle}{end}" for start in "bcdfglmnprst" for middle in "aeiou" for end in ("tionally", "nesses")]
THREADS, ROUNDS = 4, 5


@pytest.fixture
def busy_switching() -> Iterator[None]:
    """Threads take turns as often as they can, so that a race shows."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def stems() -> list[str]:
    return [stem.__wrapped__(word) for word in WORDS]


def test_a_word_has_one_stem_however_many_ask(busy_switching: None) -> None:
    alone = stems()
    with ThreadPoolExecutor(THREADS) as pool:
        together = list(pool.map(lambda _: stems(), range(THREADS * ROUNDS)))
    assert together == [alone] * (THREADS * ROUNDS)
