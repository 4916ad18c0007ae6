"""Sanitising of SVG figures before they are saved: only the elements and attributes listed below are kept
(docs/analysis-service.md).

Labels in a figure come from users and their files. Shapes and text are kept; scripts, links and everything that loads
from outside the picture are removed.
"""

import re
from xml.etree import ElementTree

from defusedxml.ElementTree import fromstring

MOST = 3_000_000  # characters; the service sends at most 2 MB
_SVG = "http://www.w3.org/2000/svg"
_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_ELEMENT_NAMES = (
    "svg g defs clipPath mask title desc rect circle ellipse line polyline polygon path text tspan "
    "linearGradient radialGradient stop pattern style"
)
_ATTRIBUTE_NAMES = (
    "id class width height viewBox preserveAspectRatio x y x1 x2 y1 y2 cx cy r rx ry dx dy d points transform "
    "textLength lengthAdjust rotate offset gradientUnits gradientTransform patternUnits patternTransform "
    "clipPathUnits maskUnits clip-path clip-rule mask fill fill-opacity fill-rule stroke stroke-width stroke-opacity "
    "stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset opacity color stop-color "
    "stop-opacity font-family font-size font-style font-weight text-anchor dominant-baseline letter-spacing "
    "word-spacing text-rendering shape-rendering style version type"
)
_ELEMENTS, _ATTRIBUTES = frozenset(_ELEMENT_NAMES.split()), frozenset(_ATTRIBUTE_NAMES.split())
# Not allowed in styles: at-rules, comments, escapes that could spell them, scripts and data URLs.
_UNSAFE = re.compile(r"[@\\<]|/\*|expression\s*\(|javascript:|data:", re.IGNORECASE)
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # characters that XML does not allow
_URL = re.compile(r"url\s*\(", re.IGNORECASE)
_OWN_URL = re.compile(r"url\(\s*(['\"]?)#[\w.:=-]+\1\s*\)", re.IGNORECASE)


def sanitize_svg(svg: str) -> str:
    """Return `svg` with only safe elements and attributes; "" if it is not an SVG, too long, or declares entities."""
    if len(svg) > MOST:
        return ""
    try:
        root = fromstring(_NO_XML.sub("", svg), forbid_dtd=True)
        return (
            str(ElementTree.tostring(_allowed_copy(root), encoding="unicode")) if root.tag == f"{{{_SVG}}}svg" else ""
        )
    except (ValueError, ElementTree.ParseError, RecursionError):  # defusedxml's refusals are ValueErrors
        return ""


def _allowed_copy(element: "ElementTree.Element") -> "ElementTree.Element":
    """Return a copy of `element` with its allowed attributes and children. Removed elements lose their text, too."""
    name = _local(element.tag)
    # Names without their namespace: all are SVG names, and the root declares the namespace.
    copy = ElementTree.Element(name)
    for attribute, value in element.attrib.items():
        if attribute == _XML_SPACE:
            copy.set("xml:space", value)
        elif attribute in _ATTRIBUTES and is_safe(value):
            copy.set(attribute, value)
    copy.text = element.text
    if name == "style":
        copy.text = element.text if element.text and is_safe(element.text) else ""
        return copy
    last: ElementTree.Element | None = None
    for child in element:
        if isinstance(child.tag, str) and _local(child.tag) in _ELEMENTS and _local(child.tag) != "svg":
            last = _allowed_copy(child)
            last.tail = child.tail
            copy.append(last)
        elif last is not None:
            last.tail = (last.tail or "") + (child.tail or "")
        else:
            copy.text = (copy.text or "") + (child.tail or "")
    if name == "svg":
        copy.set("xmlns", _SVG)
    return copy


def is_safe(value: str) -> bool:
    """Return whether the value of an attribute, or a style, refers to nothing outside the picture."""
    return not _UNSAFE.search(value) and len(_URL.findall(value)) == len(_OWN_URL.findall(value))


def _local(tag: str) -> str:
    """Return the local name of an SVG element; "" for an element of another namespace."""
    return tag.removeprefix(f"{{{_SVG}}}") if tag.startswith(f"{{{_SVG}}}") else ""
