"""The words of a build's pages with their boxes, stored in a file beside its PDF when it is made (SPEC T6).

A short preview, and a build of an earlier version of Scholium, have no such file: their pages are read when they are
asked for.
"""

import gzip
import json
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from thesis.models import Build, built_at
from thesis.page_places.page_map import SectionText
from untrusted.pdf_words import PrintedPage, lines_from_json, words_of_pages

READ_AT_ONCE = 30  # pages that are read within a request
_SECONDS = 4  # of processor time to read pages within a request
_MOST_STORED = 16  # builds whose words a process holds; those of 120 pages take 3 MB

_stored: OrderedDict[UUID, "StoredWords"] = OrderedDict()


@dataclass(frozen=True)
class StoredWords:
    """The words of a build: the size of each page, and its lines, which are read when they are needed.

    `digests` are those of the LaTeX of each section that it was made from, by the section's id.
    """

    sizes: list[tuple[int, int]]
    digests: dict[str, str]
    lines: list[bytes]

    def page(self, number: int) -> PrintedPage:
        """Return a page, from 1."""
        return PrintedPage(*self.sizes[number - 1], lines_from_json(json.loads(self.lines[number - 1])))

    def pages(self) -> dict[int, PrintedPage]:
        """Return all pages by their numbers."""
        return {number: self.page(number) for number in range(1, len(self.sizes) + 1)}


def digest(latex: str) -> str:
    """Return a digest of a text, to see whether it was changed."""
    return sha256(latex.encode("utf-8", "replace")).hexdigest()[:16]


def words_name(build: Build) -> str:
    """Return the storage name of the words of a build, made of ids only."""
    return f"{built_at(build, '')}-words.json.gz"


def store_words(build: Build, pages: Sequence[PrintedPage], texts: Iterable[SectionText]) -> None:
    """Store the `pages` of a build that was made from `texts`."""
    head = {
        "sizes": [(page.width, page.height) for page in pages],
        "texts": {text.section: digest(text.latex) for text in texts},
    }
    data = "\n".join(json.dumps(one) for one in (head, *(page.lines for page in pages))).encode()
    drop_words(build)  # left by an attempt that was killed
    default_storage.save(words_name(build), ContentFile(gzip.compress(data, 5)))


def stored_words(build: Build) -> StoredWords | None:
    """Return the stored words of a build, or None if it has none."""
    found = _stored.get(build.pk)
    if found is None:
        try:
            with default_storage.open(words_name(build)) as file:
                head, *lines = gzip.decompress(file.read()).split(b"\n")
            read = json.loads(head)
            sizes = [(width, height) for width, height in read["sizes"]]
            found = _stored[build.pk] = StoredWords(sizes, dict(read["texts"]), lines)
        except (OSError, EOFError, ValueError, TypeError, KeyError):
            return None
        while len(_stored) > _MOST_STORED:
            _stored.popitem(last=False)
    return found


def read_pages(build: Build, first: int, last: int) -> dict[int, PrintedPage]:
    """Read some pages of a build from its PDF; return those that can be read, by their numbers from 1."""
    with suppress(OSError), build.output.open("rb") as blob:
        pages = words_of_pages(blob.read(), max(first, 1), last, seconds=_SECONDS)
        return dict(enumerate(pages or [], max(first, 1)))
    return {}


def drop_words(build: Build) -> None:
    """Delete the stored words of a build."""
    _stored.pop(build.pk, None)
    with suppress(OSError):
        default_storage.delete(words_name(build))
