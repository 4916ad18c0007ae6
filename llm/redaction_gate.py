"""The redaction gate: what is not shared with AI, by thesis. Every text for a model passes it (llm.claude.retry).

It redacts the names of members, their private names and words, and everything that text.personal_data detects, also
for models on this machine.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from asgiref.sync import sync_to_async
from django.utils import timezone

from llm.placeholders import NOTE, without
from llm.redaction import Redaction
from projects.models import Project
from text.personal_data.find_names import Names

KNOWN_FOR = 30.0  # seconds until the names are loaded again, since members may join during a run
LONG = 20_000  # characters from which redaction runs in a thread

NOBODY = Names()


@dataclass
class Gate:
    """Redaction for one thesis: `names()` loads the private names; `salt` makes placeholders differ between theses."""

    salt: str
    names: Callable[[], Names] = lambda: NOBODY
    _known: Names = field(default=NOBODY, init=False, repr=False)
    _until: float = field(default=0.0, init=False, repr=False)

    @classmethod
    def of(cls, project: Project) -> "Gate":
        """Return the gate of a thesis. Makes no query until it is used."""
        return cls(str(project.pk), lambda: names_of(project))

    async def words_for_others(self, text: str) -> str:
        """Return search words without private details, for catalogues: details are removed without placeholders."""
        (said,) = (await self.open()).texts([text])
        return without(said)

    async def open(self) -> Redaction:
        """Return the Redaction for one request, which restores the details in its answer."""
        if monotonic() > self._until:
            await sync_to_async(self._read)()
        return Redaction(self.salt, self._known)

    def _read(self) -> None:
        # Of several requests that start together only the first loads the names: they run here one after the other.
        if monotonic() > self._until:
            self._known = self.names()
            self._until = monotonic() + KNOWN_FOR


def names_of(project: Project) -> Names:
    """Return the names and addresses of a thesis's members and invited people, and its private names and words."""
    members = list(project.memberships.order_by("pk").values_list("user__name", "user__email"))
    invited = project.invitations.filter(accepted_at=None, expires_at__gt=timezone.now())
    kept = Project.objects.filter(pk=project.pk).values_list("kept_private", flat=True).first() or ""
    lines = (" ".join(line.split()) for line in kept.splitlines())
    return Names(
        tuple(dict.fromkeys(name for name, _ in members if name)),
        tuple(dict.fromkeys([email for _, email in members] + list(invited.values_list("email", flat=True)))),
        tuple(dict.fromkeys(line for line in lines if line)),
    )


async def redact_request(redaction: Redaction, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a request with private details redacted in system texts and messages.

    Thinking blocks go back unchanged, since the service verifies them; they were written without the details.
    """
    holders: list[tuple[Any, Any]] = []
    copied: dict[str, Any] = parameters | {
        name: _copied(parameters[name], holders) for name in ("system", "messages") if name in parameters
    }
    texts = [holder[key] for holder, key in holders]
    said = await asyncio.to_thread(redaction.texts, texts) if sum(map(len, texts)) > LONG else redaction.texts(texts)
    for (holder, key), text in zip(holders, said, strict=True):
        holder[key] = text
    if redaction.values:
        first = copied["messages"][0]
        first["content"] = [*first["content"], {"type": "text", "text": NOTE}]
    return copied


# Structural strings of a request, and data signed by the service.
_MADE_OF = {"type", "id", "name", "role", "tool_use_id", "cache_control", "signature", "data"}
_AS_IT_CAME = {"thinking", "redacted_thinking"}


def _copied(value: Any, holders: list[tuple[Any, Any]], *, is_input: bool = False) -> Any:
    """Return a copy of JSON `value`, and append (container, key) of each text in it to `holders`.

    Within tool input (`is_input`) every string is a text.
    """
    if isinstance(value, list):
        made: Any = [None] * len(value)
        parts: Any = enumerate(value)
    elif isinstance(value, dict) and value.get("type") not in _AS_IT_CAME:
        made, parts = {}, value.items()
    else:
        return value
    for key, part in parts:
        is_made_of = key in _MADE_OF and not is_input
        made[key] = part if is_made_of else _copied(part, holders, is_input=is_input or key == "input")
        if isinstance(part, str) and not is_made_of:
            holders.append((made, key))
    return made
