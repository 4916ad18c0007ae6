"""Conversion of pandoc's document tree of a reference to one line of Markdown.

Only emphasis stays; links show their address, which a page can make clickable. Everything else that Markdown would
interpret is escaped, since titles are untrusted.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

from django.utils.safestring import SafeString
from markdown_it import MarkdownIt

_SPECIAL = re.compile(r"[\\*`<]|(?<!\w)_|_(?!\w)|&(?=#?\w+;)|(?<=\])\(")
_AT_START = re.compile(r"^(?:[#>+-]|\d+(?=[.)]))")
_RAISED = str.maketrans("0123456789+-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ")
_LOWERED = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")

Inline = dict[str, Any]

_READER = MarkdownIt("commonmark", {"html": False})


def escaped(text: str) -> str:
    """Escape `text` so that Markdown shows it unchanged."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def as_html(line: str) -> SafeString:
    """Render one line of Markdown as HTML; HTML in the text is escaped."""
    return SafeString(_READER.renderInline(line))


def line_of(blocks: Iterable[dict[str, Any]]) -> str:
    """Return all paragraphs of pandoc `blocks` as one line of Markdown."""
    return start_escaped(
        " ".join(" ".join(_inlines(block["c"]) for block in blocks if block["t"] in {"Para", "Plain"}).split())
    )


def start_escaped(line: str) -> str:
    """Escape the start of a line that would make it a list, heading or quotation, such as "1." or "#"."""
    found = _AT_START.match(line)
    if found is None:
        return line
    at = found.end() if found.group().isdecimal() else 0
    return f"{line[:at]}\\{line[at:]}"


def _inlines(inlines: Iterable[Inline]) -> str:
    return "".join(_inline(inline) for inline in inlines)


def _inline(inline: Inline) -> str:
    kind, content = inline["t"], inline.get("c", [])
    if kind == "Str":
        return escaped(content)
    if kind in {"Space", "SoftBreak", "LineBreak"}:
        return " "
    if kind in {"Code", "Math", "RawInline"}:
        return escaped(content[1])
    if kind == "Note":
        return ""
    inner = _inlines(content[1] if kind in {"Link", "Span", "Quoted", "Cite"} else content)
    return _SHAPED[kind](inner) if kind in _SHAPED else inner


def _marked(mark: str, text: str) -> str:
    """Put `text` between marks, with outer spaces outside them, since Markdown ignores marks next to spaces."""
    inner = text.strip()
    if not inner:
        return text
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{before}{mark}{inner}{mark}{after}"


_SHAPED: dict[str, Callable[[str], str]] = {
    "Emph": lambda text: _marked("*", text),
    "Strong": lambda text: _marked("**", text),
    "Superscript": lambda text: text.translate(_RAISED),
    "Subscript": lambda text: text.translate(_LOWERED),
    "Quoted": lambda text: f"“{text}”",
}
