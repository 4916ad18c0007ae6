"""A service that fails leaves an entry open, and never makes it "not found" (SPEC C2, C3)."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from citations.identity.verdict_types import Verdict
from citations.resolution.resolve import resolve
from jobs.work import Cancelled
from sources.models import CachedResponse, HostPace
from tests.citations.real_works import WORKS, entry, work
from tests.citations.resolve_entries import (
    CAPE,
    HKSJ,
    INVENTED,
    ROB2,
    SHARED_ROWS,
    bare,
    impatient,
    verdict_on,
    verdicts,
)
from tests.servers.catalogues import Answer
from tests.servers.failing_registry import Saying, Troubled

pytestmark = SHARED_ROWS
MANY = [
    work(
        f"Alder growth on plot {number}",
        "Okafor, Ada",
        2000,
        "Trees",
        f"4, {number}-{number}9",
        doi=f"10.5555/plot.{number:03}",
    )
    for number in range(80)
]
HTML = Answer("<html><body>Down for maintenance</body></html>", 200, "text/html")
BUSY = Answer("Too Many Requests", 429, "text/plain")
BROKEN = Answer("Service Unavailable", 503, "text/plain")


@pytest.fixture
def registries(settings: Any) -> Iterator[Troubled]:
    with Troubled([*WORKS.values(), *MANY]) as one:
        one.serve(settings)
        yield one


def then(*answers: Answer | None) -> Saying:
    """Each in turn, the last one for good; None leaves it to the server."""
    left = list(answers)
    return lambda asked: left.pop(0) if len(left) > 1 else left[0]


def in_searches(answer: Answer) -> Saying:
    return lambda asked: answer if "query.bibliographic" in asked.query else None


@pytest.mark.long
async def test_half_a_batch_times_out(registries: Troubled) -> None:
    """What came is proven, the rest is open, and nobody in trouble is asked for each DOI alone."""
    slow = Answer("", delay=4.0)
    registries.says("crossref", lambda asked: slow if "plot.079" in asked.query.get("filter", "") else None)
    told = await verdicts({one.doi or "": entry(one) for one in MANY}, impatient(timeout=1.5))
    verified = [key for key, verdict in told.items() if verdict.status == "verified"]
    left = [verdict for verdict in told.values() if verdict.status != "verified"]
    assert (len(verified), len(left)) == (40, 40)
    assert {verdict.status for verdict in left} == {"unresolved"}
    assert {verdict.tier for verdict in left} == {None}
    assert {verdict.reason for verdict in left} == {"Crossref did not answer and will be asked again."}
    assert all("filter" in asked.query for asked in registries.asked_of("crossref"))
    assert not registries.asked_of("doi")


async def test_openalex_answers_for_a_doi_while_crossref_does_not(registries: Troubled) -> None:
    registries.says("crossref", BROKEN)
    record = {
        "id": "https://openalex.org/W1",
        "doi": f"https://doi.org/{CAPE.doi}",
        "title": CAPE.title,
        "publication_year": CAPE.year,
        "type": "article",
        "authorships": [{"author": {"display_name": f"{one.given} {one.family}"}} for one in CAPE.authors],
    }
    registries.says("openalex", Answer(record))
    told = await verdict_on(entry(CAPE, PMID=None))
    assert (told.status, told.tier) == ("verified", "A")
    assert told.reason.startswith("OpenAlex knows this DOI")


@pytest.mark.parametrize("answer", [HTML, BUSY, BROKEN, Answer(drop=True), Answer({"message": None}), Answer("[]")])
async def test_whatever_crossref_answers_instead_is_no_answer(registries: Troubled, answer: Answer) -> None:
    registries.says("crossref", answer)
    told = await verdicts(
        {"doi": entry(HKSJ, PMID=None), "title": bare(HKSJ, title=f"{HKSJ.title} again"), "invented": INVENTED}
    )
    assert {verdict.status for verdict in told.values()} == {"unresolved"}
    assert all("Crossref did not answer" in verdict.reason for verdict in told.values())


async def test_too_many_requests_without_a_time_is_tried_again(registries: Troubled) -> None:
    registries.says("crossref", then(BUSY, BUSY, None))
    told = await verdict_on(entry(HKSJ, PMID=None), impatient(retries=3))
    assert told.status == "verified"
    assert len(registries.asked) == 3


async def test_nothing_there_is_nothing_there_however_it_is_labelled(registries: Troubled) -> None:
    """Crossref and doi.org send their plain words of a 404 as JSON at times."""
    mislabelled = Answer("Resource not found.", 404, "application/json")
    registries.says("doi", mislabelled)
    told = await verdict_on({**INVENTED, "DOI": "10.99999/none"})
    assert (told.status, told.tier) == ("not_found", "D")


async def test_doi_org_fails_and_other_registries_are_asked(registries: Troubled) -> None:
    registries.says("doi", BROKEN)
    unknown = {**INVENTED, "DOI": "10.5281/zenodo.1"}
    told = await verdict_on(unknown)
    assert (told.status, told.tier) == ("unresolved", None)
    assert told.reason == "doi.org did not answer and will be asked again."
    assert registries.asked_of("datacite")
    assert registries.asked_of("openalex")
    assert not any("query.bibliographic" in asked.query for asked in registries.asked)


async def test_datacite_knows_what_doi_org_could_not_say(registries: Troubled) -> None:
    registries.says("doi", BROKEN)
    attributes = {
        "doi": "10.5281/zenodo.1",
        "creators": [{"name": "Halvorsen, T."}, {"name": "Okonjo, P."}],
        "titles": [{"title": INVENTED["title"]}],
        "publicationYear": 2021,
        "publisher": "Journal of Critical Woods",
        "types": {"citeproc": "article-journal"},
    }
    registries.says("datacite", Answer({"data": {"id": "10.5281/zenodo.1", "type": "dois", "attributes": attributes}}))
    told = await verdict_on({**INVENTED, "DOI": "10.5281/zenodo.1"})
    assert (told.status, told.tier) == ("verified", "A")


@pytest.mark.parametrize("part", ["crossref", "pubmed"])
async def test_a_search_that_failed_is_not_nothing_found(registries: Troubled, part: str) -> None:
    registries.says(part, in_searches(BROKEN) if part == "crossref" else BROKEN)
    told = await verdict_on(INVENTED)
    assert (told.status, told.tier) == ("unresolved", None)
    assert told.reason.endswith("did not answer and will be asked again.")


async def test_a_conflict_is_told_though_the_search_for_the_right_work_fails(registries: Troubled) -> None:
    registries.says("crossref", in_searches(BROKEN))
    registries.says("pubmed", BROKEN)
    told = await verdict_on(entry(HKSJ, DOI=ROB2.doi, PMID=None))
    assert (told.status, told.repair) == ("conflict", None)


async def test_everything_is_down(registries: Troubled) -> None:
    """No entry is "not found", and each says who did not answer."""
    registries.down = True
    claims = {key: entry(one) for key, one in WORKS.items()}
    claims |= {
        "title": bare(HKSJ),
        "invented": {**INVENTED, "DOI": "10.9/x"},
        "pmcid": {"type": "book", "PMCID": "PMC1"},
    }
    claims |= {"arxiv": bare(HKSJ, URL="https://arxiv.org/abs/1512.03385")}
    told = await verdicts(claims)
    assert {verdict.status for verdict in told.values()} == {"unresolved"}
    assert {verdict.tier for verdict in told.values()} == {None}
    assert all("did not answer and will be asked again." in verdict.reason for verdict in told.values())
    assert "Crossref" in told["hksj"].reason
    assert "PubMed" in told["pmcid"].reason
    assert "arXiv" in told["arxiv"].reason
    registries.down = False
    await forget_troubles()
    again = await verdicts(claims)
    assert all(again[key].tier == "A" for key in WORKS)


async def forget_troubles() -> None:
    """As if the time had passed for which hosts are left alone and answers are kept."""
    await HostPace.objects.all().adelete()
    await CachedResponse.objects.all().adelete()


NEEDED = ("crossref", "doi", "pubmed", "openlibrary", "arxiv")


@pytest.mark.long
async def test_whoever_fails_not_found_is_said_only_where_everybody_answered(registries: Troubled) -> None:
    invented = {**INVENTED, "DOI": "10.99999/none", "ISBN": "9780306406157", "PMID": "99999999"}
    invented |= {"custom": {"bibtex": {"eprint": "0000.00000", "archiveprefix": "arXiv"}}}
    claims = {"invented": invented, "real": entry(HKSJ), "real title": bare(HKSJ)}
    for many in range(len(NEEDED) + 1):
        for down in combinations(NEEDED, many):
            for part in NEEDED:
                registries.says(part, BROKEN if part in down else registries.usual(part))
            await forget_troubles()
            told = await verdicts(claims)
            assert told["invented"].status == ("unresolved" if down else "not_found"), down
            # PubMed's record of its PMID has the DOI too, Crossref's of its DOI no PMID.
            assert told["real"].status == ("unresolved" if "pubmed" in down else "verified"), down
            searched = {"crossref", "pubmed"} <= {*down}
            assert told["real title"].status == ("unresolved" if searched else "verified"), down


class Startling(dict[str, Any]):
    """An entry that no code expects."""

    def get(self, key: str, default: Any = None) -> Any:
        raise RuntimeError("surprise")


async def test_an_entry_that_brings_the_code_to_fall_costs_itself_alone(registries: Troubled) -> None:
    told = await verdicts({"before": entry(HKSJ), "odd": Startling(title="x"), "after": entry(ROB2)})
    assert [told[key].status for key in ("before", "odd", "after")] == ["verified", "unresolved", "verified"]
    assert told["odd"] == Verdict(
        "unresolved", None, "This entry could not be compared because of an error in Scholium. It will be tried again."
    )


@pytest.mark.parametrize(
    "odd",
    [
        {"title": 5, "author": "Moss", "issued": {"date-parts": [["in press"]]}},
        {"title": ["a", "list"], "author": [None, 3, {"family": {"x": 1}}], "DOI": {"x": 1}, "PMID": True},
        {
            "title": "ИССЛЕДОВАНИЕ ОЛЬХИ",
            "author": [{"literal": "Институт, леса, и воды"}],
            "issued": {"raw": "in press"},
        },
        {
            "title": "\x00\ud800 <script>alert(1)</script>",
            "author": [{"family": "\udfff"}],
            "URL": "javascript:alert(1)",
        },
        {"title": "x" * 1_000_000, "author": [{"family": "y" * 100_000}], "container-title": "z" * 100_000},
        {"title": "\\sqrt[" * 40, "DOI": "10.1/" + "9" * 5_000, "ISBN": "0" * 9_000},
        {"title": "Alders", "DOI": "10.1002/(SICI)1521-3951(199911)216:1<135::AID-PSSB135>3.0.CO;2-#"},
        {"title": "Alders", "DOI": "10.5555/a b,c&d?e=f#g", "URL": "http://[::1"},
        {"title": "Alders", "PMID": "9" * 400, "PMCID": "PMC" + "9" * 400, "URL": "http://127.0.0.1:1/"},
    ],
)
async def test_odd_entries_get_a_verdict_beside_good_ones(registries: Troubled, odd: dict[str, Any]) -> None:
    told = await verdicts({"odd": odd, "good": entry(HKSJ)})
    assert told["good"].tier == "A"
    assert told["odd"].status == "not_found"


async def test_who_is_not_wanted_any_more_ends_it_all(registries: Troubled) -> None:
    async def still_wanted() -> None:
        raise Cancelled

    registries.says("crossref", Answer("Wait", 429, "text/plain", {"Retry-After": "30"}))
    async with impatient(still_wanted=still_wanted, retries=1) as client:
        with pytest.raises(Cancelled):
            async for _ in resolve({"one": entry(HKSJ), "other": INVENTED}, client):
                pass
