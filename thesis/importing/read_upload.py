"""Reading an uploaded text, and storing its sections, their first versions, and its other files (SPEC T2)."""

import hashlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import IO, Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from core.errors import Refused
from latex.encoding import NotText
from latex.project_source import pieces_of
from projects.models import Project, User
from sections.latex_project import LatexProject, NoMain, TexFile, TexSection, read_project, sections_note
from sections.models import MOST_SECTIONS, Section, TextImport, ThesisFile, stored_at
from sections.outline import add_sections
from sections.thesis_files import short_name
from sections.word_and_markdown import to_latex
from thesis.importing.typed_list.add_entries import add_typed_entries
from thesis.importing.word_citations_and_comments import (
    WordContent,
    add_references,
    place_citations,
    place_comments,
    read_word_content,
    take_out_comment_marks,
    tell_citations,
    without_marks,
)
from thesis.importing.word_own_list import without_own_list
from untrusted.archive import Archive
from untrusted.images import media_type_of

FORMATS = {".tex": "tex", ".ltx": "tex", ".zip": "zip", ".docx": "docx", ".md": "md", ".markdown": "md"}
ACCEPTED_FORMATS = "a LaTeX file (.tex), a LaTeX project (.zip), a Word document (.docx) or Markdown (.md)"
_INSTEAD = {
    ".doc": "Open it in Word or LibreOffice and save it as .docx.",
    ".odt": "Open it in LibreOffice and save it as .docx.",
    ".rtf": "Open it in Word or LibreOffice and save it as .docx.",
    ".docm": "Save it as .docx, which leaves the macros out.",
    ".pages": "Open it in Pages and export it as .docx.",
    ".pdf": "A PDF has no chapters that could be edited: upload the file it was made from.",
    ".rar": "Pack the folder as .zip.",
    ".7z": "Pack the folder as .zip.",
    ".gz": "Pack the folder as .zip.",
    ".tar": "Pack the folder as .zip.",
    ".bib": "Import references on the Citations page.",
}


@dataclass
class Row:
    """What became of one file: `kind` is section, tex, picture, references, other or left_out."""

    path: str
    kind: str
    became: str
    warnings: list[str] = field(default_factory=list)
    sections: list[TexSection] = field(default_factory=list)


@dataclass
class UploadContent:
    """The content of an uploaded file.

    `tex` are the files with sections in them, `files` those to store as bytes, which `read` returns, and `references`
    the .bib files among these. `word` are the citations and comments of a Word file.
    """

    title: str
    sections: list[TexSection]
    rows: list[Row]
    notes: list[str]
    tex: list[TexFile] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)
    read: Callable[[str], bytes] = lambda path: b""
    word: WordContent | None = None


def format_of(name: str) -> str:
    """Return the format of a file called `name`: "tex", "zip", "docx" or "md". Raises Refused for any other."""
    ending = PurePosixPath(name).suffix.lower()
    if ending not in FORMATS:
        instead = _INSTEAD.get(ending, "")
        raise Refused(
            f"{short_name(name)} cannot be imported. Upload {ACCEPTED_FORMATS}. {instead}".strip(),
            field="file",
            code="format",
        )
    return FORMATS[ending]


def read_archive(file: IO[bytes], name: str, main: str = "") -> UploadContent:
    """Read a LaTeX project in a ZIP archive. `main` is its main file, if a person chose it. Raises Refused."""
    archive = Archive(file, short_name(name))
    project = _project(archive.sizes, archive.read, MOST_SECTIONS, short_name(name), main)
    rows = [
        _row(project.files[path])
        if path in project.files
        else Row(path, *_unchanged_file(path, path in project.references))
        for path in sorted(archive.sizes)
    ]
    rows += [Row(one.name, "left_out", f"left out: {one.why}") for one in archive.left_out]
    tex = [file for file in project.files.values() if file.pieces is not None]
    files = sorted(set(archive.sizes) - {file.path for file in tex})
    notes = [*archive.notes, *project.notes]
    return UploadContent(project.title, project.sections, rows, notes, tex, files, project.references, archive.read)


def read_tex(data: bytes, name: str, *, alone: bool) -> UploadContent:
    """Read one TeX file. With `alone` it is the thesis; otherwise only its sections are added to an existing thesis."""
    path = short_name(name)
    project = _project({path: len(data)}, lambda _: data, MOST_SECTIONS if alone else 10**6, path)
    file = project.files[path]
    rows = [_row(file)]
    if alone:
        return UploadContent(project.title, project.sections, rows, project.notes, [file])
    rows[0].kind, rows[0].became = "section", _sections_told(project.sections)
    if any(isinstance(piece, str) and piece.strip() for piece in file.pieces or []):
        rows[0].warnings.append(
            "The text around the sections (the preamble, the list of references) was left out: this thesis has its own."
        )
    return UploadContent(project.title, project.sections, rows, project.notes)


def read_document(data: bytes, format: str, name: str, stem: str, tick: Callable[[], None]) -> UploadContent:
    """Read a Word or Markdown file as LaTeX. Its pictures get the names `stem`-1.png and so on. Raises Refused."""
    made = to_latex(data, format, short_name(name), stem, tick)
    word = read_word_content(made.marked) if made.marked else None
    latex = (without_own_list(made.latex, word) if word else made.latex).encode()
    inside = PurePosixPath(short_name(name)).stem + ".tex"
    project = _project({inside: len(latex)}, lambda _: latex, 10**6, short_name(name))
    file = project.files[inside]
    lost = sum(len(piece) for piece in file.pieces or [] if isinstance(piece, str) and piece.strip())
    warnings = [*made.notes, *file.warnings]
    if lost:
        warnings.append(f"{lost:,} characters of layout, without any words, were left out.")
    title = made.title
    if word:
        title = without_marks(title, word)
        for section in project.sections:
            section.title = without_marks(section.title, word)
    held = {**made.pictures, **made.others}
    rows = [
        Row(short_name(name), "section", _sections_told(project.sections), warnings, project.sections),
        *(Row(path, "picture", "picture") for path in made.pictures),
        *(Row(path, "other", "kept unchanged: LaTeX cannot show this picture format") for path in made.others),
    ]
    return UploadContent(
        title, project.sections, rows, project.notes, files=sorted(held), read=held.__getitem__, word=word
    )


def _project(sizes: dict[str, int], read: Callable[[str], bytes], most: int, name: str, main: str = "") -> LatexProject:
    try:
        return read_project(sizes, read, most, main)
    except NoMain as error:
        raise Refused(f"{name} cannot be imported. {error}", field="file", code="no_main") from error
    except NotText as error:
        raise Refused(f"{name}: the main file {error}", field="file", code="not_text") from error


def _row(file: TexFile) -> Row:
    return Row(file.path, "section" if file.sections else "tex", file.became, file.warnings, file.sections)


def _unchanged_file(path: str, is_reference: bool) -> tuple[str, str]:
    ending = PurePosixPath(path).suffix.lower()
    if ending == ".bib":
        return "references", "kept unchanged" + ("" if is_reference else ": the text does not use it")
    if ending in (".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf"):
        return "picture", "picture"
    if ending in (".eps", ".ps", ".svg", ".tif", ".tiff", ".bmp", ".emf", ".wmf"):
        return "picture", "picture, for LaTeX only: a web page cannot show this format"
    return "other", "kept unchanged"


def _sections_told(sections: list[TexSection]) -> str:
    return sections_note(sections) if sections else "nothing: it contains no text"


EVERY = 20  # files stored between two checks whether the job must stop

_KINDS = {"references": ThesisFile.Kind.REFERENCES, "picture": ThesisFile.Kind.PICTURE, "tex": ThesisFile.Kind.TEX}


def import_state(brought: TextImport) -> dict[str, Any]:
    """Return the progress and report of an import (see import_job.py): the dictionary of the row itself, not a copy."""
    if brought.result is None:
        brought.result = {"into": "thesis", "stage": "waiting", "titled": True, "format": "tex"}
    return brought.result


def store_files(
    brought: TextImport, found: UploadContent, user: User, tick: Callable[[int, int], None]
) -> list[ThesisFile]:
    """Store the files of `found` on the disk and return their rows, which are not saved yet.

    Their ids are derived from the import and the path, so that a second attempt overwrites the files of the first.
    """
    kinds = {row.path: row.kind for row in found.rows}
    files = []
    for number, path in enumerate(found.files):
        if number % EVERY == 0:
            tick(number, len(found.files))
        data = found.read(path)
        file = ThesisFile(
            id=uuid.uuid5(brought.pk, path),
            project=brought.project,
            path=path,
            kind=_KINDS.get(kinds[path], ThesisFile.Kind.OTHER),
            size=len(data),
            sha256=hashlib.sha256(data).hexdigest(),
            media_type=media_type_of(data[:16]),
            added_by=user,
        )
        default_storage.delete(stored_at(file, path))
        file.blob.save(path, ContentFile(data), save=False)
        files.append(file)
    tick(len(found.files), len(found.files))
    return files


def save_rows(brought: TextImport, found: UploadContent, files: list[ThesisFile], user: User) -> None:
    """Save the rows of everything in `found`, and the report in `brought`. To be called in a transaction."""
    project, state = brought.project, import_state(brought)
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    sections = _add_sections(project, found, user)
    typed = add_typed_entries(project, sections) if state["format"] in ("docx", "md") else []
    ids = {id(read): str(section.pk) for read, section in zip(found.sections, sections, strict=True)}
    ThesisFile.objects.bulk_create(
        [*files, *(_tex(brought, found, file, ids, user) for file in found.tex)], batch_size=200
    )
    if found.title and state["into"] == "thesis" and not state["titled"]:
        project.title = found.title[:300]
        project.save(update_fields=["title", "updated_at"])
    elif sections:
        sections[0].touch_project()
    slugs = {id(read): section.slug for read, section in zip(found.sections, sections, strict=True)}
    brought.result = {
        **state,
        "stage": "text",
        "rows": [
            {**vars(row), "sections": [{"title": one.title, "slug": slugs[id(one)]} for one in row.sections]}
            for row in found.rows
        ],
        "notes": found.notes,
        "references": found.references,
        "typed": typed,
        "word": {"came": found.word.came, "unplaced": found.word.unplaced} if found.word else None,
        "sections": [{"title": section.title, "slug": section.slug} for section in sections],
    }
    brought.save(update_fields=["result"])


def _add_sections(project: Project, found: UploadContent, user: User) -> list[Section]:
    """Add the sections, with the citations and comments of a Word file in their places."""
    if (word := found.word) is None:
        return add_sections(project, [(one.title, one.latex) for one in found.sections], user)
    keys = add_references(project, word)
    texts = [place_citations(one.latex, one.title, word, keys) for one in found.sections]
    tell_citations(word)
    texts, spans = take_out_comment_marks(texts, word)
    titles = [one.title for one in found.sections]
    sections = add_sections(project, list(zip(titles, texts, strict=True)), user)
    place_comments(sections, word, spans, user)
    return sections


def _tex(brought: TextImport, found: UploadContent, file: TexFile, ids: dict[int, str], user: User) -> ThesisFile:
    text = "".join(piece if isinstance(piece, str) else piece.latex for piece in file.pieces or [])
    data = text.encode(file.encoding)
    return ThesisFile(
        id=uuid.uuid5(brought.pk, file.path),
        project=brought.project,
        path=file.path,
        kind=ThesisFile.Kind.TEX,
        is_main=file.is_main,
        pieces=pieces_of(file.pieces or [], ids),
        encoding=file.encoding,
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        media_type="",
        added_by=user,
    )
