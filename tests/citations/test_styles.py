"""References in CSL styles by pandoc's citeproc (SPEC R10, C12)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations.styles import formatting
from citations.styles.formatting import format_references, style_exists
from core.errors import Refused
from tests.examples import examples
from tests.time_limits import HANGS


def work(number: int = 1, **changes: Any) -> dict[str, Any]:
    return {
        "id": f"work {number}",
        "type": "article-journal",
        "title": f"Alder and soil {number}",
        "author": [{"family": "Menon", "given": "Asha R."}, {"family": "Iyer", "given": "Ravi"}],
        "issued": {"date-parts": [[2021]]},
        "container-title": "Forest Ecology",
        "volume": "12",
        "issue": "3",
        "page": "10-19",
        "DOI": "10.1000/forest_12",
    } | changes


def people(count: int) -> list[dict[str, str]]:
    return [{"family": f"Person{number:02}", "given": "A."} for number in range(1, count + 1)]


def test_apa() -> None:
    (reference,) = format_references([work()], "apa")
    assert reference == (
        "Menon, A. R., & Iyer, R. (2021). Alder and soil 1. *Forest Ecology*, *12*(3), 10–19. "
        "https://doi.org/10.1000/forest_12"
    )


@pytest.mark.parametrize(
    ("style", "start"),
    [
        ("vancouver", "Menon AR, Iyer R. Alder and soil 1. Forest Ecology. 2021;12(3):10–9. doi:10.1000"),
        ("ieee", "A. R. Menon and R. Iyer, “Alder and soil 1,” *Forest Ecology*, vol. 12, no. 3, pp. 10–19, 2021"),
        ("nature", "Menon, A. R. & Iyer, R. Alder and soil 1. *Forest Ecology* **12**, 10–19 (2021)."),
        ("vancouver-nlm", "Menon AR, Iyer R. Alder and soil 1."),
    ],
)
def test_a_styles_own_number_is_left_to_the_caller(style: str, start: str) -> None:
    assert format_references([work()], style)[0].startswith(start)


@pytest.mark.parametrize("style", ["apa", "chicago", "vancouver", "modern-language-association"])
def test_the_callers_order_is_kept(style: str) -> None:
    names = ["Zorn", "Abel", "Mund"]
    items = [work(n, author=[{"family": name, "given": "A."}]) for n, name in enumerate(names)]
    references = format_references(items, style)
    assert [reference[:4] for reference in references] == names


def test_one_author_twice_is_named_twice_and_gets_letters() -> None:
    """Chicago would print a dash for the second, which means nothing in a numbered list."""
    references = format_references([work(1), work(2)], "chicago")
    for reference, year in zip(references, ("2021a", "2021b"), strict=True):
        assert reference.startswith(f"Menon, Asha R., and Ravi Iyer. {year}.")


def test_apa_lists_up_to_twenty_authors() -> None:
    (twenty,) = format_references([work(author=people(20))], "apa")
    assert "Person19, A., & Person20, A. (2021)" in twenty
    (more,) = format_references([work(author=people(25))], "apa")
    assert "Person19, A., … Person25, A. (2021)" in more
    assert "Person20" not in more


def test_no_date_and_no_year_of_publication() -> None:
    item = work()
    del item["issued"]
    assert "(n.d.). Alder" in format_references([item], "apa")[0]


def test_a_list_of_authors_that_is_cut_short() -> None:
    item = work(author=people(1), custom={"others": True})
    assert format_references([item], "apa")[0].startswith("Person01, A. et al. (2021)")


@pytest.mark.parametrize(
    ("known", "reference"),
    [
        ({}, "Alder facts. https://example.org/a_b"),
        ({"container-title": "Trees"}, "Alder facts. https://example.org/a_b"),
        (
            {"author": [{"literal": "WHO"}], "issued": {"date-parts": [[2020]]}, "container-title": "Trees"},
            "WHO (2020). Alder facts. *Trees*. https://example.org/a_b",
        ),
        ({"publisher": "WHO", "container-title": "WHO"}, "WHO (n.d.). Alder facts. https://example.org/a_b"),
    ],
)
def test_a_web_page_without_metadata(known: dict[str, Any], reference: str) -> None:
    """R10: Author or organisation (Year). Title. *Site*. URL; with less: Title. URL."""
    page = {"id": "p", "type": "webpage", "title": "Alder facts", "URL": "https://example.org/a_b", **known}
    assert format_references([page], "apa") == [reference]


def test_a_title_cannot_format_the_page() -> None:
    item = work(title="A *b* <script>x</script> [c](javascript:d) `e` CO<sub>2</sub>", DOI="")
    (reference,) = format_references([item], "apa")
    assert r"A \*b\* \<script>x\</script> [c]\(javascript:d) \`e\` CO₂" in reference


def test_a_number_at_the_start_begins_no_list() -> None:
    assert format_references(
        [{"id": "a", "type": "webpage", "title": "2020", "URL": "https://example.org"}], "apa"
    ) == ["2020\\. https://example.org"]


def test_notes_are_not_printed() -> None:
    item = work(note="SECRET", abstract="SECRET", annote="SECRET")
    for style in ("apa", "vancouver", "apa-annotated-bibliography"):
        assert "SECRET" not in format_references([item], style)[0]


def test_styles_that_exist_and_some_that_do_not() -> None:
    assert all(style_exists(style) for style in ("apa", "ieee", "chicago", "vancouver", "the-lancet"))
    for style in ("default", "", "../../../etc/passwd", "/etc/passwd", "APA", "chicago-notes-no-url"):
        assert not style_exists(style)


def test_an_unknown_style_names_close_ones() -> None:
    with pytest.raises(Refused, match="Did you mean vancouver") as refused:
        format_references([work()], "vancover")
    assert refused.value.field == "citation_style"
    with pytest.raises(Refused, match="no citation style"):
        format_references([], "zzzzzz")


def test_nothing_to_format() -> None:
    assert format_references([], "apa") == []


def test_the_second_time_comes_from_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    items = [work(number, author=people(12)) for number in range(40)]
    formatting._formatted.cache_clear()
    first = format_references(items, "apa")
    assert len(first) == 40
    monkeypatch.setattr(formatting, "pandoc_path", lambda: "/nowhere/pandoc")
    assert format_references(items, "apa") == first


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("odd", "line"),
    [
        (
            {"title": "A *b* \ud800", "volume": 1.5, "author": [{"family": "Lund", "given": 3}]},
            r"Lund. (n.d.). A \*b\*.",
        ),
        ({"title": "Late.", "page": True, "issued": {"date-parts": [[2020]]}}, "(2020). Late."),
        ({"title": "When", "issued": {"date-parts": "abc"}}, "(n.d.). When."),
        ({"title": "When", "issued": {"date-parts": [[float("inf")]]}}, "(n.d.). When."),
        ({"title": "Who", "author": 3, "custom": {"others": True}}, "(n.d.). Who."),
        ({"type": "webpage", "title": "Page", "author": [3]}, "(n.d.). Page."),
        ({"title": nested(5_000), "author": nested(5_000)}, "(n.d.). Untitled."),
        ([], "(n.d.). Untitled."),
    ],
)
def test_an_odd_item_is_printed_plainly_and_costs_no_other(odd: Any, line: str) -> None:
    """The letters show that its neighbours are still formatted together."""
    first, plain, last = format_references([work(1), odd, work(2)], "apa")
    assert first.startswith("Menon, A. R., & Iyer, R. (2021a). Alder and soil 1. *Forest")
    assert last.startswith("Menon, A. R., & Iyer, R. (2021b). Alder and soil 2. *Forest")
    assert plain == line


@pytest.mark.timeout(HANGS)
def test_odd_items_are_found_in_a_long_list() -> None:
    items = [work(number) if number != 29 else {"title": "Odd", "page": True} for number in range(40)]
    assert format_references(items, "ieee")[29] == "(n.d.). Odd."


VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["family", "given", "literal", "date-parts", "others"]), inner, max_size=3)
    ),
    max_leaves=6,
)
NAMES = ["type", "title", "author", "issued", "volume", "page", "URL", "DOI", "custom", "publisher", "id"]


@given(st.lists(st.dictionaries(st.sampled_from(NAMES), VALUE, max_size=5), min_size=1, max_size=2))
@examples(12)
def test_no_item_makes_formatting_fail(items: list[dict[str, Any]]) -> None:
    lines = format_references(items, "apa")
    assert len(lines) == len(items)
    assert all(lines)
