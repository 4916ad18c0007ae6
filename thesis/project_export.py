"""Export of a thesis as a LaTeX project: draft (never refused), final, or source as written (SPEC T5, C2)."""

import re
import zipfile
from copy import copy
from typing import IO

from citations.audit.key_uses import section_texts
from citations.formats.export import as_bibtex
from citations.key_aliases import references_by_key
from citations.models import Citation, OtherKey
from core.errors import Refused
from latex.bibtex_unicode import TO_LATEX
from latex.cite_keys import EVERYTHING, count_cited
from latex.headings import has_heading, shown
from latex.project_source import CHAPTERS, write_tex
from projects.models import Project
from sections.models import Section, ThesisFile
from sections.thesis_files import bytes_of
from thesis.assembly.assemble import Assembled, assemble
from thesis.assembly.zip_archive import pack, put
from thesis.manuscript_data import manuscript_of

ADDED = "references-added.bib"
_PREAMBLE = r"""\documentclass[12pt,a4paper]{book}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage[margin=2.5cm]{geometry}
\usepackage{amsmath,amssymb}
\usepackage{graphicx}
\usepackage{array,booktabs,calc,longtable,multirow}
\usepackage{caption}
\usepackage[normalem]{ulem}
\usepackage{natbib}
\usepackage[hidelinks]{hyperref}
"""


def write_source(project: Project, out: IO[bytes]) -> list[str]:
    """Write the source of `project` to `out`, an open file, as a ZIP, and return notes for the user.

    The same thesis gives the same bytes.
    """
    files = list(ThesisFile.objects.filter(project=project).order_by("path"))
    sections = list(Section.objects.filter(project=project).order_by("number", "pk"))
    written = write_tex(files, sections)
    made, notes = written.files, written.notes
    if any(file.is_main for file in files):
        made |= _added_references(project, files, notes)
    else:
        made |= _laid_out(project, files, sections)
    kept = {file.path: file for file in files if file.path not in made and file.blob}
    with zipfile.ZipFile(out, "w") as archive:
        for path in sorted([*made, *kept]):
            try:
                data = made[path] if path in made else bytes_of(kept[path])
            except OSError:
                notes.append(f"{path}: the file cannot be read from the disk, so it is missing here.")
                continue
            put(archive, path, data)
    return notes


def _laid_out(project: Project, files: list[ThesisFile], sections: list[Section]) -> dict[str, bytes]:
    """Return the files of a thesis started in Scholium: main.tex, a file for each section, its references."""
    made: dict[str, bytes] = {}
    lines = [
        _PREAMBLE,
        f"\\title{{{_escaped(project.title)}}}",
        f"\\author{{{_escaped(project.owner.name)}}}",
        "\\date{}",
        "",
        *("\\begin{document}", "\\maketitle", "\\tableofcontents", ""),
    ]
    for place, section in enumerate(sections):
        path = f"{CHAPTERS}/{place:02d}-{section.slug}"
        made[f"{path}.tex"] = section.latex.encode()
        seen = shown(section.latex)
        if not (has_heading(seen) and re.search(r"\\(?:chapter|addchap)(?![A-Za-z@])", seen)):
            lines.append(_heading(section))
        lines.append(f"\\input{{{path}}}")
    rows = list(Citation.objects.filter(project=project))
    by_key = {row.cite_key: row for row in rows}
    rows += [_under(key, by_key[main]) for key, main in OtherKey.objects.by_key(project).items()]
    if rows and "references.bib" not in {file.path for file in files}:
        made["references.bib"] = as_bibtex(rows).encode()
        lines += ["", "\\bibliographystyle{plainnat}", "\\bibliography{references}"]
    made["main.tex"] = "\n".join([*lines, "\\end{document}", ""]).encode()
    return made


def _heading(section: Section) -> str:
    if section.slug == "front-matter":
        return "% " + " ".join(section.title.split())
    return f"\\chapter{'*' if section.slug == 'abstract' else ''}{{{_escaped(section.title)}}}"


def _under(key: str, row: Citation) -> Citation:
    """Return a copy of a reference under another key: the text keeps its keys, so each key needs an entry."""
    row = copy(row)
    row.cite_key = key
    return row


def _added_references(project: Project, files: list[ThesisFile], notes: list[str]) -> dict[str, bytes]:
    """Return a .bib file with the cited references that no imported file has."""
    listed = (keys for text in section_texts(project) for keys in count_cited(text.latex, text.macros))
    cited = {key for keys in listed for key in keys.split(",")} - {EVERYTHING}
    for file in files:
        if file.path.lower().endswith(".bib") and file.blob and cited:
            cited -= set(re.findall(r"@\w+\s*[{(]\s*([^\s,{}()]+)\s*,", bytes_of(file).decode("utf-8", "replace")))
    known = references_by_key(Citation.objects.filter(project=project), project, sorted(cited))
    rows = sorted((_under(key, row) for key, row in known.items()), key=lambda row: (row.serial, row.cite_key))
    if not rows:
        return {}
    one = len(rows) == 1
    notes.append(
        f"{ADDED}: {len(rows)} cited reference{'' if one else 's'} {'is' if one else 'are'} in none of the imported "
        ".bib files. Add this file to the bibliography command of the main file."
    )
    return {ADDED: as_bibtex(rows).encode()}


def _escaped(text: str) -> str:
    return " ".join(text.split()).translate(TO_LATEX)


MOST_REASONS = 1_000  # listed in a refusal


def write_draft(project: Project, out: IO[bytes]) -> list[str]:
    """Write the draft of `project` to `out`, an open file, as a ZIP, and return notes for the user."""
    assembled = assemble(manuscript_of(project))
    pack(assembled.files, out)
    return assembly_notes(assembled, {str(pk): title for pk, title in project.sections.values_list("pk", "title")})


def write_final(project: Project, out: IO[bytes]) -> list[str]:
    """Do the same as `write_draft`, or raise Refused and write nothing when anything blocks the final export."""
    if reasons := reasons_against(project):
        one = len(reasons) == 1
        said = [
            f"The final export is blocked. Fix {'this problem' if one else f'these {len(reasons):,} problems'} first:",
            *(f"- {reason}" for reason in reasons[:MOST_REASONS]),
            *([f"- and {len(reasons) - MOST_REASONS:,} more"] if len(reasons) > MOST_REASONS else []),
        ]
        raise Refused("\n".join(said), field="form", code="blocked", status=409)
    return write_draft(project, out)


def reasons_against(project: Project) -> list[str]:
    """Return all that blocks the final export, one sentence each, with section and line if known."""
    from thesis.preflight import blocking

    sections = {
        str(pk): f"{number} {title}" for pk, number, title in project.sections.values_list("pk", "number", "title")
    }
    told = []
    for finding in blocking(project):
        where = sections.get(finding.section, "")
        line = f", line {finding.line}" if finding.line else ""
        told.append(f"{f'{where}{line}: ' if where else ''}{finding.title}. {finding.said}")
    return told


def assembly_notes(assembled: Assembled, titles: dict[str, str]) -> list[str]:
    """Return the notes on an assembled thesis, as sentences. `titles` are those of its sections, by id."""

    def at(section: str, line: int) -> str:
        return f"{titles[section]}, line {line}" if section in titles else "between the sections"

    return [
        *(
            f"{key} was left out: its work could not be found, or differs from what was cited "
            f"({', '.join(titles.get(section, 'between the sections') for section in sections)})."
            for key, sections in assembled.stripped
        ),
        *(
            f"{one.key} is cited but is not in the references ({at(one.section, one.line)})."
            for one in assembled.undefined
        ),
        *(f"{one.path}: {one.why} ({at(one.section, one.line)})" for one in assembled.missing_pictures),
        *(f"{one.title} ({at(one.section, one.line)})." for one in assembled.unclosed),
        *(f"The label {one.label} does not exist ({at(one.section, one.line)})." for one in assembled.loose_refs),
        *(f"The label {one.label} is used twice ({at(one.section, one.line)})." for one in assembled.doubled_labels),
        *assembled.notes,
    ]
