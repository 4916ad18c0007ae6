"""A LaTeX project with citing commands of its own is brought in, audited, exported and set (SPEC C7, T5, T6)."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from docx import Document as open_docx

from citations.models import Citation
from projects.models import Project, User
from tests.thesis.make_thesis import imported_file, unzipped, zipped
from tests.thesis.manuscripts import set_by_latex
from tests.thesis.test_own_citing_commands import WAYS, written
from thesis.manuscript_data import manuscript_of
from thesis.word.docx import docx_of_thesis

pytestmark = pytest.mark.django_db

PLACES = ["section", "preamble", "package", "class"]
LETTERS = dict(zip(WAYS, "abcdefghijklmnopqrstuvwxyz", strict=False))


def commands_of(way: str) -> tuple[str, str]:
    """The definition and the use of a way, with names and a key of its own."""
    letter = LETTERS[way]
    definition, use = (one.replace("see", f"see{letter}x") for one in written(way, f"k{letter}"))
    return definition.replace("\\trial", f"\\trial{letter}"), use.replace("\\trial", f"\\trial{letter}")


def project_of(place: str) -> dict[str, bytes]:
    """A LaTeX project whose commands are defined at `place`, and that cites `plain` plainly."""
    definitions = "\n".join(commands_of(way)[0] for way in WAYS)
    uses = "\n\n".join(f"Words {commands_of(way)[1]} and more." for way in WAYS)
    quiet = definitions.replace("\\makeatletter", "").replace("\\makeatother", "")
    head = "\\documentclass{report}\n\\usepackage{natbib}\n"
    files = {}
    if place == "package":
        head = "\\documentclass{report}\n\\usepackage{style/own}\n"
        files["style/own.sty"] = f"\\ProvidesPackage{{style/own}}\n\\RequirePackage{{natbib}}\n{quiet}\n\\endinput\n"
    elif place == "class":
        head = "\\documentclass[12pt]{unithesis}\n"
        files["unithesis.cls"] = (
            f"\\ProvidesClass{{unithesis}}\n\\LoadClass{{report}}\n\\RequirePackage{{natbib}}\n{quiet}\n\\endinput\n"
        )
    elif place == "preamble":
        head += f"{definitions}\n"
    end = "\\bibliographystyle{plainnat}\n\\bibliography{refs}\n\\end{document}\n"
    files["main.tex"] = f"{head}\\begin{{document}}\n\\include{{chapters/one}}\n{end}"
    own = f"{definitions}\n" if place == "section" else ""
    files["chapters/one.tex"] = f"\\chapter{{One}}\n{own}Plain \\cite{{plain}}.\n\n{uses}\n"
    keys = ["plain", "never", *(f"k{letter}" for letter in LETTERS.values())]
    files["refs.bib"] = "\n".join(
        (
            f"@article{{{key}, title={{A trial called {key}}}, author={{Roe, "
            "Jane}, journal={The Journal}, year={2020}}"
        )
        for key in keys
    )
    return {path: text.encode() for path, text in files.items()}


@pytest.fixture(params=PLACES)
def thesis(request: pytest.FixtureRequest) -> Project:
    user = User.objects.create_user("asha@example.org", "ward-round-9")
    made, _ = imported_file(user, zipped(project_of(request.param)), "thesis.zip")
    assert made.project is not None
    prove(made.project)
    return made.project


def prove(project: Project, *refuted: str) -> None:
    """Every reference is proven but those `refuted`."""
    rows = Citation.objects.filter(project=project)
    rows.exclude(cite_key__in=refuted).update(tier="A", status="verified")
    rows.filter(cite_key__in=refuted).update(tier="D", status="not_found")


def audited(project: Project) -> dict[str, Any]:
    out = io.StringIO()
    call_command("audit_citations", str(project.pk), format="json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def exported(project: Project, folder: Path, *, final: bool = False) -> dict[str, bytes]:
    output = folder / "out.zip"
    call_command(
        "export_thesis", str(project.pk), output=output, final=final, stdout=io.StringIO(), stderr=io.StringIO()
    )
    return unzipped(output.read_bytes())


def listed(files: dict[str, bytes]) -> set[str]:
    return set(re.findall(r"@\w+\{([^,]+),", files["references.bib"].decode()))


@pytest.mark.sample(1)
def test_what_only_a_command_cites_is_audited_and_listed(thesis: Project, tmp_path: Path) -> None:
    found = audited(thesis)
    assert (found["integrity_score"], found["missing_citations"], found["unfollowed_commands"]) == (100.0, [], [])
    every = {"plain", *(f"k{letter}" for letter in LETTERS.values())}
    assert listed(exported(thesis, tmp_path, final=True)) == every
    document = open_docx(io.BytesIO(docx_of_thesis(manuscript_of(thesis)).data))
    text = "\n".join(paragraph.text for paragraph in document.paragraphs)
    assert {key for key in every if f"A trial called {key}" not in text} == set()


@pytest.mark.sample(1)
def test_an_invented_work_stops_the_final_export(thesis: Project, tmp_path: Path) -> None:
    for letter in LETTERS.values():
        prove(thesis, f"k{letter}")
        with pytest.raises(CommandError, match=f"k{letter} was not found") as refused:
            exported(thesis, tmp_path, final=True)
        assert refused.value.returncode == 1


@pytest.mark.sample(1)
def test_a_draft_is_stripped_of_what_was_not_found(thesis: Project, tmp_path: Path) -> None:
    prove(thesis, *(f"k{letter}" for letter in LETTERS.values()))
    files = exported(thesis, tmp_path)
    assert listed(files) == {"plain"}
    read, _ = set_by_latex(files, tmp_path / "set")
    assert "A trial called plain" in " ".join(read.split())
    assert "called k" not in read


def test_a_file_whose_name_a_command_makes_is_read_too() -> None:
    files = project_of("preamble")
    files["main.tex"] = (
        b"\\documentclass{report}\n\\newcommand{\\chap}[1]{\\input{chapters/#1}}\n"
        b"\\begin{document}\n\\chap{one}\n\\end{document}\n"
    )
    files["chapters/one.tex"] = b"\\chapter{One}\nWords \\cite{ka}.\n"
    user = User.objects.create_user("asha@example.org", "ward-round-9")
    made, _ = imported_file(user, zipped(files), "thesis.zip")
    assert made.project is not None
    prove(made.project, "ka")
    assert [one["cite_key"] for one in audited(made.project)["tier_d_blocking"]] == ["ka"]
