from tests.research.forest import forest

__all__ = ["forest"]
