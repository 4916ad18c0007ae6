"""The JSON API of references; `router` is what config mounts."""

from citations.api.routes import router

__all__ = ["router"]
