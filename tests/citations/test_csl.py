"""Reading CSL-JSON and lists of works, and what lists and keys need of them (SPEC C5, C10, R14)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations.formats.bibtex import write_bibtex
from citations.formats.csl import make_key, read_csl, short_authors, year_of
from citations.formats.reading import Entry

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["title", "author", "authors", "family", "issued", "date-parts", "id", "key", "custom", "facts"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


def single_entry(item: dict[str, Any]) -> Entry:
    reading = read_csl(json.dumps([item]))
    assert reading.problems == []
    (entry,) = reading.entries
    return entry


def test_a_work_of_a_works_list() -> None:
    entry = single_entry(
        {
            "key": "menon2021",
            "type": "preprint",
            "title": "Alder",
            "authors": [{"family": "Menon", "given": "Asha"}, {"literal": "Forest Group"}],
            "authors_complete": False,
            "year": 2021,
            "container": "Forest Ecology",
            "volume": "12",
            "issue": None,
            "pages": "1-9",
            "doi": "https://doi.org/10.1000/X",
            "pmid": "123",
            "url": "https://example.org/",
            "note": "Thirty plots.",
            "facts": [{"claim": "soil nitrogen", "numbers": "+12 %"}],
            "retracted": True,
        }
    )
    assert (entry.key, entry.bibtex) == ("menon2021", "")
    assert entry.note == "Thirty plots.\n\nSoil nitrogen: +12 %."
    assert entry.csl == {
        "type": "article",
        "title": "Alder",
        "author": [{"family": "Menon", "given": "Asha"}, {"literal": "Forest Group"}],
        "issued": {"date-parts": [[2021]]},
        "container-title": "Forest Ecology",
        "volume": "12",
        "page": "1-9",
        "DOI": "10.1000/X",
        "PMID": "123",
        "URL": "https://example.org/",
        "custom": {"others": True, "retracted": True},
    }


def test_a_csl_item_keeps_its_variables() -> None:
    item = {
        "id": "menon2021",
        "type": "chapter",
        "title": "Alder",
        "author": [{"family": "Menon", "given": "Asha", "parse-names": True}],
        "editor": [{"literal": "Forest Group"}],
        "issued": {"raw": "2021-03"},
        "container-title": "Trees",
        "event-title": "Tree days",
        "abstract": "Thirty plots.",
    }
    entry = single_entry(item)
    assert entry.note == "Thirty plots."
    assert entry.csl["author"] == [{"family": "Menon", "given": "Asha"}]
    assert entry.csl["issued"] == {"date-parts": [[2021, 3]]}
    assert entry.csl["event-title"] == "Tree days"
    assert "abstract" not in entry.csl


@pytest.mark.parametrize("key", ["http://zotero.org/users/1/items/ABC", "two words", "42", "a,b", "", "{x}"])
def test_an_id_that_nobody_could_cite_is_no_key(key: str) -> None:
    assert single_entry({"id": key, "title": "Alder"}).key == ""


def test_bad_works_are_named_and_good_neighbours_kept() -> None:
    items = [{"id": "a", "title": "A"}, 3, {"id": "b"}, {"id": "a", "title": "Again"}, {"id": "c", "title": "C"}]
    reading = read_csl(json.dumps(items))
    assert [entry.key for entry in reading.entries] == ["a", "c"]
    assert [(problem.line, problem.key) for problem in reading.problems] == [(2, ""), (3, "b"), (4, "a")]


def test_keyless_works_are_not_each_others_duplicates() -> None:
    assert len(read_csl('[{"title": "A"}, {"title": "B"}]').entries) == 2


@pytest.mark.parametrize("text", ["[{", '"x"', "[" * 100_000, "3"])
def test_what_is_no_list_of_works_is_one_problem(text: str) -> None:
    reading = read_csl(text)
    assert reading.entries == []
    assert len(reading.problems) == 1


@given(st.lists(JSON, max_size=4))
def test_no_json_breaks_it(items: list[Any]) -> None:
    for entry in read_csl(json.dumps(items)).entries:
        assert isinstance(short_authors(entry.csl), str)
        assert make_key(entry.csl, set())
        json.dumps(entry.csl, ensure_ascii=False).encode()


def test_short_authors() -> None:
    names = [{"family": "Sterne"}, {"family": "Gogh", "non-dropping-particle": "van"}, {"literal": "WHO"}]
    assert short_authors({"author": names[:1]}) == "Sterne"
    assert short_authors({"author": names[:2]}) == "Sterne and van Gogh"
    assert short_authors({"author": names}) == "Sterne, van Gogh and others"
    assert short_authors({"author": names[:1], "custom": {"others": True}}) == "Sterne and others"
    assert short_authors({"editor": names[2:]}) == "WHO"
    assert short_authors({}) == ""


@pytest.mark.parametrize(
    ("issued", "year"),
    [
        ({"date-parts": [[2020, 3]]}, 2020),
        ({"date-parts": [["2020"]]}, 2020),
        ({"date-parts": [[None]]}, None),
        ({"date-parts": []}, None),
        ({"literal": "circa 1999"}, 1999),
        ({"raw": "2020-01-02"}, 2020),
        ({"date-parts": [[99999]]}, None),
        ("2020", None),
        (None, None),
    ],
)
def test_year_of(issued: Any, year: int | None) -> None:
    assert year_of({"issued": issued}) == year


def test_keys_are_surname_and_year_made_unique() -> None:
    work = {"author": [{"family": "Møller-Ångström"}], "issued": {"date-parts": [[2020]]}}
    taken: set[str] = set()
    for expected in ("mollerangstrom2020", "mollerangstrom2020b", "mollerangstrom2020c"):
        assert make_key(work, taken) == expected
        taken.add(expected)
    assert make_key({"author": [{"literal": "The RECOVERY Group"}]}, set()) == "recoverynd"
    assert make_key({"title": "漢字"}, set()) == "hanzind"
    assert make_key({"title": "?!"}, set()) == "refnd"
    assert make_key({"title": "A forest"}, set()) == "forestnd"


def test_values_that_csl_does_not_know_are_put_right() -> None:
    item = {
        "title": "Alder",
        "type": "no type",
        "volume": 1.5,
        "issue": 2,
        "number": 12.0,
        "page": True,
        "edition": ["2"],
        "composer": "a text",
        "available-date": "2020",
        "author": [{"family": "Menon", "given": 3, "suffix": {"a": 1}}, {"literal": {"a": 1}}],
        "publisher": {"a": 1},
        "custom": {"others": True, "retracted": "no", "mine": 3, "bibtex": {"eprint": "1", "x": ["y"]}},
    }
    assert single_entry(item).csl == {
        "title": "Alder",
        "type": "document",
        "volume": "1.5",
        "issue": "2",
        "number": "12",
        "author": [{"family": "Menon", "given": "3"}],
        "custom": {"others": True, "bibtex": {"eprint": "1"}},
    }


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ({"date-parts": [[2020, 3, 4]]}, {"date-parts": [[2020, 3, 4]]}),
        ({"date-parts": [["2020", 3.0]]}, {"date-parts": [[2020, 3]]}),
        ({"date-parts": [[2020, None]], "season": 1}, {"date-parts": [[2020]], "season": "1"}),
        ({"date-parts": [[2019], [2020]], "circa": 1}, {"date-parts": [[2019], [2020]], "circa": True}),
        ({"date-parts": [["2020-ish"]]}, None),
        ({"date-parts": [[2020], ["ish"]]}, None),
        ({"date-parts": "abc"}, None),
        ({"date-parts": [[True]]}, None),
        ({"date-parts": [[2020.5]]}, None),
        ({"date-parts": [[10**30]]}, None),
        ({"date-parts": [2020]}, None),
        ({"date-parts": [[]], "literal": "in press"}, {"literal": "in press"}),
        ({"literal": {"a": 1}}, None),
        ({"circa": True}, None),
        ("2020", None),
    ],
)
def test_a_date_that_is_none_is_dropped_and_its_work_kept(written: Any, date: Any) -> None:
    assert single_entry({"title": "T", "issued": written}).csl.get("issued") == date


@pytest.mark.parametrize(
    "bad",
    [
        '{"id": "bad", "title": "T", "volume": NaN}',
        '{"id": "bad", "title": "T", "volume": -Infinity}',
        '{"id": "bad", "title": "T", "volume": 1e999}',
        '{"id": "bad", "title": "T", "issued": {"date-parts": [[1e999]]}}',
        '{"id": "bad", "title": "T", "note": "%s"}' % ("x" * 200_001),
    ],
)
def test_a_work_with_a_value_that_nothing_takes_is_refused_alone(bad: str) -> None:
    """SPEC C10."""
    reading = read_csl(f'[{{"id": "a", "title": "A"}}, {bad}, {{"id": "c", "title": "C"}}]')
    assert [entry.key for entry in reading.entries] == ["a", "c"]
    (problem,) = reading.problems
    assert problem.line == 2
    assert "It was left out." in problem.message


def test_what_is_nested_deeply_is_not_kept() -> None:
    deep = '{"a":' * 500 + "1" + "}" * 500
    (entry,) = read_csl(f'[{{"id": "a", "title": "A", "custom": {deep}, "author": {deep}}}]').entries
    assert entry.csl == {"title": "A", "type": "document"}


def test_a_number_of_many_digits_is_text() -> None:
    (entry,) = read_csl('[{"id": "a", "title": "A", "volume": %s}]' % ("9" * 5_000)).entries
    assert entry.csl["volume"] == "9" * 5_000


@given(st.lists(JSON, max_size=4))
def test_what_was_read_goes_out_as_bibtex(items: list[Any]) -> None:
    for entry in read_csl(json.dumps(items)).entries:
        assert write_bibtex(entry.csl, "key", reference_manager=True).startswith("@")
