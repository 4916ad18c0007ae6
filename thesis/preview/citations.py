"""Citations in the text and the list of references, in the citation style of the thesis (SPEC T6, C12)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from markdown_it import MarkdownIt

from citations.formats.csl import surname_of, year_of
from citations.formats.reading import dicts_of
from citations.styles.formatting import print_references, style_info
from core.errors import Refused
from core.grouping import grouped

if TYPE_CHECKING:
    from thesis.assembly.references import References as Found
    from thesis.manuscript import Work

Inline = str | dict[str, Any]


class Cited(NamedTuple):
    """A cite command: its name, its keys, and the text before and after them."""

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
    """The works `found` for the keys `cited` in a text, in the order of the list of references."""

    def __init__(self, found: "Found", cited: Iterable[str], style: str) -> None:
        self.same, self.works, self.style = found.same, found.by_key, style
        self.is_numbered = style_info(style).cites != "author and year in the text"
        if not self.is_numbered:
            self.works = dict(sorted(self.works.items(), key=lambda one: _by_author(one[1].csl)))
        self.places = {key: place for place, key in enumerate(self.works, 1)}
        all_cited = dict.fromkeys(self.same.get(key, key) for key in cited)
        self.unknown = [key for key in all_cited if key not in self.works]
        self.years = _years(self.works)

    def lines(self) -> list[dict[str, Any]]:
        """Return the list of references as {"id", "n" (number or ""), "c"}; in APA when the style cannot be used."""
        items = [work.csl for work in self.works.values()]
        try:
            lines = print_references(items, self.style)
        except Refused:
            lines = print_references(items, "apa")
        return [
            {"id": f"w-{self.places[key]}", "n": str(self.places[key]) if self.is_numbered else "", "c": _inlines(line)}
            for key, line in zip(self.works, lines, strict=True)
        ]

    def cite(self, cited: Cited) -> list[Inline]:
        """Return the inlines for a cite command; each work is a link to its reference."""
        cited = cited._replace(keys=tuple(dict.fromkeys(self.same.get(key, key) for key in cited.keys)))
        name = cited.command
        if name in _AUTHOR or name in _YEAR:
            part = self.author if name in _AUTHOR else self._year
            listed = _joined([self._to(key, part(key)) for key in cited.keys], "; ")
            return listed if name != "citeyearpar" else ["(", *listed, ")"]
        before = [*cited.before, " "] if cited.before else []
        after = [", ", *cited.after] if cited.after else []
        if self.is_numbered:
            return self._numbered(cited, [*before, *self._ranges(cited.keys), *after])
        if name in _IN_TEXT:
            opened, closed = ("", "") if name in _BARE else ("(", ")")
            each: list[list[Inline]] = [
                [
                    *self._to(key, self.author(key)),
                    f" {opened}",
                    *(before if place == 0 else []),
                    *self._to(key, self._year(key)),
                    *(after if place == len(cited.keys) - 1 else []),
                    closed,
                ]
                for place, key in enumerate(cited.keys)
            ]
            return _joined(each, "; ")
        listed = _joined([self._to(key, f"{self.author(key)}, {self._year(key)}") for key in cited.keys], "; ")
        whole = [*before, *listed, *after]
        return whole if name in _BARE else ["(", *whole, ")"]

    def _numbered(self, cited: Cited, whole: list[Inline]) -> list[Inline]:
        if cited.command not in _BARE:
            whole = ["[", *whole, "]"]
        if cited.command in _IN_TEXT and len(cited.keys) == 1:
            return [*self._to(cited.keys[0], self.author(cited.keys[0])), " ", *whole]
        return whole

    def _ranges(self, keys: Sequence[str]) -> list[Inline]:
        """Return the numbers in order, three or more in a row as a range; unknown keys as question marks."""
        known = sorted({self.places[key] for key in keys if key in self.places})
        parts: list[list[Inline]] = []
        for _, row in groupby(enumerate(known), lambda one: one[1] - one[0]):  # one after the other
            numbers = [_link(number, str(number)) for _, number in row]
            parts += [[numbers[0], "–", numbers[-1]]] if len(numbers) > 2 else [[one] for one in numbers]
        parts += [[{"k": "lost", "c": key}] for key in keys if key not in self.places]
        return _joined(parts, ", ")

    def _to(self, key: str, words: str) -> list[Inline]:
        return [_link(self.places[key], words)] if key in self.places else [{"k": "lost", "c": key}]

    def author(self, key: str) -> str:
        """Return the authors of a work as a citation names them; the key itself for an unknown work."""
        work = self.works.get(key)
        return _authors(work.csl) if work else key

    def _year(self, key: str) -> str:
        return self.years.get(key, "n.d.")


def _link(place: int, words: str) -> Inline:
    return {"k": "to", "to": f"w-{place}", "c": words}


def _joined(parts: Sequence[Sequence[Inline]], between: str) -> list[Inline]:
    return [one for place, part in enumerate(parts) for one in ([between, *part] if place else part)]


def _by_author(csl: dict[str, Any]) -> tuple[str, str]:
    return surname_of(csl).casefold(), str(year_of(csl) or "")


def _authors(csl: Mapping[str, Any]) -> str:
    people = dicts_of(csl.get("author") or csl.get("editor"))
    said = [name for one in people if (name := str(one.get("family") or one.get("literal") or ""))]
    if not said:
        return " ".join(str(csl.get("title") or "Untitled").split()[:4])
    return said[0] if len(said) == 1 else f"{said[0]} & {said[1]}" if len(said) == 2 else f"{said[0]} et al."


def _years(works: Mapping[str, "Work"]) -> dict[str, str]:
    """Return the year of each work by key, with a letter (2020a, 2020b) for works of the same author and year."""
    alike = grouped(((_authors(work.csl), str(year_of(work.csl) or "n.d.")), key) for key, work in works.items())
    return {
        key: f"{year}{chr(97 + place) if 1 < len(keys) <= 26 else ''}"
        for (_, year), keys in alike.items()
        for place, key in enumerate(keys)
    }


@lru_cache(maxsize=4_096)
def _inlines(line: str) -> list[Inline]:
    """Return a formatted reference (Markdown with emphasis) as inlines."""
    made: list[Inline] = []
    stack: list[list[Inline]] = [made]
    for token in (_READER.parseInline(line)[0].children or []) if line else []:
        match token.type:
            case "em_open" | "strong_open":
                inside: list[Inline] = []
                stack[-1].append({"k": "e" if token.type == "em_open" else "b", "c": inside})
                stack.append(inside)
            case "em_close" | "strong_close":
                stack.pop()
            case "text" | "code_inline":
                # Allow line breaks after slashes: a long address would run over the margin.
                stack[-1].append(re.sub(r"(?<=\w)/(?=\w)", "/\u200b", token.content))
            case "softbreak" | "hardbreak":
                stack[-1].append(" ")
    return made
