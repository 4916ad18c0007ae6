"""BibTeX in and out: the only module that knows bibtexparser.

bibtexparser 2 only splits a file here (it survives every malformed file with all good neighbours). Values, `#`
concatenation, @string and names are read by us, because its own layers fail whole entries over them.
"""

import logging
import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from bibtexparser import model
from bibtexparser.entrypoint import parse_string

from citations.formats.bibtex_fields import csl_of, fields_of
from citations.formats.bibtex_repair import FIELD, Mended, Unreadable, mend, value_at
from citations.formats.names_and_dates import MONTHS
from citations.formats.reading import Csl, Entry, Problem, Reading, Tick, no_tick

log = logging.getLogger(__name__)
# Failed blocks become problems that a person reads; the parser would log each of them as well.
logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)

MAX_ENTRY = 10_000  # characters of one entry that is typed (SPEC C5)
MAX_IMPORTED = 300_000  # characters of one entry of a file: thousands of authors, and a long abstract
_MAX_STRING = 10_000  # characters of one @string, and of what they add to one entry
_MOST_STRINGS = 1_000_000  # characters of all @strings of a file
_MOST_PUT_IN = 5_000_000  # characters that @strings add to all entries of a file

_KEY = re.compile(r"@\w+\s*[{(]\s*([^\s,={}()]*)")
_NO_KEY = re.compile(r"@(?!(?:string|preamble|comment)\b)\w+\s*[{(]\s*\w+\s*=", re.IGNORECASE)
_LOST_ENTRY = re.compile(r"\s*[A-Za-z]+\s*[{(]\s*([^\s,={}()]+)\s*,\s*\w+\s*=")
_LOST_FIELD = re.compile(r",?\s*\w+\s*=\s*[{\"\d]")


def read_bibtex(text: str, tick: Tick = no_tick) -> Reading:
    """Return every entry of a BibTeX file that can be read, in its order, and a problem for all else (SPEC C3, C10).

    `tick` is told how many blocks of how many are read; what it raises ends the reading.
    """
    text = text.removeprefix("\ufeff")
    library = parse_string(text, parse_stack=[])
    reader = _Reader(text)
    reader.read_strings(library.blocks)
    blocks = [*library.blocks, None]
    for number, (block, following) in enumerate(zip(library.blocks, blocks[1:], strict=True)):
        tick(number, len(library.blocks))
        reader.read(block, following)
    return Reading(reader.entries, reader.problems)


def write_bibtex(csl: Csl, key: str, *, reference_manager: bool) -> str:
    """Return one entry as BibTeX that `read_bibtex` gives back.

    For a reference manager it carries doi and pmid; a build's references.bib leaves them out, since the underscores
    of a DOI break vancouver.bst (SPEC C3).
    """
    kind, fields = fields_of(csl, reference_manager=reference_manager)
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@{kind}{{{key},\n{lines}}}\n"


class _Reader:
    """Goes through the blocks of one file; remembers the keys it has met."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0  # up to where broken entries of it are read
        self.mended: model.Block | None = None  # the rest of one, which stands in the library as a comment
        self.strings = {month: str(number) for number, month in enumerate(MONTHS, 1)}
        self.put_in = 0
        self.entries: list[Entry] = []
        self.problems: list[Problem] = []
        self.last_key = ""
        self.lines: dict[str, int] = {}

    def read_strings(self, blocks: list[model.Block]) -> None:
        """The @string abbreviations of the file; a later one may use an earlier one."""
        total = 0
        for block in blocks:
            string = block.ignore_error_block if isinstance(block, model.DuplicateBlockKeyBlock) else block
            if not isinstance(string, model.String):
                continue
            line, name = (block.start_line or 0) + 1, string.key
            try:
                value = value_at(string.value, 0, self.strings, name, _MAX_STRING)[0]
            except Unreadable as unreadable:
                self._tell(line, name, f"This @string was left out. {unreadable}", string.raw or "")
                continue
            total += len(value)
            if total > _MOST_STRINGS:
                return self._tell(line, name, "The @strings of this file are too long. The rest was left out.")
            self.strings[name.casefold()] = value

    def read(self, block: model.Block, following: model.Block | None) -> None:
        """One block of the file, which `following` comes after. Whatever an entry does to a library that reads it costs that entry alone (C10)."""
        line = (block.start_line or 0) + 1
        raw = block.raw or ""
        try:
            if block is not self.mended and not self._mend(block, following, line):
                self._read(block, line, raw)
        except RecursionError:  # its traceback would fill the log
            self._tell(
                line,
                _key_in(raw),
                "This entry cannot be read: it has too many commands inside each other. It was left out.",
                raw,
            )
        except Exception:
            log.warning("A BibTeX entry could not be read", exc_info=True)
            self._tell(line, _key_in(raw), "This entry cannot be read. It was left out.", raw)

    def _read(self, block: model.Block, line: int, raw: str) -> None:
        is_twice = isinstance(block, model.DuplicateBlockKeyBlock | model.DuplicateFieldKeyBlock)
        entry = getattr(block, "ignore_error_block", None) if is_twice else block
        if isinstance(entry, model.Entry):
            # No key is none that was used before.
            if isinstance(block, model.DuplicateBlockKeyBlock) and block.key.strip():
                self._repeated(block.key, line, entry.raw or raw)
            else:
                self._entry(entry, line)
        elif isinstance(block, model.ParsingFailedBlock) and not is_twice:
            self._tell(line, _key_in(raw), _reason(block), raw)
        elif isinstance(block, model.ImplicitComment):
            self._comment(block.comment, line)

    def _mend(self, block: model.Block, following: model.Block | None, line: int) -> bool:
        """Read an entry that the parser gave up on at its key or a comma; the rest of it is a comment to the parser."""
        if type(block) is not model.ParsingFailedBlock or not isinstance(following, model.ImplicitComment):
            return False
        start = self.text.find(block.raw or "", self.at)
        rest = self.text.find(following.comment, start + len(block.raw or "")) if start >= 0 else -1
        end = rest + len(following.comment)
        if rest < 0 or end - start > MAX_IMPORTED:
            return False
        whole = self.text[start:end]
        try:
            made = mend(whole, self._value)
        except Unreadable:
            return False
        if made is None:
            return False
        self.at, self.mended = end, following
        self._take(made, whole[: made.end], line)
        self._comment(whole[made.end :], (following.start_line or 0) + 1)
        return True

    def _take(self, made: Mended, raw: str, line: int) -> None:
        key = self.last_key = made.key
        if key and key in self.lines:
            return self._repeated(key, line, raw)
        for note in dict.fromkeys(made.notes):
            self._tell(line, key, note)
        return self._made(made.kind, key, raw, made.fields, line)

    def _comment(self, comment: str, line: int) -> None:
        """What stands between entries: nothing to tell, unless it was meant to be one or a part of one."""
        if _LOST_FIELD.match(comment):
            self._tell(
                line,
                self.last_key,
                "A brace too many closes this entry early. The fields after it were left out.",
                comment,
            )
        elif lost := _LOST_ENTRY.match(comment):
            self._tell(line, lost[1], "The @ before this entry is missing. It was left out.", comment)

    def _tell(self, line: int, key: str, message: str, text: str = "") -> None:
        self.problems.append(Problem(line, key, message, text))

    def _repeated(self, key: str, line: int, raw: str) -> None:
        first = self.lines.get(key)
        where = f" in line {first}" if first else ""
        self._tell(line, key, f"This key was already used{where}. The first entry was kept.", raw)

    def _entry(self, entry: model.Entry, line: int) -> None:
        raw = entry.raw or ""
        key = self.last_key = entry.key.strip()
        if key and key in self.lines:
            return self._repeated(key, line, raw)
        if len(raw) > MAX_IMPORTED:
            return self._tell(
                line, key, f"This entry is longer than {MAX_IMPORTED:,} characters. It was left out.", raw
            )
        try:
            fields = [pair for field in entry.fields for pair in self._values(field, key)]
        except Unreadable as unreadable:
            return self._tell(line, key, str(unreadable), raw)
        return self._made(entry.entry_type.lower(), key, raw, fields, line)

    def _made(self, kind: str, key: str, raw: str, fields: list[tuple[str, str]], line: int) -> None:
        """An entry of these fields, unless it is too long or has none."""
        values: dict[str, str] = {}
        for name, value in fields:
            if name in values:
                self._tell(line, key, f"The field “{name}” is there twice. The first was used.")
            values.setdefault(name, value)
        if too_long := self._too_long(values, raw):
            return self._tell(line, key, f"{too_long} It was left out.", raw)
        if not values:
            return self._tell(line, key, "This entry has no fields.", raw)
        if not key:
            self._tell(line, key, "This entry has no key. It gets one of its author and year.")
        csl, note = csl_of(kind, values)
        self.lines[key] = line
        self.entries.append(Entry(key, raw, csl, note, line))

    def _too_long(self, values: dict[str, str], raw: str) -> str:
        """Return what is wrong with the length of an entry whose @strings are put in, if anything."""
        added = sum(len(value) for value in values.values()) - len(raw)
        if added > _MAX_STRING:
            return f"The @strings of this entry are longer than {_MAX_STRING:,} characters."
        self.put_in += max(0, added)
        return "The @strings make this file too long before this entry." if self.put_in > _MOST_PUT_IN else ""

    def _values(self, field: model.Field, key: str) -> Iterator[tuple[str, str]]:
        """Yield the name and value of one field; several, where a comma between fields is missing."""
        name, raw, at = field.key.strip().lower(), str(field.value), 0
        while True:
            value, at = self._value(raw, at, name)
            yield name, value
            if at >= len(raw):
                return
            following = FIELD.match(raw, at)
            if not following:
                raise Unreadable(f"The field “{name}” cannot be read: text stands after its value.")
            self._tell(
                field.start_line + 1,
                key,
                f"A comma is missing after the field “{name}”. It was read as if it were there.",
            )
            name, at = following[1].lower(), following.end()

    def _value(self, raw: str, at: int, name: str) -> tuple[str, int]:
        return value_at(raw, at, self.strings, name, MAX_IMPORTED)


def _key_in(raw: str | None) -> str:
    found = None if _NO_KEY.match(raw or "") else _KEY.match(raw or "")
    return found[1] if found else ""


def _reason(block: model.ParsingFailedBlock) -> str:
    said = str(getattr(block.error, "abort_reason", ""))
    if _NO_KEY.match(block.raw or ""):
        return "This entry has no key before its first field. It was left out."
    if "after entry key, but found" in said and "comma" in said:
        return "A comma is missing after the key. This entry was left out."
    if "Unexpected block start" in said or "end of file" in said:
        return "This entry is not closed: a brace or quotation mark is missing. It was left out."
    return (
        "This entry cannot be read: something other than “name = {value}” stands between its commas. It was left out."
    )


_TAGGED = re.compile(r"<bibtex>(.*?)(?:</bibtex>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(
    r"^[ \t]*```[ \t]*(?:bibtex|bib)[ \t]*$(.*?)(?:^[ \t]*```[ \t]*$|\Z)", re.DOTALL | re.MULTILINE | re.I
)
_MARKED = re.compile(
    r"^[ \t]*%%%[ \t]*BIBTEX[ \t]*%%%[ \t]*$(.*?)(?:^[ \t]*%%%[ \t]*(?:END|/)[^\n]*$|\Z)",
    re.DOTALL | re.MULTILINE | re.I,
)
_BARE = re.compile(r"^@[a-z]{3,20}[ \t]*\{[ \t]*[^\s,{}]{1,200},", re.MULTILINE | re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*```[^\n]*$", re.MULTILINE)


class Trailer(NamedTuple):
    """BibTeX in a draft, which takes its characters `start` to `end` with the marks around it."""

    start: int
    end: int
    bibtex: str


def split_draft(draft: str) -> tuple[str, str]:
    """Return the LaTeX of a draft and its BibTeX, which is empty where there is none.

    The trailer stands in `<bibtex>` tags, behind a line `%%% BIBTEX %%%`, in a ```bibtex fence, or bare at the end.
    """
    found = trailers_in(draft)
    if not found:
        return draft, ""
    return _without(draft, [(one.start, one.end) for one in found]), "\n".join(
        _FENCE.sub("", one.bibtex).strip() for one in found
    )


def trailers_in(draft: str) -> list[Trailer]:
    """Return the BibTeX trailers of a draft in their order; a bare one goes to its end."""
    for pattern in (_TAGGED, _MARKED, _FENCED):
        if found := list(pattern.finditer(draft)):
            return [Trailer(*one.span(), one[1]) for one in found]
    bare = _BARE.search(draft)
    return [Trailer(bare.start(), len(draft), draft[bare.start() :])] if bare else []


def _without(draft: str, spans: list[tuple[int, int]]) -> str:
    edges = [0, *chain.from_iterable(spans), len(draft)]
    *parts, last = (draft[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
    text = "\n".join(filter(None, [*(part.rstrip() for part in parts), last.strip()]))
    return f"{text}\n" if text else ""
