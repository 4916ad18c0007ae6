"""Refused, the exception for requests that cannot be carried out, with a message for the user."""

from collections.abc import Sequence


class Refused(Exception):
    """A request that cannot be carried out as it is. Nothing was changed.

    `message` tells the user what is wrong, where, and how to fix it. `field` is the name of the input it is about.
    Forms show it at that field; the JSON API responds with `status`; commands print it and exit with 2. `choices` are
    the allowed values, if the message asks for one of them.
    """

    def __init__(
        self, message: str, *, field: str = "", code: str = "invalid", status: int = 422, choices: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.message, self.field, self.code, self.status, self.choices = message, field, code, status, choices
