"""A report as HTML: rendered from Markdown, sanitised, and with each marker linked to its evidence (R18)."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import nh3
from django.db.models.functions import Length
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from markdown_it import MarkdownIt

from research.claim_check.claim_list import in_order
from research.context.digest_files import reader_query
from research.export import export
from research.models import Claim, Run, Source

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
_TAGS = {
    "h1", "h2", "h3", "h4", "p", "em", "strong", "a", "ul", "ol", "li", "blockquote", "code", "pre", "br", "hr",
    "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
_MARKER = re.compile(r"\[(\d+)\]")
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)

_LISTED = re.compile(r"<p>\[(\d+)\] (.*?)</p>", re.DOTALL)
# Replaces escaped brackets of the report, which are no markers, while markers are searched.
_ESCAPED = "\ue000"


class PassageExcerpt(NamedTuple):
    """A passage in three pieces; `marked` is the text that the claim is based on."""

    before: str
    marked: str
    after: str


def passage_excerpt(text: str, start: int, end: int, around: int = 600) -> PassageExcerpt:
    """Return `text` cut at `start` and `end`, with at most `around` characters on either side."""
    before, after = text[:start], text[end:]
    if len(before) > around:
        before = "…" + before[-around:].partition(" ")[2]
    if len(after) > around:
        after = after[:around].rpartition(" ")[0] + "…"
    return PassageExcerpt(before, text[start:end], after)


def outline_of(report: str) -> list[dict[str, str]]:
    """Return the level-two headings of a report: [{title, anchor}]."""
    return [{"title": title, "anchor": slugify(title)} for title in _HEADING.findall(report)]


def report_html(run: Run, claims: Sequence[Claim], places: Mapping[str, str] = MappingProxyType({})) -> SafeString:
    """Return the report of `run` as safe HTML, with markers linked to evidence and anchors in the reference list.

    The k-th marker of the body belongs to the k-th claim that has a source and was not removed. If their counts differ,
    no marker is a link, since no link is better than a wrong one. `places` are the addresses of references, by number.
    """
    html = nh3.clean(_MARKDOWN.render(run.report.replace("\\[", _ESCAPED)), tags=_TAGS, link_rel="noopener noreferrer")
    html = re.sub(
        r"<h2>(.*?)</h2>",
        lambda found: f'<h2 id="{slugify(nh3.clean(found.group(1), tags=set()))}">{found.group(1)}</h2>',
        html,
    )
    split = re.search(r"<h2[^>]*>(?:References|Sources)</h2>", html)
    body, listed = (html[: split.start()], html[split.start() :]) if split else (html, "")
    kept = in_order(claim for claim in claims if claim.outcome != "removed" and claim.source_id)
    pending = iter(kept if len(_MARKER.findall(body)) == len(kept) else ())

    def marker(found: re.Match[str]) -> str:
        return render_to_string(
            "research/_marker.html", {"run": run, "claim": next(pending, None), "number": found.group(1)}
        ).strip()

    return mark_safe((_MARKER.sub(marker, body) + _as_list(listed, "ref", places)).replace(_ESCAPED, "["))


def file_places(run: Run) -> dict[str, str]:
    """Return the addresses of the cited passages of files, by reference number; deleted files are left out."""
    reading = reader_query(run)
    cited = run.sources.filter(kind=Source.Kind.FILE, file__isnull=False).exclude(number=None)
    return {
        str(
            number
        ): f"{reverse('contextfiles:file', args=[run.project_id, file])}?start={at}&end={at + length}{reading}#passage"
        for number, file, at, length in cited.values_list("number", "file_id", "offset", Length("text"))
    }


def _as_list(listed: str, anchor: str, places: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the reference list with an anchor for each number, and a link for those in `places`."""

    def entry(found: re.Match[str]) -> str:
        number, words = found.groups()
        place = places.get(number)
        link = format_html(' <a href="{}">Open the passage</a>', place) if place else ""
        return (
            f'<p class="reference" id="{anchor}-{number}"><span class="n">[{number}]</span> '
            f"<span>{words}{link}</span></p>"
        )

    return _LISTED.sub(entry, listed)


def answer_html(answer: str, anchor: str) -> SafeString:
    """Return the answer to a follow-up as safe HTML; markers link to its own references, with `anchor` in their ids."""
    html = nh3.clean(_MARKDOWN.render(answer.replace("\\[", _ESCAPED)), tags=_TAGS, link_rel="noopener noreferrer")
    first = _LISTED.search(html)
    body, listed = (html[: first.start()], html[first.start() :]) if first else (html, "")
    marker = rf'<a class="marker" href="#{anchor}-\1" aria-label="Reference \1">\1</a>'
    return mark_safe((_MARKER.sub(marker, body) + _as_list(listed, anchor)).replace(_ESCAPED, "["))


def result_context(run: Run) -> dict[str, object]:
    """Return the template variables that every page of a finished run needs for its side navigation."""
    return {
        "project": run.project,
        "tab": "research",
        "run": run,
        "offered": export.export_options(run),
        "counts": {
            "findings": run.findings.filter(is_superseded=False).count(),
            "contradictions": run.contradictions.count(),
            "gaps": run.gaps.filter(resolution_notes="").count(),
            "provenance": run.provenance_length,
            "sources": run.sources.count_works(),
            "cited": run.sources.exclude(number=None).count_works(),
        },
    }
