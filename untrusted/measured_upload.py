"""An upload that is measured and hashed while it is stored."""

import hashlib
from collections.abc import Callable, Iterator

from django.core.files import File


class MeasuredUpload:
    """A file whose size and hash are computed while a storage writes it.

    `check` is called with the announced size first, then with the bytes read so far, and raises if that is too much.
    """

    def __init__(self, upload: "File[bytes]", check: Callable[[int], None]) -> None:
        check(upload.size or 0)
        self.upload, self.check = upload, check
        self.size, self.digest = 0, hashlib.sha256()

    def chunks(self) -> Iterator[bytes]:
        """Yield the chunks of the upload, updating size and hash. Raises what `check` raises."""
        for chunk in self.upload.chunks():
            self.size += len(chunk)
            self.check(self.size)
            self.digest.update(chunk)
            yield chunk
