"""The numbers of a thesis as LaTeX counts them, and what a reference to each is: pure, over chapters that were read."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from latex.numbering import HEADINGS, Counters
from thesis.preview.tree import Numbered, Read

_KINDS = {"h": "heading", "fig": "figure", "tab": "table", "eq": "equation", "do": ""}
_HEADINGS = ("Part", "Chapter", "Section", "Section", "Section")


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
    """What a thesis's labels stand for, as chapter after chapter is counted."""

    def __init__(self) -> None:
        self.targets: dict[str, Target] = {}
        self.doubled: list[str] = []

    def count(self, read: Read, name: str, counters: Counters) -> Counted:
        """The numbers of `read`, from those of LaTeX's `counters` before it; its anchors begin with `name`, its labels become
        targets."""
        made = Counted()
        last = Target(counters.current, "Chapter", "", "")
        heads: list[Target] = []
        for place, one in enumerate(read.numbered):
            anchor = f"{name}-{place}"
            numbers = _numbers(one, counters)
            number = f"{numbers[0]}–{numbers[-1]}" if len(numbers) > 1 else numbers[0]
            title = one.title if one.kind == "h" else ""
            target = Target(
                number or counters.current,
                word_of(_KINDS[one.kind], one.level - 1, is_lettered=counters.is_lettered),
                anchor,
                title,
            )
            made.numbers.append(number)
            made.anchors.append(anchor)
            if one.kind == "h":
                last = target
            heads.append(last)
            for label in one.labels:
                self._name(label, target)
            for row, labels in zip(numbers, one.rows, strict=False):
                for label in labels:
                    self.targets[label] = target._replace(number=row)
        for anchored in read.anchors:
            where = heads[min(anchored.after, len(heads)) - 1] if anchored.after and heads else None
            if where is not None:
                self._name(anchored.label, where)
        return made

    def _name(self, label: str, target: Target) -> None:
        if label in self.targets:
            self.doubled.append(label)
        self.targets[label] = target  # as LaTeX: the last one counts


def word_of(kind: str, level: int, *, is_lettered: bool) -> str:
    """The word for what has a number: `kind` and `level` (0 chapter) as latex.numbering has them."""
    if kind != "heading":
        return kind.capitalize()
    return "Appendix" if level == 0 and is_lettered else _HEADINGS[min(level + 1, len(_HEADINGS) - 1)]


def _numbers(one: Numbered, counters: Counters) -> list[str]:
    """The number of a heading or float, or those of an equation's rows; a "do" does what the text does to the counters."""
    if one.kind == "do":
        counters.apply(one.title)
    elif one.kind == "h":
        return [counters.heading(list(HEADINGS)[min(one.level, 6)], is_starred=one.plain)]
    elif not one.plain:
        return [counters.step(_KINDS[one.kind]) for _ in one.rows or ((),)]
    return [""]


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
