"""RIS in, from any reference manager or database (SPEC C10): the only module that knows rispy.

rispy reads one entry at a time. The file is cut into entries here, because a single missing ER would make it join two,
and what stands before the first entry, between two or in a broken one must be told to the person who brought it.
"""

import logging
import re
from collections.abc import Iterator
from typing import Any

from rispy.parser import RisParser

from citations.formats.entries import Entry, Problem, Reading, Tick, is_work, no_tick
from citations.formats.ris_fields import csl_of, note_of

log = logging.getLogger(__name__)

MAX_ENTRY = 300_000  # characters of one entry
# Two letters, two spaces, a hyphen; some programs indent the line, or leave the space after the hyphen out.
_TAG = re.compile(r"\s{0,8}([A-Z][A-Z0-9])  -(?: (.*)|(\S.*)|\s*)")
_LINE_END = re.compile(r"\r\n?|\n")


class _Parser(RisParser):  # type: ignore[misc]  # rispy carries no types
    """rispy with a lenient eye for tags, and with addresses left whole: a semicolon may be a part of one."""

    DEFAULT_DELIMITER_MAPPING: dict[str, str] = {}
    DEFAULT_LIST_TAGS = [*RisParser.DEFAULT_LIST_TAGS, "SN"]  # a chapter has an ISBN, and an ISSN of its series

    def parse_line(self, line: str) -> tuple[str | None, str]:
        found = _TAG.fullmatch(line)
        return (found[1], (found[2] or found[3] or "").strip()) if found else (None, line.strip())


def read_ris(text: str, tick: Tick = no_tick) -> Reading:
    """Every entry of a RIS file that can be read, in its order, and a problem for all else.

    `tick` is told how many lines of how many are read; what it raises ends the reading. A key is kept where a text can
    cite it and no entry before has it.
    """
    reader = _Reader()
    lines = _LINE_END.split(text)
    for number, line in enumerate(lines):
        if number % 500 == 0:
            tick(number, len(lines))
        reader.read(number + 1, line.replace("\ufeff", ""))  # a mark also where files were joined
    reader.close("")
    return Reading(reader.entries, reader.problems)


class _Reader:
    """Goes through the lines of one file and cuts it into entries."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.problems: list[Problem] = []
        self.lines: list[str] = []
        self.begun = 0  # the line the present entry, or what stands outside of one, begins in
        self.is_entry = False
        self.keys: set[str] = set()

    def read(self, number: int, line: str) -> None:
        found = _TAG.fullmatch(line)
        tag = found[1] if found else ""
        if tag == "TY":
            self.close("The line ER at the end of this entry is missing. It was read as if it were there.")
            self.is_entry, self.begun, self.lines = True, number, [line]
        elif tag == "ER" and self.is_entry:
            self.close("")
        elif self.is_entry or (line.strip() and tag != "ER"):
            self.begun = self.begun if self.lines else number
            self.lines.append(line)

    def close(self, missing: str) -> None:
        """What has come together is an entry, lacking its end when `missing` says so, or stands outside of all."""
        lines, self.lines = self.lines, []
        if self.is_entry:
            self.is_entry = False
            self._entry(lines, missing)
        elif lines:
            said = "These lines stand outside every entry, which begins with TY and ends with ER. They were left out."
            self._tell("", said, "\n".join(lines))

    def _entry(self, lines: list[str], missing: str) -> None:
        raw = "\n".join(lines)
        if len(raw) > MAX_ENTRY:
            return self._tell("", f"This entry is longer than {MAX_ENTRY:,} characters. It was left out.", raw)
        try:
            (fields,) = _Parser().parse_lines(_ended(lines))
            entry = self._made(fields)
        except Exception:
            log.warning("A RIS entry could not be read", exc_info=True)
            return self._tell("", "This entry cannot be read. It was left out.", raw)
        if not is_work(entry.csl):
            return self._tell(entry.key, "This entry has neither a title nor authors. It was left out.", raw)
        if missing:
            self._tell(entry.key, missing)
        self.keys.add(entry.key)
        self.entries.append(entry)
        return None

    def _made(self, fields: dict[str, Any]) -> Entry:
        csl, key = csl_of(fields)
        return Entry("" if key in self.keys else key, "", csl, note_of(fields), self.begun)

    def _tell(self, key: str, message: str, text: str = "") -> None:
        self.problems.append(Problem(self.begun, key, message, text))


def _ended(lines: list[str]) -> Iterator[str]:
    """The lines as rispy wants them: it looks for TY at the very beginning, and gives nothing out before ER."""
    yield lines[0].lstrip()
    yield from lines[1:]
    yield "ER  - "
