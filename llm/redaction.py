"""Private details are taken out of what a model is told, and put back into what it answers (SPEC T4).

    redaction = Redaction(salt, names)
    told = redaction.texts(["Asha Iyer, tel. 061 265 25 25"])     # ["PRIVATE-NAME-… PRIVATE-NAME-…, tel. PRIVATE-PHONE-…"]
    redaction.restore(told[0])                                     # as it was

What is one detail in one text is taken out of all of them, exactly as it is written there: names word by word, so that
white space and LaTeX between them stay where they are. No value is logged or named in an exception.
"""

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from threading import Lock
from typing import Any, NamedTuple

from llm.placeholders import Restoring, made_here, placeholder, restore, restored
from llm.result import Redacted
from text.personal_data.detection import marks_in
from text.personal_data.names import Names, finder_of
from text.personal_data.plain_view import seen, unescaped

# What stays whole: keys of references, DOIs. A key is an argument of a command of LaTeX, or stands in JSON or BibTeX.
_KEPT = re.compile(
    r"\\(?:[A-Za-z]{0,12}cite[A-Za-z]{0,12}|bibitem|(?:auto|page|eq|c|C|name)?ref|label)\*?(?:\s?\[[^\[\]]{0,200}\]){0,2}\s?\{[^{}]{0,2000}\}"
    r"|\"(?:cite_)?key\": ?\"[^\"\s]{1,200}\""
    r"|@[A-Za-z]{3,20}\{[^\s,{}]{1,200},"
    r"|10\.[0-9]{4,9}/[^\s<>\"{}\\]{1,200}"
)
# Between what is covered: ends of lines, and what LaTeX and JSON mean by a sign.
_PARTING = re.compile(r"\s*\n\s*|\\+[A-Za-z]*|[\"{}~]+")
_WORD = re.compile(r"[^\W_]")
_NAME = re.compile(r"[^\s,;.()\[\]'’|-]+")
PASSES = 4  # what is taken out may let something else stand free
SHORTEST = 5  # letters and figures of a detail that is looked for in the other texts too
FEW = 40  # details looked for one by one
CACHED = 6_000_000  # characters of texts whose redaction is remembered


class _Told(NamedTuple):
    """A text without its details: `values` says what each placeholder stands for, `whole` what else to look for."""

    text: str
    values: tuple[tuple[str, str], ...] = ()
    redacted: tuple[Redacted, ...] = ()
    whole: tuple[tuple[str, str], ...] = ()  # kind, as written


class Redaction:
    """For one question to a model: it remembers what was taken out, so that it can be put back."""

    def __init__(self, salt: str, names: Names) -> None:
        self.salt, self.names = salt, names
        self.values: dict[str, str] = {}
        self._redacted: dict[tuple[str, str], Redacted] = {}

    @property
    def redacted(self) -> tuple[Redacted, ...]:
        """What was taken out so far, each detail once."""
        return tuple(self._redacted.values())

    def texts(self, texts: Sequence[str]) -> list[str]:
        """`texts` without private details; what stands in one as a detail is taken out of the others too."""
        told = [_remembered(self.salt, self.names, text) for text in texts]
        if found := _names_in(told) - {*self.names.people}:
            # Who is named beside "patient" in one text may stand in another without that word.
            names = self.names._replace(found=tuple(sorted(found)))
            told = [_remembered(self.salt, names, text) for text in texts]
        for one in told:
            self.values.update(one.values)
            for detail in one.redacted:
                self._redacted.setdefault((detail.kind, detail.value.casefold()), detail)
        whole = list(dict.fromkeys(detail for one in told for detail in one.whole))
        return [self._elsewhere(one.text, whole) for one in told]

    def restore(self, text: str) -> str:
        """`text` with every detail back that was taken out here."""
        return restore(text, self.values)

    def answered(self, value: Any) -> Any:
        """Return what a model answered, JSON or text, with every detail back.

        A detail that stood in JSON has the backslashes of JSON; here it is without them.
        """
        return restored(value, {key: _without_json(one) for key, one in self.values.items()})

    def streaming(self) -> Restoring:
        """For an answer that comes in pieces, from a request that was told already."""
        return Restoring({key: _without_json(one) for key, one in self.values.items()})

    def _elsewhere(self, text: str, whole: Iterable[tuple[str, str]]) -> str:
        """`text` without details that were found in another one, or in it beside a word that says what they are."""
        for kind, value in _there(text, list(whole)):
            hidden = placeholder(self.salt, kind, value)
            self.values[hidden] = value
            text = re.sub(rf"(?<![^\W_]){re.escape(value)}(?![^\W_])", hidden, text)
        return text


def _names_in(told: Iterable[_Told]) -> set[str]:
    """Return the names of two words and more that texts gave away."""
    return {
        detail.value
        for one in told
        for detail in one.redacted
        if detail.kind == "patient_name" and len(detail.value.split()) > 1
    }


def _there(text: str, whole: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield those of `whole` that may stand in `text`."""
    if len(whole) > FEW:
        words = {*_TOKENS.findall(text)}
        whole = [detail for detail in whole if _TOKENS.findall(detail[1])[0] in words]
    yield from (detail for detail in whole if detail[1] in text)


_TOKENS = re.compile(r"[^\W_]+")
_cache: "OrderedDict[tuple[str, Names, str], _Told]" = OrderedDict()
_cached = 0
_lock = Lock()


def _remembered(salt: str, names: Names, text: str) -> _Told:
    """`_redacted`, kept for texts that come again: rules, digests, what was said before in a conversation."""
    global _cached
    key = (salt, names, text)
    with _lock:
        if (told := _cache.get(key)) is not None:
            _cache.move_to_end(key)
            return told
    told = _redacted(salt, names, text)
    with _lock:
        if key not in _cache:
            _cache[key] = told
            _cached += len(text)
        while _cached > CACHED:
            (_, _, old), _ = _cache.popitem(last=False)
            _cached -= len(old)
    return told


def _redacted(salt: str, names: Names, text: str) -> _Told:
    values: dict[str, str] = {}
    redacted: dict[Redacted, None] = {}
    whole: dict[tuple[str, str], None] = {}
    for _ in range(PASSES):
        covers = list(_covers(salt, names, text))
        if not covers:
            break
        changes = []
        for cover in sorted(covers, key=lambda cover: cover.start):
            written = text[cover.start : cover.end]
            hidden = placeholder(salt, cover.kind, written)
            values[hidden] = written
            redacted[Redacted(cover.kind, cover.called)] = None
            if cover.is_whole:
                whole[cover.kind, written] = None
            changes.append((cover.start, cover.end, hidden))
        text = _replaced(text, changes)
    return _Told(text, tuple(values.items()), tuple(redacted), tuple(whole))


class _Cover(NamedTuple):
    """`text[start:end]` is to become a placeholder; `called` is what people are told that it is."""

    kind: str
    start: int
    end: int
    called: str
    is_whole: bool  # it is worth looking for in other texts


def _covers(salt: str, names: Names, text: str) -> Iterator[_Cover]:
    """Yield what is to be covered, none of it twice; placeholders and keys are not touched."""
    taken = bytearray(len(text))
    own = made_here(salt, text)
    for start, end in [*own, *(found.span() for found in _KEPT.finditer(text))]:
        taken[start:end] = b"\1" * (end - start)
    # Small letters where those are, which no pattern takes for anything.
    plain = unescaped(_replaced(text, ((start, end, "x" * (end - start)) for start, end in own)))
    for mark in marks_in(plain):
        called = " ".join(text[mark.start : mark.end].split())
        parts = _NAME if mark.kind == "patient_name" else None
        for start, end in _free(plain, taken, mark.start, mark.end, parts):
            taken[start:end] = b"\1" * (end - start)
            yield _Cover(
                mark.kind,
                start,
                end,
                called,
                is_whole=parts is None and len(_WORD.findall(text, start, end)) >= SHORTEST,
            )
    for hit in finder_of(names).hits(seen(plain)):
        for first, last in hit.spans:
            for start, end in _runs(taken, first, last):
                taken[start:end] = b"\1" * (end - start)
                yield _Cover(hit.kind, start, end, hit.value, is_whole=False)


def _replaced(text: str, changes: Iterable[tuple[int, int, str]]) -> str:
    """`text` with something else in place of each stretch of `changes`, which are in order."""
    parts, at = [], 0
    for start, end, other in changes:
        parts += [text[at:start], other]
        at = end
    return "".join([*parts, text[at:]])


def _free(
    plain: str, taken: bytearray, start: int, end: int, parts: "re.Pattern[str] | None"
) -> Iterator[tuple[int, int]]:
    """Yield the pieces of `plain[start:end]` that are free and hold something: words with `parts`, else between line breaks."""
    at = start
    for first, last in [*(found.span() for found in _PARTING.finditer(plain, start, end)), (end, end)]:
        for begin, until in _runs(taken, at, first):
            if parts:
                yield from (found.span() for found in parts.finditer(plain, begin, until))
            elif _WORD.search(plain, begin, until):
                lead = len(plain[begin:until]) - len(plain[begin:until].lstrip())
                yield begin + lead, begin + len(plain[begin:until].rstrip())
        at = last


def _runs(taken: bytearray, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the stretches of `start` to `end` that nothing has taken yet."""
    at = start
    while at < end:
        first = taken.find(b"\0", at, end)
        if first < 0:
            return
        last = taken.find(b"\1", first, end)
        at = end if last < 0 else last
        yield first, at


def _without_json(value: str) -> str:
    """Return a detail as it is meant: what stood in JSON has each backslash twice, and an accent of LaTeX is one."""
    return value.replace('\\"', '"').replace("\\\\", "\\") if "\\\\" in value else value
