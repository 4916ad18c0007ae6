"""How often a thesis cites each key, for somebody who types and waits for nothing (SPEC C8)."""

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from uuid import UUID

from citations.models import OtherKey
from citations.other_keys import under_main_keys
from projects.models import Project
from sections.keys import cite_commands
from sections.models import Section

_KEPT = 512  # sections whose counts this process remembers


def times_cited(project: Project) -> Mapping[str, int]:
    """How often each reference is cited in the saved sections of `project`, by its key or another of its keys.

    A text is read once, then remembered by its version.
    """
    counted: Counter[str] = Counter()
    for pk, version in Section.objects.filter(project=project).order_by().values_list("pk", "version"):
        counted.update(_in_section(pk, version))
    return Counter(under_main_keys(counted, OtherKey.objects.by_key(project)))


@lru_cache(_KEPT)
def _in_section(pk: UUID, version: int) -> Counter[str]:
    # Saved again in this very moment, the newer text is counted under the older version, which nobody asks for again.
    latex = Section.objects.filter(pk=pk).values_list("latex", flat=True).first() or ""
    return Counter(key for command in cite_commands(latex) for key in command.keys)
