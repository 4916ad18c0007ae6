r"""A table in a cell of another table has no caption or label of its own (SPEC T6): pandoc gives it the outer ones."""

import re
from typing import Any

from latex.cite_keys import visible

_TABULAR = re.compile(r"\\(begin|end)\s*\{(?:tabular[xy]?|longtable|tabulary|tblr)\*?\}")
_NOTHING = ["", [], []]


def has_nested_tables(latex: str) -> bool:
    """Return whether a table of `latex` stands in another one."""
    depth = 0
    for found in _TABULAR.finditer(visible(latex)):
        depth = depth + 1 if found[1] == "begin" else max(depth - 1, 0)
        if depth > 1:
            return True
    return False


def without_inner_captions(tree: Any, *, is_inside: bool = False) -> Any:
    """Return a part of pandoc's tree in which tables within tables have neither captions nor labels."""
    if isinstance(tree, list):
        return [without_inner_captions(one, is_inside=is_inside) for one in tree]
    if not isinstance(tree, dict):
        return tree
    is_table = tree.get("t") == "Table"
    made = {name: without_inner_captions(one, is_inside=is_inside or is_table) for name, one in tree.items()}
    if is_inside and is_table:
        made["c"] = [_NOTHING, [None, []], *made["c"][2:]]
    elif is_inside and tree.get("t") == "Div" and [one.get("t") for one in tree["c"][1]] == ["Table"]:
        made["c"] = [_NOTHING, made["c"][1]]
    return made
