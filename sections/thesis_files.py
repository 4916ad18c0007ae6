"""The files that belong to the text: pictures put in while writing, and what an imported LaTeX project brought (SPEC T2, T5)."""

import hashlib
import posixpath
import re
from typing import Any, cast

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils.text import slugify

from core.errors import Refused
from latex.includes import FIGURES, picture_folders, picture_paths
from projects.models import Project, User
from sections.models import ThesisFile, stored_at
from untrusted.file_names import shortened
from untrusted.images import Picture, media_type_of, written_anew
from untrusted.pdf_to_png import draw_page

MOST_FILES = 5_000  # of one thesis
MOST_PATH = 255  # characters
SHOWN = {"image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"}

_NAMELESS = {
    "",
    "image",
    "images",
    "blob",
    "pasted",
    "clipboard",
    "untitled",
    "unknown",
}  # what browsers call a pasted one


def add_picture(project: Project, user: User, data: bytes, name: str) -> ThesisFile:
    """Keep the picture in `data` among the files of `project`, written anew; the one it has where it is the same.

    `name` is what the browser called it. A PDF figure is kept as it is. Sets `width` and `height` on the row (pixels; 0
    when unknown). Raises Refused for what is no picture that LaTeX and a page can show, and what is too large.
    """
    shown = short_name(name)
    check_size(len(data), shown)
    is_pdf = media_type_of(data) == "application/pdf"
    if not is_pdf and (b"<svg" in data[:4096].lower() or name.lower().endswith((".svg", ".svgz"))):
        raise Refused(
            f"{shown} is an SVG, which is a program and is not shown. Export it as PDF or PNG and add that.",
            field="file",
            code="svg",
        )
    picture = Picture(data, "application/pdf", 0, 0) if is_pdf else written_anew(data, shown)
    ending = ".pdf" if is_pdf else picture.ending
    digest = hashlib.sha256(picture.data).hexdigest()
    with Project.objects.held(project.pk):  # two at once get two names
        file: ThesisFile | None = ThesisFile.objects.filter(
            project=project, sha256=digest, kind=ThesisFile.Kind.PICTURE
        ).first()
        if file is None:
            file = store(project, user, free_path(project, name, ending), picture.data, picture.media_type)
    file.width, file.height = picture.width, picture.height  # type: ignore[attr-defined]
    return file


def store(
    project: Project, user: User | None, path: str, data: bytes, media_type: str = "", **columns: Any
) -> ThesisFile:
    """Return a new file of `project` with its bytes. To be called in a transaction: when that fails, the bytes go too.

    Raises Refused when there are MOST_FILES already.
    """
    if ThesisFile.objects.filter(project=project).count() >= MOST_FILES:
        raise Refused(f"A thesis holds at most {MOST_FILES:,} files. Delete some first.", field="file", code="too_many")
    media_type = media_type or media_type_of(data[:16])
    kind = ThesisFile.Kind.PICTURE if media_type else ThesisFile.Kind.OTHER
    file = ThesisFile(project=project, path=path, added_by=user, media_type=media_type, **{"kind": kind, **columns})
    file.size, file.sha256 = len(data), hashlib.sha256(data).hexdigest()
    try:
        file.blob.save(path, ContentFile(data), save=False)
        file.save(force_insert=True)
    except BaseException as error:
        file.blob.storage.delete(stored_at(file, path))
        if not isinstance(error, OSError):
            raise
        raise Refused(
            f"The server could not store {path} ({error.strerror}). Tell whoever runs this server.",
            field="file",
            code="not_stored",
            status=507,
        ) from error
    return file


def free_path(project: Project, name: str, ending: str) -> str:
    """Return where a picture called `name` goes: "figures/flow-chart.png", or "figures/pasted-1.png" for one without a name.

    No other file of the project has the path, whatever the capitals.
    """
    there = ThesisFile.objects.filter(project=project, path__istartswith=f"{FIGURES}/").values_list("path", flat=True)
    taken = set(map(str.casefold, there))
    stem = slugify(posixpath.splitext(name.replace("\\", "/").rpartition("/")[2])[0])[:60].strip("-_")
    nameless = stem in _NAMELESS or re.fullmatch(r"pasted-\d+", stem) is not None
    if not nameless and (path := f"{FIGURES}/{stem}{ending}") not in taken:
        return path
    stem, number = ("pasted", 1) if nameless else (stem, 2)
    while (path := f"{FIGURES}/{stem}-{number}{ending}") in taken:
        number += 1
    return path


def find_picture(project: Project, path: str) -> ThesisFile | None:
    r"""Return the picture that `\includegraphics{path}` means: as LaTeX looks for it, with and without ending, also where the
    main file's `\graphicspath` points to. None when there is none that can be shown.
    """
    main = ThesisFile.objects.filter(project=project, is_main=True).first()
    texts = ["".join(piece.get("text", "") for piece in main.pieces or [])] if main else []
    wanted = list(picture_paths(path, picture_folders(main.path if main else None, texts)))
    return min(
        ThesisFile.objects.filter(project=project, path__in=wanted, media_type__in=SHOWN),
        key=lambda file: wanted.index(file.path),
        default=None,
    )


def page_of(file: ThesisFile) -> bytes | None:
    """Return the first page of a PDF figure as a PNG, drawn once and kept; None when it cannot be drawn."""
    name = _drawn_at(file)
    if default_storage.exists(name):
        with default_storage.open(name) as kept:
            return cast(bytes, kept.read())
    png = draw_page(bytes_of(file))
    if png is not None:
        default_storage.save(name, ContentFile(png))
    return png


def _drawn_at(file: ThesisFile) -> str:
    return f"{stored_at(file, '')}-page-1.png"


def bytes_of(file: ThesisFile) -> bytes:
    """Return the bytes of a file that is kept as it came. Raises OSError when the disk has lost them."""
    with file.blob.open("rb") as blob:
        return cast(bytes, blob.read())


def remove(file: ThesisFile) -> None:
    """Delete a file. Raises Refused for one that sections stand in, or that LaTeX is started on."""
    if file.is_main or any("section" in piece for piece in file.pieces or []):
        raise Refused(
            f"{file.path} holds the text of this thesis. Remove its sections in the outline instead.",
            field="file",
            code="holds_text",
            status=409,
        )
    file.delete()


def check_size(size: int, name: str) -> None:
    """Raises Refused for an empty file and for one of more bytes than are taken."""
    if not size:
        raise Refused(f"{name} is empty.", field="file", code="empty")
    if size > settings.UPLOAD_MAX_BYTES:
        raise Refused(
            f"{name} is larger than {settings.UPLOAD_MAX_BYTES / 1024 / 1024:g} MB, which is the limit here.",
            field="file",
            code="too_large",
            status=413,
        )


def short_name(name: str) -> str:
    """Return a file's name as sentences have it: no folders, nothing invisible, short."""
    return shortened("".join(filter(str.isprintable, name.replace("\\", "/").rpartition("/")[2])) or "This file")


def remove_bytes(sender: Any, instance: Any, **_: Any) -> None:
    """Receiver of post_delete of ThesisFile and TextImport: the bytes go once the deletion is committed."""
    names = [str(instance.blob.name)] if instance.blob else []
    names += [_drawn_at(instance)] if isinstance(instance, ThesisFile) else []

    def gone() -> None:
        for name in names:
            default_storage.delete(name)

    transaction.on_commit(gone)
