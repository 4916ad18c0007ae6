r"""Repair of an engine's answer, so that it is LaTeX that compiles (SPEC T3).

The end of an answer that was cut off is repaired: a half-written command such as `\cite{` is removed; an open
environment is closed if that makes sense, as for a list, and removed if not, as for half a table. Code fences, a
whole document and Markdown are turned into plain LaTeX. Words around a fence, such as a greeting, are left out.
Pandoc converts Markdown, in its sandbox; cite commands pass through it unchanged.
"""

import re
from typing import NamedTuple

from citations.formats.bibtex import split_draft
from core.storable_text import storable
from latex.cite_keys import visible
from untrusted.pandoc import PandocFailed, pandoc

_GREETING = 600  # up to so many characters around a fence are never the draft itself
_MOST = 400_000  # characters, the most that pandoc is given
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

FENCED = "The code fence around the draft was removed."
AROUND = "Words before or after the draft, which were not part of it, were left out."
WHOLE = "The answer was a whole document. Its text was kept, without the preamble."
CONVERTED = "The answer was Markdown and was converted to LaTeX."
UNCONVERTED = "The answer is Markdown and could not be converted to LaTeX. Correct it by hand, or try again."


class CleanAnswer(NamedTuple):
    """The LaTeX of a draft, its BibTeX, and sentences for people on what was changed."""

    latex: str
    bibtex: str
    notes: list[str]


def clean_answer(answer: str) -> CleanAnswer:
    """Split `answer` into LaTeX and BibTeX and clean both. LaTeX with a trailer, as the prompt asks, is unchanged."""
    notes: list[str] = []
    latex, bibtex = split_draft(_unfenced(storable(answer).replace("\r\n", "\n").strip("\n"), notes))
    if found := _DOCUMENT.search(latex):
        latex = _TITLE.sub("", found[1])
        notes.append(WHOLE)
    latex = latex.strip()
    if is_markdown(latex):
        latex = _from_markdown(latex, notes)
    return CleanAnswer(f"{latex}\n" if latex else "", bibtex.strip(), notes)


def is_markdown(text: str) -> bool:
    """Return whether `text` is Markdown: it has headings, bold words or lists of Markdown, and none of LaTeX."""
    return bool(
        (_SPANS.search(text) or _LIST.search(text))
        and not re.search(r"\\(?:begin|(?:sub)*section|chapter|item)\b", text)
    )


def _unfenced(text: str, notes: list[str]) -> str:
    """Return the content of the code fences if the draft is in one. Fences of BibTeX are left to `split_draft`."""
    inside = [one["inside"].strip("\n") for one in _FENCE.finditer(text) if one["name"].lower() not in _TRAILERS]
    if not any(inside):
        return text
    latex, bibtex = split_draft("\n\n".join(inside))
    around = _FENCE.sub(lambda found: found[0] if found["name"].lower() in _TRAILERS else "", text)
    spoken, trailer = split_draft(around)
    if _CITE.search(spoken) or len(spoken.strip()) > max(_GREETING, len(latex)):
        return text  # a code listing in a draft, not a draft in a fence
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
    """Convert Markdown to LaTeX. Return None if pandoc fails."""
    options = (
        "--from=markdown+raw_tex-auto_identifiers-smart-citations-yaml_metadata_block-raw_html-subscript-superscript",
        *("--to=latex-smart", "--top-level-division=section", "--wrap=preserve"),
    )
    try:
        made = pandoc(options, text.encode(), seconds=30, heap="512m").out.decode("utf-8", "replace")
    except (OSError, PandocFailed):
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


def repair_cut_end(latex: str, *, is_cut: bool) -> tuple[str, list[str]]:
    """Remove what is half-written at the end of `latex`, and close what is open. Complete LaTeX is returned unchanged.

    Second, return sentences for people on what was changed. With `is_cut` the text is known to be incomplete, so an
    open formula or table is removed; otherwise it stays.
    """
    notes: list[str] = []
    text = _without_half_cite(latex.rstrip(), notes)
    text = _without_half_command(text, notes)
    text = _with_braces_closed(text, notes, is_cut)
    text = _with_environments_closed(text, notes, is_cut)
    return (latex, []) if text == latex.rstrip() else (f"{text.rstrip()}\n", notes)


def _without_half_cite(text: str, notes: list[str]) -> str:
    r"""Remove a `\cite{` that is not closed. Its keys that a comma follows are complete and stay."""
    place = _before(text)
    found = _CITES.search(text, place) if place >= 0 else None
    if found is None or _is_hidden(text, found.start()):
        return text
    if found[1] is None and not found[0].endswith("[") and "{" not in found[0] and "[" not in found[0]:
        return text  # a bare command at the end is handled by _without_half_command
    whole = ",".join(part.strip() for part in (found[1] or "").split(",")[:-1])
    notes.append("The draft stopped in the middle of a citation. The unfinished key was removed.")
    return f"{text[: found.start(1)]}{whole}}}" if whole else text[: found.start()]


def _before(text: str) -> int:
    """Return the offset of the last command, including the spaces before it."""
    at = text.rfind("\\")
    while at > 0 and text[at - 1] in " \t~":
        at -= 1
    return at


def _without_half_command(text: str, notes: list[str]) -> str:
    place = _before(text)
    if place < 0 or _is_hidden(text, text.rfind("\\")):
        return text
    if found := _TAKES_WHOLE.search(text, place):
        notes.append("The draft stopped in the middle of a command, which was removed.")
        return text[: found.start()]
    found = _HALF_COMMAND.search(text, place)
    if found and not text.endswith("\\\\") and found[0].lstrip("~").lstrip("\\") not in _WHOLE_COMMANDS:
        notes.append("The draft stopped in the middle of a command, which was removed.")
        return text[: found.start()].rstrip()
    return text


# Commands that a complete text may end with
_WHOLE_COMMANDS = {
    "noindent", "newpage", "clearpage", "centering", "medskip", "bigskip", "smallskip", "hline", "bottomrule",
    "toprule", "midrule", "par", "maketitle", "tableofcontents", "item", "ldots", "dots", "appendix", "LaTeX", "TeX",
}  # fmt: skip


def _with_braces_closed(text: str, notes: list[str], is_cut: bool) -> str:
    """Close open braces at the end. If the text is cut off within a formula, remove the formula."""
    opened = _open_in(text)
    formula = next((at for sign, at in opened if sign == "$"), None)
    if formula is not None and is_cut:
        notes.append("The draft stopped in the middle of a formula, which was removed.")
        return _with_braces_closed(text[:formula].rstrip(), notes, is_cut)
    braces = [at for sign, at in opened if sign == "{"]  # an open $ may be a sum of money: left for the writer to see
    if not braces or len(braces) > 20:  # so many mean that something else is wrong: left for the writer to see
        return text
    notes.append("Open braces were closed at the end.")
    newline = "\n" if _is_hidden(text, len(text)) else ""
    return f"{text}{newline}{'}' * len(braces)}"


def _open_in(text: str) -> list[tuple[str, int]]:
    """Return the open braces and formulas of `text` with their offsets. An empty line ends a formula."""
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
            f"The draft stopped in the middle of {'an' if name[:1] in 'aeiou' else 'a'} {name}, which was removed: "
            "LaTeX cannot print a part of it."
        )
        text = text[:begins].rstrip()
        opened = [one for one in opened if one[1] < begins]
    if opened:
        text = re.sub(r"\n?[ \t]*\\item[ \t]*\Z", "", text)
        ends = "\n".join(f"\\end{{{name}}}" for name, _ in reversed(opened))
        notes.append(f"Open environments were closed at the end ({', '.join(name for name, _ in opened)}).")
        text = f"{text}\n{ends}"
    return text


def _is_hidden(text: str, at: int) -> bool:
    """Return whether the offset `at` is in a comment."""
    return "%" in re.sub(r"\\.", "  ", text[text.rfind("\n", 0, at) + 1 : at])
