"""Which bracket closes which in a TeX text."""

import re

_BRACKET = re.compile(r"\\.|[{}\[\]]|(?:\r\n?+|\n)[ \t]*+(?=[\r\n])", re.DOTALL)


def closing_brackets(shown: str, *, braces_span_paragraphs: bool = False) -> dict[int, int]:
    """Return the end of each brace and bracket within its paragraph, by its start.

    As in TeX, a bracket is closed by the next closing one that is not in inner braces, so brackets do not nest.
    """
    pairs: dict[int, int] = {}
    braces: list[int] = []
    brackets: list[list[int]] = [[]]  # open ones, for each depth of braces
    for found in _BRACKET.finditer(shown):
        sign, at = found[0], found.start()
        if sign == "{":
            braces.append(at)
            brackets.append([])
        elif sign == "}":
            if braces:
                pairs[braces.pop()] = at
                brackets.pop()
        elif sign == "[":
            brackets[-1].append(at)
        elif sign == "]":
            pairs.update(dict.fromkeys(brackets[-1], at))
            brackets[-1].clear()
        elif sign[0] != "\\" and braces_span_paragraphs:  # an empty line
            brackets[-1].clear()
        elif sign[0] != "\\":
            braces, brackets = [], [[]]
    return pairs
