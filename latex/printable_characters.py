r"""Characters that pdflatex can print, and plain text as LaTeX (SPEC T5).

pdflatex knows the characters of T1 and TS1. Others that medical texts have are declared in the preamble by
\DeclareUnicodeCharacter. A character in neither list is an error of LaTeX with its line; it is never silently left out.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from core.grouping import first_values

BREAK_EVERY = 10  # letters, for line breaks in a word longer than LONG_WORD
LONG_WORD = 30


def _ranges(*ends: tuple[int, int]) -> str:
    return "".join(chr(code) for first, last in ends for code in range(first, last + 1))


# Characters that LaTeX declares for T1 and TS1 (t1enc.dfu, ts1enc.dfu) and that the fonts have
_KNOWN = frozenset(
    _ranges(
        (0x20, 0x7E),
        (0xA0, 0x10F),
        (0x110, 0x125),
        (0x128, 0x133),
        (0x136, 0x137),
        (0x139, 0x13E),
        (0x141, 0x148),
        (0x14C, 0x165),
    )
    + _ranges((0x168, 0x17E), (0x1CD, 0x1D4), (0x1E6, 0x1EB), (0x218, 0x21B))
    + "\n\t\u01f4\u01f5\u0232\u0233\u1e02\u1e03\u1e0d\u1e20\u1e21\u1e25\u1e37\u1e43\u1e45\u1e47\u1e5b\u1e63\u1e6d\u1e9e"
    + "\u2010\u2011\u2012\u2013\u2014\u2015\u2018\u2019\u201a\u201c\u201d\u201e\u2020\u2021\u2022\u2026\u2030\u2031"
    + "\u2039\u203a\u20ac\u2122"
)


def _each(first: int, commands: str) -> dict[int, str]:
    return {
        first + place: rf"\ensuremath{{{command}}}" for place, command in enumerate(commands.split()) if command != "."
    }


def _maths(pairs: str) -> dict[int, str]:
    r"""Return the code points of "2264 \leq; 2265 \geq" with their commands, to be printed in math mode everywhere."""
    return {code: rf"\ensuremath{{{command}}}" for code, command in _plain(pairs).items()}


def _plain(pairs: str) -> dict[int, str]:
    split = (pair.strip().split(" ", 1) for pair in pairs.split(";"))
    return {int(code, 16): text for code, text in split}


# LaTeX for each code point
SYMBOLS: dict[int, str] = {
    **_each(
        0x3B1,
        r"\alpha \beta \gamma \delta \varepsilon \zeta \eta \theta \iota \kappa \lambda \mu \nu \xi o \pi \rho "
        r"\varsigma \sigma \tau \upsilon \varphi \chi \psi \omega",
    ),
    **_each(
        0x391,
        r"\mathrm{A} \mathrm{B} \Gamma \Delta \mathrm{E} \mathrm{Z} \mathrm{H} \Theta \mathrm{I} \mathrm{K} \Lambda "
        r"\mathrm{M} \mathrm{N} \Xi \mathrm{O} \Pi \mathrm{P} . \Sigma \mathrm{T} \Upsilon \Phi \mathrm{X} \Psi \Omega",
    ),
    **_maths(r"3D1 \vartheta; 3D5 \phi; 3D6 \varpi; 3F1 \varrho; 3F5 \epsilon; 2126 \Omega; 2206 \Delta; 2113 \ell"),
    # Relations, operations and arrows
    **_maths(
        r"2264 \leq; 2265 \geq; 2A7D \leqslant; 2A7E \geqslant; 2248 \approx; 2260 \neq; 2261 \equiv; 223C \sim;"
        r"2243 \simeq; 2245 \cong; 226A \ll; 226B \gg; 2272 \lesssim; 2273 \gtrsim; 221D \propto; 2208 \in;"
        r"2209 \notin; 2229 \cap;"
        r"222A \cup; 2282 \subset; 2286 \subseteq; 2225 \parallel; 22A5 \perp; 2227 \wedge; 2228 \vee; 2205 \emptyset;"
        r"2212 -; 2213 \mp; 2217 *; 2219 \bullet; 22C5 \cdot; 221A \surd; 221E \infty; 2211 \sum; 220F \prod;"
        r"222B \int;"
        r"2202 \partial; 2207 \nabla; 2234 \therefore; 2235 \because; 2220 \angle; 2295 \oplus; 2297 \otimes;"
        r"2200 \forall; 2203 \exists;"
        r"2190 \leftarrow; 2191 \uparrow; 2192 \rightarrow; 2193 \downarrow; 2194 \leftrightarrow; 2195 \updownarrow;"
        r"2197 \nearrow; 2198 \searrow; 21D0 \Leftarrow; 21D2 \Rightarrow; 21D4 \Leftrightarrow;"
        r"21CC \rightleftharpoons;"
        r"27F5 \longleftarrow; 27F6 \longrightarrow; 27F9 \Longrightarrow; 27E8 \langle; 27E9 \rangle; 2016 \Vert;"
        r"2032 {}^{\prime}; 2033 {}^{\prime\prime}; 2034 {}^{\prime\prime\prime}"
    ),
    # Characters that need different commands in formulas and in text
    **_plain(
        r"B1 \ifmmode\pm\else\textpm\fi; D7 \ifmmode\times\else\texttimes\fi; F7 \ifmmode\div\else\textdiv\fi;"
        r"B5 \ifmmode\mu\else\textmu\fi; 3BC \ifmmode\mu\else\textmu\fi; B7 \ifmmode\cdot\else\textperiodcentered\fi;"
        r"B0 \ifmmode{}^{\circ}\else\textdegree\fi; B2 \ifmmode{}^{2}\else\texttwosuperior\fi;"
        r"B3 \ifmmode{}^{3}\else\textthreesuperior\fi; B9 \ifmmode{}^{1}\else\textonesuperior\fi; AC \ensuremath{\neg}"
    ),
    **_plain(r"134 \^{J}; 135 \^{j}; 1F0 \v{j}"),
    # Fractions, superscript and subscript digits
    **{
        code: rf"\ensuremath{{{{}}^{{{above}}}\!/_{{{below}}}}}"
        for code, above, below in [
            (0x2153, 1, 3), (0x2154, 2, 3), (0x2155, 1, 5), (0x2156, 2, 5), (0x2157, 3, 5), (0x2158, 4, 5),
            (0x2159, 1, 6), (0x215A, 5, 6), (0x215B, 1, 8), (0x215C, 3, 8), (0x215D, 5, 8), (0x215E, 7, 8),
        ]
    },
    **{
        0x2070 + place: rf"\ensuremath{{{{}}^{{{sign}}}}}"
        for place, sign in enumerate("0i..456789+-=()n")
        if sign != "."
    },
    **{0x2080 + place: rf"\ensuremath{{{{}}_{{{sign}}}}}" for place, sign in enumerate("0123456789+-=()")},
    **{
        code: rf"\textsuperscript{{{sign}}}"
        for code, sign in zip([0x1D43, 0x1D47, 0x1D9C, 0x1D48, 0x1D49], "abcde", strict=True)
    },
    # Spaces and characters without width
    **_plain(
        r"2000 \enskip; 2001 \quad; 2002 \enskip; 2003 \quad; 2004 \thickspace; 2005 \:; 2006 \,; 2007 \phantom{0};"
        r"2008 \,; 2009 \,; 200A \kern0.08em; 200B \hspace{0pt}; 200D {}; 200E {}; 200F {}; 2028 \space; 2029 \space;"
        r"202F \,; 205F \:; 2060 {}; 3000 \quad; FEFF {}; 200C \textcompwordmark"
    ),
    # Symbols and ligatures
    **_plain(
        r"201B `; 201F ``; 2024 .; 2027 \textperiodcentered; 2044 /; 2103 \textdegree C; 2109 \textdegree F; 2116 No.;"
        r"212B \AA; 20B9 Rs.; 2BC '; 2DA \textdegree; 2043 -; 2023 \ensuremath{\triangleright};"
        r"25E6 \ensuremath{\circ}; 25CB \ensuremath{\bigcirc};"
        r"25CF \textbullet; 25A0 \ensuremath{\blacksquare}; 25AA \ensuremath{\blacksquare}; 25A1 \ensuremath{\square};"
        r"2610 \ensuremath{\square}; 2611 \ensuremath{\boxtimes}; 2612 \ensuremath{\boxtimes};"
        r"25B2 \ensuremath{\blacktriangle};"
        r"25B3 \ensuremath{\triangle}; 25BC \ensuremath{\blacktriangledown}; 25CA \ensuremath{\lozenge};"
        r"2605 \ensuremath{\bigstar}; 2713 \ensuremath{\checkmark}; 2714 \ensuremath{\checkmark};"
        r"2715 \ensuremath{\times};"
        r"2717 \ensuremath{\times}; FB00 ff; FB01 fi; FB02 fl; FB03 ffi; FB04 ffl"
    ),
}  # fmt: skip

_ABOVE = {
    0x300: "`",
    0x301: "'",
    0x302: "^",
    0x303: "~",
    0x304: "=",
    0x306: "u",
    0x307: ".",
    0x308: '"',
    0x30A: "r",
    0x30B: "H",
    0x30C: "v",
}
_BELOW = {0x323: "d", 0x327: "c", 0x328: "k", 0x331: "b", 0x326: "textcommabelow"}
ACCENTS = {command: chr(mark) for mark, command in {**_ABOVE, **_BELOW}.items()}  # the combining mark of each command


@cache
def accented(letter: str) -> str:
    r"""Return `letter` written with commands for its accents (U+1E5B is `\d{r}`); "" if that is not possible."""
    base, *marks = list(unicodedata.normalize("NFD", letter))
    if not marks or not ("A" <= base <= "Z" or "a" <= base <= "z"):
        return ""
    above = [_ABOVE[ord(mark)] for mark in marks if ord(mark) in _ABOVE]
    below = [_BELOW[ord(mark)] for mark in marks if ord(mark) in _BELOW]
    if len(above) > 1 or len(below) > 1 or len(above) + len(below) != len(marks):
        return ""
    bare = r"\i" if base == "i" else base  # the font has no j without a dot
    made = rf"\{above[0]}{{{bare}}}" if above else base
    return rf"\{below[0]}{{{made}}}" if below else made


def declarations(texts: Iterable[str]) -> str:
    """Return the preamble's declarations of characters: all `SYMBOLS`, and accented letters in `texts` beyond T1."""
    used = {letter for text in texts for letter in set(text) if ord(letter) > 0x17E}
    extra = {ord(letter): made for letter in used - _KNOWN if (made := accented(letter))}
    return "\n".join([rf"\DeclareLetter{{{code:04X}}}{{{made}}}" for code, made in sorted((extra | SYMBOLS).items())])


class UnprintableCharacter(NamedTuple):
    """A character that pdflatex cannot print, and the first line (from 1) of a text that has it."""

    letter: str
    line: int

    @property
    def called(self) -> str:
        """Return the character with its code, for messages."""
        shown = self.letter if self.letter.isprintable() and not unicodedata.combining(self.letter) else ""
        return f"{shown} (U+{ord(self.letter):04X})".strip()


def unprintable_characters(text: str) -> list[UnprintableCharacter]:
    """Return the characters of `text` that pdflatex cannot print, each once, in order."""
    if text.isascii():
        return []
    lines = unicodedata.normalize("NFC", text).split("\n")
    first = first_values(
        (letter, number) for number, line in enumerate(lines, start=1) for letter in line if not can_be_set(letter)
    )
    return [UnprintableCharacter(letter, number) for letter, number in first.items()]


def can_be_set(letter: str) -> bool:
    """Return whether pdflatex can print `letter` with the preamble of Scholium."""
    return letter in _KNOWN or ord(letter) in SYMBOLS or bool(accented(letter))


_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "#": r"\#", "$": r"\$", "%": r"\%", "&": r"\&", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "`": r"\textasciigrave{}", "[": "{[}", "]": "{]}",
}  # fmt: skip
_PAIRS = {"'": "'", "-": "-", ",": ","}  # two of these would become a ligature


def escape_latex(words: str) -> str:
    """Return plain text as LaTeX that prints exactly these characters. White space becomes single spaces.

    A word too long for a line can be broken after every ten letters.
    """
    plain = unicodedata.normalize("NFC", words)
    shown = "".join(letter for letter in plain if letter.isspace() or unicodedata.category(letter) != "Cc")
    return " ".join("".join(_word(word)) for word in re.split(r"[ \t\r\n\f\v]+", shown) if word)


def _word(word: str) -> Iterator[str]:
    before = ""
    for place, letter in enumerate(word):
        if len(word) > LONG_WORD and place and place % BREAK_EVERY == 0 and not unicodedata.combining(letter):
            yield r"\-"
        elif _PAIRS.get(letter) == before:
            yield "{}"
        yield _SPECIAL.get(letter, letter)
        before = letter


def escape_latex_lines(text: str) -> list[str]:
    """Return each non-empty line of `text` as LaTeX, as a paragraph of its own."""
    return [made for line in text.splitlines() if (made := escape_latex(line))]
