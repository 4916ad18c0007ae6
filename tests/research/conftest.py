from tests.research.forest_thesis import forest

__all__ = ["forest"]
