"""SPEC T1, T2: sections are saved, moved and kept while others do the same.
Nobody waits for each other, nothing is lost."""

from uuid import uuid4

import pytest
from django.db import connection, transaction

from citations.models import Citation
from core.errors import Refused
from jobs.models import Job
from projects.invitations import invite
from projects.models import Membership, Project, User
from sections import outline, snapshots
from sections.models import Section, SectionVersion
from tests.concurrent_calls import Other, meeting
from tests.people import signed_in

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def section_of(project: Project, slug: str) -> Section:
    section: Section = project.sections.get(slug=slug)
    return section


def test_a_section_is_saved_while_the_outline_is_changed(project: Project, owner: User) -> None:
    saving = section_of(project, "results")
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)  # as one that moves begins
        saved = Other(lambda: saving.write("Alder fixes nitrogen.", based_on=0, by=owner))
        saved.waits()
        section_of(project, "results").move_to(0)
    assert isinstance(saved.ended(), Section)
    assert (section_of(project, "results").latex, section_of(project, "results").number) == ("Alder fixes nitrogen.", 0)


def test_a_kept_state_is_restored_while_another_is_kept(project: Project, owner: User) -> None:
    for slug in ("introduction", "results"):
        section_of(project, slug).write("Before.", based_on=0, by=owner)
    before = snapshots.save_snapshot(project, "Before", by=owner)
    for slug in ("introduction", "results"):
        section_of(project, slug).write("After.", based_on=1, by=owner, kind=SectionVersion.Kind.MERGED)
    with transaction.atomic():
<<<<<<< HEAD
        of(project, "results").current_version_row()  # as one that restores has got as far as this section
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        restored = Other(lambda: snapshots.restore(before, by=owner))
        restored.waits()
        of(project, "introduction").current_version_row()
=======
        section_of(project, "results").row_now()  # as one that restores has got as far as this section
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        restored = Other(lambda: snapshots.restore(before, by=owner))
        restored.waits()
        section_of(project, "introduction").row_now()
>>>>>>> en-tests
    assert not isinstance(restored.ended(), Exception)
    assert {section_of(project, slug).latex for slug in ("introduction", "results")} == {"Before."}


def test_what_locks_the_thesis_lets_others_refer_to_it(project: Project, owner: User) -> None:
    """Else one that holds a row and ends its transaction waits for one that holds the thesis and wants that row."""
    if connection.vendor == "sqlite":  # one transaction at a time: the other comes after it
        return
    entry = Citation.objects.create(project=project, cite_key="alder2020")
    with meeting(
        lambda: Job.objects.start(project=project, kind="counting", subject=uuid4(), user=owner, enqueue=False)
    ) as met:
        Section.objects.add(project, "Soil")
        section_of(project, "results").move_to(2)
        outline.move_to_bin(section_of(project, "results"))
        outline.restore_from_bin(Section.everything.get(project=project, slug="results"))
        snapshots.save_snapshot(project, "Now", by=owner)
        invite(project, "ravi@example.org", Membership.Role.READER, owner)
        entry.delete()
        job = Other(
            lambda: Job.objects.start(project=project, kind="counting", subject=uuid4(), user=owner, enqueue=False)
        )
        assert not job.waits(5)
    assert isinstance(job.ended(), Job)
    assert isinstance(met[0].outcome, Job)


def test_a_section_is_moved_while_it_is_put_into_the_bin(project: Project, owner: User) -> None:
    client, results = signed_in(owner), section_of(project, "results")
    client.get(f"/api/sections/{results.pk}")
    with meeting(
        lambda: client.patch(f"/api/sections/{results.pk}", {"number": 2}, content_type="application/json")
    ) as met:
        outline.move_to_bin(section_of(project, "results"))
    assert met[0].outcome.status_code in (404, 409)
    assert Section.objects.filter(project=project).count() == 8


def test_a_section_that_is_in_the_bin_is_not_moved(project: Project) -> None:
    results, again = section_of(project, "results"), section_of(project, "results")
    outline.move_to_bin(again)
    with pytest.raises(Refused, match="in the bin"):
        results.move_to(2)
