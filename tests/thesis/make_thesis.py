"""Files of theses as people have them, and bringing them in as the worker does."""

import zipfile
from io import BytesIO
from typing import Any

from django.core.files.base import ContentFile
from django.test import TestCase
from docx import Document
from docx.shared import Inches
from PIL import Image

from jobs.models import Job
from jobs.work import perform
from projects.models import Project, User
from sections.models import TextImport
from thesis.importing.import_job import start_sections_import, start_thesis_import
from thesis.project_export import write_source

MAIN = rb"""% The main file
\documentclass[12pt]{book}
\input{preamble}
\title{Alder \& \emph{soil}}
\begin{document}
\maketitle
\tableofcontents
\include{chapters/intro}
\include{chapters/methods}
\appendix
\input{chapters/extra.tex}
\bibliographystyle{plain}
\bibliography{refs}
\end{document}
"""
INTRO = (
    b"\\chapter{Introduction}\\label{intro}\r\nAlder fixes nitrogen "
    b"\\cite{alder}.\r\nOne sentence per line.\r\n\\input{chapters/table}\r\n"
)
METHODS = (
    "% notes\n\\chapter[Short]{Methods \\& materials}\nWe measured \\gls{x} "
    "in \u00e5 r\u00e5.\n\n\n\\section{Sites}  \n\tText\n"
).encode()
EXTRA = b"\\chapter{More}\nwords and words"
TABLE = b"\\begin{tabular}{ll}a & b\\\\\\end{tabular}\n"
PREAMBLE = b"\\usepackage{graphicx}\n\\newcommand{\\gls}[1]{#1}\n"
REFS = b"@article{alder, title={Alder}, author={Roe, Jane}, year={2020}}\n@book{soil, title={Soil}, year=1999}\n"


def png(color: int = 120) -> bytes:
    made = BytesIO()
    Image.new("RGB", (30, 20), color).save(made, "PNG")
    return made.getvalue()


def project_files() -> dict[str, bytes]:
    """A LaTeX project of several files, none of which is tidy."""
    return {
        "main.tex": MAIN,
        "preamble.tex": PREAMBLE,
        "chapters/intro.tex": INTRO,
        "chapters/methods.tex": METHODS,
        "chapters/extra.tex": EXTRA,
        "chapters/table.tex": TABLE,
        "refs.bib": REFS,
        "figures/flow.png": png(),
        "style/my.cls": b"\\ProvidesClass{my}\xff\x00",
        "notes/unused.tex": b"nothing takes this in\n",
        "data/odd\xe9.bin".encode().decode("latin-1"): bytes(range(256)),
    }


def zipped(files: dict[str, bytes]) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return made.getvalue()


def unzipped(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def imported_file(
    user: User, data: bytes, name: str, title: str = "", into: Project | None = None
) -> tuple[TextImport, Job]:
    """The import of a file, done as the worker does it, and its job."""
    upload: Any = ContentFile(data, name)
    made = start_sections_import(into, user, upload, name) if into else start_thesis_import(user, upload, name, title)
    job = Job.objects.get(subject=made.pk)
    done(job)
    return TextImport.objects.get(pk=made.pk), job


def done(job: Job) -> None:
    """Do a job as a worker does, with what is put off until its rows are committed."""
    with TestCase.captureOnCommitCallbacks(execute=True):
        perform(str(job.pk))
    job.refresh_from_db()


def exported(project: Project) -> tuple[dict[str, bytes], list[str]]:
    """The source of a thesis by path, and what was said of it."""
    out = BytesIO()
    notes = write_source(project, out)
    return unzipped(out.getvalue()), notes


def word() -> bytes:
    """A Word document with headings, a list, a table, a picture and a title."""
    document = Document()
    document.add_paragraph("Soil and alder", style="Title")
    document.add_paragraph("Words before the first heading.")
    document.add_heading("Introduction", 1)
    document.add_paragraph("Alder fixes ").add_run("nitrogen").bold = True
    document.add_paragraph("one", style="List Bullet")
    document.add_paragraph("two", style="List Bullet")
    document.add_heading("Methods", 1)
    table = document.add_table(rows=2, cols=2)
    for place, text in enumerate(["Site & plot", "Trees", "Upper", "12"]):
        table.cell(place // 2, place % 2).text = text
    document.add_picture(BytesIO(png()), width=Inches(2))
    made = BytesIO()
    document.save(made)
    return made.getvalue()
