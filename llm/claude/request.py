"""Building the parameters of a Messages API request from a prompt and the JSON schema of the expected answer.

The schema uses only the subset that structured output supports. Every object is closed and all its properties are
required; references are inlined; limits that the service does not check (lengths, ranges, patterns) move into
descriptions, where the model can read them, and pydantic checks them afterwards.

Docstrings of answer types become descriptions in the schema, so they are part of the prompt.
"""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel

from llm.prompt import LONG, MARKS, Prompt
from llm.tools import Message, Tool

Block = dict[str, Any]
Parameters = dict[str, Any]
Schema = dict[str, Any]

# Ways to request a structured answer, most reliable first. Endpoints differ: some do not support schemas, and current
# models do not allow forced tool calls.
Way = Literal["schema", "tool", "words"]
WAYS: tuple[Way, ...] = ("schema", "tool", "words")
ANSWER = "answer"  # name of the forced tool

KEPT = ("type", "enum", "const", "description")
LEFT_OUT = {"title", "default", "properties", "required", "additionalProperties", "items", "anyOf", "oneOf", "allOf"}


def structured(prompt: Prompt, answer: type[BaseModel], way: Way, complaint: str = "") -> Parameters:
    """Return the request for an answer of type `answer`; `complaint` says what was wrong with the previous answer."""
    parameters = _messages(prompt, [], [complaint] if complaint else [])
    schema = schema_of(answer)
    if way == "schema":
        parameters["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    elif way == "tool":
        parameters["tools"] = [{"name": ANSWER, "description": "Give the answer.", "input_schema": schema}]
        parameters["tool_choice"] = {"type": "tool", "name": ANSWER}
    else:
        wanted = f"Answer with one JSON object that fits this schema, and nothing else:\n{json.dumps(schema)}"
        parameters["messages"][0]["content"].append(_text(wanted))
    return parameters


def spoken(prompt: Prompt, history: Sequence[Message], tools: tuple[Tool, ...]) -> Parameters:
    """Return the request for the next turn of a conversation that began with `prompt`."""
    parameters = _messages(prompt, history, [])
    if tools:
        parameters["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": schema_of_arguments(tool.arguments)}
            for tool in tools
        ]
    return parameters


@lru_cache
def schema_of_arguments(arguments: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of tool arguments, which may be optional as pydantic says. Treat it as read-only."""
    return {**arguments.model_json_schema(), "additionalProperties": False}


def sent(parameters: Parameters) -> str:
    """Return everything in a request that counts as input, for estimates."""
    return json.dumps(parameters, ensure_ascii=False)


def _messages(prompt: Prompt, history: Sequence[Message], after: list[str]) -> Parameters:
    system = [_text(text) for text in prompt.system if text.strip()]
    context = [_text(text) for text in prompt.context if text.strip()]
    first = [*context, _text(prompt.user), *(_text(text) for text in after)]
    messages: list[Message] = [{"role": "user", "content": first}, *({**message} for message in history)]
    _mark(
        system, [block for block in context if len(block["text"]) >= LONG], _last_block(messages) if history else None
    )
    return {"messages": messages, **({"system": system} if system else {})}


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _last_block(messages: list[Message]) -> Block | None:
    """Return the last content block if it can carry a cache mark, copied so that the caller's history is unchanged."""
    content = messages[-1]["content"]
    if not isinstance(content, list) or not content or content[-1].get("type") not in ("text", "tool_result"):
        return None
    last = {**content[-1]}
    messages[-1]["content"] = [*content[:-1], last]
    return last


def _mark(system: list[Block], context: list[Block], last: Block | None) -> None:
    """Set prompt cache marks where they save most: rules, conversation so far, shared context, then general rules."""
    wanted = [*system[-1:], *([last] if last else []), *reversed(context), *system[:-1]]
    for block in wanted[:MARKS]:
        block["cache_control"] = {"type": "ephemeral"}


@lru_cache
def schema_of(answer: type[BaseModel]) -> Schema:
    """Return the JSON schema of `answer` for structured output. Treat it as read-only.

    Raises TypeError for what the service does not support: recursion, and objects with arbitrary keys.
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
    return _plain(
        definitions[name] | {key: value for key, value in part.items() if key != "$ref"}, definitions, (*path, name)
    )


def _closed(part: Schema, definitions: dict[str, Schema], path: tuple[str, ...]) -> Schema:
    if part.get("additionalProperties"):
        raise TypeError(f"Structured output needs named properties at {'.'.join(path) or 'the top'}.")
    properties = {name: _plain(inner, definitions, path) for name, inner in part.get("properties", {}).items()}
    return {"properties": properties, "required": list(properties), "additionalProperties": False}
