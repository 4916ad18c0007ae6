r"""The cited works as input of pandoc's citeproc, and cite commands rewritten as ones pandoc knows (SPEC C3, C12)."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from citations.formats.csl import is_marked, short_authors, year_of
from citations.styles.choose_style import PLAIN
from citations.styles.formatting import style_exists, style_info, style_xml
from latex.cite_edits import remove_keys, without_doubles
from latex.cite_keys import EVERYTHING, cite_commands
from latex.printable_characters import escape_latex
from latex.text_edits import Edit, apply_edits
from thesis.assembly.references import References, references_of
from thesis.manuscript import Manuscript, Work
from thesis.pandoc_ast.text_order import Text

FALLBACK = "vancouver"  # the style when the thesis has no CSL style
_CITED_LAYOUT = re.compile(rb"(<citation\b.*?)(<layout\b[^>]*>)", re.DOTALL)
_CITATION = re.compile(rb"<citation\b.*?</citation>", re.DOTALL)
_NUMBER = re.compile(rb'<text variable="citation-number"[^>]*/>')
_WITH_PAGES = (
    rb'<group delimiter=", ">\g<0><group delimiter=" ">'
    rb'<label variable="locator" form="short"/><text variable="locator"/></group></group>'
)
_UNPRINTED = {"note", "abstract", "annote", "custom"}
_GONE = "\ue001"  # marks the place of a removed citation
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
    """Return the cited works, from the table of the thesis, else from BibTeX trailers, else from imported files.

    Works of tier D are left out.
    """
    keys = dict.fromkeys(key for stretch in text.stretches for key in cited_in(stretch.latex))
    everything = keys.pop(EVERYTHING, keys) is None
    return references_of(manuscript, keys, everything, text.entries, strip=True)


def style_of(manuscript: Manuscript) -> tuple[str, str]:
    """Return the id of the style to print in, and a sentence when it is not the chosen one."""
    style = manuscript.style
    if style != PLAIN and style_exists(style):
        return style, ""
    return FALLBACK, "The references are in Vancouver style. To use another, choose a style in the settings."


def csl_for_word(style: str) -> bytes:
    """Return the CSL of a style. Numbers print as in the PDF, preview and manuscript: [1] for (1), and with pages."""
    xml = style_xml(style)
    if not style_info(style).cites.startswith("numbers"):
        return xml
    xml = _CITED_LAYOUT.sub(
        lambda found: found[1] + found[2].replace(b'prefix="("', b'prefix="["').replace(b'suffix=")"', b'suffix="]"'),
        xml,
        count=1,
    )
    return _CITATION.sub(lambda found: found[0] if b"locator" in found[0] else _NUMBER.sub(_WITH_PAGES, found[0]), xml)


def names_of(works: References, style: str) -> dict[str, str]:
    """Return the authors of each work by its key, for a style that cites by numbers; else an empty dict."""
    has_numbers = style_info(style).cites.startswith("numbers")
    return {key: named(work.csl) for key, work in works.by_key.items()} if has_numbers else {}


def named(csl: dict[str, Any]) -> str:
    """Return the authors as natbib prints them in a text: "Sterne", "Sterne and Murthy", "Sterne et al."."""
    names = short_authors(csl)
    several = names.removesuffix(" and others")
    return names if several == names else f"{several.partition(', ')[0]} et al."


def cited_in(latex: str) -> list[str]:
    """Return the keys in the order they are cited, with repetitions."""
    return [key for command in cite_commands(latex) for key in command.keys]


def as_csl_json(works: Mapping[str, Work]) -> bytes:
    """Return the works as CSL-JSON, without notes, and with "others" at the end of a shortened list of authors."""
    items = []
    for key, work in works.items():
        item = {name: value for name, value in work.csl.items() if name not in _UNPRINTED}
        if is_marked(work.csl, "others"):
            item["author"] = [*work.csl.get("author", []), {"literal": "others"}]
        if work.status == "file":  # often the name of a file: a style must not write Trial.csv for trial.csv
            item["title"] = f'<span class="nocase">{item.get("title") or ""}</span>'
        items.append({**item, "id": key, "type": item.get("type") or "document"})
    return json.dumps(items, ensure_ascii=False).encode("utf-8", "replace")


def readable(latex: str, works: References) -> str:
    r"""Return `latex` with cite commands that pandoc prints correctly, and without the withheld keys (tier D).

    `\citeauthor{x}`, `\citetitle{x}` and similar become the words they print: pandoc would cite the whole work, or
    nothing.
    """
    latex = without_doubles(remove_keys(latex, works.withheld, said=_GONE))
    # Remove the comments that are left of removed citations; before punctuation also the space and line break
    latex = _BEFORE_SIGN.sub("", latex).replace(_GONE, "")
    edits = []
    for command in cite_commands(latex):
        new = _in_words(command.name, [works.same.get(key, key) for key in command.keys], works.by_key)
        if new is None and command.name in _FOREIGN:
            new = f"\\{_FOREIGN[command.name]}{latex[command.start + 1 + len(command.name) : command.end]}"
        if new is not None:
            edits.append(Edit(command.start, command.end, new))
    return apply_edits(latex, edits)


def _in_words(name: str, keys: Sequence[str], works: Mapping[str, Work]) -> str | None:
    name = name.lower().removesuffix("*")
    if name not in _PRINT_WORDS or not all(key in works for key in keys):
        return None
    said = []
    for csl in (works[key].csl for key in keys):
        if name == "citetitle":
            said.append(f"\\emph{{{escape_latex(str(csl.get('title') or ''))}}}")
        elif name.startswith("citeyear"):
            said.append(str(year_of(csl) or "n.d."))
        else:
            said.append(escape_latex(named(csl)))
    text = ", ".join(said)
    return f"({text})" if name == "citeyearpar" else text
