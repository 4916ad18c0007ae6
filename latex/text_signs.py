r"""The characters that commands print in the text: \textsection, \euro, \ding{51}. Letters are in shown_text.py."""

import re

_USUAL = {
    "ldots": "…", "dots": "…", "textellipsis": "…", "S": "§", "P": "¶", "pounds": "£", "copyright": "©",
    "textquotedbl": '"', "textasciigrave": "`", "textbackslash": "\\", "textasciitilde": "~",
    "textasciicircum": "^", "textless": "<", "textgreater": ">", "textregistered": "®", "textbullet": "•",
    "textunderscore": "_", "textdollar": "$", "textbraceleft": "{", "textbraceright": "}", "textonehalf": "½",
    "textonequarter": "¼", "textquestiondown": "¿", "textexclamdown": "¡",
}  # fmt: skip
RARE = {  # pandoc does not know these, or not as text
    "textrupee": "₹", "rupee": "₹", "degree": "°", "textdegree": "°", "textcelsius": "℃", "celsius": "°C",
    "euro": "€", "texteuro": "€", "textpm": "±", "texttimes": "×", "textdiv": "÷", "textmu": "µ", "textohm": "Ω",
    "perthousand": "‰", "textperthousand": "‰", "texttrademark": "™", "dag": "†", "ddag": "‡", "textdagger": "†",
    "textdaggerdbl": "‡", "textendash": "–", "textemdash": "—", "textbar": "|", "textminus": "−", "checkmark": "✓",
    "textlnot": "¬", "textrightarrow": "→", "textleftarrow": "←", "textuparrow": "↑", "textdownarrow": "↓",
    "textquotesingle": "'", "textonesuperior": "¹", "texttwosuperior": "²", "textthreesuperior": "³",
    "textthreequarters": "¾", "textyen": "¥", "textcent": "¢", "textinterpunct": "·", "textperiodcentered": "·",
    "textordfeminine": "ª", "textnumero": "№", "textordmasculine": "º", "textparagraph": "¶", "textsection": "§",
    "textasteriskcentered": "*", "textquotedblleft": "“", "textquotedblright": "”", "textquoteleft": "‘",
    "textquoteright": "’", "textle": "≤", "quotedblbase": "„", "quotesinglbase": "‚", "guillemotleft": "«",
    "guillemotright": "»", "textge": "≥", "textinfty": "∞", "textsurd": "√", "textapprox": "≈", "male": "♂",
    "female": "♀", "textmale": "♂", "textfemale": "♀", "Square": "□", "CheckedBox": "☑",
}  # fmt: skip
SIGNS = _USUAL | RARE
DING = re.compile(r"\\ding[ \t]*+\{[ \t]*+(\d{2,3})[ \t]*+\}")
# Dingbats that Unicode has elsewhere; the others stand in the order of the font (pifont)
_ELSEWHERE = {37: "☎", 42: "☛", 43: "☞", 72: "★", 108: "●", 110: "■", 115: "▲", 116: "▼", 117: "◆", 119: "◗"}


def ding(found: re.Match[str]) -> str:
    r"""Return the character of a match of `DING`, \ding{..} of the package pifont; the match itself without one."""
    code = int(found[1])
    in_order = chr(0x2700 + code - 32) if 33 <= code <= 126 else found[0]
    return _ELSEWHERE.get(code, in_order)
