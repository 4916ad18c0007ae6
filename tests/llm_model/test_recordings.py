"""The model engine over real answers of the Messages API, recorded; skipped where there are none."""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, SecretStr

from llm.claude import ClaudeEngine
from llm.claude.retry import RetryPolicy
from llm.errors import Failed, Refusal, Rejected, Unreachable
from llm.redaction_gate import Gate
from llm.tools import Reply, Tool
from tests.llm_model.conftest import KEY, PROMPT

FOLDER = Path(os.environ.get("RECORDINGS_DIR") or "missing")
FILES = sorted([*FOLDER.glob("*/anthropic/*.json"), *FOLDER.glob("anthropic/*.json")])

pytestmark = [
    pytest.mark.recordings,
    pytest.mark.skipif(not FILES, reason="RECORDINGS_DIR names no recordings of the Messages API"),
]


class Anything(BaseModel):
    model_config = ConfigDict(extra="allow")


class Replay(BaseHTTPRequestHandler):
    response: dict[str, Any]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        body = self.response["body"].encode()
        self.send_response(self.response["status"])
        kept = {name: value for name, value in self.response["headers"].items() if name.lower() != "content-length"}
        for name, value in {**kept, "content-length": str(len(body))}.items():
            if name.lower() not in ("transfer-encoding", "content-encoding", "connection"):
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


async def heard_from(recording: dict[str, Any]) -> Reply | Failed:
    handler = type("BoundReplay", (Replay,), {"response": recording["response"]})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}"
    sent = json.loads(recording["request"].get("body") or "{}")
    tools = [Tool(tool["name"], "", Anything) for tool in sent.get("tools", []) if "input_schema" in tool]
    try:
        engine = ClaudeEngine(SecretStr(KEY), Gate(""), url, RetryPolicy(tries=1))
        return await engine.converse("research", PROMPT, tools=tools)
    except Failed as failed:
        return failed
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _recorded_events(response: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of a recorded stream, or the one message."""
    if "event-stream" not in response["headers"].get("content-type", ""):
        return [json.loads(response["body"])]
    lines = response["body"].splitlines()
    return [json.loads(line[5:]) for line in lines if line.startswith("data:") and line[5:].strip() != "[DONE]"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
async def test_a_recorded_answer_is_understood(path: Path) -> None:
    recording = json.loads(path.read_text(encoding="utf-8"))
    if "count" in path.stem:
        pytest.skip("another endpoint")
    response, outcome = recording["response"], await heard_from(recording)
    said = _recorded_events(response)
    stops = [(one.get("delta") or one).get("stop_reason") for one in said]
    stop = next((reason for reason in reversed(stops) if reason), None)
    if response["status"] in (429, 529) or any(one["type"] == "error" for one in said if response["status"] == 200):
        assert isinstance(outcome, Unreachable)
    elif response["status"] >= 400:
        assert isinstance(outcome, Rejected)
    elif stop == "refusal":
        assert isinstance(outcome, Refusal)
        assert len(outcome.usages) == 1
    else:
        assert isinstance(outcome, Reply)
        _check(outcome, said, stop)


def _check(reply: Reply, said: list[dict[str, Any]], stop: str | None) -> None:
    assert reply.stop_reason == stop
    deltas = [one["delta"] for one in said if one["type"] == "content_block_delta"]
    blocks = said[0]["content"] if said[0]["type"] == "message" else []
    text = [one["text"] for one in [*blocks, *deltas] if one["type"] in ("text", "text_delta")]
    started = [one["content_block"] for one in said if one["type"] == "content_block_start"]
    assert reply.text == "".join(text)
    called = [block["name"] for block in [*blocks, *started] if block["type"] == "tool_use"]
    assert [call.name for call in reply.calls] == called
    if stop == "tool_use":
        assert not any(call.error for call in reply.calls)
    usage = [one["usage"] for one in said if "usage" in one][-1:]
    assert reply.usages[0].output_tokens == usage[0]["output_tokens"]
    json.dumps(reply.message)
