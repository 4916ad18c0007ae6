"""What goes with a file when it is deleted, alone or with its project."""

from typing import Any

from django.db import transaction

from contextfiles.models import ContextFile, Digest, FileText
from projects.signals import file_deleted


def remove_with(sender: type[ContextFile], instance: ContextFile, **_: Any) -> None:
    """Receiver of post_delete: the bytes, and the text and digests unless another file has the same content."""
    storage, name = instance.blob.storage, str(instance.blob.name)
    # On commit, so that a rolled back deletion leaves the file whole.
    transaction.on_commit(lambda: storage.delete(name))
    file_deleted.send(sender, project_id=instance.project_id, file_id=instance.pk)
    if not ContextFile.objects.filter(sha256=instance.sha256).exists():
        FileText.objects.filter(sha256=instance.sha256).delete()
        Digest.objects.filter(sha256=instance.sha256).delete()
