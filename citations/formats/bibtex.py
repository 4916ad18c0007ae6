"""The reader and writer of BibTeX: the only module that uses bibtexparser.

bibtexparser 2 only splits a file into blocks here; it keeps all valid entries of a malformed file. Values, `#`
concatenation, @string and names are parsed by our own code, since its middleware rejects whole entries because of them.
"""

import logging
import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from bibtexparser import model
from bibtexparser.entrypoint import parse_string

from citations.formats.bibtex_fields import csl_from_bibtex, fields_of
from citations.formats.bibtex_repair import FIELD, RepairedEntry, Unreadable, read_value, repair_entry
from citations.formats.names_and_dates import MONTHS
from citations.formats.reading import Csl, Entry, Problem, ProgressCallback, Reading, no_progress

log = logging.getLogger(__name__)
# Failed blocks are reported to the person; the parser would log each of them as well.
logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)

MAX_ENTRY = 10_000  # characters of one typed entry (SPEC C5)
MAX_IMPORTED = 300_000  # characters of one entry of a file, which may have thousands of authors and a long abstract
_MAX_STRING = 10_000  # characters of one @string, and of all that @strings add to one entry
_MOST_STRINGS = 1_000_000  # characters of all @strings of a file
_MOST_PUT_IN = 5_000_000  # characters that @strings add to all entries of a file

_KEY = re.compile(r"@\w+\s*[{(]\s*([^\s,={}()]*)")
_NO_KEY = re.compile(r"@(?!(?:string|preamble|comment)\b)\w+\s*[{(]\s*\w+\s*=", re.IGNORECASE)
_LOST_ENTRY = re.compile(r"\s*[A-Za-z]+\s*[{(]\s*([^\s,={}()]+)\s*,\s*\w+\s*=")
_LOST_FIELD = re.compile(r",?\s*\w+\s*=\s*[{\"\d]")


def read_bibtex(text: str, tick: ProgressCallback = no_progress) -> Reading:
    """Read a BibTeX file: return its readable entries in order, and a problem for each other part (SPEC C3, C10).

    `tick` is called with the number of blocks read and the total; an exception from it ends the reading.
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
    """Return one entry as BibTeX, which `read_bibtex` reads back unchanged.

    For a reference manager it has doi and pmid; the references.bib of a LaTeX build leaves them out, since the
    underscores of a DOI break vancouver.bst (SPEC C3).
    """
    kind, fields = fields_of(csl, reference_manager=reference_manager)
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@{kind}{{{key},\n{lines}}}\n"


class _Reader:
    """Reads the blocks of one file one after another and remembers their keys."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0  # the end of the last repaired entry in `text`
        self.mended: model.Block | None = None  # the rest of a repaired entry, which the parser returns as a comment
        self.strings = {month: str(number) for number, month in enumerate(MONTHS, 1)}
        self.put_in = 0
        self.entries: list[Entry] = []
        self.problems: list[Problem] = []
        self.last_key = ""
        self.lines: dict[str, int] = {}

    def read_strings(self, blocks: list[model.Block]) -> None:
        """Read the @string definitions of the file; a later one may use an earlier one."""
        total = 0
        for block in blocks:
            string = block.ignore_error_block if isinstance(block, model.DuplicateBlockKeyBlock) else block
            if not isinstance(string, model.String):
                continue
            line, name = (block.start_line or 0) + 1, string.key
            try:
                value = read_value(string.value, 0, self.strings, name, _MAX_STRING)[0]
            except Unreadable as unreadable:
                self._report(line, name, f"This @string was left out. {unreadable}", string.raw or "")
                continue
            total += len(value)
            if total > _MOST_STRINGS:
                return self._report(line, name, "The @strings of this file are too long. The rest was left out.")
            self.strings[name.casefold()] = value

    def read(self, block: model.Block, following: model.Block | None) -> None:
        """Read one block of the file; `following` is the next one. Any error affects only this entry (SPEC C10)."""
        line = (block.start_line or 0) + 1
        raw = block.raw or ""
        try:
            if block is not self.mended and not self._repair(block, following, line):
                self._read(block, line, raw)
        except RecursionError:  # its traceback would fill the log
            self._report(
                line,
                _key_in(raw),
                "This entry cannot be read: its commands are nested too deeply. It was left out.",
                raw,
            )
        except Exception:
            log.warning("A BibTeX entry could not be read", exc_info=True)
            self._report(line, _key_in(raw), "This entry cannot be read. It was left out.", raw)

    def _read(self, block: model.Block, line: int, raw: str) -> None:
        is_twice = isinstance(block, model.DuplicateBlockKeyBlock | model.DuplicateFieldKeyBlock)
        entry = getattr(block, "ignore_error_block", None) if is_twice else block
        if isinstance(entry, model.Entry):
            # An empty key is never a repeated one.
            if isinstance(block, model.DuplicateBlockKeyBlock) and block.key.strip():
                self._repeated(block.key, line, entry.raw or raw)
            else:
                self._entry(entry, line)
        elif isinstance(block, model.ParsingFailedBlock) and not is_twice:
            self._report(line, _key_in(raw), _reason(block), raw)
        elif isinstance(block, model.ImplicitComment):
            self._comment(block.comment, line)

    def _repair(self, block: model.Block, following: model.Block | None, line: int) -> bool:
        """Try to repair an entry that the parser rejected because of its key or a comma; return whether it worked.

        The parser returns the rest of such an entry as a comment, `following`.
        """
        if type(block) is not model.ParsingFailedBlock or not isinstance(following, model.ImplicitComment):
            return False
        start = self.text.find(block.raw or "", self.at)
        rest = self.text.find(following.comment, start + len(block.raw or "")) if start >= 0 else -1
        end = rest + len(following.comment)
        if rest < 0 or end - start > MAX_IMPORTED:
            return False
        whole = self.text[start:end]
        try:
            made = repair_entry(whole, self._value)
        except Unreadable:
            return False
        if made is None:
            return False
        self.at, self.mended = end, following
        self._add_repaired(made, whole[: made.end], line)
        self._comment(whole[made.end :], (following.start_line or 0) + 1)
        return True

    def _add_repaired(self, made: RepairedEntry, raw: str, line: int) -> None:
        key = self.last_key = made.key
        if key and key in self.lines:
            return self._repeated(key, line, raw)
        for note in dict.fromkeys(made.notes):
            self._report(line, key, note)
        return self._add_entry(made.kind, key, raw, made.fields, line)

    def _comment(self, comment: str, line: int) -> None:
        """Report text between entries that looks like an entry or a part of one."""
        if _LOST_FIELD.match(comment):
            self._report(
                line,
                self.last_key,
                "An extra brace closes this entry too early. The fields after it were left out.",
                comment,
            )
        elif lost := _LOST_ENTRY.match(comment):
            self._report(line, lost[1], "The @ before this entry is missing. It was left out.", comment)

    def _report(self, line: int, key: str, message: str, text: str = "") -> None:
        self.problems.append(Problem(line, key, message, text))

    def _repeated(self, key: str, line: int, raw: str) -> None:
        first = self.lines.get(key)
        where = f" in line {first}" if first else ""
        self._report(line, key, f"This key was already used{where}. The first entry was kept.", raw)

    def _entry(self, entry: model.Entry, line: int) -> None:
        raw = entry.raw or ""
        key = self.last_key = entry.key.strip()
        if key and key in self.lines:
            return self._repeated(key, line, raw)
        if len(raw) > MAX_IMPORTED:
            return self._report(
                line, key, f"This entry is longer than {MAX_IMPORTED:,} characters. It was left out.", raw
            )
        try:
            fields = [pair for field in entry.fields for pair in self._values(field, key)]
        except Unreadable as unreadable:
            return self._report(line, key, str(unreadable), raw)
        return self._add_entry(entry.entry_type.lower(), key, raw, fields, line)

    def _add_entry(self, kind: str, key: str, raw: str, fields: list[tuple[str, str]], line: int) -> None:
        """Add the entry with these fields, unless it is too long or has none."""
        values: dict[str, str] = {}
        for name, value in fields:
            if name in values:
                self._report(line, key, f"The field “{name}” appears twice. The first was used.")
            values.setdefault(name, value)
        if too_long := self._too_long(values, raw):
            return self._report(line, key, f"{too_long} It was left out.", raw)
        if not values:
            return self._report(line, key, "This entry has no fields.", raw)
        if not key:
            self._report(line, key, "This entry has no key. One is made from its author and year.")
        csl, note = csl_from_bibtex(kind, values)
        self.lines[key] = line
        self.entries.append(Entry(key, raw, csl, note, line))

    def _too_long(self, values: dict[str, str], raw: str) -> str:
        """Return a sentence if the @strings make an entry or the file too long; empty otherwise."""
        added = sum(len(value) for value in values.values()) - len(raw)
        if added > _MAX_STRING:
            return f"The @strings of this entry are longer than {_MAX_STRING:,} characters."
        self.put_in += max(0, added)
        return "The @strings make the entries of this file too long." if self.put_in > _MOST_PUT_IN else ""

    def _values(self, field: model.Field, key: str) -> Iterator[tuple[str, str]]:
        """Yield the name and value of a field, and of further fields where the comma between them is missing."""
        name, raw, at = field.key.strip().lower(), str(field.value), 0
        while True:
            value, at = self._value(raw, at, name)
            yield name, value
            if at >= len(raw):
                return
            following = FIELD.match(raw, at)
            if not following:
                raise Unreadable(f"The field “{name}” cannot be read: there is text after its value.")
            self._report(
                field.start_line + 1,
                key,
                f"A comma is missing after the field “{name}”. It was read as if it were there.",
            )
            name, at = following[1].lower(), following.end()

    def _value(self, raw: str, at: int, name: str) -> tuple[str, int]:
        return read_value(raw, at, self.strings, name, MAX_IMPORTED)


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
        "This entry cannot be read: something between its commas is not of the form “name = {value}”. It was left out."
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
    """The BibTeX of a draft; `start` and `end` are its position with the marks around it."""

    start: int
    end: int
    bibtex: str


def split_draft(draft: str) -> tuple[str, str]:
    """Split a draft into its LaTeX and its BibTeX, which is empty where there is none.

    The BibTeX trailer is in `<bibtex>` tags, after a line `%%% BIBTEX %%%`, in a ```bibtex fence, or bare at the end.
    """
    found = trailers_in(draft)
    if not found:
        return draft, ""
    return _remove_spans(draft, [(one.start, one.end) for one in found]), "\n".join(
        _FENCE.sub("", one.bibtex).strip() for one in found
    )


def trailers_in(draft: str) -> list[Trailer]:
    """Return the BibTeX trailers of a draft in order; a bare one extends to the end."""
    for pattern in (_TAGGED, _MARKED, _FENCED):
        if found := list(pattern.finditer(draft)):
            return [Trailer(*one.span(), one[1]) for one in found]
    bare = _BARE.search(draft)
    return [Trailer(bare.start(), len(draft), draft[bare.start() :])] if bare else []


def _remove_spans(draft: str, spans: list[tuple[int, int]]) -> str:
    edges = [0, *chain.from_iterable(spans), len(draft)]
    *parts, last = (draft[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
    text = "\n".join(filter(None, [*(part.rstrip() for part in parts), last.strip()]))
    return f"{text}\n" if text else ""
