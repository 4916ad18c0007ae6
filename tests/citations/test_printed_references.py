"""References printed once and kept (SPEC C12)."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from citations.models import PrintedReference
from citations.styles import formatting
from citations.styles.formatting import format_references, print_references
from core.errors import Refused
from tests.citations.test_styles import people, work

pytestmark = pytest.mark.django_db


def several() -> list[dict[str, Any]]:
    """Works of which some would be cited alike."""
    others = [work(number, author=[{"family": f"Author{number}", "given": "A."}]) for number in range(3, 6)]
    return [work(1), *others, work(2), work(6, issued={"date-parts": [[1999]]}), {"type": "book", "title": "No author"}]


@pytest.mark.parametrize("style", ["apa", "vancouver", "chicago"])
def test_it_prints_what_is_printed_together(style: str) -> None:
    items = several()
    together = format_references([{**item, "id": str(number)} for number, item in enumerate(items)], style)
    assert print_references(items, style) == together
    assert print_references(items, style) == together, "from what is kept"


def test_works_that_are_cited_alike_are_told_apart_wherever_they_stand() -> None:
    first, second = print_references([work(1), work(2)], "apa")
    assert ("(2021a)" in first, "(2021b)" in second) == (True, True)
    (alone,) = print_references([work(1)], "apa")
    assert "(2021). Alder and soil 1" in alone
    assert [line[:24] for line in print_references(several(), "apa")][0] == first[:24]


def test_the_second_time_costs_one_query_and_no_pandoc(monkeypatch: pytest.MonkeyPatch) -> None:
    items = several()
    first = print_references(items, "apa")
    formatting._formatted.cache_clear()
    monkeypatch.setattr(formatting, "pandoc_path", lambda: "/nowhere/pandoc")
    with CaptureQueriesContext(connection) as captured:
        assert print_references(items, "apa") == first
    assert len(captured) == 1


def test_one_new_work_does_not_print_the_others_again() -> None:
    print_references(several(), "apa")
    before = set(PrintedReference.objects.values_list("key", flat=True))
    print_references([*several(), work(7, author=people(2))], "apa")
    assert len(set(PrintedReference.objects.values_list("key", flat=True)) - before) == 1


def test_another_style_and_other_words_are_other_references() -> None:
    (one,) = print_references([work(1)], "apa")
    (two,) = print_references([work(1)], "vancouver")
    (three,) = print_references([work(1, volume="13")], "apa")
    assert len({one, two, three}) == 3
    print_references([work(1, note="A note", abstract="No part of a reference", id="other")], "apa")
    assert PrintedReference.objects.count() == 3


@pytest.mark.parametrize(
    "odd", [{"title": "Odd", "page": True}, {"title": "Who", "author": 3}, [], {"title": "\ud800"}]
)
def test_an_odd_work_is_printed_plainly_and_not_kept(odd: Any) -> None:
    lines = print_references([work(1), odd], "apa")
    assert lines[0].startswith("Menon, A. R., & Iyer, R. (2021)")
    assert lines[1].startswith("(n.d.)")
    assert PrintedReference.objects.count() == 1


def test_what_could_not_be_printed_in_time_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    formatting._formatted.cache_clear()
    monkeypatch.setattr(formatting, "_TIMEOUT_SECONDS", 0.001)
    (plain,) = print_references([work(1)], "apa")
    assert plain == "Menon and Iyer. (2021). Alder and soil 1."
    monkeypatch.undo()
    assert "Forest Ecology" in print_references([work(1)], "apa")[0]


def test_an_unknown_style_is_refused() -> None:
    with pytest.raises(Refused, match="no citation style"):
        print_references([work(1)], "zzzzzz")


def test_what_nobody_asked_for_in_half_a_year_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    print_references([work(1)], "apa")
    PrintedReference.objects.update(made_at="2020-01-01T00:00:00Z")
    print_references([work(2)], "apa")
    assert PrintedReference.objects.count() == 1


def test_another_version_prints_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    print_references([work(1)], "apa")
    monkeypatch.setattr(formatting, "_VERSION", 99)
    print_references([work(1)], "apa")
    assert PrintedReference.objects.count() == 2
