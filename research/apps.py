"""The app of deep research."""

from django.apps import AppConfig


class ResearchConfig(AppConfig):
    """Registers the settings checks and the receivers of signals when Django starts."""

    name = "research"

    def ready(self) -> None:
        from django.db.models.signals import post_delete

        from projects.models import Project
        from projects.signals import file_deleted, file_removed
        from research import settings_checks  # noqa: F401  (importing them registers them)
        from research.context.deletion import note_deletion
        from research.search.library_index import forget_deleted

        file_removed.connect(note_deletion, dispatch_uid="research.context.deletion")
        file_deleted.connect(forget_deleted, dispatch_uid="research.search.library_index.file")
        post_delete.connect(forget_deleted, sender=Project, dispatch_uid="research.search.library_index.thesis")
