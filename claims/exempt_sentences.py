"""Rules for sentences of a report that state no fact on its subject, and so are not claims (SPEC R11).

All other sentences are claims, with or without a marker. A sentence is exempt only if a rule matches all of it;
whatever is not understood, or written in a language these rules do not cover, is a claim.

1. Text that the program itself writes where nothing was found.
2. A gap of the run that says what is missing, or a sentence of one, word for word, in the section on what is not known.
3. A signpost, an open question, a statement on the search: it begins with one of the openings below, and the rest has
   no figure, no quotation and no second clause, and no words except those of the run's question, brief, parts and gaps.
4. "Six trials were found by the search": a number of works, by the search, not larger than what it found.
5. A heading, or a line entirely in bold, of at most twelve words without figure and full stop; or the topic of a part
   of the run.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sentencex import get_sentence_boundaries

from claims.markers import MARK, unguard_brackets
from claims.numbers import has_figures
from llm.offline.report import NO_GAP
from llm.offline.report import NOTHING as NOTHING_AT_HAND
from llm.roles import Heading
from text.stemming import content_stems, language_of, stem

EMPTIED = "What was written here did not hold against its sources and was taken out."
_THIS = r"(?:this|the (?:next|following|present|first|second|third|last))"
_PARTS = r"(?:section|report|review|chapter|part|paragraph|summary|overview|table|introduction|conclusion)"
_OPENINGS = re.compile(
    rf"(?:{_THIS} {_PARTS} (?:discusses|presents|describes|summari[sz]es|covers|reviews|outlines|introduces|turns to"
    r"|deals with|addresses|considers|examines|looks at|sets out|brings together|asks|concerns|is about|is on)"
    r"|in (?:this|what follows|the following),? (?:section |chapter |part |report |review )?we"
    r" (?:discuss|present|describe|review)"
    r"|dieser? (?:abschnitt|bericht|teil|kapitel|überblick) (?:behandelt|beschreibt|bespricht)"
    r"|cette section (?:présente|décrit|traite de)|ce (?:chapitre|rapport) (?:présente|décrit|traite de)"
    r"|est[ae] (?:sección|capítulo|informe) (?:presenta|describe|trata de)"
    r"|it (?:is|remains) (?:not known|unknown|unclear|open) (?:whether|how|why|what|which)"
    r"|(?:whether|how) (?=.{1,200} (?:is|remains) (?:not known|unknown|unclear|open)$)"
    r"|(?:nothing|no (?:source|sources|study|studies|trial|trials|work|works|evidence|passage|finding|findings))"
    r" (?:was|were) found(?: by (?:the|this) (?:search|run)| in (?:the|this) (?:search|run))?(?: (?:on|about|for))?"
    r"|(?:the|this) (?:search|run) (?:was limited to|covered|did not cover|did not reach|looked for"
    r"|found nothing (?:on|about))"
    r"|(?:open (?:gaps?|questions?)|gaps?)(?: left by this (?:search|run|report))?:?)(?=\s|$)",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"(?P<count>\w+) (?:trials|studies|works|papers|articles|sources|documents|records|passages|findings|reviews|files)"
    r" were (?:found|retrieved|read|screened) (?:by|in|for) (?:the|this) (?:search|run|report|review)",
    re.IGNORECASE,
)
_COUNTS = {
    word: n
    for n, word in enumerate(
        ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
}
_CLAUSE = re.compile(
    r"[:;“”\"«»„(\[|–—]|\b(?:that|which|who|whom|whose|because|since|although|though|while|whereas|but|yet|it|they|he|she|we"
    r"|these|so|thus|hence|if|when|dass|weil|der|welche\w*|aber|es|sie|que|qui|car|mais|il|elle|porque|pero|quien)\b",
    re.IGNORECASE,
)
# Words by which a signpost says what it is about.
_KINDS = """
    aim aims answer answers aspect aspects approach background benefit benefits cause causes comparison context data
    debate debates definition definitions design designs detail details effect effects evidence field finding findings
    framework gap gaps harm harms history introduction issue issues key limit limitation limitations limits literature
    main material mechanism mechanisms method methods methodology open outcome outcomes part parts population
    populations problem question questions research result results review risk risks role scope search section setting
    source sources state studies study subject summary theme themes theory topic topics trial trials use work works
    first second following different various current available further future recent unknown unclear known found remain
    remains open turn
"""
_LACKS = re.compile(
    r"\b(?:no|not|nothing|none|never|only|without|missing|lack\w*|unknown|unclear|open|gaps?|whether|kein\w*|nicht|fehl\w*"
    r"|unklar|offen|pas|aucun\w*|manque\w*|inconnu\w*|sin|ning[uú]n\w*|falta\w*|se desconoce)\b|\?\s*$",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(r"\b(?:gaps?|not known|not found|future|unknown|open|limits?|limitations?)\b", re.IGNORECASE)
LONGEST = 12  # words of a heading
_EMPHASIS = re.compile(r"[*_`]+")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]+")
_BOLD = re.compile(r"\s*(\*\*|__)(?:(?!\1).)+\1:?\s*", re.DOTALL)


@dataclass(frozen=True)
class ExemptStatements:
    """What a run says about itself, by which sentences are exempt, and the number of works it found."""

    stems: frozenset[str]
    gaps: frozenset[str]
    works: int
    topics: frozenset[str] = frozenset()  # topics of its parts, which are headings of themes in a report
    unknown: frozenset[str] = frozenset()  # keys of the sections on what is not known
    ours: frozenset[str] = frozenset()  # text that the program writes where nothing was found

    @classmethod
    def of(
        cls,
        headings: Iterable[Heading],
        *,
        asked: Iterable[str],
        topics: Iterable[str],
        gaps: Sequence[str],
        works: int,
        written: Iterable[str],
    ) -> "ExemptStatements":
        """Return the rules for a report with those `headings`.

        They come from its run: what was `asked`, the `topics` of its parts, its `gaps`, the number of `works` it found,
        and the sentences that it has `written` where nothing was found.
        """
        return cls(
            _stems([*asked, *gaps]),
            frozenset(_plain(one) for gap in gaps if _LACKS.search(gap) for one in (gap, *_sentences(gap))),
            works,
            frozenset(map(_plain, topics)),
            frozenset(one.key for one in headings if _UNKNOWN.search(f"{one.key} {one.title}")),
            frozenset(map(_plain, (*written, EMPTIED, NO_GAP, NOTHING_AT_HAND))),
        )

    def is_exempt(self, text: str, section: str) -> bool:
        """Return whether the sentence `text` of `section`, as a reader sees it, states no fact on the subject."""
        plain = _plain(text)
        is_gap = plain in self.gaps and section in self.unknown
        if is_gap or plain in self.ours or not any(char.isalnum() for char in plain):
            return True
        if found := _COUNTED.fullmatch(plain):
            count = found["count"].casefold()
            number = _COUNTS.get(count, int(count) if count.isdecimal() and len(count) < 10 else None)
            return number is not None and number <= self.works
        opening = _OPENINGS.match(plain)
        return opening is not None and self._is_own(plain[opening.end() :])

    def is_heading(self, text: str) -> bool:
        """Return whether the line `text`, a heading or all in bold, is a title and states nothing."""
        plain = " ".join(MARK.sub("", _EMPHASIS.sub("", _HEADING.sub("", text, count=1))).split())
        if plain.rstrip(" .!…") in self.topics:
            return True
        if has_figures(plain):
            return False
        is_short = len(plain.split()) <= LONGEST and not plain.endswith((".", "!", "。", "！", "…"))
        return is_short or _stems([plain]) <= self.stems

    def _is_own(self, rest: str) -> bool:
        known = self.stems | frozenset(map(stem, _KINDS.split()))
        return not has_figures(rest) and not _CLAUSE.search(rest) and _stems([rest]) <= known


def is_bold_line(block: str) -> bool:
    """Return whether a paragraph is one line entirely in bold: a heading in disguise."""
    return len(block) < 300 and _BOLD.fullmatch(block) is not None


def _sentences(text: str) -> list[str]:
    return [text[one["start_index"] : one["end_index"]] for one in get_sentence_boundaries("en", text)]


def _plain(text: str) -> str:
    return " ".join(_EMPHASIS.sub("", unguard_brackets(text)).split()).rstrip(" .!…")


def _stems(texts: Iterable[str]) -> frozenset[str]:
    return frozenset().union(*(content_stems(text, language_of(text)) for text in texts))
