"""Reading the comments of a Word file, and marking the words that they are about (SPEC T2).

Never imports Django: it runs in the process that reads a Word file (`word_marks`).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from docx.oxml.ns import qn

from sections.word_fields import RPR, P, is_deleted, put_first, run_of, text_of
from sections.word_mark_signs import BEGIN, END

_W15 = "{http://schemas.microsoft.com/office/word/2012/wordml}"
_W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"


@dataclass
class WordComment:
    """A comment or an answer. `to` is the number of the comment that it answers."""

    id: str
    author: str
    date: str
    text: str
    done: bool = False
    to: int | None = None


def read_comments(comments: Any, extended: Any) -> list[WordComment]:
    """Return the comments, who answered whom, and which are resolved. `extended` has the latter two, or is None."""
    found, states = [], {one.get(f"{_W15}paraId"): one for one in (() if extended is None else extended)}
    by_paragraph: dict[str, int] = {}
    parents: list[str] = []
    for number, row in enumerate(() if comments is None else comments.iter(qn("w:comment"))):
        paragraphs = list(row.iter(P))
        text = "\n".join(text_of(one) for one in paragraphs).strip()
        last = paragraphs[-1].get(f"{_W14}paraId") or "" if paragraphs else ""
        state = states.get(last, {})
        is_done = state.get(f"{_W15}done") in ("1", "true")
        id, author, date = (row.get(qn(f"w:{name}")) or "" for name in ("id", "author", "date"))
        found.append(WordComment(id, author, date, text, is_done))
        by_paragraph |= {last: number} if last else {}
        parents.append(state.get(f"{_W15}paraIdParent") or "")
    for one, parent in zip(found, parents, strict=True):
        one.to = by_paragraph.get(parent)
    return found


def mark_comments(root: Any, comments: list[WordComment], mark: Callable[[int, int], str]) -> None:
    """Put marks at both ends of the words of each comment; at its reference where it has no range."""
    numbers = {one.id: number for number, one in enumerate(comments)}
    names = {qn("w:commentRangeStart"): BEGIN, qn("w:commentRangeEnd"): END}
    ranged = {one.get(qn("w:id")) for one in root.iter(qn("w:commentRangeStart"))}
    for node in list(root.iter(*names, qn("w:commentReference"))):
        number = numbers.get(node.get(qn("w:id")) or "")
        if number is None:
            continue
        place = next((one for one in reversed(list(node.iterancestors())) if is_deleted(one)), node)
        if node.tag == qn("w:commentReference"):
            if node.get(qn("w:id")) not in ranged:
                beside = node.getparent() if place is node else place
                beside.addprevious(run_of(mark(BEGIN, number) + mark(END, number)))
            continue
        kind = names[node.tag]
        run = run_of(mark(kind, number), _format_beside(node, kind))
        if next(node.iterancestors(P), None) is not None:
            place.addprevious(run)
        elif kind == BEGIN and (after := _paragraphs(node.itersiblings())):
            put_first(after[0], run)
        elif before := _paragraphs(node.itersiblings(preceding=True)):
            before[-1].append(run)


def _paragraphs(siblings: Iterable[Any]) -> list[Any]:
    """Return the paragraphs in the first of `siblings` that has any."""
    return next((found for one in siblings if (found := list(one.iter(P)))), [])


def _format_beside(node: Any, kind: int) -> Any:
    """Return the format of the run that the mark belongs to, so that bold words stay one."""
    run = next(iter(node.itersiblings(qn("w:r"), preceding=kind == END)), None)
    return run.find(RPR) if run is not None else None
