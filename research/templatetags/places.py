"""Where in its document a source stands, for templates: {% load places %}."""

from django import template

from research.report.references import place_of

register = template.Library()
register.filter("place", place_of)
