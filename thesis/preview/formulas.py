"""Formulas of chapters in typst's maths, as pandoc writes it; maths.py decides which of them may be set (SPEC T6).

All of a thesis by one process: a filter in each chapter's took as long as reading the chapter.
"""

import json
import re
import secrets
from collections.abc import Iterator, Sequence
from typing import Any

from thesis.pandoc import Unread, pandoc
from thesis.preview.tree import Node

BETWEEN = "\x1f"  # typst's stands before it, TeX's behind it
_LONGEST = 8_000  # characters of a formula that is turned
_SECONDS = 6  # for all of them
_HEAP = "768m"
_LABEL = re.compile(r"\\label\s*\{[^{}]*\}")


def turn_formulas(documents: Sequence[dict[str, Any]]) -> None:
    """Write into each formula of pandoc's `documents` what it is in typst's maths: typst .. U+001F .. TeX.

    One that pandoc cannot turn has nothing before the sign.
    """
    found = [node["c"] for document in documents for node in _maths(document["blocks"])]
    wanted = list({(kind["t"], tex): None for kind, tex in found if len(tex) <= _LONGEST})
    written = _written(wanted, documents[0]["pandoc-api-version"]) if wanted else {}
    for content in found:
        kind, tex = content
        content[1] = f"{written.get((kind['t'], tex), '')}{BETWEEN}{tex}"


def _written(formulas: list[tuple[str, str]], version: list[int]) -> dict[tuple[str, str], str]:
    mark = f"formula{secrets.token_hex(8)}n"
    blocks: list[Node] = []
    for number, (kind, tex) in enumerate(formulas):
        blocks.append({"t": "Para", "c": [{"t": "Str", "c": f"{mark}{number}"}]})
        blocks.append({"t": "Para", "c": [{"t": "Math", "c": [{"t": kind}, _LABEL.sub("", tex)]}]})
    given = json.dumps({"pandoc-api-version": version, "meta": {}, "blocks": blocks}).encode()
    try:
        made = pandoc(["--from=json", "--to=typst", "--wrap=none"], given, seconds=_SECONDS, heap=_HEAP).out
    except Unread:
        return {}  # they show as their source
    parts = re.split(rf"^{mark}(\d+)$", made.decode("utf-8", "replace"), flags=re.MULTILINE)
    return {formulas[int(number)]: text.strip() for number, text in zip(parts[1::2], parts[2::2], strict=True)}


def _maths(blocks: list[Any]) -> Iterator[Node]:
    """The formulas of a tree, however deep it is."""
    waiting: list[Any] = [blocks]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += [part for part in one if isinstance(part, list | dict)]
        elif one.get("t") == "Math":
            yield one
        else:
            waiting += [part for part in one.values() if isinstance(part, list | dict)]
