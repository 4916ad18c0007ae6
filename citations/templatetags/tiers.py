"""Template tags for the badge of an entry: {% load tiers %}{% badge citation %}."""

from django import template
from django.utils.safestring import SafeString

from citations.badges import badge_html, badge_of, tier_of
from citations.models import Citation

register = template.Library()


@register.simple_tag
def badge(citation: Citation) -> SafeString:
    """Return the badge of an entry as HTML."""
    return badge_html(badge_of(citation))


@register.simple_tag
def proof(citation: Citation) -> SafeString:
    """Return the badge of the proof alone, ignoring a retraction, as HTML."""
    return badge_html(tier_of(citation))
