r"""Text that is up to something: each build ends within its limits, says where it was,
and reads and writes nothing outside.

A canary lies outside of the folder of each build. What reads or writes it is tried twice: with what holds TeX in
from outside (Landlock), and with TeX's own manners alone, as on a machine that has none.
"""

import shutil
import signal
import struct
import time
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import pytest
from PIL import Image

from tests.thesis.minimal_latex import QUICK, imported_manuscript, needs_latex, printed, problem_lines
from tests.time_limits import HANGS
from thesis.latex_build import landlock
from thesis.latex_build.image_check import oversized
from thesis.latex_build.problems import Placed
from thesis.latex_build.run_latex import is_unsafe_file

pytestmark = needs_latex
needs_landlock = pytest.mark.skipif(not landlock.version(), reason="This kernel has no Landlock")
BOTH = pytest.mark.parametrize("hold", [True, False], ids=["held in", "by its own manners"])
SECRET = "canary-5e3a1f"


class Outside(NamedTuple):
    """A folder that no build may touch, beside the folder `build` of the build."""

    folder: Path
    build: Path

    def is_untouched(self) -> bool:
        return sorted(path.name for path in self.folder.iterdir()) == ["canary.bib", "canary.png", "canary.tex"]

    def was_read(self) -> bool:
        """Whether anything of it came into the folder of the build: text, picture, digest or size."""
        traces = [SECRET.encode(), (self.folder / "canary.png").read_bytes()[60:90], b"SIZE 58", b"SIZE=58"]
        found = [path.read_bytes() for path in self.build.rglob("*") if path.is_file()]
        return any(trace in data for data in found for trace in traces if trace != b"")


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Outside]:
    folder = tmp_path / "outside"
    folder.mkdir()
    text = f"\\typeout{{{SECRET}}}{SECRET}".ljust(58, "%")
    (folder / "canary.tex").write_text(text)
    (folder / "canary.bib").write_text(f"@article{{c, title={{{SECRET}}}, author={{X, Y}}, journal={{J}}, year=2000}}")
    made = BytesIO()
    Image.effect_noise((20, 20), 90).save(made, "PNG")
    (folder / "canary.png").write_bytes(made.getvalue())
    outside = Outside(folder, tmp_path / "build")
    yield outside
    assert outside.is_untouched()
    assert not outside.was_read()
    # What it was set from and what came of it is all there is beside the two folders.
    assert {path.name for path in tmp_path.iterdir()} <= {"outside", "build", "media"}


@pytest.mark.sample(1)
@BOTH
def test_commands_and_quiet_reads(outside: Outside, hold: bool) -> None:
    r"""What TeX goes on after: \write18, \openin, digests and sizes of files, and names that a shell would run."""
    canary = outside.folder / "canary.tex"
    first = rf"""\immediate\write18{{touch {outside.folder}/pwned}}
\newread\r \openin\r={canary} \ifeof\r NOTHING\else \read\r to\z \z\fi
\openin\r=../outside/canary.tex \ifeof\r NOTHING\else \read\r to\z \z\fi
\edef\z{{\pdffiledump offset 0 length 58 {{{canary}}}}}\typeout{{DUMP \z}}
\edef\z{{\pdffilesize{{{canary}}}}}\typeout{{SIZE=\z}}
\edef\z{{\pdfmdfivesum file {{{canary}}}}}\typeout{{DIGEST \z.}}
"""
    second = rf"""\typeout{{Writing index file a`touch {outside.folder}/pwned`.idx}}
\typeout{{Writing index file $(touch {outside.folder}/pwned).idx}}
\IfFileExists{{{canary}}}{{\input{{{canary}}}}}{{NOTHING}}
\InputIfFileExists{{../outside/canary}}{{}}{{NOTHING}}
A page.
"""
    made, problems, _, _ = printed(imported_manuscript(first, second), outside.build, hold=hold)
    assert made.pdf is not None, problems
    assert "DUMP \n" in made.log
    assert "DIGEST ." in made.log
    assert "SIZE 58" not in made.log


@pytest.mark.sample(1)
@BOTH
def test_the_one_command_that_reads_what_it_likes(outside: Outside, hold: bool) -> None:
    names = [r"\pdfobj", r"\csname tex_pdfobj:D\endcsname", r"\pdfprimitive\pdfobj"]
    text = "".join(rf"{name} stream file {{{outside.folder}/canary.tex}}" + "\n" for name in names)
    made, _, _, _ = printed(imported_manuscript(text + r"\pdfrefobj\pdflastobj x"), outside.build, hold=hold)
    assert made.pdf is None


READS = {
    r"\input{/etc/passwd}": "/etc/passwd.tex is outside the folder of this thesis and is not read",
    r"\input{../../outside/canary}": "../../outside/canary.tex is outside the folder of this thesis and is not read",
    r"\includegraphics{OUT/canary.png}": "OUT/canary.png is outside the folder of this thesis and is not read",
    r"\newwrite\w\immediate\openout\w=../x.tex": "../x.tex is outside the folder of this thesis and is not written",
    r"\newwrite\w\immediate\openout\w=OUT/x.tex": "OUT/x.tex is outside the folder of this thesis and is not written",
    r"\pdfximage{OUT/canary.png}\pdfrefximage\pdflastximage": None,
    r"\pdfmapfile{OUT/canary.tex}x": None,
    r"\include{OUT/canary}": None,
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("latex", READS)
def test_what_tex_stops_at(outside: Outside, latex: str) -> None:
    """The message names the section and the line. Without Landlock: these are TeX's own manners."""
    text = f"\\chapter{{One}}\nWords.\n\n{latex.replace('OUT', str(outside.folder))}\n"
    manuscript = imported_manuscript("First.", text, preamble="\\usepackage{graphicx}\n")
    _, problems, _, _ = printed(manuscript, outside.build, hold=False)
    said = READS[latex]
    if said is not None:
        assert problem_lines(problems)[0].startswith("2 Part 2, line 4: ")
        assert said.replace("OUT", str(outside.folder)) in problem_lines(problems)[0]


@pytest.mark.sample(1)
@BOTH
def test_references_from_outside(outside: Outside, hold: bool) -> None:
    end = rf"\bibliographystyle{{plain}}\bibliography{{{outside.folder}/canary}}" + "\n"
    made, problems, _, _ = printed(imported_manuscript(r"\nocite{*}Words.", end=end), outside.build, hold=hold)
    assert SECRET not in made.references


BIBER = r"""\usepackage[backend=biber]{{biblatex}}
\DeclareSourcemap{{\maps[datatype=bibtex]{{\map{{\step[fieldsource=title,match=\regexp{{.}},replace=\regexp{{{code}}}]}}}}}}
\addbibresource{{own.bib}}
"""


@needs_landlock
@pytest.mark.skipif(shutil.which("biber") is None, reason="biber is not installed")
def test_biber_runs_what_a_thesis_says_and_gets_nowhere(outside: Outside) -> None:
    """biber evaluates a replacement as Perl: the command runs, in the folder of the build, and reaches nothing else."""
    commands = [
        "touch,here-it-ran",
        f"touch,{outside.folder}/pwned",
        f"cp,{outside.folder}/canary.tex,stolen.tex",
        "cp,/etc/passwd,stolen.txt",
    ]
    code = "@{[" + ",".join(f"system(split(q{{,}},q{{{one}}}))" for one in commands) + "]}"
    more = f"\\csname addbibresource\\endcsname{{{outside.folder}/canary.bib}}\n"  # so that it is not seen for one
    manuscript = imported_manuscript(
        r"\cite{mehta2020}\nocite{*}", preamble=BIBER.format(code=code) + more, end="\\printbibliography\n"
    )
    made, _, _, _ = printed(manuscript, outside.build)
    left = {path.name for path in outside.build.rglob("*")}
    assert "here-it-ran" in left, made.references
    assert "stolen.txt" not in left


@pytest.mark.long
def test_without_anything_to_hold_it_biber_is_not_started(outside: Outside) -> None:
    preamble = "\\usepackage[backend=biber]{biblatex}\n\\addbibresource{own.bib}\n"
    manuscript = imported_manuscript(r"\cite{mehta2020}", preamble=preamble, end="\\printbibliography\n")
    made, problems, _, _ = printed(manuscript, outside.build, hold=False)
    assert made.pdf is None
    if shutil.which("biber"):
        assert "which this server cannot run safely" in problems[0]["title"]
    assert made.references == ""


# What never ends, and what grows

ENDLESS = {
    "a loop": (r"\loop\iftrue\repeat", "LaTeX was stopped after 2 seconds"),
    "a loop of names": (r"\def\x{\x}\x", "LaTeX was stopped after 2 seconds"),
    "memory": (r"\def\x{\x\x}\x", "LaTeX ran out of memory here"),
    "pages": (r"\loop\iftrue x\newpage\repeat", "LaTeX was stopped after more than 400 pages"),
    "a file": (
        r"\newwrite\w\immediate\openout\w=big.txt \def\z{\n"
        r"umber\maxdimen}\edef\z{\z\z\z\z\z\z\z\z}\edef\z{\z\z\z\z\z\z\z\z}"
        r"\loop\iftrue\immediate\write\w{\z\z\z\z\z\z\z\z\z\z\z}\repeat",
        "LaTeX was stopped after it had written more than 20 MB",
    ),
}


@pytest.fixture
def in_the_background() -> Iterator[None]:
    """As a worker that a shell started with &: it ignores what comes from the keyboard."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.sample(1)
@pytest.mark.timeout(4 * HANGS)
@pytest.mark.usefixtures("in_the_background")
@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=[pytest.mark.long][: what == "a loop of names"]) for what in ENDLESS]
)
def test_what_never_ends_is_stopped_and_told(outside: Outside, what: str) -> None:
    latex, said = ENDLESS[what]
    manuscript = imported_manuscript("First.", f"\\chapter{{One}}\nWords.\n{latex}\n")
    _, problems, _, _ = printed(manuscript, outside.build, QUICK._replace(seconds=2 if "2 seconds" in said else 20))
    assert problem_lines(problems) == [f"2 Part 2, line 3: {said}"]


@pytest.mark.long
@pytest.mark.timeout(HANGS)
def test_nothing_runs_on_when_a_build_is_stopped(outside: Outside) -> None:
    class Enough(Exception):
        pass

    begun = time.monotonic()

    def stop() -> None:
        if time.monotonic() - begun > 1:
            raise Enough

    from thesis.assembly.assemble import assemble
    from thesis.latex_build.run_latex import compile_latex

    assembled = assemble(imported_manuscript(r"\loop\iftrue\repeat"))
    outside.build.mkdir()
    with pytest.raises(Enough):
        compile_latex(assembled.files, assembled.main, folder=outside.build, limits=QUICK, stop=stop)
    while any(_points_into(path, outside.build) for path in Path("/proc").glob("[0-9]*/cwd")):
        time.sleep(0.02)


def _points_into(link: Path, folder: Path) -> bool:
    try:
        return str(link.readlink()).startswith(str(folder))
    except OSError:
        return False


# What is merely wrong

WRONG = r"""\chapter{Two}
It is \SI{5}{mm} wide \cite{nobody}, and $x_1.

A new paragraph with the letter ह.

\begin{tabular}{ll}
a & b & c \\
\end{tabular}

\begin{longboard}x\end{longboard} and 5 & 6, a_b, and #.
"""


def test_each_mistake_has_its_section_and_line(outside: Outside) -> None:
    made, problems, notes, _ = printed(imported_manuscript("First.", WRONG), outside.build)
    assert made.pdf is None
    found = problem_lines(problems)
    for line, said in (
        (2, r"Undefined command: \SI"),
        (4, "LaTeX cannot print the character ह (U+0939)"),
        (7, "A row of this table has more cells than the table has columns"),
        (10, "Undefined environment: longboard"),
    ):
        assert f"2 Part 2, line {line}: {said}" in found
    assert any(one.startswith(("2 Part 2, line 3: A math symbol", "2 Part 2, line 2: A math symbol")) for one in found)
    assert problems[0]["hint"] == "It belongs to the package siunitx, which this thesis does not load."
    assert [2, r"It is \SI{5}{mm} wide \cite{nobody}, and $x_1."] in problems[0]["excerpt"]
    assert "2 Part 2, line 2: nobody is cited but is not in the list of citations" in problem_lines(notes)


@pytest.mark.long
def test_a_section_that_ends_inside_an_environment(outside: Outside) -> None:
    table = "\\chapter{Two}\n\n\\begin{tabular}{ll}\na & b\n"
    made, problems, _, _ = printed(imported_manuscript("First.", table, "\\chapter{Three}\nOn."), outside.build)
    assert made.pdf is None
    assert problem_lines(problems)[0] == "2 Part 2, line 3: The environment tabular is not closed"


def test_a_package_that_is_not_there(outside: Outside) -> None:
    made, problems, _, _ = printed(
        imported_manuscript("First.", preamble="\\usepackage{nosuchpackage}\n"), outside.build
    )
    assert made.pdf is None
    assert problems[0]["title"] == "The package nosuchpackage is not installed on this server"
    assert problems[0]["heading"] == "main.tex"
    assert problems[0]["line"] == 3


def test_names_with_spaces_quotes_and_other_letters(outside: Outside) -> None:
    picture = BytesIO()
    Image.new("RGB", (4, 4)).save(picture, "PNG")
    files = {"figures/a b's.png": picture.getvalue(), "-shell-escape.tex": b"", "a;b$(x).png": picture.getvalue()}
    text = "\\chapter{One}\n\\includegraphics{figures/a b's.png}\nNaïve — “90 %–95 %”.\n\\undefinedhere\n"
    manuscript = imported_manuscript(
        text, preamble="\\usepackage{graphicx}\n", files=files, main='my thesis\'s "last" draft.tex'
    )
    _, problems, _, _ = printed(manuscript, outside.build)
    assert problem_lines(problems) == ["1 Part 1, line 4: Undefined command: \\undefinedhere"]


@pytest.mark.long
def test_settings_of_the_programs_that_were_uploaded_are_not_read(outside: Outside) -> None:
    pwned = f"touch {outside.folder}/pwned"
    files = {
        "latexmkrc": f"system('{pwned}');".encode(),
        ".latexmkrc": f"$pdflatex = '{pwned}';".encode(),
        "texmf.cnf": b"shell_escape = t\nopenin_any = a\nopenout_any = a\n",
        "biber.conf": b"<config></config>",
        "main.fls": b"x",
    }
    made, problems, _, _ = printed(imported_manuscript(rf"\immediate\write18{{{pwned}}}x", files=files), outside.build)
    assert made.pdf is not None, problems
    left = {path.name for path in outside.build.rglob("*")}
    assert not left & {"latexmkrc", ".latexmkrc", "texmf.cnf", "biber.conf"}


@pytest.mark.parametrize(
    "path",
    [
        "../x.tex",
        "/etc/x.tex",
        "a/../../x",
        "",
        "a\\..\\x",
        "a/.latexmkrc",
        "LATEXMKRC",
        "main.aux",
        "-x/y.tex",
        "a\0b",
    ],
)
def test_paths_that_are_left_out(path: str) -> None:
    assert is_unsafe_file(path)


@pytest.mark.parametrize("path", ["main.tex", "a/b.png", "my thesis.tex", "thesis.cfg", "main.bbl", "ü/é.tex"])
def test_paths_that_are_taken(path: str) -> None:
    assert not is_unsafe_file(path)


# Pictures


def test_image_bombs_are_found_before_tex_sees_them() -> None:
    fine = BytesIO()
    Image.new("RGB", (40, 40)).save(fine, "PNG")
    header = b"IHDR" + struct.pack(">IIBBBBB", 30_000, 30_000, 8, 2, 0, 0, 0)
    bomb = fine.getvalue()[:12] + header + struct.pack(">I", zlib.crc32(header)) + fine.getvalue()[33:]
    files = {
        "figures/bomb.png": bomb,
        "figures/fine.png": fine.getvalue(),
        "figures/vast.pdf": _pdf("0 0 2000000 2000000"),
        "figures/page.pdf": _pdf("0 0 595 842"),
        "figures/broken.pdf": b"%PDF-1.5\nnothing",
        "figures/broken.png": fine.getvalue()[:30],
        "figures/program.svg": b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
    }
    found = oversized(files)
    assert set(found) == {"figures/bomb.png", "figures/vast.pdf", "figures/broken.pdf", "figures/broken.png"}
    assert "is too large. Crop it." in found["figures/vast.pdf"]

    text = "\\chapter{One}\n\n\\includegraphics[width=3cm]{figures/bomb}\n"
    manuscript = imported_manuscript("First.", text, preamble="\\usepackage{graphicx}\n", files=files)
    from thesis.assembly.assemble import assemble

    problems = Placed(manuscript, assemble(manuscript)).of_pictures(found)
    assert problem_lines(problems) == ["2 Part 2, line 3: The picture bomb.png cannot be used"]


def test_an_svg_is_no_picture(outside: Outside) -> None:
    files = {"figures/program.svg": b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"}
    text = "\\chapter{One}\n\\includegraphics{figures/program.svg}\n"
    made, problems, _, _ = printed(
        imported_manuscript(text, preamble="\\usepackage{graphicx}\n", files=files), outside.build
    )
    assert made.pdf is None
    assert problem_lines(problems)[0].startswith("1 Part 1, line 2: ")


def _pdf(box: str) -> bytes:
    """A page with nothing on it, of the size `box` (points)."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[{box}]>>".encode(),
    ]
    out, places = b"%PDF-1.5\n", []
    for number, one in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj%bendobj\n" % (number, one)
    at = len(out)
    out += b"xref\n0 4\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"trailer<</Size 4/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % at
