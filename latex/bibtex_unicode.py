"""Conversion of LaTeX in BibTeX values to Unicode and back.

pylatexenc takes 0.8 ms per title, so values that only have accents and escaped characters are converted without it.
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
# Characters that would be read as LaTeX without their backslash are replaced by private ones until the end
_SIGNS = {"&": "&", "%": "%", "#": "#", "_": "_", "$": "\ue0f0", "{": "\ue0f1", "}": "\ue0f2"}
_SIGNS_BACK = str.maketrans({"\ue0f0": "$", "\ue0f1": "{", "\ue0f2": "}"})
_PRIVATE = frozenset("\ue0f0\ue0f1\ue0f2")
# An accent over one letter: \'e, \'{e}, \'\i, \'{\i}, \c{c}, \c c. A letter: \ss, \ss{}. A symbol: \&.
_PLAIN = re.compile(
    r"""\\(?:(?P<mark>['`^"~=.]|[cvuHkdr](?![A-Za-z]))\s*
        (?:\{(?:(?P<inner>[A-Za-z])|\\(?P<dotless>[ij]))\}|(?P<bare>[A-Za-z])
            |\\(?P<free>[ij])(?![A-Za-z])(?:(?!\s*\n\s*\n)\s*|))
        |(?P<letter>ss|ae|AE|oe|OE|aa|AA|[oOlLij])(?![A-Za-z])(?:\{\}|(?!\s*\n\s*\n)\s*|)
        |(?P<sign>[&%#_${}])
        |(?P<font>emph|text(?:it|bf|sc|rm|tt|sf|up|sl|normal))\s*(?=\{)
        |\\)""",  # a line break (\\), so that its second backslash starts no accent
    re.VERBOSE,
)
_MOST_STEPS = 12  # of the parser per character; real values take one or two
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
# BibTeX counts braces even after a backslash, so unpaired ones need these commands, which few programs know
_UNPAIRED = str.maketrans({"{": r"\textbraceleft{}", "}": r"\textbraceright{}"})


class TooTangled(RecursionError):
    """A value with so many nested commands that parsing it would take too long."""


class _Walker(latexwalker.LatexWalker):  # type: ignore[misc]  # pylatexenc carries no types
    """A parser that counts its steps and gives up: nested commands with unclosed brackets take 2^n steps."""

    def __init__(self, latex: str) -> None:
        super().__init__(latex, latex_context=_commands())
        self.steps = 200 + _MOST_STEPS * len(latex)

    def get_token(self, *args: Any, **kwargs: Any) -> Any:
        self.steps -= 1
        if self.steps < 0:
            raise TooTangled("too many nested commands")
        return super().get_token(*args, **kwargs)


class _Decoder(LatexNodes2Text):  # type: ignore[misc]  # pylatexenc carries no types
    """A converter that gives no text for a command without its arguments: titles may be cut off anywhere."""

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
            # pylatexenc discards the argument of these
            *(MacroTextSpec(name, discard=False) for name in ("mbox", "textmd", "textsf", "texttt", "textup")),
        ],
        prepend=True,
    )
    return _Decoder(math_mode="text", latex_context=context)


@cache
def _commands() -> Any:
    r"""Return the parser's table of commands and their arguments, with `\href`, which pylatexenc lacks."""
    context = latexwalker.get_default_latex_context_db()
    context.add_context_category("scholium", macros=[std_macro("href", "{{")], prepend=True)
    return context


def _arguments(node: Any) -> list[Any]:
    return [argument for argument in (getattr(node.nodeargd, "argnlist", None) or []) if argument is not None]


def _address(node: Any) -> str:
    r"""Return the address of `\url{...}` or `\href{...}`, which is verbatim text."""
    arguments = _arguments(node)
    return verbatim(arguments[0].latex_verbatim()) if arguments else ""


def _linked(node: Any, l2tobj: LatexNodes2Text) -> str:
    r"""Return the text of `\href{address}{text}`, or the address if the text is missing."""
    arguments = _arguments(node)
    return str(l2tobj.nodelist_to_text(arguments[1:2])) if len(arguments) > 1 else _address(node)


def to_unicode(value: str) -> str:
    """Return LaTeX as plain text: accents and symbols as characters, without braces, with single spaces.

    Raises TooTangled, a RecursionError, for too many nested commands.
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
    """Return the character that a match of `_PLAIN` stands for."""
    if sign := found["sign"]:
        return _SIGNS[sign]
    if letter := found["letter"]:
        return _LETTERS[letter]
    if found["font"]:
        return ""  # its braces are removed later
    if not found["mark"]:
        return found[0]
    # Under an accent, i and j without dots are the same as with dots
    over = found["inner"] or found["bare"] or found["dotless"] or found["free"]
    return unicodedata.normalize("NFC", over + _ACCENTS[found["mark"]])


def _no_tables(value: str) -> str:
    """Escape % and &, which in BibTeX values are plain characters, unless the value has an environment."""
    return value if r"\begin" in value else _BARE.sub(r"\\\g<0>", value)


def paragraphs_to_unicode(value: str) -> str:
    """Return a longer text converted by `to_unicode`, with its blank lines."""
    return "\n\n".join(text for part in re.split(r"\n\s*\n", value) if (text := to_unicode(part)))


def verbatim(value: str) -> str:
    """Return a value that is not LaTeX (address, identifier) without the escapes that exporters add."""
    return _ESCAPED.sub(r"\1", value.replace(r"{\_}", "_")).replace("{", "").replace("}", "").strip()


def to_latex(text: str) -> str:
    """Return `text` as LaTeX that prints it and that `to_unicode` converts back, on one line with single spaces."""
    return _PARTED.sub("{}", " ".join(text.split()).translate(TO_LATEX if _is_paired(text) else TO_LATEX | _UNPAIRED))


def _is_paired(text: str) -> bool:
    """Return whether all braces of `text` are paired."""
    depths = [0, *accumulate(1 if brace == "{" else -1 for brace in re.findall(r"[{}]", text))]
    return min(depths) == depths[-1] == 0


def paragraphs_to_latex(text: str) -> str:
    """Return a longer text as LaTeX, each line as a paragraph, with a leading @ in braces, as it opens an entry."""
    parts = (to_latex(line) for line in text.splitlines() if line.strip())
    return "\n\n".join(f"{{@}}{part[1:]}" if part.startswith("@") else part for part in parts)


def title_to_latex(text: str) -> str:
    """Return a title as LaTeX, with words that have inner capitals in braces, so that styles do not lower them."""
    return _WORD.sub(_capitals_kept, to_latex(text))


def _capitals_kept(word: re.Match[str]) -> str:
    written = word.group()
    return f"{{{written}}}" if any(letter.isupper() for letter in written[1:]) else written
