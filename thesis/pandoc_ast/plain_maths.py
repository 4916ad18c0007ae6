r"""The TeX of formulas rewritten with commands that pandoc can convert: \textsc, \prescript, \intertext and more."""

import re
from collections.abc import Callable

from latex.arguments import braced

_TEXT = re.compile(r"\\(?:text(?:sc|up|md|sl|lf|normal|color\s*\{[^{}]*\})|emph|uppercase|MakeUppercase)\s*(?=\{)")
_SHAPE = re.compile(
    r"\\(?:(?:tiny|scriptsize|footnotesize|small|normalsize|large|Large|centering|mathstrut|strut|hfill?|indent"
    r"|noindent|newline|nobreak|allowbreak|relax|null|nolimits|displaylimits|protect|smash(?:\s*\[[tb]\])?"
    r"|mathlarger|mathsmaller)(?![A-Za-z])"
    r"|(?:label|color|vspace\*?|tag\*?|phantomsection)\s*\{[^{}]*\}|rule\s*\{[^{}]*\}\s*\{[^{}]*\}"
    r"|(?:mkern|kern|mskip|hskip)\s*-?[\d.]+\s*(?:mu|pt|em|ex|cm|mm)"
    r"|(?:raisebox\s*\{[^{}]*\}|scalebox\s*\{[^{}]*\}|resizebox\s*\{[^{}]*\}\s*\{[^{}]*\}|mathllap|mathrlap|mathclap"
    r"|llap|rlap|clap)\s*(?=\{))"
)
_RENAMED = {"mathbbm": "mathbb", "mathds": "mathbb", "mathbbmss": "mathbb", "mathpzc": "mathcal", "vb": "mathbf"}
_OTHER_NAME = re.compile(r"\\(" + "|".join(_RENAMED) + r")(?![A-Za-z])")
_WITH_ARGUMENTS: dict[str, tuple[int, str]] = {  # the arguments of a command, and what it becomes
    "prescript": (3, "{{}}^{{{0}}}_{{{1}}}{2}"),
    "nicefrac": (2, "{{{0}}}/{{{1}}}"),
    "sfrac": (2, "{{{0}}}/{{{1}}}"),
    "textsuperscript": (1, "^{{\\text{{{0}}}}}"),
    "textsubscript": (1, "_{{\\text{{{0}}}}}"),
    "phantom": (1, "\\;"),
    "hphantom": (1, "\\;"),
    "vphantom": (1, ""),
    "intertext": (1, "\\text{{{0}}}\\\\"),
    "shortintertext": (1, "\\text{{{0}}}\\\\"),
    "abs": (1, "\\left|{0}\\right|"),
    "norm": (1, "\\left\\|{0}\\right\\|"),
    "bra": (1, "\\left\\langle {0}\\right|"),
    "ket": (1, "\\left|{0}\\right\\rangle"),
    "dv": (2, "\\frac{{\\mathrm{{d}}{0}}}{{\\mathrm{{d}}{1}}}"),
    "pdv": (2, "\\frac{{\\partial {0}}}{{\\partial {1}}}"),
    "SI": (2, "{0}\\,\\text{{{1}}}"),
    "qty": (2, "{0}\\,\\text{{{1}}}"),
    "num": (1, "{0}"),
}
_COMMAND = re.compile(r"\\(" + "|".join(_WITH_ARGUMENTS) + r")\*?(?![A-Za-z])")
_WORDS = re.compile(r"\\(?:text|mbox|textrm|mathrm|hbox|textit|textbf|textnormal)\s*(?=\{)")
_REFERENCE = re.compile(r"\\(eq)?ref\s*\{([^{}]*)\}")
_MOST = 200  # commands of one formula


def plain_maths(tex: str, shown: Callable[[str, str], str]) -> str:
    r"""Return `tex` for pandoc. `shown` returns what a \ref or \eqref prints, by label and kind ("ref", "eqref")."""
    if "\\" not in tex:
        return tex
    if "ref" in tex:
        tex = _REFERENCE.sub(lambda found: rf"\text{{{shown(found[2].strip(), 'eqref' if found[1] else 'ref')}}}", tex)
    tex = _SHAPE.sub("", _TEXT.sub(r"\\text", tex))
    tex = _OTHER_NAME.sub(lambda found: f"\\{_RENAMED[found[1]]}", tex)
    tex = _each(tex, _COMMAND, _written)
    return _each(tex, _WORDS, _formulas_outside) if "$" in tex else tex


def _each(tex: str, command: re.Pattern[str], change: Callable[[str, re.Match[str]], tuple[str, int] | None]) -> str:
    """Return `tex` with each command changed by a function that returns the new text, and where it ends."""
    at = 0
    for _ in range(_MOST):
        found = command.search(tex, at)
        if found is None:
            break
        made = change(tex, found)
        if made is None:
            at = found.end()
        else:
            new, end = made
            tex, at = tex[: found.start()] + new + tex[end:], found.start() + (len(new) if "\\text" in new[:5] else 0)
    return tex


def _written(tex: str, found: re.Match[str]) -> tuple[str, int] | None:
    count, form = _WITH_ARGUMENTS[found[1]]
    at, parts = found.end(), []
    for _ in range(count):
        at, inside = braced(tex, at)
        if inside is None:
            return None
        parts.append(inside)
    return form.format(*parts), at


def _formulas_outside(tex: str, found: re.Match[str]) -> tuple[str, int] | None:
    r"""Return \text{for $x$ in}, whose formula pandoc would not read, as \text{for }x\text{ in}."""
    end, inside = braced(tex, found.end())
    if inside is None or "$" not in inside:
        return None
    pieces = inside.split("$")
    words = found[0].strip()
    made = "".join(f"{words}{{{one}}}" if place % 2 == 0 else f"{{{one}}}" for place, one in enumerate(pieces) if one)
    return made, end
