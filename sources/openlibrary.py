"""Open Library: look-up of books by ISBN (SPEC C1). API: https://openlibrary.org/dev/docs/api/books"""

from typing import Any

from sources.field_values import at, first, link, mappings, text, titled, year
from sources.host_limits import OPENLIBRARY
from sources.http_client import CatalogueRequest, Client
from sources.identifiers import clean_isbn, other_isbn
from sources.request_checks import with_valid_id
from sources.responses import RawResponse
from sources.work import Found, NothingFound, Outcome, Work, full_name, people, search_outcome

NAME = "openlibrary"


@with_valid_id(clean_isbn, "not an ISBN")
async def lookup(client: Client, isbn: str) -> Outcome:
    """Return the book with this ISBN. Looks up its ISBN-10 and ISBN-13 together."""
    forms = [one for one in (isbn, other_isbn(isbn)) if one]
    params = {"bibkeys": ",".join(f"ISBN:{one}" for one in forms), "jscmd": "data", "format": "json"}

    def read(reply: RawResponse) -> Found | NothingFound:
        data = reply.mapping()
        records = [data[f"ISBN:{one}"] for one in forms if isinstance(data.get(f"ISBN:{one}"), dict)]
        return search_outcome([read_work(records[0], isbn)], 1, 1) if records else search_outcome([], len(data))

    return await client.ask(CatalogueRequest(OPENLIBRARY, "/api/books", read, params=params))


def read_work(record: dict[str, Any], isbn: str) -> Work | None:
    """Return a Work from the record of the book with `isbn`, or None if it has no title."""
    title = text(record.get("title"))
    if not title:
        return None
    return Work(
        provider=NAME,
        provider_id=isbn,
        title=titled(title, text(record.get("subtitle"))),
        authors=people(full_name(text(one.get("name"))) for one in mappings(record.get("authors"))),
        year=year(record.get("publish_date")),
        publisher=text(at(first(record.get("publishers")), "name")) or text(first(record.get("publishers"))),
        isbn=isbn,
        url=link(record.get("url")),
        type="book",
    )
