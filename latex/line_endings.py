"""Texts line by line: their endings through a web form, and where two of them differ.

A browser shows and sends a text with its own line endings whatever the text had. So that a chapter brought in
with CRLF comes back byte for byte where the writer touched nothing (SPEC T2), the endings of untouched lines
are taken from the text as it was before.
"""

import re
from collections.abc import Sequence

_ENDING = re.compile("\r\n|\r|\n")


def normalised(text: str) -> str:
    """`text` with every line ending as one newline."""
    return _ENDING.sub("\n", text)


def line_count(text: str) -> int:
    """Return how many lines `text` has, as TeX counts them: one more than it has line endings."""
    return len(_ENDING.findall(text)) + 1


def endings_as_before(text: str, before: str) -> str:
    """`text` as a form sent it, with the line endings of `before` where they can be told.

    Lines at the start and the end that equal those of `before` keep their endings; lines between take the
    ending most common in `before`, or a newline. Linear in both lengths.
    """
    text = normalised(text)
    endings = _ENDING.findall(before)
    if "\r" not in before:
        return text
    usual = max(("\n", "\r\n", "\r"), key=endings.count)
    new = text.split("\n")
    head, tail = alike(new, normalised(before).split("\n"))
    gaps = len(new) - 1  # an ending stands in the gap after each line but the last
    first = min(head, gaps, len(endings))
    last = min(tail, gaps - first, len(endings) - first)
    chosen = endings[:first] + [usual] * (gaps - first - last) + endings[len(endings) - last :]
    joined = "".join(part for pair in zip(new, [*chosen, ""], strict=True) for part in pair)
    # A lone CR before an empty line that ends in LF would read as one CRLF: then one ending for all.
    return joined if normalised(joined) == text else usual.join(new)


def differing(text: str, other: str) -> tuple[str, str, str]:
    """`text` in three parts: what it begins with as `other` does, what differs, what it ends with as `other` does."""
    lines = normalised(text).split("\n")
    head, tail = alike(lines, normalised(other).split("\n"))
    end = len(lines) - tail
    return _whole(lines[:head]), _whole(lines[head:end]), _whole(lines[end:])


def _whole(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def alike(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """Return how many lines or words two texts share at the start, and how many of the rest at the end."""
    most = min(len(one), len(other))
    head = next((n for n in range(most) if one[n] != other[n]), most)
    return head, next((n for n in range(most - head) if one[-1 - n] != other[-1 - n]), most - head)
