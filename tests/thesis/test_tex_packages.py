r"""The TeX that docker/setup installs has what theses load; what it lacks is named by its Debian package (SPEC T6)."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from latex.log import LogMessage
from thesis.latex_build.tex_messages import debian_package, plain_message

ROOT = Path(__file__).resolve().parents[2]
MOST_LOADED = [line for line in Path(__file__).with_name("packages.txt").read_text().split("\n") if line[:1].isalpha()]
LANGUAGES = [
    "ngerman",
    "german",
    "french",
    "spanish",
    "portuguese",
    "brazilian",
    "italian",
    "dutch",
    "swedish",
    "danish",
]


def installed() -> set[str]:
    """The packages that docker/setup adds, and those of which they are made."""
    named = re.search(r"^tex_packages=\((.*?)\)", (ROOT / "docker/setup").read_text(), re.MULTILINE | re.DOTALL)
    assert named
    return {*named[1].split(), "texlive-base"}


def test_what_theses_load_most_is_installed() -> None:
    assert len(MOST_LOADED) >= 200
    lacking = {name: debian_package(f"{name}.sty") for name in MOST_LOADED}
    assert {name: package for name, package in lacking.items() if package not in installed()} == {}
    for language in LANGUAGES:
        assert debian_package(f"{language}.ldf") in installed(), language


@pytest.mark.skipif(shutil.which("kpsewhich") is None, reason="TeX is not installed")
def test_the_machine_has_them() -> None:
    names = [f"{name}.sty" for name in MOST_LOADED] + [f"{name}.ldf" for name in LANGUAGES]
    found = subprocess.run(["kpsewhich", *names], capture_output=True, text=True, check=False).stdout
    assert set(names) - {Path(line).name for line in found.splitlines()} == set()


@pytest.mark.long
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="TeX is not installed")
def test_packages_that_need_others_are_loaded(tmp_path: Path) -> None:
    names = (
        "soul,soulutf8,ulem,newtxtext,newtxmath,pgfplots,forest,siunitx,tabularray,threeparttablex,fontawesome5,tipa"
    )
    text = f"\\documentclass{{report}}\n\\usepackage[french,ngerman]{{babel}}\n\\usepackage{{{names}}}\n"
    (tmp_path / "t.tex").write_text(text + "\\begin{document}\\hl{x} \\uline{y} \\num{1.5}\\end{document}\n")
    command = ["pdflatex", "-interaction=batchmode", "-halt-on-error", "t.tex"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=300, check=False)
    errors = [line for line in (tmp_path / "t.log").read_text(errors="replace").splitlines() if line[:1] == "!"]
    assert (errors, (tmp_path / "t.pdf").exists()) == ([], True)


@pytest.mark.parametrize(
    ("said", "title", "hint"),
    [
        (
            "LaTeX Error: File `ctex.sty' not found.",
            "The package ctex is not installed on this server",
            "apt-get install texlive-lang-chinese",
        ),
        ("LaTeX Error: File `lilyglyphs.sty' not found.", "package lilyglyphs is not installed", "texlive-music"),
        (
            "LaTeX Error: File `mythesis.cls' not found.",
            "document class mythesis is not installed",
            "Add the file mythesis.cls",
        ),
        ("I couldn't open style file mine.bst", "bibliography style mine is not installed", "Add the file mine.bst"),
        (
            "Package biblatex Error: Style 'nope' not found.",
            "biblatex style nope is not installed",
            "Add the file nope.bbx",
        ),
        (
            "Package babel Error: Unknown option 'polish'. Either you misspelled it",
            "The language polish is not installed on this server",
            "apt-get install texlive-lang-polish",
        ),
        (
            "Package babel Error: Unknown option 'klingon'. Either",
            "not know the language or option klingon",
            "spelling",
        ),
        (
            "Package minted Error: You must invoke LaTeX with the -shell-escape flag.",
            "A package here needs to run another program",
            "listings",
        ),
        ("Package unicode-math Error: Cannot be run with pdftex!", "needs XeLaTeX", "pdfLaTeX"),
        ("LaTeX Error: File `chapters/one.sty' not found.", "File not found: chapters/one.sty", "Upload it"),
    ],
)
def test_what_is_missing_says_which_package_has_it(said: str, title: str, hint: str) -> None:
    words = plain_message(LogMessage("error", said, "main.tex", 3))
    assert title in words.title
    assert hint in words.hint
