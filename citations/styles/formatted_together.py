"""Which works have to be formatted in one pass, and passes that are small (SPEC C12).

citeproc tells works apart that would be cited alike: "2021a", more authors, given names. So a reference depends on the
other works of its pass. These groups are never too small: works in different groups cannot change each other. They may
be larger than needed. Why a group holds what it holds: docs/decisions/importing-references.md.
"""

import calendar
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple
from xml.etree import ElementTree

from citations.formats.reading import dicts_of

PASS = 100  # works of one pass of a slow style, at which 1,000 works take least processor time
_CSL = "{http://purl.org/net/xbiblio/csl}"
_WORD = re.compile(r"\w+")
_MONTHS = {month.casefold() for month in calendar.month_name if month}
UNPRINTED = frozenset({"note", "abstract", "annote", "custom"})  # variables that no style prints
_LOOSE = None  # the key of works that may be cited without a name; other keys are words


class _Rules(NamedTuple):
    """How a style tells works apart.

    `names`: it adds given names wherever a family name occurs twice, which citeproc computes in time that grows with
    the cube of the works. `every` name counts for it, not only the first. `words` are those that the style may print.
    """

    apart: bool
    names: bool
    every: bool
    words: frozenset[str]


def groups(items: Sequence[Any], style_xml: str) -> list[list[int]]:
    """Return the places of `items` in groups of works whose references may depend on each other, in order.

    Works that share a word of a name are together. Works that may be cited without their author's name are all
    together, with everybody whose name could be among their words.
    """
    rules = _rules(style_xml)
    if not rules.apart:
        return [[place] for place in range(len(items))]
    named = [_first_names(item, style_xml) for item in items]
    loose = set(rules.words | _MONTHS)
    for item, names in zip(items, named, strict=True):
        if not names:
            loose.update(word for text in _printed_texts(item) for word in _words(text))
    joined = _Joined()
    for place, (item, names) in enumerate(zip(items, named, strict=True)):
        if not names or any(name <= loose for name in names):
            joined.join(place, _LOOSE)
        for word in _name_words(item, every=rules.every):
            joined.join(place, word)
    return joined.groups(len(items))


def passes(items: Sequence[Any], style_xml: str) -> list[list[int]]:
    """Return the places of `items` in passes that give what one pass gives.

    A style that does not compare all names takes its time per work, so one pass is fastest.
    """
    if len(items) <= PASS or not _rules(style_xml).names:
        return [list(range(len(items)))]
    found: list[list[int]] = []
    for group in groups(items, style_xml):
        if found and len(found[-1]) + len(group) <= PASS:
            found[-1] += group
        else:
            found.append(list(group))
    return [sorted(one) for one in found]


class _Joined:
    """Places that were joined with keys, and through them with each other (a disjoint-set forest)."""

    def __init__(self) -> None:
        self.parent: dict[Any, Any] = {}

    def root(self, node: Any) -> Any:
        while (above := self.parent.setdefault(node, node)) != node:
            self.parent[node] = self.parent[above]
            node = above
        return node

    def join(self, place: int, key: object) -> None:
        self.parent[self.root(("key", key))] = self.root(place)

    def groups(self, count: int) -> list[list[int]]:
        """Return the places below `count`, those that were joined together."""
        found: dict[Any, list[int]] = {}
        for place in range(count):
            found.setdefault(self.root(place), []).append(place)
        return list(found.values())


@lru_cache(maxsize=32)
def _rules(style_xml: str) -> _Rules:
    tree = ElementTree.fromstring(style_xml)
    citation = tree.find(f"{_CSL}citation")
    said = citation.attrib if citation is not None else {}
    adds_names = said.get("disambiguate-add-givenname") == "true"
    rule = said.get("givenname-disambiguation-rule", "by-cite") if adds_names else "by-cite"
    return _Rules(
        apart=any(name.startswith("disambiguate") for one in tree.iter() for name in one.attrib),
        names=rule != "by-cite",
        every=rule.startswith("all-names"),
        words=frozenset(_words(style_xml)),
    )


@lru_cache(maxsize=32)
def _macros(style_xml: str) -> dict[str | None, ElementTree.Element]:
    return {one.get("name"): one for one in ElementTree.fromstring(style_xml).findall(f"{_CSL}macro")}


def _first_names(item: Any, style_xml: str) -> list[set[str]]:
    """Return the words of the first name of each variable with names, one of which a citation shows for certain.

    Empty where a citation may show none of them, or where names may be printed without spaces between their words.
    """
    known = item if isinstance(item, dict) else {}
    lists = {name: value for name, value in known.items() if isinstance(value, list)}
    named = {name: value for name, value in lists.items() if not value or not isinstance(value[0], str)}
    found = [_of_name(value[0]) if value and isinstance(value[0], dict) else set[str]() for value in named.values()]
    spaced = all(ord(sign) < 0x530 or 0x1E00 <= ord(sign) <= 0x1FFF for sign in "".join(chain.from_iterable(found)))
    kind = str(known.get("type") or "document")
    if not all(found) or not spaced or not _cites_a_name(kind, frozenset(named), style_xml):
        return []
    return found


@lru_cache(maxsize=512)
def _cites_a_name(kind: str, named: frozenset[str], style_xml: str) -> bool:
    layout = ElementTree.fromstring(style_xml).find(f"{_CSL}citation/{_CSL}layout")
    return layout is not None and _shows_name(layout, kind, named, _macros(style_xml))


def _shows_name(
    element: ElementTree.Element, kind: str, named: frozenset[str], macros: dict[str | None, ElementTree.Element]
) -> bool:
    """Return whether `element` prints a name of each work of this type that has the variables `named`."""

    def any_of(inner: Iterable[ElementTree.Element]) -> bool:
        return any(_shows_name(one, kind, named, macros) for one in inner)

    match element.tag.removeprefix(_CSL):
        case "names":
            if any(name.get("form") == "count" for name in element.iter(f"{_CSL}name")):
                return False
            if named.intersection(element.get("variable", "").split()):
                return True
            # The first substitute that prints anything counts. Names that the work does not have print nothing.
            others = element.findall(f"{_CSL}substitute/*")
            first = next((one for one in others if one.tag != element.tag or any_of([one])), None)
            return first is not None and any_of([first])
        case "choose":
            reached = [branch for branch in element if _holds(branch, kind) is not False]
            ends = next((place for place, branch in enumerate(reached) if _holds(branch, kind)), None)
            return ends is not None and all(any_of(branch) for branch in reached[: ends + 1])
        case "text":
            macro = macros.get(element.get("macro"))
            return macro is not None and any_of(macro)
        case "layout" | "group":
            return any_of(element)
    return False


def _holds(branch: ElementTree.Element, kind: str) -> bool | None:
    """Return whether the condition of a branch holds for this type of work; None where that depends on the work."""
    if branch.tag == f"{_CSL}else":
        return True
    types = branch.get("type", "").split()
    is_type = [kind == one for one in types]
    depends = bool(branch.attrib.keys() - {"type", "match"}) or not types
    match branch.get("match", "all"):
        case "any":
            return True if any(is_type) else None if depends else False
        case "none":
            return False if any(is_type) else None if depends else True
        case _:
            return False if not all(is_type) else None if depends else True


def _name_words(item: Any, *, every: bool) -> set[str]:
    """Return the words of the first name, or of `every` name, of each variable with names."""
    named = [dicts_of(value) for value in item.values()] if isinstance(item, dict) else []
    return set(chain.from_iterable(_of_name(name) for names in named for name in (names if every else names[:1])))


def _of_name(name: dict[str, Any]) -> set[str]:
    """Return the words of a family name or a group's name, without particles such as "van"."""
    texts = [str(name.get(part) or "") for part in ("family", "literal")]
    words = _WORD.findall(" ".join(texts if any(texts) else [str(name.get("given") or "")]))
    return {word.casefold() for word in words if not word.islower()} or {word.casefold() for word in words}


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def _printed_texts(item: Any) -> Iterator[str]:
    """Yield every text of an item that a style may print, however deep."""
    known = item if isinstance(item, dict) else {}
    waiting = [value for name, value in known.items() if name not in UNPRINTED]
    while waiting:
        match waiting.pop():
            case str() as text:
                yield text
            case dict() as inner:
                waiting += inner.values()
            case list() as inner:
                waiting += inner
            case number:
                yield str(number)
