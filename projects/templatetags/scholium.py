"""Template tags and filters for every template: icons, numbers and dates."""

from datetime import datetime, timedelta

from django import template
from django.utils import timezone
from django.utils.dateformat import format as dated
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def icon(name: str) -> SafeString:
    """Return an icon from the sprite in base.html: {% icon "check" %}. It is hidden from screen readers."""
    return format_html('<svg class="i" aria-hidden="true"><use href="#i-{}"/></svg>', name)


@register.filter
def thousands(number: int) -> str:
    """Return a number with thousands separators: 18,420."""
    return f"{number:,}"


_SHOWN = {"clock": "H:i:s", "hour": "H:i", "moment": "j F, H:i", "day": "j F Y"}


@register.simple_tag
def when(moment: datetime | None, show: str = "moment") -> SafeString | str:
    """Return a date or time for people: {% when run.created_at "day" %}; "clock", "hour", "moment" or "day".

    Rendered in UTC; a script converts it to the reader's time zone (static/src/page/local-times.ts).
    """
    if moment is None:
        return ""
    utc = timezone.localtime(moment, timezone.get_default_timezone())
    return format_html('<time datetime="{}" data-show="{}">{}</time>', utc.isoformat(), show, dated(utc, _SHOWN[show]))


@register.filter
def duration(length: timedelta | None) -> str:
    """Return a duration in words: "12 min 40 s", "1 h 5 min"; "" for None."""
    if length is None:
        return ""
    minutes, seconds = divmod(max(0, int(length.total_seconds())), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
