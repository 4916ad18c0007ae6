"""Works, identifiers and names, and parsers that take whatever comes (SPEC C1, C2)."""

import copy
import json
import re
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sources import (
    arxiv,
    crossref,
    datacite,
    doi_org,
    google,
    openalex,
    openlibrary,
    pubmed_records,
    semantic_scholar,
    tavily,
    unpaywall,
)
from sources.field_values import link, text, whole, year
from sources.identifiers import clean_arxiv, clean_doi, clean_isbn, clean_pmcid, clean_pmid, doi_in_path, other_isbn
from sources.pubmed_records import read_abstracts
from sources.responses import RawResponse
from sources.retractions import is_marked_retracted
from sources.work import Found, NothingFound, Person, Unreadable, Work, full_name, index_name
from tests.servers.catalogues import (
    CROSSREF_WORK,
    GOOGLE_RESULT,
    OPENALEX_WORK,
    PUBMED_RECORD,
    PUBMED_XML,
    S2_PAPER,
    TAVILY_RESULT,
    crossref_list,
    crossref_one,
    esearch,
    esummary,
)
from tests.servers.registries import (
    CROSSREF_CSL,
    DATACITE_CSL,
    DATACITE_PREPRINT,
    DATACITE_RECORD,
    OPENLIBRARY_BOOK,
    PMC_RECORD,
    UNPAYWALL_RECORD,
    feed,
    preprint,
)


@pytest.mark.parametrize(
    ("given_", "known"),
    [
        ("10.1111/CEI.12138", "10.1111/cei.12138"),
        ("https://doi.org/10.1111/cei.12138", "10.1111/cei.12138"),
        ("http://dx.doi.org/10.1111%2Fcei.12138", "10.1111/cei.12138"),
        ("doi: 10.1111/cei.12138.", "10.1111/cei.12138"),
        ("10.1002/(SICI)1521-3951(199911)216:1<135::AID-PSSB135>3.0.CO;2-#",
         "10.1002/(sici)1521-3951(199911)216:1<135::aid-pssb135>3.0.co;2-#"),
        ("10.1890/0012-9615(1999)069[0569:EDILSA]2.0.CO;2", "10.1890/0012-9615(1999)069[0569:edilsa]2.0.co;2"),
        ("10.1016/0164-0704(88)90074-2", "10.1016/0164-0704(88)90074-2"),
        ("10.5555/in-brackets)", "10.5555/in-brackets"),
        ("10.1000.10/x", "10.1000.10/x"),
        ("10.5555/", None), ("11.5555/a", None), ("10.5555", None), ("", None), (None, None), (10.5, None),
        ("10.5555/a b", None),
    ],
)  # fmt: skip
def test_dois(given_: Any, known: str | None) -> None:
    assert clean_doi(given_) == known


def test_no_doi_leads_to_another_place_of_an_address() -> None:
    assert doi_in_path("10.5555/../a/./b..c") == "10.5555/%2E%2E/a/%2E/b..c"
    assert doi_in_path("10.5555/(sici)1<2>3#?") == "10.5555/(sici)1%3C2%3E3%23%3F"


def test_other_identifiers() -> None:
    assert [clean_pmid(one) for one in ("PMID: 26147656", 26147656, "https://pubmed.ncbi.nlm.nih.gov/26147656/")] == [
        "26147656"
    ] * 3
    assert [clean_pmid(one) for one in ("x", "0", None, "12345678901")] == [None] * 4
    assert [
        clean_pmcid(one) for one in ("PMC5815332", "5815332", "https://www.ncbi.nlm.nih.gov/pmc/articles/5815332")
    ] == ["PMC5815332"] * 3
    assert [
        clean_arxiv(one)
        for one in ("arXiv:1706.03762v5", "https://arxiv.org/pdf/1706.03762.pdf", "10.48550/arXiv.1706.03762")
    ] == ["1706.03762"] * 3
    assert clean_arxiv("math/0211159") == "math/0211159"
    assert clean_arxiv("10.5555/1706.03762") is None
    assert [clean_isbn(one) for one in ("0-306-40615-2", "ISBN 978-0-306-40615-7", "080442957X")] == [
        "0306406152",
        "9780306406157",
        "080442957X",
    ]
    assert [clean_isbn(one) for one in ("0306406153", "9780306406158", None, "x", "٠٣٠٦٤٠٦١٥٢")] == [None] * 5


@pytest.mark.parametrize(
    ("name", "person"),
    [
        ("Heather A. Piwowar", Person(family="Piwowar", given="Heather A.")),
        ("Vincent van der Berg", Person(family="van der Berg", given="Vincent")),
        ("van Lunteren, J.", Person(family="van Lunteren", given="J.")),
        ("Martin Luther King Jr.", Person(family="King", given="Martin Luther", suffix="Jr.")),
        ("King, Jr", Person(literal="King, Jr")),
        ("World Health Organization", Person(literal="World Health Organization")),
        ("Plato", Person(literal="Plato")),
    ],
)
def test_names_in_reading_order(name: str, person: Person) -> None:
    assert full_name(name) == person


@pytest.mark.parametrize(
    ("name", "person"),
    [
        ("Ydenberg CA", Person(family="Ydenberg", given="C. A.")),
        ("van Lunteren J", Person(family="van Lunteren", given="J.")),
        ("King ML Jr", Person(family="King", given="M. L.", suffix="Jr")),
        ("Óskarsson Þ", Person(family="Óskarsson", given="Þ.")),
        ("RECOVERY Collaborative Group", Person(literal="RECOVERY Collaborative Group")),
        ("Plato", Person(literal="Plato")),
    ],
)
def test_names_of_the_index(name: str, person: Person) -> None:
    assert index_name(name) == person


def test_text_keeps_what_only_looks_like_markup() -> None:
    assert text("CD4<sup>+</sup> cells &amp; p<0.05") == "CD4+ cells & p<0.05"
    assert text("<jats:p>One.</jats:p><jats:p>Two.</jats:p>") == "One. Two."
    assert text("a &amp;lt; b") == "a &lt; b"  # decoded once only
    assert text("line\n   break\x00") == "line break"
    odd: list[Any] = [None, True, [], {}, "", "  "]
    assert [text(one) for one in odd] == [None] * 6
    assert (whole("25,600,000"), whole("x"), whole(2.0), whole(True)) == (25_600_000, None, 2, None)
    assert [whole(float("inf")), whole(float("nan"))] == [None, None]
    assert [year("2015 Jul-Aug"), year(2018), year("Winter"), year("123456")] == [2015, 2018, None, None]
    assert [link(one) for one in ("https://a.example/x", "javascript:x", "https://a b", None)] == [
        "https://a.example/x",
        None,
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("title", "retracted"),
    [
        ("RETRACTED: Ileal-lymphoid-nodular hyperplasia", True),
        ("Retracted Article: On alders", True),
        ("[Retracted] - On alders", True),
        ("WITHDRAWN: On alders", True),
        ("Retracted articles and their readers", False),
        ("Retraction: what follows", False),
    ],
)
def test_a_title_that_says_it_was_retracted(title: str, retracted: bool) -> None:
    assert is_marked_retracted(title) is retracted


def test_csl() -> None:
    work = crossref.read_work(CROSSREF_WORK)
    assert work
    csl = work.csl()
    assert csl["type"] == "article-journal"
    assert csl["issued"] == {"date-parts": [[2019]]}
    assert csl["author"] == [{"family": "Okafor", "given": "Ada", "suffix": "Jr"}, {"literal": "River Woods Group"}]
    assert (csl["DOI"], csl["URL"]) == ("10.5555/alder.2019.7", "https://doi.org/10.5555/alder.2019.7")
    assert csl["custom"] == {"retracted": True}
    assert Work(provider="x", provider_id="1").csl() == {"type": "document"}
    assert json.loads(json.dumps(csl)) == csl


def test_a_work_normalises_its_identifiers_and_stays_as_it_is() -> None:
    work = Work(provider="x", provider_id="1", doi="https://doi.org/10.5555/A", pmcid="77", isbn="wrong", pmid="x")
    assert (work.doi, work.pmcid, work.isbn, work.pmid) == ("10.5555/a", "PMC77", None, None)
    with pytest.raises(ValidationError):
        work.title = "new"  # type: ignore[misc]


@pytest.mark.parametrize(
    "xml",
    [
        '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><PubmedArticleSet>&b;</PubmedArticleSet>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><PubmedArticleSet>&a;</PubmedArticleSet>',
        "<PubmedArticleSet>", "", "words", "<html/>", "<ERROR>no</ERROR>",
    ],
)  # fmt: skip
def test_xml_that_is_not_read(xml: str) -> None:
    with pytest.raises(Unreadable):
        read_abstracts(RawResponse(200, "", xml.encode()))


@pytest.mark.parametrize(
    ("isbn", "other"),
    [("0306406152", "9780306406157"), ("080442957X", "9780804429573"), ("9791032300824", None)],
)
def test_a_book_has_two_isbns(isbn: str, other: str | None) -> None:
    assert other_isbn(isbn) == other
    if other:
        assert (other_isbn(other), clean_isbn(other)) == (isbn, other)


def test_abstracts() -> None:
    assert list(read_abstracts(RawResponse(200, "", PUBMED_XML.encode()))) == ["30123456"]
    assert read_abstracts(RawResponse(200, "", b"<PubmedArticleSet></PubmedArticleSet>")) == {}


# Whatever is null, missing, or of another type: an outcome comes, or Unreadable, and nothing else.

READERS = [
    (crossref._read_one, crossref_one(CROSSREF_WORK)),
    (crossref._read_list, crossref_list(CROSSREF_WORK, CROSSREF_WORK)),
    (pubmed_records.read_ids, esearch("1", "2")),
    (pubmed_records.read_summaries, esummary(PUBMED_RECORD)),
    (semantic_scholar._read_search, {"total": 2, "data": [S2_PAPER, S2_PAPER]}),
    (lambda reply: semantic_scholar._read_linked("citingPaper", reply), {"data": [{"citingPaper": S2_PAPER}]}),
    (semantic_scholar._read_related, {"recommendedPapers": [S2_PAPER]}),
    (openalex._read_one, OPENALEX_WORK),
    (openalex._read_list, {"meta": {"count": 1}, "results": [OPENALEX_WORK]}),
    (tavily._read, {"results": [TAVILY_RESULT]}),
    (datacite._read, {"data": DATACITE_RECORD}),
    (datacite._read, {"data": DATACITE_PREPRINT}),
    (doi_org._read, CROSSREF_CSL),
    (doi_org._read, DATACITE_CSL),
    (lambda reply: openlibrary.read_work(reply.mapping(), "9780306406157") or NothingFound(), OPENLIBRARY_BOOK),
    (unpaywall._read, UNPAYWALL_RECORD),
    (lambda reply: pubmed_records.read_pmc("PMC7654321", reply), esummary(PMC_RECORD)),
    (google._read, {"kind": "x", "searchInformation": {"totalResults": "1"}, "items": [GOOGLE_RESULT]}),
]
ODD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=20), st.just([]), st.just({}),
    st.lists(st.one_of(st.none(), st.integers(), st.text(max_size=5)), max_size=3),
    st.dictionaries(st.text(max_size=5), st.one_of(st.none(), st.text(max_size=5)), max_size=3),
    st.sampled_from(["10.5555/x", "2019", "<i>", "\x00", "\ud800", "9" * 30, "https://", [[None]], [[2019]], 10**400]),
)  # fmt: skip


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(place for step, one in inside for place in places(one, (*path, step)))]


@st.composite
def spoilt(draw: st.DrawFn) -> tuple[Any, Any]:
    """A reader and what it reads, with values dropped or replaced anywhere."""
    reader, record = draw(st.sampled_from(READERS))
    data: Any = {"": copy.deepcopy(record)}
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.sampled_from(places(data)[1:] or [("",)]))
        holder = data
        for step in place[:-1]:
            holder = holder[step]
        if len(place) > 1 and draw(st.booleans()):
            del holder[place[-1]]
        else:
            holder[place[-1]] = copy.deepcopy(draw(ODD))
    return reader, data[""]


@given(spoilt())
def test_no_answer_makes_a_reader_stumble(case: tuple[Any, Any]) -> None:
    reader, data = case
    reply = RawResponse(200, "application/json", json.dumps(data).encode())
    try:
        outcome = reader(reply)
    except Unreadable:
        return
    assert isinstance(outcome, Found | NothingFound | Work | tuple | dict)
    for work in [outcome] if isinstance(outcome, Work) else getattr(outcome, "works", ()):
        json.dumps(work.csl()).encode()
        work.model_dump_json()


@given(st.binary(max_size=300))
def test_no_bytes_make_a_reader_stumble(body: bytes) -> None:
    for reader, _ in READERS:
        try:
            reader(RawResponse(200, "application/json; charset=utf-8", body))
        except Unreadable:
            continue
    for read_xml in (read_abstracts, arxiv._read):
        with suppress(Unreadable):
            read_xml(RawResponse(200, "", body))


PLACES = [match.span() for match in re.finditer(r"<[^<>]+>|[^<>]+", feed(preprint(), preprint("math/0211159")))]


@given(st.lists(st.tuples(st.sampled_from(PLACES), st.text(max_size=8)), max_size=4))
def test_no_feed_makes_the_reader_stumble(spoils: list[tuple[tuple[int, int], str]]) -> None:
    """Tags and words of a good feed, some of them replaced by anything."""
    words = feed(preprint(), preprint("math/0211159"))
    for (start, end), instead in sorted(spoils, reverse=True):
        words = words[:start] + instead + words[end:]
    with suppress(Unreadable):
        found = arxiv._read(RawResponse(200, "", words.encode("utf-8", "surrogatepass")))
        for work in found.values() if isinstance(found, dict) else ():
            work.model_dump_json()


@given(st.text(max_size=60))
def test_no_words_make_the_small_readers_stumble(words: str) -> None:
    for reader in (
        clean_doi,
        clean_pmid,
        clean_pmcid,
        clean_arxiv,
        clean_isbn,
        text,
        year,
        link,
        whole,
        full_name,
        index_name,
    ):
        reader(words)
    assert clean_doi(clean_doi(words)) == clean_doi(words)
