from django.apps import AppConfig


class AnalysisConfig(AppConfig):
    name = "analysis"

    def ready(self) -> None:
        from django.db.models.signals import post_delete

        from analysis.datasets.storage import remove_bytes
        from analysis.models import DatasetVersion, Figure
        from analysis.running.save_result import remove_figure_files

        post_delete.connect(remove_figure_files, sender=Figure, dispatch_uid="analysis.figures")
        post_delete.connect(remove_bytes, sender=DatasetVersion, dispatch_uid="analysis.datasets")
