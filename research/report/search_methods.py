"""What was searched, read and failed: the note under a report's title, and counts by catalogue (SPEC R5, R11, R18)."""

from collections import Counter, defaultdict
from typing import Any

from django.db.models import Count

from core.grouping import grouped
from research.context.run_files import files_sentence
from research.models import Run
from research.plurals import counted
from research.run_context.library_answers import PROVIDER as LIBRARY
from research.run_context.run_context import RunContext
from research.search.search_library import READ_THROUGH
from sources.providers import PROVIDERS
from sources.work import FailureKind

_TYPES = ("provider_query", "provider_failed")
_WHAT = ("provider_query", "page_read", "page_refused", "page_failed", "stand_in")


def methods_note(inquiry: RunContext) -> str:
    """Return one paragraph on how the report was made.

    It names failed providers, the engine, what each provider was asked and returned, and pages that were not read.
    """
    run = inquiry.run
    logged: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for event_type, details in run.provenance.filter(event_type__in=_WHAT).values_list("event_type", "details"):
        logged[event_type].append(details)
    label = inquiry.engine.label
    failures = not_searched(run)
    said = [*failures, "Not answering is not the same as having nothing."] if failures else []
    said.append(f"Written by {label} from what was found." if inquiry.uses_model else label)
    if stood_in := len(logged["stand_in"]):
        said.append(f"The offline engine answered in its place {counted(stood_in, 'time')}.")
    if len(run.rounds) > 1:
        decision = run.rounds[-1]["decision"]
        said.append(f"The questions were researched in {len(run.rounds)} rounds; then: {decision}.")
    said += [_library(run), *_catalogues(logged), *_pages(logged), *inquiry.skipped]
    return " ".join([*said, *filter(None, [files_sentence(run)])])


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
    """Return a sentence for each catalogue on what it was asked and returned, and its remarks."""
    asked = [details for details in logged["provider_query"] if details["provider"] != LIBRARY]
    works: dict[str, set[str]] = defaultdict(set)
    for details in asked:
        works[details["provider"]].update(details["source_ids"])
    said = [
        f"{PROVIDERS[name].label} answered {counted(number, 'time')} and gave {counted(len(works[name]), 'work')}."
        for name, number in sorted(Counter(details["provider"] for details in asked).items())
    ]
    return said + sorted({remark for details in asked for remark in details.get("remarks", [])})


def _pages(logged: dict[str, list[dict[str, Any]]]) -> list[str]:
    read, unread = len(logged["page_read"]), len(logged["page_refused"]) + len(logged["page_failed"])
    if not read and not unread:
        return []
    said = f"{counted(read, 'page')} {'was' if read == 1 else 'were'} read"
    return [f"{said}, {unread} could not be." if unread else f"{said}."]


def searches_by_provider(run: Run) -> list[dict[str, Any]]:
    """Return [{label, asked, answered, failed, why}] by provider, the library first, with two queries."""
    rows = (
        run.provenance.filter(event_type__in=_TYPES)
        .order_by()
        .values_list("details__provider", "event_type")
        .annotate(number=Count("pk"))
    )
    counts: dict[str, dict[str, int]] = {}
    for name, event_type, number in rows:
        counts.setdefault(name, dict.fromkeys(_TYPES, 0))[event_type] = number
    whys: dict[str, str] = {}
    if any(number["provider_failed"] for number in counts.values()):
        failures = run.provenance.filter(event_type="provider_failed").order_by("-seq")
        # The latest 40 failures are enough to find a reason for each provider.
        for details in failures.values_list("details", flat=True)[:40]:
            whys.setdefault(details["provider"], details["why"])
    return [
        {
            "label": PROVIDERS[name].label if name in PROVIDERS else "Your library",
            "asked": sum(number.values()),
            "answered": number["provider_query"],
            "failed": number["provider_failed"],
            "why": whys.get(name, ""),
        }
        for name, number in sorted(counts.items(), key=lambda one: (one[0] != LIBRARY, one[0]))
    ]


def not_searched(run: Run) -> list[str]:
    """Return a sentence on each provider that failed, always or at times, with the first reason."""
    failed = run.provenance.filter(event_type="provider_failed").values_list("details", flat=True)
    failures = grouped((details["provider"], details) for details in failed)
    return [_sentence(run, name, those) for name, those in sorted(failures.items())]


def _sentence(run: Run, name: str, failures: list[dict[str, Any]]) -> str:
    """Return how often a provider failed and why; that it rested afterwards is no reason of its own."""
    label = PROVIDERS[name].label
    asked = [details for details in failures if details["kind"] not in (FailureKind.RESTING, FailureKind.GIVEN_UP)]
    resting = sum(details["kind"] == FailureKind.RESTING for details in failures)
    answered = run.provenance.filter(event_type__in=("provider_query", "network_query"), details__provider=name).count()
    tried = len(asked) or resting
    how_often = f"{tried} of {tried + answered} times" if answered else f"(tried {counted(tried, 'time')})"
    said = f"{label} could not be searched {how_often}: {(asked or failures)[0]['why']}"
    if asked and resting:
        said += f" It was then paused for a while, and {counted(resting, 'request')} to it were skipped."
    return f"{said} After that it was not asked again." if len(failures) > len(asked) + resting else said
