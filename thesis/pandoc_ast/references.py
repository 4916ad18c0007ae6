r"""What references print: \ref, \eqref, \autoref, \nameref, and cleveref's \cref with its words, groups and ranges."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from latex.numbering import CrefNames

# Prefixes of labels: of \nameref, \pageref, \autoref, \cpageref, \namecref, \namecrefs, \crefrange, \labelcref
NAME, PAGE, AUTO, PAGES, WORD, WORDS, RANGE, BARE = (
    f"scholium-{one}:" for one in ("name", "page", "auto", "pages", "word", "words", "range", "bare")
)
PAGE_WORDS = "[number in the PDF]"  # printed for a page where there are no pages


class Target(NamedTuple):
    """What a label points to. `kind`: heading, title, figure, table, equation, item or theorem.

    `bookmark` is its link target; `type` the environment of a theorem, `word` the name that it prints.
    """

    kind: str
    number: str
    name: str
    bookmark: str
    level: int = 0  # of a heading: 0 part, 1 chapter or appendix, 2 section ...
    is_lettered: bool = False
    type: str = ""
    word: str = ""


class Reference(NamedTuple):
    """What a reference prints: `word`, then `shown`, a number or a title. `asks` is a prefix of labels or ""."""

    label: str
    asks: str
    target: Target | None
    word: str = ""
    shown: str = ""

    @property
    def is_lost(self) -> bool:
        """Return whether the label is unknown, or has neither a number nor a name."""
        return self.target is None or not (self.target.number or self.target.name)


_AUTOREF = {"figure": "Figure", "table": "Table", "equation": "Equation", "item": "item", "algorithm": "Algorithm"}
_LEVELS = ["part", "chapter", "section", "subsection", "subsubsection"]
_NAMES = {  # of cleveref, each with its plural
    "equation": ("eq.", "eqs."), "figure": ("fig.", "figs."), "part": ("part", "parts"),
    "appendix": ("appendix", "appendices"), "corollary": ("corollary", "corollaries"), "page": ("page", "pages"),
    **{one: (one, f"{one}s") for one in (
        "table", "chapter", "section", "item", "footnote", "theorem", "lemma", "proposition", "definition", "result",
        "example", "remark", "note", "algorithm", "listing", "line",
    )},
}  # fmt: skip
_FULL = {"equation": ("equation", "equations"), "figure": ("figure", "figures")}
_PARTS = re.compile(r"\d+|[A-Za-z]+")
_SPACE = "\u00a0"


def type_of(target: Target) -> str:
    """Return cleveref's type of a target: "section" for every heading below a chapter."""
    if target.kind in ("heading", "title"):
        name = _LEVELS[min(target.level, 2)]
        return "appendix" if target.is_lettered and target.level > 0 else name
    return target.type or target.kind


def cref_word(target: Target, names: CrefNames, *, is_plural: bool = False, is_first: bool = False) -> str:
    r"""Return the word that \cref prints before a number; `is_first` for \Cref, at the beginning of a sentence."""
    kind = type_of(target)
    own = names.capital.get(kind) if is_first else None
    own = own or names.own.get(kind)
    if own is None:
        known = {**_NAMES, **_FULL} if is_first or "noabbrev" in names.options else _NAMES
        own = known.get(kind, (target.word, target.word))
        is_first = is_first or bool(names.options & {"capitalise", "capitalize"})
    word = own[is_plural]
    return f"{word[:1].upper()}{word[1:]}" if is_first else word


def auto_word(target: Target) -> str:
    r"""Return the word that \autoref of hyperref prints before a number."""
    if target.kind in ("heading", "title"):
        names = ["Part", "Appendix" if target.is_lettered else "chapter", *_LEVELS[2:]]
        return names[min(target.level, len(names) - 1)]
    return target.word or _AUTOREF.get(target.kind, "")


def shown_number(target: Target, how: str) -> str:
    r"""Return the number that a reference prints; for \eqref, \cref and \Cref an equation's number is in brackets."""
    in_brackets = how == "eqref" or (target.kind == "equation" and how.lower() == "ref+label")
    return f"({target.number})" if in_brackets else target.number


def grouped(references: Sequence[Reference], names: CrefNames, *, is_first: bool, words: bool) -> list[str | Reference]:
    r"""Return the references of one \cref as cleveref prints them: by type, sorted, three or more in a row as a range.

    A group's word is that of its first reference. Unknown labels come last.
    """
    groups: dict[str, list[Reference]] = {}
    for one in references:
        groups.setdefault(type_of(one.target) if one.target and not one.is_lost else "", []).append(one)
    lost = groups.pop("", [])
    parts: list[list[str | Reference]] = []
    for place, group in enumerate(groups.values()):
        group.sort(key=lambda one: _key(one.shown))
        target = group[0].target
        assert target is not None
        word = cref_word(target, names, is_plural=len(group) > 1, is_first=is_first and not place) if words else ""
        group[0] = group[0]._replace(word=word)
        parts.append(joined([part for run in _runs(group) for part in _as_range(run)]))
    parts += [[one] for one in lost]
    return joined(parts, last=", and " if len(parts) > 2 else " and ")


def as_range(first: Reference, last: Reference, names: CrefNames, *, is_first: bool) -> list[str | Reference]:
    r"""Return what \crefrange prints."""
    if first.target is None or last.target is None:
        return [first, f" to{_SPACE}", last]
    word = cref_word(first.target, names, is_plural=True, is_first=is_first)
    return [first._replace(word=word), f" to{_SPACE}", last]


def joined(parts: Sequence[Sequence[str | Reference]], last: str = " and ") -> list[str | Reference]:
    """Return `parts` with commas between them, and `last` before the last one."""
    made: list[str | Reference] = []
    for place, part in enumerate(parts):
        if place:
            made.append(f"{last[:-1]}{_SPACE}" if place == len(parts) - 1 else ", ")
        made += part
    return made


def _as_range(run: list[Reference]) -> list[list[str | Reference]]:
    return [[run[0], f" to{_SPACE}", run[-1]]] if len(run) > 2 else [[one] for one in run]


def _key(number: str) -> list[tuple[int, int, str]]:
    return [(0, int(one), "") if one.isdigit() else (1, len(one), one) for one in _PARTS.findall(number)]


def _runs(group: Iterable[Reference]) -> list[list[Reference]]:
    """Return the references in runs of numbers that follow each other: 1.1, 1.2, 1.3."""
    runs: list[list[Reference]] = []
    for one in group:
        if runs and _follows(_key(runs[-1][-1].shown), _key(one.shown)):
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs


def _follows(before: list[tuple[int, int, str]], after: list[tuple[int, int, str]]) -> bool:
    if not before or before[:-1] != after[:-1] or before[-1][0] != after[-1][0]:
        return False
    (is_word, number, word), (_, next_number, next_word) = before[-1], after[-1]
    return (
        ord(word[-1]) + 1 == ord(next_word[-1]) and number == next_number == 1 if is_word else number + 1 == next_number
    )
