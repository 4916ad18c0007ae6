from django.apps import AppConfig
from django.core.checks import register


class ResearchConfig(AppConfig):
    name = "research"

    def ready(self) -> None:
        from django.db.models.signals import post_delete

        from projects.models import Project
        from projects.signals import file_deleted, file_removed
        from research.checks import check_budget, check_export_format, check_profiles
        from research.files.deletion import note_deletion
        from research.search.library import forget_deleted

        file_removed.connect(note_deletion, dispatch_uid="research.files.deletion")
        file_deleted.connect(forget_deleted, dispatch_uid="research.search.library.file")
        post_delete.connect(forget_deleted, sender=Project, dispatch_uid="research.search.library.thesis")
        register(check_profiles)
        register(check_export_format)
        register(check_budget)
