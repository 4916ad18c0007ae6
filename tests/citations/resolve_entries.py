"""Having entries resolved against registries on this machine, as tests do it."""

from typing import Any

import pytest

from citations.formats.reading import Csl
from citations.identity.verdict_types import Verdict
from citations.resolution.resolve import resolve
from sources.http_client import Client
from tests.citations.real_works import WORKS, entry

# What asks works in threads, which no transaction of a test spans; only this room's tables are emptied afterwards.
SHARED_ROWS = pytest.mark.django_db(transaction=True, available_apps=["sources"])
HKSJ, I2, ROB2, CAPE, FDR = (WORKS[key] for key in ("hksj", "i2", "rob2", "cape", "fdr"))
BARE: dict[str, Any] = {"DOI": None, "PMID": None, "URL": None}
INVENTED: Csl = {
    "type": "article-journal",
    "title": "Shock-titrated alder extract in critical illness: the ALDER-ICU stepped-wedge trial",
    "author": [{"family": "Halvorsen", "given": "T."}, {"family": "Okonjo", "given": "P."}],
    "issued": {"date-parts": [[2021]]},
    "container-title": "Journal of Critical Woods",
}


def impatient(**more: Any) -> Client:
    """A client that no test has to wait for."""
    return Client(**{"timeout": 5.0, "retries": 0, "backoff": 0.01, **more})


async def verdicts(claims: dict[str, Csl], client: Client | None = None, **more: Any) -> dict[str, Verdict]:
    """The verdict on each; every key comes exactly once."""
    async with client or impatient() as asking:
        told = [pair async for pair in resolve(claims, asking, **more)]
    assert sorted(key for key, _ in told) == sorted(claims)
    return dict(told)


async def verdict_on(csl: Csl, client: Client | None = None) -> Verdict:
    return (await verdicts({"one": csl}, client))["one"]


def bare(work: Any, **changed: Any) -> Csl:
    """The entry that claims `work` without any identifier."""
    return entry(work, **{**BARE, **changed})
