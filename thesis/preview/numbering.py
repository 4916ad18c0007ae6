"""The numbers of a thesis as LaTeX counts them, and what a reference to each is: pure, over chapters that were read."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from thesis.preview.tree import Numbered, Read

DEEPEST = 3  # levels of headings that have a number: chapter, section, subsection
_WORDS = {"fig": "Figure", "tab": "Table", "eq": "Equation"}
_HEADINGS = ("Part", "Chapter", "Section", "Section", "Section")
_ROMAN = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))  # fmt: skip


class Target(NamedTuple):
    """What a label stands for: its number, the word for it ("Figure"), its anchor on the page, its heading's title."""

    number: str
    word: str
    anchor: str
    title: str


@dataclass
class Counted:
    """The numbers of one chapter by the places of what has them; `anchors` are names on the page."""

    numbers: list[str] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)


class Counting:
    """Counters that go through a thesis from chapter to chapter."""

    def __init__(self, chapters: int = 0) -> None:
        self.chapter = str(chapters)
        self.chapters = chapters
        self.parts = 0
        self.appendix = False
        self.heads = [0] * 8  # of sections and below
        self.floats = {"fig": 0, "tab": 0, "eq": 0}
        self.targets: dict[str, Target] = {}
        self.doubled: list[str] = []

    def begin_appendices(self) -> None:
        self.appendix, self.chapters = True, 0

    def count(self, read: Read, name: str) -> Counted:
        """The numbers of `read`, whose anchors begin with `name`; its labels become targets."""
        made = Counted()
        last = Target(self.chapter if self.chapters else "", "Chapter", "", "")
        heads: list[Target] = []
        for place, one in enumerate(read.numbered):
            anchor = f"{name}-{place}"
            number = self._number(one)
            target = Target(number, self._word(one), anchor, one.title if one.kind == "h" else "")
            made.numbers.append(number)
            made.anchors.append(anchor)
            if one.kind == "h":
                last = target
            heads.append(last)
            for label in one.labels:
                self._name(label, target)
            first = number.split("–")[0]
            for row, labels in enumerate(one.rows if len(one.rows) > 1 else ()):
                for label in labels:
                    stem, _, tail = first.rpartition(".")
                    self.targets[label] = target._replace(
                        number=f"{stem}.{int(tail) + row}" if stem else f"{int(tail) + row}"
                    )
        for anchored in read.anchors:
            where = heads[min(anchored.after, len(heads)) - 1] if anchored.after and heads else None
            if where is not None:
                self._name(anchored.label, where)
        return made

    def _name(self, label: str, target: Target) -> None:
        if label in self.targets:
            self.doubled.append(label)
        self.targets[label] = target  # as LaTeX: the last one counts

    def _word(self, one: Numbered) -> str:
        if one.kind != "h":
            return _WORDS[one.kind]
        if one.level == 1 and self.appendix:
            return "Appendix"
        return _HEADINGS[min(one.level, len(_HEADINGS) - 1)]

    def _number(self, one: Numbered) -> str:
        if one.plain:
            return ""
        if one.kind == "h":
            return self._heading(one.level)
        rows = max(len(one.rows), 1)
        self.floats[one.kind] += rows
        last = self.floats[one.kind]
        stem = f"{self.chapter}." if self.chapters else ""
        return f"{stem}{last}" if rows == 1 else f"{stem}{last - rows + 1}–{stem}{last}"

    def _heading(self, level: int) -> str:
        if level <= 0:
            self.parts += 1
            return roman(self.parts)
        if level == 1:
            self.chapters += 1
            self.chapter = _letters(self.chapters) if self.appendix else str(self.chapters)
            self.heads = [0] * 8
            self.floats = dict.fromkeys(self.floats, 0)
            return self.chapter
        place = min(level - 2, 7)
        self.heads[place] += 1
        self.heads[place + 1 :] = [0] * (7 - place)
        return ".".join([self.chapter, *map(str, self.heads[: place + 1])]) if level <= DEEPEST else ""


def refers(command: str, target: Target | None) -> dict[str, Any]:
    r"""What stands on the page for `\ref`, `\eqref` ... to `target`; two question marks for one that is nowhere."""
    if target is None:
        return {"c": "??", "to": ""}
    number = target.number or "??"
    if command == "hyperref":
        return {"c": "", "to": target.anchor}
    if command == "pageref":
        return {"c": "", "page": True, "to": target.anchor} if target.anchor else {"c": "??", "to": ""}
    if command == "nameref":
        return {"c": target.title or number, "to": target.anchor}
    if command == "eqref" or (command.lower() in ("cref", "labelcref") and target.word == "Equation"):
        number = f"({number})"
    if command.lower() in ("autoref", "cref"):
        word = target.word if command[0].isupper() or command == "autoref" else target.word.lower()
        number = f"{word}\u00a0{number}"
    return {"c": number, "to": target.anchor}


def roman(number: int) -> str:
    made = ""
    for value, signs in _ROMAN:
        made += signs * (number // value)
        number %= value
    return made


def _letters(number: int) -> str:
    """A, B ... Z, AA ..."""
    made = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        made = chr(65 + rest) + made
    return made
