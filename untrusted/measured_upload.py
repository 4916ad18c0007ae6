"""A file that is uploaded, while it is stored."""

import hashlib
from collections.abc import Callable, Iterator

from django.core.files import File


class Measured:
    """An upload that is measured and hashed while a storage writes it. `check` is given its size, the announced one first
    and then what has come so far, and raises where that is too much."""

    def __init__(self, upload: "File[bytes]", check: Callable[[int], None]) -> None:
        check(upload.size or 0)
        self.upload, self.check = upload, check
        self.size, self.digest = 0, hashlib.sha256()

    def chunks(self) -> Iterator[bytes]:
        for chunk in self.upload.chunks():
            self.size += len(chunk)
            self.check(self.size)
            self.digest.update(chunk)
            yield chunk
