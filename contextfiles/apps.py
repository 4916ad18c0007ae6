from django.apps import AppConfig
from django.db.models.signals import post_delete


class ContextFilesConfig(AppConfig):
    name = "contextfiles"

    def ready(self) -> None:
        from contextfiles.blobs import remove_with
        from contextfiles.models import ContextFile

        post_delete.connect(remove_with, sender=ContextFile, dispatch_uid="contextfiles.blobs")
