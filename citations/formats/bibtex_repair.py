"""Parsing of BibTeX values, and repair of entries with a wrong key or wrong commas, which bibtexparser rejects.

All functions go forward through the text only once.
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
    """A field's value that is not valid BibTeX; the message is for people."""


@dataclass
class RepairedEntry:
    """A repaired entry. `notes` say what was repaired; `end` is its end position in the text."""

    kind: str
    key: str
    fields: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    end: int = 0


def read_value(raw: str, at: int, strings: Mapping[str, str], name: str, longest: int) -> tuple[str, int]:
    """Return the value that begins at `at`, with parts joined at `#` and @strings replaced, and the next position.

    Raises Unreadable for an invalid value or one longer than `longest`; `name` is the field's name for the message.
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
    """Return the position of the next character that is not white space."""
    found = _BLANK.match(raw, at)
    return found.end() if found else at


def repair_entry(text: str, read: Callable[[str, int, str], tuple[str, int]]) -> RepairedEntry | None:
    """Repair the entry that `text` begins with: its key or a comma may be missing, or there may be extra commas.

    Returns None where that is not enough. `read` returns the value at a position for a field's name, as `read_value`
    does.
    """
    head = _HEAD.match(text)
    if head is None:
        return None
    made = RepairedEntry(head[1].lower(), "")
    at = _key(text, head.end(), made)
    closing = "}" if head[2] == "{" else ")"
    while at < len(text):
        commas = _COMMAS.match(text, at)
        gap = commas[0] if commas else ""
        at += len(gap)
        if text.startswith(closing, at):
            made.end = at + 1
            if gap.count(",") > 1:
                made.notes.append("There is an extra comma at the end. It was ignored.")
            return made if made.fields else None
        named = FIELD.match(text, at)
        if named is None:
            return None
        _note_commas(made, gap.count(","), named[1])
        name, at = named[1].lower(), named.end()
        value, at = ("", at) if text[at : at + 1] in (",", closing) else read(text, at, name)
        made.fields.append((name, value))
    return None


def _key(text: str, at: int, made: RepairedEntry) -> int:
    """Read the key of an entry, if it has one, and return the position of its fields."""
    found = _KEY.match(text, at)
    if found is None or text.startswith("=", found.end()):
        return at  # the name of its first field
    made.key = found[1]
    if not text.startswith(",", found.end()):
        made.notes.append("A comma is missing after the key. It was read as if it were there.")
        return found.end()
    return found.end() + 1


def _note_commas(made: RepairedEntry, commas: int, name: str) -> None:
    if commas > (1 if made.fields else 0):
        made.notes.append(f"There is an extra comma before the field “{name}”. It was ignored.")
    elif made.fields and not commas:
        made.notes.append(f"A comma is missing before the field “{name}”. It was read as if it were there.")


def _part(raw: str, at: int, strings: Mapping[str, str], name: str) -> tuple[str, int]:
    """Return the first part of a value ({...}, "...", a number or the name of a @string) and its end position."""
    if raw[at] in '{"':
        end = _end_of(raw, at, name)
        return raw[at + 1 : end], end + 1
    bare = _BARE.match(raw, at)
    if bare is None:
        raise Unreadable(f"The field “{name}” cannot be read.")
    word = bare.group()
    return strings.get(word.casefold(), word), bare.end()


def _end_of(raw: str, at: int, name: str) -> int:
    """Return the position where the brace or quotation mark at `at` is closed."""
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
