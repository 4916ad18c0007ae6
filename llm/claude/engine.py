"""The model engine, for any endpoint with the Anthropic Messages API (SPEC P7)."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, SecretStr

from llm.budget import CallBudget
from llm.claude.client import DEFAULT_URL, connected, host_of, is_loopback
from llm.claude.parse_answer import InvalidAnswer, NoObject, PartialJsonText, first_valid_answer, objects_in
from llm.claude.request import WAYS, Way, schema_of, spoken, structured
from llm.claude.response import StreamedResponse
from llm.claude.retry import BadRequest, ModelSession, RetryPolicy, TooLong
from llm.errors import Failed, Refusal, Truncated, Unusable
from llm.prompt import Prompt, Shorter, fenced
from llm.redaction_gate import Gate
from llm.result import EngineResult, OnText
from llm.roles import RoleRequest
from llm.routing import ROUTES, model_for
from llm.tools import Message, Reply, Tool, validate_call

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

A = TypeVar("A", bound=BaseModel)

SHORTENINGS = 3  # retries of a prompt that is too long, each with 10 % less material
LABEL_LENGTH = 80
SHOWN_BACK = 8_000  # characters of an unusable answer that are sent back to the model

# How an endpoint can be asked for structured answers, by address, model and role; kept for the life of the process.
# By role too, because an endpoint may refuse only one schema.
_ways: dict[tuple[str, str, str], Way] = {}


@dataclass
class ClaudeEngine:
    """An engine that asks a model. Use `async with` to keep connections open between calls, in one event loop.

    Every request passes `gate`, which replaces private details (docs/decisions/redaction.md). They are restored in
    answers, and in tool arguments only if the tool stays on this machine (llm.tools.Tool).
    """

    name: ClassVar[str] = "messages-1"

    key: SecretStr
    gate: Gate
    url: str = DEFAULT_URL
    patience: RetryPolicy = RetryPolicy()
    _client: "AsyncAnthropic | None" = field(default=None, init=False, repr=False)
    _open: AsyncExitStack = field(default_factory=AsyncExitStack, init=False, repr=False)

    @property
    def label(self) -> str:
        """The name shown to users: the models, and the host if it is not the default."""
        models = list(dict.fromkeys(map(model_for, ROUTES)))
        family = "Claude" if all("claude" in model for model in models) else "Model"
        where = "" if self.url.rstrip("/") == DEFAULT_URL else f" at {host_of(self.url)}"
        label = f"{family} ({', '.join(models)}){where}"
        if len(label) > LABEL_LENGTH:
            label = f"{family} ({models[0]} and {len(models) - 1} more){where}"
        return label[:LABEL_LENGTH]

    @property
    def is_remote(self) -> bool:
        """Whether requests leave this machine."""
        return not is_loopback(self.url)

    async def __aenter__(self) -> Self:
        self._client = await self._open.enter_async_context(connected(self.url, self.key))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._client = None
        await self._open.aclose()

    async def ask(
        self,
        asked: RoleRequest[A],
        *,
        prompt: Prompt | None = None,
        purse: CallBudget | None = None,
        on_text: OnText | None = None,
        shorter: Shorter | None = None,
        max_tokens: int | None = None,
    ) -> EngineResult[A]:
        """Ask the model in the role of `asked` with `prompt`, and return its parsed answer.

        `on_text` is called with the readable fields of the answer as they arrive. `shorter(share)` builds the prompt
        from a share of its material; with it, a prompt or answer that is too long is retried with 90 %, 81 % and 73 %.
        `max_tokens` overrides the limit of the role.

        Raises Unusable (Truncated, Refusal), Unreachable, Rejected or BudgetSpent; all carry the usage.
        """
        if prompt is None:
            raise TypeError(f"A model needs a prompt in the role {asked.role}.")
        answer: type[A] = asked.answer  # type: ignore[assignment]
        async with self._line(asked.role, purse, on_text, max_tokens) as line:
            return EngineResult(
                await self._within_length(line, answer, prompt, shorter), tuple(line.usages), line.redaction.redacted
            )

    async def converse(
        self,
        role: str,
        prompt: Prompt,
        history: Sequence[Message] = (),
        tools: Sequence[Tool] = (),
        *,
        purse: CallBudget | None = None,
        on_text: OnText | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """Return the model's next turn of a conversation: text, one or more tool calls, or both (llm.tools).

        `history` are the messages after `prompt`. Without tools the answer is plain text, for drafts. A `stop_reason`
        of max_tokens means that the text is incomplete. Raises the same errors as `ask`.
        """
        offered = tuple(tools)
        async with self._line(role, purse, on_text, max_tokens) as line:
            try:
                heard = await line.call(spoken(prompt, history, offered))
                _check_willing(heard, role)
            except TooLong as error:
                raise Truncated(role, str(error)) from None
            return Reply(
                text=line.redaction.answered(heard.text),
                calls=[validate_call(*call, offered, line.redaction.answered) for call in heard.calls],
                message=heard.message(),
                stop_reason=heard.stop_reason,
                usages=tuple(line.usages),
                redacted=line.redaction.redacted,
            )

    @asynccontextmanager
    async def _line(
        self, role: str, purse: CallBudget | None, on_text: OnText | None, max_tokens: int | None
    ) -> AsyncIterator[ModelSession]:
        """Yield a Line for one request; a failure carries the usage until then."""
        limit = max_tokens or ROUTES[role].max_tokens
        async with AsyncExitStack() as stack:
            client = self._client
            if client is None:
                client = await stack.enter_async_context(connected(self.url, self.key))
            line = ModelSession(
                client, await self.gate.open(), role, model_for(role), limit, self.patience, purse, on_text
            )
            try:
                yield line
            except Failed as failed:
                failed.usages = tuple(line.usages)
                raise

    async def _within_length(self, line: ModelSession, answer: type[A], prompt: Prompt, shorter: Shorter | None) -> A:
        share = 1.0
        for left in range(SHORTENINGS if shorter else 0, -1, -1):
            try:
                return await self._repaired(line, answer, prompt, can_shorten=left > 0)
            except TooLong as error:
                if shorter is None or not left:
                    raise Truncated(line.role, str(error)) from None
            share *= 0.9
            prompt = shorter(share)
        raise AssertionError("the last try ends in an answer or an error")

    async def _repaired(self, line: ModelSession, answer: type[A], prompt: Prompt, *, can_shorten: bool) -> A:
        """Return the answer; if the first one is unusable, ask once more with the error (DESIGN 12)."""
        heard = await self._heard(line, answer, prompt)
        try:
            return _read(heard, line, answer)
        except InvalidAnswer as misfit:
            if heard.stop_reason == "max_tokens" and can_shorten:
                raise TooLong("The answer was cut off at its greatest length.") from None
            if isinstance(misfit, NoObject) and heard.stop_reason == "end_turn":
                # It accepted the request but ignored the schema: describe the schema in words from now on.
                _ways[self._place(line)] = "words"
            complaint = _complaint(heard, answer, misfit)
        heard = await self._heard(line, answer, prompt, complaint)
        try:
            return _read(heard, line, answer)
        except InvalidAnswer as misfit:
            kind = Truncated if heard.stop_reason == "max_tokens" else Unusable
            raise kind(line.role, str(misfit)) from None

    async def _heard(
        self, line: ModelSession, answer: type[A], prompt: Prompt, complaint: str = ""
    ) -> StreamedResponse:
        """Return the model's answer, using the most reliable structured output that the endpoint supports."""
        shown = ROUTES[line.role].shown
        refused: BadRequest | None = None
        for way in WAYS[WAYS.index(_ways.get(self._place(line), "schema")) :]:
            try:
                heard = await line.call(structured(prompt, answer, way, complaint), lambda: PartialJsonText(shown).feed)
            except BadRequest as error:
                refused = refused or error
                continue
            if refused:
                _ways[self._place(line)] = way
            return heard
        assert refused is not None  # every way was tried and refused
        raise refused

    def _place(self, line: ModelSession) -> tuple[str, str, str]:
        return self.url, line.model, line.role


def _check_willing(heard: StreamedResponse, role: str) -> None:
    if heard.stop_reason == "refusal":
        raise Refusal(role, heard.category)
    if heard.stop_reason == "model_context_window_exceeded":
        raise TooLong("Prompt and answer together exceed the model's context window.")


def _read(heard: StreamedResponse, line: ModelSession, answer: type[A]) -> A:
    _check_willing(heard, line.role)
    called: list[Any] = [arguments for _, _, arguments in heard.calls if isinstance(arguments, dict)]
    return first_valid_answer(line.redaction.answered(called + objects_in(heard.text)), answer)


def _complaint(heard: StreamedResponse, answer: type[BaseModel], misfit: InvalidAnswer) -> str:
    said = heard.text or json.dumps([arguments for _, _, arguments in heard.calls], ensure_ascii=False)
    brief = " It was cut off at the length limit: be briefer." if heard.stop_reason == "max_tokens" else ""
    return (
        f"You have answered this before, and the answer could not be used: {misfit}.{brief}\n"
        f"{fenced('the earlier answer', said[:SHOWN_BACK])}\n"
        f"Give the whole answer again, put right, as one JSON object that fits this schema:\n"
        f"{json.dumps(schema_of(answer))}"
    )
