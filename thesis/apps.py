"""App configuration of thesis: it connects signals and registers the printed numbers."""

from django.apps import AppConfig


class ThesisConfig(AppConfig):
    """The app of drafting, importing, building and printing a thesis."""

    name = "thesis"

    def ready(self) -> None:
        from django.db.models.signals import post_delete

        from projects.signals import run_text_deleted
        from sections.printed_numbers import register
        from thesis.access import delete_drafts_text
        from thesis.latex_build.retention import remove_bytes
        from thesis.models import Build
        from thesis.preview.start import remove_pages
        from thesis.printed_numbers import printed

        register(printed)
        run_text_deleted.connect(delete_drafts_text, dispatch_uid="thesis.access")
        post_delete.connect(remove_bytes, sender=Build, dispatch_uid="thesis.builds")
        post_delete.connect(remove_pages, sender=Build, dispatch_uid="thesis.previews")
