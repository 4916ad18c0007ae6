"""The filter `place`, which returns the position of a source in its document: {% load places %}."""

from django import template

from research.report.references import place_of

register = template.Library()
register.filter("place", place_of)
