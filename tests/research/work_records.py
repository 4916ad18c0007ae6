"""Records of works for tests of deduplication, made by hand and at random."""

from typing import Any

from hypothesis import strategies as st

from research.deduplication.same_work import KnownRecords
from sources import crossref, openalex, pubmed_records, semantic_scholar
from sources.retractions import Update
from sources.work import Person, Work
from tests.examples import examples
from tests.servers.catalogues import CROSSREF_WORK, OPENALEX_WORK, PUBMED_RECORD, S2_PAPER

unhurried = examples(60)
TITLE = "Shade and the growth of alders beside rivers"
ADA = (Person(family="Okafor", given="Ada"),)


def record(provider: str = "crossref", number: str = "1", **says: Any) -> Work:
    """A record with nothing but what `says` and the catalogue's number for it."""
    return Work(provider=provider, provider_id=number, **says)


def titled(provider: str = "crossref", number: str = "1", **says: Any) -> Work:
    return record(provider, number, **{"title": TITLE, "year": 2019, "authors": ADA, "type": "article-journal", **says})


def page(url: str, **says: Any) -> Work:
    return Work(provider="tavily", provider_id=url, url=url, type="webpage", **says)


def groups(*works: Work) -> list[list[int]]:
    """The places of `works` by the work they are found to describe, arriving in this order."""
    known = KnownRecords()
    found: dict[int, list[int]] = {}
    for place, work in enumerate(works):
        same = known.add(str(place), work)
        found[place] = [place]
        for first in (same.of, *same.joined) if same else ():
            found[place] += found.pop(int(first))
        found[int(same.of) if same else place] = found.pop(place)
    return sorted(sorted(group) for group in found.values())


PIECES = st.lists(
    st.sampled_from(
        [
            "a",
            "B",
            "/",
            ".",
            "..",
            "/./",
            "/../",
            "//",
            "%",
            "%2",
            "%41",
            "%2e",
            "%2F",
            "%25",
            "%3b",
            ";jsessionid=",
            "?",
            "&",
        ]
        + [
            "=",
            "+",
            "#",
            "utm_x=1",
            "www.",
            ":80",
            ":443",
            ":8",
            "@",
            "é",
            "e\u0301",
            "\ud800",
            " ",
            "\t",
            "[",
            "]",
            "x.org",
            ".",
        ]
        + ["%C3%A9", "ß", "\u2028", "!", "(", ")", "\\", "|", "'", '"', "<", "%00"]
    ),
    max_size=9,
).map("".join)


# Which are one


def four_catalogues() -> list[Work]:
    read = [crossref.read_work(CROSSREF_WORK), pubmed_records.read_work(PUBMED_RECORD),
        openalex.read_work(OPENALEX_WORK), semantic_scholar.read_work(S2_PAPER)]  # fmt: skip
    return [work for work in read if work]


anything = st.builds(
    Work,
    provider=st.sampled_from(["crossref", "pubmed", "openalex", "semantic_scholar", "tavily"]),
    provider_id=st.sampled_from("abcde"),
    title=st.sampled_from(["", TITLE, f"{TITLE} II", "Editorial", "Shade slows alders beside rivers"]),
    year=st.sampled_from([None, 2018, 2019]),
    authors=st.sampled_from(
        [(), ADA, (Person(family="Okafor", given="A."),), (Person(family="Moss"), *ADA), (Person(literal="X"),)]
    ),
    doi=st.sampled_from([None, None, "10.5555/a", "10.5555/b", "10.48550/arxiv.1901.01234"]),
    pmid=st.sampled_from([None, None, "12", "13"]),
    arxiv=st.sampled_from([None, None, "1901.01234", "1902.01234"]),
    url=st.sampled_from(
        [None, "https://river.example/a", "https://arxiv.org/abs/1902.01234", "https://river.example/b?x"]
    ),
    type=st.sampled_from(["article-journal", "article", "document", "webpage", "thesis", "paper-conference"]),
    venue=st.sampled_from([None, "River Woods", "arXiv"]),
    abstract=st.sampled_from([None, "Alders grew less.", "Alders grew less in shade."]),
    citation_count=st.sampled_from([None, 0, 3, 7]),
    is_retracted=st.booleans(),
    updates=st.sampled_from(
        [(), (Update(type="correction", year=2020),), (Update(type="retraction", year=2021, doi="10.5555/r"),)]
    ),
    notice_of=st.sampled_from([(), (), (), (Update(type="correction", doi="10.5555/a"),)]),
    published_version_doi=st.sampled_from([None, None, None, "10.5555/b"]),
    preprint_doi=st.sampled_from([None, None, None, "10.48550/arxiv.1901.01234"]),
)
