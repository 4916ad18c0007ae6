"""A small Messages API on this machine: real HTTP, with replies that a test prepares.

    with serving() as service:
        service.says(answer={"text": "..."})
        service.fails(429, retry_after=0.01)
        ...
        assert service.requests[0]["model"] == "claude-haiku-5-5"

Prepared replies are used up in order; after the last, `otherwise` answers, by default with an error 500.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.servers.listening import Server, listening

Request = dict[str, Any]
PIECE = 24  # characters in one event of a stream that is slow or is cut
LONG_PIECE = 200  # in one event of other streams: hundreds of events for each answer would slow down the tests


@dataclass
class Answer:
    """A reply with status 200."""

    content: list[dict[str, Any]]
    stop_reason: str | None = "end_turn"
    usage: dict[str, int] = field(default_factory=lambda: {"input_tokens": 100, "output_tokens": 10})
    category: str | None = None  # of a refusal
    cut_after: int | None = None  # events of the stream that are sent before the connection drops
    error: str = ""  # type of an error event in the middle of the stream
    seconds: float = 0.0  # to wait before each event
    before: Callable[[int], None] | None = None  # called before each event of a stream, with its number
    streams: bool = True  # False: one JSON body, whatever was asked for

    @property
    def is_watched(self) -> bool:
        return self.seconds > 0 or self.before is not None


@dataclass
class Failure:
    """A reply with an error."""

    status: int
    kind: str
    message: str
    headers: dict[str, str]


class Service:
    """The prepared replies of the server, and the requests it received."""

    def __init__(self) -> None:
        self.url = ""
        self.requests: list[Request] = []  # bodies, as sent
        self.headers: list[dict[str, str]] = []
        self.replies: list[Answer | Failure] = []
        self.otherwise: Callable[[Request], Answer | Failure] = lambda _: Failure(500, "api_error", "none left", {})
        self.at_once = self.most_at_once = 0
        self.dropped = 0  # streams that the client closed before their end
        self.told_at: list[float] = []  # the time at which each event of a slow stream was sent
        self._lock = threading.Lock()

    def says(
        self, text: str = "", *, answer: Any = None, calls: list[dict[str, Any]] | None = None, **how: Any
    ) -> None:
        """Prepare an answer: text, an object as JSON text, or tool calls [{"name", "input"}] after the text."""
        self.replies.append(model_answer(text, answer=answer, calls=calls, **how))

    def fails(
        self,
        status: int,
        kind: str = "api_error",
        message: str = "No.",
        *,
        retry_after: float | None = None,
        times: int = 1,
        **headers: str,
    ) -> None:
        """Prepare an error; header names are written with underscores."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if retry_after is not None:
            named["retry-after"] = str(retry_after)
        self.replies += [Failure(status, kind, message, named)] * times

    def reply_to(self, request: Request, headers: dict[str, str]) -> Answer | Failure:
        with self._lock:
            self.requests.append(request)
            self.headers.append(headers)
            if self.replies:
                return self.replies.pop(0)
        return self.otherwise(request)  # without the lock, since it may be slow

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self._lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            yield
        finally:
            with self._lock:
                self.at_once -= 1


def model_answer(
    text: str = "", *, answer: Any = None, calls: list[dict[str, Any]] | None = None, **how: Any
) -> Answer:
    """Return an answer with a text (or `answer` as JSON) and tool calls as its content blocks."""
    words = text if answer is None else json.dumps(answer)
    content: list[dict[str, Any]] = [{"type": "text", "text": words}] if words else []
    for number, call in enumerate(calls or [], 1):
        content.append({"type": "tool_use", "id": f"toolu_{number}", **call})
    if calls:
        how.setdefault("stop_reason", "tool_use")
    return Answer(content, **how)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # otherwise each reply waits 40 ms for the client to acknowledge its headers
    service: Service

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.service.counted():
            reply = self.service.reply_to(request, {name.lower(): value for name, value in self.headers.items()})
            if isinstance(reply, Failure):
                body = {"type": "error", "error": {"type": reply.kind, "message": reply.message}}
                self._send(reply.status, body, reply.headers)
            elif reply.streams and request.get("stream"):
                self._stream(request, reply)
            else:
                self._send(200, whole(request, reply), {"request-id": "req_1"})

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _send(self, status: int, body: Any, headers: dict[str, str]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", "content-length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, request: Request, reply: Answer) -> None:
        self.send_response(200)
        for name, value in (
            ("content-type", "text/event-stream"),
            ("transfer-encoding", "chunked"),
            ("request-id", "req_1"),
        ):
            self.send_header(name, value)
        self.end_headers()
        try:
            told = [_chunk(event) for event in events(request, reply)[: reply.cut_after]]
            if reply.cut_after is None:
                told.append(b"0\r\n\r\n")
            for number, data in enumerate(told if reply.is_watched else [b"".join(told)]):
                time.sleep(reply.seconds)
                if reply.before:
                    reply.before(number)
                self.wfile.write(data)
                if reply.seconds:
                    self.service.told_at.append(time.time())
        except (BrokenPipeError, ConnectionResetError):
            self.service.dropped += 1
        if reply.cut_after is not None:
            self.close_connection = True


def _chunk(event: dict[str, Any]) -> bytes:
    data = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
    return b"%x\r\n%s\r\n" % (len(data), data)


def whole(request: Request, reply: Answer) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": reply.content,
        "stop_reason": reply.stop_reason,
        "stop_sequence": None,
        "stop_details": {"type": "refusal", "category": reply.category} if reply.category else None,
        "usage": reply.usage,
    }


def events(request: Request, reply: Answer) -> list[dict[str, Any]]:
    """Return the events of a streamed reply, in the order and format of the real API."""
    started = {**whole(request, reply), "content": [], "stop_reason": None, "stop_details": None}
    started["usage"] = {**reply.usage, "output_tokens": 1}
    told: list[dict[str, Any]] = [{"type": "message_start", "message": started}, {"type": "ping"}]
    piece = PIECE if reply.is_watched or reply.cut_after is not None else LONG_PIECE
    for index, block in enumerate(reply.content):
        told.append({"type": "content_block_start", "index": index, "content_block": _empty_block(block)})
        told += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in _deltas(block, piece)]
        told.append({"type": "content_block_stop", "index": index})
    if reply.error:
        return [*told, {"type": "error", "error": {"type": reply.error, "message": "Trouble."}}]
    details = {"type": "refusal", "category": reply.category} if reply.category else None
    end = {"stop_reason": reply.stop_reason, "stop_sequence": None, "stop_details": details}
    told.append({"type": "message_delta", "delta": end, "usage": {"output_tokens": reply.usage["output_tokens"]}})
    return [*told, {"type": "message_stop"}]


def _empty_block(block: dict[str, Any]) -> dict[str, Any]:
    empty: dict[str, dict[str, Any]] = {
        "text": {"text": ""},
        "thinking": {"thinking": "", "signature": ""},
        "tool_use": {"input": {}},
    }
    return {**block, **empty[block["type"]]}


def _deltas(block: dict[str, Any], length: int) -> list[dict[str, Any]]:
    if block["type"] == "thinking":
        return [
            {"type": "thinking_delta", "thinking": block["thinking"]},
            {"type": "signature_delta", "signature": block["signature"]},
        ]
    if block["type"] == "text":
        return [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"], length)]
    # A string as input stands for arguments that are broken or incomplete JSON.
    arguments = block["input"] if isinstance(block["input"], str) else json.dumps(block["input"])
    return [{"type": "input_json_delta", "partial_json": piece} for piece in _pieces(arguments, length)]


def _pieces(text: str, length: int) -> list[str]:
    return [text[at : at + length] for at in range(0, len(text), length)]


@contextmanager
def serving() -> Iterator[Service]:
    """Run a service with its own state until the block ends."""
    service = Service()
    server = Server(("127.0.0.1", 0), type("BoundHandler", (Handler,), {"service": service}))
    service.url = f"http://127.0.0.1:{server.server_port}"
    with listening(server):
        yield service
