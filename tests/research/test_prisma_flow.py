"""The flow of records: counted from the log, it adds up whatever the log says (SPEC R15)."""

import json
import re
from typing import Any

import pytest
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st

from projects.models import Project, User
from research.export.structured import structured
from research.models import Run
from research.review.prisma_flow import (
    NO_FINDING,
    NO_TEXT,
    NOT_USED,
    REASONS,
    RETRACTED,
    Flow,
    decisions_of,
    flow_of,
    flow_of_run,
)
from research.review.prisma_flow_diagram import picture_of, rows_of
from tests.people import signed_in
from tests.research.finished_run import finished, owner, run
from tests.research.forest_thesis import researched

__all__ = ["finished", "owner", "run"]

ids = st.sampled_from([f"{name}::{part}" for name in "abcde" for part in (1, 2)] + ["f", "g", ""])
providers = st.sampled_from(["openalex", "pubmed", "library", ""])
found = st.builds(
    lambda id, provider, kind: {
        "event_type": "source_discovered",
        "details": {"source_id": id, "provider": provider, "source_type": kind},
    },
    ids,
    providers,
    st.sampled_from(["article-journal", "file"]),
)
joined = st.builds(
    lambda id, of: {"event_type": "source_deduplicated", "details": {"source_id": id, "duplicate_of": of}}, ids, ids
)
pages = st.builds(
    lambda kind, id, why: {"event_type": kind, "details": {"source_id": id, "why": why}},
    st.sampled_from(["page_read", "page_failed", "page_refused"]),
    ids,
    st.sampled_from(["It is locked.", "It broke off."]),
)
screened = st.builds(
    lambda included, excluded: {
        "event_type": "screening_completed",
        "details": {"included": included, "excluded": excluded},
    },
    st.lists(ids),
    st.dictionaries(st.sampled_from([*REASONS, "moved"]), st.lists(ids), max_size=3),
)
others = st.just({"event_type": "brief_generated", "details": {"source_id": "a::1"}})
logs = st.lists(st.one_of(found, found, joined, pages, screened, others), max_size=40)


def adds_up(flow: Flow) -> bool:
    assert flow.total == flow.duplicates + flow.screened
    assert flow.screened == flow.read + flow.not_read + flow.not_sought
    assert flow.screened == flow.excluded_total + flow.included + flow.undecided
    assert sum(flow.not_read_because.values()) == flow.not_read
    numbers = [flow.duplicates, flow.read, flow.not_read, flow.not_sought, flow.included, flow.undecided]
    return all(number >= 0 for number in [*numbers, *flow.identified.values(), *flow.excluded.values()])


@settings(deadline=None)
@given(logs)
def test_whatever_the_log_says_the_counts_add_up(log: list[dict[str, Any]]) -> None:
    flow = flow_of(log)
    assert adds_up(flow)
    assert flow_of([*log, *[one for one in log if one["event_type"] == "source_discovered"]]) == flow, "known already"


@settings(deadline=None)
@given(logs)
def test_the_picture_and_the_table_say_the_same(log: list[dict[str, Any]]) -> None:
    flow = flow_of(log)
    picture = " ".join(part for box in picture_of(flow).boxes for part in [box.head, *box.lines])
    for stage, number, parts in rows_of(flow):
        if stage != "Records identified":
            assert f": {number:,}" in picture
        for name, count in parts:
            assert f"{name}: {count:,}" in picture


def entry(event_type: str, **details: Any) -> dict[str, Any]:
    return {"event_type": event_type, "details": details}


def test_a_log_by_hand() -> None:
    log = [
        entry("source_discovered", source_id="doi:1::s2-a", provider="semantic_scholar", source_type="article-journal"),
        entry("source_discovered", source_id="doi:1::openalex-b", provider="openalex", source_type="article-journal"),
        entry("source_deduplicated", source_id="doi:1::openalex-b", duplicate_of="doi:1::s2-a", reason="Same DOI."),
        entry("source_discovered", source_id="doi:2::openalex-c", provider="openalex", source_type="book"),
        entry("source_discovered", source_id="pmid:3::pubmed-d", provider="pubmed", source_type="article-journal"),
        entry("source_discovered", source_id="notes.md::S1", provider="library", source_type="file"),
        entry("source_discovered", source_id="notes.md::S2", provider="library", source_type="file"),
        entry("page_failed", source_id="doi:1::s2-a", why="It is locked."),
        entry("page_read", source_id="doi:1::openalex-b"),
        entry("page_refused", source_id="doi:2::openalex-c", why="It is a web page."),
        entry("screening_completed", included=["notes.md"], excluded={}),
        entry(
            "screening_completed",
            included=["doi:1::s2-a"],
            excluded={NOT_USED: ["notes.md"], RETRACTED: ["doi:2::openalex-c"]},
        ),
    ]
    flow = flow_of(log)
    assert adds_up(flow)
    assert flow.identified == {"library": 1, "openalex": 2, "pubmed": 1, "semantic_scholar": 1}
    assert (flow.duplicates, flow.screened) == (1, 4)
    assert (flow.read, flow.not_read, flow.not_sought) == (1, 1, 2)
    assert flow.not_read_because == {"It is a web page.": 1}
    assert list(flow.excluded.items()) == [(RETRACTED, 1), (NOT_USED, 1)]
    assert (flow.included, flow.undecided) == (1, 1)


def test_duplicates_in_a_circle_end() -> None:
    log = [entry("source_discovered", source_id=one, provider="p", source_type="book") for one in "abc"]
    log += [entry("source_deduplicated", source_id=one, duplicate_of=other) for one, other in ("ab", "bc", "ca", "aa")]
    flow = flow_of(log)
    assert (flow.duplicates, flow.screened) == (2, 1)


@pytest.mark.django_db
class TestOfARun:
    def test_its_counts_are_those_of_its_rows_and_its_log(self, run: Run) -> None:
        flow = flow_of_run(run)
        assert adds_up(flow)
        rows = run.sources.filter(is_passage=False)
        works = {row.document for row in rows}
        assert flow.screened == len(works)
        assert flow.included == len({row.document for row in rows if row.number})
        assert flow.undecided == 0
        decided = decisions_of(run)
        assert {reason: len(of) for reason, of in decided.items() if reason} == flow.excluded
        told = run.provenance.get(event_type="screening_completed")
        assert told.details == {"included": decided[""], "excluded": {k: v for k, v in decided.items() if k}}
        assert structured(run)["flow"] == json.loads(json.dumps(flow.as_data()))

    def test_what_is_not_in_the_report_has_its_reason(self, run: Run) -> None:
        assert decisions_of(run)[NO_TEXT] == ["rossi1999"], "it has neither notes nor an abstract"
        assert set(flow_of_run(run).excluded) <= {NO_TEXT, NO_FINDING, NOT_USED}

    def test_the_page_draws_it_and_tells_it(self, run: Run, owner: User) -> None:
        page = signed_in(owner).get(reverse("research:flow", args=[run.pk])).content.decode()
        flow = flow_of_run(run)
        assert f"Identified: {flow.total} records" in page
        assert re.search(r'<svg class="drawing"[^>]*role="img"[^>]*aria-labelledby="flow-title flow-desc"', page)
        assert "PRISMA-style" in page
        assert "style=" not in page
        row = re.search(r"Works in the report</th><td></td><td class=\"num\">(\d+)</td>", page)
        assert row is not None
        assert int(row[1]) == flow.included
        assert reverse("research:flow", args=[run.pk]) in page, "it is in the rail"

    def test_strangers_and_other_methods(self, run: Run, owner: User, outsider: User) -> None:
        address = reverse("research:flow", args=[run.pk])
        assert signed_in(outsider).get(address).status_code == 404
        assert signed_in(owner).post(address).status_code == 405

    def test_a_run_that_found_nothing_says_so(self, project: Project, owner: User) -> None:
        empty = researched(project, owner)
        page = signed_in(owner).get(reverse("research:flow", args=[empty.pk])).content.decode()
        assert "Nothing has been found yet" in page
        assert '<svg class="drawing"' not in page
