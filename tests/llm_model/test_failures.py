"""What goes wrong with a model, and what is made of it (DESIGN 12)."""

import asyncio
import logging
import time
from decimal import Decimal

import pytest
from pydantic import SecretStr

from llm.claude import ClaudeEngine
from llm.claude.retry import RetryPolicy
from llm.errors import Failed, Refusal, Rejected, Truncated, Unreachable, Unusable
from llm.prompt import Prompt
from llm.redaction_gate import Gate
from llm.roles import Brief, SynthesizeAsked
from tests.llm_model.conftest import BRIEF, KEY, PROMPT, QUESTION
from tests.llm_model.memory_budget import MemoryPurse
from tests.servers.messages import Service

REPORT = SynthesizeAsked(question="q", brief="b", query_type="explanation", headings=[], findings=[])


@pytest.mark.parametrize(("status", "kind"), [(429, "rate_limit_error"), (529, "overloaded_error"), (500, "api_error")])
async def test_a_busy_service_is_asked_again(engine: ClaudeEngine, service: Service, status: int, kind: str) -> None:
    service.fails(status, kind, times=2)
    service.says(answer=BRIEF)
    answered = await engine.ask(QUESTION, prompt=PROMPT)
    assert answered.answer == Brief(**BRIEF)
    assert len(service.requests) == 3
    assert len(answered.usages) == 1


async def test_the_service_says_how_long_to_wait(engine: ClaudeEngine, service: Service) -> None:
    service.fails(429, retry_after=0.3)
    service.says(answer=BRIEF)
    began = time.monotonic()
    await engine.ask(QUESTION, prompt=PROMPT)
    assert time.monotonic() - began >= 0.3


async def test_a_wait_that_is_too_long_is_not_begun(engine: ClaudeEngine, service: Service) -> None:
    service.fails(429, retry_after=3600)
    with pytest.raises(Unreachable, match="wait 3600 seconds"):
        await engine.ask(QUESTION, prompt=PROMPT)


async def test_a_service_that_says_not_to_try_again_is_left_alone(engine: ClaudeEngine, service: Service) -> None:
    service.fails(429, "rate_limit_error", "Spend limit reached.", x_should_retry="false")
    with pytest.raises(Rejected, match="Spend limit"):
        await engine.ask(QUESTION, prompt=PROMPT)
    assert len(service.requests) == 1


async def test_in_the_end_it_is_unreachable(engine: ClaudeEngine, service: Service) -> None:
    service.fails(529, "overloaded_error", times=3)
    with pytest.raises(Unreachable, match=r"3 times.*529 overloaded_error"):
        await engine.ask(QUESTION, prompt=PROMPT)


async def test_nobody_listens() -> None:
    engine = ClaudeEngine(SecretStr(KEY), Gate(""), "http://127.0.0.1:9", RetryPolicy(tries=2, first_wait=0.01))
    with pytest.raises(Unreachable, match="connection failed"):
        await engine.ask(QUESTION, prompt=PROMPT)


async def test_time_is_bounded(service: Service) -> None:
    engine = ClaudeEngine(SecretStr(KEY), Gate(""), service.url, RetryPolicy(seconds=0.3))
    service.says(answer=BRIEF, seconds=0.2)
    with pytest.raises(Unreachable, match=r"within 0\.3 seconds"):
        await engine.ask(QUESTION, prompt=PROMPT)


async def test_a_stream_that_is_cut_is_begun_anew(engine: ClaudeEngine, service: Service) -> None:
    """What came of it is paid for, and void for who was watching."""
    answer = {"title": "Alder and nitrogen in the soils of Europe", "sections": []}
    service.says(answer=answer, cut_after=5)
    service.says(answer=answer)
    shown: dict[int, str] = {}

    async def on_text(text: str, attempt: int) -> None:
        shown[attempt] = shown.get(attempt, "") + text

    answered = await engine.ask(REPORT, prompt=PROMPT, on_text=on_text)
    assert answered.answer.title == answer["title"]
    assert shown[2] == answer["title"]
    assert shown[2].startswith(shown[1])
    assert [(usage.stop_reason, usage.is_estimate) for usage in answered.usages] == [("cut", True), ("end_turn", False)]
    assert answered.usages[0].input_tokens == 100


async def test_a_stream_that_ends_without_an_end_was_cut(engine: ClaudeEngine, service: Service) -> None:
    service.says(answer=BRIEF, stop_reason=None)
    service.says(answer=BRIEF)
    assert len((await engine.ask(QUESTION, prompt=PROMPT)).usages) == 2


async def test_an_error_within_a_stream(engine: ClaudeEngine, service: Service) -> None:
    service.says(answer=BRIEF, error="overloaded_error")
    service.says(answer=BRIEF)
    assert (await engine.ask(QUESTION, prompt=PROMPT)).answer == Brief(**BRIEF)
    service.says(answer=BRIEF, error="invalid_request_error")
    with pytest.raises(Rejected, match="invalid_request_error"):
        await engine.ask(QUESTION, prompt=PROMPT)


async def test_a_refusal_is_not_asked_again(engine: ClaudeEngine, service: Service) -> None:
    service.says(stop_reason="refusal", category="bio")
    with pytest.raises(Refusal, match="bio") as caught:
        await engine.ask(QUESTION, prompt=PROMPT)
    assert caught.value.category == "bio"
    assert [usage.stop_reason for usage in caught.value.usages] == ["refusal"]
    assert len(service.requests) == 1


async def test_an_unusable_answer_is_put_right_once(engine: ClaudeEngine, service: Service) -> None:
    service.says(answer={**BRIEF, "key_terms": "alder"})
    service.says(answer=BRIEF)
    answered = await engine.ask(QUESTION, prompt=PROMPT)
    assert answered.answer == Brief(**BRIEF)
    assert len(answered.usages) == 2
    complaint = service.requests[1]["messages"][0]["content"][-1]["text"]
    assert "key_terms: Input should be a valid list" in complaint
    assert '"key_terms": "alder"' in complaint
    assert '"additionalProperties": false' in complaint


async def test_half_an_answer_is_none(engine: ClaudeEngine, service: Service) -> None:
    """A field may have a default for people who build questions; a model that leaves it out has not answered."""
    service.says(answer={"text": "I am looking for nitrogen."})
    service.says(answer=BRIEF)
    await engine.ask(QUESTION, prompt=PROMPT)
    assert "missing: scope_boundaries" in service.requests[1]["messages"][0]["content"][-1]["text"]


async def test_twice_unusable_is_left_to_the_stand_in(engine: ClaudeEngine, service: Service) -> None:
    for _ in range(2):
        service.says(answer={"text": 7})
    with pytest.raises(Unusable, match="brief.*text: Input should be a valid string") as caught:
        await engine.ask(QUESTION, prompt=PROMPT)
    assert caught.value.role == "brief"
    assert len(caught.value.usages) == 2


async def test_too_long_an_answer_is_asked_for_more_briefly(engine: ClaudeEngine, service: Service) -> None:
    service.says('{"text": "I am', stop_reason="max_tokens")
    service.says(answer=BRIEF)
    assert (await engine.ask(QUESTION, prompt=PROMPT)).answer == Brief(**BRIEF)
    assert "be briefer" in service.requests[1]["messages"][0]["content"][-1]["text"]
    for _ in range(2):
        service.says('{"text": "I am', stop_reason="max_tokens")
    with pytest.raises(Truncated):
        await engine.ask(QUESTION, prompt=PROMPT)


def _share(share: float) -> Prompt:
    return Prompt(system=("s",), user=f"share {share:.3f}")


async def test_a_long_report_is_tried_with_less(engine: ClaudeEngine, service: Service) -> None:
    """Three times, each with a tenth less (reference: synthesis too long for the model)."""
    for _ in range(3):
        service.says('{"title": "Al', stop_reason="max_tokens")
    service.says(answer={"title": "Alder", "sections": []})
    answered = await engine.ask(REPORT, prompt=PROMPT, shorter=_share)
    assert answered.answer.title == "Alder"
    asked = [request["messages"][0]["content"][0]["text"] for request in service.requests]
    assert asked[1:] == ["share 0.900", "share 0.810", "share 0.729"]


@pytest.mark.parametrize("why", ["status 400", "status 413", "stop_reason"])
async def test_a_question_longer_than_the_model_reads(engine: ClaudeEngine, service: Service, why: str) -> None:
    for _ in range(5):
        if why == "stop_reason":
            service.says("{", stop_reason="model_context_window_exceeded")
        else:
            message = "prompt is too long: 1200000 tokens > 1000000 maximum"
            service.fails(int(why.split()[1]), "invalid_request_error", message)
    with pytest.raises(Truncated):
        await engine.ask(REPORT, prompt=PROMPT, shorter=_share)
    assert len(service.requests) == 4
    with pytest.raises(Truncated):
        await engine.ask(REPORT, prompt=PROMPT)
    assert len(service.requests) == 5


@pytest.mark.parametrize(
    ("status", "advice"), [(401, "ANTHROPIC_API_KEY"), (404, "LLM_MODEL_"), (403, "key"), (402, "credit")]
)
async def test_a_refused_request_says_what_to_do(
    engine: ClaudeEngine, service: Service, status: int, advice: str
) -> None:
    service.fails(status, "some_error")
    with pytest.raises(Rejected, match=advice):
        await engine.ask(QUESTION, prompt=PROMPT)
    assert len(service.requests) == 1


async def test_a_redirect_is_not_followed(engine: ClaudeEngine, service: Service) -> None:
    """An endpoint on this machine cannot send what it is asked to another one (SPEC R1, local-only)."""
    service.fails(307, "moved", location="http://127.0.0.1:9/v1/messages")
    with pytest.raises(Rejected, match="307|moved"):
        await engine.ask(QUESTION, prompt=PROMPT)


async def test_this_machine_is_reached_without_a_proxy(
    engine: ClaudeEngine, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    service.says(answer=BRIEF)
    assert (await engine.ask(QUESTION, prompt=PROMPT)).answer == Brief(**BRIEF)


async def test_keys_and_words_are_never_logged_or_told(
    engine: ClaudeEngine, service: Service, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_LOG", "debug")
    caplog.set_level(logging.DEBUG)
    told = []
    for status in (400, 400, 400, 401, 500, 500, 500):
        service.fails(status, "trouble", f"Your key {KEY} is odd.")
    for _ in range(3):
        with pytest.raises(Failed) as caught:
            await engine.ask(QUESTION, prompt=Prompt(system=("Secret rules.",), user="Secret words."))
        told.append(str(caught.value) + repr(caught.value))
    assert len(set(told)) == 3
    for text in (caplog.text, *told):
        assert KEY not in text
        assert "Secret" not in text


async def test_a_cancelled_question_leaves_nothing_open(engine: ClaudeEngine, service: Service) -> None:
    """What the service had begun is paid for, from what was seen of it."""
    service.says("word " * 200, seconds=0.02)
    purse = MemoryPurse(usd=Decimal(10))
    seen = asyncio.Event()

    async def on_text(text: str, attempt: int) -> None:
        seen.set()

    task = asyncio.create_task(engine.converse("draft", PROMPT, purse=purse, on_text=on_text))
    await seen.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not purse.open
    assert purse.spent_calls == 1
    assert purse.spent_usd > 0
    for _ in range(100):
        if service.dropped:
            break
        await asyncio.sleep(0.02)
    assert service.dropped == 1
