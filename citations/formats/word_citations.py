r"""The works that citations of a Word file have in their data, as entries and as `\cite` (SPEC C10)."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from defusedxml.ElementTree import fromstring

from citations.formats.csl import read_csl
from citations.formats.endnote_xml import csl_of_record
from citations.formats.reading import Csl, Entry
from latex.bibtex_unicode import to_latex

_COMMANDS = {"year": "citeyearpar", "author": "citeauthor", "text": "citet", "hidden": "nocite"}
_MARKUP = re.compile(r"</?(?:i|b|u|sup|sub|sc|span)\b[^<>]*>")
_ABBREVIATED = re.compile(r"^(pp?|vv?|ll?|nn?|chap|sec|fig|vol|para|pt|app)\. ")


class UnusableWork(Exception):
    """The data of a work make no entry; the message says why, as the end of a sentence."""


@dataclass(frozen=True)
class CitedWork:
    """A work of a citation: its entry, and how it is cited (`sections.word_citation_data.read_citation_data`)."""

    entry: Entry
    identity: str = ""
    prefix: str = ""
    suffix: str = ""
    mode: str = ""


def cited_work(data: Mapping[str, Any]) -> CitedWork:
    """Return a work of a citation from its `data`. Raises UnusableWork."""
    csl = csl_of_record(fromstring(data["record"], forbid_dtd=True)) if "record" in data else data["csl"]
    return CitedWork(_entry(csl), *(data[name] for name in ("identity", "prefix", "suffix", "mode")))


def cite_command(works: Sequence[tuple[str, CitedWork]]) -> str:
    r"""Return LaTeX that cites works by their keys: `\cite{a,b}`, or a command each where one has pages or words."""
    groups: list[tuple[str, list[str]]] = []
    for key, work in works:
        name = _COMMANDS.get(work.mode, "cite")
        prefix, suffix = _note(work.prefix), _note(work.suffix)
        options = f"[{prefix}][{suffix}]" if prefix else f"[{suffix}]" if suffix else ""
        options = "" if name == "nocite" else options
        command = f"\\{name}{options}"
        if groups and groups[-1][0] == command == "\\cite":
            groups[-1][1].append(key)
        else:
            groups.append((command, [key]))
    return " ".join(f"{command}{{{','.join(dict.fromkeys(keys))}}}" for command, keys in groups)


def without_markup(text: str) -> str:
    """Return a text of CSL-JSON without its tags for italics and the like."""
    return _MARKUP.sub("", text)


def _entry(csl: Csl) -> Entry:
    """Return the entry of a work. Its id is a number in the library or in the field, so only a chosen key is kept."""
    item = {name: value for name, value in csl.items() if name not in ("id", "key", "authors", "container")}
    reading = read_csl(json.dumps([item]))
    if not reading.entries:
        why = reading.problems[0].message if reading.problems else ""
        raise UnusableWork(f"the data of one of its works cannot be used. {why}".strip(" ."))
    return reading.entries[0]


def _note(text: str) -> str:
    """Return words as the option of a cite command. A ] would end it, so such words are in braces."""
    latex = to_latex(without_markup(" ".join(text.split())))
    latex = _ABBREVIATED.sub(r"\1.~", latex)
    return f"{{{latex}}}" if "[" in latex or "]" in latex else latex
