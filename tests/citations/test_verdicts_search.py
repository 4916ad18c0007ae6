"""Verdicts from a search and other evidence, and on preprints (SPEC C2)."""

from typing import Any

from citations.identity.reference import reference_from_csl
from citations.identity.verdict import judge
from citations.identity.verdict_types import Lookup, Search
from tests.citations.real_works import WORKS, entry, work
from tests.citations.verdict_lookups import DOI, FOUND, I2, NO_IDENTIFIER, NOTHING, verdict


class TestSearch:
    """What only a search found (rules 1, 3 and 4)."""

    def test_the_right_work_need_not_be_the_first(self) -> None:
        others = [WORKS[key] for key in ("rob2", "dersimonian", "hksj", "fdr")]
        found = verdict([], Search((*others, I2)), **NO_IDENTIFIER)
        assert (found.tier, found.work) == ("A", I2)

    def test_two_catalogues_that_bring_one_work(self) -> None:
        pubmed = I2.model_copy(update={"provider": "pubmed", "doi": None})
        bare = I2.model_copy(update={"provider": "openalex", "doi": None, "pmid": None})
        for works in ((pubmed, I2), (I2, pubmed), (bare, pubmed, I2)):
            found = verdict([], Search(works), **NO_IDENTIFIER)
            assert (found.tier, found.evidence_value) == ("A", DOI)

    def test_two_works_that_fit(self) -> None:
        twin = I2.model_copy(update={"doi": "10.1000/twin", "pmid": None, "venue": None, "volume": None, "pages": None})
        nowhere = {"container-title": None, "volume": None, "page": None}
        found = verdict([], Search((I2, twin)), **NO_IDENTIFIER, **nowhere)
        assert (found.status, found.tier) == ("review", None)
        assert found.reason.startswith("More than one work fits: “Measuring inconsistency in meta-analyses” by Higgins")
        for both in ((I2, twin), (twin, I2)):  # one of them alone appeared where the entry says
            placed = verdict([], Search(both), **NO_IDENTIFIER)
            assert (placed.tier, placed.work) == ("A", I2)

    def test_conference_and_journal_versions(self) -> None:
        meeting = work(
            "Growth of alder in mixed stands",
            "Ibe, C.; Moss, D.",
            2018,
            "Symposium on Alder",
            ", 11-19",
            doi="10.1000/c",
        )
        journal = work(
            "Growth of alder in mixed stands",
            "Ibe, C.; Moss, D.",
            2019,
            "Forest Ecology",
            "12, 101-130",
            doi="10.1000/j",
        )
        meeting = meeting.model_copy(update={"type": "paper-conference"})
        for meant, other in ((meeting, journal), (journal, meeting)):
            found = judge(reference_from_csl(entry(meant, DOI=None, URL=None)), [], Search((other, meant)))
            assert (found.tier, found.work) == ("A", meant)
            alone = judge(reference_from_csl(entry(meant, DOI=None, URL=None)), [], Search((other,)))
            assert (alone.status, alone.work) == ("review", other)
            wrong = judge(
                reference_from_csl(entry(meant, DOI=other.doi, URL=None)),
                [Lookup("doi", str(other.doi), (other,))],
                NOTHING,
            )
            assert (wrong.status, wrong.work) == ("review", other)

    def test_starr_and_brattain_each_wrote_on_the_copper_oxide_rectifier(self) -> None:
        both = Search((WORKS["brattain"], WORKS["starr"]))
        for key in ("starr", "brattain"):
            found = judge(reference_from_csl(entry(WORKS[key], **NO_IDENTIFIER)), [], both)
            assert (found.tier, found.work) == ("A", WORKS[key])
        mixed = entry(WORKS["starr"], **NO_IDENTIFIER, issued={"date-parts": [[1951]]})
        assert judge(reference_from_csl(mixed), [], both).status == "review"

    def test_a_part_is_not_the_whole(self) -> None:
        both = Search((WORKS["jaynes2"], WORKS["jaynes1"]))
        for key in ("jaynes1", "jaynes2"):
            assert judge(reference_from_csl(entry(WORKS[key], **NO_IDENTIFIER)), [], both).work == WORKS[key]

    def test_nearly_equal_titles_need_volume_and_page(self) -> None:
        slip: dict[str, Any] = {"title": "Measuring inconsistncy in meta-analyses"}
        assert verdict([], Search((I2,)), **NO_IDENTIFIER, **slip).tier == "A"
        assert verdict([], Search((I2,)), **NO_IDENTIFIER, **slip, page=None).status == "review"
        assert verdict([FOUND], **slip, page=None).tier == "A"

    def test_an_entry_without_year_or_authors(self) -> None:
        for left_out in ({"issued": None}, {"author": None}):
            assert verdict([], Search((I2,)), **NO_IDENTIFIER, **left_out).status == "review"
            assert verdict([FOUND], **left_out).tier == "A"

    def test_a_title_that_many_works_have(self) -> None:
        one = work("Introduction", "Moss, D.", 2018, "Forest Ecology", "12, 1-2", doi="10.1000/i")
        assert judge(reference_from_csl(entry(one, DOI=None, URL=None)), [], Search((one,))).tier == "A"
        nowhere = {"container-title": None, "volume": None, "page": None}
        assert (
            judge(reference_from_csl(entry(one, DOI=None, URL=None, **nowhere)), [], Search((one,))).status == "review"
        )


class TestOtherEvidence:
    """Books and pages, which no registry of papers knows (tier B)."""

    BOOK = work("Human Error", "Reason, James", 1990, isbn="9780521314190", type="book", provider="openlibrary")

    def test_an_isbn(self) -> None:
        claim = reference_from_csl(entry(self.BOOK))
        found = judge(claim, [Lookup("isbn", "9780521314190", (self.BOOK,))], NOTHING)
        assert (found.status, found.tier) == ("verified", "B")
        assert (found.evidence_type, found.evidence_value) == ("isbn", "9780521314190")

    def test_an_isbn_of_another_book(self) -> None:
        other = self.BOOK.model_copy(update={"title": "Managing the Risks of Accidents"})
        found = judge(reference_from_csl(entry(self.BOOK)), [Lookup("isbn", "9780521314190", (other,))], NOTHING)
        assert (found.status, found.tier) == ("conflict", "D")

    def test_an_isbn_is_no_proof_of_a_chapter(self) -> None:
        chapter = entry(self.BOOK, type="chapter", title="Slips and lapses", **{"container-title": "Human Error"})
        found = judge(reference_from_csl(chapter), [Lookup("isbn", "9780521314190", (self.BOOK,))], NOTHING)
        assert (found.status, found.tier) == ("review", None)

    def test_a_page(self) -> None:
        address = "https://example.org/alder"
        page = work("Alder growers' handbook", "", None, url=address, type="webpage", provider="web")
        claim = reference_from_csl({"type": "webpage", "title": "Alder Growers’ Handbook", "URL": address})
        found = judge(claim, [Lookup("url", address, (page,))], NOTHING)
        assert (found.status, found.tier, found.evidence_type, found.evidence_value) == (
            "verified",
            "B",
            "url",
            address,
        )
        strange = page.model_copy(update={"title": "Page not found"})
        assert judge(claim, [Lookup("url", address, (strange,))], NOTHING).status == "not_found"

    def test_an_unknown_doi_is_not_passed_over(self) -> None:
        claim = reference_from_csl(entry(self.BOOK, DOI="10.99999/x"))
        found = judge(claim, [Lookup("doi", "10.99999/x"), Lookup("isbn", "9780521314190", (self.BOOK,))], NOTHING)
        assert (found.status, found.repair) == ("review", self.BOOK)


class TestPreprints:
    ARXIV = work(
        "Growth of alder in mixed stands", "Ibe, C.; Moss, D.", 2017, "arXiv", arxiv="1706.03762", type="article"
    )

    def test_an_arxiv_id_proves_a_preprint(self) -> None:
        csl = {**entry(self.ARXIV), "container-title": "arXiv preprint arXiv:1706.03762", "type": "article-journal"}
        claim = reference_from_csl(csl)
        assert claim.arxiv == "1706.03762"
        found = judge(claim, [Lookup("arxiv", "1706.03762", (self.ARXIV,))], NOTHING)
        assert (found.tier, found.evidence_type, found.evidence_value) == ("A", "doi", "10.48550/arxiv.1706.03762")

    def test_an_arxiv_id_of_another_work(self) -> None:
        other = self.ARXIV.model_copy(update={"title": "Beech on wet soil"})
        found = judge(
            reference_from_csl({**entry(self.ARXIV), "number": "arXiv:1706.03762"}),
            [Lookup("arxiv", "1706.03762", (other,))],
            NOTHING,
        )
        assert found.status == "conflict"

    def test_the_published_version_cited_as_a_preprint(self) -> None:
        article = self.ARXIV.model_copy(
            update={"arxiv": None, "doi": "10.1000/j", "venue": "Forest Ecology", "type": "article-journal"}
        )
        claim = reference_from_csl(entry(self.ARXIV, DOI="10.1000/j"))
        found = judge(claim, [Lookup("doi", "10.1000/j", (article,))], NOTHING)
        assert (found.status, found.work) == ("review", article)
        assert "The entry claims a preprint" in found.reason
