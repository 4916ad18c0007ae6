"""Errors, warnings and notes of a build with their places in the text, as thesis.models.Build.problems stores them."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from latex.log import LogMessage, ParsedLog, parse_bibtex_log, parse_tex_log
from thesis.latex_build.build_limits import Limits
from thesis.latex_build.run_latex import LatexResult
from thesis.latex_build.tex_messages import PlainMessage, plain_message

if TYPE_CHECKING:
    from thesis.assembly.assemble import Assembled
    from thesis.manuscript import Chapter, Manuscript

Problem = dict[str, Any]
MOST = 100  # problems that are stored, and as many notes
_AROUND = 2  # lines of an excerpt before and after the line of the problem
_WIDE = 200  # characters of a line of an excerpt
_PICTURE = re.compile(r"\\includegraphics\*?\s*(?:\[[^\]]*\])?\s*\{([^{}]*)\}")
_CITATION = re.compile(r"Citation [`'](.+?)'|database entry for [`'\"](.+?)['\"]")
_PACKAGE = re.compile(r"File [`'](.+?)\.(?:sty|cls)' not found")
_REFERENCE = re.compile(r"Reference [`'](.+?)'|Label [`'](.+?)' multiply")


class Placed:
    """Maker of the problems of one thesis: finds the section and line of each."""

    def __init__(self, manuscript: "Manuscript", assembled: "Assembled") -> None:
        self.assembled = assembled
        self.by_id = {chapter.id: chapter for chapter in manuscript.chapters}

    def of_latex(self, made: LatexResult, limits: Limits) -> tuple[list[Problem], list[Problem], ParsedLog]:
        """Return the errors of a run of LaTeX, its warnings and notes, and the parsed log."""
        read = parse_tex_log(made.log, self.assembled.files, made.main)
        raws = self._real(read, made)
        problems = list(self._unclosed()) if made.pdf is None else []
        told = {(one["section"], one["line"]) for one in problems}
        for raw in raws:
            if raw.level != "error" or (problems and _is_of_unclosed(raw)):
                continue
            one = self._of(raw, _ended(made.why, limits) if raw.said.startswith("Interruption") else plain_message(raw))
            if (one["section"], one["line"]) not in told or one["section"] is None:
                told.add((one["section"], one["line"]))
                problems.append(one)
        if made.pdf is None and not problems:
            problems.append(self._of(LogMessage("error", "", read.last, 0), _ended(made.why, limits)))
        notes = [*self._of_assembly(), *(self._of(raw, plain_message(raw)) for raw in raws if raw.level != "error")]
        return problems[:MOST], notes[:MOST], read

    def _real(self, read: ParsedLog, made: LatexResult) -> list[LogMessage]:
        """Return the messages of TeX and BibTeX that matter, without consequences of others and repetitions."""
        cited = {one.key for one in self.assembled.undefined}
        labels = {one.label for one in (*self.assembled.loose_refs, *self.assembled.doubled_labels)}
        kept: list[LogMessage] = []
        for raw in (*read.problems, *parse_bibtex_log(made.references, self.assembled.files)):
            if raw.said.startswith("Interruption") and made.why == "errors":
                continue
            raw = self._at_its_line(raw._replace(path=self.assembled.main) if raw.path == made.main else raw)
            citation, reference = _CITATION.search(raw.said), _REFERENCE.search(raw.said)
            known = (citation and (citation[1] or citation[2]) in cited) or (
                reference and (reference[1] or reference[2]) in labels
            )
            # After a single pass every citation and reference is still undefined, so those warnings mean nothing then
            matters = made.pdf is not None and (citation or reference or "too large for page" in raw.said)
            if raw.level != "warning" or (matters and not known):
                kept.append(raw)
        return list(dict.fromkeys(kept))

    def _at_its_line(self, raw: LogMessage) -> LogMessage:
        """Return `raw` at the line that loads the missing package: TeX reports the line after it."""
        found = _PACKAGE.search(raw.said)
        if found is None or not raw.line or raw.path not in self.assembled.files:
            return raw
        lines = self.assembled.files[raw.path].decode("utf-8", "replace").splitlines()[: raw.line]
        named = re.compile(rf"\\(?:usepackage|RequirePackage|documentclass)\b.*\b{re.escape(found[1])}\b")
        at = next((number for number in range(len(lines), 0, -1) if named.search(lines[number - 1])), raw.line)
        return raw._replace(line=at)

    def _unclosed(self) -> Iterator[Problem]:
        for one in self.assembled.unclosed:
            words = PlainMessage(one.title, one.advice)
            yield self.at("error", words, "", one.section, one.line)

    def _of_assembly(self) -> Iterator[Problem]:
        """Yield notes and warnings: citations left out (tier D), unknown keys, unknown and duplicate labels, others."""
        for stripped in self.assembled.stripped:
            words = PlainMessage(
                f"The citation {stripped.key} was left out: it could not be verified",
                "Its place is marked in the LaTeX source.",
            )
            for section in stripped.sections:
                yield self.at("note", words, "", section, 0)
        for cited in self.assembled.undefined:
            words = PlainMessage(
                f"{cited.key} is cited but is not in the list of citations", "Add the citation, or cite another key."
            )
            yield self.at("warning", words, "", cited.section, cited.line)
        for labels, title, hint in (
            (self.assembled.loose_refs, "Unknown label", "It is printed as ??. Use a label that exists."),
            (self.assembled.doubled_labels, "Duplicate label", "Give one of the two another label."),
        ):
            for one in labels:
                yield self.at("warning", PlainMessage(f"{title} {one.label}", hint), "", one.section, one.line)
        yield from (problem("note", PlainMessage(said)) for said in self.assembled.notes)

    def of_pictures(self, oversized: dict[str, str]) -> list[Problem]:
        """Return an error for each place where the text uses one of the `oversized` pictures (reason by path)."""
        return [
            self._of(
                LogMessage("error", f"{path}: {why}", written, line),
                PlainMessage(f"The picture {posixpath.basename(path)} cannot be used", why),
            )
            for path, why in oversized.items()
            for written, line in self._uses(path)
        ]

    def _uses(self, picture: str) -> Iterable[tuple[str, int]]:
        names = {picture, posixpath.splitext(picture)[0]}
        for path, data in self.assembled.files.items():
            if path.endswith(".tex") and b"\\includegraphics" in data:
                text = data.decode("utf-8", "replace")
                for found in _PICTURE.finditer(text):
                    named = posixpath.normpath(found[1].strip().strip('"'))
                    if any(name == named or name.endswith(f"/{named}") for name in names):
                        yield path, text.count("\n", 0, found.start()) + 1

    def _of(self, raw: LogMessage, words: PlainMessage) -> Problem:
        place = self.assembled.place(raw.path, raw.line) if raw.path and raw.line else None
        said = f"{raw.said}\n{raw.context}".strip()
        if place is not None:
            return self.at(raw.level, words, said, str(place.section), place.line)
        paths = {} if raw.line else self.assembled.chapter_paths
        section = next((pk for pk, path in paths.items() if path == raw.path), None)
        one = self.at(raw.level, words, said, section, 0)
        if raw.path and one["section"] is None:  # the preamble, for example
            one |= {"heading": raw.path, "line": raw.line}
        return one

    def at(self, level: str, words: PlainMessage, said: str, section: str | None, line: int) -> Problem:
        """Return a problem in the section with an id (None: in no section), at a line from 1 (0: no certain line)."""
        return problem(level, words, said, self.by_id.get(str(section)) if section else None, line)

    def page_counts(self, read: ParsedLog) -> dict[str, int]:
        """Return the number of pages of each section by its id, for sections that have a file of their own."""
        return {
            str(section): read.pages[path]
            for section, path in self.assembled.chapter_paths.items()
            if path in read.pages
        }


def problem(
    level: str, words: PlainMessage, said: str = "", chapter: "Chapter | None" = None, line: int = 0
) -> Problem:
    """Return a problem as the row of a build stores it, in `chapter` or in none."""
    return {
        "level": level,
        "title": words.title[:300],
        "said": said[:1000],
        "hint": words.hint[:500],
        "section": chapter.id if chapter else None,
        "number": chapter.number if chapter else None,
        "heading": chapter.title if chapter else "",
        "slug": chapter.slug if chapter else "",
        "line": line,
        "excerpt": _excerpt(chapter, line) if chapter and line else [],
    }


def where(problem: Problem) -> str:
    """Return the place of a problem as text: "6 Results, line 118"; "" when it is not known."""
    name = f"{problem['number']} {problem['heading']}" if problem["section"] else problem["heading"]
    return f"{name}, line {problem['line']}" if problem["line"] and name else name


def _excerpt(chapter: "Chapter", line: int) -> list[list[Any]]:
    lines = chapter.latex.splitlines()
    first = max(line - _AROUND, 1)
    return [[number, text[:_WIDE]] for number, text in enumerate(lines[first - 1 : line + _AROUND], start=first)]


def _is_of_unclosed(raw: LogMessage) -> bool:
    return "ended by" in raw.said or raw.said.startswith(("Missing }", "Extra }", "Too many }", "Missing \\endgroup"))


def _ended(why: str, limits: Limits) -> PlainMessage:
    """Return the message for a run of LaTeX that was stopped or failed, with the reason `why` of its LatexResult."""
    repeats = "Look here for a command that repeats itself."
    return {
        "clock": PlainMessage(f"LaTeX was stopped after {_time(limits.seconds)}", repeats),
        "cpu": PlainMessage(f"LaTeX was stopped after {_time(limits.cpu)}", repeats),
        "pages": PlainMessage(f"LaTeX was stopped after more than {limits.pages:,} pages", repeats),
        "disk": PlainMessage(
            f"LaTeX was stopped after it had written more than {limits.file_size >> 20:,} MB", repeats
        ),
        "references": PlainMessage("The bibliography could not be built", "Open the full log to see why."),
        "alone": PlainMessage(
            "The bibliography needs biber, which this server cannot run safely",
            "It needs Linux 5.13 or newer with Landlock. Use natbib with BibTeX here, or build the project elsewhere.",
        ),
        "biber": PlainMessage(
            "The bibliography needs biber, which is not installed on this server",
            "Use natbib with BibTeX here, or build the project elsewhere.",
        ),
        "crash": PlainMessage(
            "LaTeX crashed", "A damaged picture or font is a likely cause. Open the full log to see where it stopped."
        ),
    }.get(why, PlainMessage("LaTeX stopped without an error message", "Open the full log."))


def _time(seconds: float) -> str:
    return "1 second" if seconds == 1 else f"{seconds:g} seconds"
