"""The builds on the Build page: the last good PDF, and the problems of the newest build by section (SPEC T6)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from jobs.models import ENDED, JobEvent, State
from projects.models import Project
from sections.models import Section
from thesis.latex_build.build_job import in_words
from thesis.models import Build

TRIES = 20  # newest builds that are searched for those to show
MOST_SHOWN = 20  # problems of one section; the rest is collapsed

_CODE = re.compile(r"(`[^`]+`|\\[A-Za-z@]+\*?(?:\{[^{}\s]*\})*|%\s*UNRESOLVED: [^\s,;]+)")


@dataclass(frozen=True)
class Fault:
    """A problem or note. `act` is the text of the link to `href`."""

    title: SafeString
    said: SafeString
    is_error: bool
    lines: Sequence[dict[str, Any]] = ()  # of the excerpt: number, text, and is_it for the line of the problem
    href: str = ""
    act: str = ""


@dataclass
class Group:
    """The problems and notes of one section, or of the whole thesis: errors first, each in the order of the text."""

    name: str
    is_section: bool = True
    faults: list[Fault] = field(default_factory=list)

    @property
    def shown(self) -> list[Fault]:
        """Return the problems that are shown at once."""
        return self.faults[:MOST_SHOWN]

    @property
    def folded(self) -> list[Fault]:
        """Return the problems that are collapsed."""
        return self.faults[MOST_SHOWN:]

    @property
    def errors(self) -> int:
        """Return the number of errors."""
        return sum(fault.is_error for fault in self.faults)

    @property
    def notes(self) -> int:
        """Return the number of warnings and notes."""
        return len(self.faults) - self.errors


@dataclass(frozen=True)
class FinishedBuild:
    """A finished build: its result in two sentences, and its problems by section."""

    build: Build
    groups: list[Group]
    errors: int
    headline: str
    advice: str
    name: str = ""  # of a chapter that was built by itself

    @property
    def errors_in_words(self) -> str:
        """Return the number of errors as text."""
        return in_words(self.errors)

    @property
    def is_good(self) -> bool:
        """Return whether the build succeeded."""
        return _is_good(self.build)

    @property
    def was_stopped(self) -> bool:
        """Return whether a person stopped the build."""
        return was_stopped(self.build)


@dataclass
class BuildList:
    """The builds of one thesis that the page shows."""

    running: list[Build] = field(default_factory=list)  # waiting or running, oldest first
    whole: Build | None = None  # the last good PDF
    word: Build | None = None  # the last Word file
    chapters: list[tuple[Build, str]] = field(default_factory=list)  # the last good PDF of each chapter, newest first
    tries: list[FinishedBuild] = field(default_factory=list)  # the newest; if that is a Word file, the newest PDF, too


def build_list_of(project: Project, sections: Iterable[Section]) -> BuildList:
    """Return the builds of `project` that its page shows; two queries."""
    rows = with_news(Build.objects.filter(project=project).exclude(kind=Build.Kind.PREVIEW)).defer("log")
    tries: list[Build] = list(rows[:TRIES])
    shelf = BuildList(running=[build for build in reversed(tries) if is_alive(build)])
    of_sections = {str(section.id): section for section in sections}
    shown = set()
    for build in rows.exclude(output="")[: TRIES + 100]:
        if build.kind == Build.Kind.WORD:
            shelf.word = shelf.word or build
        elif not build.is_chapter:
            shelf.whole = shelf.whole or build
        elif (section := of_sections.get(str(build.section_id))) and build.section_id not in shown:
            shown.add(build.section_id)
            shelf.chapters.append((build, section.title))
    ended = [build for build in tries if not is_alive(build)]
    newest = ended[:1]
    if newest and newest[0].kind == Build.Kind.WORD:
        newest += [build for build in ended if build.kind == Build.Kind.PDF][:1]
    shelf.tries = [finished_build(project, build, of_sections, shelf.whole) for build in newest]
    return shelf


def with_news(rows: "QuerySet[Build]") -> "QuerySet[Build]":
    """Return `rows` with their jobs, and the text of each job's last event as `last_said`."""
    newest = JobEvent.objects.filter(job=OuterRef("job")).order_by("-seq").values("text")[:1]
    return rows.select_related("job").annotate(last_said=Subquery(newest))


def is_alive(build: Build) -> bool:
    """Return whether a build is waiting or running."""
    return build.job is not None and build.job.state not in ENDED


def was_stopped(build: Build) -> bool:
    """Return whether a person stopped the build."""
    return build.job is not None and build.job.state == State.CANCELLED


def finished_build(
    project: Project, build: Build, sections: Mapping[str, Section], whole: Build | None
) -> FinishedBuild:
    """Return a finished build as the page shows it; `sections` by id, `whole` is the last good PDF."""
    groups = groups_of(project, [*build.problems, *build.notes], sections)
    errors = sum(group.errors for group in groups)
    section = sections.get(str(build.section_id))
    name = section.title if section else "A chapter" if build.is_chapter else ""
    return FinishedBuild(build, groups, errors, _headline(build, groups, errors), _advice(build, errors, whole), name)


def groups_of(project: Project, faults: Iterable[dict[str, Any]], sections: Mapping[str, Section]) -> list[Group]:
    """Return the problems and notes of a Build by section: sections with errors first, in the order of the text."""
    found = {key: Group(section.title) for key, section in sections.items()}
    found[""] = Group("Whole thesis", is_section=False)
    for fault in faults:
        section = sections.get(str(fault.get("section") or ""))
        found[str(section.id) if section else ""].faults.append(_fault(project, fault, section))
    for group in found.values():
        group.faults.sort(key=lambda one: not one.is_error)
    return sorted((group for group in found.values() if group.faults), key=lambda group: not group.errors)


def _fault(project: Project, fault: dict[str, Any], section: Section | None) -> Fault:
    line = fault.get("line") or 0
    href, act = str(fault.get("href") or ""), str(fault.get("act") or "Open them")
    if section:
        href = reverse("sections:section", args=[project.pk, section.slug]) + (f"?line={line}" if line else "")
        act = f"Go to line {line:,}" if line else f"Open {section.title}"
    elif not href.startswith("/") or href.startswith("//"):
        href = ""
    is_error = fault.get("level") == "error"
    excerpt = fault.get("excerpt") or [] if is_error else []
    said = str(fault.get("hint") or "")
    if tex := str(fault.get("said") or "").partition("\n")[0]:  # the lines below it are in the log
        said = f"{said} TeX message: {tex}".strip()
    if not section and line and fault.get("heading"):  # in no section: in the preamble, for example
        said = f"In {fault['heading']}, line {line}. {said}".strip()
    return Fault(
        coded(fault.get("title") or "Something went wrong"),
        coded(said),
        is_error,
        [{"number": number, "text": text, "is_it": number == line} for number, text in excerpt],
        href,
        act,
    )


def _is_good(build: Build) -> bool:
    """Return whether the build succeeded, also when its file has been deleted since (with its section, for example)."""
    return bool(build.output) or (build.job is not None and build.job.state == State.DONE)


def _headline(build: Build, groups: Sequence[Group], errors: int) -> str:
    """Return the result of the build, as a sentence."""
    what = "Word file" if build.kind == Build.Kind.WORD else "PDF"
    if _is_good(build):
        return f"The {what} is ready."
    if was_stopped(build):
        return "Stopped."
    broken = [group for group in groups if group.errors]
    if broken and all(group.is_section for group in broken):
        has_lines = all("?line=" in fault.href for group in broken for fault in group.faults if fault.is_error)
        lines = f"{'line' if has_lines else 'place'}{'' if errors == 1 else 's'}"
        where = f"“{broken[0].name}”" if len(broken) == 1 else f"{in_words(len(broken))} sections"
        return f"{in_words(errors, capital=True)} {lines} in {where} could not be built."
    return f"The {what} could not be built."


def _advice(build: Build, errors: int, whole: Build | None) -> str:
    """Return what is safe and what to do; without the time of the last good PDF, which is shown next to it."""
    if _is_good(build):
        return ""
    safe = "Nothing in your text has changed."
    if was_stopped(build):
        return safe
    if not errors and build.reason:
        return f"{build.reason} {safe}"
    if whole:
        safe = "Nothing in your text has changed, and the last good PDF is still here."
    if not errors:
        return safe
    if errors == 1:
        return f"{safe} Fix it and build again."
    others = "the second" if errors == 2 else "the others"
    return f"{safe} Fix the first one and build again; {others} may go away with it."


def coded(text: str) -> SafeString:
    r"""Return `text` as HTML, with LaTeX commands and text in backticks as code."""
    pieces = enumerate(_CODE.split(text))  # every second one is code
    found = (format_html("<code>{}</code>", piece.strip("`")) if place % 2 else piece for place, piece in pieces)
    return format_html_join("", "{}", ([piece] for piece in found))
