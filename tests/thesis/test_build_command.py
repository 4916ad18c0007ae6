"""manage.py build_thesis: a PDF in the foreground, or the problems with their sections and lines."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from projects.models import Project, User
from tests.thesis.minimal_latex import needs_latex, quick_thesis

pytestmark = pytest.mark.django_db(transaction=True)


def build(project: Project, *options: str) -> None:
    call_command("build_thesis", str(project.pk), *options)


@needs_latex
def test_a_pdf_of_a_section_and_then_the_problems_of_all(
    project: Project, owner: User, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quick_thesis(project, "\\chapter{One}\nWords.", "\\chapter{Two}\nWords.\nIt is \\SI{5}{mm}.\n")
    out = tmp_path / "t.pdf"
    build(project, "--output", str(out), "--section", "1")
    said = capsys.readouterr()
    assert out.read_bytes().startswith(b"%PDF-")
    assert said.out.strip() == str(out)
    assert "Running LaTeX, pass 2" in said.err

    out.unlink()
    with pytest.raises(CommandError) as caught:
        build(project, "--output", str(out))
    assert caught.value.returncode == 1
    assert "2 Part 2, line 3: Undefined command: \\SI. It belongs to the package" in capsys.readouterr().err
    assert not out.exists()


def test_what_is_asked_wrongly(project: Project, outsider: User, tmp_path: Path) -> None:
    quick_thesis(project, "Words.")
    out = ["--output", str(tmp_path / "t.pdf")]
    for options in ([], ["--output", str(tmp_path)], [*out, "--section", "9"], [*out, "--user", outsider.email]):
        with pytest.raises(CommandError) as caught:
            build(project, *options)
        assert caught.value.returncode == 2
    with pytest.raises(CommandError, match="There is no thesis"):
        call_command("build_thesis", "nothing", *out)
