"""A reference of a BibTeX or RIS file as people read it; importing references is done elsewhere."""


def told(
    *, title: str, authors: list[str], year: str, venue: list[str], doi: str, abstract: str, rest: list[tuple[str, str]]
) -> str:
    """Title; authors, year and where it appeared (journal, volume, pages ...); abstract; the `rest`, its other fields with
    a name and a value each, on lines of their own."""
    who = "; ".join(authors)
    written = f"{who} ({year})" if who and year else who or year
    found = ". ".join(filter(None, [written, ", ".join(filter(None, venue)), f"doi:{doi}" if doi else ""]))
    heading = title if not title or title[-1] in ".?!" else f"{title}."
    named = "\n".join(f"{name}: {value}" for name, value in rest)
    return "\n\n".join(filter(None, ["\n".join(filter(None, [heading, found])), abstract, named]))
