"""Which engine an installation uses (SPEC P7, R1)."""

import subprocess
import sys
from typing import Any

import pytest
from pytest_django import Settings

from llm.claude import ClaudeEngine
from llm.claude.client import is_loopback
from llm.engine import ConversingEngine, EngineUnavailable, Offline, choose_engine, load
from llm.roles import BriefAsked
from projects.models import Project

KEY = "sk-ant-never-to-be-seen"


@pytest.mark.parametrize(
    ("wanted", "key", "expected"),
    [
        ("auto", "", Offline),
        ("auto", KEY, ClaudeEngine),
        ("anthropic", KEY, ClaudeEngine),
        ("offline", KEY, Offline),
    ],
)
def test_the_engine_follows_the_settings(settings: Any, wanted: str, key: str, expected: type) -> None:
    settings.LLM_ENGINE, settings.ANTHROPIC_API_KEY = wanted, key
    assert type(choose_engine(Project())) is expected


@pytest.mark.parametrize(
    ("wanted", "key", "url", "message"),
    [
        ("anthropic", "", "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
        ("gpt", KEY, "https://api.anthropic.com", "auto, anthropic or offline"),
        ("anthropic", KEY, "api.anthropic.com", "ANTHROPIC_BASE_URL"),
        ("anthropic", KEY, "http://[::1", "ANTHROPIC_BASE_URL"),
    ],
)
def test_an_engine_that_cannot_be_used_says_what_is_missing(
    settings: Any, wanted: str, key: str, url: str, message: str
) -> None:
    settings.LLM_ENGINE, settings.ANTHROPIC_API_KEY, settings.ANTHROPIC_BASE_URL = wanted, key, url
    with pytest.raises(EngineUnavailable, match=message) as caught:
        choose_engine(Project())
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "stays"),
    [
        ("http://localhost:11434", True),
        ("http://127.0.0.1:8080/", True),
        ("http://[::1]:8080", True),
        ("https://api.anthropic.com", False),
        ("http://localhost.example.org", False),
        ("http://localhost@example.org", False),
        ("http://127.0.0.1.example.org", False),
        ("http://10.0.0.1", False),
        ("http://0.0.0.0:8080", False),
        ("http://2130706433", False),
        ("", False),
    ],
)
def test_local_only_means_this_machine(settings: Any, url: str, stays: bool) -> None:
    settings.LLM_ENGINE, settings.ANTHROPIC_API_KEY, settings.ANTHROPIC_BASE_URL = "anthropic", KEY, url
    assert is_loopback(url) is stays
    engine = choose_engine(Project(), local_only=True)
    assert isinstance(engine, ClaudeEngine) is stays
    assert not engine.is_remote


def test_the_label_names_the_models_and_another_address(settings: Any) -> None:
    settings.LLM_ENGINE, settings.ANTHROPIC_API_KEY = "anthropic", KEY
    settings.LLM_MODELS = dict.fromkeys(settings.LLM_MODELS, "claude-opus-5-5")
    assert choose_engine(Project()).label == "Claude (claude-opus-5-5)"
    assert choose_engine(Project()).is_remote
    settings.ANTHROPIC_BASE_URL = f"https://someone:{KEY}@llm.example.org:8443/anthropic"
    assert choose_engine(Project()).label == "Claude (claude-opus-5-5) at llm.example.org:8443"
    settings.LLM_MODELS = {role: f"a-model-with-a-long-name-{role}" for role in settings.LLM_MODELS}
    label = choose_engine(Project()).label
    assert label.startswith("Model (a-model-with-a-long-name-brief and 11 more) at llm.")
    assert len(label) <= 80


async def test_the_offline_engine_disregards_what_only_a_model_needs() -> None:
    engine = choose_engine(Project())
    assert not isinstance(engine, ConversingEngine)
    async with engine:
        answered = await engine.ask(BriefAsked(question="Does alder raise soil nitrogen?"), prompt=None, purse=None)
    assert answered.answer.key_terms == ["alder", "soil nitrogen"]
    assert answered.usages == ()


@pytest.mark.long
def test_the_sdk_is_imported_only_when_a_model_is_asked() -> None:
    """It takes seconds, and every process imports the engine."""
    code = "import django, sys; django.setup(); import llm.engine; print('anthropic' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


def test_the_model_engine_converses(settings: Any) -> None:
    settings.ANTHROPIC_API_KEY = KEY
    assert isinstance(choose_engine(Project()), ConversingEngine)


def test_a_cluster_rehearses_with_a_service_that_is_not_there(settings: Settings) -> None:
    """Before it forks: nothing is sent anywhere
    (no test may reach more than this machine), and nothing is left open."""
    settings.LLM_ENGINE, settings.ANTHROPIC_API_KEY = "auto", "any"
    load()
    load()
