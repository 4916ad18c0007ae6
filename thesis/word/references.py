r"""The works that a thesis cites, for pandoc's citeproc, and its cite commands in words that pandoc knows (SPEC C3, C12)."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from citations.formats.csl import is_marked, short_authors, year_of
from citations.styles.choose_style import PLAIN
from citations.styles.formatting import described, style_exists
from latex.characters import tex
from latex.cite_edits import without_doubles, without_keys
from latex.cite_keys import EVERYTHING, cite_commands
from latex.text_edits import Edit, edited
from thesis.assembly.references import References, references_of
from thesis.manuscript import Manuscript, Work
from thesis.pandoc_ast.text_order import Text

FALLBACK = "vancouver"  # the style of a thesis whose own is none that prints
_UNPRINTED = {"note", "abstract", "annote", "custom"}
_GONE = "\ue001"  # in the place of a citation that went
_BEFORE_SIGN = re.compile(rf"[ \t]*(?:% {_GONE}\r?\n?)+(?=[.,;:!?)])")
_PRINT_WORDS = {"citeauthor", "citetitle", "citeyear", "citeyearpar", "citefullauthor"}
_FOREIGN = {
    "bibentry": "cite",
    "citenum": "cite",
    "citealt": "citet",
    "citealp": "citep",
    "citefullauthor": "citeauthor",
}


def works_of(manuscript: Manuscript, text: Text) -> References:
    """Return the works that are cited: of the thesis, else of trailers, else of files that were brought. None of tier D."""
    keys = dict.fromkeys(key for stretch in text.stretches for key in cited_in(stretch.latex))
    everything = keys.pop(EVERYTHING, keys) is None
    return references_of(manuscript, keys, everything, text.entries, strip=True)


def style_of(manuscript: Manuscript) -> tuple[str, str]:
    """Return the id of the style it is printed in, and a sentence where that is not the one that was chosen."""
    style = manuscript.style
    if style != PLAIN and style_exists(style):
        return style, ""
    return FALLBACK, "The references are printed in Vancouver style. Choose a style in the settings for another."


def names_of(works: References, style: str) -> dict[str, str]:
    """Return the authors of each work by its key, for a style that has but numbers in the text; else nothing."""
    has_numbers = described(style).cites.startswith("numbers")
    return {key: named(work.csl) for key, work in works.by_key.items()} if has_numbers else {}


def named(csl: dict[str, Any]) -> str:
    """ "Sterne", "Sterne and Murthy", "Sterne et al.", as natbib has them in a text."""
    names = short_authors(csl)
    several = names.removesuffix(" and others")
    return names if several == names else f"{several.partition(', ')[0]} et al."


def cited_in(latex: str) -> list[str]:
    """Keys in the order they are cited, with doubles."""
    return [key for command in cite_commands(latex) for key in command.keys]


def as_csl_json(works: Mapping[str, Work]) -> bytes:
    """Return the works as CSL-JSON, without notes; "others" where a list of authors was cut short."""
    items = []
    for key, work in works.items():
        item = {name: value for name, value in work.csl.items() if name not in _UNPRINTED}
        if is_marked(work.csl, "others"):
            item["author"] = [*work.csl.get("author", []), {"literal": "others"}]
        items.append({**item, "id": key, "type": item.get("type") or "document"})
    return json.dumps(items, ensure_ascii=False).encode("utf-8", "replace")


def readable(latex: str, works: References) -> str:
    r"""`latex` without the keys that must not be cited; `\citeauthor{x}`, `\citetitle{x}` and their kin as the words they
    print, as pandoc cites the whole work for them or nothing."""
    latex = without_doubles(without_keys(latex, works.withheld, said=_GONE))
    latex = _BEFORE_SIGN.sub("", latex).replace(_GONE, "")  # the comment that is left says nothing, and joins no words
    edits = []
    for command in cite_commands(latex):
        new = _in_words(command.name, [works.same.get(key, key) for key in command.keys], works.by_key)
        if new is None and command.name in _FOREIGN:
            new = f"\\{_FOREIGN[command.name]}{latex[command.start + 1 + len(command.name) : command.end]}"
        if new is not None:
            edits.append(Edit(command.start, command.end, new))
    return edited(latex, edits)


def _in_words(name: str, keys: Sequence[str], works: Mapping[str, Work]) -> str | None:
    name = name.lower().removesuffix("*")
    if name not in _PRINT_WORDS or not all(key in works for key in keys):
        return None
    said = []
    for csl in (works[key].csl for key in keys):
        if name == "citetitle":
            said.append(f"\\emph{{{tex(str(csl.get('title') or ''))}}}")
        elif name.startswith("citeyear"):
            said.append(str(year_of(csl) or "n.d."))
        else:
            said.append(tex(named(csl)))
    text = ", ".join(said)
    return f"({text})" if name == "citeyearpar" else text
