"""Redaction: private details are replaced with placeholders in prompts and restored in answers (SPEC T4).

    redaction = Redaction(salt, names)
    told = redaction.texts(["Asha Iyer, tel. 061 265 25 25"])
    # ["PRIVATE-NAME-… PRIVATE-NAME-…, tel. PRIVATE-PHONE-…"]
    redaction.restore(told[0])  # the original text

A detail found in one text is replaced in all of them, in its exact spelling. Names are replaced word by word, so that
white space and LaTeX between the words stay. No value is logged or put into an exception.
"""

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from threading import Lock
from typing import Any, NamedTuple

from llm.placeholders import StreamRestorer, made_here, placeholder, restore, restore_in_json
from llm.result import Redacted
from text.personal_data.detection import marks_in
from text.personal_data.find_names import Names, finder_of
from text.personal_data.plain_view import seen, unescaped

# Never redacted: citation keys and DOIs. A key is an argument of a LaTeX command, or part of JSON or BibTeX.
_KEPT = re.compile(
    r"\\(?:[A-Za-z]{0,12}cite[A-Za-z]{0,12}|bibitem|(?:auto|page|eq|c|C|name)?ref|label)\*?(?:\s?\[[^\[\]]{0,200}\]){0,2}\s?\{[^{}]{0,2000}\}"
    r"|\"(?:cite_)?key\": ?\"[^\"\s]{1,200}\""
    r"|@[A-Za-z]{3,20}\{[^\s,{}]{1,200},"
    r"|10\.[0-9]{4,9}/[^\s<>\"{}\\]{1,200}"
)
# Separators within a detail: line breaks, and special characters of LaTeX and JSON.
_PARTING = re.compile(r"\s*\n\s*|\\+[A-Za-z]*|[\"{}~]+")
_WORD = re.compile(r"[^\W_]")
_NAME = re.compile(r"[^\s,;.()\[\]'’|-]+")
PASSES = 4  # a replacement may expose another detail
SHORTEST = 5  # minimum letters and digits of a detail that is searched for in the other texts
FEW = 40  # up to this number, details are searched for one by one
CACHED = 6_000_000  # total characters of cached texts


class _RedactedText(NamedTuple):
    """A redacted text: `values` maps placeholders to details, `whole` are details to search for in other texts."""

    text: str
    values: tuple[tuple[str, str], ...] = ()
    redacted: tuple[Redacted, ...] = ()
    whole: tuple[tuple[str, str], ...] = ()  # kind, as written


class Redaction:
    """The redaction of one request to a model; it remembers the details, so that they can be restored."""

    def __init__(self, salt: str, names: Names) -> None:
        self.salt, self.names = salt, names
        self.values: dict[str, str] = {}
        self._redacted: dict[tuple[str, str], Redacted] = {}

    @property
    def redacted(self) -> tuple[Redacted, ...]:
        """The details redacted so far, each once."""
        return tuple(self._redacted.values())

    def texts(self, texts: Sequence[str]) -> list[str]:
        """Return `texts` with private details replaced. A detail found in one text is replaced in the others too."""
        told = [_remembered(self.salt, self.names, text) for text in texts]
        if found := _names_in(told) - {*self.names.people}:
            # A name found next to "patient" in one text may occur in another without that word.
            names = self.names._replace(found=tuple(sorted(found)))
            told = [_remembered(self.salt, names, text) for text in texts]
        for one in told:
            self.values.update(one.values)
            for detail in one.redacted:
                self._redacted.setdefault((detail.kind, detail.value.casefold()), detail)
        whole = list(dict.fromkeys(detail for one in told for detail in one.whole))
        return [self._elsewhere(one.text, whole) for one in told]

    def restore(self, text: str) -> str:
        """Return `text` with every placeholder of this redaction restored."""
        return restore(text, self.values)

    def answered(self, value: Any) -> Any:
        """Return a model's answer, JSON or text, with every placeholder restored.

        Details that were redacted within JSON text are restored without JSON escapes.
        """
        return restore_in_json(value, {key: _without_json(one) for key, one in self.values.items()})

    def streaming(self) -> StreamRestorer:
        """Return an object that restores placeholders in a streamed answer to a request that was redacted here."""
        return StreamRestorer({key: _without_json(one) for key, one in self.values.items()})

    def _elsewhere(self, text: str, whole: Iterable[tuple[str, str]]) -> str:
        """Return `text` with the details in `whole` replaced, which were found in another text or next to a label."""
        for kind, value in _there(text, list(whole)):
            hidden = placeholder(self.salt, kind, value)
            self.values[hidden] = value
            text = re.sub(rf"(?<![^\W_]){re.escape(value)}(?![^\W_])", hidden, text)
        return text


def _names_in(told: Iterable[_RedactedText]) -> set[str]:
    """Return the names of two or more words that were found in the texts."""
    return {
        detail.value
        for one in told
        for detail in one.redacted
        if detail.kind == "patient_name" and len(detail.value.split()) > 1
    }


def _there(text: str, whole: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield those of `whole` that occur in `text`."""
    if len(whole) > FEW:
        words = {*_TOKENS.findall(text)}
        whole = [detail for detail in whole if _TOKENS.findall(detail[1])[0] in words]
    yield from (detail for detail in whole if detail[1] in text)


_TOKENS = re.compile(r"[^\W_]+")
_cache: "OrderedDict[tuple[str, Names, str], _RedactedText]" = OrderedDict()
_cached = 0
_lock = Lock()


def _remembered(salt: str, names: Names, text: str) -> _RedactedText:
    """Return `_redacted`, cached for texts that recur: rules, digests, earlier messages of a conversation."""
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


def _redacted(salt: str, names: Names, text: str) -> _RedactedText:
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
    return _RedactedText(text, tuple(values.items()), tuple(redacted), tuple(whole))


class _Cover(NamedTuple):
    """A range `text[start:end]` to replace with a placeholder; `called` is the whole detail, for the user."""

    kind: str
    start: int
    end: int
    called: str
    is_whole: bool  # worth searching for in other texts


def _covers(salt: str, names: Names, text: str) -> Iterator[_Cover]:
    """Yield the ranges to replace, without overlaps; placeholders and citation keys are left out."""
    taken = bytearray(len(text))
    own = made_here(salt, text)
    for start, end in [*own, *(found.span() for found in _KEPT.finditer(text))]:
        taken[start:end] = b"\1" * (end - start)
    # Replace placeholders with small letters that match no pattern.
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
    """Return `text` with each range in `changes` (sorted) replaced by its text."""
    parts, at = [], 0
    for start, end, other in changes:
        parts += [text[at:start], other]
        at = end
    return "".join([*parts, text[at:]])


def _free(
    plain: str, taken: bytearray, start: int, end: int, parts: "re.Pattern[str] | None"
) -> Iterator[tuple[int, int]]:
    """Yield the non-empty ranges of `plain[start:end]` not taken yet: words if `parts` is given, else lines."""
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
    """Yield the ranges between `start` and `end` that are not taken yet."""
    at = start
    while at < end:
        first = taken.find(b"\0", at, end)
        if first < 0:
            return
        last = taken.find(b"\1", first, end)
        at = end if last < 0 else last
        yield first, at


def _without_json(value: str) -> str:
    """Return a detail without JSON escapes, which double each backslash of a LaTeX accent."""
    return value.replace('\\"', '"').replace("\\\\", "\\") if "\\\\" in value else value
