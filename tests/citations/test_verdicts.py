"""Verdicts: what all that was found out about an entry comes to, and in which order it is told (SPEC C2)."""

from typing import Any

import pytest

from citations.identity.reference import reference_from_csl
from citations.identity.verdict import judge, retraction_of
from citations.identity.verdict_types import Lookup, Search, Verdict
from citations.management.commands.resolve_citations import verdict_json
from sources.retractions import Update
from sources.work import Work
from tests.citations.real_works import WORKS, entry
from tests.citations.verdict_lookups import DOI, FAILED, FOUND, I2, MISSING, NO_IDENTIFIER, NOTHING, PMID, verdict


def test_an_identifier_proves_an_entry_alone() -> None:
    claim = reference_from_csl(entry(I2, PMID=None))
    assert judge(claim, [FOUND]).tier == "A"
    assert judge(claim, [MISSING]).tier != "A"
    assert judge(claim, [FAILED]).tier != "A"
    assert judge(claim, [Lookup("doi", DOI, (WORKS["rob2"],))]).tier != "A"
    proven = judge(claim, [FOUND])
    assert (proven.status, proven.tier, proven.work) == ("verified", "A", I2)
    assert (proven.evidence_type, proven.evidence_value) == ("doi", DOI)
    assert proven.reason == "Crossref knows this DOI, and title, authors and year agree."
    assert proven.repair is None
    assert all(row.agrees is not False for row in proven.diff)


def test_what_nobody_was_asked_is_not_passed_over() -> None:
    """An entry with a PMID is not proven by its DOI while the PMID may be that of another work."""
    claim = reference_from_csl(entry(I2))
    assert judge(claim, [FOUND]).tier == "A"  # the record has this PMID too
    silent = Lookup("doi", DOI, (I2.model_copy(update={"pmid": None}),))
    assert judge(claim, [silent]).status == "unresolved"
    assert judge(claim, [silent, Lookup("pmid", PMID, (I2,))]).tier == "A"
    assert judge(claim, [FOUND, Lookup("pmid", PMID, (WORKS["rob2"],))]).status == "conflict"
    assert judge(claim, []).reason == "Not all lookups were made yet."
    assert judge(reference_from_csl(entry(I2, **NO_IDENTIFIER)), []).status == "unresolved"


def test_records_of_one_identifier_may_differ_and_the_best_counts() -> None:
    bare = I2.model_copy(update={"provider": "openalex", "authors": (), "title": "Measuring inconsistency"})
    assert verdict([Lookup("doi", DOI, (bare, I2))]).tier == "A"
    assert verdict([Lookup("doi", DOI, (bare,))]).status == "review"


def test_an_unknown_doi_and_a_work_that_is_there() -> None:
    found = verdict([Lookup("doi", "10.99999/x")], Search((I2,)), DOI="10.99999/x", URL=None)
    assert (found.status, found.tier, found.repair, found.repair_doi) == ("review", None, I2, DOI)
    assert found.reason.startswith("No registry knows the DOI 10.99999/x. The work itself was found: “Measuring")


def test_what_stands_in_place_of_a_doi_is_no_doi() -> None:
    found = verdict([], Search((I2,)), DOI="see the publisher", URL=None)
    assert (found.status, found.repair) == ("review", I2)
    assert "“see the publisher” is not a DOI." in found.reason
    assert verdict([], Search((I2,)), DOI="N/A", URL=None).tier == "A"


def test_an_unknown_doi_beside_a_pmid_that_proves() -> None:
    claim = reference_from_csl(entry(I2, DOI="10.99999/x", URL=None))
    found = judge(claim, [Lookup("doi", "10.99999/x"), Lookup("pmid", PMID, (I2,))], NOTHING)
    assert (found.status, found.repair) == ("review", I2)


def test_conflict_comes_before_what_is_probable_and_offers_the_right_work() -> None:
    wrong = Lookup("doi", str(WORKS["rob2"].doi), (WORKS["rob2"],))
    found = verdict([wrong], Search((I2,)), DOI=wrong.value, URL=None)
    assert (found.status, found.tier, found.work, found.repair) == ("conflict", "D", WORKS["rob2"], I2)
    assert found.repair_doi == DOI
    assert "The title is different." in found.reason
    assert verdict([wrong], None, DOI=wrong.value, URL=None).status == "conflict"
    failed = verdict([wrong], Search(failed=("Crossref",)), DOI=wrong.value, URL=None)
    assert (failed.status, failed.repair) == ("conflict", None)


def test_where_only_the_year_is_wrong_a_person_decides() -> None:
    late: dict[str, Any] = {"issued": {"date-parts": [[2013]]}}
    for found in (verdict([FOUND], **late), verdict([], Search((I2,)), **late, DOI=None, URL=None)):
        assert (found.status, found.tier, found.work) == ("review", None, I2)
        assert "The year is 2003, not 2013." in found.reason


def test_a_year_and_a_title_that_both_differ_are_another_work() -> None:
    changed = {"title": "Meta-analysis in clinical trials revisited", "issued": {"date-parts": [[2015]]}}
    one = WORKS["dersimonian"]
    claim = reference_from_csl(entry(one, PMID=None, **changed))
    assert judge(claim, [Lookup("doi", str(one.doi), (one,))], NOTHING).status == "conflict"


@pytest.mark.parametrize(
    ("title", "status"),
    [
        ("Measuring consistency in meta-analyses", "review"),  # .95 alike, and the contrary
        ("Measuring inconsistencies for meta-analyses", "review"),  # .86 alike
        ("Measuring the inconsistency in few meta-analyses", "conflict"),  # .83 alike
    ],
)
def test_titles_that_are_alike_are_for_a_person_and_others_are_conflicts(title: str, status: str) -> None:
    assert verdict([FOUND], title=title).status == status


def test_a_namesake_is_for_a_person_to_look_at() -> None:
    people = [{"family": "Higgins", "given": "Martha"}, *I2.csl()["author"][1:]]
    found = verdict([FOUND], author=people)
    assert (found.status, found.tier) == ("review", None)
    assert "“Higgins, Martha”" in found.reason
    assert verdict([FOUND], author=[{"family": "Higgins", "given": "J."}]).tier == "A"


class TestFailures:
    """A service that did not answer is no evidence (rule 6)."""

    def test_of_the_look_up(self) -> None:
        found = verdict([FAILED])
        assert (found.status, found.tier) == ("unresolved", None)
        assert found.reason == "Crossref did not answer and will be asked again."

    def test_of_the_search(self) -> None:
        found = verdict([MISSING], Search(failed=("Crossref", "PubMed")))
        assert (found.status, found.tier) == ("unresolved", None)
        assert found.reason == "Crossref and PubMed did not answer and will be asked again."

    def test_of_the_look_up_while_a_search_finds_the_same_doi(self) -> None:
        found = verdict([FAILED], Search((I2,)))
        assert (found.status, found.tier) == ("verified", "A")

    def test_of_the_look_up_while_a_search_finds_another_doi(self) -> None:
        other = I2.model_copy(update={"doi": "10.1000/other", "pmid": None})
        found = verdict([FAILED], Search((other,)))
        assert (found.status, found.work) == ("unresolved", other)

    def test_of_one_look_up_while_another_proves(self) -> None:
        claim = reference_from_csl(entry(I2))
        known, failed = Lookup("pmid", PMID, (I2,)), Lookup("doi", DOI, failed=("Crossref",))
        assert judge(claim, [known, failed]).tier == "A"  # the record of the PMID has this DOI
        bare = Lookup("pmid", PMID, (I2.model_copy(update={"doi": None}),))
        assert judge(claim, [bare, failed]).status == "unresolved"

    def test_of_one_of_two_searches(self) -> None:
        claim = {"DOI": None, "URL": None}
        assert verdict([], Search((I2,), failed=("PubMed",)), **claim).tier == "A"
        assert verdict([], Search((WORKS["rob2"],), failed=("PubMed",)), **claim).status == "unresolved"
        near = {"title": "Measuring inconsistencies in a meta-analysis"}
        assert verdict([], Search((I2,)), **claim, **near).status == "review"
        assert verdict([], Search((I2,), failed=("PubMed",)), **claim, **near).status == "unresolved"

    def test_of_a_page(self) -> None:
        claim = reference_from_csl({"title": "Alder growers' handbook", "URL": "https://example.org/alder"})
        page = Lookup("url", "https://example.org/alder", failed=("example.org",))
        assert judge(claim, [page], NOTHING).status == "unresolved"


def test_a_doi_alone_claims_nothing_else() -> None:
    claim = reference_from_csl({"DOI": DOI})
    found = judge(claim, [FOUND])
    assert (found.status, found.tier) == ("verified", "A")
    assert found.reason == "Crossref knows this DOI, and the entry gives no other details."
    assert judge(claim, [MISSING], NOTHING).status == "not_found"


def test_nothing_at_all() -> None:
    assert judge(reference_from_csl({}), [], NOTHING).status == "not_found"
    found = verdict([MISSING])
    assert (found.status, found.tier, found.diff) == ("not_found", "D", ())
    assert "fake" not in found.reason
    assert found.reason.endswith(f"No registry knows the DOI {DOI}.")


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, None),
        ({"is_retracted": True}, Update(type="retraction", source="crossref")),
        (
            {"updates": (Update(type="expression_of_concern", year=2004),)},
            Update(type="expression_of_concern", year=2004),
        ),
        (
            {"updates": (Update(type="correction"), Update(type="retraction", year=2005))},
            Update(type="retraction", year=2005),
        ),
        ({"updates": (Update(type="correction"),)}, None),
    ],
)
def test_a_retraction_is_told_beside_the_tier(changed: dict[str, Any], expected: Update | None) -> None:
    record: Work = I2.model_copy(update=changed)
    found = verdict([Lookup("doi", DOI, (record,))])
    assert (found.tier, found.retraction) == ("A", expected)
    assert retraction_of(record) == expected


class TestAPmidThatPubMedDoesNotKnowYet:
    """New articles come to PubMed weeks after Crossref has them."""

    UNKNOWN = Lookup("pmid", "49999999")
    NEW = I2.model_copy(update={"pmid": None})

    def test_the_doi_proves_the_entry_and_the_pmid_is_left_out(self) -> None:
        claim = reference_from_csl(entry(I2, PMID="49999999"))
        found = judge(claim, [Lookup("doi", DOI, (self.NEW,)), self.UNKNOWN])
        assert (found.status, found.tier, found.evidence_type, found.evidence_value) == ("verified", "A", "doi", DOI)
        assert found.unproven == ("pmid",)
        assert found.reason.endswith("PubMed does not know the PMID 49999999 yet, so it is left out.")
        assert verdict_json("a", found, doi=DOI, pmid="49999999")["pmid"] is None

    def test_a_record_with_another_pmid_asks_a_person(self) -> None:
        claim = reference_from_csl(entry(I2, PMID="49999999"))
        found = judge(claim, [FOUND, self.UNKNOWN], NOTHING)
        assert (found.status, found.tier) == ("review", None)

    def test_where_only_a_search_found_the_work_a_person_is_asked(self) -> None:
        claim = reference_from_csl(entry(I2, PMID="49999999", DOI=None, URL=None))
        assert judge(claim, [self.UNKNOWN], Search((self.NEW,))).status == "review"

    def test_pubmed_that_does_not_answer_leaves_it_open(self) -> None:
        claim = reference_from_csl(entry(I2, PMID="49999999"))
        silent = Lookup("pmid", "49999999", failed=("PubMed",))
        assert judge(claim, [Lookup("doi", DOI, (self.NEW,)), silent], NOTHING).status == "unresolved"


class TestAnArxivIdBesideADoi:
    ARXIV = {"custom": {"bibtex": {"eprint": "2104.01234", "archiveprefix": "arXiv"}}, "PMID": None}
    PREPRINT = I2.model_copy(
        update={
            "doi": "10.48550/arxiv.2104.01234",
            "arxiv": "2104.01234",
            "pmid": None,
            "type": "article",
            "venue": None,
        }
    )

    def judged(self, *works: Work, failed: tuple[str, ...] = ()) -> Verdict:
        claim = reference_from_csl(entry(I2, **self.ARXIV))
        return judge(claim, [FOUND, Lookup("arxiv", "2104.01234", works, failed)], NOTHING)

    def test_of_the_same_work(self) -> None:
        assert self.judged(self.PREPRINT).tier == "A"

    def test_of_another_work(self) -> None:
        found = self.judged(WORKS["resnet"].model_copy(update={"arxiv": "2104.01234"}))
        assert (found.status, found.repair) == ("review", I2)
        assert "arXiv id 2104.01234 leads to" in found.reason

    def test_that_nobody_knows_or_nobody_answered_for(self) -> None:
        assert self.judged().status == "review"
        assert self.judged(failed=("arXiv",)).status == "unresolved"


@pytest.mark.parametrize(
    ("changed", "fields"),
    [
        ({"page": "557-60"}, []),
        ({"page": "557–560"}, []),
        ({"page": "557-569"}, ["pages"]),
        ({"page": "557"}, ["pages"]),
        ({"type": "paper-conference"}, ["type"]),
        ({"type": "document"}, []),
        ({"container-title": "British Journal of Medicine"}, ["venue"]),
        ({"container-title": "British Medical Journal"}, []),
        ({"issue": "9"}, []),
        ({"editor": [{"family": "Okonjo", "given": "A."}]}, []),
    ],
)
def test_what_differs_is_named_and_nothing_is_said_to_agree(changed: dict[str, Any], fields: list[str]) -> None:
    found = verdict([FOUND], **changed)
    assert found.tier == "A"
    assert [row.field for row in found.diff if row.agrees is False] == fields
    assert ("agree" in found.reason) is not bool(fields)


def test_the_authors_that_differ_are_named() -> None:
    one, two, *rest = I2.csl()["author"]
    assert "2 of the record's 4 are left out" in verdict([FOUND], author=[one, two]).reason
    assert "their order differs" in verdict([FOUND], author=[one, *rest, two]).reason
    misspelt = {**two, "family": "Thomson"}
    assert (
        "“Thomson, Simon G” is “Thompson, Simon G” in the record"
        in verdict([FOUND], author=[one, misspelt, *rest]).reason
    )
    others = verdict([FOUND], author=[one, two], custom={"others": True})
    assert others.reason == "Crossref knows this DOI, and title, authors and year agree."
