"""A thesis is built as a job: the row has what came of it, the last good PDF stays,
and heavy work stays within its places."""

import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.base import ContentFile
from django.db.models import Sum
from django.utils import timezone

from core.errors import Refused
from jobs.compute_slots import CAPACITY, QUEUE, request_slots, take_slots
from jobs.models import ComputeSlot, Job, State
from jobs.work import perform
from projects.models import Project, User
from sections.models import Section
from tests.people import signed_in
from tests.servers.processes import environment, manage, own_database, until
from tests.thesis.minimal_latex import needs_latex, quick_thesis
from thesis.latex_build.build_job import STEP, in_line, last_good
from thesis.latex_build.retention import MOST_ROWS
from thesis.latex_build.start import PLACES, BuildRunning, start_build
from thesis.models import Build, built_at

FINE = ("\\chapter{One}\nSee \\ref{two}.\n", "\\chapter{Two}\\label{two}\nWords.\\newpage More.\n")
BROKEN = "\\chapter{Two}\nIt is \\SI{5}{mm}.\n"


@pytest.fixture
def thesis(project: Project) -> list[Section]:
    return quick_thesis(project, *FINE)


def done(build: Build) -> Build:
    """`build` once a worker has done it, here."""
    perform(str(build.job_id))
    made: Build = Build.objects.select_related("job").get(pk=build.pk)
    return made


def head(build: Build) -> bytes:
    with build.output.open("rb") as made:
        return bytes(made.read(5))


def steps(build: Build) -> list[str]:
    assert build.job is not None
    return [event.text for event in build.job.events.filter(kind=STEP)]


def other_job(project: Project, owner: User, **columns: Any) -> Job:
    job: Job = Job.objects.start(project=project, kind="counting", subject=uuid4(), user=owner, enqueue=False)
    if columns:
        Job.objects.filter(pk=job.pk).update(**columns)
    return job


# What comes of it


@needs_latex
def test_a_pdf_then_a_mistake_then_a_pdf(project: Project, owner: User, thesis: list[Section], media: Path) -> None:
    first = done(start_build(project, owner, enqueue=False))
    assert first.job is not None
    assert (first.job.state, first.job.reason, first.problems) == (State.DONE, "", [])
    assert (first.engine, first.pages, first.words) == (Build.Engine.LATEX, 4, sum(len(text.split()) for text in FINE))
    assert head(first) == b"%PDF-"
    assert first.size == first.output.size
    assert first.ended_at is not None
    assert steps(first)[:3] == ["Assembling the thesis", "Running LaTeX, pass 1", "Running LaTeX, pass 2"]
    assert last_good(project) == first

    thesis[1].latex = BROKEN
    thesis[1].save()
    broken = done(start_build(project, owner, enqueue=False))
    assert broken.job is not None
    said = r"2 Part 2, line 2: Undefined command: \SI. The last good PDF is still there."
    assert (broken.job.state, broken.job.reason) == (State.FAILED, said)
    (problem,) = broken.problems
    assert problem["section"] == str(thesis[1].pk)
    assert (problem["line"], problem["slug"], problem["number"]) == (2, "part-2", 2)
    assert problem["excerpt"] == [[1, "\\chapter{Two}"], [2, "It is \\SI{5}{mm}."]]
    assert "Undefined control sequence" in broken.log
    assert last_good(project) == first
    assert not broken.output

    thesis[1].latex = FINE[1] + "\nMended.\n"
    thesis[1].save()
    again = done(start_build(project, owner, enqueue=False))
    assert last_good(project) == again
    assert again.fingerprint != first.fingerprint
    first.refresh_from_db()
    assert not first.output  # a newer one took its place

    chapter = done(start_build(project, owner, section=thesis[0], enqueue=False))
    assert chapter.job is not None
    assert (chapter.job.state, chapter.is_chapter) == (State.DONE, True)
    assert chapter.pages < again.pages
    assert last_good(project) == again
    assert last_good(project, thesis[0]) == chapter


@pytest.mark.long
@needs_latex
@pytest.mark.django_db(transaction=True)
def test_the_worker_is_killed_and_the_build_begins_again(project: Project, owner: User, thesis: list[Section]) -> None:
    build = start_build(project, owner, enqueue=False)
    left = Path(tempfile.gettempdir()) / f"scholium-build-{build.pk}"
    (left / "text").mkdir(parents=True)
    (left / "text" / "main.aux").write_text("half")
    build.output.storage.save(built_at(build, ""), ContentFile(b"half"))
    expired = timezone.now() - timedelta(seconds=1)
    Job.objects.filter(build=build).update(state=State.RUNNING, lease_by="gone", lease_until=expired)
    build = done(build)
    assert build.job is not None
    assert (build.job.state, build.job.attempts) == (State.DONE, 1)
    assert build.output.name == built_at(build, "")
    assert head(build) == b"%PDF-"
    assert not left.exists()
    assert not ComputeSlot.objects.exists()


@needs_latex
def test_a_picture_that_is_a_bomb_stops_it_before_latex(
    project: Project, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sections.thesis_files import store
    from tests.thesis.test_hostile_tex import _pdf

    text = "\\chapter{One}\n\\includegraphics{vast}\n"
    quick_thesis(project, text, preamble="\\usepackage{graphicx}\n")
    store(project, owner, "vast.pdf", _pdf("0 0 2000000 2000000"))
    build = done(start_build(project, owner, enqueue=False))
    assert build.job is not None
    assert build.job.reason == "1 Part 1, line 2: The picture vast.pdf cannot be used."
    assert steps(build) == ["Assembling the thesis"]


@pytest.fixture
def queue(project: Project, owner: User) -> Job:
    """A job that has all places."""
    job = other_job(project, owner)
    request_slots(job, CAPACITY)
    assert take_slots(job)
    return job


@pytest.mark.django_db(transaction=True)
def test_a_build_that_waits_says_so_and_can_be_stopped(
    project: Project, owner: User, thesis: list[Section], queue: Job
) -> None:
    import threading

    from django.db import connection

    build = start_build(project, owner, enqueue=False)

    def work() -> None:
        try:
            perform(str(build.job_id))
        finally:
            connection.close()

    worker = threading.Thread(target=work)
    worker.start()
    until(lambda: steps(build), 10, "the build to say that it waits")
    assert steps(build) == ["One job is ahead of yours. It starts by itself."]
    assert build.job is not None
    build.job.ask("cancel")
    worker.join(10)
    assert not worker.is_alive()
    build = Build.objects.select_related("job").get(pk=build.pk)
    assert build.job is not None
    assert build.job.state == State.CANCELLED
    assert build.ended_at is not None
    assert list(ComputeSlot.objects.all()) == [queue.slot]


def test_how_many_are_ahead() -> None:
    assert in_line(["build"] * 3) == "Three builds are ahead of yours."
    assert in_line(["build"]) == "One build is ahead of yours."
    assert in_line(["build", "analysis"]) == "Two jobs are ahead of yours."


# What is refused


def test_one_build_of_a_thesis_at_a_time(project: Project, owner: User, thesis: list[Section]) -> None:
    build = start_build(project, owner, enqueue=False)
    with pytest.raises(BuildRunning) as caught:
        start_build(project, owner, enqueue=False)
    assert (caught.value.build, caught.value.code, caught.value.status) == (build, "running", 409)
    start_build(project, owner, section=thesis[0], enqueue=False)  # of another thing
    start_build(project, owner, kind="word", enqueue=False)


def test_the_queue_is_full(project: Project, owner: User, thesis: list[Section]) -> None:
    for _ in range(QUEUE):
        request_slots(other_job(project, owner), PLACES)
    with pytest.raises(Refused) as caught:
        start_build(project, owner, enqueue=False)
    assert (caught.value.code, caught.value.status) == ("busy", 429)
    assert "5 jobs are waiting" in caught.value.message
    assert not Build.objects.exists()
    assert not Job.objects.filter(kind="build").exists()


def test_nothing_to_build(project: Project, owner: User) -> None:
    (section,) = quick_thesis(project, "  \n")
    for chosen in (None, section):
        with pytest.raises(Refused, match="Write something first"):
            start_build(project, owner, section=chosen, enqueue=False)
    with pytest.raises(Refused, match="must be pdf or word"):
        start_build(project, owner, kind="poster", enqueue=False)


# What is kept


@pytest.mark.django_db(transaction=True)
def test_bytes_go_with_their_rows(project: Project, owner: User, media: Path) -> None:
    from thesis.latex_build.retention import prune

    (section,) = quick_thesis(project, "Words.")
    kinds = [("pdf", "latex", None), ("pdf", "typst", None), ("word", "pandoc", None), ("pdf", "latex", section)]
    for _ in range(2):
        for kind, engine, chapter in kinds:
            build = Build(project=project, kind=kind, engine=engine, section=chapter, is_chapter=chapter is not None)
            build.output.save("x", ContentFile(b"x"), save=False)
            build.save()
    for _ in range(MOST_ROWS):
        Build.objects.create(project=project)
    prune(project)
    kept = Build.objects.exclude(output="").order_by("created_at")
    assert [(one.kind, one.engine, one.section) for one in kept] == kinds
    assert len([path for path in media.rglob("*") if path.is_file()]) == 4
    assert Build.objects.count() == MOST_ROWS + 4
    project.delete()
    assert not [path for path in media.rglob("*") if path.is_file()]


# For programs


def test_api(project: Project, owner: User, reader: User, outsider: User, thesis: list[Section]) -> None:
    at = f"/api/projects/{project.pk}/builds"
    asked = {"kind": "pdf"}
    assert signed_in(outsider).post(at, asked, "application/json").status_code == 404
    assert signed_in(reader).post(at, asked, "application/json").status_code == 403
    assert signed_in(owner).put(at).status_code == 405
    assert signed_in(owner).post(at, {"kind": "poster"}, "application/json").status_code == 422
    assert signed_in(owner).post(at, {"section": str(uuid4())}, "application/json").status_code == 404
    begun = signed_in(owner).post(at, asked, "application/json")
    assert begun.status_code == 202
    build = begun.json()
    assert (build["state"], build["has_file"]) == ("queued", False)
    assert signed_in(owner).post(at, asked, "application/json").status_code == 409

    one = f"/api/builds/{build['id']}"
    for path in (one, f"{one}/pdf", f"{one}/stop"):
        call = signed_in(outsider).post if path.endswith("stop") else signed_in(outsider).get
        assert call(path).status_code == 404
        assert signed_in(owner).delete(path).status_code == 405
    assert signed_in(reader).get(f"{one}/pdf").status_code == 404  # there is none yet
    assert signed_in(reader).post(f"{one}/stop").status_code == 403
    assert signed_in(owner).post(f"{one}/stop").json()["state"] == "cancelled"
    assert signed_in(reader).get(at).json()["builds"][0]["id"] == build["id"]

    row = Build.objects.get(pk=build["id"])
    row.output.save("x", ContentFile(b"%PDF-1.5"))
    answer = signed_in(reader).get(f"{one}/pdf")
    assert answer["Content-Type"] == "application/pdf"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Disposition"] == 'attachment; filename="alder-and-soil.pdf"'
    assert b"".join(answer.streaming_content) == b"%PDF-1.5"  # type: ignore[attr-defined]
    assert signed_in(reader).get(at).json()["last_good"] == build["id"]


# The places for heavy work


@pytest.mark.long
@needs_latex
@pytest.mark.django_db(transaction=True)
def test_two_builds_and_an_analysis_stay_within_the_places(
    project: Project, owner: User, thesis: list[Section], tmp_path: Path
) -> None:
    """Over real worker processes: a build takes two places of three, what stands in for an analysis one."""
    first = start_build(project, owner)
    second = start_build(project, owner, section=thesis[0])
    third = Job.objects.start(project=project, kind="standing in", subject=uuid4(), user=owner, enqueue=False)
    Job.objects.filter(pk=third.pk).update(progress_total=10)
    request_slots(third, 1)
    third.enqueue()
    jobs = [str(pk) for pk in (first.job_id, second.job_id, third.pk)]
    most, at_once = [0], [0]

    def ended() -> bool:
        slots = ComputeSlot.objects.filter(places__gt=0)
        taken = slots.aggregate(all=Sum("places"))["all"] or 0
        most[0] = max(most[0], taken)
        at_once[0] = max(at_once[0], Job.objects.filter(pk__in=jobs, state=State.RUNNING).count())
        return not Job.objects.filter(pk__in=jobs).exclude(state__in=[State.DONE, State.FAILED]).exists()

    env = environment(own_database(), tmp_path, WORKERS="3")
    with manage("worker", env=env, log=tmp_path / "log"):
        until(ended, 60, "the jobs to end")
    assert list(Job.objects.filter(pk__in=jobs).values_list("state", "reason")) == [(State.DONE, "")] * 3
    assert at_once[0] >= 2
    assert most[0] == CAPACITY
    told = {event for build in (first, second) for event in steps(build) if "ahead" in event}
    assert told
