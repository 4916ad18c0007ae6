"""manage.py import_thesis and export_thesis: the id as the last line, the report beside it, the same bytes out
(DESIGN, "Commands")."""

import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from projects.models import Project, User
from sections.models import Section
from tests.servers.processes import ROOT, environment
from tests.thesis.make_thesis import imported_file, project_files, unzipped, word, zipped

CORPUS = sorted((ROOT / "tests" / "corpus").glob("*.tex"))


def run(*arguments: Any) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command(*map(str, arguments), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def refused(*arguments: Any) -> tuple[int, str]:
    with pytest.raises(CommandError) as error:
        run(*arguments)
    return error.value.returncode, str(error.value)


@pytest.mark.django_db
def test_a_project_in_and_out(tmp_path: Path, owner: User) -> None:
    archive, out = tmp_path / "alder.zip", tmp_path / "out.zip"
    archive.write_bytes(zipped(project_files()))
    printed, told = run("import_thesis", archive, "--user", owner.email)
    project = Project.objects.get(pk=printed.strip().splitlines()[-1])
    assert (project.title, project.owner) == ("Alder & soil", owner)
    assert "chapters/methods.tex: section “Methods & materials”" in told
    assert "refs.bib: references: 2" in told
    assert "3 sections, 11 files." in told
    printed, told = run("export_thesis", project.pk, "--output", out, "--source")
    assert (printed, told) == (f"{out}\n", "")
    assert unzipped(out.read_bytes()) == project_files()


@pytest.mark.django_db
def test_the_local_user_and_a_title(tmp_path: Path) -> None:
    document = tmp_path / "draft.docx"
    document.write_bytes(word())
    printed, _ = run("import_thesis", document, "--title", "Mine")
    project = Project.objects.get(pk=printed.strip())
    assert (project.title, project.owner.email) == ("Mine", "local@scholium.local")


@pytest.mark.django_db
def test_bad_usage_is_said_and_makes_nothing(tmp_path: Path, owner: User, outsider: User, project: Project) -> None:
    tex, bad = tmp_path / "a.tex", tmp_path / "a.pdf"
    tex.write_bytes(b"\\chapter{A}")
    bad.write_bytes(b"%PDF")
    out = tmp_path / "out.zip"
    assert refused("import_thesis", tmp_path / "none.tex") == (
        2,
        f"{tmp_path / 'none.tex'} cannot be read: No such file or directory.",
    )
    assert refused("import_thesis", bad)[0] == 2
    assert refused("import_thesis", tex, "--user", "nobody@example.org") == (
        2,
        "There is no user with the address nobody@example.org.",
    )
    for arguments, says in (
        ((project.pk,), "--output"),
        ((project.pk, "--source"), "--output"),
        ((project.pk, "--source", "--output", tmp_path), "is a folder"),
        ((project.pk, "--source", "--output", tmp_path / "no" / "x.zip"), "does not exist"),
        (("x", "--source", "--output", out), "There is no thesis x."),
        ((project.pk, "--source", "--output", out, "--user", outsider.email), f"There is no thesis {project.pk}."),
    ):
        code, said = refused("export_thesis", *arguments)
        assert (code, says in said) == (2, True), said
    assert not out.exists()
    assert Project.objects.count() == 1


@pytest.mark.django_db
def test_a_file_that_turns_out_to_be_none_leaves_no_thesis(tmp_path: Path) -> None:
    archive = tmp_path / "x.zip"
    archive.write_bytes(zipped({"a.txt": b"x"}))
    code, said = refused("import_thesis", archive)
    assert (code, "It contains no .tex file." in said) == (1, True)
    assert (Project.objects.count(), Section.objects.count()) == (0, 0)


@pytest.mark.django_db
def test_what_was_moved_is_said_beside_the_archive(tmp_path: Path, owner: User) -> None:
    made, _ = imported_file(owner, b"\\chapter{A}a\n\\chapter{B}b\n", "a.tex")
    Section.objects.get(project=made.project, title="B").move_to(0)
    out = tmp_path / "out.zip"
    _, told = run("export_thesis", made.project_id, "--source", "--output", out)
    assert told == "a.tex: the sections in this file were reordered as in the outline.\n"
    assert unzipped(out.read_bytes()) == {"a.tex": b"\\chapter{B}b\n\\chapter{A}a\n"}


@pytest.mark.long
def test_as_processes_on_an_empty_machine(tmp_path: Path) -> None:
    env = environment(tmp_path / "new.sqlite3", tmp_path)
    path = CORPUS[0] if CORPUS else tmp_path / "a.tex"
    if not CORPUS:
        path.write_bytes(b"\\chapter{A}\r\nText.")
    out = tmp_path / "out.zip"

    def manage(*arguments: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "manage.py", *map(str, arguments)]
        return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)

    made = manage("import_thesis", path)
    assert made.returncode == 0, made.stderr
    done = manage("export_thesis", made.stdout.strip().splitlines()[-1], "--output", out, "--source")
    assert (done.returncode, done.stderr) == (0, "")
    assert unzipped(out.read_bytes()) == {path.name: path.read_bytes()}
    assert manage("export_thesis", "x", "--output", out).returncode == 2
