"""An entry's badge, for templates: {% load tiers %}{% badge citation %}."""

from django import template
from django.utils.safestring import SafeString

from citations.badges import badge_of, drawn, tier_of
from citations.models import Citation

register = template.Library()


@register.simple_tag
def badge(citation: Citation) -> SafeString:
    return drawn(badge_of(citation))


@register.simple_tag
def proof(citation: Citation) -> SafeString:
    """Return the badge of the proof alone, beside that of a retraction."""
    return drawn(tier_of(citation))
