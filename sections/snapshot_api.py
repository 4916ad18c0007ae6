"""The API of snapshots, /api/projects/ID/snapshots: named versions of the whole thesis (SPEC T2, P4)."""

from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from django.shortcuts import get_object_or_404
from ninja import Router, Schema, Status
from pydantic import AliasPath, Field

from projects.access import Act, get_project
from projects.forms import clean_or_refuse
from projects.signed_in_request import PersonRequest
from sections import snapshots
from sections.forms import SnapshotForm
from sections.models import SectionVersion, Snapshot

router = Router(tags=["Snapshots"])


class SnapshotIn(Schema):
    """The name of a snapshot: at most 120 characters."""

    name: str


class RestoreIn(Schema):
    """The section to restore; without it, all sections that are not in the bin."""

    section_id: UUID | None = None


class SnapshotOut(Schema):
    """A snapshot of the whole thesis."""

    id: UUID
    name: str
    made_at: datetime
    made_by: str | None = Field(None, validation_alias=AliasPath("made_by", "email"))


class KeptOut(Schema):
    """A section in a snapshot: `version` is its version at that time, `changed` whether its text is different now."""

    section_id: UUID = Field(validation_alias=AliasPath("section", "pk"))
    title: str = Field(validation_alias=AliasPath("section", "title"))
    version: int
    changed: bool
    removed: bool

    @staticmethod
    def resolve_removed(kept: SectionVersion) -> bool:
        """Return whether the section is in the bin now."""
        return kept.section.removed_at is not None


class SnapshotText(SnapshotOut):
    """A snapshot with the version of each section in it. The texts are at sections/ID/versions/VERSION."""

    sections: list[KeptOut]

    resolve_sections: ClassVar = staticmethod(snapshots.snapshot_versions)


class Restored(Schema):
    """The sections whose text changed, with their new versions."""

    sections: list[dict[str, Any]]


@router.get("/projects/{uuid:project_id}/snapshots", response=list[SnapshotOut], summary="The snapshots, newest first")
def list_snapshots(request: PersonRequest, project_id: UUID) -> list[Snapshot]:
    """All snapshots of the thesis, without their sections."""
    return list(get_project(request.user, project_id).snapshots.select_related("made_by"))


@router.post("/projects/{uuid:project_id}/snapshots", response={201: SnapshotOut}, summary="Create a snapshot")
def take(request: PersonRequest, project_id: UUID, payload: SnapshotIn) -> Status[Any]:
    """Saves the present text of every section under a name; the bin is not included."""
    project = get_project(request.user, project_id, "write")
    return Status(
        201, snapshots.save_snapshot(project, clean_or_refuse(SnapshotForm(payload.dict()))["name"], by=request.user)
    )


@router.get("/projects/{uuid:project_id}/snapshots/{uuid:snapshot_id}", response=SnapshotText, summary="One snapshot")
def read(request: PersonRequest, project_id: UUID, snapshot_id: UUID) -> Snapshot:
    """The sections in the snapshot, and whether they have changed since."""
    return _found(request, project_id, snapshot_id, "read")


@router.patch(
    "/projects/{uuid:project_id}/snapshots/{uuid:snapshot_id}", response=SnapshotOut, summary="Rename a snapshot"
)
def rename(request: PersonRequest, project_id: UUID, snapshot_id: UUID, payload: SnapshotIn) -> Snapshot:
    """Changes the name only."""
    found = _found(request, project_id, snapshot_id)
    found.name = clean_or_refuse(SnapshotForm(payload.dict()))["name"]
    found.save(update_fields=["name"])
    return found


@router.delete(
    "/projects/{uuid:project_id}/snapshots/{uuid:snapshot_id}", response={204: None}, summary="Delete a snapshot"
)
def delete(request: PersonRequest, project_id: UUID, snapshot_id: UUID) -> Status[None]:
    """Only the snapshot is deleted. The texts stay in the history of each section."""
    _found(request, project_id, snapshot_id).delete()
    return Status(204, None)


@router.post(
    "/projects/{uuid:project_id}/snapshots/{uuid:snapshot_id}/restore",
    response=Restored,
    summary="Restore one section, or all",
)
def restore(request: PersonRequest, project_id: UUID, snapshot_id: UUID, payload: RestoreIn) -> dict[str, Any]:
    """Saves the texts as new versions; the present texts stay in the history. Either all are restored or none."""
    changed = snapshots.restore(_found(request, project_id, snapshot_id), by=request.user, section=payload.section_id)
    return {"sections": [{"id": section.pk, "version": section.version} for section in changed]}


def _found(request: PersonRequest, project_id: UUID, snapshot_id: UUID, act: Act = "write") -> Snapshot:
    return get_object_or_404(
        Snapshot.objects.select_related("made_by"), project=get_project(request.user, project_id, act), pk=snapshot_id
    )
