"""The model of each role, the limit of its answer, and the fields that are streamed to the user.

Models are settings (LLM_MODEL_BRIEF and so on): strong ones where a whole report depends on the answer, fast ones for
many small questions. Current models think before they answer, and thinking counts towards the limit, so limits are
far above the longest answer of each role.
"""

from dataclasses import dataclass

from django.conf import settings


@dataclass(frozen=True)
class Route:
    """The settings of a role."""

    max_tokens: int
    shown: tuple[str, ...] = ()  # fields of the answer that are streamed to `on_text`


ROUTES = {
    "brief": Route(8_000),
    "decompose": Route(12_000),
    "research": Route(8_000),
    "condense": Route(16_000),
    "sufficiency": Route(8_000),
    "synthesize": Route(32_000, shown=("title", "body")),
    "verify": Route(16_000),
    "route": Route(8_000),
    "digest": Route(16_000),
    "draft": Route(32_000, shown=("latex",)),
    "draft_plain": Route(32_000, shown=("latex",)),
    "assist": Route(8_000, shown=("text", "note")),
}


def model_for(role: str) -> str:
    """Return the name of the model for `role`. Raises LookupError for an unknown role."""
    return str(settings.LLM_MODELS[role])
