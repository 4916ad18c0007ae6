r"""A draft that stops in the middle is made LaTeX that can stand: nothing half-written, nothing left open (SPEC T3).

What a model was cut off in, a `\cite{` say, goes; what is merely open is closed where that makes sense, as a list, and
goes where it does not, as half a table. What a model sends in place of plain LaTeX is put right: code fences, a whole
document, Markdown. Words around a fence, a greeting say, are no part of the draft. Markdown becomes LaTeX by pandoc, in
its sandbox; cite commands come through that unchanged.
"""

import re
from typing import NamedTuple

from citations.formats.bibtex import split_draft
from core.storable_text import storable
from latex.cite_keys import visible
from untrusted.pandoc import Unread, pandoc

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
_CITE = re.compile(r"\\(?=[A-Za-z]*[cC]ite)[A-Za-z]++\*?(?:\[[^\[\]\n]*\])*\{[^{}\n]*\}")

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
    latex, bibtex = split_draft(_unfenced(storable(answer).replace("\r\n", "\n").strip("\n"), notes))
    if found := _DOCUMENT.search(latex):
        latex = _TITLE.sub("", found[1])
        notes.append(WHOLE)
    latex = latex.strip()
    if is_markdown(latex):
        latex = _from_markdown(latex, notes)
    return Cleaned(f"{latex}\n" if latex else "", bibtex.strip(), notes)


def is_markdown(text: str) -> bool:
    """Return whether `text` is Markdown and not LaTeX: it has headings, bold words or lists of Markdown, and none of LaTeX."""
    return bool(
        (_SPANS.search(text) or _LIST.search(text))
        and not re.search(r"\\(?:begin|(?:sub)*section|chapter|item)\b", text)
    )


def _unfenced(text: str, notes: list[str]) -> str:
    """Return the insides of fences, where the draft stands in one; fences of trailers are those of `split`."""
    inside = [one["inside"].strip("\n") for one in _FENCE.finditer(text) if one["name"].lower() not in _TRAILERS]
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

    text = re.sub(
        r"\[@([\w:./+-]+(?:; *@[\w:./+-]+)*)\]", lambda found: "\\cite{" + re.sub(r"; *@", ",", found[1]) + "}", text
    )
    made = _pandoc(_CITE.sub(kept, text).replace("~", "\u00a0")) if len(text) <= _MOST else None
    if made is None:
        notes.append(UNCONVERTED)
        return text
    notes.append(CONVERTED)
    return re.sub(r"CITEKEPT(\d+)X", lambda found: cites[int(found[1])], made).strip()


def _pandoc(text: str) -> str | None:
    """`text` as LaTeX, or None when pandoc could not."""
    options = (
        "--from=markdown+raw_tex-auto_identifiers-smart-citations-yaml_metadata_block-raw_html-subscript-superscript",
        *("--to=latex-smart", "--top-level-division=section", "--wrap=preserve"),
    )
    try:
        made = pandoc(options, text.encode(), seconds=30, heap="512m").out.decode("utf-8", "replace")
    except (OSError, Unread):
        return None
    return re.sub(r"\\tightlist\n|\\def\\labelenumi\{[^\n]*\n", "", made)


_CLOSED_BY_US = {"itemize", "enumerate", "description", "quote", "quotation", "center", "abstract", "flushleft"}
_ENVIRONMENT = re.compile(r"\\(?:(begin)|end)[ \t]*\{([^{}\\\r\n]{1,60})\}")
_HALF_COMMAND = re.compile(r"~?\\[A-Za-z@]*\Z")
_CITES = re.compile(r"[ \t~]*\\(?=[A-Za-z]*[cC]ite)[A-Za-z]++\*?(?:\[[^\[\]{}]*\])*(?:\[[^\[\]{}]*|\{([^{}\\%]*))?\Z")
_TAKES_WHOLE = re.compile(
    r"[ \t~]*\\(?:begin|end|label|ref|eqref|autoref|cref|input|includegraphics|url|href)\*?(?:\[[^\[\]]*\])?\{[^{}]*\Z"
)
_SIGN = re.compile(r"\\.|[{}$]|\n[ \t]*(?=\n)", re.DOTALL)


def mended(latex: str, *, is_cut: bool) -> tuple[str, list[str]]:
    """`latex` with what is half-written at its end taken off, and what it leaves open closed. Whole LaTeX stays as it is.

    With it comes what was done to it, in sentences for people.
    `is_cut`: it is known not to have come to its end, so a formula or a table that is open goes; else it stays.
    """
    notes: list[str] = []
    text = _without_half_cite(latex.rstrip(), notes)
    text = _without_half_command(text, notes)
    text = _with_braces_closed(text, notes, is_cut)
    text = _with_environments_closed(text, notes, is_cut)
    return (latex, []) if text == latex.rstrip() else (f"{text.rstrip()}\n", notes)


def _without_half_cite(text: str, notes: list[str]) -> str:
    r"""Without a `\cite{` that is not closed; keys that have a comma behind them were whole."""
    place = _before(text)
    found = _CITES.search(text, place) if place >= 0 else None
    if found is None or _is_hidden(text, found.start()):
        return text
    if found[1] is None and not found[0].endswith("[") and "{" not in found[0] and "[" not in found[0]:
        return text  # a bare command at the end: another rule's
    whole = ",".join(part.strip() for part in (found[1] or "").split(",")[:-1])
    notes.append("It stopped in the middle of a citation. The unfinished key was left out.")
    return f"{text[: found.start(1)]}{whole}}}" if whole else text[: found.start()]


def _before(text: str) -> int:
    """Return where the last command begins, with the blanks before it."""
    at = text.rfind("\\")
    while at > 0 and text[at - 1] in " \t~":
        at -= 1
    return at


def _without_half_command(text: str, notes: list[str]) -> str:
    place = _before(text)
    if place < 0 or _is_hidden(text, text.rfind("\\")):
        return text
    if found := _TAKES_WHOLE.search(text, place):
        notes.append("It stopped in the middle of a command, which was left out.")
        return text[: found.start()]
    found = _HALF_COMMAND.search(text, place)
    if found and not text.endswith("\\\\") and found[0].lstrip("~").lstrip("\\") not in _WHOLE_COMMANDS:
        notes.append("It stopped in the middle of a command, which was left out.")
        return text[: found.start()].rstrip()
    return text


# What may well stand at the end of a text
_WHOLE_COMMANDS = {
    "noindent", "newpage", "clearpage", "centering", "medskip", "bigskip", "smallskip", "hline", "bottomrule", "toprule",
    "midrule", "par", "maketitle", "tableofcontents", "item", "ldots", "dots", "appendix", "LaTeX", "TeX",
}  # fmt: skip


def _with_braces_closed(text: str, notes: list[str], is_cut: bool) -> str:
    """Braces that are left open are closed; a formula goes, for half of one cannot stand."""
    opened = _open_in(text)
    formula = next((at for sign, at in opened if sign == "$"), None)
    if formula is not None and is_cut:
        notes.append("It stopped in the middle of a formula, which was left out.")
        return _with_braces_closed(text[:formula].rstrip(), notes, is_cut)
    braces = [at for sign, at in opened if sign == "{"]  # a sum of dollars stays: people will see it
    if not braces or len(braces) > 20:  # with more, something else is wrong with it, and people will see it
        return text
    notes.append("Braces that were left open were closed at the end.")
    newline = "\n" if _is_hidden(text, len(text)) else ""
    return f"{text}{newline}{'}' * len(braces)}"


def _open_in(text: str) -> list[tuple[str, int]]:
    """Return the braces and formulas that `text` leaves open, and where they begin; no formula goes over an empty line."""
    opened: list[tuple[str, int]] = []
    for found in _SIGN.finditer(visible(text)):
        sign, at = found[0], found.start()
        in_formula = bool(opened) and opened[-1][0] == "$"
        if sign == "$" and in_formula:
            opened.pop()
        elif sign in ("{", "$"):
            opened.append((sign, at))
        elif sign == "}":
            del opened[-2 if in_formula else -1 :]
        elif sign[0] == "\n":
            opened = [one for one in opened if one[0] != "$"]
    return opened


def _with_environments_closed(text: str, notes: list[str], is_cut: bool) -> str:
    opened: list[tuple[str, int]] = []
    for found in _ENVIRONMENT.finditer(visible(text)):
        name = found[2]
        if found[1]:
            opened.append((name, found.start()))
        elif any(one == name for one, _ in opened):
            while opened.pop()[0] != name:
                pass
    if not opened:
        return text
    other = next((one for one in opened if one[0] not in _CLOSED_BY_US), None) if is_cut else None
    if other is not None:
        name, begins = other
        notes.append(
            f"It stopped within {'an' if name[:1] in 'aeiou' else 'a'} {name}, which was left out: half of one cannot stand."
        )
        text = text[:begins].rstrip()
        opened = [one for one in opened if one[1] < begins]
    if opened:
        text = re.sub(r"\n?[ \t]*\\item[ \t]*\Z", "", text)
        ends = "\n".join(f"\\end{{{name}}}" for name, _ in reversed(opened))
        notes.append(f"What was left open was closed at the end ({', '.join(name for name, _ in opened)}).")
        text = f"{text}\n{ends}"
    return text


def _is_hidden(text: str, at: int) -> bool:
    """Return whether the place is in a comment or verbatim text."""
    return "%" in re.sub(r"\\.", "  ", text[text.rfind("\n", 0, at) + 1 : at])
