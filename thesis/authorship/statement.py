"""The statement on the use of AI (SPEC T9).

Until somebody saves a statement, its text is generated from the records. A saved statement is never overwritten; when
the records change later, the page shows the difference. The records are rounded, so that correcting a single sentence
does not make a statement out of date.

The checks of the statement and of declarations in the text are advice; none blocks the export.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from django.utils import timezone
from django.utils.text import get_text_list

from core.errors import Refused
from core.storable_text import check_storable
from latex.cite_keys import visible
from latex.printable_characters import escape_latex, escape_latex_lines
from projects.models import Project, User
from research.plurals import counted
from thesis.authorship.records import MODEL, QUOTED, OtherUse, SectionUse, draft_use_by_section, other_use
from thesis.authorship.words import words_of
from thesis.front_matter.page_fields import (
    LONGEST_TEXT,
    TITLES,
    front_section,
    parts_headed,
    printed,
    written_in_front,
)
from thesis.front_matter.pages import excepted
from thesis.manuscript import AiUse, Manuscript
from thesis.models import AiStatement

Facts = dict[str, Any]


@dataclass(frozen=True)
class Change:
    """A line that is new in the records since the statement was saved, or gone from them."""

    what: Literal["new", "gone"]
    line: str


CLOSING = (
    "These figures were computed from the drafts and texts that Scholium keeps. Text that was pasted from elsewhere is "
    "not among them."
)


def facts_of(sections: Sequence[SectionUse], other: OtherUse) -> Facts:
    """Return the facts for a statement, as JSON: {"sections": [...], "other": {...}}; {} when nothing is recorded."""
    rows = [row for use in sections for by in (MODEL, QUOTED) if (row := _row(use, by))]
    used = {name: value for name, value in vars(other).items() if value}
    if not any(name != "models" for name in used):
        used = {}
    return {"sections": rows, "other": used} if rows or used else {}


def _row(use: SectionUse, by: str) -> Facts | None:
    entries = [entry for entry in use.entries if entry.by == by]
    if not entries:
        return None
    words, stands = sum(entry.words for entry in entries), sum(entry.stands for entry in entries)
    at = [entry.at for entry in entries]
    return {
        "title": use.title,
        "is_removed": use.is_removed,
        "by": by,
        "models": sorted({model for entry in entries for model in entry.models}),
        "kinds": list(
            dict.fromkeys(
                entry.kind.casefold() if entry.is_recorded else "found in the text, not recorded as taken"
                for entry in entries
            )
        ),
        "months": list(dict.fromkeys([min(at).strftime("%B %Y"), max(at).strftime("%B %Y")])),
        "words": words,
        "stands": share(stands, words),
        "elsewhere": list(dict.fromkeys(place.title for entry in entries for place in entry.elsewhere)),
        "moved": bool(stands) and stands == sum(place.words for entry in entries for place in entry.elsewhere),
    }


def share(stands: int, words: int) -> str:
    """Return the part of `words` that is still in the text: "none", "all", "about 40%"."""
    if not stands:
        return "none"
    if stands >= words:
        return "all"
    tenths = round(10 * stands / words)
    return {0: "less than 5%", 10: "more than 95%"}.get(tenths, f"about {tenths * 10}%")


def stands(facts: Facts, by: str) -> bool:
    """Return whether words written by `by` are still in the text."""
    return any(row["by"] == by and row["stands"] != "none" for row in facts.get("sections", []))


def worded(facts: Facts) -> str:
    """Return the text of a statement generated from `facts`, one paragraph per line; "" when there are none."""
    if not facts:
        return ""
    drafted = [row for row in facts["sections"] if row["by"] == MODEL]
    quoted = [row for row in facts["sections"] if row["by"] == QUOTED]
    if stands(facts, MODEL):
        lead = (
            "Parts of this thesis were drafted with the help of a language model. By section, the words taken from its "
            "drafts, and how much of them stands as it was drafted:"
        )
    elif drafted:
        lead = (
            "Text drafted by a language model was taken into this thesis and has since been changed or removed. "
            "By section, the words taken from its drafts, none of which stand as they were drafted:"
        )
    else:
        lead = "No text drafted by a language model is recorded as taken into this thesis."
    lines = [lead, *map(_of_section, drafted)]
    if quoted:
        lines += [
            "Sentences of the cited works were put together by software that writes nothing of its own and quotes them "
            "word for word:",
            *map(_of_section, quoted),
        ]
    if facts["other"]:
        lines.append(_otherwise(facts["other"], "also " if drafted else ""))
    return "\n".join([*lines, CLOSING])


def _of_section(row: Mapping[str, Any]) -> str:
    models = f" by {get_text_list(row['models'], 'and')}" if row["models"] else ""
    some = "" if row.get("moved") else "some of them "
    moved = (
        f", {some}now in {get_text_list([f'“{title}”' for title in row['elsewhere']], 'and')}"
        if row["elsewhere"]
        else ""
    )
    verb = "stand" if row["stands"] != "none" and row["words"] != 1 else "stands"
    removed = ", a section that was removed" if row["is_removed"] else ""
    said = f"{counted(row['words'], 'word')}{models} ({', '.join(row['kinds'])}; {' to '.join(row['months'])})"
    return f"“{row['title']}”{removed}: {said}; {row['stands']} {verb} as drafted{moved}."


def _otherwise(other: Mapping[str, Any], also: str) -> str:
    used = OtherUse(**other)
    models = f" ({get_text_list(used.models, 'and')})" if used.models else ""
    return f"Language models{models} were {also}used for: {'; '.join(used.lines())}."


def changes(before: Facts, now: Facts) -> list[Change]:
    """Return the lines that differ between the statements generated from the facts `before` and `now`."""
    old, new = worded(before).split("\n"), worded(now).split("\n")
    return [
        *(Change("gone", line) for line in old if line and line not in new),
        *(Change("new", line) for line in new if line and line not in old),
    ]


NONE, UNSAVED, OLDER, SAVED = "none", "unsaved", "older", "saved"


@dataclass(frozen=True)
class Authorship:
    """The records of a thesis and its statement. `state`: none (nothing to state), unsaved, older or saved."""

    sections: list[SectionUse]
    other: OtherUse
    facts: Facts
    saved: AiStatement | None

    @property
    def suggested(self) -> str:
        """Return the statement generated from the records."""
        return worded(self.facts)

    @property
    def words(self) -> str:
        """Return the text that is printed: the saved statement, else the generated one."""
        return self.saved.words if self.saved else self.suggested

    @property
    def state(self) -> str:
        """Return none, unsaved, older (than the records) or saved."""
        if self.saved is None:
            return UNSAVED if self.facts else NONE
        return SAVED if self.saved.records == self.facts else OLDER

    @property
    def changes(self) -> list[Change]:
        """Return the differences between the records now and when the statement was saved."""
        return changes(self.saved.records, self.facts) if self.saved and self.state == OLDER else []

    @property
    def changed_by(self) -> str:
        """Return the name of the person who saved the statement."""
        return str(self.saved.changed_by or "") if self.saved else ""

    @property
    def changed_at(self) -> datetime | None:
        """Return when the statement was saved."""
        return self.saved.changed_at if self.saved else None

    @property
    def seen(self) -> str:
        """Return a digest of the records, to recognise a page that was opened before they changed."""
        return hashlib.sha256(json.dumps(self.facts, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def printed(self) -> AiUse:
        """Return the values that the title page and the forms need."""
        return AiUse(self.words, tuple(by for by in (MODEL, QUOTED) if stands(self.facts, by)), self.state)


def authorship_of(project: Project) -> Authorship:
    """Return the records of `project` and its statement, in a constant number of queries."""
    sections = draft_use_by_section(project)
    other = other_use(project, [entry.draft for use in sections for entry in use.entries])
    saved = AiStatement.objects.select_related("changed_by").filter(project=project).first()
    return Authorship(sections, other, facts_of(sections, other), saved)


def save_statement(project: Project, user: User, words: str, *, seen: str = "") -> Authorship:
    """Save `words` as the statement of `project`; blank text deletes it, so that it is generated again.

    `seen` is Authorship.seen of the page it was written on. Raises Refused and saves nothing: 422 for more than 20,000
    characters or text that cannot be stored, 409 "older" when the records have changed since `seen`.
    """
    text = words.replace("\r\n", "\n").replace("\r", "\n").strip()
    check_storable(text, "words")
    if len(text) > LONGEST_TEXT:
        raise Refused(
            f"A statement can have at most {LONGEST_TEXT:,} characters; this one has {len(text):,}. Shorten it.",
            field="words",
        )
    now = authorship_of(project)
    if seen and seen != now.seen:
        raise Refused(
            "The records have changed since you opened this page. Read the changes, then save again.",
            field="words",
            code="older",
            status=409,
        )
    if text:
        kept: dict[str, Any] = {"words": text, "records": now.facts, "changed_by": user, "changed_at": timezone.now()}
        AiStatement.objects.update_or_create(project=project, defaults=kept)
    else:
        AiStatement.objects.filter(project=project).delete()
    project.save(update_fields=["updated_at"])
    return authorship_of(project)


def snippet(manuscript: Manuscript) -> str:
    """Return LaTeX to copy into one's own front pages: the statement, after a comment on the declaration's wording."""
    if not manuscript.ai_use.statement.strip():
        return ""
    words = excepted(manuscript.ai_use.stands)
    advice = [f"% In the declaration: my own work{words} as stated below"] if words else []
    return (
        "\n\n".join(
            [
                *advice,
                rf"\section*{{{escape_latex(TITLES['ai_use'])}}}",
                *escape_latex_lines(manuscript.ai_use.statement),
            ]
        )
        + "\n"
    )


def is_in_text(manuscript: Manuscript) -> bool:
    """Return whether the text, or a file around it, contains the statement word for word."""
    words = words_of("\n\n".join(escape_latex_lines(manuscript.ai_use.statement))).words
    sought = f" {' '.join(words)} "
    return any(sought in f" {' '.join(words_of(text).words)} " for text in _all_texts(manuscript))


_CLAIM = re.compile(r"bona[ ~-]*fide|\bmy\s+own\b|\bown\s+(?:original\s+|independent\s+)?work\b", re.IGNORECASE)
_ROOM = re.compile(
    r"\b(?:(?:language|AI)\s+models?|artificial\s+intelligence|generative|LLMs?|chatbots?|software|drafted)\b|\bAI\b",
    re.IGNORECASE,
)


def claims_all(manuscript: Manuscript) -> bool:
    """Return whether a declaration in the text claims the thesis as the author's own work without any exception.

    Checks the section "Front matter" of a thesis started in Scholium, and the whole text of an imported one: the text
    below a heading "Declaration", and paragraphs that say "bona fide" or "my own work".
    """
    front = front_section(manuscript)
    texts = _all_texts(manuscript) if manuscript.is_brought else [front.latex] if front else []
    return any(not _ROOM.search(claim) for text in texts for claim in _claims(text))


def _all_texts(manuscript: Manuscript) -> Iterator[str]:
    yield from (chapter.latex for chapter in manuscript.chapters)
    yield from (piece.get("text", "") for file in manuscript.files for piece in file.pieces or [])


def _claims(latex: str) -> Iterator[str]:
    seen = visible(latex)
    below = parts_headed(seen, "declaration")
    yield from below
    for paragraph in re.split(r"\n[ \t]*\n", seen):
        if _CLAIM.search(paragraph) and not any(paragraph.strip() in part for part in below):
            yield paragraph


PAGE, FORMS = "thesis:ai_use", "thesis:layout"  # names of the pages where a problem can be fixed


class Check(NamedTuple):
    """A problem with the statement; `act` is the text of the link to `page`."""

    title: str
    said: str
    page: str
    act: str


_STATEMENTS = {
    "unsaved": Check(
        "The statement on the use of AI has not been saved",
        "Text from drafts is recorded for this thesis. The statement is generated from the records until you save it, "
        "as it is or in your own words.",
        PAGE,
        "Review it",
    ),
    "older": Check(
        "The statement on the use of AI is out of date",
        "Text from drafts was accepted, changed or removed since it was saved.",
        PAGE,
        "See the changes",
    ),
}


def checks(manuscript: Manuscript) -> Iterator[Check]:
    """Yield the problems: a statement that is unsaved, outdated or not printed, a declaration that claims too much."""
    use = manuscript.ai_use
    if use.state in _STATEMENTS:
        yield _STATEMENTS[use.state]
    if manuscript.is_brought:
        if use.statement and not is_in_text(manuscript):
            yield Check(
                "The statement on the use of AI is not in the text",
                "This thesis has its own preamble and front pages. Copy the statement next to its declaration.",
                PAGE,
                "Copy it",
            )
    elif use.stands and "ai_use" not in {*printed(manuscript), *written_in_front(manuscript)}:
        yield Check(
            "The statement on the use of AI is not printed",
            "Its page is turned off, but the text has words from drafts. Turn it on, or write a form of your own.",
            FORMS,
            "Turn it on",
        )
    if use.stands and claims_all(manuscript):
        yield Check(
            "Your own declaration may claim more than the records show",
            f"It is in your text, so Scholium does not change it. It should call the thesis your own work"
            f"{excepted(use.stands)}.",
            PAGE,
            "See the records",
        )
