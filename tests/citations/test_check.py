"""The check of references as a job: written as it comes, tried again by schedule, stopped by a person (SPEC C2, C3)."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from citations.editing.edit import attest
from citations.models import Citation, RetractionNotice
from citations.resolution import check_job
from citations.resolution.check_job import CHECK, check_again, start_check, start_due_checks
from citations.resolution.retry_delays import RETRY_DELAYS, retry_delay
from core.errors import Refused
from jobs.models import Job, State
from jobs.work import perform
from projects.models import Project, User
from sections.models import Section
from sources.models import HostPace
from sources.retractions import Update
from tests.citations.real_works import WORKS, work
from tests.servers.registry_works import Holdings

Status = Citation.Status
RIGHT = ("recovery", "codex", "remapcap", "cape")


def unchecked_row(project: Project, csl: dict[str, Any], **fields: Any) -> Citation:
    """An entry that waits to be checked."""
    count = Citation.objects.filter(project=project).count() + 1
    defaults = {
        "cite_key": f"key{count}",
        "serial": count,
        "check_due_at": timezone.now(),
        "title": csl.get("title", ""),
    }
    row: Citation = Citation.objects.create(project=project, csl=csl, **{**defaults, **fields})
    return row


def claims(project: Project, names: tuple[str, ...] = RIGHT) -> list[Citation]:
    return [unchecked_row(project, WORKS[name].csl()) for name in names]


def check(project: Project, user: User) -> Job:
    """Start what is due and do it here."""
    job = start_check(project, user)
    assert job is not None
    perform(str(job.pk))
    job.refresh_from_db()
    return job


def later(project: Project) -> None:
    """The time for which entries wait has come."""
    waiting = Citation.objects.filter(project=project, check_due_at__isnull=False)
    waiting.update(check_due_at=timezone.now() - timedelta(seconds=1))


@pytest.mark.postgres
def test_every_entry_gets_its_verdict(project: Project, owner: User, holdings: Holdings) -> None:
    claims(project)
    wrong = unchecked_row(project, {**WORKS["codex"].csl(), "DOI": WORKS["recovery"].doi})
    invented = unchecked_row(
        project, {**WORKS["jaynes1"].csl(), "title": "Alder in mixed stands", "DOI": "10.9999/alder"}
    )
    job = check(project, owner)
    assert (job.state, job.reason, job.progress, job.progress_total) == (State.DONE, "", 6, 6)
    for row in Citation.objects.exclude(pk__in=[wrong.pk, invented.pk]):
        assert (row.status, row.tier, row.check_due_at, row.failures) == (Status.VERIFIED, "A", None, 0)
        assert row.evidence_type in ("doi", "pmid")
        assert row.checked_at == row.verified_at
        assert row.claimed
        assert row.diff[0]["field"] == "title"
        assert "agree" in row.reason
    wrong.refresh_from_db()
    assert (wrong.status, wrong.tier, wrong.repair["doi"]) == (Status.CONFLICT, "D", WORKS["codex"].doi)
    assert wrong.record["title"] == WORKS["recovery"].title
    assert wrong.csl["title"] == WORKS["codex"].title
    invented.refresh_from_db()
    assert (invented.status, invented.tier, invented.evidence_type) == (Status.NOT_FOUND, "D", "")
    event = job.events.filter(kind=check_job.CHECKED).last()
    assert event is not None
    assert event.counters == {"checked": 6, "to_check": 6}
    told = {pk for one in job.events.filter(kind=check_job.CHECKED) for pk in one.details["citations"]}
    assert told == {str(row.pk) for row in Citation.objects.all()}


def test_a_proven_entry_takes_the_registrys_words_and_keeps_what_was_claimed(
    project: Project, owner: User, holdings: Holdings
) -> None:
    csl = {
        "type": "article-journal",
        "title": WORKS["codex"].title.lower(),
        "author": [{"family": "Tomazini"}],
        "issued": {"date-parts": [[2020]]},
        "DOI": WORKS["codex"].doi,
        "page": "1",
        "language": "en",
        "custom": {"others": True, "bibtex": {"month": "10"}},
    }
    row = unchecked_row(project, csl, bibtex="@article{key1, }", note="Read it.")
    check(project, owner)
    row.refresh_from_db()
    assert row.claimed == csl
    assert row.title == row.csl["title"] == WORKS["codex"].title
    assert row.authors == "Tomazini, Maia and others"
    assert row.csl["page"] == "1307-1316"
    assert row.csl["language"] == "en"
    assert row.csl["custom"] == {"bibtex": {"month": "10"}}
    assert (row.bibtex, row.note, row.cite_key) == ("@article{key1, }", "Read it.", "key1")
    assert {"field": "pages", "claimed": "1", "found": "1307-1316", "agrees": False} in row.diff


def test_notices_and_the_published_version(project: Project, owner: User, holdings: Holdings) -> None:
    notices = (
        Update(type="retraction", doi="10.5555/ret.1", source="retraction-watch", year=2021, note="Retraction"),
        Update(type="correction", doi="10.5555/cor.1", source="publisher"),
    )
    known = WORKS["codex"].model_copy(update={"updates": notices})
    preprint = work(
        "Alder in mixed stands of beech", "Ibe, C.", 2020, type="article", doi="10.1101/1",
        published_version_doi="10.5555/final.1",
    )  # fmt: skip
    holdings.works = [known, preprint]
    row, early = unchecked_row(project, WORKS["codex"].csl()), unchecked_row(project, preprint.csl())
    check(project, owner)
    row.refresh_from_db()
    early.refresh_from_db()
    assert (row.tier, row.retracted) == ("A", True)
    told = [(one.type, one.doi, one.source, one.year) for one in row.notices.all()]
    assert ("retraction", "10.5555/ret.1", "retraction-watch", 2021) in told
    assert ("correction", "10.5555/cor.1", "publisher", None) in told
    assert (early.tier, early.published_doi, early.retracted) == ("A", "10.5555/final.1", False)
    check_again(project, [row], owner)
    check(project, owner)
    assert RetractionNotice.objects.count() == 2


@pytest.mark.postgres
def test_a_service_that_fails_is_no_verdict_and_the_schedule_finishes_the_work(
    project: Project, owner: User, holdings: Holdings
) -> None:
    """Show 3: with everything down each entry stays unresolved with a next time; up again, the schedule ends it."""
    rows = claims(project)
    invented = unchecked_row(project, {"type": "book", "title": "Alder in mixed stands", "DOI": "10.9999/alder"})
    holdings.down = True
    job = check(project, owner)
    assert job.state == State.DONE
    for number, wait in enumerate(RETRY_DELAYS[:3], 1):
        for row in Citation.objects.all():
            assert (row.status, row.tier, row.failures) == (Status.UNRESOLVED, "", number)
            assert "did not answer and will be asked again" in row.reason
            assert row.check_due_at is not None
            left = row.check_due_at - timezone.now()
            assert wait - timedelta(seconds=60) < left <= wait
        start_due_checks()
        assert not Job.objects.alive().exists()  # nothing is due
        later(project)
        holdings.down = number < 3
        start_due_checks()
        perform(str(Job.objects.alive().get().pk))
        _let_hosts_rest()
    later(project)
    start_due_checks()
    for job in Job.objects.alive():
        perform(str(job.pk))
    assert {row.tier for row in Citation.objects.filter(pk__in=[row.pk for row in rows])} == {"A"}
    invented.refresh_from_db()
    assert (invented.status, invented.failures, invented.check_due_at) == (Status.NOT_FOUND, 0, None)


def _let_hosts_rest() -> None:
    """Hosts that failed are left alone for a while; that while is over."""
    HostPace.objects.all().delete()


def test_the_waits_grow_to_a_day() -> None:
    assert [retry_delay(failures) for failures in (1, 2, 3, 4, 5, 6, 7, 100)] == [
        timedelta(minutes=1),
        timedelta(minutes=5),
        timedelta(minutes=30),
        timedelta(hours=2),
        timedelta(hours=6),
        timedelta(days=1),
        timedelta(days=1),
        timedelta(days=1),
    ]


def test_a_person_need_not_wait_for_the_schedule(project: Project, owner: User, holdings: Holdings) -> None:
    (row,) = claims(project, ("codex",))
    holdings.down = True
    check(project, owner)
    _let_hosts_rest()
    holdings.down = False
    assert start_check(project, owner) is None
    assert check_again(project, [row], owner)
    row.refresh_from_db()
    assert row.failures == 0
    check(project, owner)
    row.refresh_from_db()
    assert row.tier == "A"


def test_looking_again_asks_the_registries_afresh(project: Project, owner: User, holdings: Holdings) -> None:
    """That a work is not known is remembered for a day, but not against a person who wants it looked up."""
    holdings.works = []
    (row,) = claims(project, ("codex",))
    check(project, owner)
    row.refresh_from_db()
    assert row.status == Status.NOT_FOUND
    holdings.works = list(WORKS.values())
    check_again(project, [row], owner)
    row.refresh_from_db()
    assert (row.status, row.tier) == (Status.UNRESOLVED, "")
    check(project, owner)
    row.refresh_from_db()
    assert row.tier == "A"


def test_a_proof_outlasts_a_service_that_fails(project: Project, owner: User, holdings: Holdings) -> None:
    (row,) = claims(project, ("codex",))
    check(project, owner)
    holdings.down = True
    check_again(project, [row], owner)
    check(project, owner)
    row.refresh_from_db()
    assert (row.status, row.tier, row.failures) == (Status.VERIFIED, "A", 1)
    assert "agree" in row.reason


def test_a_proof_that_no_longer_holds_gives_back_what_was_claimed(
    project: Project, owner: User, holdings: Holdings
) -> None:
    claim = {**WORKS["codex"].csl(), "title": WORKS["codex"].title.upper()}
    row = unchecked_row(project, claim)
    check(project, owner)
    holdings.works = [WORKS["codex"].model_copy(update={"title": "Alder in mixed stands of beech"})]
    check_again(project, [row], owner)
    check(project, owner)
    row.refresh_from_db()
    assert (row.status, row.tier, row.evidence_type, row.source_doi) == (Status.CONFLICT, "D", "", "")
    assert (row.csl, row.claimed, row.title, row.verified_at) == (claim, {}, claim["title"], None)


def test_what_a_person_vouches_for_is_not_checked(project: Project, owner: User, holdings: Holdings) -> None:
    (row,) = claims(project, ("codex",))
    attest(row, owner, "I have the paper before me.")
    assert start_check(project, owner) is None
    with pytest.raises(Refused, match="is attested"):
        check_again(project, [row], owner)
    Citation.objects.update(check_due_at=timezone.now())
    start_due_checks()
    assert not Job.objects.exists()


def test_nothing_to_check_is_refused(project: Project, owner: User) -> None:
    with pytest.raises(Refused, match="Choose a reference"):
        check_again(project, [], owner)


def test_another_thesis_is_left_alone(project: Project, owner: User, holdings: Holdings) -> None:
    other = Project.objects.create_for(owner, title="Another")
    (row,) = claims(other, ("codex",))
    with pytest.raises(Refused):
        check_again(project, [row], owner)
    assert start_check(project, owner) is None


def test_one_job_a_thesis(project: Project, owner: User, holdings: Holdings) -> None:
    claims(project)
    first, again = start_check(project, owner), start_check(project, owner)
    start_due_checks()
    assert first == again == Job.objects.get()


def test_an_entry_gets_its_key_once_its_words_are_known(project: Project, owner: User, holdings: Holdings) -> None:
    """Unless a text cites the old one, or a person gave it."""
    bare = {"type": "document", "DOI": WORKS["codex"].doi}
    named = unchecked_row(project, bare, cite_key="ref1")
    cited = unchecked_row(project, {"type": "document", "DOI": WORKS["recovery"].doi}, cite_key="ref2")
    given = unchecked_row(project, {"type": "document", "DOI": WORKS["cape"].doi}, cite_key="mine")
    Section.objects.filter(project=project, number=1).update(latex=r"As shown \cite{ref2}.")
    check(project, owner)
    keys = {row.pk: row.cite_key for row in Citation.objects.all()}
    assert keys == {named.pk: "tomazini2020", cited.pk: "ref2", given.pk: "mine"}


def test_a_check_that_breaks_off_is_tried_later(
    project: Project, owner: User, holdings: Holdings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any) -> None:
        raise RuntimeError

    claims(project)
    monkeypatch.setattr(check_job, "_due", broken)
    job = check(project, owner)
    assert job.state == State.FAILED
    start_due_checks()
    assert not Job.objects.alive().exists()
    assert set(Citation.objects.values_list("failures", flat=True)) == {1}


def test_no_words_of_references_in_tasks_or_events(project: Project, owner: User, holdings: Holdings) -> None:
    claims(project)
    job = check(project, owner)
    told = " ".join(f"{event.text} {event.details} {event.counters}" for event in job.events.all())
    for known in WORKS.values():
        assert known.title not in told
        assert str(known.doi) not in told
    assert job.kind == CHECK
