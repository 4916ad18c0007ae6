r"""The marks of lists as LaTeX prints them: levels, \item[..], enumitem's label=, start= and resume, \labelenumi.

pandoc gives lists no marks of their own. The mark of each item is written into a label at its beginning, which comes
back in pandoc's tree.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from latex.arguments import braced, optional
from latex.cite_keys import visible
from latex.counter_styles import styled
from latex.headings import plain
from latex.text_edits import Edit, apply_edits

ITEM = "scholium-item:"
_TOKEN = re.compile(
    r"\\(?P<way>begin|end)\s*\{(?P<name>enumerate|itemize|description|compactenum|compactitem|inparaenum|asparaenum"
    r"|asparaitem|tasks)(?P<star>\*?)\}"
    r"|\\(?P<item>item)(?![A-Za-z@])"
    r"|\\(?P<set>setcounter|addtocounter)\s*\{enum(?P<level>i{1,3}|iv)\}\s*\{\s*(?P<value>-?\d{1,6})\s*\}"
    r"|\\(?P<renewed>renewcommand\*?)\s*\{?\s*\\(?P<of>label|the)enum(?P<deep>i{1,3}|iv)\s*\}?\s*(?=\{)"
    r"|\\(?P<setlist>setlist)(?![A-Za-z])\s*(?:\[(?P<lists>[^\[\]]*)\])?\s*(?=\{)"
)
_LABELS_IN_LISTS = re.compile(
    r"\\(?P<way>begin|end)\s*\{(?:enumerate|itemize|description|compactenum|compactitem|inparaenum|asparaenum"
    r"|asparaitem|tasks)\*?\}|\\label\s*\{(?P<label>[^{}]*)\}"
)
_ORDERED = {"enumerate", "compactenum", "inparaenum", "asparaenum"}
_LEVELS = ("i", "ii", "iii", "iv")
_STYLES = ("arabic", "alph", "roman", "Alph")
_LABELS = (r"\arabic*.", r"(\alph*)", r"\roman*.", r"\Alph*.")
_COUNTED = re.compile(r"\\(arabic|alph|Alph|roman|Roman)\s*(?:\*|\{\s*\*\s*\}|\{\s*enum(?:i{1,3}|iv)\s*\})")
_OUTER = re.compile(r"\\theenum(i{1,3}|iv)(?![A-Za-z])")
_SHORT = re.compile(r"(?<!\\)\{[^{}]*\}|\\[A-Za-z]+|(?P<style>[1aAiI])")  # [(a)] of the packages enumerate, enumitem
_BULLETS = {"$\\bullet$": "•", "\\textbullet": "•", "--": "–", "---": "—", "$\\ast$": "∗", "$\\circ$": "∘"}
_DEEPEST = 4
_MOST = 20_000  # items of one chapter


@dataclass
class _List:
    """An open list; `level` counts lists of its kind from 0; `reference` is what \\ref to an item prints."""

    is_ordered: bool
    level: int
    label: str = ""
    reference: str = ""
    number: int = 0
    marks: dict[str, str] = field(default_factory=dict)


@dataclass
class _State:
    labels: list[str] = field(default_factory=lambda: list(_LABELS))
    references: list[str] = field(default_factory=lambda: [""] * _DEEPEST)  # "": without changes
    bullets: dict[int, str] = field(default_factory=dict)
    ended: dict[int, int] = field(default_factory=dict)  # the last number of a list by level, for resume
    series: dict[str, int] = field(default_factory=dict)


def with_list_marks(latex: str, macros: str = "") -> str:
    r"""Return `latex` with the mark of each item in a label; `macros` may have \setlist, \renewcommand{\labelenumi}."""
    seen = visible(latex)
    if "\\item" not in seen:
        return latex
    state = _State()
    for found in _TOKEN.finditer(macros):
        _setting(macros, found, state)
    lists: list[_List | None] = []  # None for other lists
    edits: list[Edit] = []
    for found in _TOKEN.finditer(seen):
        if found["way"] == "begin":
            end = _begin(seen, found, state, lists)
            if end > found.end():
                edits.append(Edit(found.end(), end, "%\n" * seen.count("\n", found.end(), end)))
        elif found["way"]:
            _end(state, lists)
        elif found["item"]:
            edits += _item(seen, found, lists[-1], lists) if lists and len(edits) < _MOST else []
        else:
            _setting(seen, found, state, lists)
    return apply_edits(latex, edits)


def labelled_items(latex: str, macros: str = "") -> dict[str, str]:
    r"""Return what \ref to each label in an item of a list prints."""
    if "\\item" not in latex or "\\label" not in latex:
        return {}
    found: dict[str, str] = {}
    items: list[str] = []  # what references to the open items print
    for one in _LABELS_IN_LISTS.finditer(with_list_marks(latex, macros)):
        if one["way"]:
            items = [*items, ""] if one["way"] == "begin" else items[:-1]
        elif one["label"].startswith(ITEM):
            items[-1:] = [json.loads(bytes.fromhex(one["label"].removeprefix(ITEM)))[1]]
        elif items and items[-1]:
            found[one["label"].strip()] = items[-1]
    return found


def _begin(seen: str, found: re.Match[str], state: _State, lists: list[_List | None]) -> int:
    """Open a list, and return the end of its options."""
    if found["name"] == "description" or found["name"] == "tasks":
        lists.append(None)
        return found.end()
    is_ordered = found["name"] in _ORDERED
    level = sum(one is not None and one.is_ordered == is_ordered for one in lists)
    end, given = optional(seen, found.end())
    deep = min(level, _DEEPEST - 1)
    made = _List(is_ordered, level)
    if is_ordered:
        made.label, made.reference = state.labels[deep], state.references[deep]
    else:
        made.label = state.bullets.get(level, "")
    _apply(given, made, state)
    lists.append(made)
    return end


def _apply(given: str, made: _List, state: _State) -> None:
    """Apply the options of a list."""
    if given and made.is_ordered and not re.search(r"=|resume|nosep|noitemsep|leftmargin|wide|\*\]?\Z", given):
        if short := next((one for one in _SHORT.finditer(given) if one["style"]), None):
            style = {"1": "arabic", "a": "alph", "A": "Alph", "i": "roman", "I": "Roman"}[short["style"]]
            made.label = f"{given[: short.start()]}\\{style}*{given[short.end() :]}"
            made.reference = f"\\{style}*"
        return
    for one in re.split(r",(?![^{}]*\})", given):
        name, _, value = one.partition("=")
        name, value = name.strip(), value.strip()
        value = value[1:-1] if value.startswith("{") and value.endswith("}") and "}" not in value[1:-1] else value
        if name in ("label", "label*"):
            outer = made.label if name == "label*" else ""
            made.label = made.reference = f"{outer}{value}"
        elif name == "ref":
            made.reference = value
        elif name == "start" and re.fullmatch(r"-?\d{1,6}", value):
            made.number = int(value) - 1
        elif name in ("resume", "resume*"):
            made.number = state.series.get(value, 0) if value else state.ended.get(made.level, 0)
        if name in ("series", "resume") and value:
            made.marks["series"] = value


def _end(state: _State, lists: list[_List | None]) -> None:
    done = lists.pop() if lists else None
    if done is not None and done.is_ordered:
        state.ended[done.level] = done.number
        if series := done.marks.get("series"):
            state.series[series] = done.number


def _item(seen: str, found: re.Match[str], here: _List | None, lists: list[_List | None]) -> list[Edit]:
    """Return the edit that writes the mark of an item into a label."""
    if here is None:
        return []
    end, own = optional(seen, found.end())
    is_own = end > found.end()
    if not here.is_ordered and not is_own and not here.label:
        return []
    if here.is_ordered and not is_own:
        here.number += 1
    outer = [one for one in lists[:-1] if one is not None and one.is_ordered]
    mark = _words(own) if is_own else _printed(here.label, here, outer)
    refers = _reference(here, outer) if here.is_ordered else mark
    name = json.dumps([mark[:60], refers[:60]]).encode().hex()
    new = f" \\label{{{ITEM}{name}}} " + "%\n" * seen.count("\n", found.end(), end)
    return [Edit(found.end(), end, new)]


def _printed(form: str, here: _List, outer: list[_List]) -> str:
    return _words(_counted(form, here, outer))


def _counted(form: str, here: _List, outer: list[_List]) -> str:
    form = _OUTER.sub(lambda found: _value_of(_LEVELS.index(found[1]), here, outer), form)
    starred = re.compile(r"\\(arabic|alph|Alph|roman|Roman)\s*\{\s*enum(i{1,3}|iv)\s*\}")

    def named(found: re.Match[str]) -> str:
        level = _LEVELS.index(found[2])
        one = next((one for one in [*outer, here] if one.level == level), here)
        return _counter(found[1], one.number)

    return _COUNTED.sub(lambda found: _counter(found[1], here.number), starred.sub(named, form))


def _value_of(level: int, here: _List, outer: list[_List]) -> str:
    r"""Return \theenumi and so on of an open list."""
    one = next((one for one in [*outer, here] if one.level == level), here)
    if one.reference and one is not here:
        return _counted(one.reference, one, [other for other in outer if other.level < level])
    return _counter(_STYLES[min(level, _DEEPEST - 1)], one.number)


def _reference(here: _List, outer: list[_List]) -> str:
    r"""Return what \ref to an item prints: 1, 1a, 1(a)i as LaTeX; the whole label if it was given."""
    own = _printed(here.reference, here, outer) if here.reference else ""
    own = own or _counter(_STYLES[min(here.level, _DEEPEST - 1)], here.number)
    if not outer or here.reference:
        return own
    before = _reference(outer[-1], outer[:-1]) if here.level < 2 else _nested(here.level, outer)
    return f"{before}{own}"


def _nested(level: int, outer: list[_List]) -> str:
    first = _reference(outer[0], [])
    second = _counter(_STYLES[1], outer[1].number) if len(outer) > 1 else ""
    third = _counter(_STYLES[2], outer[2].number) if level > 2 and len(outer) > 2 else ""
    return f"{first}({second}){third}"


def _counter(style: str, value: int) -> str:
    """Return `value` in a style; in digits where LaTeX would stop."""
    return styled(style, value) or str(value)


def _words(latex: str) -> str:
    """Return a mark as plain text."""
    bare = latex.strip()
    if bare in _BULLETS:
        return _BULLETS[bare]
    if re.fullmatch(r"[\w\s().:,;*+-]*", bare):
        return bare.replace("---", "—").replace("--", "–")
    return plain(bare)


def _setting(text: str, found: re.Match[str], state: _State, lists: Sequence[_List | None] = ()) -> None:
    r"""Apply \setcounter{enumi}{..}, \renewcommand{\labelenumi}{..} or \setlist."""
    if found["set"]:
        level = _LEVELS.index(found["level"])
        for one in lists:
            if one is not None and one.is_ordered and one.level == level:
                one.number = int(found["value"]) + (one.number if found["set"] == "addtocounter" else 0)
    elif found["renewed"]:
        _, form = braced(text, found.end())
        level = _LEVELS.index(found["deep"])
        if form is not None and found["of"] == "label":
            state.labels[level] = form
        elif form is not None:
            state.references[level] = form
            usual = ("{}.", "({})", "{}.", "{}.")[level]
            if state.labels[level] == _LABELS[level]:
                state.labels[level] = usual.format(form)
    elif found["setlist"]:
        _, given = braced(text, found.end())
        _set_lists([one.strip() for one in (found["lists"] or "").split(",")], given or "", state)


def _set_lists(kinds: list[str], given: str, state: _State) -> None:
    r"""Apply the options of \setlist to lists of `kinds`: ["enumerate", "1"]."""
    levels = [int(one) - 1 for one in kinds if one.isdigit()]
    for level in levels or range(_DEEPEST):
        made = _List(is_ordered=True, level=level)
        _apply(given, made, state)
        if made.label and "enumerate" in kinds and level < _DEEPEST:
            state.labels[level], state.references[level] = made.label, made.reference
        elif made.label and "itemize" in kinds:
            state.bullets[level] = made.label
