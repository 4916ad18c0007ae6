"""The files of a thesis: pictures added while writing, and files of an imported LaTeX project (SPEC T2, T5)."""

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
from untrusted.images import Picture, media_type_of, reencode
from untrusted.pdf_to_png import draw_page

MOST_FILES = 5_000  # per thesis
MOST_PATH = 255  # characters
SHOWN = {"image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"}

# Names that browsers give to pasted pictures
_NAMELESS = {"", "image", "images", "blob", "pasted", "clipboard", "untitled", "unknown"}


def add_picture(project: Project, user: User, data: bytes, name: str) -> ThesisFile:
    """Add the picture in `data` to the files of `project` and return its row, or the existing row of the same picture.

    The picture is encoded again; a PDF is stored unchanged. `name` is the file name from the browser. Sets `width` and
    `height` on the row (pixels; 0 if unknown). Raises Refused for a picture that LaTeX and pages cannot both show, and
    for one that is too large.
    """
    shown = short_name(name)
    check_size(len(data), shown)
    is_pdf = media_type_of(data) == "application/pdf"
    if not is_pdf and (b"<svg" in data[:4096].lower() or name.lower().endswith((".svg", ".svgz"))):
        raise Refused(
            f"{shown} is an SVG, which can contain scripts and is not supported. Upload it as PDF or PNG instead.",
            field="file",
            code="svg",
        )
    picture = Picture(data, "application/pdf", 0, 0) if is_pdf else reencode(data, shown)
    ending = ".pdf" if is_pdf else picture.ending
    digest = hashlib.sha256(picture.data).hexdigest()
    with Project.objects.held(project.pk):  # so that two uploads at once get different names
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
    """Store a new file of `project` and return its row. To be called in a transaction.

    If saving the row fails, the bytes are deleted again. Raises Refused if there are MOST_FILES files already.
    """
    if ThesisFile.objects.filter(project=project).count() >= MOST_FILES:
        raise Refused(
            f"A thesis can have at most {MOST_FILES:,} files. Delete some first.", field="file", code="too_many"
        )
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
            f"The server could not store {path} ({error.strerror}). Contact the administrator of this server.",
            field="file",
            code="not_stored",
            status=507,
        ) from error
    return file


def free_path(project: Project, name: str, ending: str) -> str:
    """Return the path for a picture called `name`: "figures/flow-chart.png", or "figures/pasted-1.png" without a name.

    No other file of the project has that path, ignoring case.
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
    r"""Return the picture that `\includegraphics{path}` means, or None if there is none that a page can show.

    It is searched as LaTeX does: with and without ending, and in the folders of `\graphicspath` of the main file.
    """
    main = ThesisFile.objects.filter(project=project, is_main=True).first()
    texts = ["".join(piece.get("text", "") for piece in main.pieces or [])] if main else []
    wanted = list(picture_paths(path, picture_folders(main.path if main else None, texts)))
    return min(
        ThesisFile.objects.filter(project=project, path__in=wanted, media_type__in=SHOWN),
        key=lambda file: wanted.index(file.path),
        default=None,
    )


def first_page_png(file: ThesisFile) -> bytes | None:
    """Return the first page of a PDF figure as a PNG, or None if it cannot be rendered. The PNG is stored."""
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
    """Return the stored bytes of a file. Raises OSError if they are missing on the disk."""
    with file.blob.open("rb") as blob:
        return cast(bytes, blob.read())


def remove_file(file: ThesisFile) -> None:
    """Delete a file. Raises Refused for the main file and for one that contains sections."""
    if file.is_main or any("section" in piece for piece in file.pieces or []):
        raise Refused(
            f"{file.path} contains the text of this thesis. Remove its sections in the outline instead.",
            field="file",
            code="holds_text",
            status=409,
        )
    file.delete()


def check_size(size: int, name: str) -> None:
    """Raise Refused for an empty file and for one over the upload limit."""
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
    """Return a file name for use in messages: without folders and invisible characters, and shortened."""
    return shortened("".join(filter(str.isprintable, name.replace("\\", "/").rpartition("/")[2])) or "This file")


def remove_bytes(sender: Any, instance: Any, **_: Any) -> None:
    """Delete the bytes of a deleted ThesisFile or TextImport after the commit. Receiver of post_delete."""
    names = [str(instance.blob.name)] if instance.blob else []
    names += [_drawn_at(instance)] if isinstance(instance, ThesisFile) else []

    def gone() -> None:
        for name in names:
            default_storage.delete(name)

    transaction.on_commit(gone)
