"""What a pasted text is (SPEC C5, C8)."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citations.pasted_text import PastedItem, parse_pasted
from tests.time_limits import HANGS

OLD = "10.1002/(sici)1521-3951(199911)216:1<135::aid-pssb135>3.0.co;2-#"


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("10.1056/NEJMoa2021436", "doi", "10.1056/nejmoa2021436"),
        ("  doi: 10.1056/NEJMoa2021436. ", "doi", "10.1056/nejmoa2021436"),
        ("DOI:10.1056/NEJMoa2021436", "doi", "10.1056/nejmoa2021436"),
        ("https://doi.org/10.1056/NEJMoa2021436?utm_source=twitter&x=10.1/2", "doi", "10.1056/nejmoa2021436"),
        ("https://www.nejm.org/doi/full/10.1056/NEJMoa2021436?query=TOC&cid=1", "doi", "10.1056/nejmoa2021436"),
        ("https://www.tandfonline.com/doi/pdf/10.1080/1/2#section", "doi", "10.1080/1/2"),
        (
            "https://www.frontiersin.org/articles/10.3389/fimmu.2020.01119/full",
            "doi",
            "10.3389/fimmu.2020.01119",
        ),
        ("https://www.biorxiv.org/content/10.1101/2020.02.03.931766v1.full.pdf", "doi", "10.1101/2020.02.03.931766"),
        (
            "https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0033693",
            "doi",
            "10.1371/journal.pone.0033693",
        ),
        (OLD.upper(), "doi", OLD),
        ("https://doi.org/10.1002/(SICI)1521-3951(199911)216:1%3C135::AID-PSSB135%3E3.0.CO;2-%23", "doi", OLD),
        (f"https://doi.org/{OLD}", "doi", OLD),
        (
            "Horby P. Dexamethasone. N Engl J Med 2021; 384: 693. doi:10.1056/NEJMoa2021436.",
            "doi",
            "10.1056/nejmoa2021436",
        ),
        ("(see 10.1056/NEJMoa2021436)", "doi", "10.1056/nejmoa2021436"),
        ("32678530", "pmid", "32678530"),
        ("PMID: 32678530", "pmid", "32678530"),
        ("pmid 32 678 530", "pmid", "32678530"),
        ("https://pubmed.ncbi.nlm.nih.gov/32678530/?from=search", "pmid", "32678530"),
        ("PMC7383595", "pmcid", "PMC7383595"),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC7383595/pdf/", "pmcid", "PMC7383595"),
        ("arXiv:1706.03762v5", "arxiv", "1706.03762"),
        ("1706.03762", "arxiv", "1706.03762"),
        ("https://arxiv.org/pdf/1706.03762v5.pdf", "arxiv", "1706.03762"),
        ("https://doi.org/10.48550/arXiv.1706.03762", "arxiv", "1706.03762"),
        ("arxiv: math/0211159", "arxiv", "math/0211159"),
        ("ISBN 978-0-521-31419-0", "isbn", "9780521314190"),
        ("0521314194", "isbn", "0521314194"),
        ("https://www.who.int/news/item/x?utm_source=a", "url", "https://www.who.int/news/item/x?utm_source=a"),
        ("A report (https://www.who.int/x).", "url", "https://www.who.int/x"),
        ("alder in mixed stands", "words", "alder in mixed stands"),
        ("Outcomes in 2020", "words", "Outcomes in 2020"),
        ("2020", "words", "2020"),
        ("<script>alert(1)</script>", "words", "<script>alert(1)</script>"),
        ("Дуб и ольха", "words", "Дуб и ольха"),
        ("@article{a, title={Alder}}", "bibtex", "@article{a, title={Alder}}"),
        ("TY  - JOUR\nTI  - Alder\nER  - ", "ris", "TY  - JOUR\nTI  - Alder\nER  - "),
        ('[{"title": "Alder"}]', "csl", '[{"title": "Alder"}]'),
    ],
)
def test_one_thing(text: str, kind: str, value: str) -> None:
    assert [(one.kind, one.value) for one in parse_pasted(text)] == [(kind, value)]


def test_many_lines_are_many_things_each_once() -> None:
    text = """1. 10.1056/NEJMoa2021436
    [2] PMID: 32876695

    - https://doi.org/10.1056/NEJMoa2021436
    10.1001/jama.2020.17021, 10.1001/jama.2020.17022 arXiv:1706.03762
    Alder in mixed stands"""
    assert parse_pasted(text) == [
        PastedItem("doi", "10.1056/nejmoa2021436", 1),
        PastedItem("pmid", "32876695", 2),
        PastedItem("doi", "10.1001/jama.2020.17021", 5),
        PastedItem("doi", "10.1001/jama.2020.17022", 5),
        PastedItem("arxiv", "1706.03762", 5),
        PastedItem("words", "Alder in mixed stands", 6),
    ]


def test_nothing() -> None:
    assert parse_pasted(" \n\t\n") == []


@given(st.text(max_size=300))
@example("10.1/")
@example("http://[")
@example("https://doi.org/%")
def test_any_text_is_something(text: str) -> None:
    """No text brings it down, every value is in one spelling, and every line with something in it is told of."""
    found = parse_pasted(text)
    assert bool(found) == bool(text.strip())
    for one in found:
        assert one.value.strip()
        if one.kind in ("doi", "pmid", "pmcid", "isbn"):
            assert [(again.kind, again.value) for again in parse_pasted(one.value)] == [(one.kind, one.value)]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "text",
    [
        "10.1" * 100_000,
        "https://" * 50_000,
        "10.1234/" + "a" * 400_000,
        "PMID " * 80_000,
        "ISBN 1" * 60_000,
        "a.b " * 9,
    ],
)
@pytest.mark.timeout(HANGS)
def test_long_nonsense_takes_no_time(text: str) -> None:
    parse_pasted(text)
