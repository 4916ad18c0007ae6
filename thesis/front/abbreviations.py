"""The list of abbreviations, as a person types it (SPEC T5)."""

from typing import NamedTuple


class Abbreviation(NamedTuple):
    """`short` for `long`, from the line `line` (1-based)."""

    short: str
    long: str
    line: int


class Unread(NamedTuple):
    """A line of the abbreviations that is none, and what is wrong with it."""

    line: int
    said: str


def read_abbreviations(text: str) -> tuple[list[Abbreviation], list[Unread]]:
    """The abbreviations of `text`, one a line as "ICU = intensive care unit", and the lines that are none.

    Empty lines are passed over. An abbreviation that is there twice with another meaning is told, the same twice is one.
    """
    found: dict[str, Abbreviation] = {}
    wrong: list[Unread] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        short, equals, long = (part.strip() for part in line.partition("="))
        if not equals:
            wrong.append(
                Unread(
                    number,
                    f"Line {number}: put “=” between the abbreviation and its meaning: ICU = intensive care unit.",
                )
            )
        elif not short:
            wrong.append(Unread(number, f"Line {number}: the abbreviation in front of “=” is missing."))
        elif not long:
            wrong.append(Unread(number, f"Line {number}: what “{short}” stands for is missing behind “=”."))
        elif short in found and found[short].long.casefold() != long.casefold():
            wrong.append(
                Unread(
                    number, f"Line {number}: “{short}” is in line {found[short].line} already, with another meaning."
                )
            )
        else:
            found.setdefault(short, Abbreviation(short, long, number))
    return list(found.values()), wrong
