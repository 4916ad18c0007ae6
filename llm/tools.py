"""Tools that a model may call, and one turn of a conversation with them.

    history: list[Message] = []
    while calls_left:
        reply = await engine.converse("research", prompt, history, tools, purse=purse)
        history += [reply.message, results(reply, outcomes)]

Everything is JSON, so a turn can be stored in a journal and the conversation resumed from there.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from llm.result import CallUsage, Redacted

Message = dict[str, Any]  # in the format of the service: {"role", "content"}

NOT_RUN = "This call was not made."


@dataclass(frozen=True)
class Tool:
    """A tool. The fields of `arguments` and their descriptions tell the model what a call contains.

    If the arguments stay on this machine (`stays_here`), private details are restored in them; otherwise the tool gets
    placeholders.
    """

    name: str
    description: str
    arguments: type[BaseModel]
    stays_here: bool = False

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", self.name):
            raise ValueError(f"{self.name!r} is not a valid tool name.")


class ToolCall(BaseModel):
    """A tool call requested by the model. If `error` is set, the arguments are invalid and it must not be executed."""

    id: str
    name: str
    arguments: dict[str, Any] = {}
    error: str = ""


class Reply(BaseModel):
    """A turn of the model: text, tool calls, both or neither."""

    text: str = ""
    calls: list[ToolCall] = []
    message: Message  # send it back unchanged, since the service verifies its thinking blocks
    stop_reason: str
    usages: tuple[CallUsage, ...] = ()
    redacted: tuple[Redacted, ...] = ()  # each detail once; never for logs, events, exceptions or task arguments


def validate_call(
    tool_id: str,
    name: str,
    arguments: Any,
    tools: tuple[Tool, ...],
    restored: Callable[[Any], Any] = lambda as_is: as_is,
) -> ToolCall:
    """Return a validated tool call, or one with an error message that the model can act on.

    `restored` restores private details in the arguments of a tool that stays on this machine.
    """
    tool = next((tool for tool in tools if tool.name == name), None)
    if tool is None:
        return ToolCall(
            id=tool_id,
            name=name,
            error=f"There is no tool {name}; use {', '.join(tool.name for tool in tools) or 'none'}.",
        )
    if not isinstance(arguments, dict):
        return ToolCall(id=tool_id, name=name, error="The arguments are not one complete JSON object.")
    if tool.stays_here:
        arguments = restored(arguments)
    try:
        right = tool.arguments.model_validate(arguments)
    except ValidationError as error:
        return ToolCall(id=tool_id, name=name, arguments=arguments, error=faults(error))
    return ToolCall(id=tool_id, name=name, arguments=right.model_dump(mode="json"))


def results(reply: Reply, outcomes: dict[str, str]) -> Message:
    """Return the message with a result for every call of `reply`: its outcome by id, its error, or NOT_RUN.

    Outcomes of tools that read the web or files contain untrusted text: fence it (llm.prompt.fenced).
    """
    return {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": call.id,
                "content": call.error or outcomes.get(call.id) or NOT_RUN,
                "is_error": bool(call.error) or call.id not in outcomes,
            }
            for call in reply.calls
        ],
    }


def faults(error: ValidationError) -> str:
    """Return the validation errors by location, without quoting the input."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    said = [f"{'.'.join(str(step) for step in one['loc']) or 'the whole'}: {one['msg']}" for one in found[:12]]
    return "; ".join([*said, f"and {len(found) - 12} more"] if len(found) > 12 else said)
