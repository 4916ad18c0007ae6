"""A thesis of 120 pages, 200 references and 30 figures:
put together, set by LaTeX and by typst, written for Word (SPEC T5, T6).

What a worker does, on the database of the benchmarks; LaTeX is measured only where it is installed.
"""

import io
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from PIL import Image, ImageDraw

from citations.models import Citation
from projects.models import Project, User
from sections.models import Section
from sections.thesis_files import add_picture
from tests.benchmarks.figure import Figure, processor_seconds, seconds, typical
from tests.people import signed_in
from thesis.assembly.assemble import Assembled, assemble
from thesis.latex_build.run_latex import LatexResult, compile_latex, latex_is_installed
from thesis.latex_build.side_files import SideFiles
from thesis.manuscript import Manuscript
from thesis.manuscript_data import manuscript_of
from thesis.models import Layout
from thesis.preview.typeset import render_preview
from thesis.word.docx import docx_of_thesis

REFERENCES, FIGURES, CHAPTERS = 200, 30, 6
PARAGRAPHS = 52  # of a chapter: 20 pages with its figures
TIMES = 3
_SAID = (
    "patients shock lactate within the intensive care unit mortality was "
    "lower among those who had early fluid resuscitation "
    "and norepinephrine than in controls although the difference after "
    "adjustment for age sex and severity did not reach "
    "significance in this cohort of adults with sepsis from tertiary "
    "hospitals where bedside ultrasound guided treatment"
)
_WORDS = _SAID.split()


def paragraph(random: Random, number: int) -> str:
    """Some 105 words with two citations."""
    sentences = []
    for _ in range(7):
        said = " ".join(random.choice(_WORDS) for _ in range(15))
        sentences.append(f"{said[0].upper()}{said[1:]}")
    keys = ",".join(f"work{random.randrange(REFERENCES)}" for _ in range(2))
    sentences[3] += f" \\citep{{{keys}}}"
    sentences[5] += f" ($p = 0.0{random.randrange(1, 9)}$, {random.randrange(20, 80)}\\%)"
    return ". ".join(sentences) + "."


def chapter(random: Random, number: int) -> str:
    """One of 20 pages: sections, paragraphs, five figures, two tables, formulas and footnotes;
    each cites its own works."""
    parts = [f"\\label{{ch:{number}}}"]
    figures = FIGURES // CHAPTERS
    own = REFERENCES // CHAPTERS + 1
    cited = [f"work{key}" for key in range(number * own, min((number + 1) * own, REFERENCES))]
    for place in range(PARAGRAPHS):
        if place % 9 == 0:
            parts.append(f"\\section{{Part {place // 9 + 1} of chapter {number + 1}}}\\label{{sec:{number}-{place}}}")
        parts.append(f"{paragraph(random, place)} As \\citet{{{cited[place % len(cited)]}}} found.")
        if place % 10 == 4 and place // 10 < figures:
            figure = number * figures + place // 10
            parts.append(
                f"Figure~\\ref{{fig:{figure}}} shows it.\n\\begin{{figure}}[htbp]\n\\centering\n"
                f"\\includegraphics[width=0.6\\linewidth]{{figures/plot-{figure}}}\n"
                f"\\caption{{Lactate over time, group {figure}.}}\\label{{fig:{figure}}}\n\\end{{figure}}"
            )
        if place % 20 == 7:
            rows = "\n".join(f"Group {row} & {row * 7} & {row * 3}.{row} \\\\" for row in range(1, 9))
            parts.append(
                f"\\begin{{table}}[htbp]\n\\centering\n\\caption{{Outcomes {place}}}\\label{{tab:{number}-{place}}}\n"
                f"\\begin{{tabular}}{{lrr}}\n\\toprule\nGroup & Number & Mean \\\\\n\\midrule\n{rows}\n\\bottomrule\n"
                "\\end{tabular}\n\\end{table}"
            )
        if place % 15 == 11:
            parts.append("\\begin{equation}\n  n = \\frac{Z_{1-\\alpha/2}^2\\, p\\,(1-p)}{d^2}\n\\end{equation}")
            parts.append("This holds in small samples.\\footnote{With a correction for finite populations.}")
    return "\n\n".join(parts) + "\n"


def plot(number: int) -> bytes:
    """A picture of 1,200 by 800 pixels, no two alike."""
    random = Random(number)
    image = Image.new("RGB", (1200, 800), "white")
    pen = ImageDraw.Draw(image)
    points = [(x, random.randrange(100, 700)) for x in range(50, 1150, 20)]
    pen.line(points, fill=(20, 60, 120), width=4)
    pen.rectangle((50, 50, 1150, 750), outline="black", width=3)
    made = io.BytesIO()
    image.save(made, "PNG")
    return made.getvalue()


def made_thesis(user: User) -> Project:
    """Its rows, as those of `user`, who wrote it here."""
    random = Random(9)
    project = Project.objects.create_for(user, title="Early resuscitation in septic shock", citation_style="vancouver")
    Section.objects.filter(project=project).delete()
    for number in range(CHAPTERS):
        section = Section.objects.add(project, f"Chapter on topic {number + 1}")
        section.write(chapter(random, number), based_on=0, by=user)
    for number in range(FIGURES):
        add_picture(project, user, plot(number), f"plot-{number}.png")
    rows = []
    for number in range(REFERENCES):
        names = [{"family": f"Author{number}", "given": "Mira K."}, {"family": "Iyer", "given": "Asha"}]
        csl: dict[str, Any] = {
            "type": "article-journal",
            "title": f"A trial of resuscitation number {number}",
            "author": names,
        }
        csl |= {"container-title": "Critical Care", "volume": f"{number % 30}", "page": f"{number}-{number + 9}"}
        csl |= {"issued": {"date-parts": [[1990 + number % 35]]}}
        rows.append(Citation(project=project, serial=number + 1, cite_key=f"work{number}", csl=csl, tier="A"))
    Citation.objects.bulk_create(rows)
    Layout.objects.update_or_create(project=project, defaults={"template": "nbems"})
    return project


def measure() -> list[Figure]:
    project = made_thesis(User.objects.create_user("printing@example.org", name="Asha Menon"))
    manuscript = manuscript_of(project)
    gathered = typical(lambda: assemble(manuscript_of(project)), TIMES)
    figures = [Figure("thesis put together: rows, files, references", gathered, "s", 0.5, f"median of {TIMES}")]
    figures += _latex(assemble(manuscript)) if latex_is_installed() else []
    return figures + _manuscript_page(project) + _typst(manuscript) + _word(manuscript)


def _latex(assembled: Assembled) -> list[Figure]:
    """Ours and plain latexmk in turn, so that whatever else the machine does costs both alike."""
    ours, plain, pages = [], [], 0
    for _ in range(TIMES):
        took, pages = _set(assembled)
        ours.append(took)
        with tempfile.TemporaryDirectory(prefix="scholium-bench-tex-") as name:
            plain.append(_plain(assembled, Path(name)))
    ratio = median(ours) / median(plain)
    edited, kept = _after_edits(assembled)
    return [
        Figure(f"LaTeX build, {pages} pages", median(ours), "s", None, f"median of {TIMES}"),
        Figure("the same by plain latexmk", median(plain), "s"),
        Figure("LaTeX build against plain latexmk", ratio, "times", 1.15),
        Figure("PDF after one edit", edited, "s", kept + 0.3, f"median of {TIMES}"),
        Figure("the same by latexmk in a folder that is kept", kept, "s"),
    ]


def _compiled(assembled: Assembled, side: SideFiles | None = None) -> tuple[float, LatexResult]:
    with tempfile.TemporaryDirectory(prefix="scholium-bench-tex-") as folder:
        start = time.perf_counter()
        made = compile_latex(assembled.files, assembled.main, folder=Path(folder), side=side)
        took = time.perf_counter() - start
    if made.pdf is None:
        raise RuntimeError(f"LaTeX made nothing: {made.why}\n{made.log[-2_000:]}")
    return took, made


def _set(assembled: Assembled) -> tuple[float, int]:
    from pypdfium2 import PdfDocument

    took, made = _compiled(assembled)
    return took, len(PdfDocument(made.pdf))


def _after_edits(assembled: Assembled) -> tuple[float, float]:
    """One more sentence in the first chapter, time after time: ours with side files, latexmk in its own folder."""
    chapter = next(path for path in sorted(assembled.files) if path.startswith("chapters/"))
    ours, plain, (_, made) = [], [], _compiled(assembled)
    with tempfile.TemporaryDirectory(prefix="scholium-bench-tex-") as name:
        _plain(assembled, Path(name))
        for number in range(TIMES):
            assembled.files[chapter] += f"\nOne more sentence, the {number}th.\n".encode()
            took, made = _compiled(assembled, made.side)
            ours.append(took)
            plain.append(_plain(assembled, Path(name)))
    return median(ours), median(plain)


def _plain(assembled: Assembled, folder: Path) -> float:
    start = time.perf_counter()
    for path, data in assembled.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    subprocess.run(
        [shutil.which("latexmk") or "latexmk", "-norc", "-pdf", "-interaction=nonstopmode", assembled.main],
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=300,
    )
    return time.perf_counter() - start


def _manuscript_page(project: Project) -> list[Figure]:
    """The thesis as set text: with one chapter of 20 pages rendered, with all of them, and a chapter after an edit.

    Processor time too, since pandoc's processes share the machine with whatever else runs.
    """
    client = signed_in(project.owner)
    client.defaults["SERVER_NAME"] = "127.0.0.1"
    address = f"/projects/{project.pk}/read/"
    took: list[float] = []
    used = processor_seconds(lambda: took.append(seconds(lambda: client.get(address))))
    sections = list(Section.objects.filter(project=project).order_by("number"))
    others = seconds(lambda: [client.get(f"{address}{one.slug}/", headers={"HX-Request": "true"}) for one in sections])
    whole = typical(lambda: client.get(address), TIMES)

    def read_again() -> None:
        client.get(f"{address}{sections[0].slug}/", headers={"HX-Request": "true"})

    changed, used_again = [], []
    for _ in range(TIMES):
        section = Section.objects.get(pk=sections[0].pk)
        section.write(f"{section.latex}\nOne more sentence.\n", based_on=section.version, by=project.owner)
        used_again.append(processor_seconds(lambda: changed.append(seconds(read_again))))
    return [
        Figure("manuscript page, one chapter of 20 pages rendered", took[0], "s", 0.5),
        Figure("the same, processor time", used, "s", None, "pandoc's processes run side by side"),
        Figure(f"the other {len(sections) - 1} chapters, one by one", others, "s", None),
        Figure("manuscript page, all chapters rendered before", whole, "s", 0.5, f"median of {TIMES}"),
        Figure("a chapter of 20 pages after an edit", median(changed), "s", 0.3, f"median of {TIMES}"),
        Figure("the same, processor time", median(used_again), "s", None, f"median of {TIMES}"),
    ]


def _typst(manuscript: Manuscript) -> list[Figure]:
    first = seconds(lambda: render_preview(manuscript))
    edits = _edited(manuscript)
    again = typical(lambda: render_preview(next(edits)), TIMES)
    one = manuscript.chapters[0].id
    chapter_ = typical(lambda: render_preview(next(edits), only=one, draw=[1]), TIMES)
    pages = render_preview(manuscript).pages
    return [
        Figure(f"preview of the thesis, {pages} pages, nothing read before", first, "s", 2.0),
        Figure("preview of the thesis behind an edit", again, "s", 2.0, f"median of {TIMES}"),
        Figure("preview of a chapter of 20 pages, edit to picture", chapter_, "s", 2.0, f"median of {TIMES}"),
    ]


def _edited(manuscript: Manuscript) -> Iterator[Manuscript]:
    """The thesis with one more sentence in its first chapter, time after time."""
    for number in range(100):
        first, *others = manuscript.chapters
        changed = first._replace(latex=f"{first.latex}\nOne more sentence, the {number}th.\n")
        yield Manuscript(**{**manuscript.__dict__, "chapters": [changed, *others]})


def _word(manuscript: Manuscript) -> list[Figure]:
    took = typical(lambda: docx_of_thesis(manuscript), TIMES)
    return [Figure("thesis as a Word file", took, "s", None, f"median of {TIMES}")]
