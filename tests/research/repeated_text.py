"""Whether a text repeats more of others than it may: said plainly, to check what the code does otherwise (SPEC X6).

known = windows(bodies)
assert not copied(prompt, known)
"""

import json
from collections.abc import Iterable
from typing import Any

MOST = 180  # characters in a row


def windows(bodies: Iterable[str], size: int = MOST + 1) -> set[str]:
    """Every stretch of `size` characters of `bodies`, with their white space as it is and made even."""
    texts = [form for body in bodies for form in (body, " ".join(body.split()))]
    return {text[at : at + size] for text in texts for at in range(len(text) - size + 1)}


def copied(text: str, known: set[str], size: int = MOST + 1) -> str:
    """The first stretch of `text` that is one of `known`; "" when there is none.
    Lines of JSON are read as such, too."""
    for form in dict.fromkeys((text, " ".join(text.split()), *_read(text))):
        for at in range(len(form) - size + 1):
            if form[at : at + size] in known:
                return form[at : at + size]
    return ""


def _read(text: str) -> Iterable[str]:
    for line in text.splitlines():
        if line.startswith(("{", "[")):
            try:
                value = json.loads(line)
            except ValueError:
                continue
            for said in words_in(value):
                yield said
                yield " ".join(said.split())


def words_in(value: Any) -> Iterable[str]:
    """Every string in a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from words_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from words_in(part)
