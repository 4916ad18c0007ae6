"""Small things every template needs."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def icon(name: str) -> SafeString:
    """An icon of the sprite that base.html carries: {% icon "check" %}. Text stands beside it."""
    return format_html('<svg class="i" aria-hidden="true"><use href="#i-{}"/></svg>', name)
