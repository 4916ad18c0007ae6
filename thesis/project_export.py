"""A thesis as a LaTeX project to take away: the draft, which is never refused, and the final one (SPEC T5, C2)."""

from typing import IO

from core.errors import Refused
from projects.models import Project
from thesis.assembly.assemble import Assembled, assemble
from thesis.assembly.packing import pack
from thesis.manuscript_data import manuscript_of

MOST_REASONS = 1_000  # that a refusal lists


def write_draft(project: Project, out: IO[bytes]) -> list[str]:
    """Write `project` as it stands to `out`, an open file, as a ZIP; what a person should know of it, in sentences."""
    return _written(assemble(manuscript_of(project)), project, out)


def write_final(project: Project, out: IO[bytes]) -> list[str]:
    """As `write_draft`, for the thesis that is handed in. Raises Refused, and writes nothing, while anything blocks it."""
    if reasons := reasons_against(project):
        one = len(reasons) == 1
        shown = [f"- {reason}" for reason in reasons[:MOST_REASONS]]
        shown += [f"- and {len(reasons) - MOST_REASONS:,} more" if len(reasons) > MOST_REASONS else ""]
        said = f"The final export waits: {'one thing is' if one else f'{len(reasons):,} things are'} to be put right first."
        raise Refused("\n".join([said, *filter(None, shown)]), field="form", code="blocked", status=409)
    return write_draft(project, out)


def reasons_against(project: Project) -> list[str]:
    """All that blocks the final export, a sentence each, with section and line where it has one."""
    from thesis.preflight import blocking

    sections = {
        str(pk): f"{number} {title}" for pk, number, title in project.sections.values_list("pk", "number", "title")
    }
    told = []
    for finding in blocking(project):
        where = sections.get(finding.section, "")
        line = f", line {finding.line}" if where and finding.line else ""
        told.append(f"{where}{line}: {finding.title}. {finding.said}" if where else f"{finding.title}. {finding.said}")
    return told


def _written(assembled: Assembled, project: Project, out: IO[bytes]) -> list[str]:
    pack(assembled.files, out)
    return told_of(assembled, {str(pk): title for pk, title in project.sections.values_list("pk", "title")})


def told_of(assembled: Assembled, titles: dict[str, str]) -> list[str]:
    """What came of a thesis that was put together, in sentences. `titles` of its sections, by id."""

    def at(section: str, line: int) -> str:
        return f"{titles[section]}, line {line}" if section in titles else "between the sections"

    told = []
    for key, sections in assembled.stripped:
        where = ", ".join(titles.get(section, "between the sections") for section in sections)
        told.append(f"{key} was left out: its work could not be found, or is another one ({where}).")
    told += [
        f"{one.key} is cited and no reference has that key ({at(one.section, one.line)})."
        for one in assembled.undefined
    ]
    told += [f"{one.path}: {one.why} ({at(one.section, one.line)})" for one in assembled.missing_pictures]
    told += [
        f"{'The environment' if one.is_open else 'An end of'} {one.environment} {'is not closed' if one.is_open else 'closes nothing'} "
        f"({at(one.section, one.line)})."
        for one in assembled.unclosed
    ]
    told += [f"The label {one.label} is nowhere ({at(one.section, one.line)})." for one in assembled.loose_refs]
    told += [f"The label {one.label} is there twice ({at(one.section, one.line)})." for one in assembled.doubled_labels]
    return [*told, *assembled.notes]
