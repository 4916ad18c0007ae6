"""Works that only their texts show to be one (SPEC R8), and what a text has in common with those read before."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.models import Project, User
from research.deduplication.near_duplicates import (
    SAME,
    SHINGLE,
    CandidateIndex,
    TextsRead,
    nearly_same,
    similarity,
    sketch,
)
from research.deduplication.same_work import KnownRecords
from research.deduplication.works import Works, described, text_of
from sources.retractions import Update
from sources.work import Person, Work
from tests.examples import examples
from tests.research.work_records import ADA, page, record, titled
from tests.start_run import start_run

unhurried = examples(60)

ABSTRACT = (
    "Shade is thought to slow the growth of alders beside rivers. We planted red alder on 14 plots and measured height "
    "and leaf area for 12 years. Trees in shade were 11.4 m tall and those in the open 16.2 m. Soil nitrogen rose from "
    "0.21% to 0.34% on both. Light, not nitrogen, limits the growth of alders in the first years after planting, and "
    "thinning of the stand above them is advised where fast growth is wanted by those who own the land."
)
LABELLED = "BACKGROUND: " + ABSTRACT.replace("We planted", "METHODS: We planted").replace(
    "Light,", "CONCLUSION: Light,"
)
SIGNED = ABSTRACT + " © River Press. All rights reserved."
CHINESE = (
    "在河岸边的十四个样地上种植了红桤木并连续十二年测量了树高和叶面积结果表明遮荫使红桤木的生长减慢而土壤中的氮含量在所有样地上都有所增加"
    * 2
)


def texts(count: int, words: int, seed: int = 1) -> list[list[str]]:
    """Texts of `words` words on one subject: the same 400 words, in other orders."""
    dice = random.Random(seed)
    known = ["".join(dice.choices("abcdefgh", k=6)) for _ in range(400)]
    return [dice.choices(known, k=words) for _ in range(count)]


def ties(*described: tuple[Work, str]) -> list[str | None]:
    known = KnownRecords()
    return [
        same.code if (same := known.add(str(place), work, text)) else None
        for place, (work, text) in enumerate(described)
    ]


def bare(number: int, **says: Any) -> Work:
    return record("semantic_scholar", str(number), **{"title": f"Title {number}", "type": "article-journal", **says})


# Which texts are nearly the same


@pytest.mark.parametrize("other", [ABSTRACT, LABELLED, SIGNED, ABSTRACT.upper(), ABSTRACT.replace(" ", "\n")])
def test_an_abstract_as_several_catalogues_have_it(other: str) -> None:
    assert nearly_same(ABSTRACT, other)
    assert nearly_same(other, ABSTRACT)


@pytest.mark.parametrize(
    "other",
    [
        "",
        ABSTRACT[:100],
        ABSTRACT[:300],
        f"{ABSTRACT} {' '.join(' '.join(words) for words in texts(1, 400))}",  # a page that holds it, and much more
        ABSTRACT.replace("0.34%", "0.22%"),  # the same study of another place
        ABSTRACT.replace("11.4 m", "12.4 m"),
    ],
)
def test_texts_that_are_not_the_same(other: str) -> None:
    assert not nearly_same(ABSTRACT, other)


@pytest.mark.parametrize(
    "wall",
    [
        "An abstract is not available for this content. As you have access to this content, full HTML content is "
        "provided on this page. A preview has been provided below.",
        "Click to increase image size Click to decrease image size Additional information Notes on contributors " * 2,
        "Please enable JavaScript and cookies to continue. Your browser is being looked at before you may go on to the "
        "page that you have asked for.",
    ],
)
def test_what_stands_in_place_of_a_text_proves_nothing(wall: str) -> None:
    assert len(wall) > 100
    assert not nearly_same(wall, wall)
    assert ties((bare(1), wall), (bare(2), wall)) == [None, None]


def test_scripts_that_do_not_part_words() -> None:
    assert nearly_same(CHINESE, CHINESE.replace("结果表明", "结果显示", 1))
    assert not nearly_same(CHINESE, CHINESE[::-1])


WORDS = st.lists(st.sampled_from(["alder", "shade", "soil", "0.3", "river"]), min_size=SHINGLE, max_size=60)


@unhurried
@given(WORDS, WORDS)
def test_the_index_is_exact(one: list[str], other: list[str]) -> None:
    def runs(words: list[str]) -> set[tuple[str, ...]]:
        parts = " ".join(words).replace(".", " ").split()
        return {tuple(parts[at : at + SHINGLE]) for at in range(len(parts) - SHINGLE + 1)}

    here, there = runs(one), runs(other)
    assert similarity(" ".join(one), " ".join(other)) == pytest.approx(len(here & there) / (len(here | there) or 1))


@unhurried
@given(st.text(max_size=400), st.text(max_size=400))
def test_any_text_is_taken(one: str, other: str) -> None:
    assert similarity(one, other) == similarity(other, one)
    assert nearly_same(one, other) == nearly_same(other, one)
    assert KnownRecords().add("a", bare(1), one + "\ud800") is None


@pytest.mark.sample(3)
@pytest.mark.parametrize("words", [40, 300, 950, 1_000, 1_150, 1_250, 3_300])
def test_texts_that_are_alike_are_found(words: int) -> None:
    """Also where one of the two is just long enough to be looked at in part."""
    dice = random.Random(words)
    for one in texts(40, words):
        changed = list(one)
        for place in dice.sample(range(words), max(1, words // 60)):
            changed[place] = "alders"
        cut = one[: int(words * 0.9)]
        for other in (one, changed, cut):
            if similarity(" ".join(one), " ".join(other)) >= SAME:
                likely = CandidateIndex()
                assert likely.add(0, " ".join(one)) == []
                assert likely.add(1, " ".join(other)) == [0]


def test_the_sketch_of_a_text_is_the_same_everywhere() -> None:
    """A run that is replayed elsewhere compares what was compared then."""
    drawn = sketch(ABSTRACT)
    assert drawn is not None
    assert drawn.bands[:2] == PINNED


PINNED = (2053256306601861719, -2769246050018925213)


# Which works they tie


def test_a_text_ties_works_that_nothing_else_ties() -> None:
    known = KnownRecords()
    assert (
        known.add("first", bare(1, doi="10.5555/a", title="Shade and alders"), f"Shade and alders\n\n{ABSTRACT}")
        is None
    )
    same = known.add("second", bare(2, title="Schatten und Erlen"), f"Schatten und Erlen\n\n{LABELLED}")
    assert same == ("first", "text", "Its text is nearly the same.", ())


def test_it_is_the_last_key() -> None:
    assert ties((titled(doi="10.5555/a"), ABSTRACT), (titled(number="2"), ABSTRACT)) == [None, "title"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"doi": "10.5555/a"}, {"doi": "10.5555/b"}),
        ({"pmid": "12"}, {"pmid": "13"}),
        ({"pmcid": "PMC12"}, {"pmcid": "PMC13"}),
        ({"arxiv": "1901.01234"}, {"doi": "10.5555/a"}),
        ({"authors": ADA}, {"authors": (Person(family="Moss"),)}),
        ({"year": 2015}, {"year": 2019}),
        ({"type": "article-journal"}, {"type": "thesis"}),
        ({"title": "Shade"}, {"title": "Correction to: Shade"}),
        ({"title": "Shade"}, {"notice_of": (Update(type="correction", doi="10.5555/a"),)}),
        ({"type": "chapter", "title": "Rivers"}, {"type": "chapter", "title": "Alders"}),
    ],
)
def test_what_speaks_against_it(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert ties((bare(1, **one), ABSTRACT), (bare(2, **other), ABSTRACT)) == [None, None]
    assert ties((bare(2, **other), ABSTRACT), (bare(1, **one), ABSTRACT)) == [None, None]


def test_what_does_not_speak_against_it() -> None:
    one = bare(1, doi="10.5555/a", authors=ADA, year=2019)
    for other in ({"pmid": "12", "authors": ADA, "year": 2020}, {"url": "https://river.example/a"}, {"year": 2018}):
        assert ties((one, ABSTRACT), (bare(2, **other), SIGNED)) == [None, "text"]
    assert ties((page("https://a.example/1"), ABSTRACT), (page("https://b.example/2"), SIGNED)) == [None, "text"]


@unhurried
@given(
    st.lists(
        st.tuples(
            st.sampled_from([None, "10.5555/a", "10.5555/b"]),
            st.sampled_from([None, "12", "13"]),
            st.sampled_from([ABSTRACT, LABELLED, SIGNED]),
        ),
        max_size=10,
    )
)
def test_no_text_ever_ties_works_whose_identifiers_contradict(drawn: list[tuple[str | None, str | None, str]]) -> None:
    """Whatever comes in whatever order, also by way of a record that names neither."""
    known, groups = KnownRecords(), {}
    for place, (doi, pmid, text) in enumerate(drawn):
        same = known.add(str(place), bare(place, doi=doi, pmid=None if doi else pmid), text)
        groups[place] = [place]
        for first in (same.of, *same.joined) if same else ():
            groups[place] += groups.pop(int(first))
        groups[int(same.of) if same else place] = groups.pop(place)
    for group in groups.values():
        for kind in (0, 1):
            named = {drawn[place][kind] for place in group if kind == 0 or drawn[place][0] is None}
            assert len(named - {None}) <= 1


# What it costs


@pytest.mark.long
def test_the_cost_grows_with_the_number_of_texts() -> None:
    """Counted, not timed: ten times the texts, ten times the comparisons, however they are alike."""

    def compared(described: list[tuple[Work, str]]) -> int:
        known = KnownRecords()
        for place, (work, text) in enumerate(described):
            known.add(str(place), work, text)
        return known.compared

    on_one_subject = [" ".join(words) for words in texts(400, 150)]
    assert compared([(bare(n), text) for n, text in enumerate(on_one_subject)]) < 40
    copies = [(bare(n, title="Shade"), f"{ABSTRACT} {'river ' * (n % 7)}") for n in range(400)]
    assert compared(copies) < 2 * 400
    others = [(bare(n, authors=(Person(family=f"Moss{n}"),)), text) for n, (_, text) in enumerate(copies)]
    assert compared(others) == 0, "authors are looked at first"
    alike = [" ".join(texts(1, 120)[0][: 100 + n % 20]) for n in range(400)]
    assert compared([(bare(n, doi=f"10.5555/{n}"), text) for n, text in enumerate(alike)]) == 0


# In a run


@pytest.mark.django_db
def test_the_works_of_a_run_and_of_an_attempt_that_takes_over(project: Project, owner: User) -> None:
    """The same are one, in the order in which they came, with the richest metadata on the row that stands for them."""
    run = start_run(project, owner, "What does shade do?", profile="local-only", enqueue=False)
    found = [
        page("https://blog.example/7", title="Shade", text=ABSTRACT),
        bare(1, title="Shade and alders", doi="10.5555/a", abstract=LABELLED, venue="River Woods", citation_count=9),
        bare(2, title="Shade and alders", doi="10.5555/b", abstract=SIGNED),
    ]
    works = Works.of(run)
    kept = works.keep(found, "semantic_scholar")
    assert [one.same.reason if one.same else "" for one in kept] == ["", "Its text is nearly the same.", ""]
    rows = list(run.sources.order_by("id"))
    assert [row.duplicate_of_id for row in rows] == [None, rows[0].pk, None]
    assert rows[0].document == rows[1].document
    assert rows[0].csl["DOI"] == "10.5555/a"
    assert (rows[0].csl["container-title"], rows[0].citation_count) == ("River Woods", 9)
    assert rows[0].text == text_of(found[0]), "findings rest on it"
    again = Works.of(run)
    assert {id: [row.pk for row in group] for id, group in again.groups.items()} == {
        id: [row.pk for row in group] for id, group in works.groups.items()
    }
    late = bare(3, title="Shade", abstract=SIGNED)
    assert again.keep([late], "crossref")[0].same == works.known.add("late", late, described(late))


# What the researcher is told of it


def test_tags_say_whose_text_a_text_repeats() -> None:
    seen = TextsRead()
    other = " ".join(texts(1, 120)[0])
    assert seen.add("a", ABSTRACT) == ""
    assert seen.add("b", other) == ""
    assert seen.add("c", SIGNED) == "duplicate of a"
    assert seen.add("d", f"{ABSTRACT[: len(ABSTRACT) // 2]} {other[: len(other) // 4]}").startswith("related to ")
    assert seen.add("e", ABSTRACT[:90]) == "", "too short to say"
    page = f"{' '.join(texts(1, 2_000, seed=5)[0])} {ABSTRACT}"
    assert seen.add("f", page) == "", "most of it is new"
    behind = TextsRead()
    behind.add("page", page)
    assert behind.add("abstract", ABSTRACT) == "duplicate of page", "all of it stands there"
