"""Marks of private characters, which stand in a Word file and its LaTeX for a citation or an end of a comment."""

import re

CITE, BEGIN, END, LIST_BEGIN, LIST_END = range(10, 15)  # kinds of marks, after the ten digits
LAST = 15  # ends a mark
BASES = range(0xE900, 0xF000, 0x100)  # first characters; Word's own symbol fonts begin at F000


def mark(base: int, kind: int, number: int) -> str:
    """Return a mark: a kind, the digits of a number, an end, all as private characters from `base` on."""
    return "".join(chr(base + value) for value in (kind, *(int(digit) for digit in str(number)), LAST))


def marks(base: int, *kinds: int) -> re.Pattern[str]:
    """Return the pattern of the marks of these kinds, or of all."""
    signs = "".join(chr(base + kind) for kind in kinds or range(CITE, LIST_END + 1))
    return re.compile(f"[{signs}][{chr(base)}-{chr(base + 9)}]+{chr(base + LAST)}")


def read_mark(written: str, base: int) -> tuple[int, int]:
    """Return the kind and the number of a mark."""
    kind, *digits, _ = (ord(sign) - base for sign in written)
    return kind, int("".join(map(str, digits)))
