"""People as catalogues write them: "Ydenberg CA", "Heather A. Piwowar", "van Lunteren, J.", "RECOVERY Group"."""

import re
from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

_PARTICLES = {"van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "du", "la", "le", "ten", "ter", "zu"}
_PARTICLES |= {"el", "al", "bin", "ibn", "af", "zur", "vom"}
_SUFFIX = re.compile(r"(?:jr|sr|ii|iii|iv|2nd|3rd|4th)\.?", re.IGNORECASE)
_GROUP = re.compile(
    r"\b(?:group|consortium|collaborat(?:ion|ive|ors)|committee|society|association|network|investigators|team|university"
    r"|organi[sz]ation|institute|ministry|department|foundation|initiative|council|agency|college|academy|cent(?:er|re)"
    r"|programme|project|study|trial|federation|commission|bureau|authority|hospital)\b",
    re.IGNORECASE,
)


class Person(BaseModel):
    """A person by family and given name, or a group (or a name that can't be parted) as `literal`."""

    model_config = ConfigDict(frozen=True)

    family: str | None = None
    given: str | None = None
    suffix: str | None = None
    literal: str | None = None

    def csl(self) -> dict[str, str]:
        return self.model_dump(exclude_none=True)


def people(found: Iterable[Person | None]) -> tuple[Person, ...]:
    """Those of `found` that are somebody."""
    return tuple(person for person in found if person and (person.family or person.literal))


def named_apart(family: str | None, given: str | None, name: str | None) -> Person | None:
    """A person by the parts of the name where the catalogue tells them apart, else by the whole `name`."""
    return Person(family=family, given=given) if family else full_name(name)


def full_name(name: str | None) -> Person | None:
    """A person from a name in reading order ("Vincent van der Berg") or turned round ("Berg, Vincent")."""
    if not name:
        return None
    if _GROUP.search(name):
        return Person(literal=name)
    family, comma, given = (part.strip() for part in name.partition(","))
    if comma and family and given and not _SUFFIX.fullmatch(given):
        return Person(family=family, given=given)
    words = name.replace(",", " ").split()
    suffix = words.pop() if len(words) > 1 and _SUFFIX.fullmatch(words[-1]) else None
    if len(words) < 2:
        return Person(literal=name)
    start = len(words) - 1
    while start > 1 and words[start - 1].casefold() in _PARTICLES:
        start -= 1
    return Person(family=" ".join(words[start:]), given=" ".join(words[:start]), suffix=suffix)


def index_name(name: str | None) -> Person | None:
    """A person as PubMed's index writes it: family name, then initials without stops ("van Lunteren J", "King ML Jr")."""
    if not name:
        return None
    words = name.split()
    suffix = words.pop() if len(words) > 2 and _SUFFIX.fullmatch(words[-1]) else None
    if len(words) < 2 or not re.fullmatch(r"[^\W\d_]{1,4}", words[-1]) or not words[-1].isupper():
        return Person(literal=name)
    initials = " ".join(f"{letter}." for letter in words.pop())
    return Person(family=" ".join(words), given=initials, suffix=suffix)
