"""The Django app of references: import, check, citation styles, audit."""

from django.apps import AppConfig


class CitationsConfig(AppConfig):
    """The configuration of this app; connects the signal for deleted files."""

    name = "citations"

    def ready(self) -> None:
        from citations.importing.stored_file_entries import delete_entries_of_file
        from projects.signals import file_deleted

        file_deleted.connect(delete_entries_of_file, dispatch_uid="citations.importing.stored_file_entries")
