"""The one exception for what a person asked and cannot have, with a sentence that says what to do."""

from collections.abc import Sequence


class Refused(Exception):
    """A request that cannot be carried out as it stands. Nothing was changed.

    `message` is for people: what is wrong, where, how to fix it. `field` names the input it is about. Forms
    show it at that field; the JSON API answers `status` with it; commands print it and exit 2. `choices` are the values
    that the field takes, where the sentence asks for one of them.
    """

    def __init__(
        self, message: str, *, field: str = "", code: str = "invalid", status: int = 422, choices: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.message, self.field, self.code, self.status, self.choices = message, field, code, status, choices
