"""The model engine against a Messages API of our own, over real HTTP."""

from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from llm.claude import ClaudeEngine
from llm.claude.retry import RetryPolicy
from llm.prompt import Prompt
from llm.redaction_gate import Gate
from llm.roles import BriefAsked
from tests.servers.messages import Service, serving

KEY = "sk-ant-never-to-be-seen"
QUESTION = BriefAsked(question="Does alder raise soil nitrogen?")
PROMPT = Prompt(system=("You help with theses.", "Write a brief."), user="Does alder raise soil nitrogen?")
BRIEF = {
    "text": "I am looking for nitrogen under alder.",
    "scope_boundaries": ["temperate forests"],
    "source_preferences": [],
    "key_terms": ["alder", "nitrogen"],
}


@pytest.fixture
def service() -> Iterator[Service]:
    with serving() as running:
        yield running


@pytest.fixture
def engine(service: Service) -> ClaudeEngine:
    return ClaudeEngine(SecretStr(KEY), Gate(""), service.url, RetryPolicy(tries=3, seconds=10, first_wait=0.01))
