"""Labels of codes in the name of a column: "sex (1=male, 2=female)", "Outcome 0: alive; 1: dead"."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from analysis.datasets.cell_vocabulary import MISSING_WORDS, ordered_by

_CODE = r"[0-9]{1,3}|[A-Za-z]"
_WORDS = r"[^\W\d_][^=:;,/|()\[\]{}]*?"
_ANY = r"[<>≤≥]?\s*[^\W_][^=:;,|()\[\]{}]*?"  # after "=" also "18-30"
_PAIR = re.compile(rf"\s*(?P<code>{_CODE})\s*(?:=\s*(?P<after>{_ANY})|(?::|–|-)\s*(?P<label>{_WORDS}))\s*")
_TURNED = re.compile(rf"\s*(?P<after>(?!))?(?P<label>{_WORDS})\s*(?:=|:)\s*(?P<code>{_CODE})\s*")
_PARTS = re.compile(r"[,;|/]|\s(?=[0-9]{1,3}\s*[=:])")
_BOOK = re.compile(r"(?P<name>.*?)[\s:,-]*[(\[{](?P<book>[^()\[\]{}]*)[)\]}]\s*")
_OPEN = re.compile(r"(?P<name>.*?[^\W\d][^=]*?)[\s:,-]+(?P<book>[0-9]{1,3}\s*[=:].*)")
MOST_LABEL = 100


class CodeBook(NamedTuple):
    """The codes defined by a column name: `labels` by code, `name` without them, `absent` codes that mean missing."""

    name: str
    labels: dict[str, str]
    absent: list[str]
    levels: list[str]
    is_ordered: bool

    def proposal(self, missing: list[str]) -> dict[str, Any]:
        """Return the proposal for the column."""
        said = ", ".join(f"{code} is {label}" for code, label in list(self.labels.items())[:6])
        type_, level = ("ordered", "ordinal") if self.is_ordered else ("factor", "nominal")
        return {
            "type_": type_,
            "level": level,
            "reason": f"Its name defines the codes: {said}.",
            "is_sure": False,
            "missing": [*missing, *self.absent],
            "levels": self.levels,
            "labels": {code: self.labels[code] for code in self.levels},
            "label": self.name,
        }


def codes_in(name: str) -> tuple[str, dict[str, str]]:
    """Return the name of a column without its codes, and the label of each code ({} when it has none)."""
    if len(name) > 300 or not name.isprintable():
        return name, {}
    match = _BOOK.fullmatch(name) or _OPEN.fullmatch(name)
    if match is None or not match["name"].strip():
        return name, {}
    parts = [part for part in _PARTS.split(match["book"]) if part.strip()]
    for pattern in (_PAIR, _TURNED):
        pairs = [pattern.fullmatch(part) for part in parts]
        if len(parts) < 2 or not all(pairs):
            continue
        found = {one["code"]: " ".join((one["after"] or one["label"]).split()) for one in pairs if one}
        said = {label.casefold() for label in found.values()}
        if len(found) == len(said) == len(parts) and max(map(len, found.values())) <= MOST_LABEL:
            return " ".join(match["name"].split()), found
    return name, {}


def code_book(name: str, counts: Mapping[str, int], *, has_others: bool) -> CodeBook | None:
    """Return the codes defined by the name of a column, or None unless it has a label for each value in `counts`.

    So a scale with labels for its ends only, "pain (0=none, 10=worst)", stays numeric.
    """
    bare, labels = codes_in(name)
    if not labels or has_others or not counts:
        return None
    levels = [code for code in labels if code in counts and labels[code].casefold() not in MISSING_WORDS]
    absent = [code for code in labels if code in counts and labels[code].casefold() in MISSING_WORDS]
    taken = {label.casefold() for label in labels.values()} & {code.casefold() for code in counts}
    if set(counts) - {*levels, *absent} or not levels or taken:
        return None
    levels.sort(key=lambda code: (int(code) if code.isdigit() else 0, code))
    words = [labels[code] for code in levels]
    order = ordered_by(words) if len(words) > 2 else None
    if order:
        levels = [next(code for code in levels if labels[code] == word) for word in order]
    return CodeBook(bare, labels, absent, levels, bool(order))
