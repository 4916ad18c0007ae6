"""Fields for numbers as people write them."""

import re
from typing import Any

from django import forms

_GROUPING = re.compile(r"(?<=\d)[,\s](?=\d{3}(?!\d))")


class WholeNumberField(forms.IntegerField):
    """Takes a number as people write it, too: 200,000 or 200 000."""

    def to_python(self, value: Any) -> int | None:
        return super().to_python(_GROUPING.sub("", value) if isinstance(value, str) else value)


def typed_number(mode: str) -> forms.TextInput:
    """An input for a number. Not of the type number: that one is sent back empty when what was typed is none."""
    return forms.TextInput(attrs={"inputmode": mode, "autocomplete": "off"})
