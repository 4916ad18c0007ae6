"""A reference of a BibTeX or RIS file as readable text; references are imported by the citations app."""


def reference_as_text(
    *, title: str, authors: list[str], year: str, venue: list[str], doi: str, abstract: str, rest: list[tuple[str, str]]
) -> str:
    """Return a reference as text: title, authors, year and venue, abstract, then each field of `rest` on its own line.

    `venue` are the journal, volume, pages and so on; `rest` are (name, value) of the other fields.
    """
    who = "; ".join(authors)
    written = f"{who} ({year})" if who and year else who or year
    found = ". ".join(filter(None, [written, ", ".join(filter(None, venue)), f"doi:{doi}" if doi else ""]))
    heading = title if not title or title[-1] in ".?!" else f"{title}."
    named = "\n".join(f"{name}: {value}" for name, value in rest)
    return "\n\n".join(filter(None, ["\n".join(filter(None, [heading, found])), abstract, named]))
