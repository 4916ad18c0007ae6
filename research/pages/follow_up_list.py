"""What was asked of a finished run, as its pages show it (SPEC R17)."""

from typing import Any, NamedTuple

from django.utils.safestring import SafeString

from projects.access import may
from research.models import FollowUp, Run
from research.pages.show import answer_html


class Shown(NamedTuple):
    """A follow-up; `title` says what was asked, `html` is its answer, "" while there is none, which may cite sources."""

    asked: FollowUp
    title: str
    html: SafeString | str
    cites: bool


def title_of(asked: FollowUp) -> str:
    """What was asked, as people read it."""
    match asked.kind:
        case FollowUp.Kind.EXTEND:
            return f"Look into the gap {asked.about}"
        case FollowUp.Kind.RERUN:
            return f"Research question {asked.about} again"
        case _:
            return asked.text


def shown(asked: FollowUp) -> Shown:
    """A follow-up with its answer as HTML; of one that was left, why is plain text."""
    html = answer_html(asked.answer, anchor=f"more-{asked.number}") if asked.state == "answered" else ""
    return Shown(asked, title_of(asked), html, cites="\n\n[" in asked.answer)


def follow_ups_of(run: Run) -> dict[str, Any]:
    """The follow-ups of `run` in their order, whether one is being worked on, and whether more can be asked."""
    rows = [shown(asked) for asked in run.follow_ups.all()]
    is_working = any(row.asked.state == "waiting" for row in rows)
    return {
        "follow_ups": rows,
        "is_working": is_working,
        "may_ask": run.has_report and may(run.project.role, "write"),  # type: ignore[attr-defined]
        "newest": rows[-1].asked if rows else None,
    }
