"""Formulas as MathML, which browsers set without scripts. pandoc converts them, and its output is checked."""

import re
from xml.etree import ElementTree

from thesis.preview.formulas import FormulaConverter

_ELEMENTS = frozenset(
    [
        "math", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "mfrac", "msqrt", "mroot", "mstyle", "merror",
        "mpadded", "mphantom", "menclose", "msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts",
        "mprescripts", "none", "mtable", "mtr", "mtd", "semantics",
    ]
)  # fmt: skip
_ATTRIBUTES = frozenset(
    [
        "display", "mathvariant", "stretchy", "form", "fence", "separator", "lspace", "rspace", "accent", "accentunder",
        "movablelimits", "largeop", "symmetric", "minsize", "maxsize", "width", "height", "depth", "linethickness",
        "columnalign", "columnspacing", "rowspacing", "displaystyle", "scriptlevel", "notation",
    ]
)  # fmt: skip
_NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
_MATH = re.compile(r"<math\b.*</math>", re.DOTALL)
_MOST_ELEMENTS = 5_000
_DEEPEST = 100


def clean_mathml(written: str) -> str:
    """Return the formula in pandoc's HTML, reduced to elements and attributes of MathML; "" when there is none."""
    found = _MATH.search(written)
    if found is None:
        return ""
    try:
        root = ElementTree.fromstring(found[0])
    except ElementTree.ParseError:
        return ""
    if sum(1 for _ in root.iter()) > _MOST_ELEMENTS or not _clean(root, _DEEPEST):
        return ""
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


def _clean(element: ElementTree.Element, levels: int) -> bool:
    """Remove the TeX source and unknown attributes; False for an unknown element, or too many levels."""
    element.tag = element.tag.removeprefix(_NAMESPACE)
    if element.tag not in _ELEMENTS or levels == 0:
        return False
    element.attrib = {name: value for name, value in element.attrib.items() if name in _ATTRIBUTES}
    for child in [one for one in element if one.tag == f"{_NAMESPACE}annotation"]:
        element.remove(child)
    return all(_clean(child, levels - 1) for child in element)


mathml_formulas = FormulaConverter(["--to=html", "--mathml"], clean_mathml).convert
