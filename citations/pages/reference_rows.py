"""The rows of the list of references, with all their texts computed (SPEC C9).

A page has fifty rows and is polled every second while a check runs, so templates must not query anything.
"""

from collections.abc import Iterable
from html import escape
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import CharField, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce, NullIf
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from citations.audit.key_uses import Use, uses_by_key
from citations.badges import badge_html, badge_of
from citations.identity.comparison import correction_note
from citations.library.tags import tags_by_citation
from citations.models import Citation, CitationQuerySet, RetractionNotice
from core.uuids import uuid_in
from projects.access import may
from projects.models import Project

_S = Citation.Status
_LOUD = {_S.CONFLICT: "conflict", _S.NOT_FOUND: "d"}
_LONGEST = 260  # characters of a reason in a row; the entry's page has all of it
# The columns that a row needs; loading the others would take longer than everything else.
_READ = (
    *("project", "cite_key", "title", "authors", "year", "doi", "pmid", "csl", "status", "tier", "reason", "diff"),
    *(
        "file_name",
        "evidence_type",
        "published_doi",
        "retracted",
        "attestation",
        "checked_at",
        "check_due_at",
        "failures",
    ),
)


class RowAction(NamedTuple):
    """The action of a row: a link where `href` is given, else a button that starts a lookup of the entry.

    `busy`: the lookup is running, and the button only says so.
    """

    words: str
    href: str = ""
    quiet: bool = False
    busy: bool = False


class CitingSection(NamedTuple):
    """A section that cites an entry."""

    title: str  # the path, for a file outside the sections
    href: str
    times: int


def with_row_columns(entries: CitationQuerySet) -> CitationQuerySet:
    """Return a query with only the columns that rows need, and the year of the retraction and the attester added."""
    retractions = RetractionNotice.objects.filter(citation=OuterRef("pk"), year__isnull=False)
    retractions = retractions.filter(Q(type__icontains="retract") | Q(type__icontains="withdraw"))
    return entries.only(*_READ).annotate(
        attester=Coalesce(NullIf("attested_by__name", Value("")), "attested_by__email", output_field=CharField()),
        retracted_in=Subquery(retractions.order_by("year").values("year")[:1]),
    )


def rows_of(project: Project, citations: Iterable[Citation]) -> list[dict[str, Any]]:
    """Return the rows of `citations` for the role that the person has in `project`. Two queries, for uses and tags.

    `loud` is the problem that a row is marked with, `again_at` the time of the next retry. `waits` is the waiting mark
    of an entry that is being checked; the page sends it back to ask for changes.
    """
    base, role = reverse("citations:list", args=[project.pk]), project.role  # type: ignore[attr-defined]
    citations = list(citations)
    now, used, tags = timezone.now(), uses_by_key(project), tags_by_citation(one.pk for one in citations)
    links: dict[tuple[str, str], SafeString] = {}
    rows = []
    for citation in citations:
        href, due = f"{base}{citation.pk}/", citation.check_due_at
        rows.append(
            {
                "id": str(citation.pk),
                "key": citation.cite_key,
                "title": citation.title or citation.cite_key,
                "href": href,
                "line": reference_line(citation),
                "badge": badge_html(badge_of(citation)),
                "loud": "retracted" if citation.retracted else _LOUD.get(_S(citation.status), ""),
                "said": row_note(citation),
                "again_at": due if due and due > now else None,
                "waits": waiting_mark(citation),
                "tags": mark_safe("".join([tag_chip(base, *one) for one in tags.get(citation.pk, ())])),
                "used": mark_safe(  # each link is escaped
                    ", ".join([_link(project, one, links) for one in used.get(citation.cite_key, ())])
                ),
                "act": _action_html(citation, _row_action(citation, href, role)),
            }
        )
    return rows


def tag_chip(list_page: str, tag: int, name: str) -> SafeString:
    """Return a tag as a link to the references that have it; `list_page` is the address of the list."""
    return format_html('<a class="chip" href="{}?tag={}">{}</a>', list_page, tag, name)


def ids_in(given: Iterable[str]) -> list[UUID]:
    """Return the valid UUIDs among the values that a page sent."""
    return list(filter(None, map(uuid_in, given)))


def places_of(project: Project, used: Iterable[Use]) -> list[CitingSection]:
    """Return the sections of `project` that cite an entry, as links."""
    base = reverse("sections:workspace", args=[project.pk])
    return [CitingSection(one.title, f"{base}sections/{one.slug}/" if one.slug else base, one.count) for one in used]


def _link(project: Project, use: Use, links: dict[tuple[str, str], SafeString]) -> SafeString:
    """Return the link to a section; `links` caches the links that were made."""
    if (where := (use.slug, use.title)) not in links:
        (place,) = places_of(project, [use])
        links[where] = format_html('<a href="{}">{}</a>', place.href, place.title)
    return links[where]


def waiting_mark(citation: Citation) -> str:
    """Return the entry's id and number of failures, which changes with each attempt; empty when no check is pending."""
    return f"{citation.pk}.{citation.failures}" if citation.check_due_at else ""


def reference_line(citation: Citation) -> SafeString:
    """Return authors, journal and year in one line: "Menon and Lund, Forest Ecology 2021; 4: 12. doi 10.1000/1"."""
    csl, place, volume = citation.csl, "", ""
    year = str(citation.year) if citation.year else "no date"
    if citation.container:
        place = f"<i>{escape(citation.container)}</i>{' ' if citation.year else ', '}"
    if csl.get("volume"):
        volume = f"; {csl['volume']}" + (f": {csl['page']}" if csl.get("page") else "")
    number = f" doi {citation.doi}" if citation.doi else f" PMID {citation.pmid}" if citation.pmid else ""
    people = citation.authors or "No author"
    # Safe: all values of the entry are escaped.
    return mark_safe(f"{escape(people)}, {place}{year}{escape(volume)}.{escape(number)}")


def row_note(citation: Citation) -> str:
    """Return the sentences shown beside the badge of an entry; empty where there is nothing to add."""
    said = [_retraction(citation)] if citation.retracted else []
    if citation.status == _S.ATTESTED:
        who = (citation.attester if hasattr(citation, "attester") else citation.attested_by) or "a former member"
        said.append(f"Attested by {who}: “{_cut(citation.attestation, 120)}”")
    elif citation.status == _S.FILE:
        named = "" if citation.authors else " The author is missing."
        said.append(f"Your own file {_cut(citation.file_name, 120)}. Files are not looked up.{named}")
    elif citation.status == _S.VERIFIED:
        said.append(correction_note(citation))
    elif citation.status != _S.UNRESOLVED or citation.failures:
        said.append(citation.reason)  # otherwise the reason is that of the previous verdict
    if citation.published_doi and citation.status == _S.VERIFIED:
        said.append(f"A published version is available: doi {citation.published_doi}.")
    return _cut(" ".join(filter(None, said)), _LONGEST)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def _retraction(citation: Citation) -> str:
    if hasattr(citation, "retracted_in"):  # annotated by `with_row_columns`
        years = [citation.retracted_in]
    else:
        years = [
            notice.year for notice in citation.notices.all() if "retract" in notice.type or "withdraw" in notice.type
        ]
    year = next(filter(None, years), None)
    return f"Retracted in {year}." if year else "Retracted."


def _row_action(citation: Citation, href: str, role: str) -> RowAction | None:
    if not may(role, "attest"):
        return None
    if citation.status in (_S.CONFLICT, _S.REVIEW):
        return RowAction("Compare", f"{href}#why")
    if not may(role, "write"):
        return None if citation.is_settled else RowAction("Attest", f"{href}attest/")
    if citation.status == _S.FILE and not citation.authors:
        return RowAction("Add author", f"{href}#file")
    if citation.status == _S.VERIFIED and citation.check_due_at and citation.is_of_demo_catalogue:
        return RowAction("Looking up", quiet=True, busy=True)
    if citation.is_settled or citation.failures and citation.check_due_at:
        return RowAction("Edit", f"{href}edit/fields/", quiet=True)
    ask = RowAction("Look up again" if citation.checked_at else "Look up")
    return RowAction("Looking up", quiet=True, busy=True) if citation.check_due_at else ask


def _action_html(citation: Citation, act: RowAction | None) -> SafeString:
    """Return the HTML of the link or button of a row, with the entry's key in its accessible name."""
    if act is None:
        return mark_safe("")
    about = f'<span class="vh">{"" if act.href else " for"} {escape(citation.cite_key)}</span>'
    shared = f'class="btn btn-small{" btn-quiet" if act.quiet else ""}" id="act-{citation.pk}"'
    if act.href:
        drawn_act = f'<a {shared} href="{act.href}">{act.words}{about}</a>'
    elif act.busy:
        drawn_act = f'<button {shared} type="button" aria-disabled="true">{act.words}{about}</button>'
    else:
        # Without type="submit", which it is anyway, htmx follows its clicks in the form of the list, not in each button
        sends = f'form="look" name="citation" value="{citation.pk}"'
        drawn_act = f"<button {shared} {sends}>{act.words}{about}</button>"
    return mark_safe(drawn_act)
