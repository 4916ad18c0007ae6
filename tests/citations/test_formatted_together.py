"""A long list of references is formatted in several passes, and reads as from one (SPEC C12)."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations.styles import formatting
from citations.styles.formatted_together import groups, passes
from citations.styles.formatting import format_references, print_references
from tests.examples import examples

# given names wherever a first family name occurs twice (two styles), only between works cited alike, never; the last
# compares every name
STYLES = [
    "apa",
    "chicago",
    "harvard-cite-them-right",
    "modern-language-association",
    "vancouver",
    "chicago-notes-bibliography",
    "harvard-york-st-john-university",
]
FAMILIES = ["Wang", "wang", "van Berg", "Berg", "Smith-Jones", "Smith", "de la Cruz", "May", "Müller", "王", "Ärzte"]
GIVEN = ["Ida", "Ina", "Ida M.", "Jan", "", "明"]
GROUPS = ["World Health Organization", "Health Canada", "Anonymous", "Wang", "Alder and soil", "May", ""]
TITLES = ["Alder and soil", "Wang", "Alder and Soil: a trial", "The Smith report", "May", ""]
NAME = st.one_of(
    st.fixed_dictionaries({"family": st.sampled_from(FAMILIES), "given": st.sampled_from(GIVEN)}),
    st.fixed_dictionaries({"literal": st.sampled_from(GROUPS)}),
)
NAMES = st.lists(NAME, max_size=4)
DATES = [[2020], [2020, 5], [2020, 5, 3], [2021], []]
WORK = st.fixed_dictionaries(
    {
        "type": st.sampled_from(
            ["article-journal", "book", "chapter", "webpage", "legal_case", "thesis", "broadcast", "entry-encyclopedia"]
        ),
        "title": st.sampled_from(TITLES),
    },
    optional={
        "author": NAMES,
        "editor": NAMES,
        "translator": NAMES,
        "container-author": NAMES,
        "issued": st.sampled_from(DATES).map(lambda date: {"date-parts": [date]} if date else {"literal": "May 2020"}),
        "container-title": st.sampled_from(["Journal of Soils", "Wang", "May"]),
        "publisher": st.sampled_from(["Health Canada", "Smith"]),
        "URL": st.just("https://example.org/a"),
        "DOI": st.just("10.1000/a"),
    },
)


def one_pass(items: list[dict[str, Any]], style: str) -> list[str]:
    lines = formatting._lines(list(enumerate(items)), style)
    assert lines is not None
    return [lines[place] or formatting.plain_reference(item) for place, item in enumerate(items)]


def several(items: list[dict[str, Any]], style: str, size: int) -> list[str]:
    """Return the references, formatted in the smallest passes that are allowed, in groups of at least `size`."""
    found: dict[int, str] = {}
    together = groups(items, formatting._prepared_style_xml(style))
    batches: list[list[int]] = [[]]
    for group in together:
        batches[-1] += group
        if len(batches[-1]) >= size:
            batches.append([])
    for batch in filter(None, batches):
        found |= formatting._lines([(place, items[place]) for place in sorted(batch)], style) or {}
    return [found.get(place) or formatting.plain_reference(item) for place, item in enumerate(items)]


@pytest.mark.parametrize("style", STYLES)
@given(st.lists(WORK, min_size=2, max_size=14), st.integers(1, 4))
@examples(8)
def test_works_in_different_groups_do_not_change_each_other(style: str, items: list[dict[str, Any]], size: int) -> None:
    assert several(items, style, size) == one_pass(items, style)


def names(random: Random, families: int) -> list[dict[str, str]]:
    return [
        {"family": f"Family{random.randrange(families)}", "given": random.choice(["Ida", "Ina", "Ida M.", "Jan"])}
        for _ in range(random.randint(1, 4))
    ]


def long_list(count: int, families: int) -> list[dict[str, Any]]:
    """Works of which many would be cited alike: same authors and years, other given names, no author."""
    random = Random(count)
    made: list[dict[str, Any]] = []
    for number in range(count):
        work: dict[str, Any] = {
            "type": random.choice(["article-journal", "book", "chapter", "legal_case"]),
            "title": f"Alder and soil, part {number % 40}",
            "issued": {"date-parts": [[random.choice([2020, 2021])]]},
            "container-title": "Journal of Soils",
        }
        if number % 12:
            work["author"] = names(random, families)
        if number % 7 == 0:
            work["editor"] = names(random, families)
        made.append(work)
    return made


@pytest.mark.parametrize("style", STYLES[:3])
def test_a_long_list_reads_as_from_one_pass(style: str) -> None:
    items = long_list(260, 120)
    formatted = format_references(items, style)
    assert formatted == one_pass(items, style)
    if style != "harvard-cite-them-right":  # compares no names across the list: one pass is fastest
        assert len(passes(items, formatting._prepared_style_xml(style))) > 1


@pytest.mark.django_db
def test_what_is_kept_reads_as_from_one_pass_whatever_was_asked_before() -> None:
    items = long_list(60, 20)
    print_references(items[::3], "chicago")
    print_references(items[::2], "chicago")
    assert print_references(items, "chicago") == one_pass(items, "chicago")


def test_letters_follow_the_order_of_the_list() -> None:
    items = [
        {"type": "book", "title": f"Part {number}", "author": [{"family": "Lund", "given": "Oskar"}]}
        | {"issued": {"date-parts": [[2020]]}}
        for number in range(12)
    ]
    lines = format_references(items, "apa")
    assert "".join(line.partition("(2020")[2][:1] for line in lines) == "abcdefghijkl"


def test_a_thousand_authors_are_many_passes_and_one_family_is_one() -> None:
    def works(family: str) -> list[dict[str, Any]]:
        return [
            {"type": "book", "title": "Alder", "author": [{"family": family.format(number), "given": "Ida"}]}
            for number in range(1_000)
        ]

    apa = formatting._prepared_style_xml("apa")
    assert [len(one) for one in passes(works("Family{}"), apa)] == [100] * 10
    assert [len(one) for one in passes(works("Lund"), apa)] == [1_000]
    assert [len(one) for one in passes(works("Family{}"), formatting._prepared_style_xml("vancouver"))] == [1_000]
