"""Converting Word and Markdown to LaTeX with pandoc, in its sandbox and a process with limits (SPEC T2, T5, R18)."""

import re
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile

from core.errors import Refused
from latex.headings import plain
from untrusted.archive import Archive
from untrusted.images import Picture, media_type_of, reencode
from untrusted.pandoc import PandocFailed, PandocOutput, PandocTimeout, Tick, no_tick, pandoc
from untrusted.sandbox import NoAnswer, read_in_sandbox

SECONDS = 180
_MARK = "%%%scholium-body%%%"
_FORMATS = {"docx": "docx", "md": "markdown+raw_tex"}
TO_LATEX = Path(__file__).with_name("to_latex.lua")
_MAIN_PART = re.compile(r"word/document\d*\.xml")
_VERBATIM = re.compile(
    r"(\\begin\{(?:verbatim|lstlisting|Highlighting)\}.*?\\end\{(?:verbatim|lstlisting|Highlighting)\})", re.DOTALL
)
_IMAGE = re.compile(r"(\\includegraphics(?:\[[^\]]*\])?)\{([^{}]*)\}")


class Converted(NamedTuple):
    """A document converted to LaTeX, its pictures by path, other files by path, and notes for people.

    `marked` are the citations and comments of a Word file, whose places are marks in the LaTeX (`word_marks.answered`).
    """

    title: str
    latex: str
    pictures: dict[str, bytes]
    others: dict[str, bytes]
    notes: list[str]
    marked: dict[str, Any] | None = None


def to_latex(data: bytes, format: str, name: str, stem: str = "figures/picture", tick: Tick = no_tick) -> Converted:
    """Convert the document in `data`, "docx" or "md", called `name`. Its pictures get the names `stem`-1.png and so on.

    `tick` is called while pandoc works and may raise to stop it. Raises Refused for a file of another type, a malicious
    one, and one that takes too long.
    """
    marked = None
    if format == "docx":
        _check_word(data, name)
        notes: list[str] = []
        data, marked = _marked(data, name, notes)
    else:
        data = _as_utf8(data, name)
        has_html = re.search(rb"</?[a-zA-Z][^<>\n]{0,200}>|<!--", data)
        notes = ["HTML tags in this file were left out; the text in them was imported."] if has_html else []
    ran = _run(data, format, name, tick)
    title, _, body = ran.out.decode("utf-8").partition(f"\n{_MARK}\n")
    latex = f"{tidy_pandoc_latex(body.replace(chr(0), ''))}\n"
    pictures, others, latex = _placed(latex, ran.media, stem, notes)
    notes += [
        f"The picture {path} is not in the file. Add it to the text where it is missing."
        for path in _missing(latex, pictures, others)
    ]
    return Converted(plain(title), latex, pictures, others, notes, marked)


def _run(data: bytes, format: str, name: str, tick: Tick) -> PandocOutput:
    options = [
        *(f"--from={_FORMATS[format]}", "--to=latex", "--natbib", "--top-level-division=chapter", "--wrap=preserve"),
        *("--syntax-highlighting=none", f"--lua-filter={TO_LATEX}", "--extract-media=media", "--template=body.tex"),
    ]
    try:
        return pandoc(
            options,
            data,
            files={"body.tex": f"$if(title)$$title$$endif$\n{_MARK}\n$body$".encode()},
            seconds=SECONDS,
            tick=tick,
        )
    except PandocTimeout as error:
        raise Refused(
            f"{name} took longer than {SECONDS // 60} minutes to read. Split it and import the parts.", field="file"
        ) from error
    except PandocFailed as error:
        raise Refused(
            f"{name} could not be read: it is damaged or has an unusual structure. Open it in the program that made "
            "it, save it again and upload that file. Nothing was imported.",
            field="file",
            code="unreadable",
        ) from error


def _as_utf8(data: bytes, name: str) -> bytes:
    for encoding in ("utf-16",) if data.startswith((b"\xff\xfe", b"\xfe\xff")) else ("utf-8-sig", "cp1252", "latin-1"):
        try:
            text = data.decode(encoding)
        except UnicodeError:
            continue
        if "\0" in text:
            break
        return text.encode()
    raise Refused(
        f"{name} is not plain text. If it should be, save it as UTF-8 and upload it again.",
        field="file",
        code="not_text",
    )


def _check_word(data: bytes, name: str) -> None:
    """Raise Refused for a file that is not Word or has macros."""
    archive = Archive(BytesIO(data), name)
    if not any(_MAIN_PART.fullmatch(path) for path in archive.sizes):
        raise Refused(
            f"{name} is not a Word document. Save it in Word or LibreOffice as .docx and upload that.",
            field="file",
            code="not_word",
        )
    if any(path.lower().endswith("vbaproject.bin") for path in archive.sizes):
        raise Refused(
            f"{name} contains macros. Save it as .docx, which leaves them out, and upload that.",
            field="file",
            code="macros",
        )


def _marked(data: bytes, name: str, notes: list[str]) -> tuple[bytes, dict[str, Any] | None]:
    """Return a Word file with marks at its citations and comments, and what they are; None if it has neither.

    Adds notes on its tracked changes and on what could not be read.
    """
    with TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        try:
            marked = read_in_sandbox(file, "sections.word_marks", [])
        except (NoAnswer, OSError):
            notes.append(
                "The citations of reference managers and the comments of this Word file could not be read: the "
                "citations are plain text, the comments were left out."
            )
            return data, None
    inserted, deleted = marked.pop("changes")
    if inserted or deleted:
        changes = "1 tracked change was" if inserted + deleted == 1 else f"{inserted + deleted:,} tracked changes were"
        notes.append(f"{changes} accepted: insertions ({inserted:,}) are in the text, deletions ({deleted:,}) are not.")
    if unread := marked.pop("unread"):
        notes.append(
            f"Damaged or too large to read: {', '.join(unread)}. Citations in it are plain text, and comments in it "
            "were left out."
        )
    archive, made, parts = Archive(BytesIO(data), name), BytesIO(), marked.pop("parts")
    with ZipFile(made, "w", ZIP_DEFLATED) as written:
        for path in archive.sizes:
            written.writestr(path, parts[path] if path in parts else archive.read(path))
    has_more = any(marked[kind] for kind in ("fields", "comments", "entries", "lost"))
    return made.getvalue(), marked if has_more else None


def tidy_pandoc_latex(latex: str) -> str:
    """Remove from LaTeX made by pandoc the commands that only its template defines, and empty lines around it."""
    parts = _VERBATIM.split(latex)
    parts[::2] = [_tidy(part) for part in parts[::2]]
    return "".join(parts).strip("\n")


def _tidy(latex: str) -> str:
    latex = re.sub(r"^(?:\\tightlist|\\def\\labelenum[iv]+\{.*\})\n", "", latex, flags=re.MULTILINE)
    latex = re.sub(r"\\item\n[ \t]+(?=\S)", r"\\item ", latex)
    return re.sub(r"\\pandocbounded\{(\\includegraphics(?:\[[^\]]*\])?\{[^{}]*\})\}", r"\1", latex)


def _placed(
    latex: str, media: dict[str, bytes], stem: str, notes: list[str]
) -> tuple[dict[str, bytes], dict[str, bytes], str]:
    """Encode the pictures of a document again, under paths that begin with `stem`.

    Return them, the media files that are not pictures for LaTeX, and the text with the new paths.
    """
    pictures: dict[str, bytes] = {}
    others: dict[str, bytes] = {}
    paths: dict[str, str] = {}
    for number, (path, data) in enumerate(media.items(), 1):
        ending = Path(path).suffix.lower()[:10]
        try:
            is_pdf = media_type_of(data) == "application/pdf"
            picture = Picture(data, "application/pdf", 0, 0) if is_pdf else reencode(data, path)
            paths[path] = f"{stem}-{number}{'.pdf' if is_pdf else picture.ending}"
            pictures[paths[path]] = picture.data
        except Refused:
            paths[path] = f"{stem}-{number}{ending}"
            others[paths[path]] = data
            notes.append(
                f"{paths[path]} is a picture that LaTeX cannot show ({ending or 'no ending'}). It was kept: open it, "
                "save it as PDF or PNG, and replace it in the text."
            )
    return pictures, others, _IMAGE.sub(lambda found: f"{found[1]}{{{paths.get(found[2], found[2])}}}", latex)


def _missing(latex: str, pictures: dict[str, bytes], others: dict[str, bytes]) -> list[str]:
    return [
        path[:200]
        for path in dict.fromkeys(found[2] for found in _IMAGE.finditer(latex))
        if path not in pictures and path not in others
    ][:20]
