"""UUIDs in the text of addresses, forms and command lines."""

from uuid import UUID


def uuid_in(text: str) -> UUID | None:
    """Return `text` as a UUID; None if it is not one."""
    try:
        return UUID(text)
    except ValueError:
        return None
