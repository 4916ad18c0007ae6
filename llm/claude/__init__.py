"""The model engine, for endpoints of the Anthropic Messages API."""

from llm.claude.engine import ClaudeEngine

__all__ = ["ClaudeEngine"]
