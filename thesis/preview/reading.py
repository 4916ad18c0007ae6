"""A chapter's LaTeX as pandoc's tree: read in its sandbox, in a process with limits (SPEC T6)."""

import json
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any

from thesis.pandoc import Unread, pandoc
from thesis.preview.condense import condensed
from thesis.preview.formulas import turn_formulas
from thesis.preview.tree import Read

LONGEST = 600_000  # characters that are read at all: a chapter of some 200 pages
_SECONDS = 6  # of one chapter, by the clock; one of 20 pages takes a fifth of one
_HEAP = "768m"
_MOST = 100_000_000  # bytes of a tree
_KEPT = 48_000_000  # characters of trees that a process keeps
_WHERE = re.compile(r"\(?line (\d+), column \d+\)?")
# In the order of their levels: with all of them there, a chapter is always of level 2, a section of level 3.
_LEVELS = r"\part{}"
_TOO_DEEP = "It nests deeper than a preview can show."

_trees: OrderedDict[str, Read] = OrderedDict()
_turn = threading.Lock()


def read_all(texts: Sequence[str], macros: str = "") -> list[Read]:
    r"""What stands in each of `texts`, several at a time; those read before by this process are not read again.

    `macros` are definitions (\newcommand ...) that all of them use, on one line.
    """
    keys = [sha256(f"{macros}\0{text}".encode("utf-8", "replace")).hexdigest() for text in texts]
    with _turn:
        found = {key: _trees[key] for key in keys if key in _trees}
        for key in found:
            _trees.move_to_end(key)
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
    if missing:
        with ThreadPoolExecutor(max_workers=min(os.cpu_count() or 2, 4, len(missing))) as pool:
            trees = list(pool.map(lambda text: _tree(text, macros), missing.values()))
        found |= dict(zip(missing, _condensed(trees), strict=True))
        with _turn:
            _trees.update({key: found[key] for key in missing})
            while len(_trees) > 1 and sum(tree.size for tree in _trees.values()) > _KEPT:
                _trees.popitem(last=False)
    return [found[key] for key in keys]


def read(text: str, macros: str = "") -> Read:
    """What stands in `text`; with `failed` saying why where it cannot be read."""
    return _condensed([_tree(text, macros)])[0]


def _condensed(trees: Sequence[dict[str, Any] | str]) -> list[Read]:
    turn_formulas([tree for tree in trees if not isinstance(tree, str)])
    made = []
    for tree in trees:
        try:
            made.append(Read(failed=tree) if isinstance(tree, str) else condensed(tree["blocks"][1:]))
        except (ValueError, KeyError, TypeError, IndexError, RecursionError):
            made.append(Read(failed=_TOO_DEEP))
    return made


def _tree(text: str, macros: str) -> dict[str, Any] | str:
    """The tree of `text`, or a sentence that says why there is none."""
    if len(text) > LONGEST:
        return f"It has {len(text):,} characters; a preview reads chapters of at most {LONGEST:,}."
    try:
        try:
            made = _pandoc(text, macros)
        except Unread:
            if not macros:
                raise
            made = _pandoc(text, "")  # one of them may be what it stumbles over
        tree: dict[str, Any] = json.loads(made)
    except Unread as unread:
        return _said(str(unread), text)
    except (ValueError, RecursionError):
        return _TOO_DEEP
    return tree


def _pandoc(text: str, macros: str) -> bytes:
    """The tree as JSON. Raises Unread."""
    options = ["--from=latex+raw_tex-auto_identifiers", "--to=json"]
    given = f"{_LEVELS}{macros}{text.replace(chr(0), '')}".encode("utf-8", "replace")
    made = pandoc(options, given, seconds=_SECONDS, heap=_HEAP).out
    if len(made) > _MOST:
        raise Unread("it needs too much memory")
    return made


def _said(error: str, text: str) -> str:
    """What pandoc stumbled over, as a sentence: its own words name the place and what it missed."""
    if error.startswith("it "):
        return f"{error[0].upper()}{error[1:]}."
    where = _WHERE.search(error)
    if where is None:
        is_much = "heap" in error.lower() or "ended with -" in error
        return "It was too much for the preview to read." if is_much else "It was not understood."
    missed = re.search(r"expecting (\\end\{[^{}\s]{1,40}\})", error)
    last = text.rstrip().count("\n") + 1
    line = f"at line {min(int(where[1]), last):,}"
    if missed:
        return f"{missed[1]} is missing: the text ends {line} without it."
    stray = re.search(r'unexpected (?:Tok.*Symbol "(.)"|(end of input|\(\))|(\S{1,40}))', error)
    if stray is None:
        return f"It is not understood {line}."
    return (
        f"Something is not closed: the text ends {line}."
        if stray[2]
        else f"{stray[1] or stray[3]} is not expected {line}."
    )
