"""How an event looks: the same markup in the page and down the socket."""

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from jobs.models import JobEvent


def render_event(event: JobEvent) -> SafeString:
    """One line of the thought stream as an <li>."""
    return render_to_string("jobs/_event.html", {"event": event})
