"""The response of a model, assembled from the events of its stream."""

import json
from dataclasses import dataclass, field
from typing import Any

from llm.budget import tokens_in
from llm.prices import price_of
from llm.result import CallUsage

Event = dict[str, Any]


@dataclass
class StreamedResponse:
    """A response. `content` holds the blocks in the form that goes back to the service in a conversation."""

    content: list[dict[str, Any]] = field(default_factory=list)
    stop_reason: str = ""  # empty: not finished, or cut off
    category: str = ""  # of a refusal
    request_id: str = ""
    model: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    arguments: dict[int, str] = field(default_factory=dict)  # JSON of tool calls, by block

    @property
    def began(self) -> bool:
        """Whether the service has started to answer, so that the request is charged."""
        return bool(self.model)

    @property
    def text(self) -> str:
        """The text of all text blocks."""
        return "".join(block.get("text", "") for block in self.content if block["type"] == "text")

    @property
    def calls(self) -> list[tuple[str, str, Any]]:
        """The tool calls as (id, name, arguments); arguments are None if they are not complete JSON."""
        return [
            (block["id"], block["name"], self._arguments(index, block))
            for index, block in enumerate(self.content)
            if block["type"] == "tool_use"
        ]

    def message(self) -> dict[str, Any]:
        """Return the response as a message for the conversation. Incomplete tool arguments become an empty object."""
        for index, block in enumerate(self.content):
            if block["type"] == "tool_use":
                arguments = self._arguments(index, block)
                block["input"] = arguments if isinstance(arguments, dict) else {}
        kept = [block for block in self.content if block["type"] != "text" or block["text"].strip()]
        # The service refuses a message without content.
        return {"role": "assistant", "content": kept or [{"type": "text", "text": "(nothing)"}]}

    def take(self, event: Event) -> str:
        """Add an event of the stream and return its text, or its JSON of a tool call."""
        kind = event.get("type")
        if kind == "message_start":
            self.set_message(event["message"])
        elif kind == "content_block_start":
            self.content.append(_given(event["content_block"]))
        elif kind == "content_block_delta" and self.content:
            return self._add(event["delta"])
        elif kind == "message_delta":
            self._end(event.get("delta") or {}, event.get("usage") or {})
        return ""

    def set_message(self, message: dict[str, Any]) -> None:
        """Set the message from the start of a stream, or the whole message of an endpoint that does not stream."""
        self.model = message.get("model") or "unknown"
        self.content = [_given(block) for block in message.get("content") or []]
        self._end(message, message.get("usage") or {})

    def usage(self, role: str, model: str) -> CallUsage:
        """Return the usage of this call. For a stream that was cut off, the output tokens are estimated."""
        output = self.counts.get("output_tokens", 0)
        if not self.stop_reason:
            output = max(output, tokens_in(self.text + "".join(self.arguments.values())))
        parts = {
            "input_tokens": self.counts.get("input_tokens", 0),
            "output_tokens": output,
            "cache_read_tokens": self.counts.get("cache_read_input_tokens", 0),
            "cache_write_tokens": self.counts.get("cache_creation_input_tokens", 0),
        }
        price, is_known = price_of(model)
        return CallUsage(
            role=role,
            model=model,
            cost_usd=price.of(*parts.values()),
            is_estimate=not (is_known and self.stop_reason),
            stop_reason=(self.stop_reason or "cut")[:40],
            request_id=self.request_id[:120],
            **parts,
        )

    def _arguments(self, index: int, block: dict[str, Any]) -> Any:
        if index not in self.arguments:
            return block.get("input")
        try:
            return json.loads(self.arguments[index] or "{}")
        except ValueError:
            return None

    def _add(self, delta: Event) -> str:
        block, index = self.content[-1], len(self.content) - 1
        kind = delta.get("type")
        if kind == "text_delta":
            block["text"] = block.get("text", "") + delta["text"]
            return str(delta["text"])
        if kind == "input_json_delta":
            self.arguments[index] = self.arguments.get(index, "") + delta["partial_json"]
            return str(delta["partial_json"])
        if kind == "thinking_delta":
            block["thinking"] = block.get("thinking", "") + delta["thinking"]
        elif kind == "signature_delta":
            block["signature"] = delta["signature"]
        return ""

    def _end(self, delta: Event, usage: Event) -> None:
        self.stop_reason = delta.get("stop_reason") or self.stop_reason
        self.category = (delta.get("stop_details") or {}).get("category") or self.category
        self.counts |= {name: count for name, count in usage.items() if isinstance(count, int)}


def _given(block: dict[str, Any]) -> dict[str, Any]:
    """Return a block without null fields, which the service refuses when they are sent back."""
    return {name: value for name, value in block.items() if value is not None}
