"""The claims of a report: each sentence that states a fact, and its kind (SPEC R11)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from sentencex import get_sentence_boundaries

from claims.exempt_sentences import ExemptStatements, is_bold_line
from claims.markers import MARK, unguard_brackets
from claims.quotes import quotations_in
from text.stemming import numbers

ClaimType = Literal["negative", "quantitative", "comparative", "other"]

# Between paragraphs, before a list item or heading, before and after a table.
_BREAK = re.compile(
    r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*>+]|\d+[.)])[ \t])|\n(?=[ \t]*#{1,6}[ \t])"
    r"|[^|\s][ \t]*\n(?=[ \t]*\|)|\|[ \t]*\n(?![ \t]*\|)"
)
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t][^\n]*\n?")
_HASHES = re.compile(r"[ \t]*#{1,6}[ \t]+")
_DRESS = re.compile(r"\s*(?:(?:[-*>+]|\d+[.)])[ \t]+)*")
_LEADING = re.compile(r"[.;,:)\]\s]+")
_ENDED = re.compile(r"[.!?…。！？:][\"'”’»)\]*_]*\s*$")
_CLOSES = re.compile(r"\s*[.!?…。！？]+[\"'”’»)\]*_]*(?=\s|$)")
_GOES_ON = re.compile(r"\s*(?:[,;:–—-]|[(\[]|[^\W\d_A-ZÀ-Þ])")

_UNMARKED = re.compile(rf"\s*{MARK.pattern}")
_TWICE = re.compile(r"(?<=[.!?…])\s*\.+$")

_NEGATIVE = re.compile(
    r"\b(?:no|not|never|none|nor|neither|nothing|nobody|nowhere|without|cannot|lack(?:s|ed|ing)?|absent|absence of"
    r"|fail(?:s|ed)? to|hardly|scarcely|unchanged|unaffected|unrelated|insignificant|non-?significant"
    r"|nicht|nie|niemals|kein\w*|ohne|weder|ne|pas|jamais|aucune?|sans|nunca|ning[uú]n\w*|sin|tampoco)\b|n['’]t\b",
    re.IGNORECASE,
)
_YEAR = re.compile(
    r"(?:\b(?:in|of|since|from|until|by|before|after|and|to|during|between|um|seit|bis|en|depuis|desde)\s+|[(,;–-]\s*)"
    r"(?:1[5-9]|20)\d\d[a-z]?\b(?!\s*[%‰])|\b(?:1[5-9]|20)\d\d[a-z]?(?=\))",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\b[A-Za-z]+[-–]?\d[\w.-]*")  # COVID-19, IL-6, H2O
_AMOUNT = re.compile(
    r"\b(?:half|halved?|twice|thrice|doubl\w+|tripl\w+|tenfold|(?:two|three|four|five|ten|hundred)fold|majority|minority"
    r"|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand"
    r"|million|billion|dozen)s?|(?:a|one|two|three)[ -](?:thirds?|quarters?|fourths?|fifths?|tenths?)|per ?cent\w*"
    r"|Hälfte|doppelt|Prozent|moitié|deux fois|pour cent|mitad|doble|por ciento)\b",
    re.IGNORECASE,
)
_COMPARATIVE = re.compile(
    r"\b(?:than|compared|comparison|versus|vs|whereas|unlike|contrast|relative to|as \w+ as|superior|inferior|exceed\w*"
    r"|outperform\w*|more|less|fewer|most|least|better|worse|best|worst|equal\w*|same|similar\w*|differ\w*"
    r"|(?:high|low|great|larg|small|fast|slow|strong|weak|long|short|old|young|earli|late|rich|poor|wid|deep|tall)(?:e?r|est)"
    r"|als|gegenüber|mehr|weniger|besser|schlechter|höher|niedriger|plus|moins|mieux|que|más|menos|mejor|peor)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ClaimSentence:
    """One claim: a sentence of `section`, with the markers that belong to it.

    `start` and `end` are its place in the body of the section with normalised markers. `first` is its position, from 1,
    among all markers and all sentences without any; `findings` are the ids in its markers, in order. `given` means that
    code added its marker (claims.repair), not the writer.
    """

    first: int
    section: str
    start: int
    end: int
    text: str
    findings: tuple[str, ...]
    given: bool = False

    @property
    def size(self) -> int:
        """The number of positions it takes: one per marker, and one when it has none."""
        return max(1, len(self.findings))

    @property
    def is_table(self) -> bool:
        """Whether it is a table or a row of one."""
        return self.text.startswith("|")

    @property
    def id(self) -> str:
        """Its id, made of the position of its first marker."""
        return f"C{self.first}"

    @property
    def kind(self) -> ClaimType:
        """The kind of claim."""
        return kind_of(self.text)

    @property
    def quotes(self) -> list[str]:
        """The words it puts in quotation marks."""
        return quotations_in(self.text)


def claims_of(bodies: Mapping[str, str], statements: ExemptStatements | None = None) -> list[ClaimSentence]:
    """Return the claims of `bodies`, {section: body with normalised markers}, in order.

    These are all sentences with markers, and all others that `statements` does not exempt. Without `statements`, every
    sentence is a claim.
    """
    claims: list[ClaimSentence] = []
    first = 1
    for section, body in bodies.items():
        for sentence in _all(body, statements):
            text = _tidy(unguard_brackets(_UNMARKED.sub("", body[sentence.start : sentence.text_end])))
            if not sentence.findings and (not text or (statements is not None and statements.is_exempt(text, section))):
                continue
            head = f"{sentence.head}\n" if sentence.head else ""
            claims.append(
                ClaimSentence(first, section, sentence.start, sentence.end, head + text, tuple(sentence.findings))
            )
            first += claims[-1].size
    return claims


def kind_of(text: str) -> ClaimType:
    """Return the kind of a claim: negative before quantitative before comparative, the most error-prone first."""
    words = " ".join(text.split())
    if _NEGATIVE.search(words):
        return "negative"
    if numbers(_NAMED.sub(" ", _YEAR.sub(" ", words))) or _AMOUNT.search(words):
        return "quantitative"
    return "comparative" if _COMPARATIVE.search(words) else "other"


@dataclass
class _Sentence:
    start: int
    end: int  # with its markers
    text_end: int
    findings: list[str]
    head: str = ""  # head of the table, for a row


def _all(body: str, statements: ExemptStatements | None) -> Iterator[_Sentence]:
    """Yield the sentences of `body`, with the markers of each."""
    sentences: list[_Sentence] = []
    waiting: list[str] = []  # markers that stand before the first sentence
    for start, end in _blocks(body, statements):
        found = list(_sentences(body, start, end))
        for mark in MARK.finditer(body, start, end):
            of = next((one for one in reversed(sentences + found) if one.start < mark.start()), None)
            if of is None:
                waiting.append(mark[1])
                continue
            of.findings.append(mark[1])
            of.end = max(of.end, mark.end())
            # A sentence continues after a marker in its middle; after the last one only a full stop may follow.
        sentences += found
        if waiting and sentences:
            sentences[0].findings[:0] = waiting
            sentences[0].start = min(sentences[0].start, body.find("[["))
            waiting = []
    yield from sentences


def _blocks(body: str, statements: ExemptStatements | None) -> Iterator[tuple[int, int]]:
    """Yield the span of each paragraph, list item and table of `body`.

    Headings are left out unless they state something (claims.exempt_sentences).
    """
    cuts = [0, *(cut.end() for cut in _BREAK.finditer(body)), len(body)]
    for start, end in pairwise(cuts):
        heading = _HEADING.match(body, start, end)
        if heading and statements is not None and not statements.is_heading(heading[0]):
            yield start + _HASHES.match(heading[0]).end(), heading.end()  # type: ignore[union-attr]
        start = heading.end() if heading else start
        block = body[start:end]
        if block.strip() and not (statements is not None and is_bold_line(block) and statements.is_heading(block)):
            yield start, end


def _rows(body: str, start: int, end: int) -> Iterator[_Sentence]:
    """Yield the claims of a table: its rows below the head, each with its markers.

    The table is one claim when it has no markers, or only markers after it.
    """
    text_end = start + len(body[start:end].rstrip())
    table = body[start:text_end]
    lines = list(re.finditer(r"[^\n]+", table))
    if not MARK.search(table) or len(lines) < 3:
        yield _Sentence(start, text_end, text_end, [])
        return
    head = unguard_brackets(_UNMARKED.sub("", "\n".join(line[0].strip() for line in lines[:2])))
    for number, line in enumerate(lines):
        if number >= 2 or (number == 0 and MARK.search(line[0])):
            at, to = start + line.start(), start + line.end()
            yield _Sentence(at, to, to, [], head if number else "")


def _sentences(body: str, start: int, end: int) -> Iterator[_Sentence]:
    """Yield the sentences of one block; of a table, its claims. A sentence also ends where a marker ends it."""
    block = body[start:end]
    if block.lstrip().startswith("|"):
        yield from _rows(body, start, end)
        return
    plain, places = _without_markers(block)
    bounds = {0, len(plain), *(bound["end_index"] for bound in get_sentence_boundaries("en", plain))}
    bounds |= {bound for mark in _runs(block, places) if (bound := _ends_at(plain, mark)) is not None}
    dress = _DRESS.match(plain)
    first = dress.end() if dress else 0
    for left, right in pairwise(sorted(bounds)):
        left = max(left, first)
        leading = _LEADING.match(plain, left, right)
        left = leading.end() if leading else left
        words = plain[left:right].rstrip()
        if any(char.isalnum() for char in words):
            at, to = start + places[left], start + places[left + len(words) - 1] + 1
            yield _Sentence(at, to, to, [])


def _without_markers(block: str) -> tuple[str, list[int]]:
    """Return `block` without markers and with lines joined, and the position of each remaining character in it."""
    skipped = {at for mark in MARK.finditer(block) for at in range(*mark.span())}
    # The space before a marker is removed with it, so that a following full stop is next to its word.
    skipped |= {mark.start() - 1 for mark in MARK.finditer(block) if block[max(0, mark.start() - 1)].isspace()}
    places = [at for at in range(len(block)) if at not in skipped]
    return "".join(" " if block[at].isspace() else block[at] for at in places), places


def _runs(block: str, places: list[int]) -> Iterator[int]:
    """Yield the position of each marker of `block` in its text without markers."""
    for mark in MARK.finditer(block):
        yield next((number for number, at in enumerate(places) if at >= mark.end()), len(places))


def _ends_at(plain: str, at: int) -> int | None:
    """Return where the sentence before a marker at `at` ends; None where the sentence continues after it."""
    before, after = plain[:at], plain[at:]
    if not before.strip():
        return None
    if closes := _CLOSES.match(after):
        return at + closes.end()
    return None if not _ENDED.search(before) and _GOES_ON.match(after) else at


def _tidy(text: str) -> str:
    """Return the text on one line, unless it is a table."""
    return text.strip() if text.lstrip().startswith("|") else _TWICE.sub("", " ".join(text.split()))
