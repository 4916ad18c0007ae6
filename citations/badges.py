"""The badge of an entry: its tier or its problem as a letter, an icon and words, never by colour alone (SPEC C9)."""

from dataclasses import dataclass, replace
from functools import lru_cache

from django.utils.html import format_html
from django.utils.safestring import SafeString

from citations.models import Citation

_S = Citation.Status
_PROVEN_BY = {
    "doi": "DOI and title",
    "pmid": "PMID and title",
    "isbn": "ISBN",
    "url": "Web address",
}
_OF_DEMO = "Demo catalogue"
_VOUCHED_BY = {"isbn": "Attested, with ISBN", "url": "Attested, with address"}
_ICONS = {"A": "check", "B": "link", "C": "hand"}


@dataclass(frozen=True)
class Badge:
    """The badge of an entry: `tier` selects the colours, `letter` is empty where there is no tier."""

    tier: str
    letter: str
    icon: str
    words: str


_TROUBLE = {
    _S.CONFLICT: Badge("conflict", "", "differ", "Conflict"),
    _S.NOT_FOUND: Badge("d", "D", "ask", "Not found"),
    _S.REVIEW: Badge("review", "", "half", "To confirm"),
    _S.FILE: Badge("file", "", "file", "Your file"),
}


def badge_of(citation: Citation) -> Badge:
    """Return the badge of an entry; a retraction takes precedence."""
    badge = Badge("retracted", "", "strike", "Retracted") if citation.retracted else _tier_of(citation)
    return _labelled(badge, citation)


def tier_of(citation: Citation) -> Badge:
    """Return the badge of the proof alone, whether the work is retracted or not."""
    return _labelled(_tier_of(citation), citation)


def _labelled(badge: Badge, citation: Citation) -> Badge:
    """Return the badge with the demo catalogue named, where nobody else was asked."""
    if not citation.is_of_demo_catalogue or badge.words == _OF_DEMO:
        return badge
    return replace(badge, words=f"{badge.words}, demo catalogue")


def _tier_of(citation: Citation) -> Badge:
    if trouble := _TROUBLE.get(_S(citation.status)):
        return trouble
    if citation.status == _S.UNRESOLVED:
        if citation.check_due_at is None:
            return Badge("wait", "", "clock", "Not looked up yet")
        return (
            Badge("wait", "", "alert", "Lookup failed")
            if citation.failures
            else Badge("wait", "", "clock", "Being looked up")
        )
    if citation.status == _S.VERIFIED and citation.is_of_demo_catalogue:
        return Badge("demo", citation.tier, "book", _OF_DEMO)  # without the colour of proof: no registry was asked
    if citation.status == _S.VERIFIED:
        words = _PROVEN_BY.get(citation.evidence_type, "Verified")
    else:
        words = _VOUCHED_BY.get(citation.evidence_type, "Attested")
    return Badge(citation.tier.lower(), citation.tier, _ICONS.get(citation.tier, "check"), words)


@lru_cache(64)
def badge_html(badge: Badge) -> SafeString:
    """Return a badge as HTML."""
    return format_html(
        '<span class="tier" data-tier="{}">{}<svg class="i" aria-hidden="true"><use href="#i-{}"/></svg>{}</span>',
        badge.tier,
        format_html('<span class="vh">Tier </span><b>{}</b>', badge.letter) if badge.letter else "",
        badge.icon,
        badge.words,
    )
