"""The data that a reference manager stores in a citation of a Word file: CSL-JSON, EndNote's XML, base64 (SPEC C10).

Runs in the process that reads a Word file (`word_marks`), so nothing here imports Django.
"""

import base64
import binascii
import json
import re
from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element, ParseError, tostring

from defusedxml.ElementTree import fromstring

_SEVERAL_PAGES = re.compile(r"\d\s*[-–,&]\s*\d")
_SHORT = {
    "page": ("p.", "pp."), "chapter": ("chap.", "chap."), "section": ("sec.", "sec."), "figure": ("fig.", "fig."),
    "table": ("table", "table"), "volume": ("vol.", "vol."), "paragraph": ("para.", "para."), "verse": ("v.", "vv."),
    "line": ("l.", "ll."), "note": ("n.", "nn."), "part": ("pt.", "pt."), "appendix": ("app.", "app."),
}  # fmt: skip
_BY_NUMBER = re.compile(r"[\s(\[]*\d{1,3}(?!\d)")  # its style has no names, so none was left out
_MODES = {"year": "suppress-author", "author": "author-only", "text": "composite"}
_NO_DATA = "it has no data of the cited works"
_DAMAGED = "the data of its works is cut off or damaged"
_MISSING = "the data of one of its works is missing"


class BrokenCitation(Exception):
    """The data of a citation cannot be read; the message says why, as the end of a sentence."""


def read_citation_data(manager: str, data: str, more: Sequence[str] = ()) -> dict[str, Any]:
    """Return the works of a citation, the `text` that its data gives for it, and why it is `broken`, or "".

    `data` is the instruction of its field, `more` the base64 beside it. Each of the `works` has `csl` or EndNote's
    `record` as XML, an `identity` in the library it came from, `prefix`, `suffix`, and a `mode`: "" in brackets, "year"
    without the author, "author" alone, "text" with the author in the sentence, "hidden" only in the list. A citation of
    which some works have no data is broken, and has the others. Raises BrokenCitation where none can be read.
    """
    works, text = _endnote(data, more) if manager == "endnote" else _csl(manager, data)
    found = [work for work in works if work]
    if not found:
        raise BrokenCitation(_MISSING if works else _NO_DATA)
    if _BY_NUMBER.match(text):
        for work in found:
            work["mode"] = work["mode"] if work["mode"] == "hidden" else ""
    return {"works": found, "text": text, "broken": _MISSING if len(found) < len(works) else ""}


def _csl(manager: str, data: str) -> tuple[list[dict[str, Any] | None], str]:
    text = _decoded(data.rpartition("_")[2]) if manager == "mendeley-cite" else data[data.find("{") :]
    if "{" not in text:
        raise BrokenCitation(_NO_DATA)
    try:
        found, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError) as error:
        raise BrokenCitation(_DAMAGED) from error
    properties = [_dict(found, name) for name in ("properties", "mendeley", "manualOverride")]
    names = ("plainCitation", "plainTextFormattedCitation", "citeprocText", "formattedCitation")
    shown = next((text for name in names for one in properties if (text := _text(one, name))), "")
    return [_csl_work(item) for item in _list(found, "citationItems")], "" if shown.startswith("{") else shown


def _csl_work(item: Any) -> dict[str, Any] | None:
    data = _dict(item, "itemData")
    if not data:
        return None
    uris = [one for name in ("uris", "uri") for one in _list(item, name) if isinstance(one, str)]
    locator, suffix = _text(item, "locator"), _text(item, "suffix")
    if locator:
        label = _text(item, "label") or "page"
        one, several = _SHORT.get(label, (label, label))
        locator = f"{several if _SEVERAL_PAGES.search(locator) else one} {locator}"
        suffix = f"{locator}{'' if not suffix or suffix[0] in ',.;:' else ', '}{suffix}"
    mode = next((mode for mode, name in _MODES.items() if item.get(name)), "")
    identity = uris[0] if uris else ""
    return {"csl": data, **_how(identity, _text(item, "prefix"), suffix.lstrip(",; "), mode)}


def _how(identity: str, prefix: str, suffix: str, mode: str) -> dict[str, str]:
    return {"identity": identity, "prefix": prefix, "suffix": suffix, "mode": mode}


def _endnote(data: str, more: Sequence[str]) -> tuple[list[dict[str, Any] | None], str]:
    for text in (data, *map(_decoded, more)):
        start, end = text.find("<EndNote"), text.rfind("</EndNote>")
        if start < 0:
            continue
        try:
            root = fromstring(text[start : end + len("</EndNote>") if end > 0 else None], forbid_dtd=True)
        except (ParseError, ValueError) as error:  # damaged or hostile XML
            raise BrokenCitation(_DAMAGED) from error
        if works := [_endnote_work(one) for one in root.findall("Cite")]:
            return works, next(("".join(one.itertext()) for one in root.iter("DisplayText")), "")
    raise BrokenCitation(_NO_DATA)


def _endnote_work(cite: Element) -> dict[str, Any] | None:
    record = cite.find("record")
    if record is None:
        return None
    base, number = record.find("foreign-keys/key"), (record.findtext("rec-number") or "").strip()
    pages = (cite.findtext("Pages") or "").strip()
    if pages and pages[0].isdecimal():
        pages = f"{'pp.' if _SEVERAL_PAGES.search(pages) else 'p.'} {pages}"
    suffix = ", ".join(filter(None, [pages, (cite.findtext("Suffix") or "").strip(" ,;")]))
    modes = {"hidden": "Hidden", "year": "ExcludeAuth", "author": "ExcludeYear", "text": "AuthorYear"}
    mode = next((mode for mode, name in modes.items() if cite.get(name) == "1"), "")
    identity = f"{base.get('db-id')}:{number}" if base is not None and base.get("db-id") and number else ""
    how = _how(identity, (cite.findtext("Prefix") or "").strip(), suffix, mode)
    return {"record": tostring(record, encoding="unicode"), **how}


def _decoded(data: str) -> str:
    """Return the text in base64, which Word breaks into lines; "" if it is none."""
    packed = "".join(data.split())
    try:
        found = base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True)
    except (binascii.Error, ValueError):
        return ""
    return found.decode("utf-16-le" if found[1:2] == b"\0" else "utf-8", "replace").rstrip("\0")


def _dict(value: Any, name: str) -> dict[str, Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _list(value: Any, name: str) -> list[Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _text(value: dict[str, Any], name: str) -> str:
    found = value.get(name)
    return found.strip() if isinstance(found, str) else str(found) if isinstance(found, int) and found else ""
