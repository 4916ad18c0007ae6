r"""What a model sends in place of plain LaTeX is put right: code fences, a whole document, Markdown (SPEC T3).

Words around a fence, a greeting say, are no part of the draft. Markdown becomes LaTeX by pandoc, in its sandbox; cite
commands come through that unchanged.
"""

import re
from typing import NamedTuple

from citations.formats.bibtex import split_draft
from core.storable import storable
from thesis.pandoc import Unread, pandoc

_SECONDS = 30
_GREETING = 600  # characters around a fence that are no draft for sure
_MOST = 400_000  # characters that pandoc is given
_FENCE = re.compile(
    r"^[ \t]*```+[ \t]*(?P<name>[A-Za-z]*)[^\n]*\n(?P<inside>.*?)(?:^[ \t]*```+[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_TRAILERS = {"bibtex", "bib"}
_DOCUMENT = re.compile(r"\\begin\{document\}(.*?)(?:\\end\{document\}|\Z)", re.DOTALL)
_TITLE = re.compile(
    r"^[ \t]*\\(?:maketitle|tableofcontents|bibliographystyle\{[^{}]*\}|bibliography\{[^{}]*\})[ \t]*\n?", re.M
)
_SPANS = re.compile(r"^#{1,6} +\S|\*\*[^*\n]+\*\*|(?<![\w*\\])__[^_\n]+__(?!\w)", re.MULTILINE)
_LIST = re.compile(r"^(?:[-*+]|\d{1,2}\.) +\S[^\n]*\n(?:[-*+]|\d{1,2}\.) +\S", re.MULTILINE)
_BRACKETED = re.compile(r"\[@([\w:./+-]+(?:; *@[\w:./+-]+)*)\]")
_STRUCTURE = re.compile(r"\\(?:begin|(?:sub)*section|chapter|item)\b")
_CITE = re.compile(r"\\[A-Za-z]*[cC]ite[A-Za-z]*\*?(?:\[[^\[\]\n]*\])*\{[^{}\n]*\}")

FENCED = "It came in a code fence, which was taken off."
AROUND = "Words around the draft, which were no part of it, were left out."
WHOLE = "It came as a whole document. Its text was kept, without the preamble."
CONVERTED = "It came as Markdown and was turned into LaTeX."
UNCONVERTED = "It came as Markdown, which could not be turned into LaTeX. Put it right by hand, or ask again."


class Cleaned(NamedTuple):
    """A draft's LaTeX, its BibTeX, and what was done to it in sentences for people."""

    latex: str
    bibtex: str
    notes: list[str]


def cleaned(answer: str) -> Cleaned:
    """`answer` as LaTeX and BibTeX. LaTeX with a trailer, as it was asked for, stays as it is."""
    notes: list[str] = []
    text = storable(answer).replace("\r\n", "\n").strip("\n")
    text = _unfenced(text, notes)
    latex, bibtex = split_draft(text)
    if found := _DOCUMENT.search(latex):
        latex = _TITLE.sub("", found[1])
        notes.append(WHOLE)
    latex = latex.strip()
    if is_markdown(latex):
        latex = _from_markdown(latex, notes)
    return Cleaned(f"{latex}\n" if latex else "", bibtex.strip(), notes)


def is_markdown(text: str) -> bool:
    """Whether `text` is Markdown and not LaTeX: it has headings, bold words or lists of Markdown, and none of LaTeX."""
    return bool((_SPANS.search(text) or _LIST.search(text)) and not _STRUCTURE.search(text))


def _unfenced(text: str, notes: list[str]) -> str:
    """The insides of fences, where the draft stands in one; fences of trailers are those of `split_draft`."""
    fences = [found for found in _FENCE.finditer(text) if found["name"].lower() not in _TRAILERS]
    inside = [found["inside"].strip("\n") for found in fences]
    if not any(inside):
        return text
    latex, bibtex = split_draft("\n\n".join(inside))
    around = _FENCE.sub(lambda found: found[0] if found["name"].lower() in _TRAILERS else "", text)
    spoken, trailer = split_draft(around)
    if _CITE.search(spoken) or len(spoken.strip()) > max(_GREETING, len(latex)):
        return text  # a listing within a draft, and not a draft within a fence
    notes.append(FENCED)
    if spoken.strip():
        notes.append(AROUND)
    bibtex = "\n\n".join(part for part in (bibtex, trailer) if part.strip())
    return f"{latex}\n\n%%% BIBTEX %%%\n{bibtex}\n" if bibtex else latex


def _from_markdown(text: str, notes: list[str]) -> str:
    cites: list[str] = []

    def kept(found: "re.Match[str]") -> str:
        cites.append(found[0])
        return f"CITEKEPT{len(cites) - 1}X"

    text = _BRACKETED.sub(lambda found: "\\cite{" + re.sub(r"; *@", ",", found[1]) + "}", text)
    made = _pandoc(_CITE.sub(kept, text).replace("~", "\u00a0")) if len(text) <= _MOST else None
    if made is None:
        notes.append(UNCONVERTED)
        return text
    notes.append(CONVERTED)
    return re.sub(r"CITEKEPT(\d+)X", lambda found: cites[int(found[1])], made).strip()


def _pandoc(text: str) -> str | None:
    """`text` as LaTeX, or None when pandoc could not."""
    source = "markdown+raw_tex-auto_identifiers-smart-citations-yaml_metadata_block-raw_html-subscript-superscript"
    options = (f"--from={source}", "--to=latex-smart", "--top-level-division=section", "--wrap=preserve")
    try:
        made = pandoc(options, text.encode(), seconds=_SECONDS, heap="512m").out.decode("utf-8", "replace")
    except (OSError, Unread):
        return None
    return re.sub(r"\\tightlist\n|\\def\\labelenumi\{[^\n]*\n", "", made)
