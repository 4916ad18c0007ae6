"""Upload, confirm, re-read and rename datasets (SPEC N1). A worker reads the files; nothing here loads pandas."""

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from django.core.files import File
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from analysis.datasets.excluded_rows import refuse_open_questions, with_row_decisions
from analysis.datasets.file_type import MOST_BYTES, XLSX, kind_of, megabytes
from analysis.datasets.repeated_people import OTHER, PERSON
from analysis.datasets.storage import copy_bytes, delete_files
from analysis.models import Dataset, DatasetVersion
from core.errors import Refused
from core.storable_text import check_storable
from jobs.models import Job
from projects.models import Project, User
from untrusted.errors import Unreadable
from untrusted.file_names import MAX_NAME, cleaned, free_name, shortened
from untrusted.measured_upload import MeasuredUpload

KIND = "dataset"
MOST_DATASETS = 200  # of a thesis
MOST_VERSIONS = 500  # of a dataset
_HEAD = 64 * 1024
State = DatasetVersion.State


def start_dataset(
    project: Project,
    user: User | None,
    name: str,
    upload: "File[bytes]",
    *,
    dataset: Dataset | None = None,
    reading: Mapping[str, Any] | None = None,
    enqueue: bool = True,
) -> DatasetVersion:
    """Store `upload` as a new dataset of `project` called `name`, or as a new version of `dataset`.

    A worker reads it or, when `enqueue` is False, the caller (jobs.work.perform). `reading` is as in read_table. Raises
    Refused, and stores nothing, for an empty or too large file and for a file that clearly is no table.
    """
    file_name = cleaned(upload.name or name)
    name = cleaned(name or file_name)
    short = shortened(file_name)
    measured = MeasuredUpload(upload, partial(_check_size, short, _kind(upload, short)))
    version = DatasetVersion(file_name=file_name, created_by=user, reading=_known(reading))
    version.dataset = dataset or Dataset(project=project, name=name, created_by=user)
    try:
        version.upload.save("upload", cast("File[bytes]", measured), save=False)
        version.size, version.sha256 = measured.size, measured.digest.hexdigest()
        with Project.objects.held(project.pk):  # concurrent uploads get different names and numbers
            if dataset is None:
                if project.datasets.count() >= MOST_DATASETS:
                    raise Refused(
                        f"A thesis can have at most {MOST_DATASETS} datasets. Delete one first.",
                        field="file",
                        code="too_many",
                    )
                version.dataset.name = free_name(name, set(project.datasets.values_list("name", flat=True)))
                version.dataset.save(force_insert=True)
            _begin(version, user, enqueue=enqueue)
    except OSError as error:
        delete_files(version)
        raise Refused(
            f"The server could not store {short} ({error.strerror}). It was not added; tell whoever runs this server.",
            field="file",
            code="not_stored",
            status=507,
        ) from error
    except BaseException:
        delete_files(version)
        raise
    return version


def confirm(
    version: DatasetVersion, user: User | None, changes: Mapping[str, Mapping[str, Any]] | None = None
) -> DatasetVersion:
    """Confirm the columns of `version` with `changes` by column id, and return the confirmed version.

    `changes` are {id: {type, level_of_measurement, levels, missing, merge, label, unit, labels, convert_to,
    only_unit}}, each with only the properties that change. Proposed types are confirmed in place; a confirmed version
    never changes: changes make a new version, and without any it is returned. Raises Refused (field
    "columns.c3.levels") for an impossible change, and while a question of the version is open.
    """
    from analysis.datasets.column_changes import apply_changes

    with transaction.atomic():
        locked: DatasetVersion = (
            DatasetVersion.objects.select_for_update(of=("self",)).select_related("dataset").get(pk=version.pk)
        )
        if locked.state not in (State.PROPOSED, State.READY):
            raise Refused(
                "These data have not been read yet. Wait until reading has finished.",
                field="columns",
                code="not_read",
                status=409,
            )
        refuse_open_questions(locked)
        made = apply_changes(locked, changes or {})
        if locked.state == State.READY:
            if not made.is_changed:
                return locked
            Project.objects.select_for_update(no_key=True).get(pk=locked.dataset.project_id)
            target = _unsaved_copy(locked, user)
            try:
                copy_bytes(locked, target, rows=made.rows is None)
                made.write(target)
                _save(target, user)
                target.save(force_insert=True)
            except BaseException:
                delete_files(target)
                raise
            return target
        made.write(locked)
        _save(locked, user)
        locked.save()
    return locked


def reread_file(
    version: DatasetVersion,
    user: User | None,
    reading: Mapping[str, Any],
    *,
    as_confirmed: bool = False,
    enqueue: bool = True,
) -> DatasetVersion:
    """Return a new version for which the stored file of `version` is read again with the settings `reading`.

    Rows that were left out stay left out, unless `reading` names others or another table is read. With `as_confirmed`
    only the rows differ, and the columns stay as they were confirmed in `version`.
    """
    if version.state == State.READING:
        raise Refused(
            "These data are being read. Wait until that has finished, or stop it.",
            field="reading",
            code="not_read",
            status=409,
        )
    target = _unsaved_copy(version, user)
    target.reading = _known(with_row_decisions(version, reading))
    target.reading.pop("as_version", None)
    if as_confirmed:
        target.reading["as_version"] = version.number
    try:
        copy_bytes(version, target, rows=False)
        with Project.objects.held(version.dataset.project_id):
            _begin(target, user, enqueue=enqueue)
    except BaseException:
        delete_files(target)
        raise
    return target


def rename(dataset: Dataset, name: str) -> None:
    """Rename a dataset. Raises Refused for a name that is blank, too long or already used."""
    name = " ".join(name.split())
    check_storable(name, "name")
    if not name or len(name) > MAX_NAME:
        raise Refused(f"A name has 1 to {MAX_NAME} characters." if name else "Enter a name.", field="name")
    dataset.name = name
    try:
        with transaction.atomic():
            dataset.save(update_fields=["name"])
    except IntegrityError as error:
        raise Refused(
            f"Another dataset of this thesis is called “{shortened(name)}” already.",
            field="name",
            code="taken",
            status=409,
        ) from error


def set_person_column(version: DatasetVersion, user: User | None, column: str, meaning: str) -> DatasetVersion:
    """Record whether `column` identifies people (`meaning`), and return the version with that setting.

    A version with unconfirmed types changes in place and stays unconfirmed; for a confirmed one a new version is made.
    Only one column can identify people, so the setting is removed from another column. Raises Refused for an unknown
    column or meaning.
    """
    if column not in [one["id"] for one in version.columns]:
        raise Refused("Choose a column of these data.", field="column", code="unknown_column")
    if meaning not in (PERSON, OTHER):
        raise Refused("Say whether the column identifies people or not.", field="identifies")
    changes = {column: {"identifies": meaning}}
    if meaning == PERSON:
        changes |= {
            one["id"]: {"identifies": ""}
            for one in version.columns
            if one.get("identifies") == PERSON and one["id"] != column
        }
    if version.state != State.PROPOSED:
        return confirm(version, user, changes)
    from analysis.datasets.column_changes import relabel_column  # it loads pandas

    with transaction.atomic():
        locked: DatasetVersion = DatasetVersion.objects.select_for_update().get(pk=version.pk)
        if locked.state != State.PROPOSED:
            return confirm(locked, user, changes)
        locked.columns = [relabel_column(one, changes.get(one["id"], {})) for one in locked.columns]
        locked.save(update_fields=["columns"])
    return locked


def _begin(version: DatasetVersion, user: User | None, *, enqueue: bool) -> None:
    """Number and save a new version, and start the job that reads it. The caller holds the lock of the project."""
    version.dataset = version.dataset  # sets the key of a dataset that has just been saved
    version.number = _next(version.dataset)
    version.state = State.READING
    version.job = Job.objects.start(
        project=version.dataset.project, kind=KIND, subject=version.pk, user=cast("User", user), enqueue=enqueue
    )
    version.save(force_insert=True)


def _next(dataset: Dataset) -> int:
    last = dataset.versions.aggregate(last=Max("number"))["last"] or 0
    if last >= MOST_VERSIONS:
        raise Refused(
            f"A dataset can have at most {MOST_VERSIONS} versions. Upload the file as a new dataset.",
            field="file",
            code="too_many",
        )
    return int(last) + 1


def _unsaved_copy(version: DatasetVersion, user: User | None) -> DatasetVersion:
    """Return an unsaved copy of `version` without a number and without its files."""
    twin = DatasetVersion(file_name=version.file_name, size=version.size, sha256=version.sha256, created_by=user)
    twin.dataset = version.dataset
    for name in ("reading", "sheets", "row_count", "columns", "summary", "remarks"):
        setattr(twin, name, getattr(version, name))
    return twin


def _save(version: DatasetVersion, user: User | None) -> None:
    """Set the number, state, user and time of a version that is being confirmed."""
    if not version.number:
        version.number = _next(version.dataset)
    version.state, version.confirmed_by, version.confirmed_at = State.READY, user, timezone.now()


def _known(reading: Mapping[str, Any] | None) -> dict[str, Any]:
    for value in (reading or {}).values():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str):
                check_storable(one, "reading")
    return dict(reading or {})


def _kind(upload: "File[bytes]", name: str) -> str:
    """Return CSV or XLSX, by the first bytes. Raises Refused for an empty file and for one that clearly is no table."""
    upload.seek(0)
    head = upload.read(_HEAD)
    if not head:
        raise Refused(f"{name} is empty. Choose the file that contains the data.", field="file", code="empty")
    if head.startswith(b"PK"):
        return XLSX
    try:
        return kind_of(head, name)
    except Unreadable as problem:
        raise Refused(str(problem), field="file", code="unreadable") from problem


def _check_size(name: str, kind: str, size: int) -> None:
    """Raise Refused for a file above the size limit of its kind."""
    if size > MOST_BYTES[kind]:
        what = "an Excel workbook" if kind == XLSX else "a CSV file"
        raise Refused(
            f"{name} has {megabytes(size)} or more; the limit for {what} is {megabytes(MOST_BYTES[kind])}. "
            "Remove what the analyses do not need, or split the file.",
            field="file",
            code="too_large",
            status=413,
        )
