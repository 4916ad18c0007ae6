"""Numbers with their nouns, for sentences."""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, given in the singular: "1 source", "3 sources", "1,204 passages"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
