"""Citations as they look in the text, and the list of references, by what the style of a thesis does (SPEC T6, C12)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from markdown_it import MarkdownIt

from citations.formats.csl import surname_of, year_of
from citations.printing.styles import described, print_references
from core.errors import Refused
from latex.keys import EVERYTHING, count_cited

if TYPE_CHECKING:
    from thesis.manuscript import Work

Inline = str | dict[str, Any]


class Cited(NamedTuple):
    """A cite command: its name, keys, and what stands before and behind them."""

    command: str
    keys: tuple[str, ...]
    before: list[Inline]
    after: list[Inline]


_READER = MarkdownIt("commonmark", {"html": False})
_AUTHOR = {"citeauthor", "Citeauthor"}
_YEAR = {"citeyear", "citeyearpar", "citedate"}
_IN_TEXT = {"citet", "Citet", "textcite", "Textcite", "citealt", "Citealt", "onlinecite"}
_BARE = {"citealp", "Citealp", "citenum", "citealt", "Citealt"}


class References:
    """The works that a text cites, in the order of the list, and how each is cited.

    `same` are further keys of works, each with the key that stands for it.
    """

    def __init__(
        self, works: Sequence["Work"], texts: Iterable[str], style: str, same: Mapping[str, str] | None = None
    ) -> None:
        known = {work.key: work for work in works if work.tier != "D"}
        self.same = same or {}
        cited = list(dict.fromkeys(self.same.get(key, key) for key in _cited(texts)))
        keys = list(known) if EVERYTHING in cited else []
        self.style = style
        self.is_numbered = described(style).cites != "author and year in the text"
        self.keys = [key for key in dict.fromkeys([*cited, *keys]) if key in known]
        if not self.is_numbered:
            self.keys.sort(key=lambda key: (surname_of(known[key].csl).casefold(), str(year_of(known[key].csl) or "")))
        self.works = {key: known[key] for key in self.keys}
        self.places = {key: place for place, key in enumerate(self.keys, 1)}
        self.unknown = [key for key in cited if key not in known and key != EVERYTHING]
        self.years = _years(self.works)

    def lines(self) -> list[dict[str, Any]]:
        """The list: {"id", "n" (its number or ""), "c"}. Works are printed plainly where the style prints none."""
        items = [work.csl for work in self.works.values()]
        try:
            lines = print_references(items, self.style)
        except Refused:
            lines = print_references(items, "apa")
        return [
            {"id": f"w-{self.places[key]}", "n": str(self.places[key]) if self.is_numbered else "", "c": _inlines(line)}
            for key, line in zip(self.keys, lines, strict=True)
        ]

    def cite(self, cited: Cited) -> list[Inline]:
        """What stands in the text for a cite command, each work leading to its reference."""
        cited = cited._replace(keys=tuple(dict.fromkeys(self.same.get(key, key) for key in cited.keys)))
        name = cited.command
        if name in _AUTHOR or name in _YEAR:
            part = self._author if name in _AUTHOR else self._year
            listed = _joined([self._to(key, part(key)) for key in cited.keys], "; ")
            return listed if name != "citeyearpar" else ["(", *listed, ")"]
        if self.is_numbered:
            return self._numbered(cited)
        before = [*cited.before, " "] if cited.before else []
        after = [", ", *cited.after] if cited.after else []
        if name in _IN_TEXT:
            is_bare = name in _BARE
            opened, closed = ("", "") if is_bare else ("(", ")")
            each: list[list[Inline]] = []
            for place, key in enumerate(cited.keys):
                tail = after if place == len(cited.keys) - 1 else []
                head = before if not place else []
                each.append(
                    [
                        self._to(key, f"{self._author(key)}")[0],
                        f" {opened}",
                        *head,
                        *self._to(key, self._year(key)),
                        *tail,
                        closed,
                    ]
                )
            return _joined(each, "; ")
        listed = _joined([self._to(key, f"{self._author(key)}, {self._year(key)}") for key in cited.keys], "; ")
        whole = [*before, *listed, *after]
        return whole if name in _BARE else ["(", *whole, ")"]

    def _numbered(self, cited: Cited) -> list[Inline]:
        before = [*cited.before, " "] if cited.before else []
        after = [", ", *cited.after] if cited.after else []
        numbers = self._ranges(cited.keys)
        whole: list[Inline] = [*before, *numbers, *after]
        if cited.command not in _BARE:
            whole = ["[", *whole, "]"]
        if cited.command in _IN_TEXT and len(cited.keys) == 1:
            return [*self._to(cited.keys[0], self._author(cited.keys[0])), " ", *whole]
        return whole

    def _ranges(self, keys: Sequence[str]) -> list[Inline]:
        """Numbers in their order, three or more in a row as a range; unknown keys as question marks."""
        known = sorted({self.places[key] for key in keys if key in self.places})
        parts: list[list[Inline]] = []
        at = 0
        while at < len(known):
            end = at
            while end + 1 < len(known) and known[end + 1] == known[end] + 1:
                end += 1
            if end - at >= 2:
                parts.append([_link(known[at], str(known[at])), "–", _link(known[end], str(known[end]))])
            else:
                parts += [[_link(number, str(number))] for number in known[at : end + 1]]
            at = end + 1
        parts += [[{"k": "lost", "c": key}] for key in keys if key not in self.places]
        return _joined(parts, ", ")

    def _to(self, key: str, words: str) -> list[Inline]:
        return [_link(self.places[key], words)] if key in self.places else [{"k": "lost", "c": key}]

    def _author(self, key: str) -> str:
        work = self.works.get(key)
        return _authors(work.csl) if work else key

    def _year(self, key: str) -> str:
        return self.years.get(key, "n.d.")


def _link(place: int, words: str) -> Inline:
    return {"k": "to", "to": f"w-{place}", "c": words}


def _joined(parts: Sequence[Sequence[Inline]], between: str) -> list[Inline]:
    made: list[Inline] = []
    for place, part in enumerate(parts):
        made += [*([between] if place else []), *part]
    return made


def _cited(texts: Iterable[str]) -> list[str]:
    found: dict[str, None] = {}
    for text in texts:
        for keys in count_cited(text):
            found.update(dict.fromkeys(keys.split(",")))
    return list(found)


def _authors(csl: Mapping[str, Any]) -> str:
    names = csl.get("author") or csl.get("editor") or []
    said = [str(name.get("family") or name.get("literal") or "") for name in names if isinstance(name, dict)]
    said = [name for name in said if name]
    if not said:
        return " ".join(str(csl.get("title") or "Untitled").split()[:4])
    return said[0] if len(said) == 1 else f"{said[0]} & {said[1]}" if len(said) == 2 else f"{said[0]} et al."


def _years(works: Mapping[str, "Work"]) -> dict[str, str]:
    """The year of each work by key, with a letter where works of one author and year would be cited alike."""
    alike: dict[tuple[str, str], list[str]] = {}
    for key, work in works.items():
        alike.setdefault((_authors(work.csl), str(year_of(work.csl) or "n.d.")), []).append(key)
    return {
        key: f"{year}{chr(97 + place) if 1 < len(keys) <= 26 else ''}"
        for (_, year), keys in alike.items()
        for place, key in enumerate(keys)
    }


@lru_cache(maxsize=4_096)
def _inlines(line: str) -> list[Inline]:
    """A printed reference, which is Markdown with emphasis, as inlines."""
    made: list[Inline] = []
    stack: list[list[Inline]] = [made]
    for token in (_READER.parseInline(line)[0].children or []) if line else []:
        if token.type in ("em_open", "strong_open"):
            inside: list[Inline] = []
            stack[-1].append({"k": "e" if token.type == "em_open" else "b", "c": inside})
            stack.append(inside)
        elif token.type in ("em_close", "strong_close"):
            stack.pop()
        elif token.type in ("text", "code_inline"):
            # An address of no blanks would run over the margin.
            stack[-1].append(re.sub(r"(?<=\w)/(?=\w)", "/\u200b", token.content))
        elif token.type in ("softbreak", "hardbreak"):
            stack[-1].append(" ")
    return made
