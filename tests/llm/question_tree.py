"""A tree as a run builds it, without a database: read the notes, condense the root, split, condense each part."""

from collections.abc import Iterable

from contextfiles.readers.text import read_markdown
from llm.offline.condense import condense
from llm.offline.plan import decompose
from llm.roles import CondenseAsked, DecomposeAsked, FindingDraft, Passage


def passages_of(notes: str, name: str = "notes.md") -> list[Passage]:
    """The passages of a file, cut and named as an uploaded file's are."""
    reading = read_markdown(notes.encode())
    return [
        Passage(
            source_id=f"{name}::{segment.id}",
            document=name,
            title=name,
            heading=segment.heading,
            text=reading.text[segment.start : segment.end],
            is_file=True,
        )
        for segment in reading.segments
    ]


def findings_of(question: str, passages: Iterable[Passage]) -> list[FindingDraft]:
    """All findings of the root and of its parts."""
    passages = list(passages)
    found = condense(CondenseAsked(question=question, node_question=question, passages=passages)).findings
    split = decompose(DecomposeAsked(question=question, node_question=question, depth=0, at_most=7, passages=passages))
    for directive in split.directives:
        found += condense(
            CondenseAsked(
                question=question,
                node_question=directive.question,
                perspective=directive.perspective,
                passages=passages,
            )
        ).findings
    return found
