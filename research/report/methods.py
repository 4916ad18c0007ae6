"""The note under a report's title: what was searched, what was read, and what failed (SPEC R11, R18)."""

from collections import Counter, defaultdict
from typing import Any

from research.asked_of import not_searched
from research.files.context_list import told
from research.models import Run
from research.run_context.inquiry import Inquiry
from research.run_context.library_answers import PROVIDER as LIBRARY
from research.search.searching import READ_THROUGH
from research.words import counted
from sources.providers import PROVIDERS

_WHAT = ("provider_query", "page_read", "page_refused", "page_failed", "stand_in")


def methods_note(inquiry: Inquiry) -> str:
    """One paragraph: who could not be searched, the engine, what each provider was asked and gave, what was not read."""
    run = inquiry.run
    logged: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for event_type, details in run.provenance.filter(event_type__in=_WHAT).values_list("event_type", "details"):
        logged[event_type].append(details)
    label = inquiry.engine.label
    failures = not_searched(run)
    said = [*failures, "Not answering is not the same as having nothing."] if failures else []
    said.append(f"Written from what was found by {label}." if inquiry.uses_model else label)
    if stood_in := len(logged["stand_in"]):
        said.append(f"The offline engine answered in its place {counted(stood_in, 'time')}.")
    if len(run.rounds) > 1:
        last = run.rounds[-1]
        said.append(f"The questions were worked in {len(run.rounds)} rounds; then: {last['decision']}.")
    said += [_library(run), *_catalogues(logged), *_pages(logged), *inquiry.skipped]
    if files := told(run):
        said.append(files)
    return " ".join(said)


def _library(run: Run) -> str:
    rows = run.sources.filter(provider=LIBRARY)
    searches = sum(run.nodes.values_list("searches", flat=True))
    documents = counted(rows.values("document").distinct().count(), "document")
    said = (
        f"The library was asked {counted(searches, 'time')} and gave {counted(rows.count(), 'passage')} of {documents}"
    )
    is_read = run.provenance.filter(event_type=READ_THROUGH).exists()
    if is_read and not rows.exists():
        return "The library is empty."
    return f"{said}, which is all it holds." if is_read else f"{said}."


def _catalogues(logged: dict[str, list[dict[str, Any]]]) -> list[str]:
    """What each catalogue was asked and gave, in one sentence each, and what was amiss with it."""
    asked = [details for details in logged["provider_query"] if details["provider"] != LIBRARY]
    times = Counter(details["provider"] for details in asked)
    works: dict[str, set[str]] = defaultdict(set)
    for details in asked:
        works[details["provider"]].update(details["source_ids"])
    said = [
        f"{PROVIDERS[name].label} answered {counted(number, 'time')} and gave {counted(len(works[name]), 'work')}."
        for name, number in sorted(times.items())
    ]
    return said + sorted({remark for details in asked for remark in details.get("remarks", [])})


def _pages(logged: dict[str, list[dict[str, Any]]]) -> list[str]:
    read, unread = len(logged["page_read"]), len(logged["page_refused"]) + len(logged["page_failed"])
    if not read and not unread:
        return []
    said = f"{counted(read, 'page')} {'was' if read == 1 else 'were'} read"
    return [f"{said}, {unread} could not be." if unread else f"{said}."]
