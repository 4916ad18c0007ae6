"""Small things every template needs."""

from datetime import timedelta

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def icon(name: str) -> SafeString:
    """An icon of the sprite that base.html carries: {% icon "check" %}. Text stands beside it."""
    return format_html('<svg class="i" aria-hidden="true"><use href="#i-{}"/></svg>', name)


@register.filter
def thousands(number: int) -> str:
    """18420 as 18,420."""
    return f"{number:,}"


@register.filter
def duration(length: timedelta | None) -> str:
    """A length of time as people say it: "12 min 40 s", "1 h 5 min"; empty for None."""
    if length is None:
        return ""
    minutes, seconds = divmod(max(0, int(length.total_seconds())), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
