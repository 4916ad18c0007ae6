"""Word and Markdown become LaTeX by pandoc, in its sandbox and a process with limits (SPEC T2, T5, R18)."""

import re
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from defusedxml.ElementTree import fromstring

from core.errors import Refused
from latex.headings import plain
from untrusted.archive import Archive
from untrusted.images import Picture, media_type_of, written_anew
from untrusted.pandoc import Ran, Tick, TookLong, Unread, no_tick, pandoc

SECONDS = 180
_MARK = "%%%scholium-body%%%"
_FORMATS = {"docx": "docx", "md": "markdown+raw_tex"}
TO_LATEX = Path(__file__).with_name("to_latex.lua")
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MOST_XML = 60 * 1024 * 1024  # bytes of a part of a Word file that is read for its comments
_MOST_COMMENTS = 200  # that are kept in the report
_VERBATIM = re.compile(
    r"(\\begin\{(?:verbatim|lstlisting|Highlighting)\}.*?\\end\{(?:verbatim|lstlisting|Highlighting)\})", re.DOTALL
)
_IMAGE = re.compile(r"(\\includegraphics(?:\[[^\]]*\])?)\{([^{}]*)\}")


class Converted(NamedTuple):
    """LaTeX made of a document: chapters by its highest headings, pictures by path, what a person should know."""

    title: str
    latex: str
    pictures: dict[str, bytes]
    others: dict[str, bytes]
    notes: list[str]


def to_latex(data: bytes, format: str, name: str, stem: str = "figures/picture", tick: Tick = no_tick) -> Converted:
    """Return the document in `data`, "docx" or "md", called `name`; its pictures are `stem`-1.png and so on.

    `tick` is called while pandoc works, and may raise to stop it.

    Raises Refused for what is no such document, is hostile, or takes too long.
    """
    if format == "docx":
        notes = _look_into(data, name)
    else:
        data = _as_utf8(data, name)
        has_html = re.search(rb"</?[a-zA-Z][^<>\n]{0,200}>|<!--", data)
        notes = ["HTML in this file was left out; the words in it came in."] if has_html else []
    ran = _run(data, format, name, tick)
    title, _, body = ran.out.decode("utf-8").partition(f"\n{_MARK}\n")
    latex = f"{tidied(body.replace(chr(0), ''))}\n"
    pictures, others, latex = _placed(latex, ran.media, stem, notes)
    notes += [
        f"The picture {path} is not in the file. Add it where the text names it."
        for path in _missing(latex, pictures, others)
    ]
    return Converted(plain(title), latex, pictures, others, notes)


def _run(data: bytes, format: str, name: str, tick: Tick) -> Ran:
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
    except TookLong as error:
        raise Refused(
            f"{name} took longer than {SECONDS // 60} minutes to read. Split it and bring the parts.", field="file"
        ) from error
    except Unread as error:
        raise Refused(
            f"{name} could not be read: it is damaged, or made in an unusual way. Open it in the program it comes from, save "
            "it again and bring that. Nothing was brought in.",
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
        f"{name} does not hold plain text. If it does, save it as UTF-8 and bring that.", field="file", code="not_text"
    )


def _look_into(data: bytes, name: str) -> list[str]:
    """Return what becomes of the comments, tracked changes and citation fields of a Word file. Raises Refused for a hostile one."""
    archive = Archive(BytesIO(data), name)
    if "word/document.xml" not in archive.sizes:
        raise Refused(
            f"{name} is no Word document. Save it in Word or LibreOffice as .docx and bring that.",
            field="file",
            code="not_word",
        )
    if any(path.lower().endswith("vbaproject.bin") for path in archive.sizes):
        raise Refused(
            f"{name} carries macros. Save it as .docx, which leaves them out, and bring that.",
            field="file",
            code="macros",
        )
    body = _part(archive, "word/document.xml")
    notes = []
    inserted, deleted = (len(re.findall(rb"<w:%s[ >]" % kind, body)) for kind in (b"ins", b"del"))
    if inserted or deleted:
        notes.append(
            f"{inserted + deleted:,} tracked changes were accepted: {inserted:,} insertions are in the text, {deleted:,} deletions are gone."
        )
    fields = len(re.findall(rb"ADDIN (?:ZOTERO_ITEM|CSL_CITATION|EN\.CITE|Mendeley)", body))
    if fields:
        notes.append(
            f"{fields:,} citations were put in by a reference manager. They came in as plain words: export the references as "
            "BibTeX, import them here, and cite them anew."
        )
    return notes + _comments(_part(archive, "word/comments.xml"))


def _part(archive: Archive, path: str) -> bytes:
    return archive.read(path) if 0 < archive.sizes.get(path, 0) <= _MOST_XML else b""


def _comments(data: bytes) -> list[str]:
    try:
        rows = list(fromstring(data, forbid_dtd=True).iter(f"{_W}comment")) if data else []
    except Exception:  # damaged or hostile XML
        return ["The comments of this Word file could not be read and were left out."]
    if not rows:
        return []
    return [
        f"{len(rows):,} comment{'' if len(rows) == 1 else 's'} of the Word file did not come into the text. They are listed here.",
        *(
            f"Comment by {row.get(f'{_W}author', 'somebody')[:80]}: {' '.join(''.join(row.itertext()).split())[:500]}"
            for row in rows[:_MOST_COMMENTS]
        ),
    ]


def tidied(latex: str) -> str:
    """LaTeX of pandoc without the commands that only its own template defines, and without empty lines around it."""
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
    """Return the pictures of a document under paths that begin with `stem`, written anew, and its text naming them there."""
    pictures: dict[str, bytes] = {}
    others: dict[str, bytes] = {}
    paths: dict[str, str] = {}
    for number, (path, data) in enumerate(media.items(), 1):
        ending = Path(path).suffix.lower()[:10]
        try:
            is_pdf = media_type_of(data) == "application/pdf"
            picture = Picture(data, "application/pdf", 0, 0) if is_pdf else written_anew(data, path)
            paths[path] = f"{stem}-{number}{'.pdf' if is_pdf else picture.ending}"
            pictures[paths[path]] = picture.data
        except Refused:
            paths[path] = f"{stem}-{number}{ending}"
            others[paths[path]] = data
            notes.append(
                f"{paths[path]} is a picture that LaTeX does not take ({ending or 'no ending'}). It is kept: open it, save it as PDF "
                "or PNG, and put that in its place."
            )
    return pictures, others, _IMAGE.sub(lambda found: f"{found[1]}{{{paths.get(found[2], found[2])}}}", latex)


def _missing(latex: str, pictures: dict[str, bytes], others: dict[str, bytes]) -> list[str]:
    return [
        path[:200]
        for path in dict.fromkeys(found[2] for found in _IMAGE.finditer(latex))
        if path not in pictures and path not in others
    ][:20]
