"""Where a sentence of the text has come from, as a comment in the LaTeX (SPEC T7)."""

import re
from collections.abc import Iterable

from research.models import Run, Source

FROM_RUN = "(run "
_LONGEST_QUESTION = 120  # characters


def come_from(run: Run, source: Source, findings: Iterable[str] = ()) -> str:
    """`% From research “...” (run ID), finding F1-1, https://doi.org/...`: one line, whatever was asked."""
    named = list(dict.fromkeys(findings))
    what = f", finding{'' if len(named) == 1 else 's'} {', '.join(named)}" if named else ""
    return (
        f"% From research “{in_a_line(run.question, _LONGEST_QUESTION)}” {FROM_RUN}{run.pk}){what}, {place_of(source)}"
    )


def place_of(source: Source) -> str:
    """Where the words stand: the address of the work, or the passage of the file."""
    if source.kind == Source.Kind.FILE:
        page = f", page {source.page}" if source.page else ""
        return in_a_line(f"uploaded file {source.source_id}{page}")
    if doi := str(source.csl.get("DOI") or ""):
        return in_a_line(f"https://doi.org/{doi}")
    return in_a_line(source.url or source.title or source.document)


def in_a_line(text: str, longest: int = 300) -> str:
    """`text` as it can stand in a comment: no line end and nothing that is no character."""
    words = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", text).split())
    return words if len(words) <= longest else f"{words[: longest - 1].rstrip()}…"
