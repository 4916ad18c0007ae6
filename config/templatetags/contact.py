"""{% contact_notice %}: the home page asks the site's owner once for a contact address."""

from typing import Any

from django import template
from django.conf import settings
from django.template.context import RequestContext

from sources.contact_address import stored_address

register = template.Library()


@register.inclusion_tag("config/_contact_notice.html", takes_context=True)
def contact_notice(context: RequestContext) -> dict[str, Any]:
    """Ask for the contact address, if the person owns the site and nobody answered or set it yet."""
    user = context["request"].user
    asks = not settings.CROSSREF_MAILTO and stored_address() is None and user.owns_site
    return {"asks": asks, "address": user.email, "csrf_token": context.get("csrf_token")}
