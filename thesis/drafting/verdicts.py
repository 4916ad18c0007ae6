"""What is known of each work that a draft cites, before anything of it is taken (SPEC C2, T3)."""

from dataclasses import dataclass

from citations.models import Citation
from citations.other_keys import rows_cited
from latex.keys import EVERYTHING, cite_commands
from thesis.models import Draft

MISSING = "missing"  # the thesis has no entry under that key
BAD = (Citation.Status.CONFLICT, Citation.Status.NOT_FOUND)


@dataclass(frozen=True)
class Verdict:
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
    columns = ("cite_key", "status", "tier", "title", "retracted")
    rows = rows_cited(
        Citation.objects.filter(project=draft.project).order_by().only(*columns), draft.project, draft.keys
    )
    by_key = {
        key: Verdict(key, row.status, row.tier, row.title, row.retracted, row.status in BAD)
        for key, row in rows.items()
    }
    own = set(keys_of(draft.base_latex)) if len(by_key) < len(draft.keys) else set()
    return [by_key.get(key) or Verdict(key, MISSING, "", "", False, key not in own) for key in draft.keys]


def keys_of(latex: str) -> list[str]:
    r"""The keys that `latex` cites, each once, in order; \nocite{*} names none."""
    found = dict.fromkeys(key for command in cite_commands(latex) for key in command.keys)
    found.pop(EVERYTHING, None)
    return list(found)
