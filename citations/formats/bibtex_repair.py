"""The values of BibTeX fields, and entries whose commas or key are amiss: what bibtexparser gives up on is read here.

All of it goes forward through the text once.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

_BARE = re.compile(r"[^\s#,={}\"]+")
_BLANK = re.compile(r"\s*")
_BRACE = re.compile(r"(?<!\\)[{}]")
_BRACE_OR_QUOTE = re.compile(r'(?<!\\)[{}]|"')
_HEAD = re.compile(r"@(\w+)\s*([{(])\s*")
_KEY = re.compile(r"([^\s,={}()\"#]*)\s*")
_COMMAS = re.compile(r"[\s,]*")
FIELD = re.compile(r"([^\W\d][\w:.+-]*)\s*=\s*")


class Unreadable(Exception):
    """A field's value that follows no rule of BibTeX; the message is for people."""


@dataclass
class Mended:
    """An entry that was read in spite of its commas. `notes` say what was repaired; `end` is where it ends in its text."""

    kind: str
    key: str
    fields: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    end: int = 0


def value_at(raw: str, at: int, strings: Mapping[str, str], name: str, longest: int) -> tuple[str, int]:
    """Return the value that begins at `at` as one text, its parts joined at `#` and @strings put in, and where what follows begins.

    Raises Unreadable for what is no value or longer than `longest`; `name` is the field's for the message.
    """
    value = ""
    at = skip_blank(raw, at)
    while at < len(raw):
        part, at = _part(raw, at, strings, name)
        value += part
        if len(value) > longest:
            raise Unreadable(f"The value of “{name}” is longer than {longest:,} characters.")
        at = skip_blank(raw, at)
        if not raw.startswith("#", at):
            break
        at = skip_blank(raw, at + 1)
    return value, at


def skip_blank(raw: str, at: int) -> int:
    found = _BLANK.match(raw, at)
    return found.end() if found else at


def mend(text: str, read: Callable[[str, int, str], tuple[str, int]]) -> Mended | None:
    """Return the entry that `text` begins with, where its key or a comma is missing or a comma is too many; None for all else.

    `read` gives the value at a place for a field's name, as `value_at`; what it raises is raised.
    """
    head = _HEAD.match(text)
    if head is None:
        return None
    made = Mended(head[1].lower(), "")
    at = _key(text, head.end(), made)
    closing = "}" if head[2] == "{" else ")"
    while at < len(text):
        commas = _COMMAS.match(text, at)
        gap = commas[0] if commas else ""
        at += len(gap)
        if text.startswith(closing, at):
            made.end = at + 1
            if gap.count(",") > 1:
                made.notes.append("There is a comma too many at the end. It was left out.")
            return made if made.fields else None
        named = FIELD.match(text, at)
        if named is None:
            return None
        _note_commas(made, gap.count(","), named[1])
        name, at = named[1].lower(), named.end()
        value, at = ("", at) if text[at : at + 1] in (",", closing) else read(text, at, name)
        made.fields.append((name, value))
    return None


def _key(text: str, at: int, made: Mended) -> int:
    """Read the key of an entry, if it has one; where its fields begin."""
    found = _KEY.match(text, at)
    if found is None or text.startswith("=", found.end()):
        return at  # the name of its first field
    made.key = found[1]
    if not text.startswith(",", found.end()):
        made.notes.append("A comma is missing after the key. It was read as if it were there.")
        return found.end()
    return found.end() + 1


def _note_commas(made: Mended, commas: int, name: str) -> None:
    if commas > (1 if made.fields else 0):
        made.notes.append(f"There is a comma too many before the field “{name}”. It was left out.")
    elif made.fields and not commas:
        made.notes.append(f"A comma is missing before the field “{name}”. It was read as if it were there.")


def _part(raw: str, at: int, strings: Mapping[str, str], name: str) -> tuple[str, int]:
    """Return the first part of a value ({...}, "...", a number or the name of a @string) and where it ends."""
    if raw[at] in '{"':
        end = _end_of(raw, at, name)
        return raw[at + 1 : end], end + 1
    bare = _BARE.match(raw, at)
    if bare is None:
        raise Unreadable(f"The field “{name}” cannot be read.")
    word = bare.group()
    return strings.get(word.casefold(), word), bare.end()


def _end_of(raw: str, at: int, name: str) -> int:
    """Return where the brace or quotation mark at `at` is closed."""
    depth = 0
    quoted = raw[at] == '"'
    for found in (_BRACE_OR_QUOTE if quoted else _BRACE).finditer(raw, at + 1):
        if found.group() == "{":
            depth += 1
        elif depth == 0:
            if found.group() == "}" and quoted:
                continue
            return found.start()
        elif found.group() == "}":
            depth -= 1
    raise Unreadable(f"The field “{name}” is not closed: a brace or quotation mark is missing.")
