"""The JSON schema of an answer, in the subset that structured output understands.

Every object is closed and all its properties are required; references are written out; limits that the service
does not check (lengths, ranges, patterns) move into descriptions, where the model can read them. pydantic checks
them afterwards.
"""

from functools import lru_cache
from typing import Any

from pydantic import BaseModel

Schema = dict[str, Any]

KEPT = ("type", "enum", "const", "description")
LEFT_OUT = {"title", "default", "properties", "required", "additionalProperties", "items", "anyOf", "oneOf", "allOf"}


@lru_cache
def schema_of(answer: type[BaseModel]) -> Schema:
    """The schema that `answer` is asked for with; treat it as read-only.

    Raises TypeError where the service could not follow: recursion, and objects with keys of any name.
    """
    whole = answer.model_json_schema()
    return _plain(whole, whole.get("$defs", {}), ())


def _plain(part: Schema, definitions: dict[str, Schema], path: tuple[str, ...]) -> Schema:
    if "$ref" in part:
        return _referred(part, definitions, path)
    options = part.get("anyOf") or part.get("oneOf") or part.get("allOf")
    if options and len(options) == 1:
        rest = {key: value for key, value in part.items() if key not in ("anyOf", "oneOf", "allOf")}
        return _plain({**options[0], **rest}, definitions, path)
    plain = {key: part[key] for key in KEPT if key in part}
    if options:
        plain["anyOf"] = [_plain(option, definitions, path) for option in options]
    if part.get("type") == "object":
        plain |= _closed(part, definitions, path)
    if part.get("type") == "array":
        plain["items"] = _plain(part.get("items", {}), definitions, path)
    limits = {key: value for key, value in part.items() if key not in LEFT_OUT and key not in KEPT and key[0] != "$"}
    if limits:
        said = ", ".join(f"{key}: {value}" for key, value in sorted(limits.items()))
        plain["description"] = f"{plain.get('description', '')} ({said})".strip()
    if not plain.keys() & {"type", "enum", "const", "anyOf"}:
        raise TypeError(f"Structured output needs a type at {'.'.join(path) or 'the top'}.")
    return plain


def _referred(part: Schema, definitions: dict[str, Schema], path: tuple[str, ...]) -> Schema:
    name = part["$ref"].rsplit("/", 1)[-1]
    if name in path:
        raise TypeError(f"Structured output cannot be recursive: {name} holds itself.")
    beside = {key: value for key, value in part.items() if key != "$ref"}
    return _plain({**definitions[name], **beside}, definitions, (*path, name))


def _closed(part: Schema, definitions: dict[str, Schema], path: tuple[str, ...]) -> Schema:
    if part.get("additionalProperties"):
        raise TypeError(f"Structured output needs named properties at {'.'.join(path) or 'the top'}.")
    properties = {name: _plain(inner, definitions, path) for name, inner in part.get("properties", {}).items()}
    return {"properties": properties, "required": list(properties), "additionalProperties": False}
