from llm.claude.engine import ClaudeEngine

__all__ = ["ClaudeEngine"]
