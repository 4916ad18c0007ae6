"""Formulas of chapters in typst's maths, as pandoc writes it; maths.py decides which of them may be set (SPEC T6).

All of a thesis by one process: a filter in each chapter's took as long as reading the chapter.
"""

import json
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterable

from thesis.pandoc_ast.nodes import VERSION, Node
from thesis.preview.maths import maths_of
from untrusted.pandoc import Unread, pandoc

_LONGEST = 8_000  # characters of a formula that is turned
_SECONDS = 6  # for all of them
_HEAP = "768m"
_KEPT = 20_000  # formulas that a process keeps

Formula = tuple[str, str]  # "InlineMath" or "DisplayMath", and its TeX

_kept: OrderedDict[Formula, str] = OrderedDict()
_turn = threading.Lock()


def turned(formulas: Iterable[Formula]) -> dict[Formula, str]:
    """The inside of each of `formulas` in typst's maths; "" for one that pandoc cannot turn or that may not be set."""
    wanted = list(dict.fromkeys(formulas))
    with _turn:
        known = {one: _kept[one] for one in wanted if one in _kept}
    missing = [one for one in wanted if one not in known]
    written = _written([one for one in missing if len(one[1]) <= _LONGEST])
    made = {one: maths_of(written.get(one, "")) for one in missing}
    with _turn:
        _kept.update({one: made[one] for one in written})
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)
    return known | made


def _written(formulas: list[Formula]) -> dict[Formula, str]:
    if not formulas:
        return {}
    mark = f"formula{secrets.token_hex(8)}n"
    blocks: list[Node] = []
    for number, (kind, tex) in enumerate(formulas):
        blocks.append({"t": "Para", "c": [{"t": "Str", "c": f"{mark}{number}"}]})
        blocks.append({"t": "Para", "c": [{"t": "Math", "c": [{"t": kind}, tex]}]})
    given = json.dumps({"pandoc-api-version": VERSION, "meta": {}, "blocks": blocks}).encode()
    try:
        made = pandoc(["--from=json", "--to=typst", "--wrap=none"], given, seconds=_SECONDS, heap=_HEAP).out
    except Unread:
        return {}  # they show as their source
    parts = re.split(rf"^{mark}(\d+)$", made.decode("utf-8", "replace"), flags=re.MULTILINE)
    return {formulas[int(number)]: text.strip() for number, text in zip(parts[1::2], parts[2::2], strict=True)}
