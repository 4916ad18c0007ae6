"""What a block of a proposal changes, word by word, with the works it cites as chips (SPEC T3)."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from citations.api.search import label_of
from citations.badges import Badge, badge_of
from citations.models import Citation
from latex.cite_edits import is_own
from latex.keys import cite_commands
from sections.diffs import by_words

_FIRST, _LAST = 0xE000, 0xF8FF  # signs that no text has: one stands for a citation while words are compared
_SIGN = re.compile(f"([{chr(_FIRST)}-{chr(_LAST)}])")
_NOTE = re.compile(r"\[([^\[\]{}]*)\]")
_MISSING = Badge("d", "", "ask", "Not in your references")


class Chip(NamedTuple):
    """A work in the text: as it is cited there, and how it is proven. One that is `out` is left out of what is taken."""

    key: str
    label: str
    badge: Badge
    out: bool


class Piece(NamedTuple):
    """Neighbouring words of one fate ("same", "ins", "del"), `tex` where they are commands; or `chips` with their `note`."""

    kind: str
    tex: bool
    text: str
    chips: tuple[Chip, ...] = ()
    note: str = ""


def changes(was: str, latex: str, works: Mapping[str, Citation], out: frozenset[str]) -> list[list[Piece]] | None:
    """The paragraphs in which `was` became `latex`; the keys `out` are left out. None when too much differs to be shown."""
    cited: dict[str, str] = {}  # each cite command as it is written, and the sign that stands for it
    old, new = was, latex
    if not _SIGN.search(was) and not _SIGN.search(latex):
        old, new = _signed(was, cited), _signed(latex, cited)
    compared = by_words(old, new)
    if compared is None:
        return None
    by_sign = {sign: _chips(command, works, out) for command, sign in cited.items()}
    shown = []
    for block in compared:
        pieces: list[Piece] = []
        for run in block.runs:
            for part in _SIGN.split(run.text):
                if part in by_sign:
                    chips, note = by_sign[part]
                    kept = chips if run.kind == "ins" else tuple(chip._replace(out=False) for chip in chips)
                    pieces.append(Piece(run.kind, False, "", kept, note))
                elif part:
                    is_blank = part == "~"
                    pieces.append(Piece(run.kind, run.tex and not is_blank, "\u00a0" if is_blank else part))
        if pieces:
            shown.append(pieces)
    return shown


def _signed(latex: str, cited: dict[str, str]) -> str:
    parts, done = [], 0
    for command in cite_commands(latex):
        if is_own(latex, command):  # its words are compared as they stand
            continue
        source = latex[command.start : command.end]
        if source not in cited and len(cited) > _LAST - _FIRST:
            continue
        parts += [latex[done : command.start], cited.setdefault(source, chr(_FIRST + len(cited)))]
        done = command.end
    return "".join([*parts, latex[done:]])


def _chips(command: str, works: Mapping[str, Citation], out: frozenset[str]) -> tuple[tuple[Chip, ...], str]:
    keys = [key for one in cite_commands(command) for key in one.keys]
    note = ", ".join(one.replace("~", " ").strip() for one in _NOTE.findall(command) if one.strip())
    return tuple(chip_of(key, works.get(key), key in out) for key in keys), note


def chip_of(key: str, citation: Citation | None, out: bool = False) -> Chip:
    """The chip of a key; `citation` None where the thesis has no such reference."""
    return Chip(key, label_of(citation) if citation else key, badge_of(citation) if citation else _MISSING, out)
