from django.apps import AppConfig
from django.core.checks import register


class ResearchConfig(AppConfig):
    name = "research"

    def ready(self) -> None:
        from projects.signals import file_removed
        from research.checks import check_budget, check_export_format, check_profiles
        from research.files.deletion import note_deletion

        file_removed.connect(note_deletion, dispatch_uid="research.files.deletion")
        register(check_profiles)
        register(check_export_format)
        register(check_budget)
