"""Open Library: books by their ISBN (SPEC C1). API facts: https://openlibrary.org/dev/docs/api/books"""

from typing import Any

from sources.hosts import OPENLIBRARY
from sources.http import Client
from sources.identifiers import clean_isbn, other_isbn
from sources.names import Person, full_name
from sources.outcomes import Failed, Found, Kind, NothingFound, Outcome, of
from sources.reading import at, first, link, mappings, text, year
from sources.replies import Reply
from sources.work import Work

NAME = "openlibrary"


async def lookup(client: Client, isbn: str) -> Outcome:
    """The book with this ISBN, of ten or thirteen digits; its other form is asked for along with it."""
    known = clean_isbn(isbn)
    if known is None:
        return Failed(f"“{isbn[:80]}” is not an ISBN.", None, Kind.REFUSED)
    forms = [one for one in (known, other_isbn(known)) if one]
    params = {"bibkeys": ",".join(f"ISBN:{one}" for one in forms), "jscmd": "data", "format": "json"}

    def read(reply: Reply) -> Found | NothingFound:
        data = reply.mapping()
        records = [data[f"ISBN:{one}"] for one in forms if isinstance(data.get(f"ISBN:{one}"), dict)]
        return of([read_work(records[0], known)], 1, 1) if records else of([], len(data))

    return await client.ask(OPENLIBRARY, "/api/books", read, params=params)


def read_work(record: dict[str, Any], isbn: str) -> Work | None:
    """A Work from the record of the book with `isbn`; None when it has no title."""
    title, subtitle = text(record.get("title")), text(record.get("subtitle"))
    if not title:
        return None
    if subtitle and subtitle.casefold() not in title.casefold():
        title = f"{title}{'' if title[-1] in ':?!.' else ':'} {subtitle}"
    return Work(
        provider=NAME,
        provider_id=isbn,
        title=title,
        authors=_people(record),
        year=year(record.get("publish_date")),
        publisher=text(at(first(record.get("publishers")), "name")) or text(first(record.get("publishers"))),
        isbn=isbn,
        url=link(record.get("url")),
        type="book",
    )


def _people(record: dict[str, Any]) -> tuple[Person, ...]:
    names = (full_name(text(one.get("name"))) for one in mappings(record.get("authors")))
    return tuple(person for person in names if person)
