"""Tools that a model may call, and one turn of a conversation with them.

    history: list[Message] = []
    while calls_left:
        reply = await engine.converse("research", prompt, history, tools, purse=purse)
        history += [reply.message, results(reply, outcomes)]

All of it is JSON, so a turn can be kept in a journal and the conversation resumed from there.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from llm.result import CallUsage, Redacted

Message = dict[str, Any]  # as the service knows it: {"role", "content"}

NOT_RUN = "This call was not made."


@dataclass(frozen=True)
class Tool:
    """A tool: `arguments` says, in field descriptions too, what a call carries.

    Where what it is given `stays_here`, private details are put back into it; else it gets their placeholders.
    """

    name: str
    description: str
    arguments: type[BaseModel]
    stays_here: bool = False

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", self.name):
            raise ValueError(f"{self.name!r} cannot be the name of a tool.")


class ToolCall(BaseModel):
    """A call that the model asked for. With an `error` its arguments are wrong and it must not be made."""

    id: str
    name: str
    arguments: dict[str, Any] = {}
    error: str = ""


class Reply(BaseModel):
    """One turn of the model: text, calls, both or neither."""

    text: str = ""
    calls: list[ToolCall] = []
    message: Message  # goes back unchanged: the service checks what the model thought in it
    stop_reason: str
    usages: tuple[CallUsage, ...] = ()
    redacted: tuple[Redacted, ...] = ()  # each detail once; never for logs, events, exceptions or task arguments


def checked(
    tool_id: str,
    name: str,
    arguments: Any,
    tools: tuple[Tool, ...],
    restored: Callable[[Any], Any] = lambda as_is: as_is,
) -> ToolCall:
    """Return the call as the tools allow it; what is wrong with it is said in words that the model can act on.

    `restored` puts private details back into the arguments of a tool that stays on this machine.
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
    """Return the message that answers every call of `reply`: by its id in `outcomes`, by its error, or as not made.

    `outcomes` of tools that read the web or files hold untrusted text: fence it (llm.prompt.fenced).
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
    """Return what does not fit, place by place, without quoting what was there."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    said = [f"{'.'.join(str(step) for step in one['loc']) or 'the whole'}: {one['msg']}" for one in found[:12]]
    return "; ".join([*said, f"and {len(found) - 12} more"] if len(found) > 12 else said)
