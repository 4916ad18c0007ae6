"""Rules on the length of a thesis and its chapters (SPEC T5).

The rules of the NBEMS are known from unofficial copies only, so each is advice that names its source and its certainty;
none blocks an export (docs/nbems.md). The report template has none.
"""

import re
from dataclasses import dataclass

from thesis.front_matter.page_fields import NBEMS
from thesis.manuscript import Manuscript


@dataclass(frozen=True)
class Limit:
    """Advice on length: at least `least` and at most `most` `unit` for the section `slug` ("": for the whole thesis).

    `rule` is its id in docs/nbems.md, `words` its text; `certainty` and `source` say how far to trust it.
    """

    slug: str
    least: int | None
    most: int | None
    rule: str
    words: str
    certainty: str
    source: str
    unit: str = "pages"


_COPY = "“Guidelines for Thesis Writing & Submission”, an unofficial copy of about 2021"
_SINGLE = "single source"
_T07 = "Introduction at most 2 pages, review of literature 10 to 12, discussion 8 to 10."
_CHAPTERS: tuple[tuple[str, int | None, int], ...] = (
    (r"introduction", None, 2),
    (r"(?:review of (?:the )?literature|literature review)", 10, 12),
    (r"discussion", 8, 10),
)


def limits(manuscript: Manuscript) -> list[Limit]:
    """Return the limits of a thesis by the NBEMS template; none for other templates.

    First those in pages: of the whole thesis (T01), then of its chapters in their order (T07). Then those in words: of
    the abstract or summary (T25).
    """
    if manuscript.layout.template != NBEMS:
        return []
    source = "an earlier program; for the protocol’s synopsis, “Guidelines for Thesis Protocol”, an unofficial copy"
    titled = [(chapter.slug, " ".join(chapter.title.casefold().split())) for chapter in manuscript.body]
    return [
        Limit(
            "",
            None,
            80,
            "T01",
            "At most 80 pages in all: text, figures, references, annexures and certificates.",
            _SINGLE,
            _COPY,
        ),
        *(
            Limit(slug, least, most, "T07", _T07, _SINGLE, _COPY)
            for slug, title in titled
            for pattern, least, most in _CHAPTERS
            if re.fullmatch(pattern, title)
        ),
        *(
            Limit(slug, None, 300, "T25", "Abstract at most 300 words.", "uncertain", source, "words")
            for slug, title in titled
            if title in ("abstract", "summary")
        ),
    ]
