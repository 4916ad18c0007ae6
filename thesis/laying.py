"""Writing down what a brought file holds: sections with their first version, files with their bytes (SPEC T2)."""

import hashlib
import uuid
from collections.abc import Callable
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from latex.writing import pieces_of
from projects.models import Project, User
from sections.latex_project import TexFile
from sections.models import TextImport, ThesisFile, stored_at
from sections.outline import add_sections
from thesis.brought import Brought
from untrusted.images import media_type_of

EVERY = 20  # files between two looks at whether the job is to stop

_KINDS = {"references": ThesisFile.Kind.REFERENCES, "picture": ThesisFile.Kind.PICTURE, "tex": ThesisFile.Kind.TEX}


def state_of(brought: TextImport) -> dict[str, Any]:
    """How far an import is and what came of it (thesis/importing.py): the row's own dictionary, to be read and changed."""
    if brought.result is None:
        brought.result = {"into": "thesis", "stage": "waiting", "titled": True, "format": "tex"}
    return brought.result


def store_files(brought: TextImport, found: Brought, user: User, tick: Callable[[int, int], None]) -> list[ThesisFile]:
    """The files of `found` that are kept as bytes, stored on the disk; their rows are not written yet.

    Their ids follow from the import and the path, so that a second attempt writes over the first.
    """
    kinds = {row.path: row.kind for row in found.rows}
    files = []
    for number, path in enumerate(found.files):
        if number % EVERY == 0:
            tick(number, len(found.files))
        data = found.read(path)
        file = ThesisFile(id=uuid.uuid5(brought.pk, path), project=brought.project, path=path, added_by=user)
        file.kind = _KINDS.get(kinds[path], ThesisFile.Kind.OTHER)
        file.media_type = media_type_of(data[:16])
        file.size, file.sha256 = len(data), hashlib.sha256(data).hexdigest()
        default_storage.delete(stored_at(file, path))
        file.blob.save(path, ContentFile(data), save=False)
        files.append(file)
    tick(len(found.files), len(found.files))
    return files


def lay_down(brought: TextImport, found: Brought, files: list[ThesisFile], user: User) -> None:
    """Write the rows of all that `found` holds, and the report into `brought`. To be called in a transaction."""
    project, state = brought.project, state_of(brought)
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    sections = add_sections(project, [(one.title, one.latex) for one in found.sections], user)
    ids = {id(read): str(section.pk) for read, section in zip(found.sections, sections, strict=True)}
    ThesisFile.objects.bulk_create(
        [*files, *(_tex(brought, found, file, ids, user) for file in found.tex)], batch_size=200
    )
    if found.title and state["into"] == "thesis" and not state["titled"]:
        project.title = found.title[:300]
        project.save(update_fields=["title", "updated_at"])
    elif sections:
        sections[0].touch_project()
    slugs = {id(read): section.slug for read, section in zip(found.sections, sections, strict=True)}
    rows = [
        {
            "path": row.path,
            "kind": row.kind,
            "became": row.became,
            "warnings": row.warnings,
            "sections": [{"title": one.title, "slug": slugs[id(one)]} for one in row.sections],
        }
        for row in found.rows
    ]
    brought.result = {
        **state,
        "stage": "text",
        "rows": rows,
        "notes": found.notes,
        "references": found.references,
        "sections": [{"title": section.title, "slug": section.slug} for section in sections],
    }
    brought.save(update_fields=["result"])


def _tex(brought: TextImport, found: Brought, file: TexFile, ids: dict[int, str], user: User) -> ThesisFile:
    text = "".join(piece if isinstance(piece, str) else piece.latex for piece in file.pieces or [])
    data = text.encode(file.encoding)
    return ThesisFile(
        id=uuid.uuid5(brought.pk, file.path),
        project=brought.project,
        path=file.path,
        kind=ThesisFile.Kind.TEX,
        is_main=file.is_main,
        pieces=pieces_of(file.pieces or [], ids),
        encoding=file.encoding,
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        media_type="",
        added_by=user,
    )
