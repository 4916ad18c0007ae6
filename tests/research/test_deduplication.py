"""Records of one work are one source, and only they are (SPEC R8)."""

import itertools
import json
import os
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from research.deduplication.compare_records import KnownRecords
from research.deduplication.merge_records import merged
from research.deduplication.urls import canonical_url
from research.deduplication.work_identity import document_id, keys_of
from sources import crossref, google, openalex, pubmed_records, semantic_scholar, tavily
from sources.work import Person, Update, Work
from tests.examples import examples
from tests.servers.catalogues import CROSSREF_WORK, OPENALEX_WORK, PUBMED_RECORD, S2_PAPER
from tests.sources.test_recordings import good, recordings
from tests.time_limits import HANGS

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


def codes(*works: Work) -> list[str | None]:
    known = KnownRecords()
    return [same.code if (same := known.add(str(place), work)) else None for place, work in enumerate(works)]


# Addresses


@pytest.mark.parametrize(
    ("one", "canonical"),
    [
        ("HTTP://WWW.Example.ORG:80/Page/", "https://example.org/Page"),
        ("https://example.org", "https://example.org"),
        ("https://example.org/?", "https://example.org"),
        ("https://example.org:8443/a", "https://example.org:8443/a"),
        ("https://me:secret@example.org./a#part", "https://example.org/a"),
        ("https://example.org/a?utm_source=x&b=2&a=1&fbclid=I&GCLID=J", "https://example.org/a?a=1&b=2"),
        ("https://example.org/a?mc_cid=1&_hsenc=2&msclkid=3&_ga=4", "https://example.org/a"),
        ("https://example.org/a;jsessionid=AB12?id=7", "https://example.org/a?id=7"),
        ("https://example.org/a?q=two+words&empty=", "https://example.org/a?empty=&q=two%20words"),
        ("https://example.org/%7euser/caf%c3%a9%2fbar", "https://example.org/~user/caf%C3%A9%2Fbar"),
        ("https://example.org/~user/café%2Fbar", "https://example.org/~user/caf%C3%A9%2Fbar"),
        ("https://en.wikipedia.org/wiki/Alder_%28tree%29", "https://en.wikipedia.org/wiki/Alder_(tree)"),
        ("https://example.org/a/./b/../c", "https://example.org/a/c"),
        ("https://example.org/100%", "https://example.org/100%25"),
        ("https://example.org/a?b=1%262&c=%3D", "https://example.org/a?b=1%262&c=%3D"),
        ("https://bücher.example/a", "https://xn--bcher-kva.example/a"),
        ("http://[2001:DB8::1]:443/a", "https://[2001:db8::1]/a"),
        ("https://www.com/a", "https://www.com/a"),
        (" https://example.org/a ", "https://example.org/a"),
        ("ftp://example.org/a/", "ftp://example.org/a/"),
        ("no address", "no address"), ("http://[::1", "http://[::1"), ("http://a:b/", "http://a:b/"), ("", ""),
    ],
)  # fmt: skip
def test_addresses_come_down_to_one_spelling(one: str, canonical: str) -> None:
    assert canonical_url(one) == canonical


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


@unhurried
@given(
    st.one_of(
        st.tuples(st.sampled_from(["http://", "HTTPS://www.x.org", "https://x.org/", ""]), PIECES), st.tuples(st.text())
    )
)
@example(("https://x.org/;jsession;jsessionid=1id=5",))
@example(("http://x.org:443/",))
@example(("http://x.org?\ud800",))
def test_an_address_in_its_one_spelling_stays(parts: tuple[str, ...]) -> None:
    once = canonical_url("".join(parts))
    assert canonical_url(once) == once


@unhurried
@given(
    st.permutations(["a=1", "b=x%2Fy", "utm_campaign=z", "c"]),
    st.sampled_from(["http://", "https://", "HTTPS://"]),
    st.sampled_from(["example.org", "www.example.org", "EXAMPLE.org:443", "example.org:80"]),
    st.sampled_from(["/path/to", "/path/to/", "/%70ath/to", "/path/x/../to"]),
    st.sampled_from(["", "#end", "#:~:text=alders"]),
)
def test_every_spelling_is_the_same_address(query: list[str], scheme: str, host: str, path: str, fragment: str) -> None:
    assert canonical_url(f"{scheme}{host}{path}?{'&'.join(query)}{fragment}") == (
        "https://example.org/path/to?a=1&b=x/y&c"
    )


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://doi.org/10.5555/Alder.7?utm_source=mail", ("doi", "10.5555/alder.7")),
        ("http://dx.doi.org/10.1002/(SICI)1521(1999)216:1%3C135::AID%3E3.0.CO;2-%23", ("doi", "10.1002/(sici)1521(1999)216:1<135::aid>3.0.co;2-#")),
        ("https://doi.org/10.48550/arXiv.1706.03762", ("arxiv", "1706.03762")),
        ("https://arxiv.org/abs/1706.03762v5?context=cs", ("arxiv", "1706.03762")),
        ("http://www.arxiv.org/pdf/1706.03762v2.pdf", ("arxiv", "1706.03762")),
        ("https://arxiv.org/html/1706.03762v7#S3", ("arxiv", "1706.03762")),
        ("https://export.arxiv.org/abs/math/0211159", ("arxiv", "math/0211159")),
        ("https://pubmed.ncbi.nlm.nih.gov/30123456/?dopt=Abstract", ("pmid", "30123456")),
        ("https://www.ncbi.nlm.nih.gov/pubmed/30123456", ("pmid", "30123456")),
        ("https://europepmc.org/article/MED/30123456", ("pmid", "30123456")),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC7654321/pdf/main.pdf", ("pmcid", "PMC7654321")),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC7654321/#sec2", ("pmcid", "PMC7654321")),
        ("https://europepmc.org/articles/PMC7654321", ("pmcid", "PMC7654321")),
        ("https://pubmed.ncbi.nlm.nih.gov/?term=alder", ("url", "https://pubmed.ncbi.nlm.nih.gov?term=alder")),
        ("https://arxiv.org/list/cs.CL/recent", ("url", "https://arxiv.org/list/cs.CL/recent")),
        ("https://example.org/page/", ("url", "https://example.org/page")),
    ],
)  # fmt: skip
def test_addresses_that_are_identifiers(url: str, key: tuple[str, str]) -> None:
    assert keys_of(page(url))[0] == key


# Keys


def test_keys_in_the_order_of_what_proves_most() -> None:
    work = titled(
        doi="10.5555/Alder", pmid="12", pmcid="PMC3", arxiv="1901.01234v2", url="http://river.example/alder/", preprint_doi="10.5555/pre"
    )  # fmt: skip
    assert keys_of(work) == (
        ("doi", "10.5555/alder"), ("pmid", "12"), ("pmcid", "PMC3"), ("arxiv", "1901.01234"), ("url", "https://river.example/alder"),
        ("title", "paper 2019 okafor shadeandthegrowthofaldersbesiderivers"), ("record", "crossref:1"), ("doi", "10.5555/pre"),
    )  # fmt: skip


def title_keys(work: Work) -> list[str]:
    return [key.value for key in keys_of(work) if key.kind == "title"]


@pytest.mark.parametrize(
    "title",
    [
        "SHADE AND THE GROWTH OF ALDERS BESIDE RIVERS.",
        "Shade and the <i>growth</i> of alders &ndash; beside rivers",
        "RETRACTED: Shade and the growth of alders beside rivers",
        "[Retracted article]: Shade and the growth of alders beside rivers",
        "Shade and the growth-of-alders, beside “rivers”?",
        "Shade and the gro\u00adwth of al\u200bders beside rivers",
        "\uff33hade and the growth of alders beside rivers",
    ],
)
def test_titles_written_otherwise_are_the_same(title: str) -> None:
    assert title_keys(titled(title=title)) == title_keys(titled())


@pytest.mark.parametrize(
    "change",
    [
        {"title": f"{TITLE} II"},
        {"title": TITLE.replace("growth", "growths")},
        {"year": 2018},
        {"authors": (Person(family="Brattain"),)},
        {"authors": ()},
        {"type": "thesis"},
        {"type": "book"},
        {"type": "dataset"},
    ],
)
def test_titles_of_other_works(change: dict[str, Any]) -> None:
    assert title_keys(titled(**change))
    assert title_keys(titled(**change)) != title_keys(titled())
    assert groups(titled(), titled("openalex", "2", **change)) == [[0], [1]]


def test_vowels_of_indic_scripts_count() -> None:
    assert title_keys(titled(title="नदी के किनारे के पेड़ और उनकी छाया")) != title_keys(
        titled(title="नदा को कनोरि को पौड़ और उनके छायी")
    )


@pytest.mark.parametrize(
    "names",
    [
        (Person(family="García Márquez", given="Gabriel"), Person(family="Márquez", given="Gabriel García")),
        (Person(family="van der Moss", given="P."), Person(family="Moss", given="P. van der")),
        (Person(literal="River Woods Group"), Person(literal="River Woods group")),
        (Person(family="Mu\u0308ller"), Person(family="M\u00fcller")),
    ],
)
def test_first_authors_written_otherwise_are_the_same(names: tuple[Person, Person]) -> None:
    one, other = (title_keys(titled(authors=(name,))) for name in names)
    assert one == other != []


@pytest.mark.parametrize(
    "change",
    [
        {"title": "Alders beside rivers"},  # 20 characters
        {"year": None},
        {"title": "Editorial: the year of the alder in review"},
        {"title": "Introduction to the Special Issue on Alders"},
        {"title": f"Correction to: {TITLE}"},
        {"title": f"Author Correction: {TITLE}"},
        {"title": f"Publisher’s correction: {TITLE}"},
        {"title": f"Erratum: {TITLE}"},
        {"title": f"Retraction notice to “{TITLE}”"},
        {"title": f"Expression of Concern: {TITLE}"},
        {"title": f"Comment on: {TITLE}"},
        {"title": f"Reply to: {TITLE}"},
        {"title": "Acknowledgement to Reviewers of 2019"},
        {"notice_of": (Update(type="correction", doi="10.5555/alder"),)},
    ],
)
def test_titles_that_prove_nothing(change: dict[str, Any]) -> None:
    assert title_keys(titled(**change)) == []
    assert groups(titled(**change), titled("openalex", "2", **change)) == [[0], [1]]


@pytest.mark.parametrize(
    "title", ["Introduction to the theory of alders in shade", "Contention of alders for the light of a river"]
)
def test_titles_that_only_look_generic(title: str) -> None:
    assert title_keys(titled(title=title))


def test_an_address_many_works_share_is_no_key() -> None:
    def addresses(**says: Any) -> list[str]:
        return [key.value for key in keys_of(record(**says)) if key.kind == "url"]

    assert addresses(url="https://river.example/", type="article-journal") == []
    assert addresses(url="https://river.example/book/7", type="chapter") == []
    assert addresses(url="https://river.example/?p=7", type="article-journal") == ["https://river.example?p=7"]
    assert addresses(url="https://river.example/", type="webpage") == ["https://river.example"]
    assert addresses(url="see the shelf", type="book") == []


# Which are one


def four_catalogues() -> list[Work]:
    read = [crossref.read_work(CROSSREF_WORK), pubmed_records.read_work(PUBMED_RECORD), openalex.read_work(OPENALEX_WORK), semantic_scholar.read_work(S2_PAPER)]  # fmt: skip
    return [work for work in read if work]


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_one_work_in_four_catalogues_is_one(order: tuple[int, ...]) -> None:
    works = four_catalogues()
    assert groups(*(works[place] for place in order)) == [[0, 1, 2, 3]]


def test_each_kind_of_key_with_its_reason() -> None:
    url = "https://river.example/alder"
    for one, other, code, reason in (
        ({"doi": "10.5555/a"}, {"doi": "10.5555/A", "title": "Another title"}, "doi", "It has the same DOI, 10.5555/a."),
        ({"pmid": "12"}, {"pmid": "12", "doi": "10.5555/a"}, "pmid", "It has the same PMID, 12."),
        ({"pmcid": "PMC3"}, {"pmcid": "PMC3"}, "pmcid", "It has the same PMCID, PMC3."),
        ({"arxiv": "1901.01234"}, {"doi": "10.48550/arXiv.1901.01234"}, "arxiv", "It has the same arXiv id, 1901.01234."),
        ({"url": url}, {"url": f"{url}/#top"}, "url", "It has the same address, river.example/alder."),
        (dict(titled()), dict(titled()), "title", "It has the same title, year and first author."),
    ):  # fmt: skip
        known = KnownRecords()
        assert known.add("first", Work(**{**one, "provider": "crossref", "provider_id": "1"})) is None
        same = known.add("second", Work(**{**other, "provider": "openalex", "provider_id": "2"}))
        assert same == ("first", code, reason, ())


def test_a_catalogues_record_that_comes_again() -> None:
    known = KnownRecords()
    assert known.add("a", record("semantic_scholar", "abc", title="Alders")) is None
    assert known.add("b", record("openalex", "abc", title="Alders")) is None
    same = known.add("c", record("semantic_scholar", "abc", title="Alders"))
    assert same == ("a", "record", "It is the same record.", ())


def test_the_same_of_the_same_is_the_same() -> None:
    known = KnownRecords()
    assert known.add("a", record(doi="10.5555/a")) is None
    assert known.add("other", record(number="2", doi="10.5555/z")) is None
    assert known.add("b", record("pubmed", doi="10.5555/a", pmid="12"))
    same = known.add("c", record("openalex", pmid="12"))
    assert same is not None
    assert (same.of, same.code) == ("a", "pmid")


def test_a_record_that_ties_two_works_makes_them_one() -> None:
    known = KnownRecords()
    for id, work in (
        ("page", page("https://river.example/alder")),
        ("pmid", record("pubmed", pmid="12")),
        ("doi", record(doi="10.5555/a")),
    ):
        assert known.add(id, work) is None
    same = known.add("all", record("openalex", doi="10.5555/a", pmid="12", url="http://www.river.example/alder"))
    assert same == ("page", "url", "It has the same address, river.example/alder.", ("pmid", "doi"))
    again = known.add("late", record("semantic_scholar", doi="10.5555/a"))
    assert again is not None
    assert (again.of, again.code, again.joined) == ("page", "doi", ())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"doi": "10.5555/a"}, {"doi": "10.5555/b"}),
        ({"pmid": "12"}, {"pmid": "13"}),
        ({"pmcid": "PMC12"}, {"pmcid": "PMC13"}),
        ({"arxiv": "1901.01234"}, {"arxiv": "1901.99999"}),
        (
            {"arxiv": "1901.01234", "type": "article"},
            {"doi": "10.5555/a"},
        ),  # perhaps the preprint of it; no catalogue says so
        ({"doi": "10.48550/arxiv.1901.01234"}, {"doi": "10.5555/a"}),
        ({"doi": "10.1101/2019.01.01"}, {"doi": "10.5555/a", "pmid": "12"}),
    ],
)
def test_identifiers_that_differ_outweigh_title_and_address(one: dict[str, Any], other: dict[str, Any]) -> None:
    url = "https://river.example/alder"
    assert groups(titled(url=url, **one), titled("openalex", "2", url=url, **other)) == [[0], [1]]


def test_what_stands_between_two_works_does_not_tie_them() -> None:
    """A record without DOI has the title of both and the PMID of one."""
    works = (
        titled(doi="10.5555/a"),
        titled("openalex", "2", doi="10.5555/b", pmid="12"),
        titled("pubmed", "12", pmid="12"),
    )
    assert [len(groups(*order)) for order in itertools.permutations(works)] == [2] * 6


def test_a_number_a_catalogue_put_to_the_wrong_work() -> None:
    wrong = titled(
        "semantic_scholar", "2", title="Beetles in the shade of old willow trees", doi="10.5555/b", pmid="12"
    )
    assert groups(titled(doi="10.5555/a", pmid="12"), wrong) == [[0], [1]]
    assert groups(titled(doi="10.5555/a", pmid="12"), titled("openalex", "2", doi="10.5555/b", pmid="12")) == [[0, 1]]


@pytest.mark.parametrize(
    ("preprint", "published"),
    [
        ({"doi": "10.1101/7", "published_version_doi": "10.5555/a"}, {"doi": "10.5555/a"}),
        ({"doi": "10.1101/7"}, {"doi": "10.5555/a", "preprint_doi": "10.1101/7"}),
        ({"arxiv": "1901.01234"}, {"doi": "10.5555/a", "preprint_doi": "10.48550/arXiv.1901.01234"}),
        ({"doi": "10.48550/arxiv.1901.01234"}, {"doi": "10.5555/a", "arxiv": "1901.01234"}),
        ({"doi": "10.1101/7", "updates": (Update(type="update", pmid="12"),)}, {"doi": "10.5555/a", "pmid": "12"}),
    ],
)
def test_a_preprint_is_its_article_where_a_catalogue_says_so(
    preprint: dict[str, Any], published: dict[str, Any]
) -> None:
    early = record(type="article", title="Alders in shade: first results of a trial", **preprint)
    late = record("pubmed", "2", type="article-journal", title="Shade slows alders", **published)
    assert groups(early, late) == groups(late, early) == [[0, 1]]
    assert groups(early.model_copy(update={"published_version_doi": None, "updates": ()}), late.model_copy(update={"preprint_doi": None, "arxiv": None})) == [[0], [1]]  # fmt: skip


def test_the_link_between_versions_is_the_reason_given() -> None:
    known = KnownRecords()
    known.add("published", record(doi="10.5555/a"))
    same = known.add("preprint", record(number="2", doi="10.1101/7", published_version_doi="10.5555/a"))
    assert same == ("published", "doi", "A catalogue says that DOI 10.5555/a is another version of it.", ())


def test_notices_are_not_the_work() -> None:
    work = titled(doi="10.5555/a", pmid="12")
    notice = (Update(type="retraction", doi="10.5555/a", pmid="12"),)
    for about in (
        titled(number="2", doi="10.5555/r", notice_of=notice),
        titled("pubmed", "13", pmid="13", notice_of=notice),
        titled("pubmed", "13", notice_of=notice),
        titled("semantic_scholar", "3", title=f"Retraction: {TITLE}"),
        titled("semantic_scholar", "4", title=f"Comment on “{TITLE}”"),
    ):
        assert groups(work, about) == groups(about, work) == [[0], [1]]
    assert groups(work, titled("semantic_scholar", "5", title=f"RETRACTED: {TITLE}")) == [[0, 1]]


def test_pages_of_a_work_are_the_work() -> None:
    work = titled(doi="10.5555/a", pmid="12", pmcid="PMC3", arxiv="1901.01234", url="https://river.example/alder")
    urls = (
        "https://doi.org/10.5555/A?utm_source=mail",
        "https://pubmed.ncbi.nlm.nih.gov/12/",
        "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC3/",
        "https://arxiv.org/pdf/1901.01234v3",
        "http://www.river.example/alder/#abstract",
    )
    assert codes(work, *(page(url) for url in urls)) == [None, "doi", "pmid", "pmcid", "arxiv", "url"]
    assert groups(page("https://river.example/alder?page=2"), work) == [[0], [1]]


TRUE_WORKS = [
    {"doi": f"10.5555/{letter}", "pmid": str(10 + place), "pmcid": f"PMC{place + 1}", "arxiv": f"1901.0000{place}"}
    for place, letter in enumerate("abcd")
]


@unhurried
@given(
    st.lists(
        st.tuples(
            st.sampled_from(TRUE_WORKS),
            st.sets(st.sampled_from(["doi", "pmid", "pmcid", "arxiv"]), min_size=1),
        ),
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
def test_by_identifiers_the_order_makes_no_difference(
    drawn: list[tuple[dict[str, str], set[str]]], random: Any
) -> None:
    """Groups are what shared identifiers connect, found here by brute force."""
    sets = [{(name, work[name]) for name in names} for work, names in drawn]
    parts: list[tuple[set[int], set[tuple[str, str]]]] = []
    for place, keys in enumerate(sets):
        touching = [part for part in parts if part[1] & keys]
        parts = [part for part in parts if part not in touching]
        parts.append(({place}.union(*(part[0] for part in touching)), keys.union(*(part[1] for part in touching))))
    order = list(range(len(sets)))
    random.shuffle(order)
    found = groups(*(record(number=str(place), title=TITLE, **dict(sets[place])) for place in order))
    assert sorted(sorted(order[place] for place in group) for group in found) == sorted(
        sorted(part[0]) for part in parts
    )


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


@unhurried
@given(st.lists(anything, max_size=12))
def test_no_title_and_no_address_ever_ties_two_dois(works: list[Work]) -> None:
    alone = [
        work.model_copy(update={"pmid": None, "arxiv": None, "published_version_doi": None, "preprint_doi": None, "provider_id": str(place)})
        for place, work in enumerate(works)
        if "arxiv.org" not in (work.url or "")
    ]  # fmt: skip
    for group in groups(*alone):
        assert len({alone[place].doi for place in group} - {None}) <= 1


@unhurried
@given(st.lists(anything, max_size=12))
def test_records_with_one_id_are_one_work(works: list[Work]) -> None:
    found = groups(*works)
    for name in {document_id(work) for work in works}:
        assert sum(any(document_id(works[place]) == name for place in group) for group in found) == 1


@pytest.mark.timeout(HANGS)
def test_ten_thousand_records_are_told_apart() -> None:
    """Also where all of them clash: 50 million comparisons of pairs would take minutes."""
    clashing = [
        titled(number=str(n), doi=f"10.5555/{n}", pmid=str(n // 2 + 1), url="https://river.example/a")
        for n in range(5000)
    ]
    alike = [titled(number=f"x{n}", doi="10.5555/x", pmid=str(n + 9000), arxiv=f"1901.{n:05}") for n in range(5000)]
    known = KnownRecords()
    for place, work in enumerate(clashing + alike):
        known.add(str(place), work)


# The record made of them


def test_the_richest_of_four_catalogues() -> None:
    work = merged(*four_catalogues())
    assert (work.provider, work.doi, work.pmid, work.pmcid) == (
        "crossref",
        "10.5555/alder.2019.7",
        "30123456",
        "PMC7654321",
    )
    assert work.title == "Shade and Alnus growth & form: A field trial"
    assert [person.family or person.literal for person in work.authors] == [
        "Okafor",
        "van der Moss",
        "River Woods Group",
    ]
    assert (work.year, work.volume, work.pages, work.type) == (2019, "12", "101-118", "article-journal")
    assert (work.citation_count, work.influential_citation_count, work.is_retracted) == (41, 4, True)
    assert {update.type for update in work.updates} == {"expression_of_concern", "retraction"}
    assert work.open_access_url
    assert work.abstract == "Alders grew less."


def test_the_published_version_is_cited() -> None:
    preprint = titled(
        doi="10.1101/7", pmid="11", year=2018, type="article", venue="bioRxiv", title="First results", publisher="CSHL",
        abstract="A long abstract of the preprint.", published_version_doi="10.5555/a", citation_count=90, url="https://biorxiv.example/7",
    )  # fmt: skip
    late = titled("semantic_scholar", "2", doi="10.5555/a", abstract="Shorter.", citation_count=5)
    work = merged(preprint, late)
    assert (work.doi, work.preprint_doi, work.published_version_doi) == ("10.5555/a", "10.1101/7", None)
    assert (work.year, work.title, work.type, work.abstract) == (2019, TITLE, "article-journal", "Shorter.")
    assert (work.venue, work.publisher, work.pmid) == (None, None, None)
    assert (work.citation_count, work.link) == (90, "https://doi.org/10.5555/a")
    alone = merged(preprint, titled("openalex", "3", doi="10.1101/7", type="article"))
    assert (alone.doi, alone.published_version_doi, alone.preprint_doi) == ("10.1101/7", "10.5555/a", None)
    assert (alone.year, alone.pmid, alone.venue) == (2018, "11", "bioRxiv")


def test_a_preprint_a_catalogue_calls_an_article() -> None:
    """Semantic Scholar knows no preprints but arXiv's; the other record says which of the two DOIs is one."""
    early = titled("semantic_scholar", "1", doi="10.1101/7", year=2018)
    late = titled("openalex", "2", doi="10.5555/a", preprint_doi="10.1101/7")
    assert (merged(early, late).doi, merged(early, late).year) == ("10.5555/a", 2019)


def test_a_page_adds_its_text_and_little_else() -> None:
    found = page(
        "https://doi.org/10.5555/a",
        title="Shade... | River",
        doi="10.5555/a",
        venue="River",
        abstract="A snippet of it.",
        text="All.",
    )
    work = merged(found, titled("openalex", doi="10.5555/a"))
    assert (work.provider, work.type, work.title, work.venue) == ("openalex", "article-journal", TITLE, None)
    assert (work.url, work.text, work.abstract) == (found.url, "All.", "A snippet of it.")


@pytest.mark.parametrize(
    ("types", "exact"),
    [
        ({"openalex": "article-journal", "semantic_scholar": "paper-conference"}, "paper-conference"),
        ({"crossref": "article-journal", "semantic_scholar": "paper-conference"}, "article-journal"),
        ({"crossref": "document", "openalex": "article-journal"}, "article-journal"),
        ({"crossref": "chapter", "pubmed": "article-journal"}, "chapter"),
    ],
)
def test_the_type_is_the_most_exact(types: dict[str, str], exact: str) -> None:
    assert merged(*(titled(name, type=kind) for name, kind in types.items())).type == exact


def test_the_longest_list_of_authors_with_names_spelt_out() -> None:
    def authors(*works: Work) -> list[str | None]:
        return [person.given for person in merged(*works).authors]

    initials = titled("pubmed", authors=(Person(family="Okafor", given="A."), Person(family="Moss", given="P. Q.")))
    spelt = titled("openalex", authors=(Person(family="Okafor", given="Ada"), Person(family="Moss", given="Pia Q.")))
    assert authors(titled(), initials) == ["A.", "P. Q."]
    assert authors(titled(), initials, spelt) == ["Ada", "Pia Q."]


@unhurried
@given(st.lists(anything, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_merged_in_any_order(works: list[Work], random: Any) -> None:
    other = random.sample(works, len(works))
    assert merged(*works) == merged(*other)
    assert merged(*works, works[0]) == merged(*works)
    assert merged(works[0], works[0]) == works[0]
    assert Work(**merged(*works).model_dump()) == merged(*works)


whole = st.builds(
    lambda provider, id, **says: titled(provider, f"{provider}{id}", **says),
    provider=st.sampled_from(["crossref", "pubmed", "openalex", "semantic_scholar"]),
    id=st.integers(0, 9),
    title=st.sampled_from([TITLE, "Alders", "Shade"]),
    year=st.sampled_from([2018, 2019]),
    doi=st.sampled_from(["10.5555/a", "10.5555/b"]),
    pmid=st.sampled_from([None, "12"]),
    venue=st.sampled_from(["River Woods", "River woods"]),
    url=st.sampled_from(["https://river.example/a", "https://river.example/b"]),
    abstract=anything.map(lambda work: work.abstract),
    citation_count=st.sampled_from([None, 0, 7]),
    is_retracted=st.booleans(),
    updates=anything.map(lambda work: work.updates),
)


@unhurried
@given(whole, whole, whole)
def test_merged_two_by_two(one: Work, two: Work, three: Work) -> None:
    assume(len({work.provider_id for work in (one, two, three)}) == len({one, two, three}))
    assert merged(merged(one, two), three) == merged(one, merged(two, three)) == merged(one, two, three)
    assert merged(merged(one, two), two) == merged(one, two)


@unhurried
@given(anything, anything, anything)
def test_nothing_that_matters_is_lost_two_by_two(one: Work, two: Work, three: Work) -> None:
    """Whatever the records lack: counts, notices and retractions."""
    for work in (merged(merged(one, two), three), merged(one, merged(two, three))):
        records = (one, two, three)
        assert work.is_retracted == any(each.is_retracted for each in records)
        assert set(work.updates) == {update for each in records for update in each.updates}
        assert work.citation_count == max(
            (each.citation_count for each in records if each.citation_count is not None), default=None
        )
        assert bool(work.title) == any(each.title for each in records)
        assert work.doi or not any(each.doi for each in records)


# Ids


@pytest.mark.parametrize(
    ("work", "id"),
    [
        (record(doi="10.1001/JAMA.2020.17023", pmid="32876694"), "doi:10.1001/jama.2020.17023"),
        (record("pubmed", "32876694", pmid="32876694", pmcid="PMC3"), "pmid:32876694"),
        (record("openalex", "W1", pmcid="PMC123", arxiv="1706.03762"), "pmc:PMC123"),
        (record("semantic_scholar", "ab", arxiv="1706.03762v5"), "arxiv:1706.03762"),
        (record("semantic_scholar", "ab", doi="10.48550/arXiv.1706.03762"), "arxiv:1706.03762"),
        (page("https://www.example.org/page/?utm_source=x"), "web:example.org/page"),
        (page("https://arxiv.org/html/1706.03762v7"), "arxiv:1706.03762"),
        (titled("semantic_scholar", "0a1b"), "semantic_scholar:0a1b"),
        (titled("openalex", "two words"), "openalex:two%20words"),
    ],
)
def test_ids(work: Work, id: str) -> None:
    assert document_id(work) == id


@unhurried
@given(
    st.builds(
        record,
        st.just("openalex"),
        st.text(max_size=300),
        url=st.one_of(st.none(), PIECES.map("https://x.org/".__add__)),
    )
)
def test_ids_are_short_and_without_white_space(work: Work) -> None:
    assert 0 < len(document_id(work)) <= 200
    assert not any(sign.isspace() for sign in document_id(work))


def test_long_ids_differ_at_their_end() -> None:
    one, other = (document_id(page(f"https://example.org/{'long/' * 60}{end}")) for end in "ab")
    assert one != other
    assert one[:180] == other[:180]
    assert len(one) == 200


# Real records


def recorded() -> list[Work]:
    works: list[Work | None] = []
    for _, _, reply in good("crossref", r"/works(/|$)(?!.*(agency|transform))"):
        message = json.loads(reply.body)["message"]
        works += map(crossref.read_work, message.get("items", [message]) if isinstance(message, dict) else [])
    for _, request, reply in good("pubmed", "esummary"):
        if "db=pubmed" in request["url"] + str(request.get("body")) and reply.body.lstrip().startswith(b"{"):
            works += pubmed_records.read_summaries(reply).values()
    for _, request, reply in recordings("s2"):
        if reply.status == 200 and "/author" not in request["url"] and "/snippet" not in request["url"]:
            data = json.loads(reply.body)
            papers = data if isinstance(data, list) else data.get("data") or data.get("recommendedPapers") or [data]
            papers = [one.get("citingPaper") or one.get("citedPaper") or one for one in papers if one]
            works += map(semantic_scholar.read_work, papers)
    for _, _, reply in good("openalex", r"/works"):
        data = json.loads(reply.body)
        works += (openalex.read_work(one) for one in data.get("results", [data]) if "id" in one)
    for _, _, reply in good("tavily", "search"):
        works += map(tavily.read_work, json.loads(reply.body)["results"])
    for _, _, reply in good("google", "customsearch"):
        works += map(google.read_work, json.loads(reply.body)["items"])
    return [work for work in works if work]


@pytest.mark.recordings
@pytest.mark.skipif(not os.environ.get("RECORDINGS_DIR"), reason="RECORDINGS_DIR is not set")
def test_recorded_works_are_told_apart() -> None:
    """No two DOIs become one work, no DOI becomes two, and each work as four catalogues would have it is one."""
    works = recorded()
    assert len(works) > 1000
    views = [
        work.model_copy(update={"provider": provider, "provider_id": f"{provider} {work.doi}", **lacking})
        for work in works
        if work.doi
        for provider, lacking in (
            ("crossref", {"pmid": None, "arxiv": None, "url": None}),
            ("pubmed", {"arxiv": None, "title": work.title.upper(), "year": None}),
            ("openalex", {"url": f"https://doi.org/{work.doi}", "doi": None}),
            ("semantic_scholar", {"authors": (), "url": None}),
        )
    ]
    everything = works + views
    found = groups(*everything)
    dois = [{everything[place].doi for place in group} - {None} for group in found]
    assert max(map(len, dois)) == 1
    assert sum(map(len, dois)) == len({work.doi for work in works if work.doi})
    assert len(found) == len(groups(*works))
    for group in found:
        one = merged(*(everything[place] for place in group))
        assert one.doi in {everything[place].doi for place in group}
        assert len(one.authors) == max(len(everything[place].authors) for place in group)
