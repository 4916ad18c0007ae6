"""Deletion of an uploaded file with its bytes, its text and everything derived from it (docs/privacy.md)."""

from typing import Any

from django.db import transaction
from django.db.models.signals import post_delete
from django.dispatch import receiver

from contextfiles.models import ContextFile, Digest, FileText
from projects.models import User
from projects.signals import file_deleted, file_removed


def delete_file(file: ContextFile, by: User | None) -> None:
    """Delete `file` and what research runs stored from it. Runs that are using it are stopped.

    Another project with the same bytes keeps its own copy, and the text read from it.
    """
    about: dict[str, Any] = {"project": file.project, "file_id": file.pk, "name": file.name, "sha256": file.sha256}
    with transaction.atomic():
        file.delete()
        file_removed.send(ContextFile, by=by, **about)


@receiver(post_delete, sender=ContextFile)
def remove_with(sender: type[ContextFile], instance: ContextFile, **_: Any) -> None:
    """Delete the bytes, and the text and digests unless another file has the same content."""
    storage, name = instance.blob.storage, str(instance.blob.name)
    # On commit, so that a deletion that is rolled back keeps the file.
    transaction.on_commit(lambda: storage.delete(name))
    file_deleted.send(sender, project_id=instance.project_id, file_id=instance.pk)
    if not ContextFile.objects.filter(sha256=instance.sha256).exists():
        FileText.objects.filter(sha256=instance.sha256).delete()
        Digest.objects.filter(sha256=instance.sha256).delete()
