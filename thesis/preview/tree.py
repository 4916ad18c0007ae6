"""What a chapter is once it is read: what the page shows, and apart from it all that depends on the rest of the thesis."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

Node = dict[str, Any]
Inline = str | Node


class Numbered(NamedTuple):
    """What may have a number: "h" a heading of `level` (1 chapter; 0 part), "fig", "tab" or "eq". `rows`: labels of each row
    of an equation that has one. `title`: words of a heading or caption. "do" is a command that sets counters, its `title`."""

    kind: str
    level: int = 0
    plain: bool = False  # a heading with a star, a float without caption: no number
    labels: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    title: str = ""


class Anchor(NamedTuple):
    r"""A \label in running text: it means the last heading before it, the `after`th of the chapter's numbered."""

    label: str
    after: int


class Cited(NamedTuple):
    """A cite command: its name, keys, and what stands before and behind them."""

    command: str
    keys: tuple[str, ...]
    before: list[Inline]
    after: list[Inline]


class Shown(NamedTuple):
    """A picture: the path that the text names, and how wide (a part of the line, 0.8, or points, 120.0; 0 as it is)."""

    path: str
    part: float
    points: float


@dataclass
class Read:
    """A chapter that was read; `failed` says why where it was not. `blocks` is JSON of what the page shows."""

    blocks: str = "[]"
    numbered: list[Numbered] = field(default_factory=list)
    anchors: list[Anchor] = field(default_factory=list)
    refs: list[tuple[str, str]] = field(default_factory=list)
    cites: list[Cited] = field(default_factory=list)
    pictures: list[Shown] = field(default_factory=list)
    maths: list[str] = field(default_factory=list)
    as_source: list[str] = field(default_factory=list)  # what is shown as it stands
    failed: str = ""

    @property
    def size(self) -> int:
        return len(self.blocks) + 1_000

    @property
    def has_title(self) -> bool:
        return any(one.kind == "h" and one.level <= 1 for one in self.numbered)
