"""Nodes of pandoc's tree that hold Word's own XML: styles, fields, bookmarks."""

from typing import Any
from xml.sax.saxutils import escape, quoteattr

from thesis.pandoc_ast.nodes import Node


def styled(style: str, blocks: list[Node]) -> Node:
    """Return `blocks` in the paragraph style `style` of the Word file."""
    return {"t": "Div", "c": [["", [], [["custom-style", style]]], blocks]}


def raw(xml: str) -> Node:
    """Return Word's own XML as part of a paragraph. Escape all text from users before."""
    return {"t": "RawInline", "c": ["openxml", xml]}


def raw_block(xml: str) -> Node:
    """Return Word's own XML as a block."""
    return {"t": "RawBlock", "c": ["openxml", xml]}


def run(text: str) -> str:
    """Return `text` as a run of Word's XML."""
    return f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def field(instruction: str, shown: str, *, stale: bool = False) -> str:
    """Return a field with the text it shows until Word updates it; `stale`: Word updates it when the file is opened."""
    dirty = ' w:dirty="true"' if stale else ""
    return (
        f'<w:r><w:fldChar w:fldCharType="begin"{dirty}/></w:r>'
        f'<w:r><w:instrText xml:space="preserve"> {escape(instruction)} </w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{run(shown) if shown else ""}'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def put_before(place: Any, new: Any, parent: Any) -> None:
    """Insert the element `new` before `place`, or at the end of `parent` when `place` is None."""
    if place is None:
        parent.append(new)
    else:
        place.addprevious(new)


def bookmarked(name: str, number: int, inside: str) -> str:
    """Return the XML `inside` within a bookmark."""
    return f'<w:bookmarkStart w:id="{number}" w:name={quoteattr(name)}/>{inside}<w:bookmarkEnd w:id="{number}"/>'
