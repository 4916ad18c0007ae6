"""Sentences with numbers in them."""


def counted(number: int, noun: str) -> str:
    """ "1 source", "3 sources", "1,204 passages": `noun` is singular and takes an s."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
