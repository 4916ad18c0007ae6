"""300 references with identifiers are looked up where registries take 200 ms and insist on their limits
(SPEC C2, C3)."""

import asyncio
import random
import threading
import time
from collections import defaultdict, deque
from collections.abc import Iterable

from django.test import override_settings

from citations.formats.reading import Csl
from citations.resolution.resolve import resolve
from sources.http_client import Client
from sources.models import CachedResponse, HostPace
from sources.work import Person, Work
from tests.benchmarks.figure import Figure
from tests.servers.catalogues import Answer, ReceivedRequest
from tests.servers.registry_works import Holdings

ENTRIES, LATENCY = 300, 0.2  # seconds
TARGET, TARGET_REQUESTS = 16.0, 0.75  # seconds; requests for each entry
# As the registries have it: requests in any one second, and Crossref's at the same time.
_PACE = {"record": 10, "search": 3, "pubmed": 3}
_AT_ONCE = 3


class Polite(Holdings):
    """Registries that refuse whoever asks more often than they allow."""

    def __init__(self, works: Iterable[Work]) -> None:
        super().__init__(works)
        self.delay = LATENCY
        self.refused = 0
        self._seen: defaultdict[str, deque[float]] = defaultdict(deque)
        self._lock_pace = threading.Lock()

    def next_answer(self, asked: ReceivedRequest) -> Answer:
        part = asked.path.split("/")[1]
        counted = "pubmed" if part == "pubmed" else "search" if asked.path == "/crossref/works" else "record"
        if part not in ("crossref", "pubmed") or self._is_allowed(counted):
            return super().next_answer(asked)
        self.asked.append(asked)
        return Answer("Too Many Requests", 429, "text/plain", {"Retry-After": "1"})

    def _is_allowed(self, counted: str) -> bool:
        with self._lock_pace:
            now, seen = time.monotonic(), self._seen[counted]
            while seen and now - seen[0] > 1:
                seen.popleft()
            seen.append(now)
            allowed = len(seen) <= _PACE[counted] and (counted == "pubmed" or self.in_flight <= _AT_ONCE + 1)
            self.refused += not allowed
            return allowed


def works(count: int = ENTRIES) -> list[Work]:
    """Papers with a DOI and, most of them, a PMID."""
    dice = random.Random(6)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(dice.choices(letters, k=dice.randint(4, 10))) for _ in range(900)]
    made = []
    for number in range(count):
        names = dice.sample(words, 2 + number % 5)
        made.append(
            Work(
                provider="crossref",
                provider_id=str(number),
                title=" ".join(dice.sample(words, 9)).capitalize(),
                authors=tuple(Person(family=name.capitalize(), given="A. B.") for name in names),
                year=1980 + number % 45,
                venue=f"Journal of {dice.choice(words).capitalize()}",
                volume=str(1 + number % 60),
                pages=f"{number * 3 + 1}-{number * 3 + 9}",
                doi=f"10.{5000 + number % 9}/paper.{number}",
                pmid=str(20_000_000 + number) if number % 5 else None,
                type="article-journal",
            )
        )
    return made


def claims(known: Iterable[Work]) -> dict[str, Csl]:
    """Entries as files bring them: most with a DOI alone, some with a PMID too, some with nothing else."""
    kept: dict[str, Csl] = {}
    for number, work in enumerate(known):
        csl = work.csl()
        left_out = ("DOI", "URL") if number % 10 == 9 else ("PMID",) if number % 10 < 7 else ()
        kept[str(number)] = {name: value for name, value in csl.items() if name not in left_out}
    return kept


async def proven(entries: dict[str, Csl]) -> int:
    async with Client() as client:
        return sum([verdict.tier == "A" async for _, verdict in resolve(entries, client)])


def measure() -> list[Figure]:
    known = works()
    with Polite(known) as registries:
        bases = {name: value for name, value in registries.environment().items() if name.endswith("_BASE_URL")}
        with override_settings(**bases, CROSSREF_MAILTO="", PUBMED_API_KEY="", SOURCE_PACE={}):
            CachedResponse.objects.all().delete()
            HostPace.objects.all().delete()
            begun = time.perf_counter()
            found = asyncio.run(proven(claims(known)))
            took = time.perf_counter() - begun
            asked = len(registries.asked)
    if found != ENTRIES:
        raise RuntimeError(f"{found} of {ENTRIES} references were proven.")
    what = f"{ENTRIES} references looked up in registries of {LATENCY * 1000:.0f} ms"
    note = f"{asked} requests, {registries.refused} of them refused"
    return [
        Figure(what, took, "s", TARGET, note),
        Figure("requests for each reference", asked / ENTRIES, "", TARGET_REQUESTS),
    ]
