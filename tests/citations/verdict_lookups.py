"""Lookups and searches that a verdict is drawn from, for tests."""

from typing import Any

from citations.identity.reference import reference_from_csl
from citations.identity.verdict import judge
from citations.identity.verdict_types import Lookup, Search, Verdict
from tests.citations.real_works import WORKS, entry

I2 = WORKS["i2"]
DOI, PMID = str(I2.doi), str(I2.pmid)
NO_IDENTIFIER: dict[str, Any] = {"DOI": None, "PMID": None, "URL": None}
FOUND = Lookup("doi", DOI, (I2,))
MISSING = Lookup("doi", DOI)
FAILED = Lookup("doi", DOI, failed=("Crossref",))
NOTHING = Search()


def verdict(lookups: list[Lookup], search: Search | None = NOTHING, **changed: Any) -> Verdict:
    return judge(reference_from_csl(entry(I2, **{"PMID": None, **changed})), lookups, search)
