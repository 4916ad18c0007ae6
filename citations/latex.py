"""LaTeX in BibTeX values to Unicode and back.

pylatexenc takes 0.8 ms a title, so values without a command or a formula go a short way around it.
"""

import re
from functools import cache
from typing import Any

from pylatexenc import latexwalker
from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db
from pylatexenc.macrospec import std_macro

_LIGATURES = (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"))
_PARTED = re.compile(r"(?<=-)(?=-)|(?<=`)(?=`)|(?<=')(?=')|(?<=[?!])(?=`)|(?<=<)(?=<)|(?<=>)(?=>)|(?<=,)(?=,)")
_BARE_PERCENT = re.compile(r"(?<!\\)%")
_ESCAPED = re.compile(r"\\([_%&#$~{}])")
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_TO_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "%": r"\%",
        "#": r"\#",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
    }
)
# BibTeX counts braces even after a backslash, so those that are no pairs need another way; few programs know it.
_UNPAIRED = str.maketrans({"{": r"\textbraceleft{}", "}": r"\textbraceright{}"})


class _Decoder(LatexNodes2Text):  # type: ignore[misc]  # pylatexenc carries no types
    """Titles are cut anywhere, also between a command and its arguments: such a command has no text."""

    def apply_simplify_repl(self, node: Any, simplify_repl: Any, what: str) -> str:
        if isinstance(simplify_repl, str) and simplify_repl.count("%s") > len(_arguments(node)):
            return ""
        try:
            return str(super().apply_simplify_repl(node, simplify_repl, what))
        except (IndexError, KeyError):
            return ""


@cache
def _decoder() -> LatexNodes2Text:
    context = get_default_latex_context_db()
    symbols = {"textasciicircum": "^", "textbraceleft": "{", "textbraceright": "}"}
    own = [
        MacroTextSpec("url", _address),
        MacroTextSpec("href", _linked),
        *(MacroTextSpec(name, symbol) for name, symbol in symbols.items()),
    ]
    context.add_context_category("scholium", macros=own, prepend=True)
    return _Decoder(math_mode="text", latex_context=context)


@cache
def _commands() -> Any:
    r"""What the parser knows of commands and their arguments; `\href` is none of pylatexenc's own."""
    context = latexwalker.get_default_latex_context_db()
    context.add_context_category("scholium", macros=[std_macro("href", "{{")], prepend=True)
    return context


def _arguments(node: Any) -> list[Any]:
    return [argument for argument in (getattr(node.nodeargd, "argnlist", None) or []) if argument is not None]


def _address(node: Any) -> str:
    r"""The address of `\url{...}` or `\href{...}`, which is no LaTeX."""
    arguments = _arguments(node)
    return verbatim(arguments[0].latex_verbatim()) if arguments else ""


def _linked(node: Any, l2tobj: LatexNodes2Text) -> str:
    r"""The text of `\href{address}{text}`; the address where the text is missing."""
    arguments = _arguments(node)
    return str(l2tobj.nodelist_to_text(arguments[1:2])) if len(arguments) > 1 else _address(node)


def to_unicode(value: str) -> str:
    """The text that LaTeX would set: accents and symbols as characters, braces gone, white space single."""
    if not value:
        return ""
    if "\\" in value or "$" in value:
        # A percent sign starts a comment in LaTeX, but not in BibTeX.
        value = _decoder().latex_to_text(_BARE_PERCENT.sub(r"\\%", value), latex_context=_commands())
    else:
        for written, meant in _LIGATURES:
            value = value.replace(written, meant)
        value = value.replace("~", " ").replace("{", "").replace("}", "")
    return " ".join(value.split())


def paragraphs_to_unicode(value: str) -> str:
    """`to_unicode` of a longer text, whose blank lines stay."""
    if not value:
        return ""
    return "\n\n".join(text for part in re.split(r"\n\s*\n", value) if (text := to_unicode(part)))


def verbatim(value: str) -> str:
    """A value that is no LaTeX (address, identifier): only the escapes that exporters add are taken out."""
    return _ESCAPED.sub(r"\1", value.replace(r"{\_}", "_")).replace("{", "").replace("}", "").strip()


def to_latex(text: str) -> str:
    """`text` so that LaTeX sets it as it stands and `to_unicode` gives it back. One line, white space single."""
    table = _TO_LATEX if _is_paired(text) else _TO_LATEX | _UNPAIRED
    escaped = " ".join(text.split()).translate(table)
    return _PARTED.sub("{}", escaped)


def _is_paired(text: str) -> bool:
    """Whether every brace of `text` has its other one."""
    depth = 0
    for brace in re.findall(r"[{}]", text):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return depth == 0


def paragraphs_to_latex(text: str) -> str:
    """`to_latex` for a longer text: every line becomes a paragraph. An @ at a line's start could open an entry."""
    parts = (to_latex(line) for line in text.splitlines() if line.strip())
    return "\n\n".join(f"{{@}}{part[1:]}" if part.startswith("@") else part for part in parts)


def title_to_latex(text: str) -> str:
    """`to_latex`, with words that have inner capitals in braces, which keeps styles from lowering them."""
    return _WORD.sub(_capitals_kept, to_latex(text))


def _capitals_kept(word: re.Match[str]) -> str:
    written = word.group()
    return f"{{{written}}}" if any(letter.isupper() for letter in written[1:]) else written
