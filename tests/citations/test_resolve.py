"""References are looked up: in batches, then one by one, and each gets its verdict (SPEC C2, C3)."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from citations.resolution.resolve import resolve
from sources.retractions import Update
from sources.work import Work
from tests.citations.real_works import WORKS, entry, work
from tests.citations.resolve_entries import (
    CAPE,
    HKSJ,
    I2,
    INVENTED,
    ROB2,
    SHARED_ROWS,
    bare,
    impatient,
    verdict_on,
    verdicts,
)
from tests.servers.catalogues import Answer, ReceivedRequest, crossref_one
from tests.servers.failing_registry import Troubled, central
from tests.servers.registry_works import _record as crossref_record
from tests.time_limits import HANGS

pytestmark = SHARED_ROWS
RESNET = work(
    "Deep Residual Learning for Image Recognition",
    "He, Kaiming; Zhang, Xiangyu",
    2015,
    arxiv="1512.03385",
    type="article",
)
VAE = work(
    "Auto-Encoding Variational Bayes", "Kingma, Diederik P.; Welling, Max", 2013, arxiv="1312.6114", type="article"
)


@pytest.fixture
def registries(settings: Any) -> Iterator[Troubled]:
    with Troubled([*WORKS.values(), RESNET, VAE]) as one:
        one.serve(settings)
        yield one


async def test_identifiers_are_asked_for_together(registries: Troubled) -> None:
    """One request for all DOIs and one for all PMIDs prove what they can."""
    claims = {key: entry(one) for key, one in WORKS.items()}
    told = await verdicts(claims)
    assert {verdict.tier for verdict in told.values()} == {"A"}
    assert len(registries.asked) == 2
    assert told["i2"].evidence_value == I2.doi
    assert told["i2"].work is not None
    assert told["i2"].work.pmid == I2.pmid  # Crossref's record, with what PubMed adds


async def test_what_is_proven_is_told_before_what_has_to_be_searched(registries: Troubled) -> None:
    registries.says("pubmed", Answer("", delay=0.3))
    claims = {"invented": INVENTED, "proven": entry(HKSJ, PMID=None)}
    async with impatient() as client:
        told = [key async for key, _ in resolve(claims, client)]
    assert told == ["proven", "invented"]


async def test_a_title_alone_is_searched_for(registries: Troubled) -> None:
    found = await verdict_on(bare(HKSJ))
    assert (found.status, found.tier, found.evidence_value) == ("verified", "A", HKSJ.doi)
    probable = await verdict_on({"type": "article-journal", "title": HKSJ.title})
    assert (probable.status, probable.tier) == ("review", None)
    assert probable.work is not None
    assert probable.work.doi == HKSJ.doi


async def test_an_invented_entry_is_not_found_once_everybody_answered(registries: Troubled) -> None:
    told = await verdict_on({**INVENTED, "DOI": "10.99999/jcw.2021.0417"})
    assert (told.status, told.tier) == ("not_found", "D")
    assert "No registry knows the DOI 10.99999/jcw.2021.0417." in told.reason
    assert [part for part in ("crossref", "doi", "pubmed", "datacite") if registries.asked_of(part)] == [
        *("crossref", "doi", "pubmed")  # what doi.org does not know, DataCite need not be asked
    ]


async def test_an_identifier_of_another_work_is_a_conflict_and_the_right_one_is_offered(registries: Troubled) -> None:
    told = await verdict_on(entry(HKSJ, DOI=ROB2.doi, PMID=None))
    assert (told.status, told.tier, told.repair_doi) == ("conflict", "D", HKSJ.doi)
    crossed = await verdict_on(entry(HKSJ, PMID=ROB2.pmid))
    assert (crossed.status, crossed.tier) == ("conflict", "D")
    assert str(ROB2.pmid) in crossed.reason


async def test_two_identifiers_of_two_works_and_nothing_else(registries: Troubled) -> None:
    """There is no title to decide between them, and PubMed's record may have no DOI of its own to compare."""
    nameless = ROB2.model_copy(update={"doi": None})
    registries.works = [*(one for one in registries.works if one.doi != ROB2.doi), nameless]
    told = await verdict_on({"type": "article-journal", "DOI": HKSJ.doi, "PMID": ROB2.pmid})
    assert (told.status, told.tier) == ("review", None)
    both = await verdict_on({"type": "article-journal", "DOI": HKSJ.doi, "PMID": HKSJ.pmid})
    assert (both.status, both.tier) == ("verified", "A")


async def test_an_unknown_doi_of_a_work_that_is_there_is_for_a_person(registries: Troubled) -> None:
    told = await verdict_on(entry(HKSJ, DOI="10.1186/1471-2288-14-52", PMID=None, URL=None))
    assert (told.status, told.repair_doi) == ("review", HKSJ.doi)


@pytest.mark.parametrize(
    "given",
    [
        {"DOI": "https://doi.org/10.1186/1471-2288-14-25?utm_source=mail&utm_medium=x", "PMID": None},
        {"DOI": "https://bmcmedresmethodol.biomedcentral.com/articles/10.1186/1471-2288-14-25?gclid=1", "PMID": None},
        {"DOI": None, "URL": "https://doi.org/10.1186/1471-2288-14-25?utm_source=mail", "PMID": None},
        {"DOI": None, "PMID": f" PMID: {HKSJ.pmid[:2]} {HKSJ.pmid[2:]}\u00a0 ", "URL": None},  # type: ignore[index]
    ],
)
async def test_identifiers_are_read_as_people_paste_them(registries: Troubled, given: dict[str, Any]) -> None:
    told = await verdict_on(entry(HKSJ, **given))
    assert (told.status, told.tier) == ("verified", "A")
    assert not any("query.bibliographic" in asked.query for asked in registries.asked)


async def test_an_alias_leads_to_the_doi_that_took_its_place(registries: Troubled) -> None:
    """Crossref's filter leaves aliases out; doi.org knows them."""
    alias = "10.1186/old-number"

    def answer(asked: ReceivedRequest) -> Answer | None:
        return Answer(crossref_record(HKSJ)) if asked.path == f"/doi/{alias}" else None

    registries.says("doi", answer)
    told = await verdict_on(entry(HKSJ, DOI=alias, PMID=None))
    assert (told.status, told.tier, told.evidence_value) == ("verified", "A", HKSJ.doi)
    assert [row.claimed for row in told.diff if row.agrees is False] == [alias]


async def test_preprints_are_asked_for_together_at_arxiv(registries: Troubled) -> None:
    claims = {
        "id": {**bare(RESNET), "URL": "https://arxiv.org/abs/1512.03385"},
        "doi": {**bare(VAE), "DOI": "10.48550/arXiv.1312.6114"},
        "unknown": {
            **bare(VAE, title="Sleep"),
            "custom": {"bibtex": {"eprint": "0000.00000", "archiveprefix": "arXiv"}},
        },
    }
    told = await verdicts(claims)
    assert [told[key].tier for key in claims] == ["A", "A", "D"]
    assert len(registries.asked_of("arxiv")) == 1
    assert not any("filter" in asked.query for asked in registries.asked)  # Crossref has none of them


async def test_a_pmcid_alone(registries: Troubled) -> None:
    def answer(asked: ReceivedRequest) -> Answer | None:
        if asked.form.get("db") != "pmc":
            return None
        found = central(HKSJ, "PMC4015721")
        return Answer({"result": {"uids": ["4015721"], "4015721": found}})

    registries.says("pubmed", answer)
    told = await verdict_on({"type": "article-journal", "PMCID": "PMC4015721"})
    assert (told.status, told.tier) == ("verified", "A")
    assert told.work is not None
    assert told.work.pmid == HKSJ.pmid


async def test_the_same_is_asked_once_however_many_entries_want_it(registries: Troubled) -> None:
    claims = {f"invented {number}": INVENTED for number in range(20)}
    claims |= {f"by doi {number}": entry(HKSJ, PMID=None) for number in range(20)}
    told = await verdicts(claims, at_once=5)
    assert {verdict.status for key, verdict in told.items() if "invented" in key} == {"not_found"}
    assert len(registries.asked) == 3  # the DOI, and the title at Crossref and at PubMed


async def test_an_entry_that_says_nothing_asks_nobody(registries: Troubled) -> None:
    told = await verdicts({"empty": {}, "only an author": {"author": [{"family": "Moss"}], "type": "book"}})
    assert {(one.status, one.tier) for one in told.values()} == {("not_found", "D")}
    assert all("neither a title nor an identifier" in one.reason for one in told.values())
    assert registries.asked == []


@pytest.mark.timeout(HANGS)
async def test_five_hundred_authors(registries: Troubled) -> None:
    names = [f"Author{number}a, Given{number}" for number in range(500)]
    many = work("A genome of alders", "; ".join(names), 2020, "Trees", "4, 1-9", doi="10.5555/many.1")
    registries.works.append(many)
    turned = work("A genome of alders", "; ".join(reversed(names)), 2020, "Trees", "4, 1-9", doi="10.5555/many.1")
    told = await verdicts({"right": entry(many), "turned": entry(turned), "searched": bare(many)})
    assert [told[key].status for key in ("right", "turned", "searched")] == ["verified", "conflict", "verified"]


async def test_a_notice_that_only_pubmed_knows_is_told(registries: Troubled) -> None:
    """Crossref's record proves the entry; PubMed's of the same work says that it was retracted (SPEC C11)."""
    retracted = WORKS["mehra"]
    kept = registries.works
    registries.works = [one for one in kept if one.doi != retracted.doi]
    registries.works.append(retracted.model_copy(update={"title": retracted.title.removeprefix("RETRACTED: ")}))

    def answer(asked: ReceivedRequest) -> Answer:
        record = {
            "uid": retracted.pmid,
            "title": retracted.title.removeprefix("RETRACTED: "),
            "authors": [{"name": name} for name in ("Mehra MR", "Desai SS", "Ruschitzka F", "Patel AN")],
            "pubdate": "2020",
            "pubtype": ["Retracted Publication"],
            "articleids": [{"idtype": "doi", "value": retracted.doi}],
            "references": [{"reftype": "Retraction in", "refsource": "Lancet. 2020;395:1820", "pmid": "32511943"}],
        }
        return Answer({"result": {"uids": [retracted.pmid], retracted.pmid: record}})

    registries.says("pubmed", answer)
    told = await verdict_on(entry(retracted))
    assert told.status == "verified"
    assert told.retraction is not None
    assert (told.retraction.type, told.retraction.year) == ("retraction", 2020)
    assert told.work is not None
    assert told.work.is_retracted


async def test_a_published_version_and_a_notice_of_crossref_come_along(registries: Troubled) -> None:
    preprint = Work(
        **{
            **HKSJ.model_dump(),
            "doi": "10.1101/2013.01.01",
            "pmid": None,
            "type": "article",
            "venue": "medRxiv",
            "published_version_doi": HKSJ.doi,
            "updates": (Update(type="expression_of_concern", doi="10.1101/eoc", source="publisher"),),
        }
    )
    registries.works.append(preprint)
    told = await verdict_on(entry(preprint))
    assert told.status == "verified"
    assert told.work is not None
    assert told.work.published_version_doi == HKSJ.doi
    assert told.retraction is not None
    assert told.retraction.type == "expression_of_concern"


async def test_a_doi_whose_agency_describes_nothing(registries: Troubled) -> None:
    """All that is known is that it exists: no proof of what it stands for."""

    def answer(asked: ReceivedRequest) -> Answer:
        if asked.path.startswith("/doi/ra/"):
            return Answer([{"DOI": "10.3000/alder", "RA": "JaLC"}])
        return Answer("<html>A page</html>", 200, "text/html")

    registries.says("doi", answer)
    alone = await verdict_on({"type": "article-journal", "DOI": "10.3000/alder"})
    assert (alone.status, alone.tier) == ("review", None)
    assert "without a title" in alone.reason
    assert (await verdict_on(bare(HKSJ, DOI="10.3000/alder"))).status == "review"


async def test_openalex_is_searched_where_its_key_is_set(registries: Troubled, settings: Any) -> None:
    def answer(asked: ReceivedRequest) -> Answer:
        assert asked.query["api_key"] == "key-4711"
        found = {
            "id": "https://openalex.org/W1",
            "title": INVENTED["title"],
            "publication_year": 2021,
            "type": "article",
            "authorships": [{"author": {"display_name": name}} for name in ("T. Halvorsen", "P. Okonjo")],
            "primary_location": {"source": {"display_name": "Journal of Critical Woods"}},
        }
        return Answer({"meta": {"count": 1}, "results": [found]})

    registries.says("openalex", answer)
    assert (await verdict_on(INVENTED)).status == "not_found"
    assert not registries.asked_of("openalex")
    settings.OPENALEX_API_KEY = "key-4711"
    assert (await verdict_on(INVENTED)).status == "verified"


async def test_what_is_closed_in_the_middle_asks_no_further(registries: Troubled) -> None:
    registries.says("crossref", lambda asked: Answer("", delay=0.2) if "query.bibliographic" in asked.query else None)
    claims = {"proven": entry(HKSJ, PMID=None)} | {
        f"{number}": {**INVENTED, "title": f"{INVENTED['title']} {number}"} for number in range(30)
    }
    async with impatient() as client:
        telling = resolve(claims, client, at_once=2)
        async for key, _ in telling:
            assert key == "proven"
            break
        await telling.aclose()
        asked = len(registries.asked)
        await asyncio.sleep(0.5)
    assert len(registries.asked) <= asked + 2
    assert len(registries.asked) < 10
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_record_that_crossref_sends_one_by_one(registries: Troubled) -> None:
    """A DOI with a comma would part the filter in two, so that it is asked for alone."""
    comma = HKSJ.model_copy(update={"doi": "10.1186/14,25"})
    registries.says(
        "crossref",
        lambda asked: Answer(crossref_one(crossref_record(comma))) if asked.path.endswith("/10.1186/14,25") else None,
    )
    told = await verdict_on(entry(comma, PMID=None))
    assert (told.status, told.evidence_value) == ("verified", "10.1186/14,25")
    assert CAPE.doi != comma.doi
