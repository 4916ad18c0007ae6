r"""Which commands of LaTeX and its packages cite, by their names, and what in their arguments is a key (SPEC C7)."""

import re

# The names that are written mostly: one pair of braces, with keys
PLAIN = frozenset(
    ["cite", "citep", "citet", "citealp", "citealt", "citeauthor", "citeyear", "citeyearpar", "citenum", "nocite"]
    + ["parencite", "textcite", "autocite", "footcite", "footfullcite", "supercite", "fullcite", "smartcite"]
    + ["Cite", "Citep", "Citet", "Parencite", "Textcite", "Autocite", "Footcite", "Smartcite", "onlinecite"]
    + ["bibentry"]
)
# Of the package csquotes: \textcquote[p.~3]{key}{the words}, and with a language before the key
QUOTES = r"(?:foreign|hyphen|hybrid)?(?:text|block)cquote"
NAME = rf"[A-Za-z]*[cC]ite[A-Za-z]*+|bibentry|{QUOTES}"
# In what of a text none of these stands, nothing is cited.
TRACES = ("cite", "Cite", "bibentry", "cquote")

_CITES = re.compile(rf"(?:{NAME})\*?")
# Named like a citation, but their argument is no key.
_NO_KEY = re.compile(
    r"(?:new|set|def)?cite(?:style|text|reset|setup|left|right|mid|punct|dash|form|alias|command)|bibcite|newcites"
    r"|cite(?:tracker|index)(?:true|false)|Declare[A-Za-z]*|At[A-Z][A-Za-z]*"
)
# \volcite{volume}[page]{key} and \foreigntextcquote{german}{key}: the key comes second.
_KEY_SECOND = re.compile(r"(?:p|f|ft|s|t|a)?[vV]olcite|(?:foreign|hyphen|hybrid)(?:text|block)cquote")
_NOT_PLAIN = re.compile(r"#+[1-9]|\\(?:[A-Za-z@]+|.)\s*")
_SEVERAL = re.compile(r"[A-Za-z]*[cC]ite(?:text)?s")  # \cites{a}{b}, \footcitetexts[p.~3]{a}[p.~4]{b}


def is_citing(name: str) -> bool:
    """Whether the command `name` cites wherever it is defined: "cite" in it, but for those that set something up."""
    return _CITES.fullmatch(name) is not None and _NO_KEY.fullmatch(name) is None


def may_be_citing(made: str) -> bool:
    """Whether a name that commands and parameters put together may be that of one that cites: what is not plain may be
    any letters. A name without a plain one may be anything, and is taken for none.
    """
    parts = _NOT_PLAIN.split("".join(made.split()) if "\\" not in made else made)
    plain = ["".join(part.split()) for part in parts]
    may_be = re.compile("[A-Za-z]*".join(map(re.escape, plain)))
    return any(plain) and any(map(may_be.fullmatch, PLAIN))


def takes_several(name: str) -> bool:
    r"""Whether each of its braces holds keys, as those of `\cites{a}{b}`."""
    return _SEVERAL.fullmatch(name) is not None


def passed_over(name: str) -> int:
    """How many pairs of braces stand before the keys."""
    return 1 if _KEY_SECOND.fullmatch(name) else 0


def split(inner: str) -> tuple[str, ...]:
    """The keys between two braces. White space around them does not count; a `#` is a parameter, not a key."""
    keys = tuple(map(str.strip, inner.split(",")))
    is_odd = "" in keys or "#" in inner or "\n" in inner or "\r" in inner
    return tuple(" ".join(key.split()) for key in keys if key and "#" not in key) if is_odd else keys
