"""Which model answers in which role, how long its answer may be, and which of its words are shown as they come.

The models are settings (LLM_MODEL_BRIEF and so on): strong ones where a whole report depends on the answer, quick
ones where there are many small questions. Current models think before they answer, and what they think counts
towards the limit: it is far above the longest answer of each role.
"""

from dataclasses import dataclass

from django.conf import settings


@dataclass(frozen=True)
class Route:
    max_tokens: int
    shown: tuple[str, ...] = ()  # fields of the answer whose text goes to `on_text`


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
    """Return the name of the model. Raises LookupError for a role nobody has."""
    return str(settings.LLM_MODELS[role])
