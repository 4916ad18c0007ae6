r"""Finding the marks of a typed list of references in LaTeX: [3,5-7], raised numbers, (Smith, 2019). Pure.

A mark is linked only where it is plain what it means: each of its numbers or names has exactly one entry, and its form
is the one that the list is cited in. All others are doubts, with a reason.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from latex.cite_keys import visible
from text.combining_marks import COMBINING

_MOST_RANGE = 60  # entries of one range; a wider one is no range of references
_DASH = r"(?:-{1,3}|[–—‐‑])"
_LIST = rf"\d{{1,4}}(?:\s*(?:[,;]|{_DASH})\s*\d{{1,4}})*"
_BRACKETS = re.compile(rf"(?:\{{\[\}}|\[)\s*({_LIST})\s*(?:\{{\]\}}|\])")
_PARENTHESES = re.compile(rf"\(\s*({_LIST})\s*\)")
_RAISED_LIST = re.compile(
    rf"\\textsuperscript\{{\s*[\[(]?({_LIST})[\])]?\s*\}}|\$\s*\^\{{?\s*({_LIST})\s*\}}?\s*\$|([⁰¹²³⁴⁵⁶⁷⁸⁹][⁰¹²³⁴⁵⁶⁷⁸⁹⁻,–-]*)"
)
_SIGNS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_UNIT = re.compile(r"(?:\d|(?<![A-Za-z])(?:[kmcdµμn]?m|s|kg|ft|in|R|χ|chi|x|y|n|p|r))\}?\Z")
_NO_MARK = re.compile(r"\b(?:CI|IC|KI|interval|range|ages?|aged|Eq\.|equations?|points?)\W{0,4}\Z", re.IGNORECASE)
_ARGUMENT = re.compile(r"(?:\\[A-Za-z@]+\*?|\\\\|[\]}])\s*\Z")
_HIDDEN = re.compile(
    r"\\begin\{(equation|align|gather|multline|eqnarray|tikzpicture)(\*?)\}.{0,3000}?\\end\{\1\2\}|\\\[.{0,3000}?\\\]|\\\(.{0,3000}?\\\)"
    r"|\$\$.{0,3000}?\$\$|(?<!\\)\$(?!\s*\^)[^$\n]{1,400}\$"
    r"|\\(?:[A-Za-z]*[cC]ite[A-Za-z]*|[A-Za-z]*ref|label|includegraphics|input|include|hspace|vspace|setcounter)\*?"
    r"(?:\[[^\]]*\])*\{[^{}]*\}|\\(?:texttt|lstinline|url|path)\{(?:[^{}]|\{[^{}]*\})*\}",
    re.DOTALL,
)
_ET_AL = r"(?:\\(?:emph|textit)\{et\.? al\.?\}|et\.?[ ~]al\.?|u\.[ ~]?a\.|and others|y otros|и[ ~]др\.|та[ ~]ін\.|आदि)"
_SURNAME = (
    r"(?:(?:[Vv]an|[Vv]on|[Dd]e[nrl]?|[Dd]ella|[Dd]i|[Ll]a|[Ee]l|[Aa]l)[ ~]){0,4}"
    rf"[^\W\d_a-zß-ÿ][\w'’{COMBINING}-]+"
)
_AND = r"(?:\\&|&|and|und|et(?![ ~.]*al)|y|e|и(?![ ~]др)|та(?![ ~]ін)|і|और|तथा|एवं)"
_NAMES = (
    rf"{_SURNAME}(?:,?[ ~]{_AND}[ ~]{_SURNAME}|[ ~]?/[ ~]?{_SURNAME}|,?[ ~]{_ET_AL}"
    rf"|(?:,[ ~]{_SURNAME}){{1,12}},?[ ~]{_AND}[ ~]{_SURNAME})?"
)
_YEARS = r"(?:1[5-9]|20)\d\d[a-z]?(?:\s*,\s*(?:(?:1[5-9]|20)\d\d)?[a-z]?(?<![\s,]))*"
_GROUP = rf"[^\W\d_a-zß-ÿ][\w'’{COMBINING} ~-]{{1,80}}"
_PAGE = rf"\d+(?:{_DASH}\d+)?(?:[ ~]?ff?\.)?"
_PAGES = rf"(?:pp?\.|S\.|p[áa]gs?\.|с\.|стр\.|पृ\.)[ ~]*{_PAGE}"
# "[2, p. 25]", and other words in brackets after a number
_NUMBER_AND_WORDS = re.compile(
    rf"(?:\{{\[\}}|\[)\s*(\d{{1,4}})(?:\s*[,:;]\s*({_PAGES})|[\s,:;][^][{{}}]{{0,80}})\s*(?:\{{\]\}}|\])"
)
_NAMED = re.compile(
    rf"(?:([Ss]ee(?: also)?|[Cc]f\.|[Ee]\.g\.,?|[Vv]gl\.|[Ss]iehe|[Vv]éase|[Cc]p\.)[ ~])?"
    rf"({_NAMES}|{_SURNAME}(?:,[ ~]{_SURNAME}){{1,4}}|{_GROUP})(,?)[ ~]({_YEARS})"
    rf"(?:[,:][ ~]?({_PAGES})|:[ ~]?({_PAGE}))?"
)
_ROUND = re.compile(r"\(((?:[^()\\{}$]|\\&|\\(?:emph|textit)\{et\.? al\.?\}){4,400})\)")
_NARRATIVE = re.compile(rf"({_NAMES})[ ~]\(((?:1[5-9]|20)\d\d[a-z]?)\)")
_YEAR_IN_BRACKETS = re.compile(r"\([^()]{0,200}?(?<!\d)((?:1[5-9]|20)\d\d[a-z]?)(?!\w)[^()]{0,200}\)")
_CLEAR = re.compile(rf"{_ET_AL}|\b{_AND}\b|\\&")


@dataclass(frozen=True)
class Entry:
    """What a mark can mean: an entry's number or None, its authors' surnames, its year with a letter, and its key."""

    number: int | None
    names: tuple[str, ...]
    year: str
    key: str


@dataclass(frozen=True)
class Link:
    """A mark at `start` to `end` of a text that means the entries at `places`; `latex` replaces it."""

    start: int
    end: int
    places: tuple[int, ...]
    latex: str


@dataclass(frozen=True)
class Doubt:
    """A mark that is not linked, and why."""

    start: int
    end: int
    why: str


@dataclass
class Marks:
    """The marks of a text."""

    links: list[Link] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)


class Finder:
    """Finds the marks of a list in texts. `style`: the form of its numbers ("brackets", "raised" ...), or "names"."""

    def __init__(self, entries: Sequence[Entry], style: str) -> None:
        self.entries, self.style = entries, style
        self._numbers, self._surnames = defaultdict[int, list[int]](list), defaultdict[str, list[int]](list)
        for place, one in enumerate(entries):
            if one.number is not None:
                self._numbers[one.number].append(place)
            for name in one.names[:1]:
                self._surnames[folded(name)].append(place)

    def find(self, latex: str) -> Marks:
        """Return the marks in a text."""
        seen, found = hidden(latex), Marks()
        if self.style == "names":
            self._find_names(seen, found)
            self._doubt_names(seen, found)
        # Where none of its numbers is a mark any more, one that the list lacks is told all the same.
        style = "brackets" if self.style == "names" and self._numbers else self.style
        for start, end, numbers, form in number_marks(seen):
            if form == style:
                self._link_numbers(seen, start, end, numbers, found)
            elif self.style != "names" and (form == "brackets" or (form == "raised" and style != "parentheses")):
                self._doubt_style(start, end, numbers, found)
        if style == "brackets":
            self._find_numbers_with_words(seen, found)
        found.links.sort(key=lambda one: one.start)
        found.doubts.sort(key=lambda one: one.start)
        return found

    def _doubt_style(self, start: int, end: int, numbers: str, found: Marks) -> None:
        if all(number in self._numbers for number in _numbers_in(numbers) or [0]):
            found.doubts.append(Doubt(start, end, "The other marks have another form, so it may be something else."))

    def _link_numbers(self, seen: str, start: int, end: int, written: str, found: Marks) -> None:
        numbers = _numbers_in(written)
        known = [number for number in numbers or [] if number in self._numbers]
        why = ""
        if numbers is None:
            if not re.search(r"[,;]", written) and not self._numbers.keys() >= set(
                map(int, re.findall(r"\d+", written))
            ):
                return  # "[1995-1990]"
            why = "Its range is not one of references."
        elif not known:
            why = f"The list has no entry {_series(numbers)}."
        elif len(known) < len(numbers):
            why = f"The list has no entry {_series(one for one in numbers if one not in known)}."
        elif double := [number for number in numbers if len(self._numbers[number]) > 1]:
            why = f"The list has more than one entry {_series(double)}."
        elif self.style == "raised" and _UNIT.search(seen[max(0, start - 12) : start]):
            why = "It may be a power."
        elif _NO_MARK.search(seen[max(0, start - 20) : start]):
            why = "It may be an interval or a number of its own."
        elif re.match(rf"\s*{_DASH}\s*(?:\{{\[\}}|\[)\s*\d", seen[end : end + 20]) or re.search(
            rf"\d\s*(?:\{{\]\}}|\])\s*{_DASH}\s*\Z", seen[max(0, start - 20) : start]
        ):
            why = "It may be one end of a range."
        self._settle(start, end, [self._numbers[number][0] for number in known], why, found)

    def _settle(
        self, start: int, end: int, places: Iterable[int], why: str, found: Marks, command: str = "\\cite"
    ) -> None:
        places = tuple(dict.fromkeys(places))
        if not why and (lacking := [place for place in places if not self.entries[place].key]):
            number = self.entries[lacking[0]].number
            why = f"Its entry{'' if number is None else f' {number}'} is not in the citations any more."
        if why:
            found.doubts.append(Doubt(start, end, why))
            return
        keys = ",".join(dict.fromkeys(self.entries[place].key for place in places))
        found.links.append(Link(start, end, places, f"{command}{{{keys}}}"))

    def _find_numbers_with_words(self, seen: str, found: Marks) -> None:
        for mark in _NUMBER_AND_WORDS.finditer(seen):
            if _BRACKETS.fullmatch(mark[0]) or int(mark[1]) not in self._numbers or _is_argument(seen, mark):
                continue
            places, pages = self._numbers[int(mark[1])], (mark[2] or "").replace(" ", "~")
            why = "" if pages else "It has words beside its number."
            why = why or ("" if len(places) == 1 else f"The list has more than one entry {mark[1]}.")
            self._settle(*mark.span(), places[:1], why, found, f"\\cite[{pages}]")

    def _doubt_names(self, seen: str, found: Marks) -> None:
        """Tell brackets with the year of an entry beside its name that are not read as a mark."""
        done = [(link.start, link.end) for link in found.links] + [(doubt.start, doubt.end) for doubt in found.doubts]
        names = {(folded(name), one.year[:4]) for one in self.entries for name in one.names[:1]}
        for mark in _YEAR_IN_BRACKETS.finditer(seen):
            if any(start < mark.end() and mark.start() < end for start, end in done):
                continue
            words = folded(seen[max(0, mark.start() - 40) : mark.end()])
            if any(name and year == mark[1][:4] and name in words for name, year in names):
                found.doubts.append(Doubt(*mark.span(), "It may be a citation, but its form is not known."))

    def _find_names(self, seen: str, found: Marks) -> None:
        taken: list[tuple[int, int]] = []
        for mark in _ROUND.finditer(seen):
            parts = [part.strip() for part in mark[1].split(";")]
            read = [_NAMED.fullmatch(part) for part in parts]
            if not any(read):
                continue
            taken.append(mark.span())
            self._link_named(mark, read, found)
        for mark in _NARRATIVE.finditer(seen):
            if any(start <= mark.start() < end for start, end in taken):
                continue
            places, why = self._entry_of(mark[1], mark[2])
            if why and not _CLEAR.search(mark[1]) and folded(_first(mark[1])) not in self._surnames:
                continue  # "India (2019)"
            self._settle(*mark.span(), places, why, found, "\\citet")

    def _link_named(self, mark: re.Match[str], read: list[re.Match[str] | None], found: Marks) -> None:
        places, whys, certain, options = [], [], False, ""
        for one in read:
            if one is None:
                whys.append("A part of it is no citation.")
                continue
            certain = certain or bool(one[3]) or bool(_CLEAR.search(one[2])) or folded(_first(one[2])) in self._surnames
            for year in _years(one[4]):
                found_places, why = self._entry_of(one[2], year)
                places += found_places
                whys += [why] if why else []
            pages = one[5] or one[6] or ""
            if one[1] or pages:
                options = f"[{(one[1] or '').replace('~', ' ')}][{pages.replace(' ', '~')}]"
        if not certain:
            return  # "(May 2019)"
        if options and len(read) > 1 and not whys:
            whys.append("It has pages or words of its own for one of several works.")
        options = options.replace("[][", "[")
        self._settle(*mark.span(), places, whys[0] if whys else "", found, f"\\cite{options}")

    def _entry_of(self, names: str, year: str) -> tuple[list[int], str]:
        """Return the entry that names and a year mean, or why there is none."""
        words = " ".join(names.replace("~", " ").split())
        surnames = [folded(name) for name in _surnames(words)]
        places = self._surnames.get(folded(words)) or self._surnames.get(surnames[0], [])
        places = [place for place in places if self.entries[place].year == year]
        if len(places) > 1 and len(surnames) > 1:
            places = [place for place in places if surnames[1] in map(folded, self.entries[place].names[1:])]
        if len(places) > 1:
            has_more = bool(re.search(_ET_AL, names)) or len(surnames) > 2
            places = [place for place in places if (len(self.entries[place].names) > 2) == has_more]
        if not places:
            return [], f"The list has no entry {words.replace(chr(92), '')} {year}."
        if len(places) > 1:
            return [], f"The list has more than one entry {words.replace(chr(92), '')} {year}."
        return places, ""


def style_of(texts: Iterable[str], numbers: set[int], in_brackets: bool) -> str:
    """Return the form in which the numbers of a list are cited in `texts`; "names" where none of its numbers is."""
    counts = defaultdict[str, int](int)
    for latex in texts:
        for _, _, written, style in number_marks(hidden(latex)):
            if (found := _numbers_in(written)) and numbers.issuperset(found):
                counts[style] += 1
    if counts["brackets"]:
        return "brackets"
    if in_brackets and counts["parentheses"]:
        return "parentheses"
    return "raised" if counts["raised"] else "names"


def number_marks(seen: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield all marks that are numbers in a text without what is `hidden`: start, end, the numbers, and their form."""
    forms: tuple[tuple[str, re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
        ("brackets", _BRACKETS, lambda found: found[1]),
        ("parentheses", _PARENTHESES, lambda found: found[1]),
        ("raised", _RAISED_LIST, lambda found: found[1] or found[2] or found[3].translate(_SIGNS).strip("-,–")),
    )
    for style, pattern, written in forms:
        for found in pattern.finditer(seen):
            if not _is_argument(seen, found):
                yield found.start(), found.end(), written(found), style


def _is_argument(seen: str, found: re.Match[str]) -> bool:
    """Return whether brackets are the option of a command."""
    return found[0].startswith("[") and bool(_ARGUMENT.search(seen[max(0, found.start() - 40) : found.start()]))


def hidden(latex: str) -> str:
    """Return a text with spaces in place of formulas, arguments, comments and verbatim text; its length stays."""
    return _HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), visible(latex))


def folded(name: str) -> str:
    """Return a name for comparing."""
    return re.sub(rf"[^\w{COMBINING}]|_", "", unicodedata.normalize("NFC", name.casefold()))


def _numbers_in(written: str) -> list[int] | None:
    """Return the numbers of a mark, ranges in full; None if a range is none."""
    numbers: list[int] = []
    for part in re.split(r"\s*[,;]\s*", written.strip()):
        ends = [int(end) for end in re.split(rf"\s*{_DASH}\s*", part) if end.isdecimal()]
        if not ends or len(ends) > 2 or ends[0] > ends[-1] or ends[-1] - ends[0] > _MOST_RANGE:
            return None
        numbers += range(ends[0], ends[-1] + 1)
    return numbers


def _series(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, list(dict.fromkeys(numbers))[:10]))


def _years(written: str) -> list[str]:
    """Return the years of "2019a, b, 2020"."""
    years: list[str] = []
    for part in re.split(r"\s*,\s*", written):
        years.append(part if part[:1].isdecimal() else f"{years[-1][:4]}{part}")
    return years


def _first(names: str) -> str:
    return _surnames(names)[0]


def _surnames(names: str) -> list[str]:
    parts = re.split(rf",?[ ~]+(?:{_ET_AL})|,?[ ~]+{_AND}[ ~]+|,[ ~]*|[ ~]?/[ ~]?", names)
    return [part for part in parts if part] or [names]
