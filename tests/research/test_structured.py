"""What a run knows, as data (SPEC R13): whole, flat, and filled by the pipeline."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from projects.models import User
from research.export.structured import result, structured
from research.models import Contradiction, Finding, Gap, Run, Source
from sources.work import Person, Work
from tests.people import signed_in
from tests.research.finished_run import finished, owner, run

__all__ = ["finished", "owner", "run"]

pytestmark = pytest.mark.django_db

AT = datetime(2026, 5, 1, tzinfo=UTC)


def add_work(run: Run, number: int, provider: str = "openalex", **more: Any) -> Source:
    """A catalogue's record of the work `number`, as the run would have kept it."""
    work = Work(
        provider=provider, provider_id=f"W{number}", title=f"Alder {number}", year=2020, venue="Forest Letters",
        volume="1",
        authors=(Person(family="van Ng", given="A."), Person(literal="RECOVERY Group")), doi=f"10.5555/{number}",
        pmid=f"{number + 1}",
        arxiv="2101.00001", type="article-journal", open_access_url="https://example.org/open.pdf", citation_count=7,
    )  # fmt: skip
    values = {
        "source_id": f"doi:10.5555/{number}::{provider}", "kind": Source.Kind.WORK, "document": f"doi:10.5555/{number}",
        "title": work.title, "url": work.link, "csl": work.csl(), "source_type": work.type,
        "text": f"Alder {number} fixes nitrogen.",
        "text_hash": "", "retrieved_at": AT, "work": work.model_dump(mode="json", exclude_defaults=True),
        "citation_count": 7,
    }  # fmt: skip
    return Source.objects.create(run=run, provider=provider, **(values | more))


def add_finding(run: Run, source: Source, number: str, content: str) -> Finding:
    node = run.nodes.get(number="1")
    return Finding.objects.create(
        run=run, node=node, source=source, finding_id=f"F{node.number}-{number}", content=content, start=0,
        end=len(source.text), confidence=0.9, category="effect",
    )  # fmt: skip


@pytest.fixture
def disputed(run: Run) -> Run:
    """The finished run with two works that disagree, one of them in two catalogues."""
    first, second = add_work(run, 1), add_work(run, 2)
    add_work(run, 1, "pubmed", duplicate_of=first)
    add_finding(run, first, "91", "Nitrogen rose.")
    add_finding(run, second, "92", "Nitrogen did not rise.")
    Contradiction.objects.create(
        run=run, contradiction_id="D1-9", description="Whether nitrogen rises.",
        source_ids=[first.source_id, second.source_id, "gone"],
    )  # fmt: skip
    node = run.nodes.get(number="1")
    Gap.objects.create(
        run=run, node=node, gap_id="G1-8", description="Wet sites.", suggested_queries=["alder wet sites"]
    )
    Gap.objects.create(run=run, node=node, gap_id="G1-9", description="Old.", resolution_notes="Answered by 1.2.")
    return run


def test_a_source_is_flat_and_whole(disputed: Run) -> None:
    source = next(one for one in structured(disputed)["sources"] if one["id"] == "doi:10.5555/1")
    assert source["retrieved_at"] == AT.isoformat()
    assert {name: source[name] for name in source if name != "retrieved_at"} == {
        "id": "doi:10.5555/1", "number": None, "title": "Alder 1", "url": "https://doi.org/10.5555/1",
        "source_type": "article-journal", "authors": ["van Ng, A.", "RECOVERY Group"], "year": 2020,
        "venue": "Forest Letters",
        "doi": "10.5555/1", "citation_count": 7, "retracted": False, "provider": "openalex",
        "also_found_in": ["pubmed"],
        "academic": True, "page": None, "heading": "", "arxiv": "2101.00001",
        "open_access_url": "https://example.org/open.pdf",
        "volume": "1", "issue": "", "pages": "", "publisher": "", "pmid": "2", "pmcid": "", "isbn": "", "issn": "",
        "cite_key": source["cite_key"],
    }  # fmt: skip
    assert source["cite_key"].startswith("vanng2020alder1")


def test_cited_sources_come_first_in_the_order_of_their_numbers(disputed: Run) -> None:
    data = structured(disputed)
    numbers = [source["number"] for source in data["sources"] if source["number"]]
    assert numbers == list(range(1, len(numbers) + 1))
    assert [source["number"] for source in data["sources"][: len(numbers)]] == numbers
    passage = next(source for source in data["sources"] if source["id"] == "alder.md::S1")
    assert (passage["title"], passage["source_type"], passage["cite_key"]) == ("alder.md", "file", "")
    ids = [source["id"] for source in data["sources"]]
    assert len(ids) == len(set(ids))
    assert {one for finding in data["findings"] for one in finding["source_ids"]} <= set(ids)


def test_findings_have_the_words_they_rest_on(disputed: Run) -> None:
    for finding in structured(disputed)["findings"]:
        assert set(finding) >= {"id", "content", "confidence", "source_ids", "category", "question", "quote"}
        assert finding["quote"]
        assert disputed.nodes.filter(number=finding["question"]).exists()


def test_a_contradiction_has_both_its_sides(disputed: Run) -> None:
    row = next(one for one in structured(disputed)["contradictions"] if one["id"] == "D1-9")
    assert row == {
        "id": "D1-9",
        "description": "Whether nitrogen rises.",
        "source_ids": ["doi:10.5555/1", "doi:10.5555/2"],
        "question": "1",
        "sides": [
            {"source_id": "doi:10.5555/1", "title": "Alder 1", "says": ["Nitrogen rose."]},
            {"source_id": "doi:10.5555/2", "title": "Alder 2", "says": ["Nitrogen did not rise."]},
        ],
    }


def test_gaps_are_the_open_ones_and_the_answered_stand_beside_them(disputed: Run) -> None:
    data = structured(disputed)
    gap = next(one for one in data["gaps"] if one["id"] == "G1-8")
    assert (gap["description"], gap["priority"], gap["suggested_queries"]) == ("Wet sites.", 2, ["alder wet sites"])
    assert [one["resolution_notes"] for one in data["resolved_gaps"] if one["id"] == "G1-9"] == ["Answered by 1.2."]
    assert "G1-9" not in [one["id"] for one in data["gaps"]]


def test_claims_are_counted_by_verdict(run: Run) -> None:
    claims = structured(run)["claims"]
    assert claims["checked"] == run.claims.count() > 0
    assert sum(claims["verdicts"].values()) == claims["checked"]
    assert set(claims["verdicts"]) <= {"SUPPORTED", "PARTIALLY", "UNSUPPORTED", "CONTRADICTED"}


def test_what_the_shapes_promise_is_there_and_plain_json(disputed: Run) -> None:
    """DESIGN, "JSON shapes"."""
    whole = json.loads(json.dumps(result(disputed)))
    assert whole.keys() >= {
        "run_id", "question", "profile", "query_type", "report", "sources", "findings", "gaps", "contradictions",
        "usage",
        "bibtex", "provenance_url", "context_processing", "claims", "rounds",
    }  # fmt: skip
    for source in whole["sources"]:
        assert source.keys() >= {
            "id", "title", "url", "source_type", "authors", "year", "venue", "doi", "citation_count",
        }  # fmt: skip
    assert structured(disputed) == structured(Run.objects.get(pk=disputed.pk))


def test_queries_do_not_grow_with_what_there_is(disputed: Run) -> None:
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as asked:
            structured(disputed)
        return len(asked)

    queries()  # what the run itself is asked for is kept with it
    before = queries()
    for number in range(10, 30):
        made = add_work(disputed, number)
        add_work(disputed, number, "pubmed", duplicate_of=made)
        add_finding(disputed, made, str(100 + number), f"Said {number}.")
    assert queries() == before


# The pages on the same


def test_sources_page_describes_each_work_once(disputed: Run, owner: User) -> None:
    page = signed_in(owner).get(reverse("research:sources", args=[disputed.pk])).content.decode()
    row = page[page.index("Alder 1</div>") :]
    row = row[: row.index("</tr>")]
    assert "van Ng and RECOVERY Group, 2020. <cite>Forest Letters</cite>. Cited 7 times" in row
    assert '<a href="https://doi.org/10.5555/1" rel="noopener noreferrer">doi:10.5555/1</a>' in row
    assert '<a href="https://pubmed.ncbi.nlm.nih.gov/2/"' in row
    assert "Also found in PubMed" in row
    assert "OpenAlex" in row
    assert page.count("Alder 1</div>") == 1


@pytest.mark.parametrize(
    ("query", "has", "lacks"),
    [
        ({"q": "alder 10.5555/2 FOREST"}, "Alder 2", "Alder 1"),
        ({"q": "recovery 10.5555/1"}, "Alder 1", "Alder 2"),
        ({"from": "PubMed"}, "Alder 1", "Alder 2"),
        ({"kind": "Uploaded file"}, "alder.md::S1", "Alder 2"),
        ({"show": "cited"}, "alder.md::S1", "Alder 1"),
        ({"show": "uncited"}, "Alder 1", ">[1]<"),
        ({"show": "academic"}, "Alder 1", "alder.md::S1"),
        ({"show": "retracted"}, "No matches", "Alder 1"),
        ({"show": "nonsense", "page": "x"}, "Alder 1", "No matches"),
        ({"q": "nothing\x00 like <b>it</b>"}, "No matches", "<b>it"),
    ],
)
def test_sources_are_searched_and_filtered(
    disputed: Run, owner: User, query: dict[str, str], has: str, lacks: str
) -> None:
    page = signed_in(owner).get(reverse("research:sources", args=[disputed.pk]), query).content.decode()
    content = page[page.index("<main") : page.index("</main>")].replace(f'value="{query.get("q", "")}"', "")
    assert has in content
    assert lacks not in content


def test_an_address_that_is_no_web_page_is_no_link(disputed: Run, owner: User) -> None:
    add_work(disputed, 3, csl={"type": "webpage", "title": "T"}, url="javascript:alert(1)", work={}, title="<i>T</i>")
    page = signed_in(owner).get(reverse("research:sources", args=[disputed.pk])).content.decode()
    assert 'href="javascript' not in page
    assert "&lt;i&gt;T&lt;/i&gt;" in page


def test_a_retracted_work_is_marked(disputed: Run, owner: User) -> None:
    add_work(disputed, 3, retracted=True)
    page = signed_in(owner).get(reverse("research:sources", args=[disputed.pk]), {"show": "retracted"}).content.decode()
    assert '<tr data-tier="retracted">' in page
    assert "Retracted</span>" in page


def test_long_lists_have_pages_that_keep_the_question(disputed: Run, owner: User) -> None:
    for number in range(10, 130):
        add_work(disputed, number)
    client, address = signed_in(owner), reverse("research:sources", args=[disputed.pk])
    first = client.get(address, {"q": "forest letters", "show": "uncited"}).content.decode()
    assert "1 to 100 of 12" in first
    assert 'href="?q=forest%20letters&amp;show=uncited&amp;page=2"' in first
    second = client.get(address, {"q": "forest letters", "show": "uncited", "page": "2"}).content.decode()
    assert "101 to 12" in second


@pytest.mark.parametrize("name", ["sources", "findings"])
def test_pages_take_as_many_queries_for_many_rows_as_for_few(disputed: Run, owner: User, name: str) -> None:
    client, address = signed_in(owner), reverse(f"research:{name}", args=[disputed.pk])
    client.get(address)
    with CaptureQueriesContext(connection) as few:
        client.get(address)
    for number in range(10, 40):
        made = add_work(disputed, number)
        add_work(disputed, number, "pubmed", duplicate_of=made)
        add_finding(disputed, made, str(100 + number), f"Said {number}.")
        Contradiction.objects.create(
            run=disputed, contradiction_id=f"D1-{number}", description="x", source_ids=[made.source_id]
        )
    with CaptureQueriesContext(connection) as many:
        client.get(address)
    assert len(many) == len(few)


def test_findings_name_their_source_by_title(disputed: Run, owner: User) -> None:
    page = signed_in(owner).get(reverse("research:findings", args=[disputed.pk])).content.decode()
    row = page[page.index('<tr id="F1-91"') :]
    row = row[: row.index("</tr>")]
    assert "Alder 1</a>" in row
    assert "<code>" not in row
    assert "“Alder 1 fixes nitrogen.”" in row  # its quotation, as its own words are others


def test_the_same_words_are_shown_once_with_all_their_sources(disputed: Run, owner: User) -> None:
    again = add_work(disputed, 5, text="Alder 1 fixes nitrogen.")
    add_finding(disputed, again, "93", "Nitrogen  ROSE.")
    page = signed_in(owner).get(reverse("research:findings", args=[disputed.pk])).content.decode()
    row = page[page.index('<tr id="F1-91"') :]
    row = row[: row.index("</tr>")]
    assert "Alder 1</a>" in row
    assert "Alder 5</a>" in row
    assert '<span id="F1-93"></span>' in row
    assert '<tr id="F1-93"' not in page


def test_a_contradiction_says_about_what_and_what_each_side_says(disputed: Run, owner: User) -> None:
    page = signed_in(owner).get(reverse("research:findings", args=[disputed.pk])).content.decode()
    part = page[page.index("Whether nitrogen rises.") :]
    part = part[: part.index("</article>")]
    assert "Alder 1</a>" in part
    assert "Alder 2</a>" in part
    assert '<a href="#F1-91">Nitrogen rose.</a>' in part
    assert '<a href="#F1-92">Nitrogen did not rise.</a>' in part


def test_open_and_answered_gaps_stand_apart(disputed: Run, owner: User) -> None:
    page = signed_in(owner).get(reverse("research:findings", args=[disputed.pk])).content.decode()
    opened, answered = page[page.index('id="gaps"') :].split('id="resolved"')
    assert "Wet sites." in opened
    assert "alder wet sites" in opened
    assert "Old." not in opened
    assert "Answered by 1.2." in answered


def test_strangers_find_neither_page(run: Run, outsider: User, owner: User) -> None:
    for name in ("sources", "findings"):
        address = reverse(f"research:{name}", args=[run.pk])
        assert signed_in(outsider).get(address).status_code == 404
        assert signed_in(owner).post(address).status_code == 405
