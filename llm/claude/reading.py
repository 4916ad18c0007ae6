"""From what a model wrote to an answer, however it was wrapped: in prose, in a code fence, after thoughts."""

import json
import re
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from llm.tools import faults

A = TypeVar("A", bound=BaseModel)

LOOKS = 100  # opening braces tried before giving up
THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>|\A.*</think(?:ing)?>", re.DOTALL)


class Misfit(Exception):
    """What was written is no such answer; the message says why without quoting it."""


class NoObject(Misfit):
    """There is not even the beginning of one."""

    def __init__(self) -> None:
        super().__init__("it holds no complete JSON object")


def fitting(candidates: list[Any], answer: type[A]) -> A:
    """The first of `candidates` that is such an answer. Raises Misfit, with the faults of the largest.

    All fields must be there although many have defaults: half an answer, or something else altogether, would
    otherwise pass for one that found nothing.
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
    raise Misfit(why)


def objects_in(text: str) -> list[dict[str, Any]]:
    """The JSON objects that stand in `text`, outermost only. Thoughts count when there is nothing else."""
    spoken = THOUGHTS.sub("", text)
    return _objects(spoken) or _objects(text)


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
