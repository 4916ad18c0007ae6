from django.apps import AppConfig
from django.http import multipartparser

# Bytes allowed for the headers of each uploaded file, which hold its name. Django's limit of 1,024 would reject the
# whole upload without an explanation; with this one, contextfiles/upload.py shortens a name of 3,000 characters.
NAME_BYTES = 16 * 1024


class ContextFilesConfig(AppConfig):
    """The app that stores uploaded files and reads their text."""

    name = "contextfiles"

    def ready(self) -> None:
        import contextfiles.deletion
        import contextfiles.file_access  # noqa: F401  it registers the files for other apps

        multipartparser.MAX_TOTAL_HEADER_SIZE = NAME_BYTES  # type: ignore[attr-defined]
