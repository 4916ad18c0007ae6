"""The template filter for names of citation styles."""

from django import template

from citations.styles.choose_style import name_of

register = template.Library()


@register.filter
def style_name(style: str) -> str:
    """Return the name of a citation style: "APA 7" of "apa"."""
    return name_of(style)
