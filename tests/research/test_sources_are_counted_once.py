"""How many sources a run found is one number everywhere: a file counts once, however many passages were found (R8)."""

import importlib
import re

import pytest
from django.apps import apps
from django.urls import reverse

from jobs.models import Job
from projects.models import Project, User
from research.models import Run
from research.review.prisma_flow import flow_of_run
from tests.people import signed_in
from tests.research.finished_run import finished, forest, owner, run

__all__ = ["finished", "forest", "owner", "run"]

pytestmark = pytest.mark.django_db


def page(user: User, name: str, run: Run, query: str = "") -> str:
    return signed_in(user).get(reverse(f"research:{name}", args=[run.pk]) + query).content.decode()


def test_the_counters_are_the_flow_of_records(run: Run) -> None:
    flow, counters = flow_of_run(run), run.job.counters
    assert run.sources.distinct_works().count() > flow.screened, "some file has several passages"
    assert counters["sources"] == flow.screened == run.sources.count_works()
    assert counters["sources"] == counters["kept"] + counters["set_aside"]
    assert counters["kept"] == len(set(run.findings.values_list("source__document", flat=True)))


def test_the_log_says_the_same(run: Run) -> None:
    flow = flow_of_run(run)
    written = run.provenance.get(event_type="synthesis_completed")
    assert written.details["source_count"] == flow.included < run.sources.distinct_works().exclude(number=None).count()
    assert written.summary.endswith(f" citations of {flow.included} sources.")
    assert run.rounds[-1]["sources"] == flow.screened
    ended = run.provenance.get(event_type="iteration_complete")
    assert ended.summary.endswith(f" from {flow.screened} sources.")


def test_every_page_says_the_same_numbers(run: Run, owner: User, forest: Project) -> None:
    flow = flow_of_run(run)
    assert f'data-counter="sources">{flow.screened}<' in page(owner, "run", run)
    sources = page(owner, "sources", run)
    assert f'<span>Sources</span><span class="n">{flow.screened}</span>' in sources
    assert f"{flow.included} are cited in the report" in sources
    assert sources.count('<div class="title">') == flow.screened
    listed = signed_in(owner).get(reverse("research:list", args=[forest.pk])).content.decode()
    assert f'<td class="num">{flow.included}</td>' in listed


def test_filters_count_works(run: Run, owner: User) -> None:
    files = len(set(run.sources.filter(kind="file").values_list("document", flat=True)))
    everything = page(owner, "sources", run)
    assert f"Uploaded file ({files})" in everything
    assert page(owner, "sources", run, "?kind=Uploaded+file").count('<div class="title">') == files
    cited, uncited = (page(owner, "sources", run, f"?show={show}") for show in ("cited", "uncited"))
    flow = flow_of_run(run)
    assert cited.count('<div class="title">') == flow.included
    assert uncited.count('<div class="title">') == flow.screened - flow.included


def test_each_passage_is_found_by_its_id_and_leads_to_its_number(run: Run, owner: User) -> None:
    for source in run.sources.filter(kind="file"):
        found = page(owner, "sources", run, f"?q={source.source_id}")
        assert found.count(f"<code>{source.source_id}</code>") == 1
        assert found.count('<div class="title">') == 1
        if source.number:
            assert f"#ref-{source.number}" in found
    whole = page(owner, "sources", run)
    assert sorted(set(re.findall(r"#ref-(\d+)", whole)), key=int) == [
        str(number) for number in run.sources.distinct_works().exclude(number=None).values_list("number", flat=True)
    ]


def test_counters_of_earlier_runs_are_counted_again(run: Run) -> None:
    before = dict(run.job.counters)
    Job.objects.filter(pk=run.job_id).update(counters=before | {"sources": 99, "kept": 98, "set_aside": 1})
    importlib.import_module("research.migrations.0012_count_works").count_works(apps, None)
    run.job.refresh_from_db()
    assert run.job.counters == before
