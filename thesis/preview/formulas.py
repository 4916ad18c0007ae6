r"""Formulas converted by pandoc to Typst's math language, and a check that they are safe (SPEC T6).

All formulas of a thesis go through one process of pandoc; a filter for each chapter took as long as reading it. Typst's
math language can run code that reads files, so its output is checked here character by character: no `#`, which starts
code, and no word that is not on the lists below. Text in formulas is in strings, and variables are single letters.
A formula that does not pass is shown as its LaTeX source.
"""

# ruff: noqa: SIM905 a list of a hundred quoted strings is hard to read

import json
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

from thesis.pandoc_ast.nodes import VERSION, Node, para
from untrusted.pandoc import PandocFailed, pandoc

_LONGEST = 8_000  # characters of a formula, before and after the conversion
_SECONDS = 6  # for all formulas
_HEAP = "768m"
_KEPT = 20_000  # formulas in the cache of a process

_FUNCTIONS = frozenset(
    """accent attach binom bold italic upright bb cal scr frak sans mono serif cancel cases ceil floor round class
    display inline script sscript frac lr mid abs norm limits scripts mat vec op primes root sqrt overline underline
    overbrace underbrace overbracket underbracket overparen underparen overshell undershell stretch hat tilde macron
    dash breve grave acute circle diaer dot caron arrow harpoon lt rt dif Dif thin med thick quad wide zws math
    arccos arcsin arctan arg cos cosh cot coth csc ctg deg det dim exp gcd lcm hom id im inf ker lg liminf limsup ln
    lim log max min mod Pr sec sech sin sinc sinh sup tan tanh tg tr
    delim augment gap align size left right center top bottom true false none inverted angle""".split()
)
# Names of symbols that pandoc writes, without their modifiers after a full stop (arrow.r.long), which are letters only
_SIGNS = frozenset(
    """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi
    psi omega digamma Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho Sigma Tau
    Upsilon Phi Chi Psi Omega aleph alef beth bet gimel dalet ell planck Re Im nabla partial infinity oo emptyset
    nothing AA BB CC DD EE FF GG HH II JJ KK LL MM NN OO PP QQ RR SS TT UU VV WW XX YY ZZ
    plus minus times div dot ast star slash backslash compose convolve bullet without wreath xor
    eq equiv approx tilde lt gt prec succ prop smile frown parallel perp divides models forces tack
    in subset supset union inter sect product integral sum prod complement
    forall exists not and or top bot therefore because qed
    arrow arrows arrowhead harpoon harpoons mapsto
    dots quote prime degree percent permille pilcrow section copyright trademark dollar euro pound yen currency amp at
    hash comma colon semi period excl quest interrobang space zwj zwnj zws dagger ballot checkmark crossmark floral
    paren brace bracket bar fence ceil floor chevron angle corner mustache shell
    circle ellipse triangle square rect lozenge diamond hexagon pentagon parallelogram
    join dotless diameter acute breve caron macron hat grave diaer overline hyph dash
    oplus ominus otimes multimap original asymp natural flat sharp hourglass
    suit note die flower gender male female errorbar refmark numero ohm angstrom kelvin micro mho rupee bitcoin
    laplace""".split()
)
_KNOWN = _FUNCTIONS | _SIGNS
_DEEPEST = 60  # levels of nested brackets
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_ESCAPED = re.compile(r"\\(?:[^\w\s]|_|u\{[0-9a-fA-F]{1,6}\})|\\(?=\s)")
_WORD = re.compile(r"[^\W\d_][^\W_]*(?:\.[A-Za-z]+)*")
_CODE = re.compile(r'[#$"`@\\]|//|/\*|<[\w:.-]+>')  # starts code, a string, a comment or a label
# Code that pandoc writes, which is replaced by plain math: larger brackets, spaces in em, phantoms, boxes
_LARGER = re.compile(r"#scale\(x: \d+%, y: \d+%\)\[(\\?[^\w\s\[\]#]|[a-z]+(?:\.[a-z]+)*|\\[\[\]])\]")
_ROOM = re.compile(r"#(?:h\(-?[\d.]+em\)|hide\[[^\[\]#]*\])")
_BOX = re.compile(r"#box\(stroke: black, inset: 3pt, \[\$ ([^\[\]#$]*) \$\]\)")
_RENAMED = re.compile(r"(?<![\w\"])sect(?![A-Za-z])")  # called `inter` in the installed version of Typst

Formula = tuple[str, str]  # "InlineMath" or "DisplayMath", and its TeX


class FormulaConverter:
    """Converts formulas by pandoc, with the options `to`, and caches them. `clean` returns "" for an unsafe one."""

    def __init__(self, to: Sequence[str], clean: Callable[[str], str]) -> None:
        self._options, self._clean = ["--from=json", *to, "--wrap=none"], clean
        self._kept: OrderedDict[Formula, str] = OrderedDict()
        self._turn = threading.Lock()

    def convert(self, formulas: Iterable[Formula]) -> dict[Formula, str]:
        """Return each of `formulas` converted; "" for one that cannot be converted or is not safe."""
        wanted = list(dict.fromkeys(formulas))
        with self._turn:
            known = {one: self._kept[one] for one in wanted if one in self._kept}
        missing = [one for one in wanted if one not in known]
        written = self._written([one for one in missing if len(one[1]) <= _LONGEST])
        made = {one: self._clean(written.get(one, "")) for one in missing}
        with self._turn:
            self._kept.update({one: made[one] for one in written})
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return known | made

    def _written(self, formulas: list[Formula]) -> dict[Formula, str]:
        if not formulas:
            return {}
        mark = f"formula{secrets.token_hex(8)}n"
        blocks: list[Node] = []
        for number, (kind, tex) in enumerate(formulas):
            blocks += [para([{"t": "Str", "c": f"{mark}{number}"}]), para([{"t": "Math", "c": [{"t": kind}, tex]}])]
        given = json.dumps({"pandoc-api-version": VERSION, "meta": {}, "blocks": blocks}).encode()
        try:
            made = pandoc(self._options, given, seconds=_SECONDS, heap=_HEAP).out
        except PandocFailed:
            return {}  # all are shown as their source
        parts = re.split(rf"{mark}(\d+)(?:</p>)?$", made.decode("utf-8", "replace"), flags=re.MULTILINE)
        return {formulas[int(number)]: text.strip() for number, text in zip(parts[1::2], parts[2::2], strict=True)}


def maths_of(written: str) -> str:
    """Return a formula that pandoc wrote for Typst, without its `$` signs; "" when it is not safe or no formula."""
    text = written.strip()
    if not (text.startswith("$") and text.endswith("$") and 3 <= len(text) <= _LONGEST):
        return ""
    text = _BOX.sub(r"lr([\1])", _ROOM.sub(" ", _LARGER.sub(r"\1", text))) if "#" in text else text
    inside = _RENAMED.sub("inter", text[1:-1].strip()) if "sect" in text else text[1:-1].strip()
    bare = _ESCAPED.sub(" ", _STRING.sub(" ", inside))
    if not inside or _CODE.search(bare) or _is_deep(bare):
        return ""
    return inside if all(_is_known(found[0]) for found in _WORD.finditer(bare)) else ""


def _is_known(word: str) -> bool:
    name, _, _ = word.partition(".")
    return len(name) == 1 and "." not in word or name in _KNOWN


def _is_deep(text: str) -> bool:
    depths = accumulate((sign in "([{") - (sign in ")]}") for sign in text)
    return max(depths, default=0) > _DEEPEST


typst_formulas = FormulaConverter(["--to=typst"], maths_of).convert
