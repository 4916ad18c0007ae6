"""A build that begins with what the last one left: quicker, and byte for byte what a build from scratch makes."""

import random
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from jobs.work import perform
from projects.models import Project, User
from tests.people import person, signed_in
from tests.thesis.minimal_latex import QUICK, needs_latex, quick_thesis
from thesis.latex_build.build_job import STEP
from thesis.latex_build.run_latex import LatexResult, compile_latex
from thesis.latex_build.side_files import SideFiles, setup_key
from thesis.latex_build.start import start_build
from thesis.models import Build, BuildSideFiles

pytestmark = needs_latex
MOMENT = 1_700_000_000
MAIN = r"""\documentclass{book}
\usepackage{makeidx}\makeindex
\begin{document}
\tableofcontents\listoffigures
\input{one}
\input{two}
\bibliographystyle{plain}\bibliography{works}
\printindex
\end{document}
"""
WORKS = "".join(f"@book{{w{n}, title={{Work {n}}}, author={{Author {n}}}, year={{20{n:02}}}}}\n" for n in range(12))
PIECES = (
    "Plain words.", r"\section{Part %d}\label{s%d}", r"See \ref{s%d} on page \pageref{s%d}.", r"As \cite{w3} said.",
    r"\begin{figure}[h]x\caption{Figure %d}\label{f%d}\end{figure}", r"A word\index{word %d}.",
    r"Note.\footnote{N %d.}",
    r"\chapter{Chapter %d}", r"\newpage", r"As \cite{w1,w%d} said.", r"\section*{Unnumbered}", "long words " * 90,
)  # fmt: skip


@pytest.fixture
def compiled(tmp_path: Path) -> Callable[..., LatexResult]:
    folders = count()

    def compiled(files: dict[str, str], side: SideFiles | None = None) -> LatexResult:
        folder = tmp_path / str(next(folders))
        folder.mkdir(mode=0o700)
        data = {path: text.encode() for path, text in files.items()}
        made = compile_latex(data, "main.tex", folder=folder, limits=QUICK, side=side, moment=MOMENT)
        assert made.pdf, made.log[-2000:]
        return made

    return compiled


def thesis(one: str, two: str = "\\chapter{Two}\nIt cites \\cite{w2}.\\index{it}\n") -> dict[str, str]:
    return {"main.tex": MAIN, "one.tex": one, "two.tex": two, "works.bib": WORKS}


def edited(random: random.Random, lines: list[str]) -> list[str]:
    """`lines` with one put in, taken out, moved or changed."""
    lines = list(lines)
    at = random.randrange(len(lines) + 1)
    what = random.choice(("put in", "put in", "take out", "move"))
    if what == "put in" or len(lines) < 3:
        piece = random.choice(PIECES)
        return [*lines[:at], piece.replace("%d", str(random.randrange(10))), *lines[at:]]
    taken = lines.pop(min(at, len(lines) - 1))
    if what == "move":
        lines.insert(random.randrange(len(lines) + 1), taken)
    return lines


def follow(compiled: Callable[..., LatexResult], seed: int, edits: int) -> Iterator[tuple[LatexResult, LatexResult]]:
    """After each of `edits` random edits: the PDF that begins with what the last build left, and one from scratch."""
    draw = random.Random(seed)
    texts = [["\\chapter{One}", "Words."], ["\\chapter{Two}", "It cites \\cite{w2}.\\index{it}"]]
    left = None
    for _ in range(edits):
        place = draw.randrange(2)
        texts[place] = edited(draw, texts[place])
        files = thesis(*("\n\n".join(lines) + "\n\\cite{w2}\\index{it}\n" for lines in texts))
        made = compiled(files, left)
        yield made, compiled(files)
        left = made.side


def test_the_same_bytes_after_an_edit_and_from_files_that_are_spoiled(compiled: Callable[..., LatexResult]) -> None:
    """The edit brings a heading, a label, a work and a word of the index, and takes a figure out."""
    before = "\\chapter{One}\n\\begin{figure}[h]x\\caption{A}\\label{a}\\end{figure}\nOf \\ref{a} and \\cite{w2}.\n"
    after = "\\chapter{One}\n\\section{B}\\label{b}\nOf \\ref{b}, \\cite{w7} and \\cite{w2}.\\index{b}\n"
    fresh = compiled(thesis(after))
    assert compiled(thesis(after), compiled(thesis(before)).side).pdf == fresh.pdf
    assert fresh.side is not None
    spoiled = {"main.aux": b"\\newlabel{b}{{9}{99}}\n", "main.toc": b"\\undefined{x"}
    assert compiled(thesis(after), fresh.side._replace(files=fresh.side.files | spoiled)).pdf == fresh.pdf


@pytest.mark.long
def test_the_same_bytes_after_two_hundred_edits(compiled: Callable[..., LatexResult]) -> None:
    for number, (made, fresh) in enumerate(follow(compiled, 25, 200)):
        assert made.pdf == fresh.pdf, f"edit {number}"


# What the files of the last build could get wrong


@pytest.mark.long
def test_what_is_not_there_any_more_is_not_printed(compiled: Callable[..., LatexResult]) -> None:
    full = thesis("\\chapter{One}\\section{A}\\label{a}\\index{alone}\\cite{w7} Page \\pageref{a}.\n")
    left = compiled(full).side
    assert left is not None
    assert set(left.files) >= {"main.aux", "main.toc", "main.bbl", "main.ind"}
    for files in (
        thesis("\\chapter{One} Words.\n", "\\chapter{Two} \\cite{w2}\n"),  # nothing in the index, a work less
        full | {"works.bib": WORKS.replace("Author 7", "Zuse")},
        full | {"main.tex": MAIN.replace("\\tableofcontents\\listoffigures", "")},
    ):
        assert compiled(files, left).pdf == compiled(files).pdf


@pytest.mark.long
@pytest.mark.parametrize(
    "spoiled", [b"\\undefined{x", b"", b"\\newlabel{a}{{9}{99}}\n", b"\\relax \\stop\n", b"\xff\0\xfe"]
)
def test_files_that_are_spoiled_cost_time_and_nothing_else(
    compiled: Callable[..., LatexResult], spoiled: bytes
) -> None:
    files = thesis("\\chapter{One}\\section{A}\\label{a} See \\ref{a}, \\cite{w2}.\\index{a}\n")
    fresh = compiled(files)
    assert fresh.side is not None
    for name in ("main.aux", "main.toc"):
        side = fresh.side._replace(files=fresh.side.files | {name: spoiled})
        assert compiled(files, side).pdf == fresh.pdf


def test_a_thesis_that_writes_files_of_its_own_leaves_nothing(compiled: Callable[..., LatexResult]) -> None:
    own = "\\begin{filecontents}{own.toc}\nx\n\\end{filecontents}\n\\chapter{One} \\cite{w2}\\index{x}\n"
    assert compiled(thesis(own)).side is None


def test_packed_and_unpacked() -> None:
    side = SideFiles({"main.aux": b"\\relax\n", "front/x.toc": b"\0"}, {"main": "abc"})
    assert SideFiles.unpack(side.pack()) == side


def test_the_preamble_and_packages_set_a_build_up_and_the_text_does_not() -> None:
    files = {"main.tex": MAIN.encode(), "one.tex": b"x", "own.sty": b"% 1", "plot.png": b"1"}
    key = setup_key(files, "main.tex", {})
    assert setup_key(files | {"one.tex": b"y", "plot.png": b"2"}, "main.tex", {}) == key
    assert setup_key(files | {"own.sty": b"% 2"}, "main.tex", {}) != key
    assert setup_key(files | {"main.tex": MAIN.replace("book", "report").encode()}, "main.tex", {}) != key


# The job


def passes(build: Build) -> int:
    assert build.job is not None
    return build.job.events.filter(kind=STEP, text__startswith="Running LaTeX, pass").count()


def finish_build(project: Project, owner: User, **options: Any) -> Build:
    build = start_build(project, owner, enqueue=False, **options)
    perform(str(build.job_id))
    build.refresh_from_db()
    assert build.output
    return build


@pytest.mark.django_db
@pytest.mark.usefixtures("media")
def test_an_edit_takes_one_pass_unless_it_is_built_from_scratch(project: Project, owner: User) -> None:
    first, _ = quick_thesis(project, "\\chapter{One}\nSee \\ref{two}.\n", "\\chapter{Two}\\label{two}\nWords.\n")
    assert passes(finish_build(project, owner)) > 1
    first.latex += "More words.\n"
    first.save()
    assert passes(finish_build(project, owner)) == 1
    assert passes(finish_build(project, owner, from_scratch=True)) > 1
    assert passes(finish_build(project, owner, section=first)) > 1, "a chapter leaves its own"
    assert passes(finish_build(project, owner, section=first)) == 1
    assert BuildSideFiles.objects.count() == 2
    BuildSideFiles.objects.update(setup_key="another")
    assert passes(finish_build(project, owner)) > 1


@pytest.mark.django_db
def test_from_scratch_by_page_and_api(project: Project, owner: User) -> None:
    quick_thesis(project, "\\chapter{One}\nWords.\n")
    client, page = signed_in(owner), f"/projects/{project.pk}/build/"
    client.post(page, {"kind": "pdf", "from_scratch": "1"})
    assert Build.objects.get().from_scratch
    Build.objects.all().delete()
    body = {"kind": "pdf", "from_scratch": True}
    api = f"/api/projects/{project.pk}/builds"
    assert client.post(api, body, content_type="application/json").status_code == 202
    assert Build.objects.get().from_scratch
    stranger = signed_in(person("s@example.org", "S"))
    assert stranger.post(api, body, content_type="application/json").status_code == 404
