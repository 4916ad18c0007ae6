"""20 people who open the pages of one large thesis, with a second to think between them, and then without (SPEC N2)."""

import asyncio
import time
from random import Random
from statistics import quantiles

import httpx

from config.demo.install import EMAIL
from projects.models import Membership, Project, User
from research.models import Run
from tests.benchmarks.browser import session
from tests.benchmarks.cite import REFERENCES, large
from tests.benchmarks.figure import Figure

PEOPLE, ROUNDS, THINK = 20, 8, 1.0  # seconds between two pages
TARGET, TARGET_EACH = 150.0, 1000 / 60  # ms; 60 pages a second


def addresses(project: Project) -> list[str]:
    """The pages of the thesis and of a finished run that people open most."""
    run = Run.objects.latest("created_at")
    of_thesis = ["", "citations/", "citations/audit/", "analyses/", "research/", "sections/results/"]
    return [
        "/",
        *(f"/projects/{project.pk}/{page}" for page in of_thesis),
        f"/runs/{run.pk}/",
        f"/runs/{run.pk}/report/",
    ]


async def _person(address: str, cookies: dict[str, str], paths: list[str], think: float, seed: int) -> list[float]:
    """Open pages one after the other; return the milliseconds of each."""
    random, took = Random(seed), []
    async with httpx.AsyncClient(base_url=address, cookies=cookies, trust_env=False, timeout=60) as client:
        for _ in range(ROUNDS):
            await asyncio.sleep(random.uniform(0.5, 1.5) * think)
            start = time.perf_counter()
            response = await client.get(random.choice(paths), follow_redirects=True)
            took.append((time.perf_counter() - start) * 1000)
            response.raise_for_status()
    return took


async def _all(
    address: str, cookies: list[dict[str, str]], paths: list[str], think: float
) -> tuple[float, list[float]]:
    start = time.perf_counter()
    took = await asyncio.gather(*(_person(address, own, paths, think, number) for number, own in enumerate(cookies)))
    return time.perf_counter() - start, sorted(one for each in took for one in each)


def measure(address: str) -> list[Figure]:
    project = large(User.objects.get(email=EMAIL))
    run = Run.objects.latest("created_at")
    people = [User.objects.create_user(f"member{number}@example.org") for number in range(PEOPLE)]
    Membership.objects.bulk_create(
        Membership(project_id=pk, user=user, role="editor") for pk in (project.pk, run.project_id) for user in people
    )
    cookies, paths = [session(user.email) for user in people], addresses(project)
    asyncio.run(_all(address, cookies, paths, 0))  # templates and static names are known then, in both processes
    _, thinking = asyncio.run(_all(address, cookies, paths, THINK))
    took, hurrying = asyncio.run(_all(address, cookies, paths, 0))
    User.objects.filter(pk__in=[user.pk for user in people]).delete()
    project.delete()
    what = f"{PEOPLE} people in a thesis of {REFERENCES:,} references"
    return [
        Figure(f"{what}, a second to think: p95", quantiles(thinking, n=100)[94], "ms", TARGET),
        Figure(
            "the same without a pause: time for each page (60 a second are 16.7 ms)",
            took / len(hurrying) * 1000,
            "ms",
            TARGET_EACH,
        ),
    ]
