"""A thesis that was brought as LaTeX with next to no preamble,
so that a test that sets it takes a third of a second."""

from pathlib import Path

import pytest

from projects.models import Project
from sections.models import Section, ThesisFile
from thesis.assembly.assemble import Assembled, assemble
from thesis.latex_build.build_limits import Limits
from thesis.latex_build.problems import Placed, Problem, where
from thesis.latex_build.run_latex import LatexResult, compile_latex, latex_is_installed
from thesis.manuscript import Chapter, File, Manuscript, Work

needs_latex = pytest.mark.skipif(not latex_is_installed(), reason="TeX is not installed")
QUICK = Limits(seconds=20, cpu=20, memory=1 << 30, file_size=20 << 20, pages=400, after_error=2)
PREAMBLE = (
    "\\documentclass{book}\n\\pdfcompresslevel=0 \\pdfobjcompresslevel=0\n"  # so that what is in a PDF can be read
)


def imported_manuscript(
    *texts: str, preamble: str = "", files: dict[str, bytes] | None = None, end: str = "", main: str = "main.tex"
) -> Manuscript:
    """A manuscript of sections with `texts`, numbered from 1, between `preamble` and `end`,
    with other `files` by path."""
    chapters = [
        Chapter(
            f"00000000-0000-0000-0000-{number:012}", number, f"part-{number}", f"Part {number}", text, len(text.split())
        )
        for number, text in enumerate(texts, start=1)
    ]
    pieces = [
        {"text": f"{PREAMBLE}{preamble}\\begin{{document}}\n"},
        *({"section": chapter.id} for chapter in chapters),
        {"text": f"{end}\\end{{document}}\n"},
    ]
    rows = [File(main, "tex", is_main=True, pieces=pieces)]
    rows += [File(path, "picture", read=lambda data=data: data) for path, data in (files or {}).items()]  # type: ignore[misc]
    works = [
        Work("mehta2020", {"type": "article-journal", "title": "Cuff pressure", "author": [{"family": "Mehta"}]}, "A")
    ]
    return Manuscript(title="A thesis", author="Asha", chapters=chapters, files=rows, works=works)


def printed(
    manuscript: Manuscript, folder: Path, limits: Limits = QUICK, *, hold: bool = True
) -> tuple[LatexResult, list[Problem], list[Problem], Assembled]:
    """What LaTeX made of it in `folder`, with its problems and notes."""
    assembled = assemble(manuscript)
    folder.mkdir(mode=0o700)
    made = compile_latex(assembled.files, assembled.main, folder=folder, limits=limits, hold=hold)
    problems, notes, _ = Placed(manuscript, assembled).of_latex(made, limits)
    return made, problems, notes, assembled


def problem_lines(problems: list[Problem]) -> list[str]:
    """Problems as people read them: "1 Part 1, line 3: A bracket is missing"."""
    return [f"{where(one)}: {one['title']}" for one in problems]


def quick_thesis(project: Project, *texts: str, preamble: str = "") -> list[Section]:
    """Make `project` one that was brought, with sections of `texts`, numbered from 1, that LaTeX sets in no time."""
    Section.everything.filter(project=project).delete()
    sections = [
        Section.objects.create(
            project=project,
            number=number,
            slug=f"part-{number}",
            title=f"Part {number}",
            latex=text,
            words=len(text.split()),
        )
        for number, text in enumerate(texts, start=1)
    ]
    pieces = [
        {"text": f"{PREAMBLE}{preamble}\\begin{{document}}\n"},
        *({"section": str(section.pk)} for section in sections),
        {"text": "\\end{document}\n"},
    ]
    ThesisFile.objects.create(project=project, path="main.tex", kind="tex", is_main=True, pieces=pieces)
    return sections
