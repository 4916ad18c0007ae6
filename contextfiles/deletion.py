"""What goes with a file: its bytes, its text, and what was made of that text elsewhere (docs/privacy.md)."""

from typing import Any

from django.db import transaction
from django.db.models.signals import post_delete
from django.dispatch import receiver

from contextfiles.models import ContextFile, Digest, FileText
from projects.models import User
from projects.signals import file_deleted, file_removed


def delete_file(file: ContextFile, by: User | None) -> None:
    """Delete `file`, and have what research read from it taken out of what runs have left. What reads it is stopped.

    Another thesis that has the same bytes keeps its own copy, and what was read from it.
    """
    about: dict[str, Any] = {"project": file.project, "file_id": file.pk, "name": file.name, "sha256": file.sha256}
    with transaction.atomic():
        file.delete()
        file_removed.send(ContextFile, by=by, **about)


@receiver(post_delete, sender=ContextFile)
def remove_with(sender: type[ContextFile], instance: ContextFile, **_: Any) -> None:
    """Delete the bytes, and the text and digests unless another file has the same content."""
    storage, name = instance.blob.storage, str(instance.blob.name)
    # On commit, so that a rolled back deletion leaves the file whole.
    transaction.on_commit(lambda: storage.delete(name))
    file_deleted.send(sender, project_id=instance.project_id, file_id=instance.pk)
    if not ContextFile.objects.filter(sha256=instance.sha256).exists():
        FileText.objects.filter(sha256=instance.sha256).delete()
        Digest.objects.filter(sha256=instance.sha256).delete()
