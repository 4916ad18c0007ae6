"""App configuration of sections: it connects signals."""

from django.apps import AppConfig


class SectionsConfig(AppConfig):
    """The app of the text of a thesis."""

    name = "sections"

    def ready(self) -> None:
        from django.db.models.signals import post_delete

        from projects.signals import project_created
        from sections.models import TextImport, ThesisFile
        from sections.outline import make_chapters
        from sections.thesis_files import remove_bytes

        project_created.connect(make_chapters, dispatch_uid="sections.make_chapters")
        post_delete.connect(remove_bytes, sender=ThesisFile, dispatch_uid="sections.thesis_files")
        post_delete.connect(remove_bytes, sender=TextImport, dispatch_uid="sections.text_imports")
