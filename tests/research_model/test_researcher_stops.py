"""R5: the stop rules that end the search of a researcher."""

import pytest

from projects.models import Project, User
from tests.research_model.conversation import (
    Call,
    done,
    plays,
    search,
    think,
    turns,
)
from tests.research_model.researcher_runs import SEARCH, nothing, papers, run_of, satisfied
from tests.servers.catalogues import Site
from tests.servers.messages import Service

pytestmark = [pytest.mark.django_db, pytest.mark.long]


@pytest.mark.parametrize(
    "played",
    [
        [[search("red alder nitrogen", "b", "c", "d", "e")]],
        [[search("red alder nitrogen", "b")], [search("c", "d")], [search("e")]],
        [[search("red alder nitrogen", "b", "c", "d")], [search("e"), done()]],
    ],
    ids=["at once", "turn by turn", "and an end"],
)
def test_five_searches_without_adequate_sources(
    forest: Project, owner: User, service: Service, shelves: Site, played: list[list[Call]]
) -> None:
    """Futility: stop, report what was found and name the gap, whatever the model thinks of it."""
    shelves.answer(SEARCH, nothing)
    plays(service, *played, [search("f")], then=satisfied)
    run = run_of(forest, owner)
    assert len(turns(service)) == len(played)
    assert run.findings.count() == 1, "what was found is kept"
    assert run.report
    assert run.gaps.get().description == "1 source is not enough to rest on. 5 searches without adequate sources."
    assert run.nodes.get().state == "gap"


def test_four_searches_may_go_on(forest: Project, owner: User, service: Service, shelves: Site) -> None:
    shelves.answer(SEARCH, nothing)
    plays(service, [search("red alder nitrogen", "b", "c", "d")], [done()], then=satisfied)
    run = run_of(forest, owner)
    assert len(turns(service)) == 2
    assert not run.gaps.exists()


def test_two_searches_with_nothing_new(forest: Project, owner: User, service: Service, shelves: Site) -> None:
    shelves.answer(SEARCH, papers(1, 2))
    plays(service, [search("a")], [search("b")], [think("Odd."), search("c")], [search("d")])
    run_of(forest, owner)
    assert len(turns(service)) == 3


def test_works_without_a_text_are_something_new(forest: Project, owner: User, service: Service, shelves: Site) -> None:
    """They may be read: a search that brought them has not found nothing."""
    bare = [{**paper, "abstract": None} for paper in papers(1, 2, 3)["data"]]
    shelves.answer(SEARCH, *({"total": 1, "data": [paper]} for paper in bare))
    plays(service, [search("red alder nitrogen")], [search("b")], [search("c")], [done()])
    run_of(forest, owner)
    assert len(turns(service)) == 4


def test_plenty_is_plenty(forest: Project, owner: User, service: Service, shelves: Site) -> None:
    shelves.answer(SEARCH, *(papers(*range(8 * n, 8 * n + 8)) for n in range(6)))
    plays(service, [search(*"abcde")], [search("f")])
    run = run_of(forest, owner)
    assert len(turns(service)) == 1
    assert run.sources.distinct_works().filter(provider="semantic_scholar").count() == 40


def test_a_stop_is_no_gap_where_enough_was_found(forest: Project, owner: User, service: Service, shelves: Site) -> None:
    shelves.answer(SEARCH, papers(1), {"total": 0})
    plays(service, [search("red alder nitrogen")], [search("b")], [search("c")], then=satisfied)
    run = run_of(forest, owner)
    assert len(turns(service)) == 3
    assert not run.gaps.exists()
