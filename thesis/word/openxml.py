"""Nodes of pandoc's tree that hold Word's own XML: styles, fields, bookmarks."""

from typing import Any
from xml.sax.saxutils import escape, quoteattr

from thesis.pandoc_ast.nodes import Node


def styled(style: str, blocks: list[Node]) -> Node:
    """`blocks` in a paragraph style of the Word file."""
    return {"t": "Div", "c": [["", [], [["custom-style", style]]], blocks]}


def raw(xml: str) -> Node:
    """Word's own XML within a paragraph. What people wrote goes in escaped."""
    return {"t": "RawInline", "c": ["openxml", xml]}


def raw_block(xml: str) -> Node:
    return {"t": "RawBlock", "c": ["openxml", xml]}


def run(text: str) -> str:
    """Words as a run."""
    return f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def field(instruction: str, shown: str, *, stale: bool = False) -> str:
    """Return a field with what it shows until Word works it out; `stale`: Word does so when the file is opened."""
    dirty = ' w:dirty="true"' if stale else ""
    return (
        f'<w:r><w:fldChar w:fldCharType="begin"{dirty}/></w:r>'
        f'<w:r><w:instrText xml:space="preserve"> {escape(instruction)} </w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{run(shown) if shown else ""}'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def put_before(place: Any, new: Any, parent: Any) -> None:
    """This function will put the element `new` before `place` in `parent`; where there is no such place, at its end."""
    if place is None:
        parent.append(new)
    else:
        place.addprevious(new)


def bookmarked(name: str, number: int, inside: str) -> str:
    return f'<w:bookmarkStart w:id="{number}" w:name={quoteattr(name)}/>{inside}<w:bookmarkEnd w:id="{number}"/>'
