"""Relevance: which stored sentences may be quoted for a question at all, before ranking.

A question that the notes do not answer must end without findings, not with the nearest sentence (DESIGN 13). So a
sentence must pass four gates. The first two are for long texts; short files are judged as a whole instead
(`note_topic.py`). If a short file is about the question, every statement in it with a quantity may be quoted, ranked
after those that share its words.

1. Its document, within at most `STRETCH` characters, covers enough of the question's weighted terms and names at least
   one specific term (two if the question has three or more; if it has only two and they are adjacent, one is weak:
   "solar panels" does not match any panels). A question about the effect of X on Y is not answered by a text that
   never names X.
2. Its paragraph, with its heading, names a specific term, or continues one that does.
3. The sentence shares a content word with the question, states a quantity, or says how reliable something is. A row in
   a data file of more than `FEW_ROWS` rows must share a word in its values, since all rows share the column names.
4. It is a statement, not a reference, a question or an instruction.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, takewhile

from llm.offline.facets import doubts
from llm.offline.note_topic import is_about, is_short
from llm.offline.question import Matcher, Question, is_acting_verb
from llm.roles import Passage
from text.sentences import PARTS, Sentence, headings, is_title_like, sentences
from text.stemming import broad_stems, content_stems, figures, generic_stems, language_of
from text.table_rows import values_of

STRETCH = 4000  # characters of adjacent passages that are treated as one text
ENOUGH_COVERED = 0.4  # share of the question's term weights
ENOUGH_WITH_THREE = 0.35  # if three specific terms are named, or the question also describes a situation
ENOUGH_WITH_ONE = 0.55  # if the question has only one specific term, or one of its only two is named
FEW_ROWS = 30  # rows of a table of results; larger tables are raw data
ENOUGH_WITHOUT_A_PART = 0.6  # if a whole part of the question, e.g. its population, is not mentioned


@dataclass(frozen=True)
class Candidate:
    """A sentence that may be quoted.

    `shared` are the question's terms in it, `context` those of its paragraph, `around` those of its passage.
    """

    passage: Passage
    sentence: Sentence
    shared: frozenset[str]
    context: frozenset[str]
    around: frozenset[str]
    stems: frozenset[str]
    figures: frozenset[str]
    order: int  # position in reading order over all passages


@dataclass
class _Block:
    """A paragraph, list item or table, with the question's terms in it and above it."""

    sentences: list[Sentence]
    text_terms: frozenset[str]
    heading_terms: frozenset[str]
    near_terms: frozenset[str]  # in it and directly above it: a run-in heading, the introduction of a list
    is_headed: bool
    has_own_topic: bool  # its heading names a topic, and is not just "Results"


@dataclass
class _Read:
    """A passage with its blocks. `named` are the question's terms anywhere in it or its heading."""

    passage: Passage
    blocks: list[_Block]
    named: frozenset[str]


def candidates(question: Question, passages: Sequence[Passage]) -> list[Candidate]:
    """Return the sentences of `passages` that pass all four gates, in reading order."""
    matcher = Matcher(question)
    found: list[Candidate] = []
    ordered = sorted(
        {passage.source_id: passage for passage in passages}.values(),
        key=lambda passage: (passage.document, _natural(passage.source_id)),
    )
    for _, document in groupby(ordered, key=lambda passage: passage.document):
        found += _of_document(question, matcher, list(document), len(found))
    return found


def _natural(source_id: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", source_id)]


def _of_document(question: Question, matcher: Matcher, passages: list[Passage], offset: int) -> list[Candidate]:
    title = f"{passages[0].title}\n{_as_title(passages[0].document)}"
    if not sentences(passages[0].text):  # only a heading: the title of what follows
        title += f"\n{passages[0].text}"
    is_whole = passages[0].is_file and is_short(passages)
    if is_whole and not is_about(question, matcher, title, passages):
        return []
    read = [_read(question, matcher, passage) for passage in passages]
    kinds = [one.kind for each in read for block in each.blocks for one in block.sentences]
    rows = len(kinds) if set(kinds) == {"row"} else 0
    found: list[Candidate] = []
    title_terms = matcher.terms_in(title)
    topic = _Topic(question, title_terms, matcher.terms_in(passages[0].heading))
    for each in read if is_whole else _covered(question, read, title_terms):
        topic.follow(each)
        of_data = 0 if any(block.heading_terms for block in each.blocks) else rows
        for block in each.blocks:
            if is_whole or topic.covers(block):
                found += _of_block(question, matcher, each, block, of_data, offset + len(found))
    return found


def _as_title(document: str) -> str:
    """Return a file name as words: "02-alder_and_soil.md" becomes "alder and soil"."""
    return re.sub(r"[_\-.]+", " ", re.sub(r"\.[A-Za-z0-9]{1,5}$", "", document))


def _read(question: Question, matcher: Matcher, passage: Passage) -> _Read:
    blocks = []
    for (_, heading), group in groupby(sentences(passage.text), key=lambda one: (one.block, one.heading)):
        inside = list(group)
        terms: frozenset[str] = frozenset().union(*(matcher.terms_in(sentence.text) for sentence in inside))
        nearest = heading.rsplit(PARTS, 1)[-1] or passage.heading
        blocks.append(
            _Block(
                inside,
                terms,
                matcher.terms_in(f"{passage.heading}\n{heading}"),
                terms | matcher.terms_in(heading),
                bool(nearest),
                bool(content_stems(nearest, question.language) - generic_stems() - broad_stems()),
            )
        )
    above_all = matcher.terms_in("\n".join([passage.heading, *headings(passage.text)]))
    return _Read(passage, blocks, above_all.union(*(block.text_terms | block.heading_terms for block in blocks)))


def _covered(question: Question, read: list[_Read], title_terms: frozenset[str]) -> list[_Read]:
    """Return the passages within a stretch that passes the first gate."""
    accepted: set[int] = set()
    for first in range(len(read)):
        sizes = accumulate(len(each.passage.text) for each in read[first:])
        length = max(1, sum(1 for _ in takewhile(lambda size: size <= STRETCH, sizes)))
        if speaks_to(question, title_terms.union(*(each.named for each in read[first : first + length]))):
            accepted.update(range(first, first + length))
    return [read[place] for place in sorted(accepted)]


def speaks_to(question: Question, named: frozenset[str]) -> bool:
    """Return whether a text that names the terms `named` is on the question's topic (first gate)."""
    terms = question.terms
    specific = {term.stem for term in terms if term.is_specific}
    if not terms or len(specific & named) < (2 if len(specific) >= 3 else 1):
        return False
    acting = {term.stem for term in question.acting if term.is_specific}
    if acting and not acting & named:
        return False
    covered = sum(term.weight for term in terms if term.stem in named)
    return covered >= _needed(question, specific, named) * sum(term.weight for term in terms)


def _needed(question: Question, specific: set[str], named: frozenset[str]) -> float:
    if question.is_long or len(specific & named) >= 3:
        return ENOUGH_WITH_THREE
    if question.is_wide:
        return ENOUGH_COVERED
    acting = {term.stem for term in question.acting if term.is_specific}
    if len(acting) >= 2 and acting <= named:
        return ENOUGH_COVERED
    if len(question.one_thing & named) == 1 and not question.names & named:
        return ENOUGH_WITH_ONE
    for key, part in question.parts.items():
        of_part = {term.stem for term in part if term.is_specific}
        if len(of_part) >= (1 if key == "outcome" else 2) and not of_part & named:
            return ENOUGH_WITHOUT_A_PART
    return ENOUGH_WITH_ONE if len(specific) == 1 else ENOUGH_COVERED


_GOES_ON = re.compile(
    r"(?:it|its|this|these|that|those|they|their|both|neither|such|the same|here|he|she|in all|overall|"
    r"by contrast|in contrast|however|but|after that|afterwards|of these|of them)\b",
    re.IGNORECASE,
)


class _Topic:
    """Decides which blocks of a document are on the question's topic (second gate).

    Blocks that name a specific term, themselves or in a heading; all blocks if the title alone is on the topic; and
    under a first heading that is on the topic, all blocks except those with a heading on something else. A later block
    belongs to the topic of an earlier block if it shares one of the question's outcomes ("mortality"), and to that of
    the block right before it if it begins with a word that refers back, or is a table. A list belongs to its
    paragraph, or to its first item if that alone is on the topic.
    """

    def __init__(self, question: Question, title_terms: frozenset[str], first_heading_terms: frozenset[str]) -> None:
        self.question = question
        self.specific = {term.stem for term in question.specific}
        self.ends = {term.stem for term in question.terms if term.kind != "generic"}
        self.ends |= {term.stem for term in question.parts.get("outcome", ()) if not is_acting_verb(term.stem)}
        self.is_whole = speaks_to(question, title_terms)
        self.is_whole_but_headed = speaks_to(question, first_heading_terms | title_terms)
        self.seen = bool(self.specific & (title_terms | first_heading_terms))
        self.is_near = self.seen
        self.led_by = ""  # heading of the paragraph on the topic that a list or table may follow
        self.is_led = False
        self.led_terms: frozenset[str] = frozenset()

    def follow(self, read: _Read) -> None:
        """Process a passage that is only a heading."""
        if not read.blocks and self.specific & read.named:
            self.seen = self.is_near = True

    def covers(self, block: _Block) -> bool:
        """Return whether the next block is on the topic."""
        first = block.sentences[0]
        self.is_led = self.is_led and first.kind != "paragraph" and self.led_by.startswith(first.heading)
        names = bool(self.specific & (block.text_terms | block.heading_terms))
        self.seen |= names
        self.is_near = names or self.is_led or self._leans(block)
        opens_a_list = first.kind == "bullet" and not self.is_led and speaks_to(self.question, block.near_terms)
        if first.kind == "paragraph" or opens_a_list:
            self.is_led, self.led_by = self.is_near, first.heading
            self.led_terms = block.near_terms
        elif self.is_led:
            block.near_terms |= self.led_terms
        return self.is_near

    def _leans(self, block: _Block) -> bool:
        first = block.sentences[0]
        return (
            self.is_whole
            or (self.is_whole_but_headed and not block.has_own_topic)
            or (self.seen and bool(self.ends & block.text_terms))
            or (self.seen and block.is_headed and not block.has_own_topic)
            or (self.is_near and (first.kind in ("table", "row") or bool(_GOES_ON.match(first.text))))
        )


def _of_block(
    question: Question, matcher: Matcher, read: _Read, block: _Block, rows: int, offset: int
) -> list[Candidate]:
    """Return the sentences of a block that pass gates three and four; `rows` is the row count of a pure data file."""
    found: list[Candidate] = []
    for sentence in block.sentences:
        shared = matcher.terms_in(sentence.text)
        if rows and not (shared if rows <= FEW_ROWS else matcher.terms_in(values_of(sentence.text))):
            continue
        quantities = figures(_IDENTIFIERS.sub(" ", sentence.text))
        if (shared or quantities or _QUANTITY.search(sentence.text) or doubts(sentence)) and is_statement(sentence):
            found.append(
                Candidate(
                    read.passage,
                    sentence,
                    shared,
                    block.near_terms,
                    read.named,
                    content_stems(sentence.text, question.language),
                    quantities,
                    offset + len(found),
                )
            )
    return found


_QUANTITY = re.compile(
    r"\b(?:half|halved|quarters?|thirds?|doubled|twice|tripled|\w+fold|unchanged|as many|as much|"
    r"the same in both|no effect)\b",
    re.IGNORECASE,
)
_IDENTIFIERS = re.compile(
    r"(?:https?://|www\.)\S+|\bdoi:?\s*\S+|\b10\.\d{4,9}/\S+|\bPMC\d+|\bPMID:?\s*\d+|\bNCT\d+|\bISRCTN\d+|"
    r"\bISBN[\s\d:Xx-]+|"
    r"\b(?:19|20)\d{2};\s?\d+[\w():,.–-]*|\barXiv:\S+",
    re.IGNORECASE,
)
_HINTS = (
    "://",
    "www.",
    "doi",
    "10.",
    "pmc",
    "pmid",
    "nct",
    "isrctn",
    "isbn",
    ";",
    "arxiv",
)  # every reference contains one of these
_REFERENCE = re.compile(
    r"(?:source|quelle|reference|citation|doi|url|isbn|see also|available (?:at|from))\s*:", re.IGNORECASE
)
_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instruction|prompt|rule|above|previous|prior)|"
    r"\b(?:system prompt|as an ai\b|you are (?:now|an?)\b|you must\b|do not (?:tell|mention|reveal)\b)|"
    r"^(?:to ?do|fixme|ask|e-?mail|call|phone|buy|remind|remember to|meet(?:ing)? with)\b"  # in lower case
)
_WORD = re.compile(r"\b[^\W\d_]{3,}\b")


def is_statement(sentence: Sentence) -> bool:
    """Return whether a sentence is a statement (fourth gate): no reference, question, instruction or fragment."""
    text = sentence.text
    small = text.lower()
    if not sentence.is_whole or (sentence.kind == "paragraph" and is_title_like(text)):
        return False
    if text.rstrip('*_"”’)» ').endswith(("?", "？")) or _ORDER.search(small):
        return False
    # Searched only where it may occur, since this costs more than all other checks of a sentence.
    without = _IDENTIFIERS.sub(" ", text) if any(hint in small for hint in _HINTS) else text
    words = _WORD.findall(without)
    if (without != text or _REFERENCE.match(text)) and len([word for word in words if word[0].islower()]) < 4:
        return False
    return len(words) >= 3 or (bool(words) and bool(figures(text))) or language_of(text) == "zh"
