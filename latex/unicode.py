"""LaTeX in BibTeX values to Unicode and back.

pylatexenc takes 0.8 ms a title, so values whose commands are accents and escaped signs go a short way around it.
"""

import re
import unicodedata
from functools import cache
from itertools import accumulate
from typing import Any

from pylatexenc import latexwalker
from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db
from pylatexenc.macrospec import std_macro

_LIGATURES = (("!`", "¡"), ("?`", "¿"), ("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"))
_ACCENTS = {
    **{"'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307"},
    **{"c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "k": "\u0328", "d": "\u0323", "r": "\u030a"},
}
_LETTERS = {
    **{"ss": "ß", "o": "ø", "O": "Ø", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å"},
    **{"l": "ł", "L": "Ł", "i": "ı", "j": "ȷ"},
}
# Signs that would be read as LaTeX once their backslash is gone stand as private ones until the end.
_SIGNS = {"&": "&", "%": "%", "#": "#", "_": "_", "$": "\ue0f0", "{": "\ue0f1", "}": "\ue0f2"}
_SIGNS_BACK = str.maketrans({"\ue0f0": "$", "\ue0f1": "{", "\ue0f2": "}"})
_PRIVATE = frozenset("\ue0f0\ue0f1\ue0f2")
# An accent over one letter: \'e, \'{e}, \'\i, \'{\i}, \c{c}, \c c. A letter: \ss, \ss{}. A sign: \&.
_PLAIN = re.compile(
    r"""\\(?:(?P<mark>['`^"~=.]|[cvuHkdr](?![A-Za-z]))\s*
        (?:\{(?:(?P<inner>[A-Za-z])|\\(?P<dotless>[ij]))\}|(?P<bare>[A-Za-z])|\\(?P<free>[ij])(?![A-Za-z])(?:(?!\s*\n\s*\n)\s*|))
        |(?P<letter>ss|ae|AE|oe|OE|aa|AA|[oOlLij])(?![A-Za-z])(?:\{\}|(?!\s*\n\s*\n)\s*|)
        |(?P<sign>[&%#_${}])
        |(?P<font>emph|text(?:it|bf|sc|rm|tt|sf|up|sl|normal))\s*(?=\{)
        |\\)""",  # a new line, so that what follows it is no accent
    re.VERBOSE,
)
_MOST_STEPS = 12  # of the parser for each character; real values take one or two
_PARTED = re.compile(r"(?<=-)(?=-)|(?<=`)(?=`)|(?<=')(?=')|(?<=[?!])(?=`)|(?<=<)(?=<)|(?<=>)(?=>)|(?<=,)(?=,)")
_BARE = re.compile(r"(?<!\\)[%&]")
_ESCAPED = re.compile(r"\\([_%&#$~{}])")
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
TO_LATEX = str.maketrans(
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


class TooTangled(RecursionError):
    """A value whose commands stand in each other so that reading it would take for ever."""


class _Walker(latexwalker.LatexWalker):  # type: ignore[misc]  # pylatexenc carries no types
    """Commands in each other whose brackets do not close take this parser 2^n steps: it counts, and gives up."""

    def __init__(self, latex: str) -> None:
        super().__init__(latex, latex_context=_commands())
        self.steps = 200 + _MOST_STEPS * len(latex)

    def get_token(self, *args: Any, **kwargs: Any) -> Any:
        self.steps -= 1
        if self.steps < 0:
            raise TooTangled("too many commands inside each other")
        return super().get_token(*args, **kwargs)


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
    context.add_context_category(
        "scholium",
        macros=[
            MacroTextSpec("url", _address),
            MacroTextSpec("href", _linked),
            *(MacroTextSpec(name, symbol) for name, symbol in symbols.items()),
            # pylatexenc knows that these have an argument, and leaves it out.
            *(MacroTextSpec(name, discard=False) for name in ("mbox", "textmd", "textsf", "texttt", "textup")),
        ],
        prepend=True,
    )
    return _Decoder(math_mode="text", latex_context=context)


@cache
def _commands() -> Any:
    r"""Return what the parser knows of commands and their arguments; `\href` is none of pylatexenc's own."""
    context = latexwalker.get_default_latex_context_db()
    context.add_context_category("scholium", macros=[std_macro("href", "{{")], prepend=True)
    return context


def _arguments(node: Any) -> list[Any]:
    return [argument for argument in (getattr(node.nodeargd, "argnlist", None) or []) if argument is not None]


def _address(node: Any) -> str:
    r"""Return the address of `\url{...}` or `\href{...}`, which is no LaTeX."""
    arguments = _arguments(node)
    return verbatim(arguments[0].latex_verbatim()) if arguments else ""


def _linked(node: Any, l2tobj: LatexNodes2Text) -> str:
    r"""Return the text of `\href{address}{text}`; the address where the text is missing."""
    arguments = _arguments(node)
    return str(l2tobj.nodelist_to_text(arguments[1:2])) if len(arguments) > 1 else _address(node)


def to_unicode(value: str) -> str:
    """Return the text that LaTeX would set: accents and symbols as characters, braces gone, white space single.

    Raises TooTangled, a RecursionError, for commands too many inside each other.
    """
    has_commands = "\\" in value and _PRIVATE.isdisjoint(value)
    short = _PLAIN.sub(_plain, value) if has_commands else value
    if "\\" in short or "$" in short:
        value = _decoder().nodelist_to_text(_Walker(_no_tables(value)).get_latex_nodes()[0])
    else:
        for written, meant in _LIGATURES:
            short = short.replace(written, meant)
        value = short.replace("~", " ").replace("{", "").replace("}", "")
        value = value.translate(_SIGNS_BACK) if has_commands else value
    return " ".join(value.split())


def _plain(found: re.Match[str]) -> str:
    """Return the sign that one of the commands of `_PLAIN` stands for."""
    if sign := found["sign"]:
        return _SIGNS[sign]
    if letter := found["letter"]:
        return _LETTERS[letter]
    if found["font"]:
        return ""  # its braces go with all others
    if not found["mark"]:
        return found[0]
    # Under an accent, i and j are the same with and without their dots.
    over = found["inner"] or found["bare"] or found["dotless"] or found["free"]
    return unicodedata.normalize("NFC", over + _ACCENTS[found["mark"]])


def _no_tables(value: str) -> str:
    """Return a percent sign starts a comment in LaTeX and an ampersand a column, but not in BibTeX."""
    return value if r"\begin" in value else _BARE.sub(r"\\\g<0>", value)


def paragraphs_to_unicode(value: str) -> str:
    """`to_unicode` of a longer text, whose blank lines stay."""
    return "\n\n".join(text for part in re.split(r"\n\s*\n", value) if (text := to_unicode(part)))


def verbatim(value: str) -> str:
    """Return a value that is no LaTeX (address, identifier): only the escapes that exporters add are taken out."""
    return _ESCAPED.sub(r"\1", value.replace(r"{\_}", "_")).replace("{", "").replace("}", "").strip()


def to_latex(text: str) -> str:
    """`text` so that LaTeX sets it as it stands and `to_unicode` gives it back. One line, white space single."""
    return _PARTED.sub("{}", " ".join(text.split()).translate(TO_LATEX if _is_paired(text) else TO_LATEX | _UNPAIRED))


def _is_paired(text: str) -> bool:
    """Return whether every brace of `text` has its other one."""
    depths = [0, *accumulate(1 if brace == "{" else -1 for brace in re.findall(r"[{}]", text))]
    return min(depths) == depths[-1] == 0


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
