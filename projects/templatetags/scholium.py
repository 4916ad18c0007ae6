"""Small things every template needs."""

from datetime import datetime, timedelta

from django import template
from django.utils import timezone
from django.utils.dateformat import format as dated
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def icon(name: str) -> SafeString:
    """Return an icon of the sprite that base.html carries: {% icon "check" %}. Text stands beside it."""
    return format_html('<svg class="i" aria-hidden="true"><use href="#i-{}"/></svg>', name)


@register.filter
def thousands(number: int) -> str:
    """18420 as 18,420."""
    return f"{number:,}"


_SHOWN = {"clock": "H:i:s", "hour": "H:i", "moment": "j F, H:i", "day": "j F Y"}


@register.simple_tag
def when(moment: datetime | None, show: str = "moment") -> SafeString | str:
    """Return a moment as people read it: {% when run.created_at "day" %}; "clock", "hour", "moment" or "day".

    Written in UTC; the page's script puts it into the reader's own zone (static/src/page/local-times.ts).
    """
    if moment is None:
        return ""
    utc = timezone.localtime(moment, timezone.get_default_timezone())
    return format_html('<time datetime="{}" data-show="{}">{}</time>', utc.isoformat(), show, dated(utc, _SHOWN[show]))


@register.filter
def duration(length: timedelta | None) -> str:
    """Return a length of time as people say it: "12 min 40 s", "1 h 5 min"; empty for None."""
    if length is None:
        return ""
    minutes, seconds = divmod(max(0, int(length.total_seconds())), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
