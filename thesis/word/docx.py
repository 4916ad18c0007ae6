"""A thesis as a Word file by pandoc: reads chapters one by one, numbers them as LaTeX does, writes them (SPEC T6)."""

import json
import logging
import re
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from core.errors import Refused
from thesis.assembly.expand_citing_commands import with_plain_citations
from thesis.assembly.references import References
from thesis.front_matter.page_fields import values
from thesis.manuscript import Manuscript
from thesis.pandoc_ast.nodes import VERSION, Node, header, para, words
from thesis.pandoc_ast.numbers import Numbers
from thesis.pandoc_ast.read import Read, as_source, read_latex
from thesis.pandoc_ast.text_order import Stretch, Text, text_of
from thesis.word.captions_and_text import Content
from thesis.word.front_matter import SECTION_END, forms, lists, title_only
from thesis.word.openxml import raw_block, styled
from thesis.word.pictures import Pictures
from thesis.word.post_processing import finished
from thesis.word.references import as_csl_json, cited_in, csl_for_word, names_of, readable, style_of, works_of
from thesis.word.styles import page_of, reference
from untrusted.pandoc import PandocFailed, Tick, no_tick, pandoc, side_by_side

log = logging.getLogger(__name__)

_READING = 120  # seconds for all chapters; chapters not read by then are shown as LaTeX source
_WRITING = 90  # seconds; a thesis of 120 pages takes a few
_OPTIONS = (
    "--from=json", "--to=docx", "--citeproc", "--csl=style.csl", "--bibliography=works.json",
    "--reference-doc=styles.docx", "--metadata=link-citations:true",
)  # fmt: skip
REFERENCES = "References"


class Word(NamedTuple):
    """The bytes of a .docx file, and notes about it for the user, as sentences."""

    data: bytes
    notes: list[str]


def docx_of_thesis(manuscript: Manuscript, tick: Tick = no_tick) -> Word:
    """Return `manuscript` as a Word file, with Word's own headings, captions, table of contents and cross-references.

    `tick` is called regularly and may raise to stop the work. No file on the disk or address that the text names is
    read. Raises Refused when the file cannot be written.
    """
    manuscript = with_plain_citations(manuscript)
    text = text_of(manuscript)
    works = works_of(manuscript, text)
    style, said = style_of(manuscript)
    prepared = [readable(stretch.latex, works) for stretch in text.stretches]
    until = time.monotonic() + _READING
    read = side_by_side(lambda latex, go_on: _read(latex, text, until, go_on), prepared, tick)
    page = page_of(manuscript.layout.template)
    pictures = Pictures(manuscript.files, page.text_width, page.text_height)
    content = Content(
        Numbers(depth=text.depth, has_chapters=text.has_chapters), pictures, names_of(works, style), works.same
    )
    blocks = _blocks(manuscript, text, read, content, has_references=bool(works.by_key))
    keys = [key for latex in prepared for key in cited_in(latex)]
    nocite = [node for one in read for node in one.nocite if node["t"] == "Cite"]
    meta = {"nocite": {"t": "MetaInlines", "c": nocite}} if nocite else {}
    tick()
    written, log_ = _written(
        json.dumps({"pandoc-api-version": VERSION, "meta": meta, "blocks": blocks}),
        {"style.csl": csl_for_word(style), "works.json": as_csl_json(works.by_key), "styles.docx": reference(page)},
        tick,
    )
    tick()
    author = values(manuscript)["author"] or manuscript.author
    try:
        made = pictures.swap(finished(written, title=manuscript.title, author=author, page=page, depth=text.depth))
    except Exception as error:  # pandoc's output is not as expected: no file is better than one Word cannot open
        log.exception("A Word file could not be finished")
        raise _not_made() from error
    return Word(made, [*([said] if said else []), *_notes(text, read, content, works, keys, log_)])


def _read(latex: str, text: Text, until: float, tick: Tick) -> Read:
    if time.monotonic() > until:
        return Read(as_source(latex), why="Reading the chapters before it took too long.")
    return read_latex(latex, text.macros, has_chapters=text.has_chapters, first_line=None, tick=tick)


def _blocks(
    manuscript: Manuscript, text: Text, read: list[Read], content: Content, *, has_references: bool
) -> list[Node]:
    """Return all blocks in their order: forms, contents, chapters, references, appendices."""
    numbers = content.numbers
    front = title_only(manuscript.title, values(manuscript)["author"]) if manuscript.is_brought else forms(manuscript)
    numbers.count(front, is_numbered=False)
    parts = [pair for pair in zip(text.stretches, read, strict=True) if not _is_empty(*pair)]
    ended = [header(1, words(REFERENCES))] if has_references else []
    _count(numbers, [(stretch, one) for stretch, one in parts if stretch.place != "back"])
    numbers.count(ended, is_numbered=False)
    _count(numbers, [(stretch, one) for stretch, one in parts if stretch.place == "back"])
    made = {place: _blocks_of(content, parts, place) for place in ("front", "opening", "body", "back")}
    front = [*content.forms(front), *made["front"], *lists(manuscript, numbers), *made["opening"]]
    front += [raw_block(SECTION_END)] if front else []
    return [*front, *made["body"], *content.made(ended), {"t": "Div", "c": [["refs", [], []], []]}, *made["back"]]


def _count(numbers: Numbers, parts: list[tuple[Stretch, Read]]) -> None:
    for stretch, read in parts:
        numbers.counters = stretch.counters.copy()
        _safely(read, partial(numbers.count, read.blocks))


def _is_empty(stretch: Stretch, read: Read) -> bool:
    r"""Return whether a chapter is only a heading for \bibliography, so that the references can take its place."""
    is_named = stretch.title.strip().casefold() in {"references", "bibliography"}
    return is_named and all(block["t"] == "Header" for block in read.blocks)


def _safely(read: Read, work: Callable[[], Any]) -> Any:
    """Call `work`; when the chapter is nested too deeply, replace its text by a notice and call it again."""
    try:
        return work()
    except RecursionError:
        read.blocks[:] = [para(words("[This chapter is nested too deeply to be shown here.]"))]
        return work()


def _blocks_of(content: Content, parts: list[tuple[Stretch, Read]], place: str) -> list[Node]:
    made: list[Node] = []
    for read in (one for stretch, one in parts if stretch.place == place):
        if read.why:
            notice = f"[This part could not be converted. {read.why} It is shown as LaTeX source.]"
            made.append(styled("Caption", [para(words(notice))]))
        made += _safely(read, partial(content.made, read.blocks))
    return made


def _written(tree: str, files: dict[str, bytes], tick: Tick) -> tuple[bytes, list[dict[str, Any]]]:
    try:
        ran = pandoc(
            _OPTIONS,
            tree.encode("utf-8", "replace"),
            files=files,
            seconds=_WRITING,
            logs=True,
            tick=tick,
        )
    except PandocFailed as unread:
        log.warning("A Word file could not be written: %s", unread)
        raise _not_made() from unread
    return ran.out, json.loads(ran.log)


def _not_made() -> Refused:
    return Refused(
        "The Word file could not be created. Use the PDF or the LaTeX project instead.",
        field="kind",
        code="not_set",
        status=503,
    )


def _notes(
    text: Text, read: list[Read], content: Content, works: References, keys: list[str], said: list[dict[str, Any]]
) -> list[str]:
    notes = [
        f"“{stretch.title or 'The text before the first chapter'}” is shown as LaTeX source. {one.why}"
        for stretch, one in zip(text.stretches, read, strict=True)
        if one.why
    ]
    unknown = dict.fromkeys(key for key in keys if key not in works.by_key and key not in works.same and key != "*")
    notes += _listed("Cited, but not in the references", unknown)
    notes += _listed("Unknown labels (shown as “??”)", content.loose)
    notes += _listed("Pictures that are missing or cannot be shown", content.pictures.missing)
    if content.drawn:
        notes.append(f"Figures drawn by LaTeX are not in the Word file: {content.drawn}. Insert them as pictures.")
    odd = [str(one.get("contents", "")) for one in said if one.get("type") == "CouldNotConvertTeXMath"]
    if odd:
        first = " ".join(odd[0].split())[:80]
        notes.append(f"Formulas that could not be converted are shown as LaTeX: {len(odd)}, the first is {first}.")
    return [
        *notes,
        "When you open the file, Word asks whether to update fields: choose Yes to get page numbers in the contents.",
    ]


def _listed(what: str, names: dict[str, None]) -> list[str]:
    shown = ", ".join(re.sub(r"\s+", " ", name)[:80] for name in list(names)[:8])
    return [f"{what}: {shown}{f' and {len(names) - 8} more' if len(names) > 8 else ''}."] if names else []
