"""The offline engine: extractive and deterministic, without a model."""

from llm.offline.engine import OfflineEngine

__all__ = ["OfflineEngine"]
