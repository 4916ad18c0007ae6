"""Moving the text of a Word file to where pandoc reads it: text boxes, and words inside elements that it leaves out.

Never imports Django: it runs in the process that reads a Word file (`word_marks`).
"""

from typing import Any

from docx.oxml.ns import qn

from sections.word_fields import P

_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_BOX, _RUBY = qn("w:txbxContent"), qn("w:ruby")
_WRAPPERS = (qn("w:bdo"), qn("w:dir"), qn("w:customXml"))  # a direction of their own, data of another program


def move_text_boxes(root: Any) -> int:
    """Put the paragraphs of each text box after the paragraph that it is attached to. Return how many were moved."""
    for fallback in list(root.iter(_FALLBACK)):
        if next(fallback.itersiblings(preceding=True), None) is not None:
            fallback.getparent().remove(fallback)  # the same text again, for old versions of Word
    boxes = list(root.iter(_BOX))
    for box in reversed(boxes):  # one inside another moves into that first
        if (around := next(box.iterancestors(P), None)) is not None:
            for block in reversed(box):
                around.addnext(block)
    return len(boxes)


def unwrap_words(root: Any) -> None:
    """Put the words inside elements that pandoc leaves out in the place of these elements."""
    for ruby in list(root.iter(_RUBY)):
        replace_by_children(ruby.getparent(), [run for part in ruby for run in part.iter(qn("w:r"))])
    for wrapper in list(root.iter(*_WRAPPERS)):
        replace_by_children(wrapper)


def replace_by_children(node: Any, children: list[Any] | None = None) -> None:
    """Replace an element by its children, or by those of its descendants that are given."""
    for child in list(node) if children is None else children:
        node.addprevious(child)
    node.getparent().remove(node)
