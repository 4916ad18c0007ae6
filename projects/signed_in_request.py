"""What views and API functions are handed, typed: the middleware has let in nobody who is not signed in."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from projects.models import User


class PersonRequest(HttpRequest):
    """A request of a person who is signed in."""

    user: User
    htmx: HtmxDetails
