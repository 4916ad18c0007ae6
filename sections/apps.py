from django.apps import AppConfig


class SectionsConfig(AppConfig):
    name = "sections"

    def ready(self) -> None:
        from projects.signals import project_created
        from sections.outline import make_chapters

        project_created.connect(make_chapters, dispatch_uid="sections.make_chapters")
