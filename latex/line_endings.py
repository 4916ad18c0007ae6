"""Line endings: keeping them when a text comes back from a web form, and comparing texts line by line.

A browser sends a text with its own line endings, whatever the text had. To keep unedited lines of an imported chapter
byte for byte (SPEC T2), their endings are restored from the text before the edit.
"""

import re
from collections.abc import Sequence

_ENDING = re.compile("\r\n|\r|\n")


def normalised(text: str) -> str:
    r"""Return `text` with all line endings as \n."""
    return _ENDING.sub("\n", text)


def line_count(text: str) -> int:
    """Return the number of lines of `text` as TeX counts them: one more than its line endings."""
    return len(_ENDING.findall(text)) + 1


def restore_line_endings(text: str, before: str) -> str:
    """Return a `text` sent by a form with the line endings of `before` restored.

    Lines at the start and the end that are the same as in `before` keep their endings; lines between get the most
    common ending of `before`, or a newline. Takes linear time.
    """
    text = normalised(text)
    endings = _ENDING.findall(before)
    if "\r" not in before:
        return text
    usual = max(("\n", "\r\n", "\r"), key=endings.count)
    new = text.split("\n")
    head, tail = alike(new, normalised(before).split("\n"))
    gaps = len(new) - 1  # each line but the last is followed by an ending
    first = min(head, gaps, len(endings))
    last = min(tail, gaps - first, len(endings) - first)
    chosen = endings[:first] + [usual] * (gaps - first - last) + endings[len(endings) - last :]
    joined = "".join(part for pair in zip(new, [*chosen, ""], strict=True) for part in pair)
    # A single CR before an empty line that ends in LF would be read as one CRLF: use one ending for all then
    return joined if normalised(joined) == text else usual.join(new)


def differing(text: str, other: str) -> tuple[str, str, str]:
    """Split `text` into the lines shared with `other` at the start, those that differ, and those shared at the end."""
    lines = normalised(text).split("\n")
    head, tail = alike(lines, normalised(other).split("\n"))
    end = len(lines) - tail
    return _whole(lines[:head]), _whole(lines[head:end]), _whole(lines[end:])


def _whole(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def alike(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """Return how many lines or words two texts share at the start, and how many of the others at the end."""
    most = min(len(one), len(other))
    head = next((n for n in range(most) if one[n] != other[n]), most)
    return head, next((n for n in range(most - head) if one[-1 - n] != other[-1 - n]), most - head)
