"""What is known of each work that a draft cites, before anything of it is taken (SPEC C2, T3)."""

from typing import NamedTuple

from citations.models import Citation
from sections.keys import EVERYTHING, cite_commands
from thesis.models import Draft

MISSING = "missing"  # the thesis has no entry under that key
BAD = (Citation.Status.CONFLICT, Citation.Status.NOT_FOUND)


class Verdict(NamedTuple):
    """`status` is that of the entry, or "missing". `bad`: its key is left out of what is taken unless a person insists."""

    key: str
    status: str
    tier: str
    title: str
    retracted: bool
    bad: bool


def verdicts(draft: Draft) -> list[Verdict]:
    """The verdict on each key that `draft` cites, in the order of the text; one query.

    A key without an entry is as bad as one that was not found, unless the section cited it before.
    """
    if not draft.keys:
        return []
    rows = Citation.objects.filter(project=draft.project_id, cite_key__in=draft.keys).order_by()
    columns = rows.values_list("cite_key", "status", "tier", "title", "retracted")
    by_key = {key: Verdict(key, status, tier, title, gone, status in BAD) for key, status, tier, title, gone in columns}
    own = set(keys_of(draft.base_latex)) if len(by_key) < len(draft.keys) else set()
    return [by_key.get(key) or Verdict(key, MISSING, "", "", False, key not in own) for key in draft.keys]


def keys_of(latex: str) -> list[str]:
    r"""The keys that `latex` cites, each once, in order; \nocite{*} names none."""
    found = dict.fromkeys(key for command in cite_commands(latex) for key in command.keys)
    found.pop(EVERYTHING, None)
    return list(found)
