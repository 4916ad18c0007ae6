"""The definitions of a preamble as pandoc can read them."""

import re

_GROUP = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_SETTINGS = re.compile(
    rf"\\(?:sisetup\s*{_GROUP}|setlist\*?\s*(?:\[[^\[\]]*\])?\s*{_GROUP}"
    rf"|DeclareSIUnit\s*(?:\[[^\[\]]*\])?\s*(?:\{{\s*\\[A-Za-z]+\s*\}}|\\[A-Za-z]+)\s*{_GROUP})"
)
_DECLARED = re.compile(r"\\declaretheorem\s*(?:\[(?:[^\[\]{}]|\{[^{}]*\})*\])?\s*\{([A-Za-z]+)\}")
_DELIMITER = re.compile(
    rf"\\DeclarePairedDelimiter\s*\{{?\s*\\([A-Za-z]+)\s*\}}?\s*({_GROUP}|\\[A-Za-z]+)\s*({_GROUP}|\\[A-Za-z]+)"
)


def for_pandoc(macros: str) -> str:
    """Return definitions without settings that pandoc does not know, and with what it does not define in its words.

    Theorems get their names and numbers from LaTeX's counters: here only their environments matter.
    """
    made = _DECLARED.sub(r"\\newtheorem{\1}{\1}", _SETTINGS.sub("", macros))
    return _DELIMITER.sub(_as_command, made)


def without_stars(latex: str, macros: str) -> str:
    r"""Return `latex` without the star and the size after paired delimiters: \abs*{x}, \abs[\big]{x}."""
    names = [found[1] for found in _DELIMITER.finditer(macros)]
    if not names:
        return latex
    return re.sub(rf"(\\(?:{'|'.join(names)}))(?:\*|[ \t]*\[\\[A-Za-z]+\])(?=[ \t]*\{{)", r"\1", latex)


def _as_command(found: re.Match[str]) -> str:
    opens, closes = (one.removeprefix("{").removesuffix("}") for one in (found[2], found[3]))
    return f"\\newcommand{{\\{found[1]}}}[1]{{\\left{opens} #1\\right{closes}}}"
