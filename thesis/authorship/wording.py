"""The records on the use of AI as facts, and the statement that they give (SPEC T9). Pure: no rows.

The facts are rounded, so that a statement is not older than its records after each sentence that is put right.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from research.words import counted
from thesis.authorship.records import MODEL, QUOTED, Entry, OtherUse, SectionUse

Facts = dict[str, Any]


@dataclass(frozen=True)
class Change:
    """A line that the records give since the statement was saved (new), or give no more (gone)."""

    what: Literal["new", "gone"]
    line: str


CLOSING = (
    "These figures were computed from the drafts and texts that Scholium keeps. Text that was pasted from elsewhere is not "
    "among them."
)


def facts_of(sections: Sequence[SectionUse], other: OtherUse) -> Facts:
    """What a statement says, as JSON: {"sections": [...], "other": {...}}; {} where nothing is recorded."""
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
        "kinds": list(dict.fromkeys(_kind(entry) for entry in entries)),
        "months": list(dict.fromkeys([min(at).strftime("%B %Y"), max(at).strftime("%B %Y")])),
        "words": words,
        "stands": share(stands, words),
        "elsewhere": list(dict.fromkeys(place.title for entry in entries for place in entry.elsewhere)),
        "moved": bool(stands) and stands == sum(place.words for entry in entries for place in entry.elsewhere),
    }


def _kind(entry: Entry) -> str:
    return entry.kind.casefold() if entry.is_recorded else "found in the text, not recorded as taken"


def share(stands: int, words: int) -> str:
    """How much of `words` stands: "none", "all", "about 40%"."""
    if not stands:
        return "none"
    if stands >= words:
        return "all"
    tenths = round(10 * stands / words)
    return {0: "less than 5%", 10: "more than 95%"}.get(tenths, f"about {tenths * 10}%")


def stands(facts: Facts, by: str) -> bool:
    """Whether words that `by` wrote stand in the text."""
    return any(row["by"] == by and row["stands"] != "none" for row in facts.get("sections", []))


def worded(facts: Facts) -> str:
    """The statement that `facts` give, a paragraph a line; "" where there is nothing to state."""
    if not facts:
        return ""
    drafted = [row for row in facts["sections"] if row["by"] == MODEL]
    quoted = [row for row in facts["sections"] if row["by"] == QUOTED]
    lines = []
    if stands(facts, MODEL):
        lines.append(
            "Parts of this thesis were drafted with the help of a language model. By section, the words taken from its "
            "drafts, and how much of them stands as it was drafted:"
        )
    elif drafted:
        lines.append(
            "Text drafted by a language model was taken into this thesis and has since been changed or removed. By section, "
            "the words taken from its drafts, none of which stand as they were drafted:"
        )
    else:
        lines.append("No text drafted by a language model is recorded as taken into this thesis.")
    lines += [_of_section(row) for row in drafted]
    if quoted:
        lines.append(
            "Sentences of the cited works were put together by software that writes nothing of its own and quotes them word "
            "for word:"
        )
        lines += [_of_section(row) for row in quoted]
    if facts["other"]:
        lines.append(_otherwise(facts["other"], "also " if drafted else ""))
    return "\n".join([*lines, CLOSING])


def _of_section(row: Mapping[str, Any]) -> str:
    models = f" by {_listed(row['models'])}" if row["models"] else ""
    when = " to ".join(row["months"])
    some = "" if row.get("moved") else "some of them "
    moved = f", {some}now in {_listed([f'“{title}”' for title in row['elsewhere']])}" if row["elsewhere"] else ""
    verb = "stand" if row["stands"] != "none" and row["words"] != 1 else "stands"
    removed = ", a section that was removed" if row["is_removed"] else ""
    how = f" ({', '.join(row['kinds'])}; {when})"
    return f"“{row['title']}”{removed}: {counted(row['words'], 'word')}{models}{how}; {row['stands']} {verb} as drafted{moved}."


def _otherwise(other: Mapping[str, Any], also: str) -> str:
    used = OtherUse(**other)
    models = f" ({_listed(used.models)})" if used.models else ""
    return f"Language models{models} were {also}used for: {'; '.join(used.lines())}."


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""


def changes(before: Facts, now: Facts) -> list[Change]:
    """What the statement of `now` says that the one of `before` did not, and the other way round."""
    old, new = worded(before).split("\n"), worded(now).split("\n")
    gone = [Change("gone", line) for line in old if line and line not in new]
    return gone + [Change("new", line) for line in new if line and line not in old]
