"""Parsing a model's answer: JSON wrapped in prose, code fences or thoughts, and readable text of a partial answer."""

import json
import re
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from llm.tools import faults

A = TypeVar("A", bound=BaseModel)

LOOKS = 100  # opening braces to try before giving up
THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>|\A.*</think(?:ing)?>", re.DOTALL)


class InvalidAnswer(Exception):
    """The text does not match the expected answer; the message says why without quoting it."""


class NoObject(InvalidAnswer):
    """The text has no complete JSON object."""

    def __init__(self) -> None:
        super().__init__("it holds no complete JSON object")


def first_valid_answer(candidates: list[Any], answer: type[A]) -> A:
    """Return the first of `candidates`, largest first, that is valid. Raises InvalidAnswer with the largest's errors.

    All fields are required, although many have defaults: otherwise half an answer, or a different object, would pass
    as an answer that found nothing.
    """
    if not candidates:
        raise NoObject
    wanted, why = answer.model_fields.keys(), ""
    for candidate in sorted(candidates, key=lambda one: len(json.dumps(one)), reverse=True):
        missing = [name for name in wanted if name not in candidate]
        try:
            found = answer.model_validate(candidate)
        except ValidationError as error:
            why = why or faults(error)
            continue
        if not missing:
            return found
        why = why or f"missing: {', '.join(missing)}"
    raise InvalidAnswer(why)


def objects_in(text: str) -> list[dict[str, Any]]:
    """Return the outermost JSON objects in `text`. Objects within thoughts count only if there are no others."""
    return _objects(THOUGHTS.sub("", text)) or _objects(text)


def _objects(text: str) -> list[dict[str, Any]]:
    decoder, found, at = json.JSONDecoder(strict=False), [], text.find("{")
    for _ in range(LOOKS):
        if at < 0:
            break
        try:
            value, end = decoder.raw_decode(text, at)
            found.append(value)
        except (ValueError, RecursionError):
            end = at + 1
        at = text.find("{", end)
    return found


ESCAPES = {"n": "\n", "t": "\t", "r": "", "b": "", "f": "", '"': '"', "\\": "\\", "/": "/"}


class PartialJsonText:
    """Extracts the text of the fields in `fields` from JSON that arrives in pieces.

    Texts of different fields are separated by an empty line. Lists of strings count as text of their field. Anything
    that is not JSON is skipped.
    """

    def __init__(self, fields: tuple[str, ...]) -> None:
        self.fields = fields
        self.stack: list[str] = []  # open "{" and "[", innermost last
        self.keys: list[str] = []  # the current key of each of them
        self.at_key = False
        self.string: list[str] | None = None  # the key being read
        self.inside = self.escaped = self.started = False
        self.code: str | None = None  # hexadecimal digits after \u
        self.high = ""  # high surrogate

    def feed(self, piece: str) -> str:
        """Return the new text in `piece`, the next part of the JSON."""
        return "".join(self._inside(char) if self.inside else self._outside(char) for char in piece)

    @property
    def _is_shown(self) -> bool:
        return bool(self.keys) and self.keys[-1] in self.fields

    def _outside(self, char: str) -> str:
        if char in "{[":
            if char == "{" or self.stack:
                self.keys.append("" if char == "{" else self.keys[-1])
                self.stack.append(char)
                self.at_key = char == "{"
        elif not self.stack:
            return ""
        elif char in "}]":
            self.stack.pop()
            self.keys.pop()
        elif char == ",":
            self.at_key = self.stack[-1] == "{"
        elif char == ":":
            self.at_key = False
        elif char == '"':
            return self._opened()
        return ""

    def _opened(self) -> str:
        self.inside, self.string = True, [] if self.at_key else None
        if self.at_key or not self._is_shown:
            return ""
        parted, self.started = self.started, True
        return "\n\n" if parted else ""

    def _inside(self, char: str) -> str:
        if self.code is not None:
            return self._unicode(char)
        if self.escaped:
            self.escaped = False
            if char == "u":
                self.code = ""
                return ""
            return self._said(ESCAPES.get(char, char))
        if char == "\\":
            self.escaped = True
            return ""
        if char == '"':
            self.inside = False
            if self.string is not None:
                self.keys[-1] = "".join(self.string)
            return ""
        return self._said(char)

    def _unicode(self, char: str) -> str:
        self.code = (self.code or "") + char
        if len(self.code) < 4:
            return ""
        digits, self.code = self.code, None
        try:
            number = int(digits, 16)
        except ValueError:
            return ""
        if 0xD800 <= number < 0xDC00:
            self.high = chr(number)
            return ""
        if 0xDC00 <= number < 0xE000:
            pair, self.high = self.high + chr(number), ""
            return self._said(pair.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
        return self._said(chr(number))

    def _said(self, text: str) -> str:
        if self.string is not None:
            self.string.append(text)
            return ""
        return text if self._is_shown else ""
