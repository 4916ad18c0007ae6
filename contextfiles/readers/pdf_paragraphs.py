"""The paragraphs of a printed document: joined across pages and line ends, with text that is not a sentence as leads.

Page numbers and running heads would interrupt sentences that continue on the next page, so they are moved behind them.
They become leads, and so do captions, table cells and headings: all text that does not end like a sentence. A word
hyphenated at a line end is joined when the rest of the text shows that it is one word.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from operator import itemgetter

from contextfiles.passages import Part
from contextfiles.readers.pdf_columns import HYPHEN
from text.reference_lists import is_contents_heading, is_entry, is_list, is_list_heading
from text.sentences import beginnings
from text.vocabulary import STOP_WORDS

EDGE = 2  # lines at the top and at the bottom of a page that may be a running head or a number
LEAST = 3  # pages with the same running head
FULL = 0.8  # of the longest line of a paragraph: after a last line this long it may continue

_PAGE_END = "\f"
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(
    r"\W*(?:(?:page|seite|p\.|s\.)\s*)?(?:\d{1,4}|[ivxlc]{1,6})(?:\s*(?:/|of|von|de)\s*\d{1,4})?\W*", re.IGNORECASE
)
_ENDED = re.compile(r"[.!?…。！？:;][\"'”’»)\]*_]*$")
# A sentence may end with the number of a note: "fell.2" and "fell.[2]", but "0.80" is no such end.
_WHOLE = re.compile(r"[.!?…。！？][\"'”’»)\]*_]*(?:\[[\d,– -]+\])?$|[^\W\d_)%]\.\d{1,3}(?:[,–-]\d{1,3})*$")
_MARKED = re.compile(r"(?:[•‣▪◦*–-]|\(?\d{1,2}[.)]|\(?[a-z]\))\s")
_LABEL = re.compile(
    r"(?:table|figure|fig\.|tabelle|abbildung|abb\.|tab\.|tableau|tabla|figura)\s+[A-Z]?\d", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_PARTED = re.compile(rf"([^\W\d_]*){HYPHEN}([^\W\d_]*)([^\s{HYPHEN}]*)( ?)")
_COMPOUND = {
    "self", "well", "half", "long", "short", "high", "low", "two", "three", "four", "five", "one", "cross", "follow",
    "evidence", "meta", "double", "single", "multi", "full", "part", "open", "peer", "health", "early", "late",
    "large", "small", "year", "month", "week", "day", "quasi", "all", "ex",
}  # fmt: skip
_SHORT = 3  # letters: a part this short is often a word by chance, as in "there-fore" or "in-vestigate"
_SHARED = 7  # first letters, at least, that a related word has in common: "investiga-tion", "investigators"


def parts_of(pages: Sequence[str]) -> Iterator[Part]:
    """Yield the paragraphs of `pages` in order, each with the number of the page on which it begins."""
    found = list(_joined(pages))
    texts = join_hyphenated(_PAGE_END.join(part.text for part in found)).split(_PAGE_END)
    for part, text in zip(found, texts, strict=True):
        if part.is_lead:
            yield part._replace(text=text)
        else:
            yield from _sentences_and_leads(text, part.page)


def _joined(pages: Sequence[str]) -> Iterator[Part]:
    """Yield the paragraphs, joined where they continue on the next page, then page numbers and running heads."""
    heads = _heads(pages)
    held: list[Part] = []  # the last paragraph so far, then the running heads and page numbers of its page
    for number, page in enumerate(pages, start=1):
        body, around = _set_aside(page, heads)
        for at, paragraph in enumerate(filter(str.strip, _BLANK_LINE.split(body))):
            if held and not held[0].is_lead and not at and _goes_on(held[0].text, paragraph):
                before = held[0].text.rstrip()
                between = "" if before.endswith(HYPHEN) else "\n"
                held[0] = held[0]._replace(text=f"{before}{between}{paragraph.lstrip()}")
            else:
                yield from held
                held = [Part(paragraph, page=number)]
        held += [Part(line, page=number, is_lead=True) for line in around]
    yield from held


def _heads(pages: Sequence[str]) -> set[str]:
    """Return the lines, with figures replaced by #, that are at the top or bottom of several pages."""
    counts = Counter(line for page in pages for line in {_DIGITS.sub("#", line) for line in _edges(page)})
    return {line for line, times in counts.items() if times >= LEAST}


def _edges(page: str) -> list[str]:
    lines = [line.strip() for line in page.split("\n") if line.strip()]
    return [*lines[:EDGE], *lines[-EDGE:]]


def _set_aside(page: str, heads: set[str]) -> tuple[str, list[str]]:
    """Return a page without the running heads and page numbers at its edges, and the list of these."""
    lines = page.split("\n")
    filled = [at for at, line in enumerate(lines) if line.strip()]
    around: list[str] = []
    for edge in (filled[:EDGE], filled[-EDGE:][::-1]):
        for at in edge:
            line = lines[at].strip()
            if not line:
                continue
            if not (_NUMBER.fullmatch(line) or (_DIGITS.sub("#", line) in heads and not _ENDED.search(line))):
                break
            around.append(line)
            lines[at] = ""
    return "\n".join(lines), around


def _goes_on(before: str, after: str) -> bool:
    """Return whether a paragraph at the end of a page continues in the first one of the next page."""
    before, after = before.rstrip(), after.lstrip()
    lines = [line.strip() for line in before.split("\n")]
    if _ENDED.search(before) or _LABEL.match(before) or is_list_heading(lines[-1]) or is_contents_heading(lines[-1]):
        return False
    opening = after.lstrip("(\"'“‘[")
    if before.endswith((HYPHEN, ",", "-", "–", "(", "/")) or opening[:1].islower():
        return True
    is_open = before.count("(") > before.count(")") or lines[-1].split()[-1].casefold() in STOP_WORDS["en"]
    is_full = len(lines) > 1 and len(lines[-1]) >= FULL * max(map(len, lines))
    if not is_open and (not is_full or _LABEL.match(after)):
        return False
    return len(before) + 1 not in beginnings(f"{before}\n{after}")


def _sentences_and_leads(paragraph: str, page: int | None) -> Iterator[Part]:
    """Yield a paragraph, divided into sentences and leads when some of its text is not a sentence."""
    if is_entry(paragraph) or is_list(paragraph):
        yield Part(paragraph, page=page, is_lead=True)
        return
    places = [*beginnings(paragraph), len(paragraph)]
    units = [(paragraph[first:last], _is_cut(paragraph[first:last])) for first, last in pairwise(places)]
    for is_lead, group in groupby(units, key=itemgetter(1)):
        yield Part("".join(text for text, _ in group).strip(), page=page, is_lead=is_lead)


def _is_cut(unit: str) -> bool:
    """Return whether a unit is not a whole sentence: it has no end, or begins in the middle of one."""
    unit = unit.strip()
    begins_within = unit[:1] in ",;)" or (unit[:1].islower() and unit[1:2].islower())
    return not _MARKED.match(unit) and (begins_within or not _WHOLE.search(unit))


def join_hyphenated(text: str) -> str:
    """Return `text` with each HYPHEN removed or replaced by a hyphen, and the line end moved behind the word.

    A word found elsewhere without a hyphen is joined; one found with a hyphen keeps it. A word not found elsewhere is
    joined unless both parts look like words.
    """
    if HYPHEN not in text:
        return text
    words = Counter(word.lower() for word in _WORD.findall(_PARTED.sub(" ", text)))
    known = sorted(words)

    def put_together(match: re.Match[str]) -> str:
        first, second, rest, space = match.groups()
        hyphen = "" if first and second and _is_one(first, second, words, known) else "-"
        return f"{first}{hyphen}{second}{rest}" + ("\n" if space else "")

    return _PARTED.sub(put_together, text)


def _is_one(first: str, second: str, words: Counter[str], known: list[str]) -> bool:
    joined, hyphened = (first + second).lower(), f"{first}-{second}".lower()
    if words[joined] or words[hyphened]:
        return words[joined] >= words[hyphened]
    if not second[0].islower() or first.lower() in _COMPOUND:
        return False
    beginning = joined[: max(len(first) + 1, _SHARED)]
    at = bisect_left(known, beginning)
    has_kin = at < len(known) and known[at].startswith(beginning)
    return has_kin or not any(len(part) > _SHORT and words[part.lower()] for part in (first, second))
