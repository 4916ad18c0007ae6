"""The claims of a report: each sentence that states a fact, what kind it is, and which of them are checked (SPEC R11)."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from sentencex import get_sentence_boundaries

from claims.markers import MARK, bare
from claims.not_claims import Statements, is_bold_line
from claims.quotes import quoted
from text.stemming import numbers

ClaimType = Literal["negative", "quantitative", "comparative", "other"]

WHOLE = 40  # claims up to which a report is checked whole: four questions to the model, asked at once
SHARE = 0.3  # of the claims that are neither negative nor quantitative nor comparative, in a longer one

# Between paragraphs, before an item or a heading, before a table and behind it.
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
class Cited:
    """One claim: a sentence of `section`, from `start` to `end` in its settled body, with all of its markers.

    `first` is its place, from 1, among all markers and sentences without any; `findings` are what its markers name, in
    their order. One that was `given` its source has it from code (claims.repair), not from its writer.
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
        """How many places it takes: one for each marker, and one when it has none."""
        return max(1, len(self.findings))

    @property
    def is_table(self) -> bool:
        return self.text.startswith("|")

    @property
    def id(self) -> str:
        """That of its first marker."""
        return f"C{self.first}"

    @property
    def kind(self) -> ClaimType:
        return kind_of(self.text)

    @property
    def quotes(self) -> list[str]:
        """The words it puts between quotation marks."""
        return quoted(self.text)


def claims_of(bodies: Mapping[str, str], statements: Statements | None = None) -> list[Cited]:
    """Return every sentence with markers and every other that `statements` does not let off, in the order of `bodies`:
    {section: settled body}. Without `statements`, every sentence there is.
    """
    claims: list[Cited] = []
    first = 1
    for section, body in bodies.items():
        for sentence in _all(body, statements):
            text = _tidy(bare(_UNMARKED.sub("", body[sentence.start : sentence.text_end])))
            if not sentence.findings and (not text or (statements is not None and statements.let_off(text, section))):
                continue
            head = f"{sentence.head}\n" if sentence.head else ""
            claims.append(Cited(first, section, sentence.start, sentence.end, head + text, tuple(sentence.findings)))
            first += claims[-1].size
    return claims


def kind_of(text: str) -> ClaimType:
    """negative before quantitative before comparative: what is easiest to get wrong comes first."""
    words = " ".join(text.split())
    if _NEGATIVE.search(words):
        return "negative"
    if numbers(_NAMED.sub(" ", _YEAR.sub(" ", words))) or _AMOUNT.search(words):
        return "quantitative"
    return "comparative" if _COMPARATIVE.search(words) else "other"


def chosen(claims: Sequence[Cited]) -> set[str]:
    """Return the ids of those that are checked: all of a short report; of a longer one each negative, quantitative and
    comparative one, each that was given its source, and a sample of the rest. Which, follows from their words alone.
    """
    is_short = len(claims) <= WHOLE
    return {one.id for one in claims if is_short or one.given or one.kind != "other" or _lot(one) < SHARE}


def _lot(claim: Cited) -> float:
    """Return where a claim falls between 0 and 1."""
    written = json.dumps(claim.text, ensure_ascii=False).encode()
    return int(hashlib.sha256(written).hexdigest()[:8], 16) / 16**8


@dataclass
class _Sentence:
    start: int
    end: int  # with its markers
    text_end: int
    findings: list[str]
    head: str = ""  # of the table that it is a row of


def _all(body: str, statements: Statements | None) -> Iterator[_Sentence]:
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
            # The words go on behind a marker in their middle; what follows the last one may be a full stop.
        sentences += found
        if waiting and sentences:
            sentences[0].findings[:0] = waiting
            sentences[0].start = min(sentences[0].start, body.find("[["))
            waiting = []
    yield from sentences


def _blocks(body: str, statements: Statements | None) -> Iterator[tuple[int, int]]:
    """From where to where each paragraph, list item and table of `body` reaches; headings are none, unless they state
    something (claims.not_claims).
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
    """Yield a table: one claim when its markers stand behind it or there are none, else each of its rows below the head."""
    text_end = start + len(body[start:end].rstrip())
    table = body[start:text_end]
    lines = list(re.finditer(r"[^\n]+", table))
    if not MARK.search(table) or len(lines) < 3:
        yield _Sentence(start, text_end, text_end, [])
        return
    head = bare(_UNMARKED.sub("", "\n".join(line[0].strip() for line in lines[:2])))
    for number, line in enumerate(lines):
        if number >= 2 or (number == 0 and MARK.search(line[0])):
            at, to = start + line.start(), start + line.end()
            yield _Sentence(at, to, to, [], head if number else "")


def _sentences(body: str, start: int, end: int) -> Iterator[_Sentence]:
    """Yield the sentences of one block, a table apart. They end where prose does, and where a marker ends one."""
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
    """`block` without its markers, and where each character that is left stands in it. Lines are joined."""
    skipped = {at for mark in MARK.finditer(block) for at in range(*mark.span())}
    # The space before a marker goes with it, so that a full stop behind it follows its word.
    skipped |= {mark.start() - 1 for mark in MARK.finditer(block) if block[max(0, mark.start() - 1)].isspace()}
    places = [at for at in range(len(block)) if at not in skipped]
    return "".join(" " if block[at].isspace() else block[at] for at in places), places


def _runs(block: str, places: list[int]) -> Iterator[int]:
    """Yield where the markers of `block` stand in its plain text: before which of its characters."""
    for mark in MARK.finditer(block):
        yield next((number for number, at in enumerate(places) if at >= mark.end()), len(places))


def _ends_at(plain: str, at: int) -> int | None:
    """Return where the sentence before a marker at `at` ends, if it ends there; None where its words go on."""
    before, after = plain[:at], plain[at:]
    if not before.strip():
        return None
    if closes := _CLOSES.match(after):
        return at + closes.end()
    return None if not _ENDED.search(before) and _GOES_ON.match(after) else at


def _tidy(text: str) -> str:
    """Return one line, but for a table."""
    return text.strip() if text.lstrip().startswith("|") else _TWICE.sub("", " ".join(text.split()))
