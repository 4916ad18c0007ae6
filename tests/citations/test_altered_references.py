"""Invented and altered references, made in the categories of the HALLMARK benchmark: none is proven (SPEC C2)."""

import itertools
from typing import Any

import pytest

from citations.identity.gate import ComparedField
from citations.identity.reference import reference_from_csl, without_retraction_mark
from citations.identity.title_similarity import likeness
from citations.identity.verdict import judge
from citations.identity.verdict_types import Lookup, Search, Verdict
from sources.work import Work, full_name
from tests.citations.real_works import WORKS, entry, verdict_on

Csl = dict[str, Any]
KEYS = list(WORKS)
NEXT = dict(zip(KEYS, [*KEYS[1:], KEYS[0]], strict=True))
TWO_AWAY = {key: NEXT[NEXT[key]] for key in KEYS}
# The right work is meant and only a place is wrong: the record's is taken, or a person asked.
LIKE_ANOTHER = {"jaynes1", "jaynes2", "starr", "brattain", "ctd2011", "ctd2013"}
NO_IDENTIFIER = {"DOI": None, "PMID": None, "URL": None}
INVENTED = [
    (
        "Shock-titrated hydrocortisone in critical COVID-19: the HYDRA-ICU stepped-wedge trial",
        "Halvorsen, Tor; Okonjo, Pia",
    ),
    ("Attention mechanisms for sequential decision making under partial observability", "Wei Xiao; Tsun-Hsuan Wang"),
    ("Meta-analysis in cluster trials", "Rebecca Simon; Nan Lairdson"),
    ("Dexamethasone in Ambulatory Patients with Covid-19", "RECOVERY Collaborative Group"),
]


def invented(title: str, authors: str, **more: Any) -> Csl:
    people = [person.csl() for name in authors.split("; ") if (person := full_name(name))]
    return {"type": "article-journal", "title": title, "author": people, "issued": {"date-parts": [[2021]]}, **more}


def not_proven(verdict: Verdict) -> None:
    assert verdict.status != "verified", verdict.reason
    assert verdict.tier in {None, "D"}


@pytest.mark.parametrize(("title", "authors"), INVENTED)
@pytest.mark.parametrize("doi", ["10.99999/jccs.2021.0417", None, "10.1056/NEJMoa2021436"])
def test_fabricated(title: str, authors: str, doi: str | None) -> None:
    verdict = verdict_on(invented(title, authors, **({"DOI": doi} if doi else {})))
    not_proven(verdict)
    assert verdict.tier == "D"
    assert verdict.status == ("conflict" if doi and doi.endswith("436") else "not_found")
    assert "fake" not in verdict.reason.casefold()


def test_fabricated_doi_on_a_real_work() -> None:
    for meant in WORKS.values():
        verdict = verdict_on(entry(meant, DOI="10.99999/x.2020.1", PMID=None, URL=None))
        assert verdict.status == "review"
        assert (verdict.repair, verdict.repair_doi) == (meant, meant.doi)
        assert "10.99999/x.2020.1" in verdict.reason


@pytest.mark.parametrize("other", [NEXT, TWO_AWAY])
def test_the_doi_of_another_paper(other: dict[str, str]) -> None:
    for key in KEYS:
        verdict = verdict_on(entry(WORKS[key], DOI=WORKS[other[key]].doi, URL=None))
        assert (verdict.status, verdict.tier) == ("conflict", "D")
        assert verdict.work == WORKS[other[key]]
        assert verdict.repair == WORKS[key]


def test_the_pmid_of_another_paper() -> None:
    for key in (key for key in KEYS if WORKS[NEXT[key]].pmid):
        verdict = verdict_on(entry(WORKS[key], PMID=WORKS[NEXT[key]].pmid))
        assert (verdict.status, verdict.tier) == ("conflict", "D")
        assert verdict.repair == WORKS[key]


@pytest.mark.sample(1)
@pytest.mark.parametrize("identified", [True, False])
def test_swapped_authors(identified: bool) -> None:
    for key, other in itertools.product(KEYS, KEYS):
        if other == key or {key, other} <= LIKE_ANOTHER:
            continue
        wrong = WORKS[other].csl()["author"]
        csl = entry(WORKS[key], author=wrong, **({} if identified else NO_IDENTIFIER))
        verdict = verdict_on(csl)
        not_proven(verdict)
        if identified:  # whoever claims persons for a work of a group may be right
            assert verdict.status == ("review" if key == "recovery" else "conflict"), (other, verdict.reason)


@pytest.mark.sample(1)
@pytest.mark.parametrize("identified", [True, False])
def test_chimeric_titles(identified: bool) -> None:
    """Real authors, place and identifier under a title of somebody else's or of nobody's."""
    for key, other in itertools.product(KEYS, KEYS[::3]):
        if key == other or likeness(WORKS[key].title, WORKS[other].title).is_same:
            continue
        left, right = WORKS[key].title.split(), WORKS[other].title.split()
        for title in (WORKS[other].title, " ".join(left[: len(left) // 2] + right[len(right) // 2 :])):
            csl = entry(WORKS[key], title=title, **({} if identified else NO_IDENTIFIER))
            if not likeness(WORKS[key].title, title).is_same:
                not_proven(verdict_on(csl))


@pytest.mark.parametrize("identified", [True, False])
def test_merged_citations(identified: bool) -> None:
    """Authors of one work, title and identifier of a second, venue and year of a third."""
    for key in KEYS:
        first, second, third = WORKS[key], WORKS[NEXT[key]], WORKS[TWO_AWAY[key]]
        if likeness(first.title, second.title).is_same or {key, NEXT[key]} <= {"jaynes1", "jaynes2"}:
            continue
        merged = {
            "author": first.csl()["author"],
            "container-title": third.venue,
            "issued": {"date-parts": [[third.year]]},
        }
        not_proven(verdict_on(entry(second, **merged, **({} if identified else NO_IDENTIFIER))))


def near_misses(title: str) -> set[str]:
    """The title with one word left out, put in, put in the place of another, or with another ending."""
    words = title.split()
    missed = {f"{title} revisited", f"Improved {title}", f"{title} II", f"{title}: Part 2", f"Towards {title}"}
    for place, word in list(enumerate(words))[::2]:
        before, after = words[:place], words[place + 1 :]
        missed |= {" ".join([*before, *put, *after]) for put in ([], ["Adaptive"], ["novel", word], ["via"])}
        if word.isalpha() and len(word) > 3:
            missed.add(" ".join([*before, word[:-1] if word.endswith("s") else f"{word}s", *after]))
            missed.add(" ".join([*before, f"non{word}", *after]))
    return {one for one in missed if not likeness(without_retraction_mark(title), without_retraction_mark(one)).is_same}


@pytest.mark.sample(1)
@pytest.mark.parametrize("identified", [True, False])
def test_near_miss_titles(identified: bool) -> None:
    missed = [(meant, title) for meant in WORKS.values() for title in near_misses(meant.title)]
    for meant, title in missed:
        verdict = verdict_on(entry(meant, title=title, **({} if identified else NO_IDENTIFIER)))
        assert verdict.status != "verified", (title, verdict.reason)
        assert verdict.status in ({"review", "conflict"} if identified else {"review", "not_found", "conflict"})


@pytest.mark.sample(3)
@pytest.mark.parametrize("identified", [True, False])
@pytest.mark.parametrize(
    "subtitle",
    ["protocol", "a post hoc analysis", "Part 2", "2nd edition", "authors' reply", "the HYDRA-ICU randomised trial"],
)
def test_an_invented_subtitle(subtitle: str, identified: bool) -> None:
    for meant in WORKS.values():
        not_proven(
            verdict_on(entry(meant, title=f"{meant.title}: {subtitle}", **({} if identified else NO_IDENTIFIER)))
        )


def test_volume_and_pages_of_another_paper() -> None:
    for meant in (work for work in WORKS.values() if work.volume and work.pages):
        not_proven(verdict_on(entry(meant, volume="981", page="40171-40188")))


def test_a_year_that_the_record_does_not_say() -> None:
    meant = next(work for work in WORKS.values() if work.doi and work.year)
    timeless = meant.model_copy(update={"year": None})
    verdict = judge(reference_from_csl(entry(meant)), [Lookup("doi", str(meant.doi), (timeless,))], Search())
    assert verdict.status == "review"
    assert "no year" in verdict.reason


def test_a_preprint_server_as_the_journal_of_an_article() -> None:
    for meant in (work for work in WORKS.values() if work.type == "article-journal" and work.doi and not work.arxiv):
        claim = entry(meant, **{"container-title": "arXiv preprint arXiv:2104.01234", "volume": None, "page": None})
        not_proven(verdict_on(claim))


@pytest.mark.parametrize(
    ("meant", "missed"),
    [
        (
            "RoB 2: a revised tool for assessing risk of bias in randomised trials",
            "risk of bias in observational trials",
        ),
        ("Deep Residual Learning for Image Recognition", "Deep Residual Learning for Image Classification"),
        ("The Hartung-Knapp-Sidik-Jonkman method", "The Hartung-Knapp-Sidik-Jonkman methods"),
    ],
)
def test_a_word_of_a_title_is_not_a_slip(meant: str, missed: str) -> None:
    assert likeness(meant, missed).how in {"words", "cut", "other"}


def test_a_long_title_with_one_other_word_is_for_a_person_to_look_at() -> None:
    title = WORKS["hksj"].title.replace("considerably", "significantly")
    assert likeness(WORKS["hksj"].title, title).similarity > 0.9
    verdict = verdict_on(entry(WORKS["hksj"], title=title))
    assert (verdict.status, verdict.tier) == ("review", None)
    assert "differ in at least one word" in verdict.reason


def test_hybrid_fabrication_keeps_a_real_doi() -> None:
    for key in KEYS:
        people = [{"family": "Ferreira-Quandt", "given": "L."}, {"family": "Moss", "given": "D. R."}]
        verdict = verdict_on(entry(WORKS[key], title=f"Improved {WORKS[key].title}", author=people))
        assert verdict.status == ("review" if key == "recovery" else "conflict")


def test_placeholder_authors_and_a_date_to_come() -> None:
    for key in KEYS:
        named = [{"family": "Author", "given": "First"}, {"family": "Another", "given": "Second"}]
        assert verdict_on(entry(WORKS[key], author=named)).status == ("review" if key == "recovery" else "conflict")
        late = verdict_on(entry(WORKS[key], issued={"date-parts": [[2033]]}))
        assert (late.status, late.tier) == ("review", None)
        assert "2033" in late.reason


def test_authors_left_out_are_no_reason_to_doubt() -> None:
    """HALLMARK's "partial author list": what is claimed is true, and the record's list is taken."""
    named = WORKS["rob2"].csl()["author"]
    verdict = verdict_on(entry(WORKS["rob2"], author=[named[0], named[-1]]))
    assert verdict.tier == "A"


def test_one_of_several_authors_is_another() -> None:
    named = WORKS["rob2"].csl()["author"]
    swapped = [named[0], *({"family": name, "given": "A."} for name in ("Okonjo", "Lindqvist", "Moss"))]
    verdict = verdict_on(entry(WORKS["rob2"], author=swapped))
    assert (verdict.status, verdict.tier) == ("review", None)
    assert "“Okonjo, A.”, “Lindqvist, A.” and “Moss, A.”" in verdict.reason


def test_a_wrong_venue_is_mended_where_the_doi_proves_the_rest() -> None:
    verdict = verdict_on(entry(WORKS["rob2"], **{"container-title": "Annals of Ventilated Medicine"}, volume=None))
    assert (verdict.status, verdict.tier) == ("verified", "A")
    venue = next(row for row in verdict.diff if row.field == "venue")
    assert venue == ComparedField("venue", "Annals of Ventilated Medicine", "BMJ", False)
    assert "Venue differs from what was claimed" in verdict.reason


def test_a_wrong_venue_without_identifier_may_be_another_version() -> None:
    csl = entry(
        WORKS["rob2"], **{"container-title": "Annals of Ventilated Medicine"}, volume=None, page=None, **NO_IDENTIFIER
    )
    verdict = verdict_on(csl)
    assert (verdict.status, verdict.tier) == ("review", None)


def test_venue_and_year_of_another_version() -> None:
    """HALLMARK's "arXiv version": the work is right, where and when are not those of the record."""
    wrong = {"container-title": "Uncertainty in Artificial Intelligence", "issued": {"date-parts": [[2015]]}}
    verdict = verdict_on(entry(WORKS["resnet"], **wrong, page=None))
    assert (verdict.status, verdict.tier) == ("review", None)


def preprint_and_article() -> tuple[Work, Work]:
    shared = {"title": "Dexamethasone 12 mg versus 6 mg for patients with COVID-19 and severe hypoxia"}
    article = WORKS["codex"].model_copy(
        update={
            **shared,
            "doi": "10.1001/jama.2021.18295",
            "pmid": None,
            "year": 2021,
            "preprint_doi": "10.1101/2021.07.22.21260755",
        }
    )
    preprint = article.model_copy(
        update={
            "doi": "10.1101/2021.07.22.21260755",
            "type": "article",
            "venue": "medRxiv",
            "volume": None,
            "pages": None,
            "preprint_doi": None,
            "published_version_doi": "10.1001/jama.2021.18295",
        }
    )
    return preprint, article


def test_a_preprint_cited_as_published() -> None:
    preprint, article = preprint_and_article()
    csl = entry(preprint, type="article-journal", **{"container-title": "JAMA"})
    alone = verdict_on(csl, [preprint])
    assert (alone.status, alone.tier) == ("review", None)
    assert alone.repair_doi == "10.1001/jama.2021.18295"
    both = verdict_on(csl, [preprint, article])
    assert (both.status, both.repair) == ("review", article)


def test_a_preprint_cited_as_one() -> None:
    preprint, article = preprint_and_article()
    assert verdict_on(entry(preprint), [preprint, article]).tier == "A"
    searched = verdict_on(entry(preprint, **NO_IDENTIFIER), [article, preprint])
    assert (searched.tier, searched.evidence_value) == ("A", "10.1101/2021.07.22.21260755")


def test_an_article_whose_preprint_is_three_years_older() -> None:
    _, article = preprint_and_article()
    late = article.model_copy(update={"year": 2024})
    csl = entry(article, URL=None)
    assert verdict_on(csl, [late]).tier == "A"
    unlinked = verdict_on(csl, [late.model_copy(update={"preprint_doi": None})])
    assert (unlinked.status, unlinked.tier) == ("review", None)
