"""The JSON API of research; `router` is what config mounts."""

from research.api.runs import router

__all__ = ["router"]
