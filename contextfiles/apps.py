from django.apps import AppConfig
from django.http import multipartparser

# Bytes before each file of an upload, in which its name stands. Django takes 1,024 and else refuses the whole upload
# without a word on why; a name of 3,000 characters of any script is cut here instead (contextfiles/upload.py).
NAME_BYTES = 16 * 1024


class ContextFilesConfig(AppConfig):
    name = "contextfiles"

    def ready(self) -> None:
        import contextfiles.deletion
        import contextfiles.file_access  # noqa: F401  other rooms find the files by it

        multipartparser.MAX_TOTAL_HEADER_SIZE = NAME_BYTES  # type: ignore[attr-defined]
