"""The type of requests that views and API functions get: middleware rejects users who are not signed in."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from projects.models import User


class PersonRequest(HttpRequest):
    """A request by a signed-in user."""

    user: User
    htmx: HtmxDetails
