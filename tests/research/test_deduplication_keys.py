"""What records are compared by: addresses in one spelling, identifiers, titles (SPEC R8)."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from research.deduplication.urls import canonical_url
from research.deduplication.work_keys import keys_of
from sources.retractions import Update
from sources.work import Person, Work
from tests.research.work_records import PIECES, TITLE, groups, page, record, titled, unhurried

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
        ("http://dx.doi.org/10.1002/(SICI)1521(1999)216:1%3C135::AID%3E3.0.CO;2-%23",
         ("doi", "10.1002/(sici)1521(1999)216:1<135::aid>3.0.co;2-#")),
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
        doi="10.5555/Alder", pmid="12", pmcid="PMC3", arxiv="1901.01234v2", url="http://river.example/alder/",
        preprint_doi="10.5555/pre"
    )  # fmt: skip
    assert keys_of(work) == (
        ("doi", "10.5555/alder"), ("pmid", "12"), ("pmcid", "PMC3"), ("arxiv", "1901.01234"),
        ("url", "https://river.example/alder"),
        ("title", "paper 2019 okafor shadeandthegrowthofaldersbesiderivers"), ("record", "crossref:1"),
        ("doi", "10.5555/pre"),
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
